/** Carries the last query of a conversation, without its rows, to the next question. */
import type { ChatTurn, ContextPart } from '../../kernel/index.ts';

const MAX_SQL_CHARS = 4_000;
const MAX_COLUMNS = 50;
const MAX_NAME_CHARS = 100;

type LastQuery = NonNullable<ChatTurn['query']>;
type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {});

/**
 * The last query among the parts of an assistant's message, in the shape of the AI SDK's UI messages: from storage or from
 * a client. One that failed, or is too long to be carried, is none.
 */
export function queryIn(parts: readonly unknown[]): LastQuery | undefined {
  for (const part of parts.toReversed()) {
    const { type, state, input, output } = fieldsOf(part);
    if (typeof type !== 'string' || !type.startsWith('tool-') || state !== 'output-available') continue;
    const { sql = fieldsOf(input).sql, columns } = fieldsOf(output);
    if (typeof sql !== 'string' || sql.trim() === '' || sql.length > MAX_SQL_CHARS) continue;
    const names = Array.isArray(columns) ? columns.filter((name) => typeof name === 'string') : [];
    return { sql, columns: names.slice(0, MAX_COLUMNS).map((name) => name.slice(0, MAX_NAME_CHARS)) };
  }
  return undefined;
}

/** What the model is told of the last query before the question. */
export function lastQueryPart(turns: readonly ChatTurn[], maxBytes: number): ContextPart[] {
  const query = turns.findLast(({ query }) => query !== undefined)?.query;
  if (query === undefined) return [];
  const text = `SQL:\n${query.sql}\nColumns: ${query.columns.join(', ')}`;
  if (Buffer.byteLength(text) > maxBytes) return [];
  return [{ title: 'The last query of this conversation', text, trusted: false, perQuestion: true }];
}
