/** Lets people set a new password, and change the address of their account, by a link that is mailed to them. */
import { randomUUID } from 'node:crypto';
import { type Actor, AtlasError, type Scope } from '../../../kernel/index.ts';
import type { Audit } from '../../audit/index.ts';
import { databaseFailure } from '../better-auth/errors.ts';
import { BASE_PATH, firstOrganization } from '../better-auth/instance.ts';
import type { SessionCache } from '../better-auth/session-cache.ts';
import type { Bootstrap } from '../bootstrap.ts';
import type { AccountHooks, SignInAttempt } from '../hooks.ts';
import { TABLES } from '../migrations.ts';
import { MANAGED_MODE } from '../mode.ts';
import type { Passwords } from '../passwords/password-hashing.ts';
import type { Throttle } from '../passwords/throttle.ts';
import type { Store } from '../store.ts';
import type { AccountMail } from './account-mail.ts';
import type { AccountPassword } from './account-password.ts';
import { refused } from './governance.ts';
import { isBanned } from './identity.ts';
import type { MailPurpose, MailTokens } from './mail-tokens.ts';
import { roleOf } from './standing.ts';

const LINK_LIFETIME_MS = 3_600_000;

export interface AccountRecoveryInit {
  readonly store: Store;
  readonly passwords: Passwords;
  readonly password: AccountPassword;
  readonly sessionCache: SessionCache;
  readonly bootstrap: Bootstrap;
  readonly hooks: AccountHooks;
  readonly audit: Audit | undefined;
  readonly mail: AccountMail;
  readonly tokens: MailTokens;
  /** Counts requests for a new password. */
  readonly throttle: Throttle;
  readonly now: () => number;
  /** Throws for who may not sign in with a password. */
  readonly admit: (attempt: SignInAttempt) => Promise<unknown>;
}

interface Account {
  readonly id: string;
  readonly email: string;
  readonly role: string | null;
  /** Hash; `null` where the user signs in without one. */
  readonly password: string | null;
  readonly updatedAt: Date | string | number;
}

/** What a genuine token is about. */
interface Proven {
  readonly account: Account;
  /** The address that is proven. */
  readonly email: string;
}

const invalidLink = () =>
  new AtlasError('The link is not valid: it may have expired, or have been used already.', {
    code: 'invalid_request',
    reason: 'E_INVALID_TOKEN',
    libraryCode: 'INVALID_TOKEN',
    hint: 'Ask for a new one.',
  });

export class AccountRecovery {
  readonly #init: AccountRecoveryInit;

  constructor(init: AccountRecoveryInit) {
    this.#init = init;
  }

  /**
   * Mails a link to the user with the address, if there is one. The answer, and when it comes, are the same for every
   * address. Rejects with `rate_limited`.
   */
  async requestReset(given: string, ip: string, scope: Scope): Promise<void> {
    const email = given.toLowerCase();
    await this.#init.throttle.begin(email, ip);
    this.#init.mail.later(async () => {
      const account = await this.#accountOf({ email });
      if (account !== undefined) await this.#mailReset(account, scope);
    });
  }

  async #mailReset(account: Account, scope: Scope): Promise<void> {
    const { mail, admit } = this.#init;
    const { id: userId, email } = account;
    const letter = { kind: 'password', id: randomUUID(), to: email, subject: 'A new password for Atlas' } as const;
    const intro = `Somebody, probably you, has asked for a new password for the account of ${email} on Atlas.`;
    const refusal = await admit({ by: 'password', email, userId }).then(
      () => undefined,
      (error: unknown) => {
        if (error instanceof AtlasError && error.code === 'forbidden') return error.message;
        throw error;
      },
    );
    if (refusal !== undefined) {
      await mail.send({ ...letter, text: `${intro}\n\nThe account has no password to set: ${refusal}\n` }, scope);
      return;
    }
    const { path, until } = this.#link('reset-password', account, email);
    const text = `${intro}

To choose one, ${mail.toOpen(path)}

It works once, until ${until}. If it was not you, you need not do anything: the password stays as it is.
`;
    await mail.send({ ...letter, text }, scope);
  }

  /** Ends all sessions of the user. Throws `invalid_request` for a token that is not valid. */
  async reset(token: string, newPassword: string, scope: Scope): Promise<void> {
    const { store, passwords, sessionCache, audit, admit } = this.#init;
    const { account } = (await this.find('reset-password', token)) ?? refuseLink();
    const { id: userId, email } = account;
    await admit({ by: 'password', email, userId });
    const password = await passwords.hash(newPassword, { kind: 'sign-in', key: userId, signal: scope.signal });
    await store.transaction(async () => {
      if (!(await this.#setPassword(account, password))) throw invalidLink();
      await store.run((db) => db(TABLES.user).where({ id: userId }).update({ passwordChangeRequired: false }));
      await store.run((db) => db(TABLES.session).where({ userId }).delete());
      const target = { type: 'user', id: userId, label: email };
      await store.audited(audit, { action: 'user.password_reset', target }, await this.#actingFor(account, scope));
      sessionCache.invalidate(userId);
    });
  }

  /** False where another password has been set since the token was read. */
  async #setPassword({ id: userId, password: before }: Account, password: string): Promise<boolean> {
    const account = { userId, providerId: 'credential' };
    const updatedAt = this.#init.store.date();
    return this.#init.store.run(async (db) => {
      if (before !== null) {
        return (
          (await db(TABLES.account)
            .where({ ...account, password: before })
            .update({ password, updatedAt })) > 0
        );
      }
      const row = { id: randomUUID(), accountId: userId, password, createdAt: updatedAt, updatedAt, ...account };
      const made = await db(TABLES.account)
        .insert(row)
        .onConflict(['providerId', 'accountId'])
        .ignore()
        .returning('id');
      return made.length > 0;
    });
  }

  /**
   * Mails a link to the new address. The answer is the same for one that has an account, which gets no mail. Throws
   * `auth_error` for a wrong password, `conflict` without one, and `forbidden` for who may not change the address.
   */
  async requestEmailChange(scope: Scope, ip: string, given: string, password: string): Promise<void> {
    const { mail, admit, store } = this.#init;
    const newEmail = given.toLowerCase();
    const { userId } = await this.#init.password.verify(scope, ip, password);
    await admit({ by: 'password', email: newEmail, userId });
    const account = (await this.#accountOf({ id: userId })) ?? refuseLink();
    await this.#mustBeChangeable(account, scope);
    mail.later(async () => {
      const taken = await store.run((db) => db(TABLES.user).where({ email: newEmail }).first('id'));
      if (taken !== undefined) return;
      const { path, until } = this.#link('confirm-email', account, newEmail);
      const text = `You have asked to use this address, ${newEmail}, for your account on Atlas.

To confirm it, ${mail.toOpen(path)}

It works once, until ${until}. If it was not you, you need not do anything.
`;
      const subject = 'Confirm your address for Atlas';
      await mail.send({ kind: 'address', id: randomUUID(), to: newEmail, sender: userId, subject, text }, scope);
    });
  }

  /** Throws `invalid_request` for a token that is not valid, and `conflict` for an address that has an account by now. */
  async confirmEmail(token: string, scope: Scope): Promise<void> {
    const { store, sessionCache, audit, mail } = this.#init;
    const { account, email } = (await this.find('confirm-email', token)) ?? refuseLink();
    const { id: userId, email: before } = account;
    await this.#mustBeChangeable(account, scope);
    const changed = async () => {
      const changes = { email, emailVerified: true, updatedAt: this.#init.store.date() };
      const found = await store.run((db) => db(TABLES.user).where({ id: userId, email: before }).update(changes));
      if (found === 0) throw invalidLink();
      const target = { type: 'user', id: userId, label: email };
      const change = { action: 'user.email_changed', target, before: { email: before }, after: { email } };
      await store.audited(audit, change, await this.#actingFor(account, scope));
      sessionCache.invalidate(userId);
    };
    await store.transaction(changed).catch((error: unknown) => {
      throw databaseFailure(error);
    });
    mail.later(async () => {
      const text = `The address of your account on Atlas is ${email} from now on.

If it was not you who changed it, tell an administrator at once.
`;
      const subject = 'The address of your Atlas account has changed';
      await mail.send({ kind: 'notice', id: randomUUID(), to: before, subject, text }, scope);
    });
  }

  /** `undefined` for a token that is not valid, or not any more. */
  async find(purpose: MailPurpose, token: string): Promise<Proven | undefined> {
    const { tokens } = this.#init;
    const claims = tokens.claimsOf(token);
    const account = claims && (await this.#accountOf({ id: claims.userId }));
    if (claims === undefined || account === undefined) return undefined;
    return tokens.isGenuine(purpose, token, stateOf(account)) ? { account, email: claims.email } : undefined;
  }

  #link(purpose: MailPurpose, account: Account, email: string): { path: string; until: string } {
    const { tokens, now } = this.#init;
    const expiresAt = now() + LINK_LIFETIME_MS;
    const token = tokens.issue(purpose, { userId: account.id, email, expiresAt }, stateOf(account));
    return { path: `${BASE_PATH}/${purpose}?token=${token}`, until: new Date(expiresAt).toISOString() };
  }

  /** Finds the account of a user who is not banned. */
  async #accountOf(who: { readonly id: string } | { readonly email: string }): Promise<Account | undefined> {
    const { account, user } = TABLES;
    const [[column, value] = ['', '']] = Object.entries(who);
    const row = await this.#init.store.run((db) =>
      db(user)
        .leftJoin(account, (join) =>
          join.on(`${account}.userId`, `${user}.id`).onVal(`${account}.providerId`, 'credential'),
        )
        .where(`${user}.${column}`, value)
        .first(`${user}.id`, 'email', 'role', 'banned', 'banExpires', 'password', `${user}.updatedAt`),
    );
    if (row === undefined || isBanned({ ...row, banned: Boolean(row.banned) })) return undefined;
    return row;
  }

  async #mustBeChangeable({ id: userId, email }: Account, scope: Scope): Promise<void> {
    const { bootstrap, hooks, store } = this.#init;
    // Who signs up with that address becomes administrator, so it must not become free.
    if (bootstrap.roleByEmail(email) === 'admin') {
      throw refused(
        'This account has the address of SVC_ADMIN_EMAIL, which belongs to an administrator.',
        'Have that variable changed first.',
      );
    }
    const orgId = await firstOrganization(store, userId);
    await hooks.userChange({ userId, change: 'email', orgId, actorId: userId }, scope);
  }

  /** The user, who has proven by mail to be the one who acts. */
  async #actingFor(
    { id, email, role }: Account,
    { requestId }: Scope,
  ): Promise<Pick<Scope, 'actor' | 'orgId' | 'requestId'>> {
    const actor: Actor = { id, label: email, role: roleOf(role), mode: MANAGED_MODE.name, claims: {} };
    return { actor, orgId: await firstOrganization(this.#init.store, id), requestId };
  }
}

/** What the use of a token changes, one at least; the time never returns to what it was. */
const stateOf = ({ email, password, updatedAt }: Account) => [email, password, new Date(updatedAt).getTime()];

function refuseLink(): never {
  throw invalidLink();
}
