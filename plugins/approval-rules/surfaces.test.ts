import { afterAll, describe, expect, it } from 'vitest';
import type { Actor, PluginEntry } from '../../kernel/index.ts';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { headerAuth } from '../../test/harness/header-auth.ts';
import { layerFolder } from '../../test/harness/layer-folder.ts';
import { type Answer, Client, databases } from '../../test/harness/managed-server.ts';
import { startOpenAIServer } from '../../test/harness/openai-server.ts';
import { SqliteFolder } from '../../test/harness/sqlite.ts';
import { triedOnly } from '../agent/index.ts';
import { authLookup, SYSTEM_ACTOR } from '../auth-kit/index.ts';
import { authNone } from '../auth-none/index.ts';
import { authRoles } from '../auth-roles/index.ts';
import { datasourceSqlite } from '../datasource-sqlite/index.ts';
import { http } from '../http/index.ts';
import { internalDb } from '../internal-db/index.ts';
import { outbound } from '../outbound/index.ts';
import type { queryApi } from '../query-api/index.ts';
import { scheduler } from '../scheduler/index.ts';
import { semanticQuery } from '../semantic-query/index.ts';
import { webhookInteraction } from '../webhook-interaction/index.ts';
import { addRule, LAYER, respond, rulePlugins, SCRIPT } from './fixtures/rule-server.ts';

const db = databases();
const folder = new SqliteFolder();
afterAll(() => folder[Symbol.dispose]());

const CHANNEL = { channelId: 'desk', authType: 'api-key', secret: 'a shared secret' } as const;

/** The role that the header names; all are one user. */
const roles = headerAuth(
  (header) => ({ role: (header('x-role') || 'admin') as Actor['role'] }),
  (ctx) => ctx.tapKey(authLookup, 'test', () => ({ state: 'unknown' })),
);

/** Without authentication: everybody is the same anonymous administrator. */
async function start(auth: readonly PluginEntry[] = [authNone()], answers: Parameters<typeof queryApi>[0] = {}) {
  const model = await startOpenAIServer({ respond });
  const layer = layerFolder(LAYER);
  const url = `sqlite:${folder.create(`${Math.random()}.db`, SCRIPT)}`;
  const options = {
    database: '',
    answers,
    rules: { approval: 'manual' } as const,
    datasource: datasourceSqlite({ connections: [{ id: 'shop', url }] }),
    plugins: [outbound(), scheduler(), semanticQuery(), webhookInteraction({ channels: [CHANNEL] })],
  };
  const app = await createTestApp({
    plugins: [
      http({ port: 0 }),
      internalDb({ url: await db.url('sqlite') }),
      ...auth,
      ...rulePlugins(options, model.url, layer.dir),
    ],
    openGates: false,
    timeoutMs: 60_000,
  });
  const client = new Client({ url: app.get(http).url() });
  await addRule(client, { name: 'People', ruleType: 'table', pattern: 'customers' });
  return {
    app,
    client,
    async [Symbol.asyncDispose]() {
      await app.close();
      await model.close();
      layer[Symbol.dispose]();
    },
  };
}

const SQL = 'SELECT name FROM customers';
const approve = (client: Client, id: string) => client.send(`/api/v1/actions/${id}/approve`, { method: 'POST' });

describe('a statement that a rule holds back, without authentication', () => {
  it('is approved by whoever may approve, and its rows are shown', async () => {
    await using server = await start();
    const { body } = await server.client.send('/api/v1/query', { body: { question: SQL } });
    const [{ id, approveUrl }] = body.pendingActions;
    expect(approveUrl).toContain(id);
    expect((await server.client.send('/api/v1/actions')).body.actions).toMatchObject([
      { id, action_type: 'sql', status: 'pending', target: 'shop', payload: { sql: SQL, connectionId: 'shop' } },
    ]);
    expect((await approve(server.client, id)).body).toMatchObject({
      status: 'executed',
      result: { columns: ['name'], rows: [{ name: 'Ann' }, { name: 'Bob' }], rowCount: 2, truncated: false },
    });
    expect((await approve(server.client, id)).status).toBe(409);
  });

  it('is refused without a request where the server itself asks', async () => {
    await using server = await start();
    const { app, client } = server;
    const scope = app.scope({ actor: SYSTEM_ACTOR });
    const refused = app.runSql({ sql: SQL, connectionId: 'shop', surface: 'test' }, scope);
    await expect(refused).rejects.toMatchObject({ code: 'sql_refused', reason: 'E_APPROVAL_UNASKED' });
    expect((await client.send('/api/v1/actions')).body.actions).toEqual([]);
  });

  it('is left out, and not filed, where it is only one of several statements tried for a question', async () => {
    await using server = await start();
    const scope = server.app.scope();
    triedOnly.set(scope, true);
    const refused = server.app.runSql({ sql: SQL, connectionId: 'shop', surface: 'api' }, scope);
    await expect(refused).rejects.toMatchObject({ code: 'sql_refused', reason: 'E_APPROVAL_UNASKED' });
    expect((await server.client.send('/api/v1/actions')).body.actions).toEqual([]);
  });

  it('is not hidden from a rule by naming the connection', async () => {
    await using server = await start();
    const ask = (body: object) => server.client.send('/api/v1/query', { body: { question: SQL, ...body } });
    const first = (await ask({})).body.pendingActions[0].id;
    expect((await ask({ connectionId: 'shop' })).body.pendingActions[0].id).toBe(first);
  });

  it('stands in the last event of a chat', async () => {
    await using server = await start();
    const messages = [{ id: '1', role: 'user', parts: [{ type: 'text', text: SQL }] }];
    const { body } = await server.client.send('/api/v1/chat', { body: { messages } });
    const last = JSON.parse(String(body).split('data: d:').at(-1) ?? '');
    expect(last).toMatchObject({ outcome: 'failed', pendingActions: [{ type: 'sql', target: 'shop' }] });
    expect(body).toContain('needs approval and was not run');
  });

  it('fails a scheduled question with the reason', async () => {
    await using server = await start();
    const task = { name: 'Names', question: SQL, cronExpression: '0 6 * * *' };
    const { id } = (await server.client.send('/api/v1/scheduled-tasks', { body: task })).body;
    await server.client.send(`/api/v1/scheduled-tasks/${id}/run`, { method: 'POST' });
    const runs = async () => (await server.client.send(`/api/v1/scheduled-tasks/${id}/runs`)).body.runs;
    await expect.poll(async () => (await runs())[0]?.status, { timeout: 20_000 }).toBe('failed');
    expect((await runs())[0].error).toContain('awaits approval');
    expect((await server.client.send('/api/v1/actions')).body.actions).toHaveLength(1);
  });

  it('runs as the channel of the webhook that asked for it', async () => {
    await using server = await start();
    const answer = await server.app.inject({
      method: 'POST',
      url: '/api/plugins/webhook-interaction/webhook/desk',
      headers: { 'x-webhook-secret': CHANNEL.secret },
      payload: { query: SQL },
    });
    expect(answer.json<{ result: object }>().result).toMatchObject({
      answer: expect.stringContaining('awaits approval'),
      sql: [],
      rows: [],
    });
    const [{ id, requested_by: by }] = (await server.client.send('/api/v1/admin/actions')).body.actions;
    expect(by).toBe('webhook:desk');
    expect((await approve(server.client, id)).body).toMatchObject({
      status: 'executed',
      error: null,
      result: { rowCount: 2 },
    });
  });

  it('is held back from queries over measures, too', async () => {
    await using server = await start();
    const plan = JSON.stringify({ entity: 'customers', dimensions: [{ dimension: 'customers.name' }] });
    const { body } = await server.client.send('/api/v1/query', { body: { question: `queryMetrics ${plan}` } });
    expect(body).toMatchObject({ outcome: 'failed', data: [], pendingActions: [{ type: 'sql' }] });
  });

  it('is not shown to a role that sees no SQL, which may have it run all the same', async () => {
    await using server = await start([roles, authRoles()], { sqlFor: 'admin' });
    const send = async (role: string, method: 'GET' | 'POST', url: string, payload?: object) => {
      const headers = { 'x-role': role };
      const reply = await server.app.inject({ method, url, headers, ...(payload && { payload }) });
      return reply.json<Answer['body']>();
    };
    const asked = async (question: string) => {
      const { pendingActions } = await send('analyst', 'POST', '/api/v1/query', { question });
      return `/api/v1/actions/${pendingActions[0].id}`;
    };
    const own = await asked(SQL);
    const hidden = { action_type: 'sql', target: 'shop', summary: 'It is not shown to you.', payload: null };
    const { actions } = await send('analyst', 'GET', '/api/v1/actions');
    expect(actions).toMatchObject([{ ...hidden, status: 'pending' }]);
    expect(await send('admin', 'GET', own)).toMatchObject({ payload: { sql: SQL } });
    const approved = await send('analyst', 'POST', `${own}/approve`);
    expect(approved).toMatchObject({
      ...hidden,
      status: 'executed',
      result: { rows: [{ name: 'Ann' }, { name: 'Bob' }] },
    });

    const failing = await asked('SELECT abs(-9223372036854775807 - 1) AS beyond, name FROM customers');
    expect(await send('analyst', 'POST', `${failing}/approve`)).toMatchObject({ ...hidden, status: 'failed' });
    const failed = await send('analyst', 'GET', failing);
    expect(JSON.stringify([actions, approved, failed])).not.toMatch(/SELECT|beyond|customers|overflow/);
    expect((await send('admin', 'GET', failing)).error).toMatch(/overflow/);
  });
});
