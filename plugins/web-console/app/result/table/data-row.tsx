/** Shows one row of the table. */
import { memo, type ReactNode } from 'react';
import { type ResultColumn, type ResultRow, valueAt } from '../../../../chart-kit/index.ts';
import { visibleNodes } from '../../ui/shown-text.tsx';
import { shownText } from '../cell-text.ts';
import { RESULT_TEXTS as TEXTS } from '../texts.ts';
import type { RowSelection } from './copied-cells.ts';
import styles from './data-table.module.css';
import type { CellPlace } from './use-cell-keys.ts';

/** More of a text does not fit into the widest column. */
const MAX_SHOWN_CHARACTERS = 200;

interface DataRowProps extends RowSelection {
  readonly place: number;
  readonly row: ResultRow;
  readonly cells: readonly { readonly index: number; readonly column: ResultColumn }[];
  readonly hasSpaceBefore: boolean;
  readonly hasSpaceAfter: boolean;
  /** Where the Tab key enters the table while no cell is active. */
  readonly tabColumn: number | undefined;
  readonly markedColumn: string | undefined;
  readonly onSelect: (place: CellPlace, isExtended: boolean) => void;
  readonly onOpen: (place: CellPlace) => void;
}

function isSame(before: DataRowProps, after: DataRowProps): boolean {
  const keys = Object.keys(after) as (keyof DataRowProps)[];
  return keys.every((key) => {
    if (key === 'onSelect' || key === 'onOpen') return true;
    if (key !== 'cells') return before[key] === after[key];
    const { cells } = after;
    return before.cells.length === cells.length && cells.every(({ column }, at) => before.cells[at]?.column === column);
  });
}

export const DataRow = memo(function DataRow(props: DataRowProps): ReactNode {
  const { place, row, cells, activeColumn, from, to, tabColumn, markedColumn, onSelect, onOpen } = props;
  return (
    <tr aria-rowindex={place + 2}>
      {props.hasSpaceBefore && <td aria-hidden="true" />}
      {cells.map(({ index, column }) => {
        const value = valueAt(row, column);
        const text = shownText(value, column);
        const isCut = text.length > MAX_SHOWN_CHARACTERS;
        const isSelected = from !== undefined && to !== undefined && from <= index && index <= to;
        const isTabStop = activeColumn === index || tabColumn === index;
        return (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are handled by the table.
          <td
            key={column.id}
            aria-colindex={index + 1}
            dir="auto"
            tabIndex={isTabStop ? 0 : undefined}
            title={value === null ? TEXTS.nullTitle : undefined}
            data-place={`${place} ${index}`}
            data-kind={value === null ? 'null' : column.isQuantity ? 'quantity' : column.kind}
            data-selected={isSelected || undefined}
            data-marked={markedColumn === column.name || undefined}
            onMouseDown={(event) => {
              // Else the browser selects the text between the cells.
              if (event.shiftKey) event.preventDefault();
            }}
            onClick={(event) => onSelect({ row: place, column: index }, event.shiftKey)}
            onDoubleClick={() => onOpen({ row: place, column: index })}
          >
            {isCut && (
              <button
                type="button"
                tabIndex={-1}
                className={styles.whole}
                onClick={() => onOpen({ row: place, column: index })}
              >
                {TEXTS.showWhole}
              </button>
            )}
            {visibleNodes(isCut ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text)}
          </td>
        );
      })}
      {props.hasSpaceAfter && <td aria-hidden="true" />}
    </tr>
  );
}, isSame);
