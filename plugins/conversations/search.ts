/** Finds conversations by a text in their titles and messages, in whatever case, as both databases compare it. */
import type { Knex } from 'knex';
import { ANY_CASE, type InternalDb } from '../internal-db/index.ts';
import { CONVERSATIONS, MESSAGES } from './migrations.ts';
import type { Owner } from './rows.ts';

/** The latest conversations of a user, whose messages are looked through; of older ones only the title is. */
const SEARCHED_CONVERSATIONS = 500;
/** How much room the newest messages of these may take in the database. */
const SEARCHED_BYTES = 16 * 1024 * 1024;

/** How large a message is, and whether it has a text that matches. */
const MESSAGE = {
  sqlite: {
    bytes: 'octet_length(parts)',
    matches: `EXISTS (SELECT 1 FROM json_each(parts) WHERE value ->> 'type' = 'text' AND value ->> 'text' GLOB ?)`,
  },
  postgres: {
    bytes: 'pg_column_size(parts)',
    // A text with NUL or half a character is compared as it is written, because PostgreSQL cannot read it.
    matches: `EXISTS (SELECT 1 FROM json_array_elements(parts) AS part
      WHERE part::text LIKE '{"type":"text",%' AND
        CASE WHEN part::text ~ '\\\\u(0000|d[89a-f])'
          THEN left(substr(part::text, length('{"type":"text","text":"') + 1), -2) ELSE part ->> 'text' END ~ ?)`,
  },
} satisfies Record<InternalDb['dialect'], object>;

/** Narrows a query of conversations. */
export type Narrowing = (query: Knex.QueryBuilder) => void;

/** Resolves to what narrows a query of the owner's conversations to those with the text, which answers may hide as SQL. */
export async function searched(db: InternalDb, owner: Owner, search: string, isSqlShown: boolean): Promise<Narrowing> {
  const { operator, pattern } = ANY_CASE[db.dialect];
  const { bytes, matches } = MESSAGE[db.dialect];
  const wanted = pattern(search.trim());
  const found: { conversation_id: string }[] = await db.run((knex) => {
    const latest = knex(CONVERSATIONS).where(owner).orderBy('updated_at', 'desc').limit(SEARCHED_CONVERSATIONS);
    const sized = knex(MESSAGES)
      .join(latest.select('id', 'updated_at').as('latest'), 'latest.id', 'conversation_id')
      .where((query) => (isSqlShown ? query : query.where({ role: 'user' })))
      .select(`${MESSAGES}.id`)
      .select(knex.raw(`sum(${bytes}) OVER (ORDER BY latest.updated_at DESC, latest.id, position DESC) AS bytes`));
    return (
      knex
        .with('sized', sized)
        .from('sized')
        .join(MESSAGES, `${MESSAGES}.id`, 'sized.id')
        // Beyond the bound no text is read, in whichever order the database decides.
        .whereRaw(`CASE WHEN bytes <= ? THEN ${matches} ELSE false END`, [SEARCHED_BYTES, wanted])
        .distinct('conversation_id')
    );
  });
  return (query) => {
    query.where((either) => {
      either.whereRaw(`title ${operator} ?`, [wanted]).orWhereIn(
        'id',
        found.map(({ conversation_id }) => conversation_id),
      );
    });
  };
}
