/** Keeps by which calls of tools first questions were answered, with the messages that are the answers. */
import type { InternalDb } from '../../internal-db/index.ts';
import { MESSAGES, REUSE } from '../migrations.ts';
import type { Feedback } from '../rows.ts';

/** Rows that are looked at for one question, and that are kept of it without a rating. */
const MAX_ROWS = 20;

export interface ReusableAnswer {
  /** Tool and arguments of each call that ran a statement, one a line. */
  readonly calls: string;
  /** JSON: `{sql, connectionId}` of each statement. */
  readonly statements: string;
  /** What the policies made of them. */
  readonly policy: string;
  /** The only day, in UTC, for which the answer holds: `2026-11-30`. */
  readonly day: string | null;
}

export type RatedAnswer = ReusableAnswer & { readonly rating: Feedback['rating'] | null };

export class ReuseStore {
  readonly #db: InternalDb;

  constructor(db: InternalDb) {
    this.#db = db;
  }

  /** Answers to the question of that key: those that were rated down, then those that were rated up, then the latest. */
  find(key: string): Promise<RatedAnswer[]> {
    return this.#db.run((db) =>
      db(`${REUSE} as reuse`)
        .join(`${MESSAGES} as message`, 'message.id', 'reuse.message_id')
        .where('reuse.question_key', key)
        .orderByRaw(`CASE message.rating WHEN 'bad' THEN 0 WHEN 'good' THEN 1 ELSE 2 END, message.position DESC`)
        .limit(MAX_ROWS)
        .select('reuse.calls', 'reuse.statements', 'reuse.policy', 'reuse.day', 'message.rating'),
    );
  }

  /** Forgets the oldest without a rating, so that a question that a program asks every minute is not looked up among all. */
  async add(messageId: string, key: string, answer: ReusableAnswer): Promise<void> {
    await this.#db.run((db) => db(REUSE).insert({ message_id: messageId, question_key: key, ...answer }));
    await this.#db.run((db) => {
      const oldest = db(`${REUSE} as reuse`)
        .join(`${MESSAGES} as message`, 'message.id', 'reuse.message_id')
        .where('reuse.question_key', key)
        .whereNull('message.rating')
        .orderBy('message.position', 'desc')
        .offset(MAX_ROWS)
        .select('reuse.message_id');
      return db(REUSE).whereIn('message_id', oldest).delete();
    });
  }
}
