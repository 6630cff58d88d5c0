/** Describes Citus: PostgreSQL whose tables are distributed over workers. */
import { describeSchemas } from '../describe.ts';
import { estimatedRows, PLAN_RULES } from '../estimate.ts';
import { PRINTED, setByCommand } from '../settings.ts';
import { engineDialect } from './engine-dialect.ts';
import type { Flavor } from './flavor.ts';
import { postgresql } from './postgresql.ts';

/** The coordinator's copy of a distributed table is empty, and its estimate is none of the table. */
const CATALOG = {
  rows: 'CASE WHEN c.oid IN (SELECT logicalrelid FROM pg_dist_partition) THEN -1 ELSE c.reltuples::int8 END',
};

/** What the workers do has a fixed number of rows in the coordinator's plan. */
const PLAN = { ...PLAN_RULES, unknown: /^Custom Scan$/ };

/** Workers print values too, and are told how only by commands, once this is set. */
const ON_WORKERS = setByCommand({ 'citus.propagate_set_commands': 'local', ...PRINTED });

export const citus: Flavor = {
  ...postgresql,
  name: 'citus',
  dialect: engineDialect(
    { name: 'citus', label: 'Citus (PostgreSQL)' },
    { schemas: /^(?:citus|citus_internal|columnar|columnar_internal|cron)$/, tables: /^citus_/ },
  ),
  schemes: ['citus'],
  settings: (schema, timeoutMs) => [...postgresql.settings(schema, timeoutMs), ...ON_WORKERS],
  describe: (query, withUnreadable) => describeSchemas(query, withUnreadable, CATALOG),
  estimate: (query, sql, params) => estimatedRows(query, sql, params, PLAN),
};
