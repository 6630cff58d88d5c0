/** Rows that nobody will ask for any more: sessions and single-use values that have expired. */
import { type Logger, messageOf } from '../../kernel/index.ts';
import { TABLES } from './migrations.ts';
import type { Store } from './store.ts';

const EVERY_MS = 3_600_000;

async function deleteExpired(store: Store): Promise<void> {
  const now = new Date();
  const until = store.dialect === 'sqlite' ? now.toISOString() : now;
  for (const table of [TABLES.session, TABLES.verification]) {
    await store.run((db) => db(table).where('expiresAt', '<', until).delete());
  }
}

/** Deletes them now and every hour. Returns how to stop. */
export function keepDeletingExpired(store: Store, log: Logger): () => void {
  const run = () =>
    deleteExpired(store).catch((error: unknown) => {
      log.debug({ error: messageOf(error) }, 'Expired sessions could not be deleted; the next hour will.');
    });
  void run();
  const timer = setInterval(run, EVERY_MS).unref();
  return () => clearInterval(timer);
}
