/** Looks for the figures of an answer in the rows of its results. */
import type { ToolTable } from '../../kernel/index.ts';
import type { OpenFigures } from './matching.ts';

/** What one pass over the rows finds out about a column of numbers. */
export interface NumberColumn {
  readonly name: string;
  sum: number;
  count: number;
  min: number;
  max: number;
  negative: number;
  zero: number;
}

export interface ScannedTable {
  readonly table: ToolTable;
  readonly numbers: readonly NumberColumn[];
  /** Columns of texts: labels, dates. */
  readonly labels: readonly string[];
  /** Rows in which a figure of the answer stands, the first ones. */
  readonly stated: ReadonlySet<number>;
}

/** More rows are not looked at for what a figure may be derived from. */
const MAX_STATED = 40;
const NUMERIC = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/;
const LONGEST_NUMBER = 40;

/** The number that a cell holds; `NaN` for anything else. Drivers give large integers and exact decimals as text. */
export function numberOf(cell: unknown): number {
  if (typeof cell === 'number') return cell;
  if (typeof cell === 'bigint') return Number(cell);
  if (typeof cell !== 'string' || cell.length === 0 || cell.length > LONGEST_NUMBER) return Number.NaN;
  const first = cell.charCodeAt(0);
  // A digit, a sign or a point.
  if ((first < 48 || first > 57) && first !== 45 && first !== 43 && first !== 46) return Number.NaN;
  return NUMERIC.test(cell) ? Number(cell) : Number.NaN;
}

/** Settles the figures that stand in the cells, and gathers what the columns hold. Reads at most `maxCells` cells. */
export function scan(table: ToolTable, figures: OpenFigures, maxCells: number): ScannedTable {
  const { columns, rows } = table;
  const numbers: NumberColumn[] = [];
  const labels: string[] = [];
  const stated = new Set<number>();
  const end = Math.min(rows.length, Math.floor(maxCells / Math.max(1, columns.length)));
  for (const name of columns) {
    const column = { name, sum: 0, count: 0, min: Infinity, max: -Infinity, negative: 0, zero: 0 };
    let hasTexts = false;
    for (let index = 0; index < end; index += 1) {
      const cell = rows[index]?.[name];
      const value = numberOf(cell);
      if (Number.isNaN(value)) {
        hasTexts ||= typeof cell === 'string' && cell !== '';
        continue;
      }
      column.sum += value;
      column.count += 1;
      if (value < column.min) column.min = value;
      if (value > column.max) column.max = value;
      if (value < 0) column.negative += 1;
      else if (value === 0) column.zero += 1;
      if (figures.settle(value) && stated.size < MAX_STATED) stated.add(index);
    }
    if (column.count > 0) numbers.push(column);
    if (hasTexts) labels.push(name);
  }
  return { table, numbers, labels, stated };
}

/** Settles what the whole of a table says: rows, sums, means, spans, counts. Nothing of it holds for a part. */
export function settleTotals({ table, numbers }: ScannedTable, figures: OpenFigures): void {
  const rowCount = table.rows.length;
  for (const { min, max, count, sum, negative, zero } of numbers) {
    figures.settle(max - min, 'difference');
    if (table.truncated) continue;
    for (const value of [sum, sum / count, count, rowCount - count, negative, zero, count - negative - zero]) {
      figures.settle(value);
    }
  }
  if (!table.truncated) figures.settle(rowCount);
}
