/**
 * Signs what a link in a mail proves: that the person who opens it reads the mails to an address. Nothing is stored. A
 * token works once and until its time is over, because it is bound to what its use changes.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

export type MailPurpose = 'reset-password' | 'confirm-email';

export interface MailClaims {
  readonly userId: string;
  /** The address that the mail goes to. */
  readonly email: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

export class MailTokens {
  readonly #key: Buffer;
  readonly #now: () => number;

  /** `secret` signs other things, too. */
  constructor(secret: string, now: () => number) {
    this.#key = createHmac('sha256', secret).update('atlas: links in mails about accounts').digest();
    this.#now = now;
  }

  /** `state`: what is true of the user until the token is used. */
  issue(purpose: MailPurpose, { userId, email, expiresAt }: MailClaims, state: readonly unknown[]): string {
    const claims = Buffer.from(JSON.stringify([userId, email, expiresAt])).toString('base64url');
    return `${claims}.${this.#sign(purpose, claims, state).toString('base64url')}`;
  }

  /** What the token claims; `undefined` for one that has expired, or is none. Proves nothing before `isGenuine`. */
  claimsOf(token: string): MailClaims | undefined {
    const claims = /^([\w-]{1,1000})\.[\w-]{43}$/.exec(token)?.[1];
    if (claims === undefined) return undefined;
    try {
      const [userId, email, expiresAt] = JSON.parse(Buffer.from(claims, 'base64url').toString());
      if (typeof userId !== 'string' || typeof email !== 'string' || typeof expiresAt !== 'number') return undefined;
      return expiresAt > this.#now() ? { userId, email, expiresAt } : undefined;
    } catch {
      return undefined;
    }
  }

  isGenuine(purpose: MailPurpose, token: string, state: readonly unknown[]): boolean {
    const [claims = '', signature = ''] = token.split('.');
    const given = Buffer.from(signature, 'base64url');
    const expected = this.#sign(purpose, claims, state);
    return given.length === expected.length && timingSafeEqual(given, expected);
  }

  #sign(purpose: MailPurpose, claims: string, state: readonly unknown[]): Buffer {
    return createHmac('sha256', this.#key)
      .update(JSON.stringify([purpose, claims, ...state]))
      .digest();
  }
}
