/**
 * Names another organization's connection, and one that does not exist, in every place that takes the id of a connection:
 * bodies and queries of all routes, and tools of MCP. The places come from the running server, so that a new one is
 * checked too; ids in paths are checked by `two-organizations.process.test.ts`.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type AdminServer,
  foundOrganization,
  type Reply,
  startAdminServer,
  succeeded,
} from '../harness/admin-server.ts';
import { engines, type TestEngine } from '../harness/internal-databases.ts';

const ADMIN = '/api/v1/admin';
const OWN = 'northern';
const FOREIGN = 'of-the-south';
const MISSING = 'of-no-corner';
const TASK = { name: 'Task', question: 'How many products are there?', cronExpression: '0 0 1 1 *' };
const CHAT = { messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: TASK.question }] }] };
const MCP = { accept: 'application/json, text/event-stream' };

let engine: TestEngine;
let server: AdminServer;
let task: string;
beforeAll(async () => {
  engine = await engines[0][1]();
  const env = { SVC_MCP_ENABLED: 'true' };
  server = await startAdminServer({ mode: 'managed', database: await engine.fresh(), env });
  await server.signUp('boss');
  for (const [name, id] of [
    ['north', OWN],
    ['south', FOREIGN],
  ] as const) {
    await foundOrganization(server, name, name);
    const body = { id, url: `sqlite:${server.folder}/shop.db` };
    await succeeded(server.send(name, 'POST', `${ADMIN}/connections`, { body }));
  }
  task = (await succeeded(server.send('north', 'POST', '/api/v1/scheduled-tasks', { body: TASK }))).body.id;
}, 120_000);
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await engine?.[Symbol.asyncDispose]();
});

const send = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, body?: object): Promise<Reply> =>
  server.send('north', method, url, body === undefined ? {} : { body });

/** A tool of MCP, whose refusal is a result. The layer has nothing of the organization's own connection either. */
async function callTool(name: string, args: object): Promise<{ status: number; text: string }> {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
  const { text } = await succeeded(server.send('north', 'POST', '/mcp', { body, headers: MCP }));
  return { status: /"There is no connection .*"isError":true/.test(text) ? 400 : 200, text };
}

/** What is asked with the id of a connection, by the place that takes it. */
const PLACES: Readonly<Record<string, (id: string) => Promise<{ readonly status: number; readonly text: string }>>> = {
  'POST /api/v1/query connectionId': (connectionId) =>
    send('POST', '/api/v1/query', { question: TASK.question, connectionId }),
  'POST /api/chat connectionId': (connectionId) => send('POST', '/api/chat', { ...CHAT, connectionId }),
  'POST /api/v1/chat connectionId': (connectionId) => send('POST', '/api/v1/chat', { ...CHAT, connectionId }),
  'POST /api/v1/sql connectionId': (connectionId) =>
    send('POST', '/api/v1/sql', { sql: 'SELECT 1 AS n', connectionId }),
  'POST /api/v1/admin/preview connectionId': (connectionId) =>
    send('POST', `${ADMIN}/preview`, { sql: 'SELECT 1 AS n', connectionId, as: { claims: {}, role: 'viewer' } }),
  'POST /api/v1/scheduled-tasks connectionId': (connectionId) =>
    send('POST', '/api/v1/scheduled-tasks', { ...TASK, connectionId }),
  'PUT /api/v1/scheduled-tasks/:id connectionId': (connectionId) =>
    send('PUT', `/api/v1/scheduled-tasks/${task}`, { connectionId }),
  'POST /api/v1/admin/semantic/org/import connection': (connection) =>
    send('POST', `${ADMIN}/semantic/org/import`, {
      files: [{ path: 'entities/products.yml', content: 'table: products\n' }],
      connection,
    }),
  'POST /api/v1/admin/semantic/explain connectionId': (connectionId) =>
    send('POST', `${ADMIN}/semantic/explain`, { question: TASK.question, connectionId }),
  'POST /api/v1/admin/verified connection': (connection) =>
    send('POST', `${ADMIN}/verified`, {
      name: `products-of-${connection}`,
      question: TASK.question,
      sql: 'SELECT 1 AS n',
      connection,
    }),
  'POST /api/v1/admin/verified/propose connectionId': (connectionId) =>
    send('POST', `${ADMIN}/verified/propose`, {
      question: TASK.question,
      sql: 'SELECT count(*) AS n FROM products',
      connectionId,
    }),
  'mcp ask connectionId': (connectionId) => callTool('ask', { question: TASK.question, connectionId }),
  'mcp query_sql connectionId': (connectionId) =>
    callTool('query_sql', { sql: 'SELECT count(*) FROM products', connectionId }),
};

/** Filters of what was recorded: they find nothing of another organization, as `two-organizations.process.test.ts` shows. */
const FILTERS = ['GET /api/v1/admin/audit connection', 'GET /api/v1/admin/audit/export connection'];

const NAMES = ['connection', 'connectionId', 'connection_id'];
const namesIn = (schema: unknown): string[] =>
  NAMES.filter((name) => name in ((schema as { properties?: object } | undefined)?.properties ?? {}));

it('every place that takes the id of a connection is in the table', async () => {
  const ofRoutes = server
    .routes()
    .flatMap(({ method, path, body, query }) =>
      [...namesIn(body), ...namesIn(query)].map((name) => `${method} ${path} ${name}`),
    );
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const { text } = await succeeded(server.send('north', 'POST', '/mcp', { body, headers: MCP }));
  const { tools } = JSON.parse(/\{.*\}/.exec(text)?.[0] ?? '').result;
  const ofTools = (tools as { name: string; inputSchema: object }[]).flatMap(({ name, inputSchema }) =>
    namesIn(inputSchema).map((found) => `mcp ${name} ${found}`),
  );
  expect([...ofRoutes, ...ofTools].sort()).toEqual([...Object.keys(PLACES), ...FILTERS].sort());
});

it.each(Object.keys(PLACES))('%s', async (place) => {
  const ask = PLACES[place] as (typeof PLACES)[string];
  const own = await ask(OWN);
  expect(own.status, own.text).toBeLessThan(300);
  const [foreign, missing] = [await ask(FOREIGN), await ask(MISSING)];
  expect([400, 404, 422]).toContain(foreign.status);
  expect(foreign.status).toBe(missing.status);
  const told = (text: string) => text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '').replaceAll(/of-[a-z]+-[a-z]+/g, '');
  expect(told(foreign.text)).toBe(told(missing.text));
});
