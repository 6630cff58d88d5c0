/** Cuts a result for the model to columns, the first rows and, when rows are left out, a summary. */
import type { SqlResult } from '../../../kernel/index.ts';
import { truncate } from '../../text-kit/index.ts';

interface NumericSummary {
  readonly min: number;
  readonly max: number;
  readonly sum: number;
  readonly nulls: number;
}

export interface ResultForModel {
  readonly columns: readonly string[];
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** Number of rows that the client gets; `rows` are the first of them. */
  readonly rowCount: number;
  /** The database had more rows than `rowCount`, or a value was cut. */
  readonly truncated: boolean;
  /** Present when rows or columns are left out. */
  readonly summary?: {
    readonly shownRows: number;
    readonly hiddenColumns?: number;
    /** Covers all `rowCount` rows; missing when the result is truncated: a sum of a part would be taken for the whole. */
    readonly numeric?: Readonly<Record<string, NumericSummary>>;
  };
  readonly notes?: readonly string[];
}

const MAX_CELL_CHARS = 256;
const MAX_NAME_CHARS = 128;
const MAX_SUMMARIZED_COLUMNS = 20;
const MAX_NOTES = 5;
const MAX_NOTE_CHARS = 512;
const PARTIAL =
  'These rows are a part of the result: no sum, count, average, minimum or maximum over them is one of the whole. Aggregate in SQL, or say that it is a part.';

function clipValue(value: unknown, chars: number): unknown {
  if (typeof value === 'string') return truncate(value, chars);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  const text = JSON.stringify(value) ?? '';
  return text.length <= chars ? value : truncate(text, chars);
}

/** The first columns whose names fit into a quarter of the budget; at least one. */
function shownColumns(columns: readonly string[], budgetBytes: number): readonly string[] {
  let bytes = 0;
  const end = columns.findIndex((name, index) => {
    bytes += Buffer.byteLength(truncate(name, MAX_NAME_CHARS)) + 3;
    return index > 0 && bytes > budgetBytes / 4;
  });
  return end === -1 ? columns : columns.slice(0, end);
}

function numericSummary(result: SqlResult, column: string): NumericSummary | undefined {
  let [min, max, sum, nulls, count] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0, 0, 0];
  for (const row of result.rows) {
    const value = row[column];
    if (value === null || value === undefined) nulls += 1;
    else if (typeof value !== 'number') return undefined;
    else {
      min = Math.min(min, value);
      max = Math.max(max, value);
      sum += value;
      count += 1;
    }
  }
  return count === 0 ? undefined : { min, max, sum, nulls };
}

/** Cuts a result to about `budgetBytes` of JSON. The first row is always kept, with long values cut. */
export function resultForModel(result: SqlResult, budgetBytes: number): ResultForModel {
  const columns = shownColumns(result.columns, budgetBytes);
  const cellChars = Math.max(16, Math.min(MAX_CELL_CHARS, Math.floor(budgetBytes / 2 / Math.max(1, columns.length))));
  const rows: Record<string, unknown>[] = [];
  let bytes = 0;
  for (const row of result.rows) {
    const shown = Object.fromEntries(
      columns.map((name) => [truncate(name, MAX_NAME_CHARS), clipValue(row[name], cellChars)]),
    );
    bytes += Buffer.byteLength(JSON.stringify(shown)) + 1;
    if (bytes > budgetBytes && rows.length > 0) break;
    rows.push(shown);
  }
  const hiddenColumns = result.columns.length - columns.length;
  const cut = rows.length < result.rows.length || hiddenColumns > 0;
  const notes = result.truncated ? [PARTIAL, ...result.notes] : result.notes;
  return {
    columns: columns.map((name) => truncate(name, MAX_NAME_CHARS)),
    rows,
    rowCount: result.rows.length,
    truncated: result.truncated,
    ...(cut && { summary: summarize(result, columns, rows.length, hiddenColumns) }),
    ...(notes.length > 0 && { notes: notes.slice(0, MAX_NOTES).map((note) => truncate(note, MAX_NOTE_CHARS)) }),
  };
}

function summarize(result: SqlResult, columns: readonly string[], shownRows: number, hiddenColumns: number) {
  const left = { shownRows, ...(hiddenColumns > 0 && { hiddenColumns }) };
  if (result.truncated) return left;
  const numeric: Record<string, NumericSummary> = {};
  for (const name of columns.slice(0, MAX_SUMMARIZED_COLUMNS)) {
    const summary = numericSummary(result, name);
    if (summary !== undefined) numeric[truncate(name, MAX_NAME_CHARS)] = summary;
  }
  return { ...left, numeric };
}
