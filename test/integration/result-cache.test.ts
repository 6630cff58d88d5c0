/** The built-in composition with a result cache: what an answer, a statement, MCP and the audit log say of cached rows. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSimpleDemo, DEMOS } from '../../plugins/demo-data/index.ts';
import { type BuiltInServer, startBuiltIn } from '../harness/built-in-server.ts';
import { emptyFolder } from '../harness/command.ts';
import { atlasHere as atlas } from '../harness/command-here.ts';

const QUESTION = 'How many customers are there?';
const SQL = 'SELECT COUNT(*) AS n FROM customers';
const folder = emptyFolder();
const shop = join(folder.path, 'shop.db');
let server: BuiltInServer;
beforeAll(async () => {
  createSimpleDemo(shop);
  cpSync(DEMOS.simple.layer, join(folder.path, 'semantic'), { recursive: true });
  server = await startBuiltIn({
    SVC_SEMANTIC_DIR: join(folder.path, 'semantic'),
    SVC_DATASOURCE_URL: `sqlite:${shop}`,
    DATABASE_URL: `sqlite:${join(folder.path, 'atlas.db')}`,
    SVC_PROVIDER: 'offline',
    SVC_MCP_ENABLED: 'true',
    SVC_RESULT_CACHE_TTL_MS: '3600000',
  });
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

async function send(path: string, body?: object, headers = {}) {
  const response = await fetch(server.url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  expect(response.status).toBe(200);
  return response;
}
// biome-ignore lint/suspicious/noExplicitAny: answers of several shapes
const json = async (path: string, body?: object): Promise<any> => (await send(path, body)).json();

async function call(name: string, args: object): Promise<string> {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
  return (await send('/mcp', message, { accept: 'application/json, text/event-stream' })).text();
}

it('marks rows that were read before in every answer, and reads them anew where that is asked for', async () => {
  const first = await json('/api/v1/query', { question: QUESTION });
  expect([first.notes, first.data[0].cached]).toEqual([[], undefined]);
  const count = Object.values(first.data[0].rows[0])[0] as number;
  const database = new Database(shop);
  database.exec(
    `DELETE FROM order_items; DELETE FROM orders; DELETE FROM customers WHERE id = (SELECT max(id) FROM customers)`,
  );
  database.close();

  const second = await json('/api/v1/query', { question: QUESTION });
  expect(Object.values(second.data[0].rows[0])).toEqual([count]);
  expect(second.data[0].cached).toEqual({ ageMs: expect.any(Number) });
  expect(second.notes).toEqual([
    {
      code: 'cached',
      message: expect.stringMatching(/^The result was read \d+ s ago and comes from the cache; run it/),
    },
  ]);
  expect(await call('ask', { question: QUESTION })).toContain('comes from the cache');

  const fresh = await json('/api/v1/query', { question: QUESTION, fresh: true });
  expect([Object.values(fresh.data[0].rows[0]), fresh.notes]).toEqual([[count - 1], []]);
  const third = await json('/api/v1/query', { question: QUESTION });
  expect([Object.values(third.data[0].rows[0]), third.data[0].cached]).toEqual([[count - 1], expect.anything()]);

  const { entries } = await json('/api/v1/admin/audit?limit=5&success=true');
  expect(entries.map(({ cached }: { cached: boolean }) => cached)).toEqual([true, false, true, true, false]);
});

it('reads rows anew over MCP and on the command line', async () => {
  for (const [tool, args] of Object.entries({
    ask: { question: QUESTION },
    query_sql: { sql: 'SELECT COUNT(*) AS n FROM orders' },
  })) {
    await call(tool, args);
    expect(await call(tool, args)).toMatch(/cached/);
    const fresh = await call(tool, { ...args, fresh: true });
    expect(fresh).toContain('structuredContent');
    expect(fresh).not.toMatch(/cached|comes from the cache/);
    expect(await call(tool, { ...args, fresh: 'yes' })).toMatch(/"isError":true/);
  }
  const query = async (...args: string[]) => {
    const env = { SVC_API_URL: server.url };
    const { code, stdout, stderr } = await atlas(['query', QUESTION, '--json', ...args], { cwd: folder.path, env });
    expect([code, stderr]).toEqual([0, '']);
    return JSON.parse(stdout).data[0].cached;
  };
  expect(await query()).toEqual({ ageMs: expect.any(Number) });
  expect(await query('--fresh')).toBeUndefined();
});

it('marks the rows of a statement, and a chat that is asked again reads them anew', async () => {
  const run = async (more = {}) => (await json('/api/v1/sql', { sql: SQL, ...more })).cached;
  expect(await run()).toBeUndefined();
  expect(await run()).toEqual({ ageMs: expect.any(Number) });
  expect(await run({ fresh: true })).toBeUndefined();

  const chat = async (more: object) => {
    const messages = [{ id: 'm', role: 'user', parts: [{ type: 'text', text: QUESTION }] }];
    return (await send('/api/v1/chat?stream=ui', { messages, ...more })).text();
  };
  expect(await chat({})).toContain('comes from the cache');
  expect(await chat({ fresh: true })).not.toContain('comes from the cache');
  const again = { id: 'a-chat', messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: QUESTION }] }] };
  expect(await chat({ id: again.id })).toContain('comes from the cache');
  expect(await chat({ ...again, trigger: 'regenerate-message' })).not.toContain('comes from the cache');
});
