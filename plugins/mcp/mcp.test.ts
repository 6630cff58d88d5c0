/** The protocol as the SDK's own client speaks it, over every transport, with and without a key. */
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import {
  type CallToolResult,
  Client,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BuiltInServer, startBuiltIn } from '../../test/harness/built-in-server.ts';
import { emptyFolder } from '../../test/harness/command.ts';
import { atlasHere as atlas } from '../../test/harness/command-here.ts';
import { createSimpleDemo } from '../demo-data/index.ts';
import { demoEnvironment } from './fixtures/demo-environment.ts';

const root = join(import.meta.dirname, '../..');
const KEY = 'a-key-of-enough-characters';
const WITH_KEY = { headers: { authorization: `Bearer ${KEY}` } };
const folder = emptyFolder();
const env = demoEnvironment(folder.path);
const SERVED = {
  ...env,
  SVC_ACTIONS_ENABLED: 'true',
  SVC_MCP_ENABLED: 'true',
  SVC_API_KEY: KEY,
  SVC_API_KEY_ROLE: 'admin',
};
let server: BuiltInServer;
beforeAll(async () => {
  await createSimpleDemo(join(folder.path, 'shop.db'));
  server = await startBuiltIn(SERVED);
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const TRANSPORTS: Readonly<Record<string, () => Transport>> = {
  'streamable HTTP': () => new StreamableHTTPClientTransport(new URL('/mcp', server.url), { requestInit: WITH_KEY }),
  'HTTP with SSE': () => new SSEClientTransport(new URL('/sse', server.url), { requestInit: WITH_KEY }),
  stdio: () =>
    new StdioClientTransport({
      command: process.execPath,
      args: [join(root, 'bin/atlas.mjs'), 'mcp'],
      cwd: folder.path,
      env: { PATH: process.env.PATH ?? '', ...env },
      stderr: 'ignore',
    }),
};

async function connect(transport: Transport): Promise<Client & AsyncDisposable> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(transport);
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
}

const call = async (client: Client, name: string, args: Record<string, unknown>) => {
  const { content, isError = false } = (await client.callTool({ name, arguments: args })) as CallToolResult;
  return { isError, texts: content.map((part) => (part.type === 'text' ? part.text : '')) };
};

describe.each(Object.entries(TRANSPORTS))('over %s', (name, transport) => {
  let client: Client;
  beforeAll(async () => {
    client = await connect(transport());
  });
  afterAll(() => client.close());

  it('every tool answers, and refuses with a sentence', async () => {
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([
      'ask',
      'query_sql',
      'explore',
      'list_metrics',
    ]);
    const asked = await call(client, 'ask', { question: 'Revenue by region in 2025' });
    expect([asked.isError, asked.texts[0]]).toEqual([false, expect.stringContaining('Europe: 401,073.08 USD')]);
    expect(JSON.parse(asked.texts[1] ?? '')).toMatchObject({ outcome: 'answered', data: [{ rowCount: 3 }] });
    const queried = await call(client, 'query_sql', { sql: 'select count(*) as n from orders' });
    expect(JSON.parse(queried.texts[0] ?? '')).toMatchObject({ columns: ['n'], rows: [{ n: 5000 }] });
    const metrics = await call(client, 'list_metrics', {});
    expect(JSON.parse(metrics.texts[0] ?? '').metrics).toContainEqual(expect.objectContaining({ id: 'revenue' }));
    expect((await call(client, 'explore', { path: 'entities/orders.yml' })).texts[0]).toMatch(/^table: orders/);

    for (const [name, args, sentence] of [
      ['query_sql', { sql: 'delete from orders' }, /DELETE is not a reading statement/],
      ['query_sql', { sql: 'select 1', connectionId: 'nowhere' }, /no connection "nowhere"/],
      ['query_sql', {}, /sql/],
      ['query_sql', { sql: 'select 1', rows: 1 }, /additional/],
      ['ask', { question: '' }, /question/],
      ['ask', { question: 'How many dragons are there?' }, /dragons/],
    ] as const) {
      const { isError, texts } = await call(client, name, args);
      expect([isError, texts.join('\n')]).toEqual([true, expect.stringMatching(sentence)]);
    }
    await expect(client.callTool({ name: 'drop_table', arguments: {} })).rejects.toThrow(/drop_table/);
  });

  it('a query tool says what it answers as data, too, which is what its schema says', async () => {
    // The client checks the content against the schema that the tool declares.
    const { tools } = await client.listTools();
    expect(tools.filter(({ outputSchema }) => outputSchema !== undefined).map(({ name }) => name)).toEqual([
      'ask',
      'query_sql',
    ]);
    expect(JSON.stringify(tools).length).toBeLessThan(14_000);
    const structured = async (name: string, args: Record<string, unknown>) =>
      (await client.callTool({ name, arguments: args })).structuredContent;
    expect(await structured('ask', { question: 'Revenue by region in 2025' })).toMatchObject({
      answer: expect.stringContaining('Europe'),
      outcome: 'answered',
      data: [{ rowCount: 3, columns: ['region', 'revenue'], formats: {}, provenance: {} }],
      usage: { totalTokens: 0 },
    });
    expect(await structured('ask', { question: 'Total orders?' })).toMatchObject({ outcome: expect.any(String) });
    expect(await structured('ask', { question: 'How many dragons are there?' })).toMatchObject({ outcome: 'declined' });
    const sql = 'select count(*) as n, null as missing from orders';
    const { content, structuredContent } = await client.callTool({ name: 'query_sql', arguments: { sql } });
    expect(structuredContent).toMatchObject({ columns: ['n', 'missing'], rows: [{ n: 5000, missing: null }] });
    const [first] = content as { text: string }[];
    expect(structuredContent).toEqual(JSON.parse(first?.text ?? ''));
  });

  it('a call that the client cancels ends its statement', async () => {
    const column = `cancelled over ${name}`;
    const sql = `select count(*) as "${column}" from order_items a, order_items b, order_items c`;
    const stop = new AbortController();
    const called = client.callTool({ name: 'query_sql', arguments: { sql } }, { signal: stop.signal });
    await setTimeout(1500);
    stop.abort();
    await expect(called).rejects.toThrow();
    const newest = async () => (await api('/api/v1/admin/audit?limit=1', WITH_KEY)).body.entries[0];
    // Without a cancellation it would run for 30 s.
    await expect
      .poll(newest, { timeout: 20_000 })
      .toMatchObject({ sql: expect.stringContaining(column), success: false, surface: 'mcp' });
  });

  it('a result comes with its chart as SVG for the user, unless that is large', async () => {
    const charts = async (tool: string, args: object) => {
      const { content } = (await client.callTool({ name: tool, arguments: { ...args } })) as CallToolResult;
      return content.flatMap((part) => (part.type === 'resource' ? [part] : []));
    };
    const sql = 'select status, count(*) as n from orders group by status';
    for (const [chart, ...others] of [
      await charts('query_sql', { sql }),
      await charts('ask', { question: 'Revenue by region in 2025' }),
    ]) {
      expect(others).toEqual([]);
      expect(chart).toMatchObject({
        resource: { uri: expect.stringMatching(/^atlas:/), mimeType: 'image/svg+xml' },
        annotations: { audience: ['user'] },
      });
      expect(Object(chart?.resource).text).toMatch(/^<svg .* role="img" .*<title>Bars: .*<\/svg>$/);
    }
    expect(await charts('query_sql', { sql: 'select count(*) as n from orders' })).toEqual([]);
    const large = 'select id * 1.5 as a, id * 2.5 as b from orders limit 1000';
    expect(await charts('query_sql', { sql: large })).toEqual([]);
  });

  it('the semantic layer is shown as resources, its questions as prompts', async () => {
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toContain('semantic://entities/orders.yml');
    const { contents } = await client.readResource({ uri: 'semantic://glossary.yml' });
    expect(contents[0]).toMatchObject({ text: expect.stringMatching(/^terms:/m) });
    const outside = await client.readResource({ uri: 'semantic://../package.json' }).catch((error) => error);
    expect(JSON.stringify(outside)).not.toContain('atlas-query');
    const [prompt] = (await client.listPrompts()).prompts;
    const { messages } = await client.getPrompt({ name: prompt?.name ?? '' });
    expect(messages[0]?.content).toMatchObject({ type: 'text', text: prompt?.description });
    await expect(client.getPrompt({ name: 'none' })).rejects.toThrow(/There is no prompt "none"/);
  });

  it('prompts that an administrator collects are there at once, the own first', async () => {
    const shown = async () => (await client.listPrompts()).prompts.map(({ name }) => name);
    const before = await shown();
    const prompts = '/api/v1/admin/prompts';
    const { id } = (await send(prompts, { name: 'Für uns!', industry: 'shops' })).body;
    await send(`${prompts}/${id}/items`, { question: 'How many orders?', description: 'All of them.' });
    expect(await shown()).toEqual(['für-uns-1', ...before].slice(0, 100));
    const { description, messages } = await client.getPrompt({ name: 'für-uns-1' });
    expect([description, messages[0]?.content]).toEqual(['All of them.', { type: 'text', text: 'How many orders?' }]);
    await api(`${prompts}/${id}`, { ...WITH_KEY, method: 'DELETE' });
  });
});

it('a result stays below 512 KB', async () => {
  const transport = TRANSPORTS['streamable HTTP']?.() as Transport;
  await using client = await connect(transport);
  const wide = `select ${Array.from({ length: 40 }, (_, index) => `product_name || '${'x'.repeat(40)}' as c${index}`).join()} from order_items`;
  const result = (await client.callTool({ name: 'query_sql', arguments: { sql: wide } })) as CallToolResult;
  // Text and structured content together.
  expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThanOrEqual(512 * 1024);
  const { rows, rowCount, truncated } = result.structuredContent as {
    rows: object[];
    rowCount: number;
    truncated: boolean;
  };
  expect([truncated, rows.length > 0, rows.length < rowCount]).toEqual([true, true, true]);
});

it('statements stand in the audit log under the surface "mcp"', async () => {
  const { body } = await api('/api/v1/admin/audit?limit=1', WITH_KEY);
  expect(body).toMatchObject({ entries: [{ surface: 'mcp', authMode: 'api-key' }] });
});

const MESSAGE = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };

async function api(path: string, init: RequestInit = {}) {
  const response = await fetch(new URL(path, server.url), init);
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text.startsWith('{') ? JSON.parse(text) : text };
}

const send = (path: string, body: unknown) =>
  api(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...WITH_KEY.headers },
    body: JSON.stringify(body),
  });

const post = (headers: Record<string, string>, body: unknown = MESSAGE, path = '/mcp') =>
  api(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify(body),
  });

it('a cancellation that reaches another server ends the call', async () => {
  await using other = await startBuiltIn(SERVED);
  const headers = { ...WITH_KEY.headers, 'mcp-session-id': 'a-session' };
  const sql = 'select count(*) as elsewhere from order_items a, order_items b, order_items c';
  const params = { name: 'query_sql', arguments: { sql } };
  const called = post(headers, { jsonrpc: '2.0', id: 7, method: 'tools/call', params });
  const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } };
  const ended = called.then(
    () => true,
    () => true,
  );
  // The call may not have begun when the first of them comes. Without any it would run for 30 s.
  const isOver = async () => {
    await fetch(new URL('/mcp', other.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body: JSON.stringify(cancel),
    });
    return Promise.race([ended, setTimeout(100, false)]);
  };
  await expect.poll(isOver, { interval: 500, timeout: 20_000 }).toBe(true);
});

it('without the right key there is no answer', async () => {
  for (const headers of [{}, { authorization: 'Bearer wrong' }] as Record<string, string>[]) {
    const { status, headers: sent, body } = await post(headers);
    expect([status, body.error, sent.get('www-authenticate')]).toEqual([
      401,
      'auth_error',
      expect.stringMatching(/^Bearer/),
    ]);
    expect((await api('/sse', { headers })).status).toBe(401);
  }
  await expect(connect(new StreamableHTTPClientTransport(new URL('/mcp', server.url)))).rejects.toThrow();
});

it('foreign pages and foreign names are refused', async () => {
  const { host } = new URL(server.url);
  const key = WITH_KEY.headers;
  expect((await post({ ...key, origin: `http://${host}` })).status).toBe(200);
  for (const origin of [
    'https://evil.example',
    'null',
    'http://127.0.0.1.evil.example',
    'http://localhost@evil.example',
  ]) {
    expect([origin, (await post({ ...key, origin })).status]).toEqual([origin, 403]);
  }
  for (const foreign of ['evil.example', 'evil.example:3001', '127.0.0.1.evil.example']) {
    expect([foreign, await statusWithHost(foreign)]).toEqual([foreign, 403]);
  }
  expect(await statusWithHost('LOCALHOST:1')).toBe(200);
});

/** `fetch` sets Host itself. */
async function statusWithHost(host: string): Promise<number | undefined> {
  const { request } = await import('node:http');
  const headers = {
    ...WITH_KEY.headers,
    host,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  return new Promise((resolve, reject) => {
    const sent = request(new URL('/mcp', server.url), { method: 'POST', headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on('error', reject).end(JSON.stringify(MESSAGE));
  });
}

it('each call of a batch counts for the rate limit', async () => {
  await using limited = await startBuiltIn({ ...env, SVC_MCP_ENABLED: 'true', SVC_RATE_LIMIT_RPM: '10' });
  const batch = async (length: number) => {
    const calls = Array.from({ length }, (_, id) => ({ ...MESSAGE, id }));
    const response = await fetch(new URL('/mcp', limited.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify(calls),
    });
    return { status: response.status, text: await response.text() };
  };
  const first = await batch(6);
  expect([first.status, first.text.match(/query_sql/g)]).toEqual([200, expect.objectContaining({ length: 6 })]);
  const second = await batch(6);
  expect([second.status, second.text]).toEqual([429, expect.stringContaining('rate_limited')]);
  expect(second.text).not.toContain('query_sql');
});

it('other methods, bodies and streams are refused with their status', async () => {
  const key = WITH_KEY.headers;
  expect((await api('/mcp', WITH_KEY)).status).toBe(405);
  expect((await post(key, { jsonrpc: '2.0', id: 1 })).status).toBeGreaterThanOrEqual(400);
  const unknown = '/sse/messages?sessionId=00000000-0000-4000-8000-000000000000';
  expect((await post(key, MESSAGE, unknown)).status).toBe(404);
  expect((await post(key, MESSAGE, '/sse/messages?sessionId=x')).status).toBe(400);
});

it.each([
  [['mcp', '--transport', 'http'], {}, /--transport is invalid: expected stdio or sse/],
  [['mcp', '--port', '8080'], {}, /--port is for --transport sse only/],
  [['mcp', '--transport', 'sse', '--port', '70000'], {}, /--port is invalid: expected an integer from 0 to 65535/],
  [['mcp', '--tranport', 'sse'], {}, /unknown option/],
])('wrong use, one sentence: %j', async (args, more, message) => {
  const { code, stdout, stderr } = await atlas(args, { cwd: folder.path, env: { ...env, ...more } });
  expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(message)]);
});

it('a composition with a JWKS needs a token on standard input, too', async () => {
  const issuer = { SVC_AUTH_JWKS_URL: 'http://127.0.0.1:9/keys', SVC_AUTH_ISSUER: 'http://issuer.example' };
  const { code, stdout, stderr } = await atlas(['mcp'], { cwd: folder.path, env: { ...env, ...issuer } });
  expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(/needs a key or token/)]);
});

it('a statement that an approval rule holds back is an error that names the pending action', async () => {
  const send = (path: string, method: string, body?: object) =>
    fetch(new URL(path, server.url), {
      method,
      headers: { ...WITH_KEY.headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
  const rules = '/api/v1/admin/approval/rules';
  const made = await send(rules, 'POST', { name: 'People', ruleType: 'table', pattern: 'customers' });
  const { id } = ((await made.json()) as { rule: { id: string } }).rule;
  await using client = await connect(TRANSPORTS['streamable HTTP']!());
  const { isError, texts } = await call(client, 'query_sql', { sql: 'SELECT count(*) AS n FROM customers' });
  expect([isError, texts[0]]).toEqual([true, expect.stringContaining('needs approval and was not run')]);
  const [action] = JSON.parse(texts[1] ?? '{}').pendingActions;
  expect(action).toMatchObject({ type: 'sql', target: 'default', approveUrl: expect.stringContaining(action.id) });
  const own = await (await send(`/api/v1/actions/${action.id}`, 'GET')).json();
  expect(own).toMatchObject({ status: 'pending', approval_mode: 'admin-only' });
  expect((await send(`${rules}/${id}`, 'DELETE')).status).toBe(200);
  expect((await call(client, 'query_sql', { sql: 'SELECT count(*) AS n FROM customers' })).isError).toBe(false);
});

it('a role below SVC_SQL_FOR gets rows and metrics, and no SQL', async () => {
  await using own = await startBuiltIn({
    ...env,
    DATABASE_URL: `sqlite:${join(folder.path, 'viewers.db')}`,
    SVC_MCP_ENABLED: 'true',
    SVC_API_KEY: KEY,
    SVC_API_KEY_ROLE: 'viewer',
    SVC_SQL_FOR: 'analyst',
  });
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', own.url), { requestInit: WITH_KEY });
  await using client = await connect(transport);
  const { texts } = await call(client, 'query_sql', { sql: 'select count(*) as n from orders' });
  expect(JSON.parse(texts[0] ?? '')).toMatchObject({ rows: [{ n: 5000 }], executedSql: '' });
  const asked = await call(client, 'ask', { question: 'Revenue by region in 2025' });
  expect(JSON.parse(asked.texts[1] ?? '')).toMatchObject({
    sql: [],
    data: [{ rowCount: 3, sql: '', executedSql: '' }],
  });
  const metrics = await call(client, 'list_metrics', {});
  expect(JSON.parse(metrics.texts[0] ?? '').metrics).toContainEqual(expect.objectContaining({ id: 'revenue' }));
  const explored = await call(client, 'explore', { path: 'metrics/revenue.yml' });
  expect([explored.isError, explored.texts[0]]).toEqual([true, expect.stringContaining('your role may not see')]);
  expect((await client.listResources()).resources).toEqual([]);
  await expect(client.readResource({ uri: 'semantic://entities/orders.yml' })).rejects.toThrow('your role may not see');
});
