/** Lets administrators connect databases while the service runs, for their organization. */
import {
  type ConnectionInfo,
  datasourceList,
  definePlugin,
  httpRoutes,
  optional,
  storeMigrations,
} from '../../kernel/index.ts';
import { deleteRowsOf } from '../admin-kit/index.ts';
import { audit } from '../audit/index.ts';
import { organizationDelete } from '../auth-managed/index.ts';
import { connectionOwners, datasourceEngines, datasourceHealth } from '../datasource-kit/index.ts';
import { internalDb, storeTables } from '../internal-db/index.ts';
import { openDatabase } from './engines.ts';
import { healthChecks } from './health.ts';
import { CONNECTIONS, migrationsFor, STORED_TABLES } from './migrations.ts';
import { AdminConnectionsOptions } from './options.ts';
import { reachOf } from './reach.ts';
import { connectionRoutes } from './routes.ts';
import { connectionService } from './service.ts';
import { ConnectionStore, purposeOf } from './store.ts';
import { StoredConnections } from './stored-connections.ts';

export type { Connection } from './schemas.ts';

export const adminConnections = definePlugin({
  name: 'admin-connections',
  version: '1.0.0',
  type: 'admin',
  description: 'Connections that administrators add while the service runs, tested, encrypted, per organization.',
  needs: { db: internalDb, log: optional(audit) },
  options: AdminConnectionsOptions,
  setup(ctx, options, { db, log }) {
    const reach = reachOf(options);
    const ownFile = db.target?.dialect === 'sqlite' ? db.target.path : undefined;
    const engines = async () => {
      const collected = await ctx.call(datasourceEngines, undefined, ctx.scope());
      return { engines: collected.map(({ value }) => value), reach, options, ownFile };
    };
    const store = new ConnectionStore(db, options);
    const stored = new StoredConnections({
      ctx,
      store,
      options,
      async open(row) {
        const url = await db.secrets.open(row.url, purposeOf(row));
        return openDatabase({ id: row.name, url, schema: row.given_schema }, await engines());
      },
    });
    const service = connectionService({
      store,
      stored,
      engines,
      now: ctx.now,
      secrets: db.secrets,
      visible: async (scope) =>
        (await ctx.call(datasourceList, undefined, scope)).map(({ plugin, value }) => ({
          info: value,
          isStored: plugin === ctx.plugin,
        })),
      checks: healthChecks({
        now: ctx.now,
        ask: async (key) => ctx.callKey(datasourceHealth, key, undefined, ctx.scope()),
      }),
      record: (change, scope) => async (trx) => log?.change(change, scope, trx),
    });
    ctx.tap(httpRoutes, () => connectionRoutes({ service, stored: (routes) => db.routes(routes) }));
    if (!db.configured) return;
    let configured: ReadonlySet<string> = new Set();
    // A connection that the configuration has now goes before a stored one that had its id earlier.
    const visible = (infos: readonly ConnectionInfo[]) => infos.filter(({ id }) => !configured.has(id));
    ctx.tap(
      datasourceList,
      (_payload, { orgId }) => {
        const infos = stored.list(orgId);
        return infos instanceof Promise ? infos.then(visible) : visible(infos);
      },
      // Last, so that a question without a connection goes to one of the configuration.
      { stage: 'post' },
    );
    ctx.tap(connectionOwners, () => store.owners());
    ctx.tap(storeMigrations, () => migrationsFor(db.dialect));
    ctx.tap(storeTables, () => STORED_TABLES);
    ctx.tap(organizationDelete, async ({ orgId }) => {
      await deleteRowsOf(orgId, db, CONNECTIONS);
      await stored.changed(orgId);
    });
    ctx.onReady(async () => {
      const all = await ctx.call(datasourceList, undefined, ctx.scope());
      configured = new Set(all.flatMap(({ plugin, value }) => (plugin === ctx.plugin ? [] : [value.id])));
    });
    ctx.onClose(() => stored.close());
  },
});
