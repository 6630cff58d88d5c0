/** Sets up the library's plugins for single sign-on and SCIM. Importing it takes some 500 ms. */
import type { AsyncLocalStorage } from 'node:async_hooks';
import { scim } from '@better-auth/scim';
import { sso } from '@better-auth/sso';
import type { BetterAuthPlugin } from 'better-auth';
import type { Audit } from '../audit/index.ts';
import { AUTH_TABLES, type AuthManaged, type LibraryExtensionParts } from '../auth-managed/index.ts';
import type { GroupRoles } from './group-roles.ts';
import { userResolver } from './linking.ts';
import { join } from './membership.ts';
import { PROVIDERS, SCIM_TABLES, SESSIONS } from './migrations.ts';
import type { OutboundFetch } from './outbound-fetch.ts';
import type { ProviderStore } from './providers.ts';
import { checkAddress, provisioning, type ScimCall } from './scim-provisioning.ts';

export interface SsoLibraryInit {
  readonly auth: AuthManaged;
  readonly providers: ProviderStore;
  readonly groupRoles: GroupRoles;
  readonly audit: Pick<Audit, 'change'> | undefined;
  readonly fetching: OutboundFetch;
  /** The SCIM requests that are being answered. */
  readonly calls: AsyncLocalStorage<ScimCall>;
}

/** Between the clocks of an identity provider and of this server. */
const CLOCK_SKEW_MS = 180_000;

/** With our names of its tables. */
function renamed(plugin: ReturnType<typeof scim>, tables: Readonly<Record<string, string>>): BetterAuthPlugin {
  const schema = Object.entries(plugin.schema).map(([name, table]) => {
    const modelName = tables[name];
    if (modelName === undefined) throw new Error(`The library's table ${name} is not known.`);
    return [name, { ...table, modelName }];
  });
  return { ...plugin, schema: Object.fromEntries(schema) };
}

/** What neither plugin has an option for. */
function rules({ auth, fetching, calls }: SsoLibraryInit): BetterAuthPlugin {
  const check = async ({ email, emailVerified }: { email?: string; emailVerified?: boolean }) => {
    const call = calls.getStore();
    if (call === undefined) return;
    if (email !== undefined) checkAddress(email, call.connection);
    // The library says so where it changes the address, and nowhere else.
    if (emailVerified === false) call.isReaddressed = true;
  };
  return {
    id: 'atlas-sso',
    init: () => ({
      options: {
        // An operator may have allowed a private address, which the library by itself refuses to call.
        trustedOrigins: () => [...fetching.origins()],
        databaseHooks: {
          user: { create: { before: check }, update: { before: check } },
          // Enforcement ends all others.
          session: {
            create: {
              after: ({ id }) => auth.host.run(async (db) => void (await db(SESSIONS).insert({ sessionId: id }))),
            },
          },
        },
      },
    }),
  };
}

export function loadSso(init: SsoLibraryInit): LibraryExtensionParts {
  const { auth, providers, groupRoles, calls, audit } = init;
  const { host } = auth;
  const current = () => {
    const call = calls.getStore();
    if (call === undefined) throw new Error('There is no SCIM request.');
    return call;
  };
  const signOn = sso({
    modelName: PROVIDERS,
    domainVerification: { enabled: true },
    trustEmailVerified: true,
    resolveUser: userResolver(host),
    // It would leave those out who have an invitation.
    organizationProvisioning: { disabled: true },
    provisionUserOnEveryLogin: true,
    async provisionUser({ user, provider: { organizationId } }) {
      if (organizationId === undefined) return;
      await host.run((db) => join(db, user.id, organizationId));
      await host.settle(user.id);
    },
    saml: {
      allowIdpInitiated: false,
      requireTimestamps: true,
      // Its default counts in one of its two checks only.
      clockSkew: CLOCK_SKEW_MS,
      algorithms: { onDeprecated: 'reject' },
    },
  });
  const provisioned = scim({
    connections: [],
    authentication: {
      verifyBearerToken() {
        const { id, organizationId } = current().connection;
        return {
          connection: { id, provisioningDomainId: organizationId },
          credentialId: id,
          scopes: ['scim.users.read', 'scim.users.write', 'scim.groups.read', 'scim.groups.write'],
        };
      },
    },
    ...provisioning({ auth, groupRoles, audit, current }),
    compatibility: { microsoftEntra: { acceptLegacyGroupSchema: true } },
  });
  return {
    // Identity providers of SAML send the browser back with a form, and so from another site.
    cookies: { relay_state: { attributes: { sameSite: 'none', secure: true } } },
    plugins: [signOn, renamed(provisioned, SCIM_TABLES), rules(init)],
    async read(table, row) {
      if (table === PROVIDERS) return providers.opened(row);
      const call = calls.getStore();
      // Whether an address outside of the domain has an account is not for the identity provider to know.
      if (table === AUTH_TABLES.user && call !== undefined) checkAddress(String(row.email), call.connection);
      return row;
    },
  };
}
