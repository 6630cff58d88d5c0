/** The endpoints on the real agent, model provider, guard and database: what reaches the client, and what stops. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { definePlugin, type SqlOutcome, sqlSettled } from '../../kernel/index.ts';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { processIsWorking } from '../../test/harness/database-processes.ts';
import { type OpenAIServerOptions, startOpenAIServer } from '../../test/harness/openai-server.ts';
import { agent } from '../agent/index.ts';
import { authNone } from '../auth-none/index.ts';
import { datasourceSqlite } from '../datasource-sqlite/index.ts';
import { createSimpleDemo } from '../demo-data/index.ts';
import { health } from '../health/index.ts';
import { http } from '../http/index.ts';
import { modelOpenai } from '../model-openai/index.ts';
import { semanticLayer } from '../semantic-layer/index.ts';
import { sqlGuard } from '../sql-guard/index.ts';
import { sqlLimits } from '../sql-limits/index.ts';
import { queryApi } from './index.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'atlas-query-api-'));
  await createSimpleDemo(join(folder, 'demo.db'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function start(model: OpenAIServerOptions, file = 'demo.db') {
  const provider = await startOpenAIServer(model);
  const settled: SqlOutcome[] = [];
  const observer = definePlugin({
    name: 'test-observer',
    version: '1.0.0',
    type: 'policy',
    description: 'Remembers statements.',
    setup: (ctx) =>
      ctx.tap(sqlSettled, (outcome) => {
        settled.push(outcome);
      }),
  });
  const app = await createTestApp({
    openGates: false,
    plugins: [
      http({ port: 0 }),
      health(),
      authNone(),
      semanticLayer({ dir: new URL('../../semantic', import.meta.url).pathname }),
      sqlLimits(),
      sqlGuard(),
      datasourceSqlite({ connections: [{ id: 'default', url: `sqlite:${join(folder, file)}` }] }),
      modelOpenai({ provider: 'openai-compatible', baseUrl: provider.url, maxRetries: 0 }),
      agent(),
      queryApi(),
      observer(),
    ],
  });
  const url = app.get(http).url();
  const post = (path: string, body: object, signal?: AbortSignal) =>
    fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    });
  return {
    url,
    post,
    provider,
    settled,
    async [Symbol.asyncDispose]() {
      await app.close();
      await provider.close();
    },
  };
}

const SQL = 'SELECT COUNT(*) AS n FROM orders';
const ENDLESS = 'SELECT COUNT(*) AS n FROM order_items a, order_items b, order_items c WHERE a.quantity > b.quantity';
const messages = [{ id: '1', role: 'user', parts: [{ type: 'text', text: 'How many orders?' }] }];

async function soon(what: () => boolean): Promise<void> {
  const startedAt = performance.now();
  while (!what()) {
    if (performance.now() - startedAt > 15_000) throw new Error('It did not happen within 15 s.');
    await sleep(5);
  }
}

describe('from question to answer', () => {
  const script = [{ toolCall: { name: 'executeSQL', args: { sql: SQL } } }, { text: 'There are 5,000 orders.' }];

  it('answers at once', async () => {
    await using t = await start({ script });
    const response = await t.post('/api/v1/query', { question: 'How many orders?' });
    expect([response.status, await response.json()]).toMatchObject([
      200,
      {
        answer: 'There are 5,000 orders.',
        data: [{ columns: ['n'], rows: [{ n: 5000 }], truncated: false }],
        steps: 2,
      },
    ]);
  });

  it('answers as a stream', async () => {
    await using t = await start({ script });
    const response = await t.post('/api/v1/chat', { messages });
    const lines = (await response.text()).trimEnd().split('\n\n');
    expect(lines.map((line) => line.slice(0, 'data: x'.length))).toEqual(
      expect.arrayContaining(['data: 9', 'data: a', 'data: 0', 'data: d']),
    );
    const result = lines.find((line) => line.startsWith('data: a:')) ?? '';
    expect(JSON.parse(result.slice('data: a:'.length))).toMatchObject({
      result: { columns: ['n'], rows: [{ n: 5000 }] },
    });
  });
});

describe('a statement of one’s own', () => {
  it('comes with its rows as an item of data', async () => {
    await using t = await start({ script: [] });
    const response = await t.post('/api/v1/sql', { sql: SQL, connectionId: 'default' });
    expect([response.status, await response.json()]).toEqual([
      200,
      {
        columns: ['n'],
        columnTypes: ['number'],
        rows: [{ n: 5000 }],
        rowCount: 1,
        truncated: false,
        sql: SQL,
        executedSql: SQL,
        connectionId: 'default',
        durationMs: expect.any(Number),
      },
    ]);
    expect(t.settled).toMatchObject([{ status: 'succeeded', request: { surface: 'api' } }]);
  });

  it.each([
    [{ sql: 'DELETE FROM orders' }, 400, 'sql_refused'],
    [{ sql: 'SELECT * FROM sqlite_master' }, 400, 'sql_refused'],
    [{ sql: 'SELECT 1; SELECT 2' }, 400, 'sql_refused'],
    [{ sql: 'SELECT nothing FROM orders' }, 400, 'sql_refused'],
    [{ sql: 'SELECT abs(-9223372036854775807 - 1)' }, 400, 'sql_failed'],
    [{ sql: 'SELECT 1', connectionId: 'nowhere' }, 400, 'invalid_request'],
    [{ sql: ' \n' }, 422, 'validation_error'],
    [{}, 422, 'validation_error'],
    [{ sql: 'SELECT 1', surface: 'cli' }, 422, 'validation_error'],
    [{ sql: ['SELECT 1'] }, 422, 'validation_error'],
  ])('%j is refused', async (body, status, error) => {
    await using t = await start({ script: [] });
    const response = await t.post('/api/v1/sql', body);
    expect([response.status, await response.json()]).toMatchObject([status, { error, message: expect.any(String) }]);
  });
});

describe('a provider that fails', () => {
  it.each([
    [{ status: 401 }, 502, 'provider_auth_error'],
    [{ status: 404 }, 400, 'provider_model_not_found'],
    [{ status: 429 }, 429, 'provider_rate_limit'],
    [{ status: 500 }, 502, 'provider_error'],
    [{ garbage: 'not-json' }, 502, 'provider_error'],
  ] as const)('with %j gives %i %s on every endpoint, and the server stays up', async (step, status, code) => {
    await using t = await start({ respond: () => step });
    for (const [path, body] of [
      ['/api/v1/query', { question: 'How many orders?' }],
      ['/api/chat', { messages }],
      ['/api/v1/chat?stream=ui', { messages }],
    ] as const) {
      const response = await t.post(path, body);
      expect([path, response.status, await response.json()]).toMatchObject([path, status, { error: code }]);
      if (status === 429) expect(response.headers.get('retry-after')).toBe('1');
    }
    expect((await fetch(`${t.url}/api/health`)).status).toBe(200);
  });
});

describe('a database file that is missing', () => {
  it('is told by health, and the server stays up', async () => {
    await using t = await start({ script: [] }, 'missing.db');
    const response = await fetch(`${t.url}/api/health`);
    expect([response.status, await response.json()]).toMatchObject([
      200,
      { status: 'degraded', checks: { datasource: { status: 'error' } } },
    ]);
  });
});

describe('a client that leaves', () => {
  it.each(['/api/v1/query', '/api/chat', '/api/chat?stream=ui'])('%s stops the model call', async (path) => {
    await using t = await start({ respond: () => ({ stall: true }) });
    const left = new AbortController();
    const body = path.endsWith('query') ? { question: 'How many orders?' } : { messages };
    const response = t.post(path, body, left.signal).catch(() => {});
    await soon(() => t.provider.requests.length === 1);
    left.abort();
    await soon(() => t.provider.requests[0]?.aborted === true);
    await response;
  });

  const question = { question: 'How many orders?' };
  it.runIf(process.platform === 'linux').each([
    ['/api/v1/query', question, 1],
    ['/api/chat', { messages }, 1],
    ['/api/v1/sql', { sql: ENDLESS }, 0],
  ] as const)('%s stops the statement, and health answers meanwhile', async (path, body, calls) => {
    await using t = await start({ respond: () => ({ toolCall: { name: 'executeSQL', args: { sql: ENDLESS } } }) });
    const left = new AbortController();
    const response = t
      .post(path, body, left.signal)
      .then((reply) => reply.text())
      .catch(() => {});
    await soon(() => t.provider.requests.length === calls);
    await expect.poll(() => processIsWorking('atlas-sqlite')).toBe(true);
    expect((await fetch(`${t.url}/api/health`)).status).toBe(200);
    // Health did not wait for it.
    expect(t.settled).toEqual([]);
    left.abort();
    await soon(() => t.settled.length === 1);
    expect(t.settled[0]?.status).toBe('cancelled');
    await response;
  });
});
