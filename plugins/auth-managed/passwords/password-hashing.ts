/** Hashes and verifies passwords, a few at a time: each takes 32 MiB and a core for a while. */
import { hashPassword, verifyPassword } from 'better-auth/crypto';
import { FairQueue } from './fair-queue.ts';

/**
 * Who waits for a hash. Each kind has separate places, so that a flood of one does not delay another: `member` is a
 * user who is known here, `sign-in` a person who claims to have an account, `sign-up` any person.
 */
export interface HashTurn {
  readonly kind: 'member' | 'sign-in' | 'sign-up';
  /** Turns are taken between keys: a user, or an address. */
  readonly key: string;
  readonly signal?: AbortSignal;
}

const SERVER: HashTurn = { kind: 'member', key: '' };

export class Passwords {
  /** Node has four threads for this; all of them are taken only when everything is flooded at once. */
  readonly #queues: Readonly<Record<HashTurn['kind'], FairQueue>> = {
    member: new FairQueue({ atOnce: 1, mostWaiting: 100 }),
    'sign-in': new FairQueue({ atOnce: 2, mostWaiting: 200 }),
    'sign-up': new FairQueue({ atOnce: 1, mostWaiting: 100 }),
  };

  hash(password: string, turn: HashTurn = SERVER): Promise<string> {
    return this.#queues[turn.kind].run(turn.key, () => hashPassword(password), turn.signal);
  }

  verify(hash: string, password: string, turn: HashTurn = SERVER): Promise<boolean> {
    return this.#queues[turn.kind].run(turn.key, () => verifyPassword({ hash, password }), turn.signal);
  }
}
