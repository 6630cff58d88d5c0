/** `atlas smoke`: checks a running server from end to end, as its clients use it. */
import { performance } from 'node:perf_hooks';
import { AtlasError, type CliCommand, type CliRun, messageOf, Type } from '../../../kernel/index.ts';
import { withoutCredentials } from '../../redaction-kit/index.ts';
import { printableText, renderTable, terminalStyle } from '../render.ts';
import { serverUrl } from '../server-client.ts';

const DEFAULT_TIMEOUT_MS = 30_000;
const MAX_REPLY_BYTES = 16 * 1024 * 1024;
const QUESTION = 'How many rows are there?';
/** A key that no server has. */
const WRONG_KEY = 'atlas-smoke-check-of-a-wrong-key';

interface Result {
  readonly check: string;
  readonly status: 'passed' | 'failed' | 'skipped';
  readonly durationMs: number;
  /** Why it failed or was skipped; with `--verbose` what was seen. */
  readonly message?: string;
}

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

interface Server {
  readonly url: string;
  readonly apiKey: string | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

interface Request {
  readonly body?: unknown;
  /** Instead of the server's own; `null`: none. */
  readonly key?: string | null;
  readonly accept?: string;
}

/** What a check has seen, in a few words; `skipped` where the server has no such feature. */
type Seen = string | { readonly skipped: string };

class Failure extends Error {}

async function read(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    if (text.length > MAX_REPLY_BYTES) throw new Failure(`the reply is longer than ${MAX_REPLY_BYTES} bytes`);
  }
  return text + decoder.decode();
}

async function call(server: Server, path: string, { body, key, accept }: Request = {}): Promise<Reply> {
  const used = key === undefined ? server.apiKey : (key ?? undefined);
  const url = new URL(path, server.url.endsWith('/') ? server.url : `${server.url}/`);
  const timeout = AbortSignal.timeout(server.timeoutMs);
  try {
    const response = await fetch(url, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        accept: accept ?? 'application/json',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(used !== undefined && { authorization: `Bearer ${used}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      // A redirect would take the key to another server.
      redirect: 'manual',
      signal: AbortSignal.any([server.signal, timeout]),
    });
    return { status: response.status, headers: response.headers, text: await read(response) };
  } catch (error) {
    if (error instanceof Failure || server.signal.aborted) throw error;
    if (timeout.aborted) throw new Failure(`no answer within ${server.timeoutMs} ms`);
    throw new Failure(`no server answers at ${server.url}`);
  }
}

function json({ text }: Reply): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // Told below.
  }
  throw new Failure('the reply is not a JSON object');
}

/** The reply when it has this status; otherwise a failure in the server's own words. */
function expectStatus(reply: Reply, status: number): Reply {
  if (reply.status === status) return reply;
  let said = '';
  try {
    const { error, message } = json(reply);
    said = `: ${String(message ?? '')} (${String(error ?? '')})`;
  } catch {
    // Not the error body of an Atlas server.
  }
  const hint = reply.status === 401 ? '; give a key with --api-key or SVC_API_KEY' : '';
  throw new Failure(`status ${reply.status} instead of ${status}${said}${hint}`);
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

async function health(server: Server): Promise<Seen> {
  const { status, checks } = json(expectStatus(await call(server, 'api/health', { key: null }), 200));
  if (!isObject(checks)) throw new Failure('the report has no checks');
  if (status !== 'ok') throw new Failure(`the server reports "${String(status)}"; see atlas doctor`);
  return `status ${String(status)}`;
}

async function openapi(server: Server): Promise<Seen> {
  const { openapi: version, paths } = json(expectStatus(await call(server, 'api/v1/openapi.json'), 200));
  if (!String(version).startsWith('3.1') || !isObject(paths)) throw new Failure('it is no OpenAPI 3.1 document');
  if (!('/api/v1/query' in paths)) throw new Failure('it does not list /api/v1/query');
  return `OpenAPI ${String(version)}, ${Object.keys(paths).length} paths`;
}

async function authentication(server: Server): Promise<Seen> {
  const report = json(expectStatus(await call(server, 'api/health', { key: null }), 200));
  if (!isObject(report.checks)) throw new Failure('the report has no checks');
  const { mode } = (report.checks.auth ?? {}) as { mode?: string };
  if (mode === 'none') return { skipped: 'the server has no authentication' };
  const body = { question: QUESTION };
  for (const [key, what] of [
    [WRONG_KEY, 'a wrong key'],
    [null, 'no key'],
  ] as const) {
    const reply = await call(server, 'api/v1/query', { key, body });
    if (reply.status !== 401) throw new Failure(`${what} gets status ${reply.status} instead of 401`);
    if (!reply.headers.has('www-authenticate')) throw new Failure(`the refusal of ${what} has no WWW-Authenticate`);
  }
  return `a wrong key and no key are refused (${String(mode)})`;
}

async function query(server: Server): Promise<Seen> {
  const reply = await call(server, 'api/v1/query', { body: { question: QUESTION } });
  const { answer, sql, data, outcome } = json(expectStatus(reply, 200));
  if (typeof answer !== 'string' || answer === '') throw new Failure('the reply has no answer');
  if (!Array.isArray(sql) || !Array.isArray(data)) throw new Failure('the reply has no lists `sql` and `data`');
  if (outcome === 'failed') throw new Failure(`the question failed: ${answer}`);
  return `${String(outcome)}: ${answer}`;
}

async function chat(server: Server): Promise<Seen> {
  const messages = [{ id: '1', role: 'user', parts: [{ type: 'text', text: QUESTION }] }];
  const reply = expectStatus(await call(server, 'api/chat', { body: { messages }, accept: 'text/event-stream' }), 200);
  const events = [...reply.text.matchAll(/^data: ([0-9a-z]):(.*)$/gm)];
  const failed = events.find(([, code]) => code === '3');
  if (failed !== undefined) throw new Failure(`the stream reports an error: ${failed[2]}`);
  if (!events.some(([, code]) => code === '0')) throw new Failure('the stream has no text');
  if (events.at(-1)?.[1] !== 'd') throw new Failure('the stream does not end with a finish event');
  return `${events.length} events`;
}

async function conversations(server: Server): Promise<Seen> {
  const reply = await call(server, 'api/v1/conversations?limit=1');
  if (reply.status === 404 && json(reply).error === 'not_available') {
    return { skipped: 'the server has no internal database' };
  }
  const { conversations: list, total } = json(expectStatus(reply, 200));
  if (!Array.isArray(list) || typeof total !== 'number')
    throw new Failure('the reply has no `conversations` and `total`');
  return `${total} stored`;
}

async function mcp(server: Server): Promise<Seen> {
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'atlas-smoke', version: '1' } };
  const body = { jsonrpc: '2.0', id: 1, method: 'initialize', params };
  const reply = await call(server, 'mcp', { body, accept: 'application/json, text/event-stream' });
  if (reply.status === 404) return { skipped: 'the server does not serve MCP' };
  const { text } = expectStatus(reply, 200);
  const data = /^data: (.*)$/m.exec(text)?.[1] ?? text;
  const { result } = json({ ...reply, text: data });
  if (!isObject(result) || !isObject(result.serverInfo)) throw new Failure('the server does not introduce itself');
  return `${String(result.serverInfo.name)}, protocol ${String(result.protocolVersion)}`;
}

const CHECKS = { health, openapi, authentication, query, chat, conversations, mcp };

async function resultOf(check: string, server: Server, isVerbose: boolean): Promise<Result> {
  const startedAt = performance.now();
  const result = (status: Result['status'], message: string | undefined): Result => ({
    check,
    status,
    durationMs: Math.round(performance.now() - startedAt),
    ...(message !== undefined && { message: withoutCredentials(message) }),
  });
  try {
    const seen = await CHECKS[check as keyof typeof CHECKS](server);
    return typeof seen === 'string' ? result('passed', isVerbose ? seen : undefined) : result('skipped', seen.skipped);
  } catch (error) {
    server.signal.throwIfAborted();
    return result('failed', messageOf(error));
  }
}

/** Where the server is: `--target`, SVC_API_URL, or the specification's default. */
function targetOf({ options, env }: CliRun): string {
  if (typeof options.target === 'string') return serverUrl(options.target, '--target');
  return serverUrl(env.SVC_API_URL || 'http://localhost:3001');
}

async function smokeTest(run: CliRun): Promise<number> {
  const { options, env, signal } = run;
  const key = options.apiKey ?? (env.SVC_API_KEY || undefined);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is control characters that are looked for
  if (typeof key === 'string' && /[\u0000-\u001f\u007f-\uffff]/.test(key)) {
    throw new AtlasError('The key has characters that no header can carry.', { code: 'invalid_request' });
  }
  const server: Server = {
    url: targetOf(run),
    apiKey: key as string | undefined,
    timeoutMs: Number(options.timeout ?? DEFAULT_TIMEOUT_MS),
    signal,
  };
  const results: Result[] = [];
  for (const check of Object.keys(CHECKS)) {
    const isAway = results[0]?.message?.startsWith('no ') === true && results[0].status === 'failed';
    results.push(
      isAway
        ? { check, status: 'skipped', durationMs: 0, message: 'the server does not answer' }
        : await resultOf(check, server, options.verbose === true),
    );
  }
  const failed = results.filter(({ status }) => status === 'failed').length;
  if (options.json === true) {
    const status = failed === 0 ? 'passed' : 'failed';
    run.stdout.write(`${JSON.stringify({ status, target: server.url, checks: results }, undefined, 2)}\n`);
    return failed === 0 ? 0 : 1;
  }
  const columns = ['check', 'status', 'ms', 'message'];
  const rows = results.map(({ durationMs, ...result }) => ({ ...result, ms: durationMs }));
  const passed = results.filter(({ status }) => status === 'passed').length;
  const verdict = failed === 0 ? 'All is well' : `${failed} of ${results.length} checks failed`;
  run.stdout.write(`${renderTable({ columns, rows }, terminalStyle(run.stdout))}\n`);
  run.stdout.write(printableText(`${verdict} at ${server.url}: ${passed} passed.\n`));
  return failed === 0 ? 0 : 1;
}

export const smoke = (): CliCommand => ({
  name: 'smoke',
  summary: 'check a running server from end to end',
  options: [
    { flags: '--target <url>', description: 'address of the server; default: SVC_API_URL, else http://localhost:3001' },
    { flags: '--api-key <key>', description: 'key or token of the server; default: SVC_API_KEY' },
    {
      flags: '--timeout <ms>',
      description: `longest time of one check; default: ${DEFAULT_TIMEOUT_MS}`,
      schema: Type.Integer({ minimum: 1, maximum: 3_600_000 }),
    },
    { flags: '--verbose', description: 'show what each check has seen' },
    { flags: '--json', description: 'print JSON' },
  ],
  examples: ['atlas smoke', 'atlas smoke --target https://atlas.example.com --api-key "$KEY" --json'],
  exitCodes: { 0: 'no check failed', 1: 'a check failed' },
  run: smokeTest,
});
