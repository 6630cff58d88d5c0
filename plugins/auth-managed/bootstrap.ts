/** Decides who becomes the first administrator, and creates an account for development. */
import type { Logger, Role } from '../../kernel/index.ts';
import { LOCKS, TABLES } from './migrations.ts';
import type { HashTurn, Passwords } from './passwords/password-hashing.ts';
import type { Store } from './store.ts';

/** Password of the account that is made for development. It has to be changed at the first sign-in. */
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

  /**
   * Creates the development administrator, once, where there is no user at all and only this machine reaches the server.
   * Elsewhere it deletes the one that development has left behind: its password is public.
   */
  async start(local: boolean, createUser: CreateUser): Promise<void> {
    const { store, passwords, production, log } = this.#init;
    const email = this.#adminEmail;
    if (email === undefined) return;
    if (production || !local) {
      if (await this.#deleteDevelopmentAccount()) {
        log.warn({ email }, `Deleted the development account ${email}, whose password was never changed.`);
      }
      if (await this.#hasAccount(email)) return;
      log.warn(
        { email },
        `The first to sign up with ${email}, the address of SVC_ADMIN_EMAIL, becomes administrator: sign up with it now, before anyone else does.`,
      );
      return;
    }
    if (await this.#anyUser()) return;
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
      `Created the administrator ${email} with the development password ${DEVELOPMENT_PASSWORD}, which has to be changed at the first sign-in. It is only made while the server listens on this machine alone: set NODE_ENV=production where others reach it.`,
    );
  }

  /** Deletes the development account when a user signs up with its address, so that their password counts. */
  async makeWay(email: string, turn: HashTurn): Promise<void> {
    if (email.toLowerCase() === this.#adminEmail) await this.#deleteDevelopmentAccount(turn);
  }

  /** Only while it has its first password; it could not do anything but change that, so nothing else goes with it. */
  async #deleteDevelopmentAccount(turn?: HashTurn): Promise<boolean> {
    const { store, passwords } = this.#init;
    const found = await store.run((db) =>
      db(TABLES.user)
        .join(TABLES.account, `${TABLES.account}.userId`, `${TABLES.user}.id`)
        .where({ email: this.#adminEmail, passwordChangeRequired: true, providerId: 'credential' })
        .first(`${TABLES.user}.id`, 'password'),
    );
    if (found === undefined || !(await passwords.verify(found.password, DEVELOPMENT_PASSWORD, turn))) return false;
    const { id, password } = found;
    // Not when the password has been changed meanwhile.
    const deleted = await store.run((db) =>
      db(TABLES.user)
        .where({ id })
        .whereExists(db(TABLES.account).where({ userId: id, password }).select('id'))
        .delete(),
    );
    return deleted > 0;
  }

  async #hasAccount(email: string): Promise<boolean> {
    return (await this.#init.store.run((db) => db(TABLES.user).where({ email }).first('id'))) !== undefined;
  }

  async #anyUser(): Promise<boolean> {
    return (await this.#init.store.run((db) => db(TABLES.user).first('id'))) !== undefined;
  }
}
