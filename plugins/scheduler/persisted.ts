/** Writes what must not be lost, also when the internal database is away for a while. */
import { setTimeout as sleep } from 'node:timers/promises';
import { AtlasError } from '../../kernel/index.ts';

const PAUSE_MS = 500;
const LONGEST_MS = 60_000;

/** Tries again while the database is unavailable, for a minute. What is written must be the same each time. */
export async function persisted(write: () => Promise<void>): Promise<void> {
  const giveUpAt = performance.now() + LONGEST_MS;
  for (;;) {
    try {
      return await write();
    } catch (error) {
      const isAway = error instanceof AtlasError && error.code === 'unavailable';
      if (!isAway || performance.now() > giveUpAt) throw error;
    }
    await sleep(PAUSE_MS);
  }
}
