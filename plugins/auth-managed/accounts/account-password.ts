/** Changing one's own password, and having to. */
import { type Access, type Actor, AtlasError, type Scope } from '../../../kernel/index.ts';
import type { Audit } from '../../audit/index.ts';
import { sessionEnded } from '../better-auth/errors.ts';
import { BASE_PATH } from '../better-auth/instance.ts';
import type { SessionCache } from '../better-auth/session-cache.ts';
import type { SignInAttempt } from '../hooks.ts';
import { TABLES } from '../migrations.ts';
import type { Passwords } from '../passwords/password-hashing.ts';
import { hasPasswordLength, PASSWORD_LENGTH_RULE } from '../passwords/password-length.ts';
import type { Throttle } from '../passwords/throttle.ts';
import type { Store } from '../store.ts';

function unusable(message: string): AtlasError {
  return new AtlasError(`newPassword ${message}.`, {
    code: 'validation_error',
    details: [{ path: 'newPassword', message }],
  });
}

/** The only one of the library's endpoints that says who one is. */
export const GET_SESSION = `GET ${BASE_PATH}/get-session`;

/** Where the password is changed. */
const OWN_ACCOUNT = ' /api/v1/admin/me/';

/** Refuses everything but the session and the routes of one's own account while the actor has to change the password. */
export function refuseUntilChanged({ right, operation }: Access, { claims }: Actor): void {
  if (right === 'public' || claims.password_change_required !== true) return;
  if (right === 'self' && (operation === GET_SESSION || operation.includes(OWN_ACCOUNT))) return;
  throw new AtlasError('The password has to be changed first.', {
    code: 'forbidden',
    reason: 'E_PASSWORD_CHANGE_REQUIRED',
    hint: 'POST {"currentPassword", "newPassword"} to /api/v1/admin/me/password.',
  });
}

export interface AccountPasswordInit {
  readonly store: Store;
  readonly passwords: Passwords;
  readonly sessionCache: SessionCache;
  readonly throttle: Throttle;
  readonly audit: Audit | undefined;
  /** Throws for who may not sign in with a password. */
  readonly admit: (attempt: SignInAttempt) => Promise<unknown>;
}

export class AccountPassword {
  readonly #init: AccountPasswordInit;

  constructor(init: AccountPasswordInit) {
    this.#init = init;
  }

  /**
   * Asks the database, so that it is true on every server at once. Throws `not_available` for who is no user, and
   * `auth_error` for who is none any more.
   */
  async isChangeRequired(actor: Actor): Promise<boolean> {
    const id = userIdOf(actor);
    const row = await this.#init.store.run((db) => db(TABLES.user).where({ id }).first('passwordChangeRequired'));
    if (row === undefined) throw sessionEnded();
    return Boolean(row.passwordChangeRequired);
  }

  /**
   * Ends the user's other sessions. Throws `auth_error` for a wrong current password, `validation_error` for a new one
   * that cannot be used, `rate_limited` after too many wrong ones, `forbidden` where passwords are refused.
   */
  async change(scope: Scope, ip: string, currentPassword: string, newPassword: string): Promise<void> {
    const { store, passwords, sessionCache, audit } = this.#init;
    const { actor } = scope;
    const { userId, stored } = await this.verify(scope, ip, currentPassword);
    if (!hasPasswordLength(newPassword)) throw unusable(PASSWORD_LENGTH_RULE);
    if (newPassword.normalize('NFKC') === currentPassword.normalize('NFKC'))
      throw unusable('must not be the current one');
    const account = { userId, providerId: 'credential', password: stored };
    const password = await passwords.hash(newPassword, { kind: 'member', key: userId });
    await store.transaction(async () => {
      // The second of two changes at once finds its current password gone.
      const changed = await store.run((db) => db(TABLES.account).where(account).update({ password }));
      if (changed === 0) throw new AtlasError('The password has just been changed elsewhere.', { code: 'conflict' });
      await store.run((db) => db(TABLES.user).where({ id: userId }).update({ passwordChangeRequired: false }));
      await store.run((db) =>
        db(TABLES.session)
          .where({ userId })
          .whereNot({ id: String(actor.claims.sid) })
          .delete(),
      );
      const target = { type: 'user', id: userId, label: actor.label };
      await store.audited(audit, { action: 'user.password_changed', target }, scope);
      sessionCache.invalidate(userId);
    });
  }

  /**
   * Resolves to the user, and to the stored hash that the password matches. Throws `auth_error` for a wrong one,
   * `rate_limited` after too many of them, `conflict` where there is none, `forbidden` where passwords are refused.
   */
  async verify({ actor }: Scope, ip: string, currentPassword: string): Promise<{ userId: string; stored: string }> {
    const { store, passwords, throttle, admit } = this.#init;
    const userId = userIdOf(actor);
    await admit({ by: 'password', email: actor.label ?? '', userId });
    const account = { userId, providerId: 'credential' };
    const stored = await store.run((db) => db(TABLES.account).where(account).first('password'));
    if (typeof stored?.password !== 'string') {
      if ((await store.run((db) => db(TABLES.user).where({ id: userId }).first('id'))) === undefined) {
        throw sessionEnded();
      }
      throw new AtlasError('This account has no password.', { code: 'conflict', hint: 'Sign in as you did before.' });
    }
    const turn = { kind: 'member', key: userId } as const;
    const attempt = await throttle.begin(`password of ${userId}`, ip);
    let right: boolean;
    try {
      right = await passwords.verify(stored.password, currentPassword, turn);
    } catch (error) {
      await attempt.undone();
      throw error;
    }
    if (!right) {
      throw new AtlasError('The current password is wrong.', { code: 'auth_error', reason: 'E_PASSWORD_WRONG' });
    }
    await attempt.succeeded();
    return { userId, stored: stored.password };
  }
}

/** Throws `not_available` for an actor who did not come by a session. */
function userIdOf({ id, mode }: Actor): string {
  if (id !== null && mode === 'managed') return id;
  throw new AtlasError('Only users who sign in with a password have one to change.', {
    code: 'not_available',
    hint: 'Sign in with an account of this server.',
  });
}
