/** Describes CockroachDB: PostgreSQL's protocol over another planner and other catalogues. */
import { form, nullsLast } from '../../sql-kit/index.ts';
import type { Query } from '../query.ts';
import { FIXED, searchPathOf, setByCommand, timed } from '../settings.ts';
import { describeStandard, type StandardCatalog, standardViews, standardWarnings } from '../standard-catalog.ts';
import { cautious, engineDialect, quoteEveryName, systemColumns, unsampled } from './engine-dialect.ts';
import type { Flavor } from './flavor.ts';
import { postgresql } from './postgresql.ts';

const TYPE = `c.data_type || CASE
    WHEN c.character_maximum_length IS NOT NULL THEN '(' || c.character_maximum_length::text || ')'
    WHEN c.data_type = 'numeric' AND c.numeric_precision IS NOT NULL
      THEN '(' || c.numeric_precision::text || ',' || coalesce(c.numeric_scale, 0)::text || ')'
    ELSE '' END`;

const describedAt = (column: string) => `(SELECT d.description FROM pg_catalog.pg_description d
    WHERE d.classoid = 'pg_class'::regclass AND d.objoid = k.oid AND d.objsubid = ${column})`;

const CATALOG: StandardCatalog = {
  columns: `SELECT t.table_schema, t.table_name, t.table_type, ${describedAt('0')}, c.column_name, ${TYPE}, c.is_nullable,
    ${describedAt('c.ordinal_position')}
  FROM information_schema.tables t
  JOIN information_schema.columns c ON c.table_schema = t.table_schema AND c.table_name = t.table_name
  JOIN pg_catalog.pg_namespace n ON n.nspname = t.table_schema
  JOIN pg_catalog.pg_class k ON k.relnamespace = n.oid AND k.relname = t.table_name
  WHERE c.is_hidden = 'NO' AND t.table_schema NOT IN ('crdb_internal', 'information_schema')
    AND substring(t.table_schema, 1, 3) <> 'pg_' AND has_table_privilege(k.oid, 'SELECT')
  ORDER BY t.table_schema, t.table_name, c.ordinal_position`,
  hasKeys: true,
  async rows(query, schemas) {
    const found: [string, string, number][] = [];
    for (const schema of schemas) {
      const tables = await query(`SHOW TABLES FROM "${schema.replaceAll('"', '""')}"`);
      for (const [, table, , , rows] of tables) {
        // 0 without statistics.
        if (Number(rows) > 0) found.push([schema, table ?? '', Number(rows)]);
      }
    }
    return found;
  },
};

const VIEWS = `SELECT schemaname, viewname, definition FROM pg_catalog.pg_views
    WHERE schemaname NOT IN ('crdb_internal', 'information_schema', 'pg_catalog', 'pg_extension')
  UNION ALL SELECT schemaname, matviewname, definition FROM pg_catalog.pg_matviews`;

/** A step of a plan, with the lines about it. */
interface Step {
  readonly kind: string;
  readonly about: string[];
}

function stepsOf(lines: readonly string[]): Step[] {
  const steps: Step[] = [];
  for (const line of lines) {
    const text = line.replace(/^[\s│├└─]+/, '');
    if (text.startsWith('• ')) steps.push({ kind: text.slice(2).trim(), about: [] });
    else steps.at(-1)?.about.push(text);
  }
  return steps;
}

const READS = /^(?:scan|revscan|lookup join|zigzag join|inverted join)\b/;
const UNKNOWN = /^(?:apply join|recursive cte|virtual table)\b/;

/** Rows by the lines of EXPLAIN; `undefined` where a table has no statistics. */
export function rowsOfPlan(lines: readonly string[]): number | undefined {
  let read = 0;
  let most = 0;
  for (const { kind, about } of stepsOf(lines)) {
    const line = about.find((text) => text.startsWith('estimated row count: '));
    // The greater one of "1 - 100", before what it is of the table.
    const rows = Number(/([\d,]+)(?: \(|$)/.exec(line ?? '')?.[1]?.replaceAll(',', '') ?? Number.NaN);
    const leavesOut = READS.test(kind) && about.some((text) => text.startsWith('pred: '));
    if (UNKNOWN.test(kind) || leavesOut || (READS.test(kind) && Number.isNaN(rows))) return undefined;
    if (READS.test(kind)) read += rows;
    most = Math.max(most, rows || 0);
  }
  return Math.max(read, most);
}

export const cockroachdb: Flavor = {
  ...postgresql,
  name: 'cockroachdb',
  dialect: engineDialect(
    {
      name: 'cockroachdb',
      label: 'CockroachDB',
      systemColumns: systemColumns(
        'crdb_internal_mvcc_timestamp',
        'crdb_internal_origin_id',
        'crdb_internal_origin_timestamp',
      ),
      printName: quoteEveryName,
      telemetryName: 'cockroachdb',
      advice: `date_trunc('month', t) gives the month, t - INTERVAL '1 month' moves; "Name" keeps capitals, other names are lower case; 7 / 2 is 3.5; ILIKE ignores case.`,
      rendering: { ...unsampled, order: nullsLast('desc'), dividesIntegers: false },
      // Texts compare byte by byte, but for those of the type that ignores case.
      exactText: (operand) => form(operand.at, 'CAST(', operand, ' AS TEXT)'),
      // OFFSET 0 is removed by the planner; a LIMIT is not, unless a unique key shows that there are no more rows.
      optimizationFence: ' LIMIT 9223372036854775807',
      infallible: cautious,
    },
    { schemas: /^(?:crdb_internal|system)$/, tables: /^crdb_/ },
  ),
  schemes: ['cockroachdb', 'cockroach'],
  port: 26257,
  announces: (parameters) => parameters.has('crdb_version'),
  begin: { text: 'BEGIN READ ONLY' },
  // The function that sets them cannot do so for one transaction in every version.
  settings: (schema, timeoutMs) =>
    setByCommand({ ...timed(FIXED, timeoutMs), search_path: searchPathOf(schema, 'pg_temp') }),
  discardsAlone: true,
  // Too many requests that find nothing to cancel are refused for a while.
  cancelAgainMs: 1_000,
  describe: (query) => describeStandard(query, CATALOG),
  views: (query) => standardViews(query, VIEWS),
  warnings: (query) => standardWarnings(query),
  async estimate(query: Query, sql, params) {
    return rowsOfPlan((await query(`EXPLAIN ${sql}`, params)).map(([line]) => line ?? ''));
  },
};
