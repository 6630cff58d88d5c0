/**
 * Calls language models through the Chat Completions API of compatible servers, without the provider package, which
 * would take a good part of a question's time; see README.md.
 */
import type { IncomingMessage } from 'node:http';
import {
  APICallError,
  type LanguageModelV4,
  type LanguageModelV4CallOptions,
  type LanguageModelV4Content,
  type LanguageModelV4GenerateResult,
  type LanguageModelV4StreamPart,
  type LanguageModelV4StreamResult,
} from '@ai-sdk/provider';
import { type Connections, isEventStream, piecesOf, pulledStream, statusOfReport, textOf } from '../model-kit/index.ts';
import { ChatReply, ErrorInReply } from './chat-reply.ts';
import { ChatRequests } from './chat-request.ts';
import { isEvents } from './event-lines.ts';

export interface ChatCompletionsSettings {
  readonly modelId: string;
  readonly baseUrl: string;
  /** Empty or missing: no `authorization` header is sent. */
  readonly apiKey: string | undefined;
  /** Further fields of every request. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
  readonly connections: Connections;
}

type Part = LanguageModelV4StreamPart;

const START: Part = { type: 'stream-start', warnings: [] };

/** Parts of a stream that wait for their reader before the server has to. */
const QUEUED_PARTS = 64;
/** How long a server may take to end a response whose answer is complete, before its connection is closed. */
const LAST_BYTES_MS = 1_000;

/** Calls reject with `APICallError`, or with the error of the network when no response came. */
export function chatCompletions(settings: ChatCompletionsSettings): LanguageModelV4 {
  const { modelId, baseUrl, apiKey, body: fields, connections } = settings;
  const url = new URL(`${baseUrl.replace(/\/+$/, '')}/chat/completions`);
  const headers = {
    'content-type': 'application/json',
    ...(apiKey && { authorization: `Bearer ${apiKey}` }),
  };
  const requests = new ChatRequests(modelId, fields);

  const send = async (options: LanguageModelV4CallOptions, streaming: boolean): Promise<IncomingMessage> => {
    const own = Object.entries(options.headers ?? {}).filter((entry): entry is [string, string] => !!entry[1]);
    const body = requests.body(options, streaming);
    const all = own.length === 0 ? headers : { ...headers, ...Object.fromEntries(own) };
    const incoming = await connections.send('POST', url, all, body, options.abortSignal);
    const status = incoming.statusCode ?? 0;
    if (status >= 200 && status < 300) return incoming;
    const text = await textOf(incoming).catch(() => '');
    throw callError(incoming, undefined, jsonOrUndefined(text), status);
  };

  return {
    specificationVersion: 'v4',
    provider: 'openai-compatible',
    modelId,
    supportedUrls: {},
    async doGenerate(options): Promise<LanguageModelV4GenerateResult> {
      const incoming = await send(options, false);
      return generated(await wholeReply(incoming));
    },
    async doStream(options): Promise<LanguageModelV4StreamResult> {
      const incoming = await send(options, true);
      if (isEventStream(incoming)) return { stream: streamedReply(incoming) };
      return { stream: ReadableStream.from([START, ...(await wholeReply(incoming))]) };
    },
  };
}

/** The failure of a call whose response had begun. */
function callError(incoming: IncomingMessage, cause: unknown, data: unknown, statusCode: number): APICallError {
  const said = (data as { error?: { message?: unknown } } | undefined)?.error?.message;
  const headers = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]);
  return new APICallError({
    message:
      typeof said === 'string' ? said : cause instanceof Error ? cause.message : (incoming.statusMessage ?? 'Failed.'),
    url: '',
    requestBodyValues: undefined,
    statusCode,
    responseHeaders: Object.fromEntries(headers),
    isRetryable: false,
    cause,
    data,
  });
}

function replyError(incoming: IncomingMessage, error: unknown): APICallError {
  if (!(error instanceof ErrorInReply)) return callError(incoming, error, undefined, incoming.statusCode ?? 200);
  const { error: report } = error.data as { error: { code?: unknown; type?: unknown } | string };
  return callError(incoming, error, error.data, statusOfReport(Object(report)));
}

function jsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function wholeReply(incoming: IncomingMessage): Promise<Part[]> {
  try {
    const text = await textOf(incoming);
    const reply = new ChatReply();
    if (isEvents(text)) reply.readEvents(text);
    else reply.readDocument(text);
    reply.end();
    return reply.take();
  } catch (error) {
    throw replyError(incoming, error);
  }
}

function generated(parts: readonly Part[]): LanguageModelV4GenerateResult {
  const content: LanguageModelV4Content[] = [];
  let text = '';
  for (const part of parts) {
    if (part.type === 'text-delta') text += part.delta;
    else if (part.type === 'text-end') content.push({ type: 'text', text });
    else if (part.type === 'tool-call') content.push(part);
    else if (part.type === 'finish') {
      return { content, finishReason: part.finishReason, usage: part.usage, warnings: [] };
    }
  }
  throw new Error('A reply ends with `finish`.');
}

/** The answer as it comes; what goes wrong is an error part. */
function streamedReply(incoming: IncomingMessage): ReadableStream<Part> {
  const parts = partsOf(incoming);
  let isBegun = false;
  const next = async () => {
    const begun = isBegun;
    isBegun = true;
    try {
      const read = await parts();
      return begun || read === undefined ? read : [START, ...read];
    } catch (error) {
      return [{ type: 'error', error } as const];
    }
  };
  return pulledStream(next, incoming, QUEUED_PARTS);
}

/** What the events say, as often as something is there: resolves to `undefined` after the last, or rejects once. */
function partsOf(incoming: IncomingMessage): () => Promise<Part[] | undefined> {
  const reply = new ChatReply();
  const pieces = piecesOf(incoming);
  let failure: APICallError | undefined;
  let over = false;
  const read = async (): Promise<void> => {
    try {
      const { done, value } = await pieces.next();
      if (!done) reply.readEvents(value);
      if (!done && !reply.isComplete) return;
      over = true;
      if (!done) void drain(pieces, incoming);
      reply.end();
    } catch (error) {
      over = true;
      failure = replyError(incoming, error);
      incoming.destroy();
    }
  };
  return async () => {
    while (!over) {
      await read();
      const parts = reply.take();
      if (parts.length > 0) return parts;
    }
    const error = failure;
    failure = undefined;
    if (error !== undefined) throw error;
    return undefined;
  };
}

/** Reads on after a complete answer, so that a connection whose response ends by itself can be used again. */
async function drain(pieces: AsyncIterable<string>, incoming: IncomingMessage): Promise<void> {
  const timer = setTimeout(() => incoming.destroy(), LAST_BYTES_MS);
  try {
    for await (const _ of pieces);
  } catch {
    // The answer is complete: how its connection ends makes no difference any more.
  } finally {
    clearTimeout(timer);
  }
}
