/** Implements the service of the plugin, with a database and without. */
import type { Route } from '../../kernel/index.ts';
import type { InternalDb } from './api.ts';
import type { Database } from './database.ts';
import { notAvailable } from './errors.ts';
import type { Migrator } from './migrator.ts';
import { rowWrites } from './row-writes.ts';
import type { DatabaseTarget } from './url.ts';

/** Codes that a route may answer because it needs the database. */
const ERRORS = ['not_available', 'unavailable'];

function described(route: Route): Route {
  return { ...route, errors: [...new Set([...(route.errors ?? []), ...ERRORS])] };
}

export function withDatabase(
  database: Database,
  target: DatabaseTarget,
  migrator: Migrator,
  secrets: InternalDb['secrets'],
  now: () => number,
): InternalDb {
  return {
    configured: true,
    dialect: database.engine.dialect,
    target,
    check: () => database.liveness.check(),
    now: () => now() + database.engine.clockAheadMs,
    run: (work) => database.run(work),
    transaction: (work) => database.transaction(work),
    snapshot: (work) => database.transaction(work, { readOnly: true, isolationLevel: 'repeatable read' }),
    write: rowWrites((batch) => database.execute(batch)),
    routes: (routes) => routes.map(described),
    migrations: () => migrator.list(),
    migrate: () => migrator.apply(),
    secrets,
  };
}

export function withoutDatabase(secrets: InternalDb['secrets'], now: () => number): InternalDb {
  const refuse = async () => {
    throw notAvailable();
  };
  return {
    configured: false,
    dialect: 'sqlite',
    target: undefined,
    check: () => undefined,
    now,
    run: refuse,
    transaction: refuse,
    snapshot: refuse,
    write: refuse,
    routes: (routes) =>
      routes.map((route) => ({
        ...described(route),
        ready() {
          throw notAvailable();
        },
      })),
    migrations: refuse,
    migrate: refuse,
    secrets,
  };
}
