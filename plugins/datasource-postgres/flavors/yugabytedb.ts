/** Describes YugabyteDB: PostgreSQL 11 or 15 over a distributed store. */
import { describeSchemas } from '../describe.ts';
import { estimatedRows, type PlanRules } from '../estimate.ts';
import { loginWarnings } from '../privileges.ts';
import { viewsOf } from '../views.ts';
import { engineDialect, systemColumns } from './engine-dialect.ts';
import type { Flavor } from './flavor.ts';
import { postgresql } from './postgresql.ts';

/** A table that was never analyzed has 0 rows in versions built on PostgreSQL 11, as a partitioned one always has. */
const CATALOG = {
  rows: `CASE WHEN c.relkind = 'p' OR c.reltuples <= 0 THEN -1 ELSE c.reltuples::int8 END`,
  storedElsewhere: async () => [],
};

const PLAN: PlanRules = {
  wholeScans: /^(?:(?:YB )?Seq|Foreign) Scan$/,
  filters: ['Filter', 'Storage Filter', 'Storage Index Filter', 'Remote Filter', 'Remote Index Filter'],
  mustBeAnalyzed: true,
};

/** Also where the catalogue has no such column. */
const IS_GENERATED = `coalesce(to_jsonb(a) ->> 'attgenerated', '') <> ''`;

export const yugabytedb: Flavor = {
  ...postgresql,
  name: 'yugabytedb',
  dialect: engineDialect(
    { name: 'yugabytedb', label: 'YugabyteDB (PostgreSQL)', systemColumns: systemColumns('ybctid', 'ybidxbasectid') },
    { schemas: /^yb_/, tables: /^yb_/ },
  ),
  schemes: ['yugabytedb'],
  port: 5433,
  announces: (parameters) => parameters.get('server_version')?.includes('-YB-') === true,
  describe: (query, withUnreadable) => describeSchemas(query, withUnreadable, CATALOG),
  views: (query) => viewsOf(query, IS_GENERATED),
  warnings: (query, schema) => loginWarnings(query, schema, ['yb_extension', 'yb_db_admin', 'yb_fdw']),
  estimate: (query, sql, params) => estimatedRows(query, sql, params, PLAN),
};
