/** Creates the services of the plugin. Loaded with the authentication library, only where it is used. */
import type { Logger } from '../../kernel/index.ts';
import type { AbsentActor } from '../auth-kit/index.ts';
import type { InternalDb } from '../internal-db/index.ts';
import { AccountPassword } from './accounts/account-password.ts';
import { presentIdentity } from './accounts/identity.ts';
import { Organizations } from './accounts/organizations.ts';
import { Origins } from './accounts/request-origins.ts';
import { startSessionCleanup } from './accounts/session-cleanup.ts';
import { Sessions } from './accounts/sessions.ts';
import { type Deleting, Users } from './accounts/users.ts';
import { type BetterAuth, createBetterAuth } from './better-auth/instance.ts';
import { SessionCache } from './better-auth/session-cache.ts';
import { Bootstrap, type CreateUser } from './bootstrap.ts';
import type { AuthManagedOptions } from './options.ts';
import { Passwords } from './passwords/password-hashing.ts';
import { Throttle } from './passwords/throttle.ts';
import { BetterAuthRoutes } from './routes.ts';
import { Store } from './store.ts';

/** Through the library's own functions, so that such a user is like any other. */
function userCreator(library: BetterAuth): CreateUser {
  return async ({ email, name, passwordHash, passwordChangeRequired }) => {
    const { internalAdapter } = await library.$context;
    const given = { email, name, emailVerified: false, passwordChangeRequired };
    const user = await internalAdapter.createUser(given, { method: 'admin' });
    await internalAdapter.linkAccount({
      userId: user.id,
      providerId: 'credential',
      accountId: user.id,
      password: passwordHash,
    });
  };
}

export interface ServiceParts {
  readonly db: InternalDb;
  readonly now: () => number;
  readonly log: Logger;
  readonly deleting: Deleting;
}

export async function createServices(options: AuthManagedOptions, { db, now, log, deleting }: ServiceParts) {
  const store = new Store(db);
  const passwords = new Passwords();
  const sessionCache = new SessionCache();
  const throttle = new Throttle(now);
  const origins = new Origins(options.url, options.trustedOrigins);
  const { adminEmail, production, signUp } = options;
  const bootstrap = new Bootstrap({ store, passwords, adminEmail, production, log });
  const library = createBetterAuth(options, { store, passwords, sessionCache, bootstrap, log });
  await library.$context;
  const organizations = new Organizations(store, sessionCache);
  const social = [options.google, options.github, options.microsoft].some((provider) => provider !== undefined);
  const signUps = new Throttle(now, 'There were too many attempts to sign up.');
  const endpoints = {
    library,
    store,
    origins,
    throttle,
    signUps,
    passwords,
    bootstrap,
    organizations,
    sessionCache,
    social,
    signUp,
  };
  return {
    sessions: new Sessions(library, store, origins),
    routes: new BetterAuthRoutes(endpoints).routes(),
    users: new Users(store, sessionCache, deleting),
    password: new AccountPassword({ store, passwords, sessionCache, throttle }),
    organizations,
    lookup: (actor: AbsentActor) => presentIdentity(store, actor),
    /**
     * Once the tables are there. `local`: only this machine reaches the server; `undefined`: it is not reached at all. Resolves to how
     * to stop what goes on.
     */
    async start(local: boolean | undefined): Promise<() => void> {
      if (local !== undefined) await bootstrap.start(local, userCreator(library));
      return startSessionCleanup(store, organizations, log);
    },
  };
}
