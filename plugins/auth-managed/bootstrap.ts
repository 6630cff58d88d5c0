/** How the first administrator comes to be. */
import type { Logger, Role } from '../../kernel/index.ts';
import { LOCKS, TABLES } from './migrations.ts';
import type { Passwords } from './passwords.ts';
import type { Store } from './store.ts';

/** Of the account that is made for development. It has to be changed at the first sign-in. */
export const DEVELOPMENT_PASSWORD = 'atlas-dev-admin';

/** Makes a user with a password, within the transaction of the caller. */
export type CreateUser = (user: {
  readonly email: string;
  readonly name: string;
  readonly passwordHash: string;
  readonly passwordChangeRequired: boolean;
}) => Promise<void>;

export interface BootstrapInit {
  readonly store: Store;
  readonly passwords: Passwords;
  readonly adminEmail: string | undefined;
  readonly production: boolean;
  readonly log: Logger;
}

export class Bootstrap {
  readonly #init: BootstrapInit;
  readonly #adminEmail: string | undefined;

  constructor(init: BootstrapInit) {
    this.#init = init;
    this.#adminEmail = init.adminEmail?.toLowerCase();
  }

  /** The role that an address gets when it is not the first to sign up. */
  roleByEmail(email: string): Role {
    return email.toLowerCase() === this.#adminEmail ? 'admin' : 'analyst';
  }

  /** Within the transaction that creates the user, which others who would be the first then wait for. */
  async roleOfNewUser(email: string): Promise<Role> {
    if (this.#adminEmail !== undefined || (await this.#anyUser())) return this.roleByEmail(email);
    await this.#init.store.lock(LOCKS.firstUser);
    return (await this.#anyUser()) ? 'analyst' : 'admin';
  }

  /** Creates the development administrator, once, where there is no user at all. */
  async seed(createUser: CreateUser): Promise<void> {
    const { store, passwords, production, log } = this.#init;
    const email = this.#adminEmail;
    if (email === undefined || (await this.#anyUser())) return;
    if (production) {
      log.warn(
        { email },
        'There is no user yet, and in production none is created: sign up with the address of SVC_ADMIN_EMAIL now, before somebody else does, to become administrator.',
      );
      return;
    }
    const passwordHash = await passwords.hash(DEVELOPMENT_PASSWORD);
    const created = await store.transaction(async () => {
      await store.lock(LOCKS.firstUser);
      if (await this.#anyUser()) return false;
      await createUser({ email, name: 'Administrator', passwordHash, passwordChangeRequired: true });
      return true;
    });
    if (!created) return;
    log.warn(
      { email },
      `Created the administrator ${email} with the development password ${DEVELOPMENT_PASSWORD}, which has to be changed at the first sign-in. Never start a public server like this: set NODE_ENV=production there.`,
    );
  }

  async #anyUser(): Promise<boolean> {
    return (await this.#init.store.run((db) => db(TABLES.user).first('id'))) !== undefined;
  }
}
