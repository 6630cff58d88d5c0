/** Lets administrators ask for the data of their organization to be moved to another region. */
import { appReady, definePlugin, httpRoutes, optional, storeMigrations } from '../../kernel/index.ts';
import { deleteRowsOf } from '../admin-kit/index.ts';
import { audit } from '../audit/index.ts';
import { organizationDelete } from '../auth-managed/index.ts';
import { internalDb, storeTables } from '../internal-db/index.ts';
import type { ResidencyApi } from './api.ts';
import { migrationsFor, REGION_MIGRATIONS, STORED_TABLES } from './migrations.ts';
import { mover } from './mover.ts';
import { AdminResidencyOptions } from './options.ts';
import { requests } from './requests.ts';
import { residencyRoutes } from './routes.ts';
import { migrationStore } from './store.ts';

export type { ResidencyApi } from './api.ts';
export { type RegionMove, residencyMigrate } from './hooks.ts';

export const adminResidency = definePlugin({
  name: 'admin-residency',
  version: '1.0.0',
  type: 'admin',
  description: 'Routes for administrators: moves of an organization to another region.',
  needs: { db: internalDb, log: optional(audit) },
  options: AdminResidencyOptions,
  setup(ctx, options, { db, log }): ResidencyApi {
    const store = migrationStore(db);
    const moves = requests({ store, log, options, now: ctx.now });
    const carrying = mover({ ctx, store, command: moves.command });
    ctx.tap(storeMigrations, () => migrationsFor(db.dialect));
    ctx.tap(storeTables, () => STORED_TABLES);
    ctx.tap(httpRoutes, () => db.routes(residencyRoutes({ moves, pending: carrying.wake })));
    if (db.configured) {
      ctx.tap(organizationDelete, ({ orgId }) => deleteRowsOf(orgId, db, REGION_MIGRATIONS));
      ctx.on(appReady, () => carrying.start());
      ctx.onDrain(() => carrying.stop());
    }
    return { regionOf: moves.regionOf };
  },
});
