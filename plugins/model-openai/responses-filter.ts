/**
 * Reduces a reply of the Responses API to what an answer is made of, each value of the right type. The provider package
 * tries every value of a reply against dozens of schemas and says about each why it fits none: a megabyte of nonsense
 * takes it a second.
 */
import { LONGEST_DOCUMENT_BYTES, type ReplyFilter } from '../model-kit/index.ts';
import { EventLines, isEvents, isObject, jsonObject } from './event-lines.ts';
import { eventObject, failureIn, noAnswer, reportedError } from './reported-error.ts';
import { repairedEvent, repairedItem, repairedResponse } from './responses-values.ts';

/** Items of an answer, and parts of an item: more than any reader takes. */
const MOST_ITEMS = 256;
const END = /^response\.(?:completed|incomplete)$/;
const FAILURE = /^(?:error|response\.(?:failed|cancelled))$/;

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
  readonly #items = new StreamedItems();
  #isOver = false;

  /** Throws when an event is no event of this API, or says that the server failed. */
  read(piece: string): string {
    return this.#filtered(this.#lines.read(piece));
  }

  /** Throws when the answer was cut off. */
  end(): string {
    const rest = this.#filtered(this.#lines.end());
    if (!this.#isOver) throw new Error('The stream broke off.');
    return rest;
  }

  #filtered(lines: readonly string[]): string {
    return lines
      .flatMap((data) => {
        const sent = eventOf(data);
        if (sent === undefined) return [];
        const repaired = repairedEvent(sent);
        this.#items.add(sent, repaired);
        if (repaired === undefined) return [];
        if (!END.test(String(sent.type))) return [repaired];
        this.#isOver = true;
        return [...this.#items.untold(responseIn(sent)), repaired];
      })
      .map(written)
      .join('');
  }
}

const written = (event: Json) => `data: ${JSON.stringify(event)}\n\n`;

/** `undefined` for the mark of the end. Throws what the server reports in place of an event. */
function eventOf(data: string): Json | undefined {
  if (data === '[DONE]') return undefined;
  const sent = eventObject(data);
  const type = String(sent.type ?? '');
  if (FAILURE.test(type)) throw reportedError(sent.error ?? responseIn(sent).error ?? sent);
  if (type.startsWith('response.')) return sent;
  const failure = Array.isArray(sent.choices) ? new Error('A reply of Chat Completions was sent.') : failureIn(sent);
  if (failure !== undefined) throw failure;
  if (type === '') throw new Error('An event has no type.');
  return sent;
}

const responseIn = (sent: Json | undefined): Json => (isObject(sent?.response) ? sent.response : {});

/** The items of a streamed reply by their place. Many servers leave them out of all events but one. */
class StreamedItems {
  readonly #items = new Map<number, Json>();
  #hasText = false;
  #hasCall = false;
  #chars = 0;

  /** Keeps what an event says of an item besides its deltas. `told`: what the package reads of it. */
  add({ type, output_index: index, item, text, arguments: args }: Json, told?: Json): void {
    this.#hasText ||= told?.type === 'response.output_text.delta' || told?.type === 'response.refusal.delta';
    this.#hasCall ||= told?.type === 'response.output_item.done' && (told.item as Json).type === 'function_call';
    if (typeof index !== 'number' || this.#items.size >= MOST_ITEMS) return;
    const known = this.#items.get(index);
    const own =
      isObject(item) && (type === 'response.output_item.added' || type === 'response.output_item.done')
        ? item
        : type === 'response.output_text.done'
          ? { type: 'message', content: [{ type: 'output_text', text }] }
          : type === 'response.function_call_arguments.done'
            ? { ...known, arguments: args }
            : undefined;
    if (own === undefined) return;
    this.#chars += JSON.stringify(own).length;
    if (this.#chars <= LONGEST_DOCUMENT_BYTES) this.#items.set(index, own);
  }

  /** Those of the whole reply, else those that were kept. */
  of({ output }: Json): readonly Json[] {
    const sent = Array.isArray(output) && output.length > 0 ? output : [...this.#items.values()];
    return sent.slice(0, MOST_ITEMS).flatMap(item);
  }

  /** The events of what no event has told before the end. */
  untold(response: Json): Json[] {
    const isTold = ({ type }: Json) => (type === 'message' ? this.#hasText : type !== 'function_call' || this.#hasCall);
    return this.of(response).flatMap((own, index) => (isTold(own) ? [] : eventsOfItem(own, index)));
  }
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
  const { output, output_text: shortcut, status } = sent;
  const hasFailed = status === 'failed' || status === 'cancelled' || isFailure(sent.error);
  const items = Array.isArray(output) ? output.slice(0, MOST_ITEMS).flatMap(item) : [];
  if (typeof shortcut === 'string' && items.length === 0)
    items.push(...item({ type: 'message', content: shortcut }, 0));
  if (hasFailed || (items.length === 0 && !Array.isArray(output))) throw foreign(sent, hasFailed);
  return { ...repairedResponse(sent), output: items };
}

/** Some send an empty error with each answer. */
const isFailure = (error: unknown) => isObject(error) && typeof error.message === 'string';

/** The last event has the whole reply, of some servers without its items. Throws when it is missing. */
function mergedReply(text: string): Reply {
  const lines = new EventLines();
  const items = new StreamedItems();
  for (const data of [...lines.read(text), ...lines.end()]) {
    const sent = eventOf(data);
    if (sent === undefined) continue;
    if (!END.test(String(sent.type))) items.add(sent);
    else {
      const response = responseIn(sent);
      return { ...repairedResponse(response), output: items.of(response) };
    }
  }
  throw new Error('The stream broke off.');
}

/** A whole reply as the events that it would have come in. */
function eventsOf({ output, ...response }: Reply): string {
  return [...output.flatMap(eventsOfItem), { type: 'response.completed', response }].map(written).join('');
}

function eventsOfItem(own: Json, index: number): Json[] {
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
}

/** The error for a document that is no reply of this API. */
function foreign(sent: Json, hasFailed: boolean): Error {
  if (Array.isArray(sent.choices) && sent.error == null) return new Error('A reply of Chat Completions was sent.');
  return failureIn(sent) ?? (hasFailed ? reportedError(undefined) : new Error('No answer was sent.'));
}

/** An item with its parts. */
function item(sent: unknown, position: number): Json[] {
  const own = isObject(sent) ? repairedItem(sent, position) : undefined;
  if (!isObject(sent) || own === undefined) return [];
  const parts = (sent: unknown) => {
    const list = typeof sent === 'string' ? [{ type: 'output_text', text: sent }] : sent;
    return Array.isArray(list) ? list.slice(0, MOST_ITEMS).flatMap(part) : [];
  };
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
