/** Approved actions end once although servers are killed, and although the internal database goes away. */
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { emptyFolder, serve } from '../harness/command.ts';
import { createFleet, FLEET } from '../harness/fleet.ts';
import { type OpenAIServer, startOpenAIServer } from '../harness/openai-server.ts';
import { type PostgresServer, startPostgres } from '../harness/postgres.ts';

/** With a handler's time of two seconds another run begins after seventeen. */
const HANDLER_MS = 2_000;

const CONFIG = `
import { defineConfig, definePlugin, Type } from 'atlas-query/kernel';
import { actions, defineAction } from 'atlas-query/plugins/actions';
import { selfHosted } from 'atlas-query/presets/self-hosted';

const bell = definePlugin({
  name: 'action-bell',
  version: '1.0.0',
  type: 'action',
  description: 'Rings a bell.',
  setup(ctx) {
    defineAction(ctx, {
      type: 'bell',
      description: 'Rings a bell.',
      input: Type.Object({ url: Type.String() }),
      approval: 'manual',
      reversible: false,
      describe: () => ({ target: 'bell', summary: 'Ring the bell.' }),
      run: async ({ url }, { key, scope }) => (await fetch(url, { method: 'POST', body: key, signal: scope.signal })).text(),
    });
  },
});

const plugins = selfHosted().map((entry) =>
  entry.definition === actions.definition ? actions({ timeoutMs: Number(process.env.HANDLER_MS) }) : entry,
);
export default defineConfig({ plugins: [...plugins, bell()] });
`;

/** Notes the key of every request, and answers those that it is told to. */
class Bell implements AsyncDisposable {
  readonly keys: string[] = [];
  readonly #waiting: ServerResponse[] = [];
  readonly #server = createServer((request, response) => {
    let key = '';
    request.on('data', (chunk) => {
      key += chunk;
    });
    request.on('end', () => {
      this.keys.push(key);
      if (this.answers) response.end('rung');
      else this.#waiting.push(response);
    });
  });
  answers = true;
  url = '';

  static async start(): Promise<Bell> {
    const bell = new Bell();
    await new Promise<void>((resolve) => bell.#server.listen(0, '127.0.0.1', resolve));
    bell.url = `http://127.0.0.1:${(bell.#server.address() as AddressInfo).port}`;
    return bell;
  }

  answerAll(): void {
    this.answers = true;
    for (const response of this.#waiting.splice(0)) response.end('rung');
  }

  async [Symbol.asyncDispose]() {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}

const folder = emptyFolder();
let postgres: PostgresServer;
let model: OpenAIServer;
beforeAll(async () => {
  createFleet(folder.path);
  writeFileSync(join(folder.path, 'atlas.config.ts'), CONFIG);
  postgres = await startPostgres();
  model = await startOpenAIServer({
    respond: ({ question, toolResults }) => {
      if (toolResults.length > 0) return { text: 'It awaits approval.' };
      return { toolCall: { name: 'bell', args: { url: /https?:\S+/.exec(question)?.[0] } } };
    },
  });
}, 60_000);
afterAll(async () => {
  await model.close();
  await postgres.stop();
  folder[Symbol.dispose]();
});

async function freshPostgres(): Promise<string> {
  const name = `atlas_${randomUUID().replaceAll('-', '')}`;
  const client = new pg.Client(postgres.url);
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  return postgres.url.replace(/postgres$/, name);
}

const start = (database: string, handlerMs = HANDLER_MS) =>
  serve({
    cwd: folder.path,
    env: {
      ...FLEET,
      SVC_PROVIDER: 'openai-compatible',
      OPENAI_BASE_URL: model.url,
      SVC_MODEL: 'm',
      SVC_ACTIONS_ENABLED: 'true',
      DATABASE_URL: database,
      SVC_LOG_LEVEL: 'error',
      HANDLER_MS: `${handlerMs}`,
    },
  });

async function ask(server: { url: string }, bell: Bell): Promise<{ id: string; approveUrl: string }> {
  const answer = await fetch(`${server.url}/api/v1/query`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ question: `Ring ${bell.url}` }),
  });
  const { pendingActions } = (await answer.json()) as { pendingActions: { id: string; approveUrl: string }[] };
  return pendingActions[0] as { id: string; approveUrl: string };
}

interface Seen {
  readonly status: string;
  readonly result: unknown;
  readonly history: readonly { readonly move: string }[];
}

const see = async (server: { url: string }, id: string): Promise<Seen> =>
  (await (await fetch(`${server.url}/api/v1/actions/${id}`)).json()) as Seen;

const movesOf = ({ history }: Seen) => history.map(({ move }) => move);

describe('an approved action whose server is killed', () => {
  it.each([
    ['SQLite', async () => `sqlite:${join(folder.path, `${randomUUID()}.db`)}`],
    ['Postgres', freshPostgres],
  ])(
    'is performed again, with the same key, by the one that starts next on %s',
    { timeout: 120_000 },
    async (_, url) => {
      await using bell = await Bell.start();
      bell.answers = false;
      const database = await url();
      const first = await start(database);
      const { id, approveUrl } = await ask(first, bell);
      const approving = fetch(approveUrl, { method: 'POST' }).catch(() => 'cut off');
      await expect.poll(() => bell.keys).toEqual([id]);
      process.kill(first.pid, 'SIGKILL');
      expect(await approving).toBe('cut off');
      await first.ended;
      bell.answers = true;
      await using second = await start(database);
      expect(await see(second, id)).toMatchObject({ status: 'approved' });
      await expect.poll(async () => (await see(second, id)).status, { timeout: 60_000 }).toBe('executed');
      const seen = await see(second, id);
      expect([seen.result, movesOf(seen)]).toEqual(['rung', ['requested', 'approved', 'resumed', 'executed']]);
      expect(bell.keys).toEqual([id, id]);
    },
  );

  it('is performed again by another server that runs', { timeout: 120_000 }, async () => {
    await using bell = await Bell.start();
    bell.answers = false;
    const database = await freshPostgres();
    await using other = await start(database);
    const first = await start(database);
    const { id, approveUrl } = await ask(first, bell);
    const approving = fetch(approveUrl, { method: 'POST' }).catch(() => 'cut off');
    await expect.poll(() => bell.keys).toEqual([id]);
    const late = await fetch(`${other.url}/api/v1/actions/${id}/approve`, { method: 'POST' });
    expect(late.status).toBe(409);
    process.kill(first.pid, 'SIGKILL');
    expect(await approving).toBe('cut off');
    bell.answers = true;
    await expect.poll(async () => (await see(other, id)).status, { timeout: 60_000 }).toBe('executed');
    expect(bell.keys).toEqual([id, id]);
  });
});

it('a stop cuts an action short, and the next server takes it up at once', { timeout: 120_000 }, async () => {
  await using bell = await Bell.start();
  bell.answers = false;
  const database = await freshPostgres();
  const first = await start(database, 45_000);
  const { id, approveUrl } = await ask(first, bell);
  const approving = fetch(approveUrl, { method: 'POST' }).then((answer) => answer.json());
  await expect.poll(() => bell.keys).toEqual([id]);
  expect([await first.stop(), first.stderr()]).toEqual([0, '']);
  expect(await approving).toMatchObject({ id, status: 'approved' });
  const client = new pg.Client(database);
  await client.connect();
  expect((await client.query('SELECT lease FROM actions')).rows).toEqual([{ lease: null }]);
  await client.end();
  bell.answers = true;
  await using second = await start(database, 45_000);
  await expect.poll(async () => (await see(second, id)).status, { timeout: 60_000 }).toBe('executed');
  expect(bell.keys).toEqual([id, id]);
});

it('an end is recorded once the database is back', { timeout: 120_000 }, async () => {
  await using bell = await Bell.start();
  bell.answers = false;
  await using server = await start(await freshPostgres());
  const { id, approveUrl } = await ask(server, bell);
  const approving = fetch(approveUrl, { method: 'POST' });
  await expect.poll(() => bell.keys).toEqual([id]);
  await postgres.pause();
  bell.answerAll();
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  await postgres.resume();
  const answer = await approving;
  expect([answer.status, await answer.json()]).toMatchObject([200, { status: 'executed', result: 'rung' }]);
  expect(bell.keys).toEqual([id]);
});
