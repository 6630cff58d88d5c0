/**
 * Language models over the Chat Completions API of compatible servers. By hand and not through the provider package,
 * which costs a good part of a question; see README.md.
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
import { ChatReply, ErrorInReply, isEvents } from './chat-reply.ts';
import { ChatRequests } from './chat-request.ts';
import { type Connections, LONGEST_BODY_BYTES, textOf } from './connections.ts';

export interface ChatCompletionsSettings {
  readonly modelId: string;
  readonly baseUrl: string;
  /** Empty or missing: no `authorization` header is sent. */
  readonly apiKey: string | undefined;
  readonly connections: Connections;
}

type Part = LanguageModelV4StreamPart;

/** Parts of a stream that wait for their reader before the server has to. */
const QUEUED_PARTS = 64;

/** Calls reject with `APICallError`, or with the error of the network when no response came. */
export function chatCompletions(settings: ChatCompletionsSettings): LanguageModelV4 {
  const { modelId, baseUrl, apiKey, connections } = settings;
  const url = new URL(`${baseUrl.replace(/\/+$/, '')}/chat/completions`);
  const headers = {
    'content-type': 'application/json',
    ...(apiKey && { authorization: `Bearer ${apiKey}` }),
  };
  const requests = new ChatRequests(modelId);

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
      if (!incoming.headers['content-type']?.includes('text/event-stream')) {
        return {
          stream: ReadableStream.from([{ type: 'stream-start', warnings: [] }, ...(await wholeReply(incoming))]),
        };
      }
      return { stream: await streamedReply(incoming) };
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
  return callError(incoming, error, error.data, statusIn(error.data));
}

/** The status that an error inside an answer would have had. */
function statusIn(data: unknown): number {
  const { code, type } = ((data as { error?: unknown }).error ?? {}) as { code?: unknown; type?: unknown };
  const status = Number(code);
  if (status >= 400 && status < 600) return status;
  const words = `${code} ${type}`.toLowerCase();
  const [, known] = STATUS_OF_WORDS.find(([word]) => word.test(words)) ?? [undefined, 500];
  return known;
}

const STATUS_OF_WORDS: readonly (readonly [RegExp, number])[] = [
  [/insufficient_quota|rate_limit/, 429],
  [/authentication/, 401],
  [/permission/, 403],
  [/not_found/, 404],
  [/invalid|bad_request|context_length/, 400],
  [/overload/, 503],
  [/timeout/, 504],
];

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

/**
 * The answer as it comes. Resolves with the first word of it and not before, so that a failure ahead of that is a
 * failure of the call, which can be tried again.
 */
function streamedReply(incoming: IncomingMessage): Promise<ReadableStream<Part>> {
  const reply = new ChatReply();
  let bytes = 0;
  let over = false;
  return new Promise((resolve, reject) => {
    const stream: ReadableStream<Part> = new ReadableStream<Part>(
      {
        start(controller) {
          let begun = false;
          const say = () => {
            const parts = reply.take();
            if (parts.length === 0) return;
            if (!begun) controller.enqueue({ type: 'stream-start', warnings: [] });
            begun = true;
            for (const part of parts) controller.enqueue(part);
            resolve(stream);
            if ((controller.desiredSize ?? 1) <= 0) incoming.pause();
          };
          const fail = (error: unknown) => {
            if (over) return;
            over = true;
            const failure = replyError(incoming, error);
            if (begun) controller.enqueue({ type: 'error', error: failure });
            else reject(failure);
            controller.close();
            incoming.destroy();
          };
          // A listener must not throw: an answer that nobody expected would end the process.
          const reading = (read: () => void) => {
            if (over) return;
            try {
              try {
                read();
              } finally {
                say();
              }
            } catch (error) {
              fail(error);
            }
          };
          incoming.setEncoding('utf8');
          incoming.on('data', (piece: string) =>
            reading(() => {
              bytes += piece.length;
              if (bytes > LONGEST_BODY_BYTES) throw new Error('The response is too long.');
              reply.readEvents(piece);
            }),
          );
          incoming.on('end', () => {
            reading(() => reply.end());
            if (!over) controller.close();
            over = true;
          });
          incoming.on('error', fail);
        },
        pull() {
          incoming.resume();
        },
        cancel() {
          over = true;
          incoming.destroy();
        },
      },
      { highWaterMark: QUEUED_PARTS },
    );
  });
}
