/** Lets organizations be reached from the networks on their list only. */
import { authAuthorize, definePlugin, httpRoutes, optional, storeMigrations } from '../../kernel/index.ts';
import { deleteRowsOf } from '../admin-kit/index.ts';
import { audit } from '../audit/index.ts';
import { organizationDelete } from '../auth-managed/index.ts';
import { httpSecurity } from '../http/index.ts';
import { internalDb, storeTables } from '../internal-db/index.ts';
import { AllowlistGate } from './gate.ts';
import { ENTRIES, MIGRATIONS, STORED_TABLES } from './migrations.ts';
import { allowlistRoutes } from './routes.ts';
import { AllowlistStore } from './store.ts';

export type { IpAllowlistEntry } from './schemas.ts';

export const adminIpAllowlist = definePlugin({
  name: 'admin-ip-allowlist',
  version: '1.0.0',
  type: 'admin',
  description: 'Refuses requests from addresses outside the networks that an organization allows.',
  needs: { db: internalDb, log: optional(audit) },
  setup(ctx, _options, { db, log }) {
    const store = new AllowlistStore(db, log, ctx.now);
    const gate = new AllowlistGate((orgId) => store.networks(orgId));
    ctx.tap(httpRoutes, () => db.routes(allowlistRoutes({ store, gate })));
    ctx.tap(storeMigrations, () => MIGRATIONS);
    ctx.tap(storeTables, () => STORED_TABLES);
    if (!db.configured) return;
    ctx.tap(organizationDelete, ({ orgId }) => deleteRowsOf(orgId, db, ENTRIES));
    ctx.tap(authAuthorize, (access, scope) => gate.check(access, scope), { stage: 'pre' });
    ctx.tap(httpSecurity, () => [{ name: 'ipAllowlist', errors: ['ip_not_allowed'] }]);
  },
});
