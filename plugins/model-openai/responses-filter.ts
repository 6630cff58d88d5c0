/**
 * Reduces a reply of the Responses API to what an answer is made of, each value of the right type. The provider package
 * tries every value of a reply against dozens of schemas and says about each why it fits none: a megabyte of nonsense
 * takes it a second.
 */
import type { ReplyFilter } from '../model-kit/index.ts';
import { EventLines, isEvents, isObject, jsonObject, noAnswer } from './event-lines.ts';
import { reportedError, saidInstead } from './reported-error.ts';
import { repairedEvent, repairedItem, repairedResponse } from './responses-values.ts';

/** Items of an answer, and parts of an item: more than any reader takes. */
const MOST_ITEMS = 256;

type Json = Record<string, unknown>;

/** For calls that ask for a stream. */
export const STREAM_FILTER: ReplyFilter = {
  events: () => new ResponsesFilter(),
  document(text) {
    const filter = new ResponsesFilter();
    return isEvents(text) ? filter.read(text) + filter.end() : eventsOf(filteredReply(text));
  },
};

/** For calls that ask for a document. */
export const DOCUMENT_FILTER: ReplyFilter = { document: filteredDocument };

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
  const repaired = repairedEvent(sent);
  return repaired === undefined ? '' : `data: ${JSON.stringify(repaired)}\n\n`;
}

/** Filters a whole reply, also one that was sent as a stream. Throws when there is no answer in it. */
export function filteredDocument(text: string): string {
  return JSON.stringify(isEvents(text) ? mergedReply(text) : filteredReply(text));
}

interface Reply extends Json {
  readonly output: readonly Json[];
}

function filteredReply(text: string): Reply {
  const sent = jsonObject(text);
  if (sent === undefined) throw noAnswer(text);
  return replyOf(sent);
}

function replyOf(sent: Json): Reply {
  if (!Array.isArray(sent.output) || hasFailed(sent)) throw foreign(sent);
  return { ...repairedResponse(sent), output: sent.output.slice(0, MOST_ITEMS).flatMap(item) };
}

/** The last event has the whole reply, of some servers without its items. Throws when it is missing. */
function mergedReply(text: string): Reply {
  const lines = new EventLines();
  const items: unknown[] = [];
  for (const data of [...lines.read(text), ...lines.end()]) {
    const { type, item: done, response, ...more } = jsonObject(data) ?? {};
    if (type === 'response.output_item.done') items.push(done);
    if (type === 'error' || more.error != null) throw reportedError({ error: more.error ?? more });
    if (!isObject(response) || !/^response\.(?:completed|incomplete|failed)$/.test(String(type))) continue;
    const isWhole = Array.isArray(response.output) && response.output.length > 0;
    return replyOf(isWhole ? response : { ...response, output: items });
  }
  throw new Error('The stream broke off.');
}

/** A whole reply as the events that it would have come in. */
function eventsOf({ output, ...response }: Reply): string {
  const events = output.flatMap((own, index): Json[] => {
    const at = { output_index: index, item: own };
    const parts = own.type === 'message' ? (own.content as readonly Json[]) : [];
    return [
      { type: 'response.output_item.added', ...at },
      ...parts.map(({ type, text, refusal }) => ({
        type: type === 'refusal' ? 'response.refusal.delta' : 'response.output_text.delta',
        item_id: own.id,
        output_index: index,
        delta: text ?? refusal,
      })),
      { type: 'response.output_item.done', ...at },
    ];
  });
  return [...events, { type: 'response.completed', response }]
    .map((own) => `data: ${JSON.stringify(own)}\n\n`)
    .join('');
}

/** Whether the server says that it failed; some send an empty error with each answer. */
const hasFailed = ({ error }: Json) => isObject(error) && typeof error.message === 'string';

/** The error for a document that is no reply of this API. */
function foreign(sent: Json): Error {
  if (sent.error != null) return reportedError(sent);
  if (Array.isArray(sent.choices)) return new Error('A reply of Chat Completions was sent.');
  const said = saidInstead(sent);
  return said === undefined ? new Error('No answer was sent.') : reportedError({ error: { message: said, code: 400 } });
}

/** An item with its parts. */
function item(sent: unknown, position: number): Json[] {
  const own = isObject(sent) ? repairedItem(sent, position) : undefined;
  if (!isObject(sent) || own === undefined) return [];
  const parts = (list: unknown) => (Array.isArray(list) ? list.slice(0, MOST_ITEMS).flatMap(part) : []);
  if (own.type === 'message') return [{ ...own, content: parts(sent.content) }];
  return [own.type === 'reasoning' ? { ...own, summary: parts(sent.summary) } : own];
}

function part(sent: unknown): Json[] {
  if (!isObject(sent)) return [];
  const { type, text, refusal } = sent;
  if (type === 'refusal') return typeof refusal === 'string' ? [{ type, refusal }] : [];
  if (typeof text !== 'string') return [];
  return type === 'output_text' ? [{ type, text, annotations: [] }] : type === 'summary_text' ? [{ type, text }] : [];
}
