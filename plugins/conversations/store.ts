/** Reads and writes conversations and their messages in the internal database. */
import type { Knex } from 'knex';
import { AtlasError } from '../../kernel/index.ts';
import { readPage, type SortedPage } from '../admin-kit/index.ts';
import type { InternalDb, RowWrite } from '../internal-db/index.ts';
import { CONVERSATIONS, COUNTS, MESSAGES } from './migrations.ts';
import type { MessagePart, TextPart } from './parts.ts';
import { rowStatements } from './row-statements.ts';
import type {
  ConversationRow,
  Feedback,
  MessageRow,
  MessageUpdate,
  NamedRow,
  Owner,
  RatedRow,
  SaidRow,
} from './rows.ts';
import { CONVERSATION_ORDERS } from './schemas.ts';
import { searched } from './search.ts';

/** The parts whose type is `text`. PostgreSQL looks at them as they are written, as it cannot read every text. */
const TEXT_PARTS = {
  sqlite: `(SELECT json_group_array(json(value)) FROM json_each(parts) WHERE value ->> 'type' = 'text')`,
  postgres: `(SELECT COALESCE(json_agg(part), '[]')::text FROM json_array_elements(parts) AS part
    WHERE part::text LIKE '{"type":"text",%')`,
};

/** PostgreSQL fails on any other text as an id. */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Limit for the messages of one page, in characters of their JSON. */
const PAGE_LENGTH = 8 * 1024 * 1024;
const DELETION_BATCH = 100;
/** In which the last query of a conversation is looked for. */
const LAST_ANSWERS = 3;

interface Filter {
  readonly starred?: boolean | undefined;
  /** Text in the title or in what was said. */
  readonly search?: string | undefined;
}

export class ConversationStore {
  readonly #db: InternalDb;
  readonly #statements: ReturnType<typeof rowStatements>;

  constructor(db: InternalDb) {
    this.#db = db;
    this.#statements = rowStatements(db.dialect);
  }

  /** By default the latest first. */
  async list(
    owner: Owner,
    { starred, search = '', ...page }: SortedPage<typeof CONVERSATION_ORDERS> & Filter,
    isSqlShown: boolean,
  ): Promise<{ rows: ConversationRow[]; total: number }> {
    const narrow = search.trim() === '' ? undefined : await searched(this.#db, owner, search, isSqlShown);
    return this.#db.run((db) => {
      const matching = () => {
        const query = db(CONVERSATIONS).where({ ...owner, ...(starred !== undefined && { starred }) });
        narrow?.(query);
        return query;
      };
      const total = async () => {
        const { total: all = 0, starred: stars = 0 } = (await db(COUNTS).where(owner).first()) ?? {};
        return starred === undefined ? all : starred ? stars : all - stars;
      };
      const order = CONVERSATION_ORDERS.order(page.sort);
      return readPage<ConversationRow>({ matching, order, ...(narrow === undefined && { total }) }, page);
    });
  }

  /** Rejects with `not_found` for one that does not exist or belongs to another user, alike. */
  async find(owner: Owner, id: string): Promise<ConversationRow> {
    if (!UUID.test(id)) throw notFound();
    const row = await this.#db.run((db) =>
      db(CONVERSATIONS)
        .where({ ...owner, id })
        .first(),
    );
    return row ?? Promise.reject(notFound());
  }

  /** The same, also by the name that its client has given it. */
  async findNamed(owner: Owner, name: string): Promise<Pick<ConversationRow, 'id'>> {
    if (UUID.test(name)) return this.find(owner, name.toLowerCase());
    const row = await this.#db.run((db) =>
      db(CONVERSATIONS)
        .where({ ...owner, client_name: name })
        .first('id'),
    );
    return row ?? Promise.reject(notFound());
  }

  /**
   * Id of the owner's conversation of the row's name, or without a name of its id; where there is none, the row is
   * stored. Rejects with `not_found` when the id belongs to another user.
   */
  async findOrCreate(row: NamedRow): Promise<string> {
    const { id, user_id, org_id, client_name } = row;
    const owner = { user_id, org_id };
    const key = client_name === null ? { ...owner, id } : { ...owner, client_name };
    const found = await this.#db.run((db) => db(CONVERSATIONS).where(key).first('id'));
    if (found !== undefined) return found.id;
    return this.#db.transaction(async (db) => {
      const created: unknown[] = await db(CONVERSATIONS).insert(row).onConflict().ignore().returning('id');
      if (created.length > 0) {
        await count(db, owner, 1, 0);
        return id;
      }
      // Another request of the same client was faster, or the id belongs to another user.
      const other = await db(CONVERSATIONS).where(key).first('id');
      return other === undefined ? Promise.reject(notFound()) : other.id;
    });
  }

  /**
   * Deletes what follows the last message of the user, or the last one with these parts. Resolves to whether there is such
   * a message, with these parts.
   */
  async rewind(id: string, parts: string, which: 'last' | 'any'): Promise<boolean> {
    return this.#db.transaction(async (db) => {
      const questions = db(MESSAGES).where({ conversation_id: id, role: 'user' });
      if (which === 'any') questions.whereRaw('CAST(parts AS TEXT) = ?', [parts]);
      const asked = await questions.orderBy('position', 'desc').first('position', 'parts');
      if (asked?.parts !== parts) return false;
      await db(MESSAGES).where({ conversation_id: id }).where('position', '>', asked.position).delete();
      return true;
    });
  }

  /** In order, the newest but `offset`: as many as `limit` and the size of a page allow, at least one. */
  async messages(id: string, limit: number, offset: number): Promise<{ rows: RatedRow[]; total: number }> {
    const [rows, counted] = await Promise.all([
      this.#db.run((db) => {
        const newest = db(MESSAGES)
          .where({ conversation_id: id })
          .orderBy('position', 'desc')
          .limit(limit)
          .offset(offset);
        const sized = db(newest.as('newest')).select(
          '*',
          db.raw('ROW_NUMBER() OVER (ORDER BY position DESC) AS place'),
          db.raw('SUM(LENGTH(CAST(parts AS TEXT))) OVER (ORDER BY position DESC) AS length'),
        );
        return db(sized.as('sized')).where('place', 1).orWhere('length', '<=', PAGE_LENGTH).orderBy('position');
      }),
      this.#db.run((db) => db(MESSAGES).where({ conversation_id: id }).count({ total: '*' }).first()),
    ]);
    return { rows: rows as RatedRow[], total: Number(counted?.total ?? 0) };
  }

  /** The texts of the last messages, in order. What tools answered, which is most of a message, is not read. */
  async said(id: string, last: number): Promise<{ rows: SaidRow[]; total: number }> {
    const found: Record<keyof SaidRow | 'total', unknown>[] = await this.#db.run((db) =>
      db(MESSAGES)
        .where({ conversation_id: id })
        .orderBy('position', 'desc')
        .limit(last)
        .select('role', 'position', {
          parts: db.raw(TEXT_PARTS[this.#db.dialect]),
          total: db(MESSAGES).where({ conversation_id: id }).count(),
        }),
    );
    const saidOf = ({ role, position, parts }: Record<keyof SaidRow, unknown>) => ({
      role: role as MessageRow['role'],
      position: Number(position),
      parts: JSON.parse(parts as string) as TextPart[],
    });
    return { rows: found.reverse().map(saidOf), total: Number(found[0]?.total ?? 0) };
  }

  /** The parts of the last answers in which a tool was called, the newest first. */
  async lastAnswers(id: string): Promise<MessagePart[][]> {
    const found: { parts: string }[] = await this.#db.run((db) =>
      db(MESSAGES)
        .where({ conversation_id: id, role: 'assistant' })
        .whereRaw(`CAST(parts AS TEXT) LIKE '%"tool-%'`)
        .orderBy('position', 'desc')
        .limit(LAST_ANSWERS)
        .select({ parts: db.raw('CAST(parts AS TEXT)') }),
    );
    return found.map(({ parts }) => JSON.parse(parts) as MessagePart[]);
  }

  /** A new conversation with its first messages. */
  create(conversation: ConversationRow, messages: readonly MessageRow[]): Promise<void> {
    const { conversations, counts } = this.#statements;
    const { user_id, org_id } = conversation;
    return this.#db.write([
      { statement: conversations, row: { ...conversation } },
      ...this.#inserts(messages),
      { statement: counts, row: { user_id, org_id } },
    ]);
  }

  /** Further messages. Rejects when the conversation has been deleted meanwhile. */
  append(conversationId: string, messages: readonly MessageRow[], at: string): Promise<void> {
    const touched = { statement: this.#statements.touched, row: { id: conversationId, updated_at: at } };
    return this.#db.write([touched, ...this.#inserts(messages)]);
  }

  /** What a message says now. */
  update(update: MessageUpdate): Promise<void> {
    return this.#db.write([{ statement: this.#statements.updates, row: { ...update } }]);
  }

  #inserts(messages: readonly MessageRow[]): RowWrite[] {
    return messages.map((row) => ({ statement: this.#statements.messages, row: { ...row } }));
  }

  /** Gives the conversation another title, and resolves to it. */
  async rename(owner: Owner, id: string, title: string): Promise<ConversationRow> {
    const changed: ConversationRow[] = await this.#db.run((db) =>
      db(CONVERSATIONS)
        .where({ ...owner, id })
        .update({ title })
        .returning('*'),
    );
    return changed[0] ?? Promise.reject(notFound());
  }

  /** Stores what the user says of an answer, in place of what they said before. */
  async rate(conversationId: string, id: string, { rating, reason }: Feedback): Promise<void> {
    const changed = await this.#db.run((db) =>
      db(MESSAGES)
        .where({ id, conversation_id: conversationId, role: 'assistant' })
        .update({ rating, rating_reason: reason }),
    );
    if (changed === 0) throw noAnswer();
  }

  /** The parts of an answer and of the message that it answers. */
  async answered(
    conversationId: string,
    id: string,
  ): Promise<{ question: MessagePart[]; answer: MessagePart[] } | undefined> {
    const of = { conversation_id: conversationId };
    const answer = await this.#db.run((db) =>
      db(MESSAGES)
        .where({ ...of, id, role: 'assistant' })
        .first('position', 'parts'),
    );
    if (answer === undefined) return undefined;
    const asked = await this.#db.run((db) =>
      db(MESSAGES)
        .where({ ...of, role: 'user' })
        .where('position', '<', answer.position)
        .orderBy('position', 'desc')
        .first('parts'),
    );
    return { question: JSON.parse(asked?.parts ?? '[]'), answer: JSON.parse(answer.parts) };
  }

  star(owner: Owner, id: string, starred: boolean): Promise<void> {
    return this.#db.transaction(async (db) => {
      const changed = await db(CONVERSATIONS)
        .where({ ...owner, id, starred: !starred })
        .update({ starred });
      if (changed > 0) return count(db, owner, 0, starred ? 1 : -1);
      const row = await db(CONVERSATIONS)
        .where({ ...owner, id })
        .first('id');
      if (row === undefined) throw notFound();
    });
  }

  /**
   * Deletes all conversations of a user or of an organization, or makes them `heir`'s, who then has them under no client's
   * name. In batches, so that others can write meanwhile.
   */
  async leave(of: Partial<Owner>, heir: string | undefined): Promise<void> {
    let left = true;
    while (left) {
      left = await this.#db.transaction(async (db) => {
        const rows: Pick<ConversationRow, 'id' | 'user_id' | 'org_id' | 'starred'>[] = await db(CONVERSATIONS)
          .where(of)
          .limit(DELETION_BATCH)
          .forUpdate()
          .select('id', 'user_id', 'org_id', 'starred');
        const batch = db(CONVERSATIONS).whereIn(
          'id',
          rows.map(({ id }) => id),
        );
        if (heir === undefined) await batch.delete();
        else await batch.update({ user_id: heir, client_name: null });
        for (const moved of Map.groupBy(rows, (row) => JSON.stringify([row.user_id, row.org_id])).values()) {
          const [{ user_id, org_id }] = moved as [ConversationRow];
          const stars = moved.filter(({ starred }) => starred).length;
          await count(db, { user_id, org_id }, -moved.length, -stars);
          if (heir !== undefined) await count(db, { user_id: heir, org_id }, moved.length, stars);
        }
        return rows.length > 0;
      });
    }
    await this.#db.run((db) =>
      db(COUNTS)
        .where({ ...of, total: 0 })
        .delete(),
    );
  }

  delete(owner: Owner, id: string): Promise<void> {
    return this.#db.transaction(async (db) => {
      const row = await db(CONVERSATIONS)
        .where({ ...owner, id })
        .forUpdate()
        .first('starred');
      if (row === undefined) throw notFound();
      await db(CONVERSATIONS).where({ id }).delete();
      await count(db, owner, -1, row.starred ? -1 : 0);
    });
  }
}

export const noAnswer = () =>
  new AtlasError('There is no such answer in this conversation.', {
    code: 'not_found',
    hint: 'GET /api/v1/conversations/:id lists its messages; those of the role "assistant" are answers.',
  });

const notFound = () =>
  new AtlasError('There is no such conversation.', {
    code: 'not_found',
    hint: 'GET /api/v1/conversations lists yours.',
  });

async function count(db: Knex.Transaction, owner: Owner, total: number, starred: number): Promise<void> {
  await db(COUNTS)
    .insert({ ...owner, total, starred })
    .onConflict(['user_id', 'org_id'])
    .merge({
      total: db.raw('?? + ?', [`${COUNTS}.total`, total]),
      starred: db.raw('?? + ?', [`${COUNTS}.starred`, starred]),
    });
}
