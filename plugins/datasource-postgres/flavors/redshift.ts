/** Describes Amazon Redshift: PostgreSQL 8 with its own storage, planner and system views. */
import { form, postgres } from '../../sql-kit/index.ts';
import type { Query } from '../query.ts';
import { searchPathOf, setByFunction } from '../settings.ts';
import { describeStandard, type StandardCatalog, standardViews, standardWarnings } from '../standard-catalog.ts';
import { engineDialect, quoteEveryName, systemColumns, unsampled } from './engine-dialect.ts';
import type { Flavor } from './flavor.ts';
import { postgresql } from './postgresql.ts';

/** What the login may read, without external tables, whose rows are outside of the cluster. */
const CATALOG: StandardCatalog = {
  columns: `SELECT t.schema_name, t.table_name, t.table_type, t.remarks, c.column_name, c.data_type, c.is_nullable, c.remarks
  FROM svv_redshift_tables t
  JOIN svv_redshift_columns c ON c.database_name = t.database_name AND c.schema_name = t.schema_name
    AND c.table_name = t.table_name
  WHERE t.database_name = current_database() AND t.schema_name NOT IN ('information_schema', 'catalog_history')
    AND substring(t.schema_name, 1, 3) <> 'pg_'
  ORDER BY t.schema_name, t.table_name, c.ordinal_position`,
  hasKeys: true,
  async rows(query) {
    const tables = await query(`SELECT n.nspname, c.relname, c.reltuples::bigint FROM pg_catalog.pg_class c
      JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind = 'r' AND c.reltuples > 0`);
    return tables.map(([schema, table, rows]) => [schema ?? '', table ?? '', Number(rows)]);
  },
};

const VIEWS = `SELECT schemaname, viewname, definition FROM pg_catalog.pg_views
  WHERE schemaname NOT IN ('information_schema', 'pg_catalog')`;

/** From the beginning of a line, in one pass: a condition may have a text of any length. */
const STEP = /^[\s>-]*(\w+(?: \w+)*?)(?: on (?:"((?:[^"]|"")+)"|([\w$.]+))(?: [\w"]+)?)? +\(cost=\S+ rows=(\d+) /;
const OUTSIDE = /S3|External|Partition|Federated|Remote/;
/** Plans name no schema: the largest table of the name is meant. */
const KNOWN_ROWS = `SELECT max(reltuples)::bigint FROM pg_catalog.pg_class WHERE relname = $1 AND relkind = 'r'`;

/** Rows by the lines of EXPLAIN. `undefined`: a table without statistics, or rows from outside of the cluster. */
export async function rowsOfPlan(
  lines: readonly string[],
  rowsOfTable: (name: string) => Promise<number | undefined>,
): Promise<number | undefined> {
  const scans: number[] = [];
  let most = 0;
  let hasNestedLoop = false;
  for (const line of lines) {
    const [, kind = '', quoted, plain, rows] = STEP.exec(line) ?? [];
    if (rows === undefined) continue;
    if (OUTSIDE.test(kind)) return undefined;
    hasNestedLoop ||= kind.includes('Nested Loop');
    most = Math.max(most, Number(rows));
    const name = quoted ?? plain?.split('.').at(-1);
    if (name === undefined || !kind.includes('Scan')) continue;
    const known = await rowsOfTable(name);
    if (known === undefined) return undefined;
    scans.push(Math.max(known, Number(rows)));
  }
  const read = scans.reduce((sum, rows) => (hasNestedLoop ? Math.max(1, sum) * rows : sum + rows), 0);
  return Math.max(read, most);
}

const SETTINGS = { TimeZone: 'UTC', DateStyle: 'ISO, YMD', extra_float_digits: '1' };
const setAll = setByFunction([...Object.keys(SETTINGS), 'search_path', 'statement_timeout']);

const MORE_FUNCTIONS = 'listagg nvl nvl2 median add_months last_day months_between getdate convert_timezone'.split(' ');
const NO_FUNCTIONS = ['string_agg', 'array_agg', 'generate_series', 'generate_subscripts', 'regexp_matches'];

export const redshift: Flavor = {
  ...postgresql,
  name: 'redshift',
  dialect: engineDialect(
    {
      name: 'redshift',
      label: 'Amazon Redshift',
      systemColumns: systemColumns('oid', 'insertxid', 'deletexid'),
      printName: quoteEveryName,
      telemetryName: 'aws.redshift',
      advice: `date_trunc('month', t) gives the month, add_months(t, -1) and t - INTERVAL '7 days' move; listagg(x, ', ') WITHIN GROUP (ORDER BY x) joins texts; names are lower case; 7 / 2 is 3, 7.0 / 2 is 3.5; ILIKE ignores case.`,
      functions: new Set([...postgres.functions, ...MORE_FUNCTIONS].filter((name) => !NO_FUNCTIONS.includes(name))),
      tableFunctions: new Set(),
      substitutes: new Map([
        ...[...postgres.substitutes].filter(([name]) => !MORE_FUNCTIONS.includes(name)),
        ['string_agg', "Write listagg(column, ', ') WITHIN GROUP (ORDER BY column)."],
        ['generate_series', 'Read the numbers or dates from a table.'],
      ]),
      rendering: {
        ...unsampled,
        asText: (value) => `CAST(${value} AS VARCHAR(65535))`,
        // IS DISTINCT FROM is not there.
        same: (left, right) => `COALESCE(${left} = ${right}, ${left} IS NULL AND ${right} IS NULL)`,
        differs: (left, right) => `NOT COALESCE(${left} = ${right}, ${left} IS NULL AND ${right} IS NULL)`,
      },
      exactText: (operand) => form(operand.at, 'COLLATE(', operand, ", 'case_sensitive')"),
      // A limit has at most 2147483647 rows, and that OFFSET 0 keeps a subquery apart is not documented.
      optimizationFence: undefined,
    },
    {
      schemas: /^catalog_history$/,
      tables: /^(?:(?:st[lv]|svcs|sv[lv]|sys|systable|padb)_|mv_tbl__)/,
    },
  ),
  schemes: ['redshift'],
  port: 5439,
  announces: (parameters) => parameters.get('server_version')?.startsWith('8.0.') === true,
  begin: { text: 'BEGIN READ ONLY' },
  settings: (schema, timeoutMs) => [
    setAll({ ...SETTINGS, search_path: searchPathOf(schema), statement_timeout: String(timeoutMs) }),
  ],
  discard: { text: 'RESET ALL' },
  discardsAlone: true,
  cancelAgainMs: 1_000,
  looksUpTypes: false,
  describe: (query) => describeStandard(query, CATALOG),
  views: (query) => standardViews(query, VIEWS),
  warnings: (query) => standardWarnings(query),
  async estimate(query: Query, sql, params) {
    const lines = (await query(`EXPLAIN ${sql}`, params)).map(([line]) => line ?? '');
    return rowsOfPlan(lines, async (name) => {
      const [[rows] = []] = await query(KNOWN_ROWS, [name]);
      return Number(rows) > 0 ? Number(rows) : undefined;
    });
  },
};
