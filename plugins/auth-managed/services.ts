/** Creates the services of the plugin. Loaded with the authentication library, only where it is used. */
import { type Access, type Actor, authAuthorize, type PluginContext, type Scope } from '../../kernel/index.ts';
import type { Audit } from '../audit/index.ts';
import type { AbsentActor } from '../auth-kit/index.ts';
import type { Changes } from '../changes/index.ts';
import type { InternalDb } from '../internal-db/index.ts';
import type { SharedLimits } from '../shared-limits/index.ts';
import { AccountMail } from './accounts/account-mail.ts';
import { AccountPassword } from './accounts/account-password.ts';
import { AccountRecovery } from './accounts/account-recovery.ts';
import { Governance } from './accounts/governance.ts';
import { presentIdentity } from './accounts/identity.ts';
import { Invitations } from './accounts/invitations.ts';
import { MailTokens } from './accounts/mail-tokens.ts';
import { OrganizationAccess } from './accounts/organization-access.ts';
import { OrganizationChanges } from './accounts/organization-changes.ts';
import { Organizations } from './accounts/organizations.ts';
import { profileOf } from './accounts/profile.ts';
import { mailRequired, recoveryRoutes } from './accounts/recovery-routes.ts';
import { Origins } from './accounts/request-origins.ts';
import { Roles } from './accounts/roles.ts';
import { startSessionCleanup } from './accounts/session-cleanup.ts';
import { Sessions } from './accounts/sessions.ts';
import { UserDirectory } from './accounts/user-directory.ts';
import { Users } from './accounts/users.ts';
import { type BetterAuth, createBetterAuth } from './better-auth/instance.ts';
import { SessionCache } from './better-auth/session-cache.ts';
import { Bootstrap, type CreateUser } from './bootstrap.ts';
import {
  type AccountHooks,
  type LibraryExtension,
  type LibraryHost,
  organizationDelete,
  type SignInAttempt,
  signInBefore,
  userChange,
  userDelete,
} from './hooks.ts';
import { LOCKS, TABLES } from './migrations.ts';
import { type AuthManagedOptions, providersOf } from './options.ts';
import { pageRoutes } from './pages/routes.ts';
import { Passwords } from './passwords/password-hashing.ts';
import { Throttle } from './passwords/throttle.ts';
import { BetterAuthRoutes } from './routes.ts';
import { Store } from './store.ts';

/** Through the library's adapter, so that such a user is like any other. Its `createUser` validates requests only. */
function userCreator(library: BetterAuth, bootstrap: Bootstrap): CreateUser {
  return async ({ email, name, passwordHash, passwordChangeRequired }) => {
    const { adapter, internalAdapter } = await library.$context;
    const role = await bootstrap.roleOfNewUser(email);
    const now = new Date();
    const user = await adapter.create({
      model: 'user',
      data: { email, name, role, emailVerified: false, passwordChangeRequired, createdAt: now, updatedAt: now },
    });
    await internalAdapter.linkAccount({
      userId: String(user.id),
      providerId: 'credential',
      accountId: String(user.id),
      password: passwordHash,
    });
  };
}

export interface ServiceParts {
  readonly db: InternalDb;
  readonly audit: Audit | undefined;
  readonly ctx: PluginContext;
  /** Tells other servers of users who have changed. */
  readonly changes: Changes | undefined;
  readonly limits: SharedLimits;
  /** The address of a path below the public URL, if that is known. */
  readonly link: (path: string) => string | undefined;
  /** Whether the server sends mails. */
  readonly isMailed: boolean;
  /** Whether a plugin serves a page at the root. */
  readonly hasHome: () => boolean;
}

export async function createServices(options: AuthManagedOptions, parts: ServiceParts) {
  const { db, audit, ctx, changes, limits, link, isMailed, hasHome } = parts;
  const { now, log } = ctx;
  const hooks: AccountHooks = {
    userChange: (change, scope) => ctx.call(userChange, change, scope),
    userDelete: (deletion, scope) => ctx.call(userDelete, deletion, scope),
    organizationDelete: (deletion, scope) => ctx.call(organizationDelete, deletion, scope),
  };
  const admit = async (attempt: SignInAttempt) => ctx.call(signInBefore, attempt, ctx.scope());
  const authorize = async (access: Access, scope: Scope) => ctx.call(authAuthorize, access, scope);
  const passwords = new Passwords();
  const sessionCache: SessionCache = new SessionCache(changes, (userId) => store.changes(userId));
  const store = new Store(db, sessionCache);
  const throttle = new Throttle(limits.attempts('auth-managed.sign-in'));
  const origins = new Origins(options.url, options.trustedOrigins);
  const { adminEmail, production, signUp } = options;
  const bootstrap = new Bootstrap({ store, passwords, adminEmail, production, log });
  const libraryParts = { store, passwords, sessionCache, bootstrap, log, admit };
  const library = createBetterAuth(options, libraryParts);
  await library.$context;
  const organizations = new Organizations(store, sessionCache);
  const directory = new UserDirectory(store);
  const governance = new Governance(store);
  const users = new Users({ store, directory, governance, sessionCache, hooks, audit });
  const mail = new AccountMail({ ctx, log, link, attempts: limits.attempts('auth-managed.mail') });
  const invitations = new Invitations({ store, audit, mail, link });
  const password = new AccountPassword({ store, passwords, sessionCache, throttle, audit, admit });
  const recovery = new AccountRecovery({
    store,
    passwords,
    password,
    sessionCache,
    bootstrap,
    hooks,
    audit,
    mail,
    tokens: new MailTokens(options.secret, now),
    throttle: new Throttle(
      limits.attempts('auth-managed.recovery'),
      'There were too many requests for a new password.',
    ),
    now,
    admit,
  });
  const mustMail = () => mailRequired(isMailed);
  const social = providersOf(options).length > 0;
  const signUps = new Throttle(limits.attempts('auth-managed.sign-up'), 'There were too many attempts to sign up.');
  const endpoints = {
    library,
    store,
    origins,
    throttle,
    signUps,
    passwords,
    bootstrap,
    access: new OrganizationAccess({ store, authorize }),
    organizations,
    sessionCache,
    hooks,
    organizationChanges: new OrganizationChanges({ store, governance, invitations, sessionCache, hooks, audit }),
    social,
    signUp,
    admit,
    authorize,
  };
  /** Each extension has the library to itself, which is loaded once. */
  const loaded = new WeakMap<LibraryExtension, Promise<BetterAuth>>();
  const open = (extension: LibraryExtension): Promise<BetterAuth> => {
    const known = loaded.get(extension);
    if (known !== undefined) return known;
    const opened = extension.load(host).then((more) => createBetterAuth(options, libraryParts, more));
    loaded.set(extension, opened);
    opened.catch(() => loaded.delete(extension));
    return opened;
  };
  const host: LibraryHost = {
    run: (work) => store.run(work),
    transaction: (work) => store.transaction(work),
    lockAdministrators: () => store.lock(LOCKS.admins),
    settle: (userId) => organizations.settleMembers(userId),
    invalidate: (userId) => sessionCache.invalidate(userId),
    async endSessions(userId) {
      await store.transaction(async () => {
        await store.run((query) => query(TABLES.session).where({ userId }).delete());
        sessionCache.invalidate(userId);
      });
    },
    async load(extension) {
      const { $context } = await open(extension);
      await $context;
    },
  };
  return {
    sessions: new Sessions(library, store, origins, organizations),
    routes: (extensions: readonly LibraryExtension[]) => [
      ...new BetterAuthRoutes({ ...endpoints, extensions, open }).routes(),
      ...recoveryRoutes({ recovery, origins, mustMail }),
      ...pageRoutes({ invitations, recovery, signUp, isMailed, hasHome }),
    ],
    host,
    users,
    roles: new Roles({ store, directory, governance, audit }),
    invitations,
    password,
    mail,
    profile: (actor: Actor) => profileOf(store, actor),
    lookup: (actor: AbsentActor) => presentIdentity(store, actor),
    /**
     * Once the tables are there. `local`: only this machine reaches the server; `undefined`: it is not reached at all. Resolves to how
     * to stop what goes on.
     */
    async start(local: boolean | undefined): Promise<() => void> {
      if (local !== undefined) await bootstrap.start(local, userCreator(library, bootstrap));
      return startSessionCleanup({ store, organizations, directory }, log);
    },
  };
}
