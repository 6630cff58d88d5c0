/**
 * Parses Chat Completions replies as servers really send them. OpenAI itself always sends indexes, types, ids, arguments as text and a
 * finish reason, and a stream where a stream was asked for; many compatible servers leave some of it out.
 */
import { randomUUID } from 'node:crypto';
import type { LanguageModelV4FinishReason, LanguageModelV4StreamPart, LanguageModelV4Usage } from '@ai-sdk/provider';
import { EventLines, jsonObject } from './event-lines.ts';

interface SentCall {
  readonly index?: unknown;
  readonly id?: unknown;
  readonly function?: { readonly name?: unknown; readonly arguments?: unknown } | null;
}

interface SentMessage {
  readonly content?: unknown;
  readonly refusal?: unknown;
  readonly tool_calls?: readonly SentCall[] | null;
}

interface SentChoice {
  readonly message?: SentMessage | null;
  readonly delta?: SentMessage | null;
  readonly finish_reason?: unknown;
}

interface SentUsage {
  readonly prompt_tokens?: number | null;
  readonly completion_tokens?: number | null;
  readonly prompt_tokens_details?: { readonly cached_tokens?: number | null } | null;
  readonly completion_tokens_details?: { readonly reasoning_tokens?: number | null } | null;
}

/** A chunk of a stream, or the whole document. */
interface SentBody {
  readonly choices?: readonly SentChoice[] | null;
  readonly usage?: SentUsage | null;
  readonly error?: unknown;
}

interface OpenCall {
  readonly id: string;
  name: string;
  input: string;
}

const TEXT_ID = '0';
const DONE = '[DONE]';

/** Calls of one answer that are read: more than any reader takes. */
const MOST_CALLS = 256;

const FINISH = new Map<string, LanguageModelV4FinishReason['unified']>([
  ['stop', 'stop'],
  ['length', 'length'],
  ['content_filter', 'content-filter'],
  ['tool_calls', 'tool-calls'],
  ['function_call', 'tool-calls'],
]);

/** The server says inside its answer that it failed; `data` is what it sent. */
export class ErrorInReply extends Error {
  readonly data: unknown;
  constructor(data: unknown) {
    super('The answer holds an error.');
    this.name = 'ErrorInReply';
    this.data = data;
  }
}

/** Reads one answer. Reading throws `ErrorInReply`, and other errors for what makes no sense as an answer. */
export class ChatReply {
  readonly #calls: OpenCall[] = [];
  /** The call that pieces with an index belong to. */
  readonly #callAt = new Map<number, OpenCall>();
  readonly #lines = new EventLines();
  #parts: LanguageModelV4StreamPart[] = [];
  #inText = false;
  #refused = false;
  #done = false;
  #finish: string | undefined;
  #usage: SentUsage | undefined;

  /** Reads a piece of a stream of events, cut anywhere. */
  readEvents(piece: string): void {
    for (const data of this.#lines.read(piece)) this.#event(data);
  }

  /** The server has said that nothing more comes. */
  get isComplete(): boolean {
    return this.#done;
  }

  /** Reads a whole document. */
  readDocument(text: string): void {
    const body: SentBody | undefined = jsonObject(text);
    const message = body?.choices?.[0]?.message ?? body?.choices?.[0]?.delta;
    if (body === undefined || (body.error == null && message == null)) throw new Error('No answer was sent.');
    this.#body(body);
    this.#done = true;
  }

  /** Nothing comes any more. */
  end(): void {
    for (const data of this.#lines.end()) this.#event(data);
    if (this.#inText) this.#parts.push({ type: 'text-end', id: TEXT_ID });
    for (const { id, name, input } of this.#calls) {
      if (name === '') throw new Error('A tool call has no name.');
      this.#parts.push({ type: 'tool-input-end', id }, { type: 'tool-call', toolCallId: id, toolName: name, input });
    }
    this.#parts.push({ type: 'finish', finishReason: this.#finishReason(), usage: usageOf(this.#usage) });
  }

  /** What was read since it was last asked for. */
  take(): LanguageModelV4StreamPart[] {
    const parts = this.#parts;
    this.#parts = [];
    return parts;
  }

  #event(data: string): void {
    if (this.#done) return;
    if (data === DONE) this.#done = true;
    else {
      const body = jsonObject(data);
      if (body === undefined) throw new Error('An event is not a JSON object.');
      this.#body(body);
    }
  }

  #body(body: SentBody): void {
    if (body.error != null) throw new ErrorInReply(body);
    if (body.usage != null) this.#usage = body.usage;
    // Only the first of several answers is ever read; some send the usage in an event without a list of choices.
    if (body.choices != null && !Array.isArray(body.choices)) throw new Error('`choices` is not a list.');
    const choice = body.choices?.[0] as SentChoice | undefined;
    if (choice === undefined) return;
    if (typeof choice.finish_reason === 'string' && choice.finish_reason !== '') this.#finish = choice.finish_reason;
    const message = choice.delta ?? choice.message;
    if (message == null) return;
    this.#text(textOf(message.content));
    if (typeof message.refusal === 'string' && message.refusal !== '') {
      this.#refused = true;
      this.#text(message.refusal);
    }
    if (message.tool_calls == null) return;
    if (!Array.isArray(message.tool_calls)) throw new Error('`tool_calls` is not a list.');
    for (const [position, call] of message.tool_calls.entries()) this.#call(call as SentCall, position);
  }

  #text(delta: string): void {
    if (delta === '') return;
    if (!this.#inText) this.#parts.push({ type: 'text-start', id: TEXT_ID });
    this.#inText = true;
    // Words that arrive together go on together.
    const last = this.#parts.at(-1);
    if (last?.type === 'text-delta') last.delta += delta;
    else this.#parts.push({ type: 'text-delta', id: TEXT_ID, delta });
  }

  #call(sent: SentCall, position: number): void {
    const index = typeof sent.index === 'number' ? sent.index : position;
    const id = typeof sent.id === 'string' ? sent.id : '';
    const name = typeof sent.function?.name === 'string' ? sent.function.name : '';
    let call = this.#callAt.get(index);
    // A new id with a name begins another call, also where the server does not count.
    if (call === undefined || (id !== '' && name !== '' && id !== call.id)) {
      if (this.#calls.length === MOST_CALLS) return;
      call = { id: id || `call_${randomUUID()}`, name, input: '' };
      this.#callAt.set(index, call);
      this.#calls.push(call);
      this.#parts.push({ type: 'tool-input-start', id: call.id, toolName: name });
    } else if (call.name === '') call.name = name;
    const args = sent.function?.arguments ?? '';
    const delta = typeof args === 'string' ? args : JSON.stringify(args);
    if (delta === '') return;
    call.input += delta;
    this.#parts.push({ type: 'tool-input-delta', id: call.id, delta });
  }

  #finishReason(): LanguageModelV4FinishReason {
    const raw = this.#finish;
    // Neither a reason nor the mark of the end: the answer was cut off.
    if (raw === undefined && !this.#done) return { unified: 'interrupted', raw };
    if (raw === undefined) return { unified: this.#calls.length > 0 ? 'tool-calls' : 'stop', raw };
    if (raw === 'stop' && this.#refused) return { unified: 'content-filter', raw };
    return { unified: FINISH.get(raw) ?? 'other', raw };
  }
}

/** The text of a content, which some send as a list of parts. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part: unknown) => (typeof part === 'string' ? part : wordsOf((part as { text?: unknown } | null)?.text)))
    .join('');
}

const wordsOf = (text: unknown) => (typeof text === 'string' ? text : '');

function usageOf(usage: SentUsage | undefined): LanguageModelV4Usage {
  const [input, output] = [countOf(usage?.prompt_tokens), countOf(usage?.completion_tokens)];
  const cached = countOf(usage?.prompt_tokens_details?.cached_tokens) ?? 0;
  const reasoning = countOf(usage?.completion_tokens_details?.reasoning_tokens) ?? 0;
  return {
    inputTokens: {
      total: input,
      noCache: input === undefined ? undefined : Math.max(0, input - cached),
      cacheRead: cached,
      cacheWrite: undefined,
    },
    outputTokens: {
      total: output,
      text: output === undefined ? undefined : Math.max(0, output - reasoning),
      reasoning,
    },
  };
}

const countOf = (count: unknown) => (Number.isSafeInteger(count) && Number(count) >= 0 ? Number(count) : undefined);
