/**
 * Repairs replies of Chat Completions before the provider package checks them. OpenAI itself always sends types, ids,
 * arguments as text, a finish reason, and a stream where a stream was asked for; many servers leave some of it out.
 */
import type { DocumentReader, EventReader, StreamReader } from '../model-kit/index.ts';
import { type Call, CallPieces, MOST_CALLS } from './call-pieces.ts';
import { EventLines, isEvents, isObject, jsonObject } from './event-lines.ts';
import { eventObject, failureIn, noAnswer, reportedError } from './reported-error.ts';
import { usageCounts } from './usage-counts.ts';

type Json = Record<string, unknown>;

/** A message, or a piece of one. */
export interface Message {
  content?: string | readonly Json[];
  refusal?: string;
  reasoning_content?: string;
  reasoning?: string;
  reasoning_details?: readonly Json[];
  tool_calls?: Call[];
}

/** A reply as the package reads it. */
export interface ChatDocument {
  readonly choices: readonly [{ readonly message: Message; readonly finish_reason: string }];
  readonly usage?: Json;
}

/** A whole reply, or a piece of one. */
export interface Reply {
  message: Message;
  finish: string | undefined;
  usage: Json | undefined;
}

const DONE = '[DONE]';
const TEXTS = ['content', 'refusal', 'reasoning_content', 'reasoning'] as const;

/** For calls that ask for a stream. */
export const STREAM_READER: StreamReader<Reply> = {
  events: () => new ChatEvents(),
  document(text) {
    const events = new ChatEvents();
    if (isEvents(text)) return [...events.read(text), ...events.end()];
    return [...events.add([wholeReply(text)]), ...events.read(`data: ${DONE}\n`)];
  },
  failure: reportOf,
};

/** For calls that ask for a document. */
export const DOCUMENT_READER: DocumentReader<ChatDocument> = {
  read: (text) => documentOf(isEvents(text) ? mergedReply(text) : wholeReply(text)),
  failure: reportOf,
};

/** Repairs a stream, piece by piece. */
class ChatEvents implements EventReader<readonly Reply[]> {
  readonly #lines = new EventLines();
  #isDone = false;
  #isFinished = false;
  /** Calls are given once they are complete: nobody sees them before. */
  readonly #calls = new CallPieces();

  /** Nothing of the answer comes any more. */
  get isComplete(): boolean {
    return this.#isDone;
  }

  /** Throws when an event makes no sense, or says that the server failed. */
  read(piece: string): Reply[] {
    return this.#repaired(this.#lines.read(piece));
  }

  /** Throws when neither a finish reason nor the mark of the end was sent: the answer was cut off. */
  end(): Reply[] {
    const rest = this.#repaired(this.#lines.end());
    if (!this.#isDone && !this.#isFinished) throw new Error('The stream broke off.');
    return rest;
  }

  /** Words that arrive together go on together. */
  add(replies: readonly Reply[]): Reply[] {
    const joined: Reply[] = [];
    for (const reply of replies) {
      const last = joined.at(-1);
      if (last !== undefined && isText(last) && isText(reply)) last.message.content += reply.message.content;
      else joined.push(this.#withWholeCalls(reply));
    }
    return joined.filter(saysSomething);
  }

  #repaired(lines: readonly string[]): Reply[] {
    const end = this.#isDone ? 0 : lines.indexOf(DONE);
    const before = end < 0 ? lines : lines.slice(0, end);
    const events = this.add(before.map((data) => pieceOf(data)));
    if (end < 0 || this.#isDone) return events;
    this.#isDone = true;
    const calls = this.#calls.take();
    const finish = this.#isFinished ? undefined : this.#calls.hasBegun ? 'tool_calls' : 'stop';
    const last = { message: calls.length === 0 ? {} : { tool_calls: calls }, finish, usage: undefined };
    return this.#isFinished && calls.length === 0 ? events : [...events, last];
  }

  #withWholeCalls(reply: Reply): Reply {
    const { finish, message: sent } = reply;
    const { tool_calls: pieces = [], reasoning_details: details, ...message } = sent;
    for (const piece of pieces) this.#calls.add(piece);
    if (details !== undefined) this.#calls.addDetails(details);
    if (finish !== undefined) this.#isFinished = true;
    const calls = finish === undefined ? [] : this.#calls.take();
    return { ...reply, message: calls.length === 0 ? message : { ...message, tool_calls: calls } };
  }
}

/** Whether a piece is words and nothing else. */
function isText(reply: Reply): reply is Reply & { message: { content: string } } {
  const { message, finish, usage } = reply;
  const isMore = finish !== undefined || usage !== undefined || Object.keys(message).length > 1;
  return !isMore && typeof message.content === 'string';
}

const saysSomething = ({ message, finish, usage }: Reply) =>
  finish !== undefined || usage !== undefined || Object.keys(message).length > 0;

/** A reply as the package reads it. */
export function documentOf({ message, finish, usage }: Reply): ChatDocument {
  const { tool_calls: sent, reasoning_details: details = [], ...rest } = message;
  const pieces = new CallPieces();
  pieces.addDetails(details);
  for (const [index, call] of (sent ?? []).slice(0, MOST_CALLS).entries()) pieces.add({ ...call, index });
  const calls = pieces.take();
  if (calls.some((call) => call.function.name === undefined)) throw new Error('A tool call has no name.');
  const finish_reason = finish ?? (sent === undefined ? 'stop' : 'tool_calls');
  return {
    choices: [{ message: { ...rest, ...(sent !== undefined && { tool_calls: calls }) }, finish_reason }],
    ...(usage !== undefined && { usage }),
  };
}

/** One event of a stream. */
function pieceOf(data: string): Reply {
  const body = eventObject(data);
  return replyOf(body) ?? { message: {}, finish: undefined, usage: usageCounts(body.usage) };
}

function wholeReply(text: string): Reply {
  const body = jsonObject(text);
  const reply = body && replyOf(body);
  if (reply === undefined) throw noAnswer(text);
  return reply;
}

/** A stream that was sent where a document was asked for. */
function mergedReply(text: string): Reply {
  const lines = new EventLines();
  const calls = new CallPieces();
  const details: Json[] = [];
  const whole: Reply = { message: {}, finish: undefined, usage: undefined };
  let isDone = false;
  for (const data of [...lines.read(text), ...lines.end()]) {
    isDone ||= data === DONE;
    if (isDone) break;
    const { message, finish, usage } = pieceOf(data);
    whole.finish = finish ?? whole.finish;
    whole.usage = usage ?? whole.usage;
    for (const name of TEXTS) {
      if (typeof message[name] === 'string') whole.message[name] = `${whole.message[name] ?? ''}${message[name]}`;
    }
    details.push(...(message.reasoning_details ?? []));
    for (const call of message.tool_calls ?? []) calls.add(call);
  }
  if (!isDone && whole.finish === undefined) throw new Error('The stream broke off.');
  if (calls.hasBegun) whole.message.tool_calls = calls.take();
  whole.message.reasoning_details = details.slice(0, MOST_CALLS);
  return whole;
}

/** `undefined`: no choice and no failure is in it. Throws when the server says that it failed. */
function replyOf(body: Json): Reply | undefined {
  if (body.error != null) throw reportedError(body.error);
  // Some send the usage in an event without a list of choices. Only the first of several answers is read.
  if (body.choices != null && !Array.isArray(body.choices)) throw new Error('`choices` is not a list.');
  const choice: unknown = body.choices?.[0];
  if (choice === undefined) {
    const failure = failureIn(body);
    if (failure !== undefined) throw failure;
    if (/^response\b/.test(String(body.type ?? body.object))) throw new Error('A reply of the Responses API was sent.');
    return undefined;
  }
  if (!isObject(choice)) throw new Error('A choice is not an object.');
  if (choice.error != null) throw reportedError(choice.error);
  const message = choice.delta ?? choice.message ?? { content: choice.text };
  if (!isObject(message)) throw new Error('A message is not an object.');
  const { finish_reason: finish } = choice;
  return {
    message: messageOf(message),
    finish: typeof finish === 'string' && finish !== '' ? finish : undefined,
    usage: usageCounts(body.usage),
  };
}

function messageOf(sent: Json): Message {
  const message: Message = {};
  if (typeof sent.content === 'string') message.content = sent.content;
  else if (Array.isArray(sent.content)) message.content = sent.content.flatMap(contentPart);
  for (const name of ['refusal', 'reasoning_content', 'reasoning'] as const) {
    const text = sent[name];
    if (typeof text === 'string' && text !== '') message[name] = text;
  }
  const { reasoning_details: details } = sent;
  if (Array.isArray(details) && details.length > 0) message.reasoning_details = details.filter(isObject);
  const calls = callsOf(sent);
  if (calls.length > 0) message.tool_calls = calls.map(callOf);
  return message;
}

/** The calls as sent; one alone may come without a list, or as the predecessor of calls, `function_call`. */
function callsOf({ tool_calls: calls, function_call: old }: Json): readonly unknown[] {
  if (isObject(calls)) return [calls];
  if (calls == null) return isObject(old) ? [{ index: 0, function: old }] : [];
  if (!Array.isArray(calls)) throw new Error('`tool_calls` is not a list.');
  return calls;
}

function contentPart(part: unknown): Json[] {
  if (typeof part === 'string') return [{ type: 'text', text: part }];
  if (!isObject(part)) return [];
  return [typeof part.type === 'string' ? part : { ...part, type: 'text' }];
}

function callOf(sent: unknown, position: number): Call {
  const call = isObject(sent) ? sent : {};
  const { index = position, id, extra_content: extra } = call;
  // Some leave out the level of the function, or name its arguments in another way.
  const called = [call.function, call.custom].find(isObject) ?? call;
  const { name, arguments: given, parameters, input } = called;
  const args = given ?? parameters ?? input;
  const text = typeof args === 'string' ? args : args == null ? '' : JSON.stringify(args);
  return {
    index: typeof index === 'number' ? index : position,
    ...(typeof id === 'string' && id !== '' && { id }),
    function: { ...(typeof name === 'string' && name !== '' && { name }), arguments: text },
    ...(isObject(extra) && isObject(extra.google) && { extra_content: extra }),
  };
}

/** What the document of a failed call says: some servers send the message alone. */
function reportOf(text: string): { message: string; data: { error: Json } } | undefined {
  const { error, message, detail } = jsonObject(text) ?? {};
  if (isObject(error) && typeof error.message === 'string') return { message: error.message, data: { error } };
  const said = [error, message, detail].find((item) => typeof item === 'string');
  return said === undefined ? undefined : { message: said, data: { error: { message: said } } };
}
