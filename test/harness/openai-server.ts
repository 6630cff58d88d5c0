/**
 * Starts a scripted server that speaks the OpenAI protocol (Chat Completions and Responses, streaming and not), so that tests
 * and benchmarks drive the real provider package instead of a mock.
 */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { numbered, type Protocol, renderDocument, renderEvents } from './openai-wire.ts';

/** `args` is sent as JSON; a string is sent as it is, so that a test can send arguments that do not parse. */
export interface ToolCall {
  readonly name: string;
  readonly args?: unknown;
  readonly id?: string;
}

/** One answer. Only what a step names happens: `{ text }`, `{ toolCall }`, `{ status }`, `{ stall: true }`, … */
export interface Step {
  readonly text?: string;
  readonly toolCall?: ToolCall;
  readonly toolCalls?: readonly ToolCall[];
  /** Chat Completions: further fields of the message, such as `reasoning_content`; they come first in a stream. */
  readonly message?: object;
  /** Chat Completions: the deltas of a stream, instead of those of text and calls. */
  readonly deltas?: readonly object[];
  /** Default `stop` or `tool_calls`; `length` makes a Responses answer incomplete; `null`: none is sent. */
  readonly finishReason?: string | null;
  /** `null`: none is sent. */
  readonly usage?: { readonly input: number; readonly output: number } | null;
  /**
   * An HTTP status instead of an answer. 401, 404, 429 (with `retry-after: 1`) and 500 have the provider's own body; 200
   * needs one.
   */
  readonly status?: number;
  /** Body sent with `status`: text as it is, anything else as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** `true`: not even headers; `'mid'`: half of the answer, then silence until the client gives up. */
  readonly stall?: boolean | 'mid';
  /** `not-json`: a page of HTML with 200; `truncated`: half of the bytes, ended neatly; `cut`: half, then a reset. */
  readonly garbage?: 'not-json' | 'truncated' | 'cut';
  /** A stream that reports this error after its text. */
  readonly streamError?: { readonly message: string; readonly type?: string; readonly code?: string };
  /** Wait before the first byte. */
  readonly afterMs?: number;
  /** Wait between the events of a stream. */
  readonly everyMs?: number;
}

/** A request as it came in. `body` is parsed when first read, so that a benchmark does not pay for it. */
export class RecordedRequest {
  readonly n: number;
  readonly protocol: Protocol;
  readonly headers: IncomingHttpHeaders;
  /** The body as sent. */
  readonly text: string;
  /** The client went away before the answer was complete. */
  aborted = false;
  /** From the request's arrival until its answer ended or the client went away; `undefined` while it runs. */
  durationMs: number | undefined;
  #body: RequestBody | undefined;

  constructor(n: number, protocol: Protocol, headers: IncomingHttpHeaders, text: string) {
    this.n = n;
    this.protocol = protocol;
    this.headers = headers;
    this.text = text;
  }

  get body(): RequestBody {
    this.#body ??= JSON.parse(this.text) as RequestBody;
    return this.#body;
  }

  get stream(): boolean {
    // Inside a JSON string the quotes would be escaped, so this needs no parsing.
    return /"stream":\s*true/.test(this.text);
  }

  /** Text of the last message by the user. */
  get question(): string {
    return textOf(this.#items().findLast((item) => item.role === 'user')?.content);
  }

  /** Text of the system or developer messages, that is, what the agent told the model. */
  get instructions(): string {
    const items = this.#items().filter((item) => item.role === 'system' || item.role === 'developer');
    return [
      ...(this.body.instructions ? [this.body.instructions] : []),
      ...items.map((item) => textOf(item.content)),
    ].join('\n');
  }

  /** Outputs of the tools called since the last message by the user, oldest first. */
  get toolResults(): string[] {
    const items = this.#items();
    return items
      .slice(items.findLastIndex((item) => item.role === 'user') + 1)
      .filter((item) => item.role === 'tool' || item.type === 'function_call_output')
      .map((item) => textOf(item.content ?? item.output));
  }

  /** Names of the tools on offer. */
  get tools(): string[] {
    return (this.body.tools ?? []).map((tool) => tool.name ?? tool.function?.name ?? '');
  }

  #items(): readonly Item[] {
    return this.body.messages ?? this.body.input ?? [];
  }
}

interface Item {
  readonly role?: string;
  readonly type?: string;
  readonly content?: unknown;
  readonly output?: unknown;
}

interface RequestBody {
  readonly model?: string;
  readonly stream?: boolean;
  readonly instructions?: string;
  readonly messages?: readonly Item[];
  readonly input?: readonly Item[];
  readonly tools?: readonly { readonly name?: string; readonly function?: { readonly name?: string } }[];
  readonly [key: string]: unknown;
}

export interface OpenAIServer {
  /** Base URL for a provider, ending in `/v1`. */
  readonly url: string;
  /** Every request so far, oldest first. */
  readonly requests: readonly RecordedRequest[];
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export type OpenAIServerOptions = {
  /** `false` forgets each request once it is answered. Default true. */
  readonly record?: boolean;
  /** Ids that `GET /v1/models` lists; without them it is not found. */
  readonly models?: readonly string[];
} & (
  | {
      /** One step per request, in order; a request beyond the last gets a 500 that says so. */ readonly script: readonly Step[];
    }
  | {
      /** Chooses the step; `n` counts requests from 0. */ readonly respond: (
        request: RecordedRequest,
        n: number,
      ) => Step | Promise<Step>;
    }
);

/** Starts the server on a free port of the loopback interface. */
export async function startOpenAIServer(options: OpenAIServerOptions): Promise<OpenAIServer> {
  const requests: RecordedRequest[] = [];
  const rendered = new WeakMap<Step, Map<string, string>>();
  const closing = new AbortController();
  let count = 0;

  const stepFor = async (request: RecordedRequest): Promise<Step> => {
    if ('respond' in options) return options.respond(request, request.n);
    return (
      options.script[request.n] ?? {
        status: 500,
        body: failure(`The script has no step ${request.n}.`, 'server_error'),
      }
    );
  };

  /** Each step is rendered once per shape: JSON or stream, with or without usage. */
  const render = (step: Step, request: RecordedRequest): string => {
    const includeUsage = request.protocol === 'chat' && /"include_usage":\s*true/.test(request.text);
    const shape = `${request.protocol} ${request.stream} ${includeUsage}`;
    const shapes = rendered.get(step) ?? new Map<string, string>();
    rendered.set(step, shapes);
    let text = shapes.get(shape);
    if (text === undefined) {
      text = request.stream
        ? renderEvents(request.protocol, step, includeUsage).join('')
        : renderDocument(request.protocol, step);
      shapes.set(shape, text);
    }
    return numbered(text, request.n);
  };

  const answer = async (request: RecordedRequest, response: ServerResponse): Promise<void> => {
    const step = await stepFor(request);
    if (step.afterMs) await sleep(step.afterMs, undefined, { signal: closing.signal });
    if (step.stall === true || response.destroyed) return;
    if (step.status !== undefined && (step.status !== 200 || step.body !== undefined))
      return sendStatus(response, step, step.status);
    if (step.garbage === 'not-json') return sendPage(response);
    const text = render(step, request);
    response.writeHead(200, {
      'content-type': request.stream ? 'text/event-stream' : 'application/json',
      ...step.headers,
    });
    if (step.stall === 'mid') return void response.write(text.slice(0, halfOf(text, request.stream)));
    if (step.garbage) {
      const half = text.slice(0, halfOf(text, request.stream) + 20);
      if (step.garbage === 'truncated') response.end(half);
      else response.write(half, () => response.destroy());
      return;
    }
    if (step.everyMs && request.stream) await sendSlowly(response, text, step.everyMs, closing.signal);
    else response.end(text);
  };

  const server = createServer((incoming, response) => {
    if (options.models !== undefined && incoming.url === '/v1/models') {
      return sendStatus(response, { body: { data: options.models.map((id) => ({ id, object: 'model' })) } }, 200);
    }
    const protocol = protocolOf(incoming.method, incoming.url);
    if (!protocol) return sendStatus(response, {}, 404);
    const startedAt = performance.now();
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const request = new RecordedRequest(count++, protocol, incoming.headers, Buffer.concat(chunks).toString('utf8'));
      if (options.record !== false) requests.push(request);
      response.on('close', () => {
        request.aborted = !response.writableFinished && !closing.signal.aborted;
        request.durationMs = performance.now() - startedAt;
      });
      answer(request, response).catch((error: unknown) => {
        if (!response.headersSent) sendStatus(response, { body: failure(String(error), 'server_error') }, 500);
        else response.destroy();
      });
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });

  const close = () => {
    closing.abort();
    return new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  };
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return { url, requests, close, [Symbol.asyncDispose]: close };
}

const failure = (message: string, type: string, code: string | null = null) => ({
  error: { message, type, param: null, code },
});

const FAILURES: Readonly<Record<number, object>> = {
  401: failure('Incorrect API key provided: sk-wrong.', 'invalid_request_error', 'invalid_api_key'),
  404: failure(
    'The model `gone` does not exist or you do not have access to it.',
    'invalid_request_error',
    'model_not_found',
  ),
  429: failure('Rate limit reached for requests.', 'requests', 'rate_limit_exceeded'),
};

function protocolOf(method: string | undefined, url: string | undefined): Protocol | undefined {
  if (method !== 'POST') return undefined;
  const path = url?.replace(/\?.*/, '');
  if (path === '/v1/chat/completions') return 'chat';
  return path === '/v1/responses' ? 'responses' : undefined;
}

function sendStatus(response: ServerResponse, step: Step, status: number): void {
  const body =
    step.body ?? FAILURES[status] ?? failure('The server had an error while processing your request.', 'server_error');
  const type = typeof body === 'string' ? 'text/plain' : 'application/json';
  response.writeHead(status, { 'content-type': type, ...(status === 429 && { 'retry-after': '1' }), ...step.headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

function sendPage(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/html' });
  response.end('<!doctype html><title>Welcome</title><p>This is not the API you are looking for.');
}

const eventsOf = (text: string) => text.split(/(?<=\n\n)/);

/** Where half of a body ends: of a stream, half of its events. */
function halfOf(text: string, stream: boolean): number {
  if (!stream) return text.length >> 1;
  const events = eventsOf(text);
  return events.slice(0, events.length >> 1).join('').length;
}

async function sendSlowly(response: ServerResponse, text: string, everyMs: number, signal: AbortSignal): Promise<void> {
  for (const event of eventsOf(text)) {
    if (response.destroyed) return;
    response.write(event);
    await sleep(everyMs, undefined, { signal });
  }
  response.end();
}

/** Text of a message's content or a tool's output, whichever of the protocols' forms it has. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return content === undefined || content === null ? '' : JSON.stringify(content);
  return content.map((part: { text?: string }) => part.text ?? '').join('');
}
