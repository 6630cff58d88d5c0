/** Reads and writes which answers are shared, each organization's apart. */
import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { AtlasError } from '../../kernel/index.ts';
import { type AnswerRef, CONVERSATION_TABLES } from '../conversations/index.ts';
import type { InternalDb } from '../internal-db/index.ts';
import { SHARES } from './migrations.ts';

export interface ShareRow {
  readonly id: string;
  /** Empty: of no organization. */
  readonly org_id: string;
  /** Who shares it; empty for no user. */
  readonly user_id: string;
  readonly conversation_id: string;
  readonly message_id: string;
  readonly created_at: string;
}

export interface Sharer {
  readonly orgId: string | null;
  readonly userId: string | null;
}

export class ShareStore {
  readonly #db: InternalDb;

  constructor(db: InternalDb) {
    this.#db = db;
  }

  /** The share of the answer, which is made unless there is one. Rejects with `not_found` when the answer is deleted meanwhile. */
  async add({ conversationId, messageId }: AnswerRef, { orgId, userId }: Sharer, at: string): Promise<ShareRow> {
    const row: ShareRow = {
      id: randomUUID(),
      org_id: orgId ?? '',
      user_id: userId ?? '',
      conversation_id: conversationId,
      message_id: messageId,
      created_at: at,
    };
    return this.#db.transaction(async (trx) => {
      const message = { id: messageId, conversation_id: conversationId };
      if ((await trx(CONVERSATION_TABLES.messages).where(message).forUpdate().first('id')) === undefined)
        throw notFound();
      await trx(SHARES).insert(row).onConflict('message_id').ignore();
      return (await of(trx, orgId).where({ message_id: messageId }).first()) ?? Promise.reject(notFound());
    });
  }

  /** Rejects with `not_found` for one that does not exist or is another organization's, alike. */
  async find(orgId: string | null, id: string): Promise<ShareRow> {
    return (await this.#db.run((db) => of(db, orgId).where({ id }).first())) ?? Promise.reject(notFound());
  }

  /** `along` is called in the transaction, and refuses by throwing. */
  async remove(
    orgId: string | null,
    id: string,
    along: (share: ShareRow, trx: Knex.Transaction) => Promise<void>,
  ): Promise<void> {
    await this.#db.transaction(async (trx) => {
      const share = await of(trx, orgId).where({ id }).forUpdate().first();
      if (share === undefined) throw notFound();
      await along(share, trx);
      await of(trx, orgId).where({ id }).delete();
    });
  }
}

const of = (db: Knex, orgId: string | null) => db<ShareRow>(SHARES).where({ org_id: orgId ?? '' });

export const notFound = () =>
  new AtlasError('There is no such shared answer.', {
    code: 'not_found',
    hint: 'It may have been withdrawn, or deleted with its conversation; ask for a new link.',
  });
