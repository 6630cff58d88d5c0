/**
 * Asks DuckDB itself what a statement would do: which tables and table functions its plan reads before anything is
 * optimised away, and which functions its own parser sees. No text of the statement is matched.
 */
import type { DuckDBConnection } from '@duckdb/node-api';
import type { ExecuteRequest } from '../datasource-kit/index.ts';
import { bindAll } from './bind.ts';

/** The statement would read or call more than it may. The message is for the statement's author. */
export class Refusal extends Error {}

type Allowed = Pick<ExecuteRequest, 'sql' | 'params' | 'tables' | 'functions'>;

interface PlanNode {
  readonly name: string;
  readonly children?: readonly PlanNode[];
  readonly extra_info?: { readonly Table?: string };
}

/** Reads of what the statement itself made. */
const OWN_READS = new Set([
  'DUMMY_SCAN',
  'CTE_SCAN',
  'EXPRESSION_GET',
  'EMPTY_RESULT',
  'DELIM_GET',
  'CHUNK_GET',
  'COLUMN_DATA_SCAN',
]);

/** Functions that operators and words of the grammar stand for, so that no list of function names mentions them. */
const SYNTAX = new Set(
  `array_agg array_extract array_slice contains count_star date_part ilike_escape like_escape list_apply list_contains list_filter list_reverse_sort list_sort
  list_transform list_value ltrim map not_ilike_escape not_like_escape overlay position quantile_cont quantile_disc
  mode regexp_full_match row rtrim struct_extract struct_pack substring timezone trim trunc unnest to_centuries
  to_days to_decades to_hours to_microseconds to_millennia to_milliseconds to_minutes to_months to_quarters to_seconds
  to_weeks to_years`.split(/\s+/),
);
const MAX_CACHED = 200;

/** What is known of one opened file, which cannot change while it is open. */
export class Verifier {
  /** What reading all of a table or view involves: the tables and table functions of a view's definition. */
  readonly #reads = new Map<string, readonly string[]>();
  readonly #passed = new Set<string>();

  /** Throws `Refusal`, or the engine's own error. */
  async check(connection: DuckDBConnection, request: Allowed): Promise<void> {
    const { sql, tables, functions } = request;
    const key = JSON.stringify([sql, tables, functions, request.params.map((param) => param === null)]);
    if (this.#passed.has(key)) return;
    await this.#checkReads(connection, request);
    if (functions !== null) await checkFunctions(connection, sql, new Set(functions.map(fold)));
    if (this.#passed.size >= MAX_CACHED) this.#passed.clear();
    this.#passed.add(key);
  }

  async #checkReads(connection: DuckDBConnection, { sql, params, tables, functions }: Allowed): Promise<void> {
    const seen = await readsOf(connection, sql, params);
    const allowed = new Set<string>();
    for (const table of tables) for (const read of await this.#readsOfTable(connection, table)) allowed.add(read);
    const callable = functions === null ? undefined : new Set(functions.map(fold));
    for (const read of seen) {
      if (allowed.has(read) || callable?.has(fold(read)) || (callable === undefined && TABLE_FUNCTIONS.has(read)))
        continue;
      throw new Refusal(
        `The statement reads ${read.includes('.') ? `the table "${bare(read)}"` : `from "${fold(read)}"`}, which is not allowed.`,
      );
    }
  }

  async #readsOfTable(connection: DuckDBConnection, table: string): Promise<readonly string[]> {
    const known = this.#reads.get(table);
    if (known !== undefined) return known;
    const dot = table.indexOf('.');
    const [schema, name] = dot === -1 ? ['main', table] : [table.slice(0, dot), table.slice(dot + 1)];
    const reads = [...(await readsOf(connection, `SELECT * FROM ${quote(schema)}.${quote(name)}`, []))];
    this.#reads.set(table, reads);
    return reads;
  }
}

/** Table functions that read only their arguments, by their names in a plan. */
const TABLE_FUNCTIONS = new Set([
  'RANGE',
  'GENERATE_SERIES',
  'UNNEST',
  'JSON_EACH',
  'JSON_TREE',
  'REPEAT',
  'REPEAT_ROW',
]);

const fold = (name: string) => name.toLowerCase();
const quote = (name: string) => `"${name.replaceAll('"', '""')}"`;
const bare = (read: string) => read.split('.').at(-1);

/** Tables, by their full names, and table functions at the leaves of the plan. */
async function readsOf(connection: DuckDBConnection, sql: string, params: Allowed['params']): Promise<Set<string>> {
  const statement = await connection.prepare(`EXPLAIN (FORMAT json) ${sql}`);
  try {
    bindAll(statement, params);
    const rows = (await statement.runAndReadAll()).getRows();
    const plan = rows.find(([stage]) => stage === 'logical_plan')?.[1];
    if (typeof plan !== 'string') throw new Refusal('The plan of the statement cannot be read.');
    const reads = new Set<string>();
    collect(JSON.parse(plan) as readonly PlanNode[], reads);
    return reads;
  } finally {
    statement.destroySync();
  }
}

function collect(nodes: readonly PlanNode[], reads: Set<string>): void {
  for (const { name, children, extra_info: extra } of nodes) {
    if (extra?.Table !== undefined) reads.add(extra.Table);
    else if ((children ?? []).length === 0 && !OWN_READS.has(name.trim())) reads.add(name.trim());
    collect(children ?? [], reads);
  }
}

/** Compares every function in the engine's own tree of the statement with the list. */
async function checkFunctions(connection: DuckDBConnection, sql: string, allowed: ReadonlySet<string>): Promise<void> {
  const statement = await connection.prepare('SELECT json_serialize_sql($1::VARCHAR)');
  try {
    statement.bindVarchar(1, sql);
    const tree = JSON.parse(String((await statement.runAndReadAll()).getRows()[0]?.[0]));
    if (tree.error === true) throw new Refusal('Only one SELECT statement can be run.');
    for (const name of functionsIn(tree.statements)) {
      if (!allowed.has(name) && !SYNTAX.has(name)) {
        throw new Refusal(`The statement calls the function "${name}", which is not allowed.`);
      }
    }
  } finally {
    statement.destroySync();
  }
}

function* functionsIn(node: unknown): Generator<string> {
  if (Array.isArray(node)) for (const item of node) yield* functionsIn(item);
  else if (typeof node === 'object' && node !== null) {
    const { type, function_name: name, is_operator: isOperator } = node as Readonly<Record<string, unknown>>;
    if (type === 'SHOW_REF') throw new Refusal('Only statements that read can be run.');
    if (typeof name === 'string' && isOperator !== true && /^\w/.test(name)) yield fold(name);
    for (const part of Object.values(node)) yield* functionsIn(part);
  }
}
