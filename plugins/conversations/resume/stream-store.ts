/** Reads and writes what servers tell each other of a running answer: columns of its message. */
import type { InternalDb } from '../../internal-db/index.ts';
import { MESSAGES } from '../migrations.ts';
import type { FollowedRow, StreamRow } from '../rows.ts';

const FOLLOWED_COLUMNS = ['id', 'role', 'state', 'writer', 'stream', 'finish', 'updated_at'] as const;

export class StreamStore {
  readonly #db: InternalDb;

  constructor(db: InternalDb) {
    this.#db = db;
  }

  /** The newest message of a conversation, without its parts. */
  newest(conversationId: string): Promise<Omit<FollowedRow, 'parts'> | undefined> {
    return this.#db.run((db) =>
      db(MESSAGES)
        .where({ conversation_id: conversationId })
        .orderBy('position', 'desc')
        .first(...FOLLOWED_COLUMNS),
    );
  }

  /** A message as it is now; its parts, which may be long, only if it was written since. */
  followed(id: string, since: string): Promise<FollowedRow | undefined> {
    return this.#db.run((db) =>
      db(MESSAGES)
        .where({ id })
        .first(
          ...FOLLOWED_COLUMNS,
          db.raw(`CASE WHEN state <> 'running' OR updated_at <> ? THEN CAST(parts AS TEXT) END AS parts`, [since]),
        ),
    );
  }

  /** Tells the server that gives the answer that somebody reads it. */
  async read(id: string): Promise<void> {
    await this.#db.run((db) => db(MESSAGES).where({ id }).increment('readings', 1));
  }

  /** Whoever may take the answer up again has got its end. */
  async delivered(id: string): Promise<void> {
    await this.#db.run((db) => db(MESSAGES).where({ id, stream: 'open' }).update({ stream: null }));
  }

  /** Asks the servers that give answers of this conversation to end them. Resolves to how many there are. */
  stop(conversationId: string): Promise<number> {
    return this.#db.run((db) =>
      db(MESSAGES)
        .where({ conversation_id: conversationId, state: 'running', stream: 'open' })
        .update({ stream: 'stopped' }),
    );
  }

  streams(ids: readonly string[]): Promise<StreamRow[]> {
    return this.#db.run((db) => db(MESSAGES).whereIn('id', ids).select('id', 'stream', 'readings'));
  }
}
