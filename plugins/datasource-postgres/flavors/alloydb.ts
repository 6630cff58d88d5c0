/** Describes AlloyDB: PostgreSQL with a columnar engine. */
import { estimatedRows, PLAN_RULES } from '../estimate.ts';
import { loginWarnings } from '../privileges.ts';
import { engineDialect } from './engine-dialect.ts';
import type { Flavor } from './flavor.ts';
import { postgresql } from './postgresql.ts';

/** Reads columns from memory, of all rows, and leaves out those that do not match. */
const RULES = { ...PLAN_RULES, wholeScans: /^(?:Seq Scan|Custom Scan)$/ };

export const alloydb: Flavor = {
  ...postgresql,
  name: 'alloydb',
  dialect: engineDialect(
    { name: 'alloydb', label: 'AlloyDB' },
    { schemas: /^(?:google_.*|ai|alloydb_.*)$/, tables: /^g_(?:columnar|advisor|scann)_/ },
  ),
  schemes: ['alloydb'],
  warnings: (query, schema) => loginWarnings(query, schema, ['alloydbsuperuser']),
  estimate: (query, sql, params) => estimatedRows(query, sql, params, RULES),
};
