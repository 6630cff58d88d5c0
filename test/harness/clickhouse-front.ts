/**
 * Speaks ClickHouse's protocol over HTTP for tests, with an embedded ClickHouse behind it. The embedded one runs a single
 * statement at a time and cannot be interrupted, so each running statement has a process with a copy of the data of its
 * own, and KILL QUERY ends that process.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';

export interface FrontOptions {
  /** Folder whose `node_modules` has the embedded server. */
  readonly packages: string;
  /** For the data. */
  readonly folder: string;
  readonly port: number;
  readonly password: string;
  /** Makes the tables. */
  readonly script: readonly string[];
  /** Statements go on when nobody reads their answers: only KILL QUERY ends them. */
  readonly ignoresClose?: boolean;
}

const options = JSON.parse(process.argv[2] ?? '{}') as FrontOptions;
const ENGINE = new URL('./clickhouse-engine.ts', import.meta.url).pathname;
/** Processes that wait for a statement. */
const IDLE = 3;
const CANCEL_MS = 150;
const VERSION = '26.7.2.1';
/** Parameters of the protocol that are no settings. */
const PROTOCOL = new Set(['query', 'query_id', 'database', 'user', 'password', 'default_format', 'session_id', 'role']);

/** Bytes of a frame before its content. */
const HEAD = 5;

type Frame = readonly [kind: string, content: Buffer];

/** All that run: a busy one would go on after this process. */
const engines = new Set<Engine>();

class Engine {
  readonly #process: ChildProcess;
  readonly #frames: AsyncGenerator<Frame>;
  isUsable = true;

  constructor(path: string, script: readonly string[] = []) {
    engines.add(this);
    this.#process = spawn(process.execPath, [ENGINE, options.packages, path, JSON.stringify(script)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#process.stdin?.on('error', () => {});
    this.#process.once('exit', () => {
      engines.delete(this);
      this.isUsable = false;
    });
    this.#frames = framesOf(this.#process.stdout as NodeJS.ReadableStream);
  }

  async ready(): Promise<this> {
    await this.frame();
    return this;
  }

  send(line: string): void {
    this.#process.stdin?.write(`${line}\n`);
  }

  /** `undefined`: the process has ended. */
  async frame(): Promise<Frame | undefined> {
    const { value, done } = await this.#frames.next();
    return done ? undefined : value;
  }

  kill(): void {
    this.isUsable = false;
    this.#process.kill('SIGKILL');
  }

  /** Lets it write its data. */
  async end(): Promise<void> {
    this.#process.stdin?.end();
    if (this.#process.exitCode === null) await once(this.#process, 'exit');
  }
}

async function* framesOf(stream: NodeJS.ReadableStream): AsyncGenerator<Frame> {
  let parts: Buffer[] = [];
  let bytes = 0;
  let wanted = HEAD;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    parts.push(chunk);
    bytes += chunk.length;
    if (bytes < wanted) continue;
    let rest: Buffer = parts.length === 1 ? chunk : Buffer.concat(parts);
    while (rest.length >= HEAD) {
      wanted = HEAD + rest.readUInt32BE(1);
      if (rest.length < wanted) break;
      yield [String.fromCharCode(rest[0] ?? 0), rest.subarray(HEAD, wanted)];
      rest = rest.subarray(wanted);
      wanted = HEAD;
    }
    parts = [rest];
    bytes = rest.length;
  }
}

let made = 0;
function newEngine(): Promise<Engine> {
  made += 1;
  const path = join(options.folder, `data-${made}`);
  cpSync(join(options.folder, 'data'), path, { recursive: true });
  return new Engine(path).ready();
}

const idle: Promise<Engine>[] = [];
const running = new Map<string, { readonly sql: string; readonly engine: Engine; killed: boolean }>();

function takeEngine(): Promise<Engine> {
  const next = idle.shift() ?? newEngine();
  return next.then((engine) => (engine.isUsable ? engine : takeEngine()));
}

function giveBack(engine: Engine): void {
  if (engine.isUsable) idle.push(Promise.resolve(engine));
  while (idle.length < IDLE) idle.push(newEngine());
}

function fail(response: ServerResponse, code: number, text: string, status = 500): void {
  response.writeHead(status, { 'x-clickhouse-exception-code': String(code) });
  response.end(`${text} (version ${VERSION} (official build))\n`);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
  return Buffer.concat(parts).toString('utf8');
}

function isLetIn({ headers }: IncomingMessage, query: URLSearchParams): boolean {
  const [, basic = ''] = /^Basic (.+)$/.exec(headers.authorization ?? '') ?? [];
  const [user, password] = basic === '' ? [] : Buffer.from(basic, 'base64').toString('utf8').split(/:(.*)/s);
  const key = password ?? headers['x-clickhouse-key'] ?? query.get('password') ?? '';
  return (
    (user ?? headers['x-clickhouse-user'] ?? query.get('user') ?? 'default') === 'default' && key === options.password
  );
}

/** The embedded server knows the statement only while it runs it, and then hears nothing. */
function kill(sql: string, response: ServerResponse): void {
  const [, id = ''] = /query_id = '([^']*)'/.exec(sql) ?? [];
  const found = running.get(id);
  if (found !== undefined) {
    found.killed = true;
    found.engine.kill();
  }
  const rows = found === undefined ? '' : `{"row":["waiting", "${id}"]}\n`;
  response.end(`{"meta":[{"name":"kill_status","type":"String"},{"name":"query_id","type":"String"}]}\n${rows}`);
}

const server = createServer(async (request, response) => {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const { searchParams: query } = url;
  if (url.pathname === '/ping') return response.end('Ok.\n');
  if (url.pathname === '/running') return response.end(JSON.stringify([...running.values()].map(({ sql }) => sql)));
  const sql = query.get('query') ?? (await bodyOf(request));
  if (!isLetIn(request, query)) {
    return fail(
      response,
      516,
      'Code: 516. DB::Exception: default: Authentication failed: password is incorrect, or there is no user with such name. (AUTHENTICATION_FAILED)',
      403,
    );
  }
  if (/^\s*KILL QUERY /i.test(sql)) return kill(sql, response);
  if (/\bINTO\s+OUTFILE\b/i.test(sql)) {
    // The embedded server writes files for its own process; a server does not.
    return fail(response, 358, 'Code: 358. DB::Exception: INTO OUTFILE is not allowed. (INTO_OUTFILE_NOT_ALLOWED)');
  }
  await answer(sql, query, response);
});

async function answer(sql: string, query: URLSearchParams, response: ServerResponse) {
  const entries = [...query].filter(([name]) => !PROTOCOL.has(name));
  const params = entries.filter(([name]) => name.startsWith('param_'));
  const settings = Object.fromEntries(entries.filter(([name]) => !name.startsWith('param_')));
  const id = query.get('query_id') ?? '';
  if (running.has(id)) {
    return fail(
      response,
      216,
      `Code: 216. DB::Exception: Query with id = ${id} is already running. (QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING)`,
    );
  }
  const engine = await takeEngine();
  const entry = { sql, engine, killed: false };
  running.set(id, entry);
  let isOver = false;
  const left = () => {
    if (isOver || options.ignoresClose || settings.cancel_http_readonly_queries_on_client_close !== '1') return;
    engine.send('cancel');
    setTimeout(() => !isOver && engine.kill(), CANCEL_MS);
  };
  if (response.closed) left();
  else response.once('close', left);
  const format = query.get('default_format') ?? 'TabSeparated';
  engine.send(
    JSON.stringify({
      sql,
      format,
      database: query.get('database') ?? 'default',
      settings,
      params: Object.fromEntries(params.map(([name, value]) => [name.slice('param_'.length), value])),
    }),
  );
  for (;;) {
    const [kind, content] = (await engine.frame()) ?? ['E', Buffer.from(entry.killed ? KILLED : CRASHED)];
    if (kind === 'D') {
      if (!response.headersSent) response.writeHead(200, { 'x-clickhouse-query-id': id });
      if (!response.write(content) && !response.destroyed) {
        await Promise.race([once(response, 'drain'), once(response, 'close')]);
      }
      continue;
    }
    isOver = true;
    running.delete(id);
    if (kind === 'F') response.end();
    else broken(content.toString('utf8'), response, settings);
    giveBack(engine);
    return;
  }
}

const KILLED = 'Code: 394. DB::Exception: Query was cancelled. (QUERY_WAS_CANCELLED)';
const CRASHED = 'Code: 1001. DB::Exception: The process has ended. (STD_EXCEPTION)';

function broken(message: string, response: ServerResponse, settings: Readonly<Record<string, string>>): void {
  const text = message.slice(Math.max(0, message.indexOf('Code: ')));
  const code = Number(/^Code: (\d+)/.exec(text)?.[1] ?? 1002);
  if (!response.headersSent) {
    fail(response, code, text);
    return;
  }
  if (settings.http_write_exception_in_output_format !== '1') {
    response.write(`${text}\n`);
    response.destroy();
    return;
  }
  response.end(`{"exception":${JSON.stringify(`${text} (version ${VERSION} (official build))`)}}\n`);
}

mkdirSync(options.folder, { recursive: true });
const first = await new Engine(join(options.folder, 'data'), options.script).ready();
await first.end();
for (let count = 0; count < IDLE; count += 1) idle.push(newEngine());
await Promise.all(idle);
server.listen(options.port, '127.0.0.1', () => process.stdout.write('ready for connections\n'));
for (const event of ['disconnect', 'SIGTERM', 'SIGINT']) process.once(event, () => process.exit());
process.once('exit', () => {
  for (const engine of engines) engine.kill();
});
