/** Shows rows as a table of which only the visible cells are elements, with keys for moving, selecting and copying. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ClipboardEvent, type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { columnById, columnLabel, type ResultColumn, type ResultRow, valueAt } from '../../../../chart-kit/index.ts';
import { RESULT_TEXTS as TEXTS } from '../texts.ts';
import { CellDialog } from './cell-dialog.tsx';
import { boundsOf, type CellRange, copiedText, selectionOf } from './copied-cells.ts';
import { DataRow } from './data-row.tsx';
import styles from './data-table.module.css';
import { HeaderCell } from './header-cell.tsx';
import { type CellPlace, useCellKeys } from './use-cell-keys.ts';
import { type ColumnTable, textSize } from './use-result-table.ts';

interface DataTableProps {
  readonly caption: string;
  readonly table: ColumnTable;
  readonly rows: readonly ResultRow[];
  readonly columns: readonly ResultColumn[];
  readonly hasFilters: boolean;
  readonly filterOf: (id: string) => string;
  readonly onFilter: (id: string, value: string) => void;
  readonly marked: { readonly row: ResultRow; readonly column: string } | undefined;
}

const ROW_REM = 2;
const OVERSCAN = { rows: 2, columns: 1 };
const MAX_COPIED_CELLS = 1_000_000;

/** Pixels in front of the first and behind the last of what is shown. */
function spaceAround(items: readonly { readonly start: number; readonly end: number }[], total: number) {
  return { before: items[0]?.start ?? 0, after: total - (items.at(-1)?.end ?? 0) };
}

export function DataTable(props: DataTableProps): ReactNode {
  const { caption, table, rows, columns, hasFilters, filterOf, onFilter, marked } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const visible = table.getVisibleLeafColumns();
  const shown = useMemo(() => visible.map(({ id }) => columnById(columns, id) as ResultColumn), [visible, columns]);
  const [range, setRange] = useState<CellRange | undefined>();
  const [whole, setWhole] = useState<CellPlace | undefined>();
  const [said, setSaid] = useState('');
  const rowHeight = useMemo(() => Math.round(textSize() * ROW_REM), []);

  const rowItems = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: OVERSCAN.rows,
    scrollPaddingStart: rowHeight * (hasFilters ? 2.5 : 1),
    scrollPaddingEnd: rowHeight / 2,
  });
  const columnItems = useVirtualizer({
    horizontal: true,
    count: shown.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => visible[index]?.getSize() ?? 0,
    overscan: OVERSCAN.columns,
  });
  const sizes = visible.map((column) => column.getSize()).join();
  // The sizes are what has changed.
  useLayoutEffect(() => columnItems.measure(), [sizes, columnItems]);

  const rowsShown = rowItems.getVirtualItems();
  const columnsShown = columnItems.getVirtualItems();
  const height = spaceAround(rowsShown, rowItems.getTotalSize());
  const width = spaceAround(columnsShown, columnItems.getTotalSize());
  const cells = columnsShown.map(({ index }) => ({ index, column: shown[index] as ResultColumn }));

  const goTo = ({ row, column }: CellPlace) => {
    rowItems.scrollToIndex(row);
    columnItems.scrollToIndex(column);
  };
  const keys = useCellKeys({
    scroller,
    range,
    rowCount: rows.length,
    columnCount: shown.length,
    pageRows: Math.max(1, rowsShown.length - 2 * OVERSCAN.rows),
    onMove: (next) => {
      setRange(next);
      goTo(next.to);
    },
    onOpen: setWhole,
  });

  // It moves when another cell is marked or other rows pass the filters, not when rows are sorted.
  useEffect(() => {
    if (marked === undefined) return;
    const row = rows.indexOf(marked.row);
    const place = shown.findIndex(({ name }) => name === marked.column);
    const column = shown[place];
    if (row >= 0 && column !== undefined) {
      goTo({ row, column: place });
      setSaid(TEXTS.cellOf(columnLabel(column), row + 1));
    }
  }, [marked, rows.length]);

  const sortingKey = rows.length === 0 ? undefined : `${table.state.sorting.map(({ id, desc }) => id + desc)}`;
  // Other rows stand in the selected places.
  useEffect(() => setRange(undefined), [sortingKey, rows.length, shown.length]);

  function onCopy(event: ClipboardEvent): void {
    if (range === undefined || !document.getSelection()?.isCollapsed || event.target instanceof HTMLInputElement)
      return;
    const { firstRow, lastRow, firstColumn, lastColumn } = boundsOf(range);
    const copied = shown.slice(firstColumn, lastColumn + 1);
    const lines = rows.slice(firstRow, Math.min(lastRow + 1, firstRow + Math.ceil(MAX_COPIED_CELLS / copied.length)));
    event.clipboardData.setData(
      'text/plain',
      copiedText(lines.map((row) => copied.map((column) => valueAt(row, column)))),
    );
    event.preventDefault();
    setSaid(TEXTS.copiedCells(lines.length * copied.length));
  }

  const active = range?.to;
  const isActiveShown =
    active !== undefined &&
    rowsShown.some(({ index }) => index === active.row) &&
    cells.some(({ index }) => index === active.column);
  const wholeRow = whole && rows[whole.row];
  const wholeColumn = whole && shown[whole.column];

  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the cells, which may leave the page while they scroll. */}
      <div ref={scroller} className={styles.scroller} tabIndex={-1} onKeyDown={keys.onKeyDown} onCopy={onCopy}>
        <table
          className={styles.table}
          style={{ width: columnItems.getTotalSize() }}
          aria-rowcount={rows.length + 1}
          aria-colcount={shown.length}
        >
          <caption className="visually-hidden">{caption}</caption>
          <colgroup>
            {width.before > 0 && <col style={{ width: width.before }} />}
            {columnsShown.map(({ index, size }) => (
              <col key={shown[index]?.id} style={{ width: size }} />
            ))}
            {width.after > 0 && <col style={{ width: width.after }} />}
          </colgroup>
          <thead>
            <tr aria-rowindex={1}>
              {width.before > 0 && <td aria-hidden="true" />}
              {cells.map(({ index, column }) => (
                <HeaderCell
                  key={column.id}
                  column={column}
                  place={index}
                  table={table}
                  filter={hasFilters ? filterOf(column.id) : undefined}
                  onFilter={onFilter}
                  onDown={() => keys.enter(index)}
                />
              ))}
              {width.after > 0 && <td aria-hidden="true" />}
            </tr>
          </thead>
          <tbody>
            {height.before > 0 && <tr style={{ height: height.before }} />}
            {rowsShown.map(({ index }, at) => {
              const row = rows[index];
              if (row === undefined) return null;
              return (
                <DataRow
                  key={index}
                  place={index}
                  row={row}
                  cells={cells}
                  hasSpaceBefore={width.before > 0}
                  hasSpaceAfter={width.after > 0}
                  tabColumn={!isActiveShown && at === 0 ? cells[0]?.index : undefined}
                  {...selectionOf(range, index)}
                  markedColumn={marked?.row === row ? marked.column : undefined}
                  onSelect={keys.select}
                  onOpen={setWhole}
                />
              );
            })}
            {height.after > 0 && <tr style={{ height: height.after }} />}
          </tbody>
        </table>
      </div>
      {wholeRow && wholeColumn && (
        <CellDialog
          title={TEXTS.cellOf(columnLabel(wholeColumn), (whole?.row ?? 0) + 1)}
          value={valueAt(wholeRow, wholeColumn)}
          onClose={() => setWhole(undefined)}
        />
      )}
      <span className="visually-hidden" aria-live="polite">
        {said}
      </span>
    </>
  );
}
