/** Manages user accounts: e-mail and password, sessions, organizations. */
import {
  authAuthorize,
  authResolve,
  definePlugin,
  type HealthItem,
  healthCheck,
  httpRoutes,
  optional,
  storeMigrations,
} from '../../kernel/index.ts';
import { audit } from '../audit/index.ts';
import { authLookup } from '../auth-kit/index.ts';
import { authRoles } from '../auth-roles/index.ts';
import { changes } from '../changes/index.ts';
import { deliverEmail } from '../deliver-email/index.ts';
import { http, httpSecurity } from '../http/index.ts';
import { internalDb, storeTables } from '../internal-db/index.ts';
import { requirePackages } from '../package-kit/index.ts';
import { localLimits, sharedLimits } from '../shared-limits/index.ts';
import type { AuthManaged } from './api.ts';
import { authExtend } from './hooks.ts';
import { migrationsFor, STORED_TABLES } from './migrations.ts';
import { MANAGED_MODE } from './mode.ts';
import { AuthManagedOptions, providersOf } from './options.ts';
import { SECURITY_SCHEMES } from './security-schemes.ts';
import { checkSettings, isLocal, withPublicUrl } from './settings.ts';

export type { InvitationInput, InvitationState, ManagedInvitation } from './accounts/invitations.ts';
export { INVITATION_ORDERS, MEMBER_ORDERS, USER_ORDERS } from './accounts/list-orders.ts';
export type { ManagedRole, RoleInput } from './accounts/roles.ts';
export type { ManagedUser, RoleMember, UserPage, UserQuery, UserStats } from './accounts/users.ts';
export type { AuthManaged } from './api.ts';
export { Email, type Endpoint, Id, Url } from './better-auth/endpoint.ts';
export { INVITATION_LIFETIME_S } from './better-auth/organization-endpoints.ts';
export {
  type AskLibrary,
  authExtend,
  type ExtensionEndpoint,
  type LibraryExtension,
  type LibraryExtensionParts,
  type LibraryHost,
  type OrganizationDeletion,
  organizationDelete,
  type SignInAttempt,
  signInBefore,
  type UserChange,
  type UserDeletion,
  userChange,
  userDelete,
} from './hooks.ts';
export { TABLES as AUTH_TABLES } from './migrations.ts';
export { MANAGED_MODE } from './mode.ts';
export { GivenPassword, NewPassword } from './passwords/password-length.ts';

/** Says beside the mode what a page to sign in can offer. */
function healthOf(options: AuthManagedOptions): HealthItem {
  const details = { mode: 'managed', enabled: true, signUp: options.signUp, socialProviders: providersOf(options) };
  return { component: 'auth', status: 'ok', details };
}

export const authManaged = definePlugin({
  name: 'auth-managed',
  version: '1.0.0',
  type: 'auth',
  description: 'Users with e-mail and password or a social account, sessions, and organizations.',
  needs: {
    db: internalDb,
    roles: authRoles,
    server: optional(http),
    log: optional(audit),
    changes: optional(changes),
    limits: optional(sharedLimits),
    email: optional(deliverEmail),
  },
  options: AuthManagedOptions,
  async setup(ctx, options, { db, server, log: auditLog, changes, limits, email }): Promise<AuthManaged> {
    const settings = withPublicUrl(options, server?.link(''));
    checkSettings(settings, db.configured);
    requirePackages(['better-auth'], import.meta.url);
    const [{ createServices }, { refuseUntilChanged }] = await Promise.all([
      import('./services.ts'),
      import('./accounts/account-password.ts'),
    ]);
    const managed = await createServices(settings, {
      db,
      audit: auditLog,
      ctx,
      changes,
      limits: limits ?? localLimits(ctx.now),
      link: (path) => server?.link(path) ?? (settings.url && new URL(path, settings.url).href),
      isMailed: email?.isConfigured === true,
      hasHome: () => server?.routes().some(({ value }) => value.path === '/') === true,
    });
    ctx.tap(storeMigrations, () => migrationsFor(db.dialect));
    ctx.tap(storeTables, () => STORED_TABLES);
    // Last of all: what looks like one of our tokens may be another plugin's key, and that plugin knows for certain.
    ctx.tap(authResolve, (credentials) => managed.sessions.resolve(credentials), { stage: 'post' });
    ctx.tapKey(authLookup, MANAGED_MODE.name, (absent) => managed.lookup(absent));
    ctx.tap(authAuthorize, (access, scope) => refuseUntilChanged(access, scope.actor));
    ctx.tap(httpRoutes, async (_none, scope) => {
      const extensions = await ctx.call(authExtend, undefined, scope);
      return db.routes(managed.routes(extensions.map(({ value }) => value)));
    });
    ctx.tap(healthCheck, () => [healthOf(settings)]);
    ctx.tap(httpSecurity, () => SECURITY_SCHEMES);
    let stop = () => {};
    ctx.onReady(async () => {
      const address = server?.address();
      stop = await managed.start(address && isLocal(address.address, settings.url));
    });
    ctx.onDrain(() => managed.mail.settled());
    ctx.onClose(() => stop());
    const { users, roles, invitations, password, profile, host } = managed;
    return { users, roles, invitations, password, profile, host, url: settings.url };
  },
});
