/** Reports whether the internal database answers. */
import { type HealthItem, messageOf, withTimeout } from '../../kernel/index.ts';
import type { Database } from './database.ts';
import { unavailable } from './errors.ts';

const PROBE_MS = 2_000;

/** One question at a time: while one hangs, the next report waits for the same. */
export function probeOf(database: Database): () => Promise<HealthItem> {
  let asked: Promise<void> | undefined;
  const ask = () => {
    asked ??= database
      .run(async (db) => {
        await db.raw('select 1');
      })
      .finally(() => {
        asked = undefined;
      });
    return asked;
  };
  return async () => {
    const startedAt = performance.now();
    try {
      await withTimeout(ask(), PROBE_MS, () => {
        throw unavailable('it does not answer');
      });
      return { component: 'internalDb', status: 'ok', latencyMs: Math.round(performance.now() - startedAt) };
    } catch (error) {
      return { component: 'internalDb', status: 'error', message: messageOf(error) };
    }
  };
}
