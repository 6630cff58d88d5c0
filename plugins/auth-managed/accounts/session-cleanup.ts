/**
 * Deletes expired sessions and single-use values every hour, ends sessions in organizations that a user has left, and adds
 * up the counts of users.
 */
import { type Logger, messageOf } from '../../../kernel/index.ts';
import { TABLES } from '../migrations.ts';
import type { Store } from '../store.ts';
import type { Organizations } from './organizations.ts';
import type { UserDirectory } from './user-directory.ts';

const EVERY_MS = 3_600_000;

async function deleteExpired(store: Store): Promise<void> {
  const until = store.date();
  for (const table of [TABLES.session, TABLES.verification]) {
    await store.run((db) => db(table).where('expiresAt', '<', until).delete());
  }
}

interface CleanupParts {
  readonly store: Store;
  readonly organizations: Organizations;
  readonly directory: UserDirectory;
}

/**
 * Runs now and every hour. Returns how to stop. Members leave in the library's transaction and their sessions right
 * after it; this finishes what a server that died in between has left.
 */
export function startSessionCleanup({ store, organizations, directory }: CleanupParts, log: Logger): () => void {
  const run = async () => {
    try {
      await deleteExpired(store);
      await organizations.settleMembers();
      await directory.compact();
    } catch (error) {
      log.debug({ error: messageOf(error) }, 'Expired sessions could not be deleted; the next hour will.');
    }
  };
  void run();
  const timer = setInterval(run, EVERY_MS).unref();
  return () => clearInterval(timer);
}
