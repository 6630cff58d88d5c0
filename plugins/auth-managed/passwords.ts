/** Password hashes, made a few at a time: each takes 32 MiB and a core for a while. */
import { hashPassword, verifyPassword } from 'better-auth/crypto';
import { AtlasError } from '../../kernel/index.ts';

const AT_ONCE = 2;
/** About ten seconds of work; who comes later is better told than left waiting. */
const MOST_WAITING = 200;

export class Passwords {
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  hash(password: string): Promise<string> {
    return this.#inTurn(() => hashPassword(password));
  }

  verify(hash: string, password: string): Promise<boolean> {
    return this.#inTurn(() => verifyPassword({ hash, password }));
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= AT_ONCE) {
      if (this.#waiting.length >= MOST_WAITING) {
        throw new AtlasError('Too many people sign in right now.', {
          code: 'overloaded',
          hint: 'Try again in a few seconds.',
          retryAfterSeconds: 5,
        });
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else {
      this.#running += 1;
    }
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      // The place goes to the next one in line without becoming free in between.
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}
