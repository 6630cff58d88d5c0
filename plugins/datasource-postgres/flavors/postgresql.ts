/** Describes PostgreSQL itself, and hosts of it without changes such as Neon and Supabase. */
import { postgres } from '../../sql-kit/index.ts';
import { describeSchemas } from '../describe.ts';
import { estimatedRows } from '../estimate.ts';
import { loginWarnings } from '../privileges.ts';
import { BEGIN, DISCARD, settingsFor } from '../settings.ts';
import { viewsOf } from '../views.ts';
import type { Flavor } from './flavor.ts';

export const postgresql: Flavor = {
  name: 'postgresql',
  dialect: postgres,
  schemes: ['postgres', 'postgresql'],
  port: 5432,
  begin: BEGIN,
  settings: (schema, timeoutMs) => [settingsFor(schema, timeoutMs)],
  discard: DISCARD,
  cancelAgainMs: 100,
  looksUpTypes: true,
  describe: describeSchemas,
  views: (query) => viewsOf(query),
  warnings: (query, schema) => loginWarnings(query, schema),
  estimate: estimatedRows,
};
