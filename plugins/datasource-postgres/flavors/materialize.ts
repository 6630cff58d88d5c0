/** Describes Materialize: PostgreSQL's protocol over views that are kept up to date. */
import { searchPathOf, setByCommand } from '../settings.ts';
import { describeStandard, type StandardCatalog, standardViews, standardWarnings } from '../standard-catalog.ts';
import { cautious, engineDialect, quoteEveryName, unsampled } from './engine-dialect.ts';
import type { Flavor } from './flavor.ts';
import { postgresql } from './postgresql.ts';

/** The engine's own schemas belong to no database. */
const CATALOG: StandardCatalog = {
  columns: `SELECT s.name, o.name, o.type, NULL::text, c.name, c.type, CASE WHEN c.nullable THEN 'YES' ELSE 'NO' END, NULL::text
  FROM mz_catalog.mz_objects o
  JOIN mz_catalog.mz_schemas s ON s.id = o.schema_id
  JOIN mz_catalog.mz_databases d ON d.id = s.database_id
  JOIN mz_catalog.mz_columns c ON c.id = o.id
  WHERE d.name = current_database() AND o.type IN ('table', 'view', 'materialized-view', 'source')
    AND has_table_privilege(o.oid, 'SELECT')
  ORDER BY s.name, o.name, c.position`,
  hasKeys: false,
};

const viewsIn = (table: string) => `SELECT s.name, v.name, v.definition FROM mz_catalog.${table} v
  JOIN mz_catalog.mz_schemas s ON s.id = v.schema_id WHERE s.database_id IS NOT NULL`;
const VIEWS = `${viewsIn('mz_views')} UNION ALL ${viewsIn('mz_materialized_views')}`;

export const materialize: Flavor = {
  ...postgresql,
  name: 'materialize',
  dialect: engineDialect(
    {
      name: 'materialize',
      label: 'Materialize',
      printName: quoteEveryName,
      telemetryName: 'materialize',
      rendering: unsampled,
      // Texts compare byte by byte, and there is no COLLATE.
      exactText: (column) => column,
      optimizationFence: ' LIMIT 9223372036854775807',
      // The order in which conditions are tried is not promised.
      infallible: cautious,
    },
    { schemas: /^mz_/, tables: /^mz_/ },
  ),
  schemes: ['materialize'],
  port: 6875,
  announces: (parameters) => parameters.has('mz_version'),
  begin: { text: 'BEGIN READ ONLY' },
  // DateStyle and IntervalStyle are fixed.
  settings: (schema, timeoutMs) =>
    setByCommand({ TimeZone: 'UTC', search_path: searchPathOf(schema), statement_timeout: `${timeoutMs}ms` }),
  discardsAlone: true,
  cancelAgainMs: 1_000,
  looksUpTypes: false,
  describe: (query) => describeStandard(query, CATALOG),
  views: (query) => standardViews(query, VIEWS),
  warnings: (query) => standardWarnings(query),
  estimate: async () => undefined,
};
