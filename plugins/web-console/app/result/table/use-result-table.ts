/** Keeps which columns of a result are shown, sorted, filtered and how wide, with TanStack Table. */
import {
  type ColumnDef,
  columnFilteringFeature,
  columnSizingFeature,
  columnVisibilityFeature,
  createFilteredRowModel,
  functionalUpdate,
  rowSortingFeature,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { useMemo } from 'react';
import { columnById, type ResultColumn, type ResultRow, valueAt } from '../../../../chart-kit/index.ts';
import { shownText } from '../cell-text.ts';
import type { ViewState } from '../view-state.ts';
import { type CellFilter, cellFilter } from './cell-filter.ts';
import { sortedRows } from './row-order.ts';

const features = tableFeatures({
  columnFilteringFeature,
  columnSizingFeature,
  columnVisibilityFeature,
  rowSortingFeature,
  filteredRowModel: createFilteredRowModel(),
});

/** In hundredths of the page's text size. */
const WIDTH = { min: 400, max: 3_200, first: 2_000, character: 55, around: 260 };
const SAMPLE_ROWS = 50;
/** A wider text is cut by the column anyway. */
const SAMPLE_CHARACTERS = 60;

/** How many pixels the page's text is high, which follows the reader's settings. */
export function textSize(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
}

const pixels = (hundredths: number) => Math.round((hundredths * textSize()) / 100);

/** Wide enough for what stands in the first rows, within bounds. */
export function fittingWidth(column: ResultColumn, rows: readonly ResultRow[]): number {
  const lengths = rows.slice(0, SAMPLE_ROWS).map((row) => {
    const value = valueAt(row, column);
    return typeof value === 'string' && !column.isQuantity ? value.length : shownText(value, column).length;
  });
  const characters = Math.min(SAMPLE_CHARACTERS, Math.max(column.name.length, ...lengths));
  return pixels(Math.max(WIDTH.min, Math.min(WIDTH.first, characters * WIDTH.character + WIDTH.around)));
}

type Definition = ColumnDef<typeof features, ResultRow>;

function definitionOf(column: ResultColumn, rows: readonly ResultRow[]): Definition {
  const filterFn = Object.assign(
    (row: { original: ResultRow }, _id: string, filter: CellFilter) => filter(valueAt(row.original, column)),
    { resolveFilterValue: (typed: string) => cellFilter(typed, column) },
  );
  return {
    id: column.id,
    accessorFn: (row) => valueAt(row, column),
    sortDescFirst: false,
    filterFn,
    size: fittingWidth(column, rows),
    minSize: pixels(WIDTH.min),
    maxSize: pixels(WIDTH.max),
  };
}

interface TableInput {
  readonly rows: readonly ResultRow[];
  readonly columns: readonly ResultColumn[];
  readonly state: ViewState;
  readonly onChange: (change: (state: ViewState) => ViewState) => void;
}

export function useResultTable({ rows, columns, state, onChange }: TableInput) {
  const definitions = useMemo(() => columns.map((column) => definitionOf(column, rows)), [columns, rows]);
  const sorting = useMemo(() => state.sorting.map((sort) => ({ ...sort })), [state.sorting]);
  const columnFilters = useMemo(() => state.filters.map((filter) => ({ ...filter })), [state.filters]);
  const table = useTable({
    features,
    columns: definitions,
    data: rows,
    state: { sorting, columnFilters },
    onSortingChange: (updater) => onChange((old) => ({ ...old, sorting: functionalUpdate(updater, [...old.sorting]) })),
  });
  const filtered = table.getRowModel().rows;
  // Its own sorting reads values through several calls at each comparison, which takes three times as long.
  const shownRows = useMemo(() => {
    const order = state.sorting.flatMap(({ id, desc }) => {
      const column = columnById(columns, id);
      return column === undefined ? [] : [{ column, desc }];
    });
    return sortedRows(
      filtered.map(({ original }) => original),
      order,
    );
  }, [filtered, state.sorting, columns]);
  return { table, shownRows };
}

export type ColumnTable = ReturnType<typeof useResultTable>['table'];
