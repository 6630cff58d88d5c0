/** Finds conversations by a text in their titles and messages, in whatever case, as both databases compare it. */
import type { Knex } from 'knex';
import type { InternalDb } from '../internal-db/index.ts';
import { CONVERSATIONS, MESSAGES } from './migrations.ts';
import type { Owner } from './rows.ts';

/** The latest conversations of a user, whose messages are looked through; of older ones only the title is. */
const SEARCHED_CONVERSATIONS = 500;

/** The databases know the case of ASCII letters only, or that of their own locale: the pattern has both cases of each letter. */
interface Comparison {
  /** What compares an expression with the pattern. */
  readonly operator: string;
  /** Whether a message has a text that matches. */
  readonly message: string;
  pattern(text: string): string;
}

const casesOf = (character: string) =>
  [...new Set([character, character.toLowerCase(), character.toUpperCase()])].filter(
    (one) => Array.from(one).length === 1,
  );

const letters = (text: string, escaped: (character: string) => string) =>
  Array.from(text, (character) => `[${casesOf(character).map(escaped).join('')}]`).join('');

const COMPARISONS: Readonly<Record<InternalDb['dialect'], Comparison>> = {
  sqlite: {
    operator: 'GLOB',
    message: `EXISTS (SELECT 1 FROM json_each(parts) WHERE value ->> 'type' = 'text' AND value ->> 'text' GLOB ?)`,
    // A lone `^` would negate its class, and needs none.
    pattern: (text) => `*${letters(text, (character) => character).replaceAll('[^]', '^')}*`,
  },
  postgres: {
    operator: '~',
    // A text with NUL or half a character is compared as it is written, because PostgreSQL cannot read it.
    message: `EXISTS (SELECT 1 FROM json_array_elements(parts) AS part
      WHERE part::text LIKE '{"type":"text",%' AND
        CASE WHEN part::text ~ '\\\\u(0000|d[89a-f])'
          THEN left(substr(part::text, length('{"type":"text","text":"') + 1), -2) ELSE part ->> 'text' END ~ ?)`,
    pattern: (text) => letters(text, (character) => character.replace(/[\][\\^-]/, '\\$&')),
  },
};

/** Narrows a query of conversations. */
export type Narrowing = (query: Knex.QueryBuilder) => void;

/** Resolves to what narrows a query of the owner's conversations to those with the text, which answers may hide as SQL. */
export async function searched(db: InternalDb, owner: Owner, search: string, isSqlShown: boolean): Promise<Narrowing> {
  const text = search.toWellFormed().trim();
  if (text === '') return () => {};
  const { operator, message, pattern } = COMPARISONS[db.dialect];
  const found: { conversation_id: string }[] = await db.run((knex) =>
    knex(MESSAGES)
      .distinct('conversation_id')
      .whereIn(
        'conversation_id',
        knex(CONVERSATIONS).where(owner).orderBy('updated_at', 'desc').limit(SEARCHED_CONVERSATIONS).select('id'),
      )
      .where((query) => (isSqlShown ? query : query.where({ role: 'user' })))
      .whereRaw(message, [pattern(text)]),
  );
  return (query) => {
    query.where((either) => {
      either.whereRaw(`title ${operator} ?`, [pattern(text)]).orWhereIn(
        'id',
        found.map(({ conversation_id }) => conversation_id),
      );
    });
  };
}
