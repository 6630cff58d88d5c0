/** Reads from the server's plan how many rows a statement would read. */
import type { Query } from './query.ts';

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Plan Rows': number;
  readonly 'Relation Name'?: string;
  readonly Schema?: string;
  readonly Alias?: string;
  readonly 'Index Cond'?: string;
  readonly Filter?: string;
  readonly 'Sampling Method'?: string;
  readonly 'Parent Relationship'?: string;
  readonly 'Subplan Name'?: string;
  readonly 'Workers Planned'?: number;
  readonly 'Custom Plan Provider'?: string;
  readonly Plans?: readonly PlanNode[];
}

/** What is different in the plans of another engine. */
export interface PlanRules {
  /** Steps that read all of their table, whatever they filter. */
  readonly wholeScans: RegExp;
  /** Steps after which nothing is known. */
  readonly unknown?: RegExp;
  /** Fields of a condition by which a step on an index leaves rows out. */
  readonly filters: readonly string[];
  /** Without statistics of a table the planner guesses, and nothing is known. */
  readonly mustBeAnalyzed?: boolean;
  /** Rows that one row of the steps below this one holds. */
  readonly rowsInOne?: (node: PlanNode) => number;
}

export const PLAN_RULES: PlanRules = { wholeScans: /^Seq Scan$/, filters: ['Filter'] };

/** Rows by the planner's own estimate; `undefined`: not known. */
interface Sizes {
  /** Estimated rows of a whole table. */
  table(schema: string, table: string): Promise<number | undefined>;
  /** That the index of the step finds, before its filter leaves some of them out. */
  found(node: PlanNode): Promise<number | undefined>;
}

const EXPLAIN = 'EXPLAIN (VERBOSE, FORMAT JSON)';
/** A table behind a view may be closed to the login. */
const KNOWN_ROWS = `SELECT c.reltuples::int8 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = $1 AND c.relname = $2`;

/** `undefined`: the server cannot tell. Runs in a transaction that is rolled back afterwards. */
export async function estimatedRows(
  query: Query,
  sql: string,
  params: readonly unknown[],
  rules: PlanRules = PLAN_RULES,
): Promise<number | undefined> {
  const planOf = async (text: string, values: readonly unknown[]): Promise<PlanNode> => {
    const [[plan] = []] = await query(`${EXPLAIN} ${text}`, values);
    return JSON.parse(plan ?? '')[0].Plan;
  };
  const rowsBy = async (text: string, otherwise: () => Promise<number | undefined>) => {
    await query('SAVEPOINT size');
    try {
      return (await planOf(text, []))['Plan Rows'];
    } catch {
      await query('ROLLBACK TO size');
      return otherwise();
    }
  };
  const counted = async (schema: string, table: string, least: number) => {
    const [[rows] = []] = await query(KNOWN_ROWS, [schema, table]);
    return rows === undefined || Number(rows) < least ? undefined : Number(rows);
  };
  const sizeOf = (schema: string, table: string) =>
    rules.mustBeAnalyzed === true
      ? counted(schema, table, 1)
      : rowsBy(`SELECT FROM ONLY ${quoted(schema)}.${quoted(table)}`, () => counted(schema, table, 0));
  const known = new Map<string, Promise<number | undefined>>();
  const sizes: Sizes = {
    table(schema, table) {
      const key = JSON.stringify([schema, table]);
      const rows = known.get(key) ?? sizeOf(schema, table);
      known.set(key, rows);
      return rows;
    },
    async found({ Schema: schema = '', 'Relation Name': table = '', Alias: alias = table, 'Index Cond': condition }) {
      const source = `${quoted(schema)}.${quoted(table)}`;
      // A value of the row around the step is any of the column's.
      const alone = condition?.replace(COMPARED, (whole, own: string, column: string) =>
        own === alias || own === quoted(alias)
          ? `(${own}.${column} = (SELECT o.${column} FROM ONLY ${source} o LIMIT 1))`
          : whole,
      );
      return rowsBy(`SELECT FROM ONLY ${source} AS ${quoted(alias)} WHERE ${alone}`, async () => undefined);
    },
  };
  return rowsOfPlan(await planOf(sql, params), { sizes, rules });
}

/** As the server writes the comparison of two columns. */
const COMPARED = /\(("(?:[^"]|"")+"|\w+)\.("(?:[^"]|"")+"|\w+) = (?:"(?:[^"]|"")+"|\w+)\.(?:"(?:[^"]|"")+"|\w+)\)/g;

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** Rows of one run of a part of the plan. */
interface Rows {
  /** Those that it reads from tables and functions. */
  readonly read: number;
  /** Those that it gives to the step around it. */
  readonly given: number;
  /** The most that one of its steps gives. */
  readonly most: number;
}

/** What is known besides the plan. */
interface Known {
  readonly sizes: Sizes;
  readonly rules: PlanRules;
}

class NotKnown extends Error {}

/** `undefined` for a recursion, and where a table's size is not known. */
async function rowsOfPlan(plan: PlanNode, known: Known): Promise<number | undefined> {
  try {
    const { read, most } = await rowsOf(plan, 1, known);
    return Math.max(read, most);
  } catch (error) {
    if (error instanceof NotKnown) return undefined;
    throw error;
  }
}

/** `workers`: processes that share the step; the plan says what one of them does. */
async function rowsOf(node: PlanNode, workers: number, known: Known): Promise<Rows> {
  const kind = node['Node Type'];
  const { unknown, rowsInOne } = known.rules;
  if (kind === 'Recursive Union' || unknown?.test(kind)) throw new NotKnown();
  const inner = workers * (1 + (node['Workers Planned'] ?? 0));
  const given = node['Plan Rows'] * workers;
  const parts: { readonly part: PlanNode; readonly rows: Rows }[] = [];
  for (const part of node.Plans ?? []) parts.push({ part, rows: await rowsOf(part, inner, known) });
  const found = kind === 'Bitmap Heap Scan' ? Math.max(0, ...parts.map(({ rows }) => rows.given)) : 0;
  const own = Math.max(found, await ownRows(node, given, known));
  // A subquery that depends on the row around it runs for each of those that the step looks at.
  const looked = Math.max(own, given, ...parts.filter(({ part }) => !isSubplan(part)).map(({ rows }) => rows.given));
  let below = 0;
  let most = kind === 'Result' && parts.length === 0 ? 0 : given;
  for (const [at, { part, rows }] of parts.entries()) {
    most = Math.max(most, rows.most);
    if (kind.includes('Nested Loop') && at === 1 && !isSubplan(part)) {
      below += Math.max(1, parts[0]?.rows.given ?? 1) * Math.max(rows.read, rows.given);
    } else if (part['Parent Relationship'] === 'SubPlan' && !isHashed(node, part)) {
      below += Math.max(1, looked) * rows.read;
    } else below += rows.read;
  }
  return { read: own + below * (rowsInOne?.(node) ?? 1), given, most };
}

const isSubplan = (part: PlanNode) => /^(?:SubPlan|InitPlan)$/.test(part['Parent Relationship'] ?? '');

/** Worked out once, which only the text of the condition around it tells. */
function isHashed(node: PlanNode, { 'Subplan Name': name }: PlanNode): boolean {
  const mark = `hashed ${name}`;
  return Object.values(node).some((value) =>
    typeof value === 'string'
      ? value.includes(mark)
      : Array.isArray(value) && value.some((one) => String(one).includes(mark)),
  );
}

/** What the step itself reads: without a condition on an index, all of its table, as does a sample of single rows. */
async function ownRows(node: PlanNode, given: number, { sizes, rules }: Known): Promise<number> {
  const { 'Node Type': kind, 'Relation Name': table, Schema: schema = '', 'Index Cond': condition } = node;
  if (table === undefined) return /^(?:Function|Table Function|Values) Scan$/.test(kind) ? given : 0;
  const isIndex = kind === 'Index Scan' || kind === 'Index Only Scan';
  if (isIndex && condition !== undefined) {
    if (rules.mustBeAnalyzed === true && (await sizes.table(schema, table)) === undefined) throw new NotKnown();
    const isFiltered = rules.filters.some((name) => name in node);
    return isFiltered ? Math.max(given, (await sizes.found(node)) ?? 0) : given;
  }
  if (!isIndex && !rules.wholeScans.test(kind) && node['Sampling Method'] !== 'bernoulli') return given;
  const rows = await sizes.table(schema, table);
  if (rows === undefined) throw new NotKnown();
  return Math.max(rows, given);
}
