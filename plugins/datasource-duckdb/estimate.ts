/** Reads from the engine's plan how many rows a statement would read. */
import type { DuckDBConnection } from '@duckdb/node-api';
import type { EstimateMessage } from '../datasource-kit/index.ts';
import { bindAll } from './bind.ts';

interface PlanNode {
  readonly name: string;
  readonly children?: readonly PlanNode[];
  readonly extra_info?: {
    readonly Table?: string;
    readonly Filters?: string | readonly string[];
    readonly 'Estimated Cardinality'?: string;
  };
}

/** Joins that compare every row of one side with every row of the other, and those by order, which keep a third of that. */
const PAIRS: Readonly<Record<string, number>> = {
  CROSS_PRODUCT: 1,
  NESTED_LOOP_JOIN: 1,
  BLOCKWISE_NL_JOIN: 1,
  PIECEWISE_MERGE_JOIN: 1 / 3,
  IE_JOIN: 1 / 9,
};
/** Reads of what the statement itself has made. */
const OWN_READS = new Set(['DUMMY_SCAN', 'CTE_SCAN', 'DELIM_SCAN', 'COLUMN_DATA_SCAN', 'CHUNK_SCAN', 'EMPTY_RESULT']);

type Tables = ReadonlyMap<string, Table>;

interface Rows {
  readonly read: number;
  readonly given: number;
  readonly most: number;
}

const SIZES =
  "SELECT database_name || '.' || schema_name || '.' || table_name, estimated_size FROM duckdb_tables() WHERE NOT internal";

const KEYS = `SELECT database_name || '.' || schema_name || '.' || table_name, constraint_column_names
  FROM duckdb_constraints() WHERE constraint_type IN ('PRIMARY KEY', 'UNIQUE')`;

/** A whole table. */
interface Table {
  readonly rows: number;
  /** Columns of its unique keys. */
  readonly keys: readonly (readonly string[])[];
}

/** By their full names, without quotes. */
async function tablesOf(connection: DuckDBConnection): Promise<Map<string, Table>> {
  const keys = Map.groupBy((await connection.runAndReadAll(KEYS)).getRowsJson(), ([name]) => unquoted(name));
  const sizes = (await connection.runAndReadAll(SIZES)).getRows();
  return new Map(
    sizes.map(([name, rows]) => [
      unquoted(name),
      { rows: Number(rows), keys: (keys.get(unquoted(name)) ?? []).map(([, columns]) => columns as string[]) },
    ]),
  );
}

const unquoted = (name: unknown) => String(name).replaceAll('"', '');

/** `undefined`: the engine does not tell. */
export async function estimatedRows(
  connection: DuckDBConnection,
  { sql, params }: Pick<EstimateMessage, 'sql' | 'params'>,
): Promise<number | undefined> {
  const statement = await connection.prepare(`EXPLAIN (FORMAT json) ${sql}`);
  try {
    bindAll(statement, params);
    const rows = (await statement.runAndReadAll()).getRows();
    const plan = rows.find(([stage]) => stage === 'physical_plan')?.[1];
    if (typeof plan !== 'string') return undefined;
    return rowsOfPlan(JSON.parse(plan), await tablesOf(connection));
  } finally {
    statement.destroySync();
  }
}

/** `undefined` for a recursion, and for a table that is not found. */
function rowsOfPlan(plan: readonly PlanNode[], tables: Tables): number | undefined {
  if (hasRecursion(plan)) return undefined;
  const parts = plan.map((node) => rowsOf(node, tables));
  const rows = Math.max(sum(parts.map(({ read }) => read)), ...parts.map(({ most }) => most));
  return Number.isNaN(rows) ? undefined : rows;
}

const hasRecursion = (nodes: readonly PlanNode[]): boolean =>
  nodes.some(({ name, children = [] }) => /^REC(?:URSIVE)?_/.test(name) || hasRecursion(children));

function rowsOf({ name, children = [], extra_info: extra }: PlanNode, tables: Tables): Rows {
  const kind = name.trim();
  const parts = children.map((child) => rowsOf(child, tables));
  const stated = Number(extra?.['Estimated Cardinality']?.replace(/\D/g, '') ?? Number.NaN);
  const most = Math.max(0, ...parts.map((part) => part.most));
  const read = sum(parts.map((part) => part.read));
  if (extra?.Table !== undefined || (parts.length === 0 && !OWN_READS.has(kind))) {
    const given = Number.isNaN(stated) ? 0 : stated;
    return { read: Math.max(given, extra?.Table === undefined ? 0 : scanned(extra, tables)), given, most: given };
  }
  const pairs = parts.reduce((product, part) => product * part.given, 1);
  const usual = Number.isNaN(stated) ? Math.max(0, ...parts.map((part) => part.given)) : stated;
  const given = Math.max(pairs * (PAIRS[kind] ?? 0), usual);
  // The one row of a SELECT without FROM is not read anywhere.
  return { read, given, most: read === 0 && given <= 1 ? most : Math.max(most, given) };
}

/** All of the table, or the one row that has a key's values. */
function scanned({ Table: name, Filters: filters = [] }: NonNullable<PlanNode['extra_info']>, tables: Tables): number {
  const table = tables.get(unquoted(name));
  if (table === undefined) return Number.NaN;
  const equal = new Set([filters].flat().flatMap((filter) => /^([^=<>!]+)=[^=]/.exec(filter)?.[1] ?? []));
  return table.keys.some((key) => key.every((column) => equal.has(column))) ? 1 : table.rows;
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
