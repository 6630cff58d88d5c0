/** Serves recorded responses on the loopback interface, or asks the provider and records what it answers. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Logger, messageOf, withTimeout } from '../../kernel/index.ts';
import type { ModelReplayOptions } from './options.ts';
import type { RecordedResponse, Recordings } from './recordings.ts';
import { keyOf, recordedRequest } from './request-key.ts';

/** Longest request and response. */
const MAX_BYTES = 16 * 1024 * 1024;
/** How long a provider may take to end a response whose client has left. */
const LAST_BYTES_MS = 1_000;
/** Longest wait of a stop for responses that are being recorded. */
const CLOSE_MS = 2_000;
/** Headers of responses that clients act on; others may tell of the account. */
const KEPT_HEADERS = ['content-type', 'retry-after', 'retry-after-ms'];
/** Headers that belong to one connection. */
const HOP_HEADERS = new Set(['host', 'connection', 'content-length', 'accept-encoding', 'transfer-encoding', 'expect']);
const CREDENTIAL_HEADER = /key|token|authorization|secret|cookie/i;
const HIDDEN = '***';

/** Begins the message of a response for a request without a recording. */
export const MISSING = 'There is no recording';

export interface ReplayServer {
  readonly url: string;
  close(): Promise<void>;
}

export interface ReplayServerInit {
  readonly options: ModelReplayOptions;
  readonly recordings: Recordings;
  readonly log: Logger;
}

export async function startReplayServer({ options, recordings, log }: ReplayServerInit): Promise<ReplayServer> {
  const { mode, port, file, target } = options;
  const report = (error: unknown) =>
    log.error({ error: messageOf(error) }, 'A request to a model could not be recorded or played back.');
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await bytesOf(request);
    const { method = 'GET', url = '/' } = request;
    const recorded = recordedRequest(method, url, body.toString('utf8'));
    const key = keyOf(recorded);
    if (mode === 'replay') {
      const known = recordings.play(key);
      if (known !== undefined) return play(known, response);
      const message = `${MISSING} of ${method} ${recorded.path} with the key ${key} in ${file}. Record it with mode: 'record'.`;
      log.error({ key, file, request: recorded }, message);
      // Not a status that clients try again.
      return fail(response, 400, message);
    }
    const reply = await forward(request, `${target}${url}`, body, response);
    if (reply === undefined) return;
    await recordings.add(recorded, reply).catch(report);
    // Last, so that a client that has the whole response finds it in the file.
    response.end();
  };
  const running = new Set<Promise<void>>();
  const server = createServer((request, response) => {
    const answered = answer(request, response).catch((error: unknown) => {
      report(error);
      if (response.headersSent) response.destroy();
      else fail(response, 502, messageOf(error));
    });
    running.add(answered);
    void answered.finally(() => running.delete(answered));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await withTimeout(Promise.all(running), CLOSE_MS, () => {});
      server.closeAllConnections();
      await closed;
    },
  };
}

async function bytesOf(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of source) {
    bytes += piece.length;
    if (bytes > MAX_BYTES) throw new Error(`A request or response of a model has more than ${MAX_BYTES} bytes.`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** Passes the response on while it comes; `undefined` when its client has left before its end. */
async function forward(
  request: IncomingMessage,
  url: string,
  body: Buffer,
  response: ServerResponse,
): Promise<RecordedResponse | undefined> {
  const leaving = new AbortController();
  response.on('error', () => {});
  // Clients go as soon as they know the end of an answer, which is then still worth recording.
  response.on('close', () => setTimeout(() => leaving.abort(), LAST_BYTES_MS).unref());
  const sent = Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
    HOP_HEADERS.has(name) || value === undefined ? [] : [[name, String(value)]],
  );
  const secrets = sent
    .filter(([name]) => CREDENTIAL_HEADER.test(name))
    .flatMap(([, value]) => [value, value.replace(/^\S+ /, '')]);
  const { method = 'GET' } = request;
  try {
    const reply = await fetch(url, {
      method,
      headers: sent,
      signal: leaving.signal,
      redirect: 'manual',
      ...(body.length > 0 && { body }),
    });
    const headers = keptHeaders(reply.headers);
    response.writeHead(reply.status, headers);
    const bytes = await bytesOf(passedOn(reply, response));
    return { status: reply.status, headers, body: recordedBody(bytes, headers['content-type'] ?? '', secrets) };
  } catch (error) {
    if (leaving.signal.aborted) return undefined;
    throw error;
  }
}

function keptHeaders(headers: Headers): Record<string, string> {
  return Object.fromEntries(
    KEPT_HEADERS.flatMap((name) => {
      const value = headers.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );
}

async function* passedOn(reply: Response, response: ServerResponse): AsyncGenerator<Uint8Array> {
  for await (const piece of reply.body ?? []) {
    if (!response.destroyed) response.write(piece);
    yield piece;
  }
}

function recordedBody(bytes: Buffer, type: string, secrets: readonly string[]): RecordedResponse['body'] {
  const text = bytes.toString('utf8');
  if (!Buffer.from(text).equals(bytes)) return { base64: bytes.toString('base64') };
  const shown = secrets.reduce((rest, secret) => (secret === '' ? rest : rest.replaceAll(secret, HIDDEN)), text);
  if (!type.includes('text/event-stream')) return shown;
  return {
    events: shown
      .replaceAll('\r\n', '\n')
      .split('\n\n')
      .filter((event) => event !== ''),
  };
}

function play({ status, headers, body }: RecordedResponse, response: ServerResponse): void {
  response.writeHead(status, headers);
  if (typeof body === 'string') response.end(body);
  else if ('base64' in body) response.end(Buffer.from(body.base64, 'base64'));
  else {
    for (const event of body.events) response.write(`${event}\n\n`);
    response.end();
  }
}

/** In a shape in which every provider package finds the message. */
function fail(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  const code = status;
  response.end(JSON.stringify({ type: 'error', error: { type: 'model_replay', code, status: 'REPLAY', message } }));
}
