/** Runs three real servers on one PostgreSQL, kills and restarts them, and asks whichever is up. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { emptyFolder, type RunningServer, serve } from '../harness/command.ts';
import { createFleet, FLEET } from '../harness/fleet.ts';
import { type HttpReceiver, startHttpReceiver } from '../harness/http-receiver.ts';
import { type OpenAIServer, type RecordedRequest, type Step, startOpenAIServer } from '../harness/openai-server.ts';
import { type PostgresServer, startPostgres } from '../harness/postgres.ts';
import { type Relay, startRelay } from './relay.ts';

const SERVERS = 3;
const KEY = 'k'.repeat(32);
/** Long enough that kills meet work that is under way. */
const MODEL_MS = 150;
const HANDLER_MS = 400;
/** How often a server is asked whether it is ready. */
const PROBE_MS = 100;
const preset = new URL('../../config/presets/self-hosted.ts', import.meta.url).href;

/**
 * The built-in composition, with a shorter time for actions: what a dead server held is free after it. All clients are one
 * user, whose answers may go on without them.
 */
const CONFIG = `import { readEnv, selfHosted } from '${preset}';
const { env } = readEnv(process.env);
const actions = { ...env.actions, timeoutMs: 5_000 };
export default { plugins: selfHosted({ ...env, actions, conversations: { maxUnattendedPerUser: 32 } }) };
`;

export interface Call {
  readonly key: string;
  readonly begunAt: number;
  endedAt: number;
}

export interface Cluster extends AsyncDisposable {
  readonly database: PostgresServer;
  /** Between the first server and PostgreSQL. */
  readonly relay: Relay;
  readonly receiver: HttpReceiver;
  /** What actions did. */
  readonly calls: Call[];
  /** How servers ended that were not killed. */
  readonly exits: string[];
  query<R extends pg.QueryResultRow>(sql: string): Promise<R[]>;
  /** Asks any server, and the next one while it cannot be reached. */
  ask(path: string, body?: object): Promise<{ status: number; json: unknown }>;
  readonly size: number;
  /** Sends a request once, as a proxy does: to a server that was ready a moment ago. */
  send(path: string, body?: object): Promise<{ status: number; text: string }>;
  /**
   * The same of a chat, of which the connection is lost once its headers are there. Resolves to its conversation; to
   * `undefined` where it could not be stored in time.
   */
  loseChat(body: object): Promise<string | undefined>;
  /** SIGKILL to one of them and another in its place. */
  replaceOne(): Promise<void>;
  /** SIGTERM to the server at this place and another in it; resolves to the exit code. */
  restart(at: number): Promise<number | null>;
}

/** A question with an URL has the model call the webhook; any other is about the boats. */
function respond({ question, toolResults }: RecordedRequest): Step {
  const usage = { input: 100, output: 10 };
  const url = /http:\S+/.exec(question)?.[0];
  if (toolResults.length > 0) return { text: 'Three boats are there.', usage, afterMs: MODEL_MS };
  const toolCall =
    url === undefined
      ? { name: 'executeSQL', args: { sql: 'SELECT COUNT(*) AS boats FROM boats' } }
      : { name: 'call_webhook', args: { url, body: { at: 'sea' } } };
  return { toolCall, usage, afterMs: MODEL_MS };
}

export async function startCluster(): Promise<Cluster> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(emptyFolder());
  createFleet(folder.path);
  writeFileSync(join(folder.path, 'atlas.config.ts'), CONFIG);
  const database = stack.use(await startPostgres());
  const model: OpenAIServer = await startOpenAIServer({ respond });
  stack.defer(() => model.close());
  const calls: Call[] = [];
  const receiver = stack.use(
    await startHttpReceiver(({ url, headers }, response) => {
      if (url !== '/action') {
        response.end();
        return;
      }
      const call = { key: String(headers['idempotency-key']), begunAt: performance.now(), endedAt: Infinity };
      calls.push(call);
      response.on('close', () => {
        call.endedAt = performance.now();
      });
      setTimeout(() => response.end(), HANDLER_MS);
    }),
  );
  const env = {
    ...FLEET,
    DATABASE_URL: database.url,
    SVC_API_KEY: KEY,
    SVC_API_KEY_ROLE: 'admin',
    SVC_ACTIONS_ENABLED: 'true',
    SVC_SCHEDULER_ENABLED: 'true',
    SVC_ALLOW_PRIVATE_URLS: receiver.host,
    SVC_PROVIDER: 'openai-compatible',
    OPENAI_BASE_URL: model.url,
    SVC_MODEL: 'scripted',
    SVC_LOG_LEVEL: 'error',
    SVC_STOP_DELAY_MS: '1000',
  };
  const exits: string[] = [];
  const killed = new WeakSet<RunningServer>();
  const relay = stack.use(await startRelay(database.url));
  // The first server reaches PostgreSQL over a network that can be cut.
  const launch = async (at: number): Promise<RunningServer> => {
    const server = await serve({ cwd: folder.path, env: at === 0 ? { ...env, DATABASE_URL: relay.url } : env });
    void server.ended.then((code) => {
      if (!killed.has(server)) exits.push(`${code}: ${server.stderr().slice(-500)}`);
    });
    return server;
  };
  const kill = async (server: RunningServer) => {
    killed.add(server);
    process.kill(server.pid, 'SIGKILL');
    await server.ended;
  };
  const servers: RunningServer[] = [];
  stack.defer(async () => {
    await Promise.all(servers.map(kill));
  });
  const launched = await Promise.allSettled(Array.from({ length: SERVERS }, (_, at) => launch(at)));
  for (const one of launched) if (one.status === 'fulfilled') servers.push(one.value);
  const failed = launched.find(({ status }) => status === 'rejected');
  if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
  const pool = new pg.Pool({ connectionString: database.url, max: 2 });
  pool.on('error', () => {});
  stack.defer(() => pool.end());

  async function ask(path: string, body?: object): Promise<{ status: number; json: unknown }> {
    for (let turn = Math.floor(Math.random() * SERVERS); ; turn += 1) {
      try {
        const response = await fetch(`${servers[turn % SERVERS]?.url}${path}`, {
          method: body === undefined ? 'GET' : 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${KEY}` },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        });
        const json: unknown = await response.json();
        if (response.status !== 503) return { status: response.status, json };
      } catch {
        // It was killed, or is being started.
      }
      await sleep(200);
    }
  }

  /** URLs of the servers that said so when they were asked last, as proxies do. */
  const ready = new Set<string>();
  const probing = setInterval(() => {
    for (const { url } of servers) {
      fetch(`${url}/api/health/ready`, { signal: AbortSignal.timeout(PROBE_MS * 4) })
        .then(({ ok }) => ok)
        .catch(() => false)
        .then((isReady) => (isReady ? ready.add(url) : ready.delete(url)));
    }
  }, PROBE_MS);
  stack.defer(() => clearInterval(probing));

  async function sendReady(path: string, body?: object, signal: AbortSignal | null = null): Promise<Response> {
    while (ready.size === 0) await sleep(10);
    const url = [...ready][Math.floor(Math.random() * ready.size)];
    return fetch(`${url}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${KEY}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal,
    });
  }

  // Until here a failure ends what was started.
  const all = stack.move();
  return {
    database,
    relay,
    receiver,
    calls,
    exits,
    async query<R extends pg.QueryResultRow>(sql: string) {
      return (await pool.query<R>(sql)).rows;
    },
    ask,
    size: SERVERS,
    async send(path, body) {
      const response = await sendReady(path, body);
      return { status: response.status, text: await response.text() };
    },
    async loseChat(body) {
      const line = new AbortController();
      const response = await sendReady('/api/v1/chat', body, line.signal);
      const id = response.headers.get('x-conversation-id');
      if (response.status !== 200) throw new Error(`chat ${response.status}: ${await response.text()}`);
      line.abort();
      return id ?? undefined;
    },
    async restart(at) {
      const server = servers[at]!;
      killed.add(server);
      const code = await server.stop();
      ready.delete(server.url);
      servers[at] = await launch(at);
      return code;
    },
    async replaceOne() {
      const at = Math.floor(Math.random() * SERVERS);
      const server = servers[at];
      if (server !== undefined) await kill(server);
      servers[at] = await launch(at);
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
