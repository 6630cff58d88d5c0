/** Gives the tools what they share: statements through all checks, tables for the reader, and bounded results for the model. */
import { AtlasError, type ToolOutcome, type ToolRun, type ToolTable } from '../../kernel/index.ts';
import { type ShownTable, shownTable } from '../agent/index.ts';
import type { SemanticModel } from '../semantic-layer/index.ts';
import type { QueryPlan, SemanticQueryApi } from '../semantic-query/index.ts';
import type { AnalysisOptions } from './options.ts';

export interface AnalysisHost {
  model(run: ToolRun): Promise<SemanticModel>;
  readonly query: SemanticQueryApi['query'];
  /** Throws `PlanError` for a plan that does not fit the model. */
  compile(plan: QueryPlan, model: SemanticModel): void;
  readonly options: AnalysisOptions;
  now(): number;
}

export type Row = Readonly<Record<string, unknown>>;

/** The cells of a table in the order of its columns. */
export const cellsOf = ({ columns, rows }: Pick<ToolTable, 'columns' | 'rows'>): unknown[][] =>
  rows.map((row) => columns.map((name) => row[name]));

/** Databases write large and exact numbers as texts. NULL is 0: the sum of no rows. */
export const numberIn = (cell: unknown): number => (cell === null || cell === undefined ? 0 : Number(cell));

/** To twelve significant digits: what is left of a difference is no more exact. Estimates need fewer. */
export const rounded = (value: number | null, digits = 12): number | null =>
  value === null || !Number.isFinite(value) ? null : Number(value.toPrecision(digits));

/** Throws where a statement had more rows than it may give: figures of a part would be taken for those of the whole. */
export function whole(table: ToolTable): ToolTable {
  if (!table.truncated) return table;
  throw new AtlasError(`The result has more than the ${table.rows.length} rows that one statement may give.`, {
    code: 'invalid_request',
    hint: 'Group by fewer or coarser dimensions, or ask about a shorter time.',
  });
}

/** The rows of an analysis as a table for the reader, with all the statements that it is made from. */
function analysisTable(rows: readonly Row[], tables: readonly ToolTable[]): ShownTable {
  const all = tables.map(shownTable);
  return {
    columns: [...new Set(rows.flatMap((row) => Object.keys(row)))],
    rows,
    rowCount: rows.length,
    truncated: false,
    sql: all.map(({ sql }) => sql).join(';\n\n'),
    executedSql: all.map(({ executedSql }) => executedSql).join(';\n\n'),
    connectionId: all[0]?.connectionId ?? 'default',
    durationMs: all.reduce((sum, { durationMs }) => sum + durationMs, 0),
  };
}

const MAX_TEXT_CHARS = 100;
export const clipped = (text: string) => (text.length <= MAX_TEXT_CHARS ? text : `${text.slice(0, MAX_TEXT_CHARS)}…`);
const clippedRow = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, cell]) => [name, typeof cell === 'string' ? clipped(cell) : cell]),
  );

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

/** The outcome of an analysis: the model sees as many of its rows, as `results`, as fit into the budget. */
export function outcomeOf(
  { options }: AnalysisHost,
  { question }: ToolRun,
  {
    facts,
    rows,
    tables,
  }: { readonly facts: Row; readonly rows: readonly Row[]; readonly tables: readonly ToolTable[] },
): ToolOutcome {
  const budget = question.room?.resultBytes ?? options.resultBudgetBytes;
  const results: Row[] = [];
  let bytes = bytesOf({ ...facts, results });
  for (const row of rows.map(clippedRow)) {
    bytes += bytesOf(row) + 1;
    if (bytes > budget && results.length > 0) break;
    results.push(row);
  }
  const more = rows.length - results.length;
  const forModel = { ...facts, results, ...(more > 0 && { moreRows: more }), statements: tables.length };
  return { forModel, forClient: analysisTable(rows, tables), tables };
}
