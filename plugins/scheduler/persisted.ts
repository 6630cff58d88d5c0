/** Calls the internal database for work that must not fail because it is away for a while. */
import { setTimeout as sleep } from 'node:timers/promises';
import { AtlasError } from '../../kernel/index.ts';

const PAUSE_MS = 500;
const LONGEST_MS = 60_000;

/** Tries again while the database is unavailable, for a minute. `call` must bear being made twice. */
export async function persisted<T>(call: () => Promise<T>): Promise<T> {
  const giveUpAt = performance.now() + LONGEST_MS;
  for (;;) {
    try {
      return await call();
    } catch (error) {
      const isAway = error instanceof AtlasError && error.code === 'unavailable';
      if (!isAway || performance.now() > giveUpAt) throw error;
    }
    await sleep(PAUSE_MS);
  }
}
