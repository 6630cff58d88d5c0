/** Reads from the server how many rows a statement would read. */
import type { Cell } from '../../datasource-kit/index.ts';
import type { Query } from '../catalog/query.ts';
import { mostOfJoins } from './tree-rows.ts';
import { isTable, ONE_ROW, tableIn } from './tree-tables.ts';

/** What the server says of the statement, and of the tables that it does not count. */
export interface EstimateSource {
  /** The rows of `EXPLAIN ESTIMATE`: database, table, parts, rows and marks. */
  readonly estimated: readonly (readonly Cell[])[];
  /** The lines of the statement's tree, in which names mean tables. */
  readonly tree: readonly string[];
  /** Asks for sizes of tables. */
  readonly query: Query;
}

const SIZES = `SELECT concat(database, '.', name), total_rows, engine FROM system.tables
  WHERE concat(database, '.', name) IN ({names:Array(String)})`;

/** Engines whose rows the server counts where they are stored, below the table that is named. */
const SHOWS_OTHERS = /^(?:View|MaterializedView|LiveView|WindowView|Merge|Distributed|Buffer)$/;

/** `undefined` for a recursion, for table functions, and where the size of a table is not known. */
export async function estimatedRows({ estimated, tree, query }: EstimateSource): Promise<number | undefined> {
  if (tree.some((line) => /^ *TABLE_FUNCTION id: /.test(line) || /\brecursive_cte_table: /.test(line)))
    return undefined;
  const counted = new Map(estimated.map(([database, table, , rows]) => [`${database}.${table}`, Number(rows)]));
  const named = tree.filter(isTable).flatMap((line) => tableIn(line) ?? []);
  const read = named.filter((name) => name !== ONE_ROW);
  const sizes = await sizesOf(
    read.filter((name) => !counted.has(name)),
    query,
  );
  // A view that the server knows has no size of its own.
  const total = sum(counted.values()) + sum(read.map((name) => sizes.get(name) ?? 0));
  if (Number.isNaN(total)) return undefined;
  // No more is known of a view than what it reads.
  const times = (name: string) => read.filter((one) => one === name).length;
  const sizeOf = (name: string) =>
    name === ONE_ROW ? 1 : counted.has(name) ? (counted.get(name) ?? 0) / times(name) : (sizes.get(name) ?? total);
  return Math.max(total, Math.ceil(mostOfJoins(tree, sizeOf)));
}

/** Rows of whole tables that the plan does not count; those of views are counted where they are stored. */
async function sizesOf(names: readonly string[], query: Query): Promise<Map<string, number>> {
  const wanted = [...new Set(names)];
  if (wanted.length === 0) return new Map();
  const found = await query(SIZES, { names: wanted });
  const known = found
    .filter(([, , engine]) => !SHOWS_OTHERS.test(String(engine)))
    .map(([name, rows]) => [String(name), rows === null ? Number.NaN : Number(rows)] as const);
  return new Map(known);
}

const sum = (values: Iterable<number>) => [...values].reduce((total, value) => total + value, 0);
