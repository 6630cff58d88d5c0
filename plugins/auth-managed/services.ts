/** Everything of the plugin behind its wiring. Loaded with the authentication library, only where it is used. */
import type { Logger } from '../../kernel/index.ts';
import type { InternalDb } from '../internal-db/index.ts';
import { AccountPassword } from './accounts/account-password.ts';
import { Organizations } from './accounts/organizations.ts';
import { Origins } from './accounts/request-origins.ts';
import { keepTidy } from './accounts/session-cleanup.ts';
import { Sessions } from './accounts/sessions.ts';
import { type Deleting, Users } from './accounts/users.ts';
import { createLibrary, type Library } from './better-auth/instance.ts';
import { Freshness } from './better-auth/session-cache.ts';
import { Bootstrap, type CreateUser } from './bootstrap.ts';
import type { AuthManagedOptions } from './options.ts';
import { Passwords } from './passwords/password-hashing.ts';
import { Throttle } from './passwords/throttle.ts';
import { LibraryRoutes } from './routes.ts';
import { Store } from './store.ts';

/** Through the library's own functions, so that such a user is like any other. */
function userCreator(library: Library): CreateUser {
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

export interface ManagedParts {
  readonly db: InternalDb;
  readonly now: () => number;
  readonly log: Logger;
  readonly deleting: Deleting;
}

export async function createManaged(options: AuthManagedOptions, { db, now, log, deleting }: ManagedParts) {
  const store = new Store(db);
  const passwords = new Passwords();
  const freshness = new Freshness();
  const throttle = new Throttle(now);
  const origins = new Origins(options.url, options.trustedOrigins);
  const { adminEmail, production, signUp } = options;
  const bootstrap = new Bootstrap({ store, passwords, adminEmail, production, log });
  const library = createLibrary(options, { store, passwords, freshness, bootstrap, log });
  await library.$context;
  const organizations = new Organizations(store, freshness);
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
    freshness,
    social,
    signUp,
  };
  return {
    sessions: new Sessions(library, store, origins),
    routes: new LibraryRoutes(endpoints).routes(),
    users: new Users(store, freshness, deleting),
    password: new AccountPassword({ store, passwords, freshness, throttle }),
    organizations,
    /**
     * Once the tables are there. `local`: only this machine reaches the server; `undefined`: nobody does. Resolves to how
     * to stop what goes on.
     */
    async start(local: boolean | undefined): Promise<() => void> {
      if (local !== undefined) await bootstrap.start(local, userCreator(library));
      return keepTidy(store, organizations, log);
    },
  };
}
