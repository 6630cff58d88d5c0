/** Signs users in through the identity providers of organizations, and lets these manage users by SCIM. */
import { AsyncLocalStorage } from 'node:async_hooks';
import {
  AtlasError,
  definePlugin,
  type HealthItem,
  healthCheck,
  httpRoutes,
  messagesOf,
  optional,
  storeMigrations,
} from '../../kernel/index.ts';
import { audit } from '../audit/index.ts';
import {
  authExtend,
  authManaged,
  type LibraryExtension,
  organizationDelete,
  signInBefore,
  userChange,
} from '../auth-managed/index.ts';
import { internalDb, storeTables } from '../internal-db/index.ts';
import { outbound } from '../outbound/index.ts';
import { requirePackages } from '../package-kit/index.ts';
import { domainCheck } from './domain.ts';
import { ssoEndpointsOf } from './endpoints.ts';
import { signInCheck } from './enforcement.ts';
import { provisionedUser } from './errors.ts';
import { GroupRoles } from './group-roles.ts';
import { migrationsFor, PROVIDERS, STORED_TABLES } from './migrations.ts';
import { AdminSsoOptions } from './options.ts';
import { type OutboundFetch, outboundFetch } from './outbound-fetch.ts';
import { ProviderStore } from './providers.ts';
import { ssoRoutes } from './routes.ts';
import { ScimConnectionStore } from './scim-connections.ts';
import type { ScimCall } from './scim-provisioning.ts';

const PACKAGES = ['@better-auth/core', '@better-auth/sso', '@better-auth/scim'];

/** Throws `configuration_error` with where it says how to install them: npm needs more than their names. */
function checkPackages(): void {
  try {
    requirePackages(PACKAGES, import.meta.url);
  } catch (cause) {
    throw new AtlasError(`Single sign-on needs the packages ${PACKAGES.join(' and ')}.`, {
      code: 'configuration_error',
      hint: 'The page docs/single-sign-on.md has the command that installs them.',
      cause,
    });
  }
}

/** Tells a page to sign in that it may ask for an e-mail address alone. */
const HEALTH: HealthItem = { component: 'singleSignOn', status: 'ok', details: { enabled: true } };

export const adminSso = definePlugin({
  name: 'admin-sso',
  version: '1.0.0',
  type: 'admin',
  description: 'Single sign-on through identity providers of organizations, its enforcement, and SCIM.',
  needs: {
    db: internalDb,
    outbound,
    auth: optional(authManaged),
    log: optional(audit),
  },
  options: AdminSsoOptions,
  setup(ctx, { dnsServers }, { db, outbound: calling, auth, log }) {
    const providers = new ProviderStore({
      db,
      audit: log,
      now: ctx.now,
      checkDomain: domainCheck(dnsServers),
      host: auth?.host,
    });
    const connections = new ScimConnectionStore(db, log, ctx.now);
    const groupRoles = auth && new GroupRoles(auth, log);
    const stores = groupRoles && { providers, connections, groupRoles };
    const calls = new AsyncLocalStorage<ScimCall>();
    let opened: OutboundFetch | undefined;
    const fetching = () => {
      opened ??= outboundFetch(calling);
      return opened;
    };
    const extension: LibraryExtension | undefined = auth &&
      groupRoles && {
        endpoints: ssoEndpointsOf({ providers, connections, fetching, calls }),
        async load() {
          checkPackages();
          const { loadSso } = await import('./library.ts');
          ctx.log.debug({}, 'The library of single sign-on is loaded.');
          return loadSso({ auth, providers, groupRoles, audit: log, fetching: fetching(), calls });
        },
      };
    const load = async () => extension && auth?.host.load(extension);
    ctx.tap(httpRoutes, () => db.routes(ssoRoutes({ stores, outbound: calling, url: auth?.url, load })));
    if (extension === undefined) return;
    ctx.tap(storeMigrations, () => migrationsFor(db.dialect));
    ctx.tap(storeTables, () => STORED_TABLES);
    ctx.tap(signInBefore, signInCheck(providers, db));
    ctx.tap(organizationDelete, ({ orgId }) => providers.removeAll(orgId));
    ctx.tap(userChange, async ({ userId }) => {
      if (await connections.manages(userId)) throw provisionedUser();
    });
    ctx.tap(authExtend, () => [extension]);
    ctx.tap(healthCheck, () => [HEALTH]);
    ctx.onReady(async () => {
      try {
        if ((await db.run((query) => query(PROVIDERS).first('id'))) !== undefined) await load();
      } catch (error) {
        const message =
          'The library of single sign-on was not loaded; the first sign-in through a provider tries again.';
        ctx.log.warn({ error: messagesOf(error) }, message);
      }
    });
    ctx.onClose(() => opened?.close());
  },
});
