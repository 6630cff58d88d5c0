/** Shows the head of a column, which sorts, filters and resizes it. */
import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef } from 'react';
import { columnLabel, type ResultColumn } from '../../../../chart-kit/index.ts';
import { ShownText } from '../../ui/shown-text.tsx';
import { RESULT_TEXTS as TEXTS } from '../texts.ts';
import { MAX_FILTER } from './cell-filter.ts';
import styles from './data-table.module.css';
import { type ColumnTable, fittingWidth } from './use-result-table.ts';

interface HeaderCellProps {
  readonly column: ResultColumn;
  readonly place: number;
  readonly table: ColumnTable;
  /** What is typed into the filter; missing where filters are not shown. */
  readonly filter: string | undefined;
  readonly onFilter: (id: string, value: string) => void;
  readonly onDown: () => void;
}

const STEP = 16;
const ORDERS = { asc: 'ascending', desc: 'descending' } as const;
const HINTS = { number: TEXTS.filterNumber, digits: TEXTS.filterNumber, date: TEXTS.filterDate } as const;

export function HeaderCell({ column, place, table, filter, onFilter, onDown }: HeaderCellProps): ReactNode {
  const drag = useRef<{ readonly x: number; readonly width: number } | undefined>(undefined);
  const sorted = table.getColumn(column.id);
  const order = sorted?.getIsSorted() || undefined;
  const label = columnLabel(column);

  function resize(width: number): void {
    const { minSize = 0, maxSize = width } = sorted?.columnDef ?? {};
    const size = Math.max(minSize, Math.min(maxSize, Math.round(width)));
    table.setColumnSizing((sizes) => ({ ...sizes, [column.id]: size }));
  }

  function onKeyDown(event: KeyboardEvent): void {
    const { key, shiftKey } = event;
    const isSideways = key === 'ArrowLeft' || key === 'ArrowRight';
    if (key === 'ArrowDown') {
      event.preventDefault();
      onDown();
    } else if (isSideways && shiftKey) {
      event.preventDefault();
      resize((sorted?.getSize() ?? 0) + (key === 'ArrowLeft' ? -STEP : STEP));
    } else if (isSideways) {
      const head = event.currentTarget.closest('th');
      const next = key === 'ArrowLeft' ? head?.previousElementSibling : head?.nextElementSibling;
      next?.querySelector('button')?.focus();
    }
  }

  function onPointerDown(event: PointerEvent<HTMLElement>): void {
    event.preventDefault();
    event.currentTarget.setPointerCapture(event.pointerId);
    drag.current = { x: event.clientX, width: sorted?.getSize() ?? 0 };
  }

  return (
    <th scope="col" aria-colindex={place + 1} aria-label={label} aria-sort={order && ORDERS[order]}>
      <div className={styles.head} data-kind={column.isQuantity ? 'quantity' : undefined}>
        <button
          type="button"
          className={styles.sort}
          title={TEXTS.sortHint}
          aria-keyshortcuts="Shift+ArrowLeft Shift+ArrowRight"
          onClick={(event) => sorted?.toggleSorting(undefined, event.shiftKey)}
          onKeyDown={onKeyDown}
        >
          <ShownText text={label} />
        </button>
        <span
          aria-hidden="true"
          className={styles.handle}
          title={TEXTS.resizeHint}
          onPointerDown={onPointerDown}
          onPointerMove={({ clientX }) => drag.current && resize(drag.current.width + clientX - drag.current.x)}
          onPointerUp={() => {
            drag.current = undefined;
          }}
          onDoubleClick={() => resize(fittingWidth(column, table.options.data))}
        />
      </div>
      {filter !== undefined && (
        <input
          type="search"
          className={styles.filter}
          maxLength={MAX_FILTER}
          aria-label={TEXTS.filterOf(label)}
          placeholder={HINTS[column.kind as keyof typeof HINTS] ?? TEXTS.filterText}
          value={filter}
          onChange={(event) => onFilter(column.id, event.target.value)}
        />
      )}
    </th>
  );
}
