/**
 * Reduces a reply of the Responses API to what an answer is made of. The provider package tries every value of a
 * reply against dozens of schemas and says about each why it fits none: a megabyte of nonsense takes it a second.
 */
import type { ReplyFilter } from '../model-kit/index.ts';
import { EventLines, isEvents, isObject, jsonObject, noAnswer } from './event-lines.ts';
import { reportedError, saidInstead } from './reported-error.ts';

/** Items of an answer, and parts of an item: more than any reader takes. */
const MOST_ITEMS = 256;
/** Values of one event that are read. */
const MOST_VALUES = 500;
/** The deepest that is read: `response.usage.input_tokens_details.cached_tokens`. */
const DEEPEST = 4;

type Json = Record<string, unknown>;

export const RESPONSES_FILTER: ReplyFilter = { events: () => new ResponsesFilter(), document: filteredDocument };

/** Filters a stream, piece by piece. */
export class ResponsesFilter {
  readonly #lines = new EventLines();

  /** Throws when an event is no event of this API. */
  read(piece: string): string {
    return this.#lines.read(piece).map(event).join('');
  }

  end(): string {
    return this.#lines.end().map(event).join('');
  }
}

function event(data: string): string {
  if (data === '[DONE]') return '';
  const sent = jsonObject(data);
  if (sent === undefined) throw new Error('An event is not a JSON object.');
  if (typeof sent.type !== 'string' && sent.error == null) throw new Error('An event has no type.');
  return `data: ${JSON.stringify(withoutLists(sent, { left: MOST_VALUES }))}\n\n`;
}

/** Filters a whole reply. Throws when there is no answer in it. */
export function filteredDocument(text: string): string {
  if (isEvents(text)) {
    const filter = new ResponsesFilter();
    return filter.read(text) + filter.end();
  }
  const sent = jsonObject(text);
  if (sent === undefined) throw noAnswer(text);
  if (!Array.isArray(sent.output)) throw foreign(sent);
  const output = sent.output.slice(0, MOST_ITEMS).flatMap(item);
  return JSON.stringify({ ...withoutLists(sent, { left: MOST_VALUES }), output });
}

/** The error for a document that is no reply of this API. */
function foreign(sent: Json): Error {
  if (sent.error != null) return reportedError(sent);
  if (Array.isArray(sent.choices)) return new Error('A reply of Chat Completions was sent.');
  const said = saidInstead(sent);
  return said === undefined ? new Error('No answer was sent.') : reportedError({ error: { message: said, code: 400 } });
}

/** An item as it is, but for lists that are never read; tools that the provider runs by itself are never asked for. */
function item(sent: unknown): Json[] {
  if (!isObject(sent)) return [];
  const own = withoutLists(sent, { left: MOST_VALUES });
  const parts = (list: unknown) => (Array.isArray(list) ? list.slice(0, MOST_ITEMS).flatMap(part) : []);
  if (sent.type === 'message') return [{ ...own, content: parts(sent.content) }];
  if (sent.type === 'reasoning') return [{ ...own, summary: parts(sent.summary) }];
  return sent.type === 'function_call' ? [own] : [];
}

function part(sent: unknown): Json[] {
  if (!isObject(sent)) return [];
  const { type, text, refusal } = sent;
  if (type === 'output_text') return [{ type, text, annotations: [] }];
  return type === 'refusal' ? [{ type, refusal }] : type === 'summary_text' ? [{ type, text }] : [];
}

/** A copy without lists, which are never needed, and of limited size. */
function withoutLists(value: Json, budget: { left: number }, depth = DEEPEST): Json {
  const kept: [string, unknown][] = [];
  for (const [name, item] of Object.entries(value)) {
    if (Array.isArray(item) || (isObject(item) && depth === 1)) continue;
    budget.left -= 1;
    if (budget.left < 0) break;
    kept.push([name, isObject(item) ? withoutLists(item, budget, depth - 1) : item]);
  }
  return Object.fromEntries(kept);
}
