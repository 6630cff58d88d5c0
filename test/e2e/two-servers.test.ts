/** Two servers on one internal database, and one that dies. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CallToolResult, Client, SSEClientTransport } from '@modelcontextprotocol/client';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { emptyFolder, type RunningServer, serve } from '../harness/command.ts';
import { createFleet, FLEET } from '../harness/fleet.ts';
import { startOpenAIServer } from '../harness/openai-server.ts';
import { type PostgresServer, startPostgres } from '../harness/postgres.ts';

const folder = emptyFolder();
let postgres: PostgresServer;
beforeAll(async () => {
  createFleet(folder.path);
  postgres = await startPostgres();
}, 60_000);
afterAll(async () => {
  await postgres.stop();
  folder[Symbol.dispose]();
});

async function freshDatabase(): Promise<string> {
  const name = `atlas_${randomUUID().replaceAll('-', '')}`;
  const client = new pg.Client(postgres.url);
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  return postgres.url.replace(/postgres$/, name);
}

const ACCOUNT = { email: 'ann@example.com', password: 'correct horse battery', name: 'Ann' };

async function call(
  server: RunningServer,
  path: string,
  token: string | undefined,
  body?: object,
  method = body === undefined ? 'GET' : 'POST',
) {
  return fetch(`${server.url}${path}`, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

interface Stored {
  readonly messages: {
    role: string;
    status: string;
    content: { parts: { type: string; text?: string; output?: unknown }[] };
  }[];
}

it('start at once on an empty database, share sessions, and lose nothing of one that is killed', {
  timeout: 120_000,
}, async () => {
  const said = 'Two of the boats lie in Kiel and one in Bremen, which is all there is to say about them today.';
  await using model = await startOpenAIServer({
    respond: (_request, n) =>
      n % 2 === 0
        ? {
            toolCall: {
              name: 'executeSQL',
              args: { sql: 'SELECT harbour, COUNT(*) AS n FROM boats GROUP BY harbour' },
            },
          }
        : { text: said, stall: 'mid' },
  });
  const env = {
    ...FLEET,
    SVC_PROVIDER: 'openai-compatible',
    OPENAI_BASE_URL: model.url,
    SVC_MODEL: 'm',
    DATABASE_URL: await freshDatabase(),
    AUTHLIB_SECRET: 's'.repeat(40),
    SVC_LOG_LEVEL: 'error',
  };
  const start = () => serve({ cwd: folder.path, env });
  const [first, second] = await Promise.all([start(), start()]);
  await using _second = second;

  const signedUp = await call(first, '/api/auth/sign-up/email', undefined, ACCOUNT);
  expect([signedUp.status, await signedUp.text()]).toEqual([200, expect.any(String)]);
  const signedIn = await call(first, '/api/auth/sign-in/email', undefined, ACCOUNT);
  const token = signedIn.headers.get('set-auth-token') ?? '';
  expect((await call(second, '/api/v1/conversations', token)).status).toBe(200);
  expect((await call(second, '/api/v1/conversations', undefined)).status).toBe(401);

  const chat = await call(first, '/api/chat', token, {
    resumable: true,
    messages: [{ id: '1', role: 'user', parts: [{ type: 'text', text: 'Where do the boats lie?' }] }],
  });
  const id = chat.headers.get('x-conversation-id');
  const reader = chat.body?.pipeThrough(new TextDecoderStream()).getReader();
  let seen = '';
  while (!seen.includes('data: 0:')) seen += (await reader?.read())?.value ?? '';
  const conversation = async () => (await (await call(second, `/api/v1/conversations/${id}`, token)).json()) as Stored;
  // While the first server is alive, the second shows its answer as one that is being given.
  expect((await conversation()).messages[1]?.status).toBe('running');
  // Text is written once a second.
  await expect.poll(async () => (await conversation()).messages[1]?.content.parts.length, { timeout: 10_000 }).toBe(3);

  process.kill(first.pid, 'SIGKILL');
  await first.stop();
  const [question, answer] = (await conversation()).messages;
  expect(question?.content.parts).toEqual([{ type: 'text', text: 'Where do the boats lie?' }]);
  expect(answer?.status).toBe('interrupted');
  expect(answer?.content.parts[0]).toMatchObject({ type: 'tool-executeSQL', output: { columns: ['harbour', 'n'] } });
  expect(answer?.content.parts[1]).toMatchObject({ type: 'data-statement' });
  expect(said).toContain(answer?.content.parts[2]?.text ?? 'nothing');

  // The stream is taken up as far as it is stored, ends with an error, and asks the model nothing.
  const asked = model.requests.length;
  const resume = () => call(second, `/api/v1/chat/${id}/stream`, token);
  const chunks = (await (await resume()).text()).trimEnd().split('\n\n');
  expect(chunks.filter((chunk) => /tool-output-available|"delta":"Two of/.test(chunk))).toHaveLength(2);
  const sentence = 'The answer broke off, and this is what had been said. Ask again.';
  expect(chunks.slice(-3)).toEqual([
    `data: ${JSON.stringify({ type: 'error', errorText: sentence })}`,
    'data: {"type":"finish","finishReason":"error"}',
    'data: [DONE]',
  ]);
  expect([(await resume()).status, model.requests.length]).toEqual([204, asked]);

  const audit = (await (await call(second, '/api/v1/admin/audit', token)).json()) as { entries: object[] };
  expect(audit.entries).toEqual([
    expect.objectContaining({ userLabel: ACCOUNT.email, success: true, conversationId: id, tables: ['boats'] }),
  ]);
});

it('a stop on one ends a statement that runs for the other', { timeout: 120_000 }, async () => {
  await using stack = new AsyncDisposableStack();
  const layer = stack.use(emptyFolder());
  mkdirSync(join(layer.path, 'entities'));
  writeFileSync(join(layer.path, 'entities/visits.yml'), 'table: visits\ndimensions:\n  - name: id\n');
  const database = await freshDatabase();
  const client = new pg.Client(database);
  await client.connect();
  stack.defer(() => client.end());
  await client.query('CREATE TABLE visits AS SELECT id FROM generate_series(1, 2000) AS id');
  // Eight billion rows are counted, for minutes.
  const slow = 'SELECT COUNT(*) AS visits FROM visits a CROSS JOIN visits b CROSS JOIN visits c';
  const running = async () =>
    (
      await client.query(`SELECT 1 FROM pg_stat_activity
        WHERE state = 'active' AND query LIKE '%CROSS JOIN%' AND pid <> pg_backend_pid()`)
    ).rowCount;
  const model = stack.use(
    await startOpenAIServer({ respond: () => ({ toolCall: { name: 'executeSQL', args: { sql: slow } } }) }),
  );
  const env = {
    SVC_DATASOURCE_URL: database,
    SVC_SEMANTIC_DIR: layer.path,
    SVC_PROVIDER: 'openai-compatible',
    OPENAI_BASE_URL: model.url,
    SVC_MODEL: 'm',
    DATABASE_URL: await freshDatabase(),
    SVC_LOG_LEVEL: 'error',
  };
  const start = () => serve({ cwd: layer.path, env });
  const [first, second] = await Promise.all([start(), start()]);
  stack.use(first);
  stack.use(second);
  const leaving = new AbortController();
  const chat = await fetch(`${first.url}/api/chat?stream=ui`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      resumable: true,
      messages: [{ id: '1', role: 'user', parts: [{ type: 'text', text: 'How many visits are there?' }] }],
    }),
    signal: leaving.signal,
  });
  const id = chat.headers.get('x-conversation-id');
  await expect.poll(running).toBe(1);
  leaving.abort();
  const taken = await call(second, `/api/v1/chat/${id}/stream`, undefined);
  const following = taken.text();
  expect((await call(second, `/api/v1/chat/${id}/stream`, undefined, undefined, 'DELETE')).status).toBe(204);
  await expect.poll(running).toBe(0);
  expect(await following).toContain('The answer was stopped. Ask again for a whole one.');
  expect(model.requests).toHaveLength(1);
});

it('an older MCP client speaks with both, until the one with its stream is killed', { timeout: 120_000 }, async () => {
  const env = {
    ...FLEET,
    SVC_PROVIDER: 'offline',
    SVC_MCP_ENABLED: 'true',
    DATABASE_URL: await freshDatabase(),
    AUTHLIB_SECRET: 's'.repeat(40),
    SVC_LOG_LEVEL: 'error',
  };
  const start = () => serve({ cwd: folder.path, env });
  const [first, second] = await Promise.all([start(), start()]);
  await using _second = second;
  const tokenOf = async (account: object) => {
    await call(first, '/api/auth/sign-up/email', undefined, account);
    const signedIn = await call(first, '/api/auth/sign-in/email', undefined, account);
    return signedIn.headers.get('set-auth-token') ?? '';
  };
  const ann = await tokenOf(ACCOUNT);
  const eve = await tokenOf({ ...ACCOUNT, email: 'eve@example.com', name: 'Eve' });
  const posted: string[] = [];
  const transport = new SSEClientTransport(new URL('/sse', first.url), {
    requestInit: { headers: { authorization: `Bearer ${ann}` } },
    // Streams come from the first server, and every message reaches the second.
    async fetch(url, init) {
      if (init?.method !== 'POST') return fetch(url, init);
      const { pathname, search } = new URL(url);
      posted.push(`${pathname}${search}`);
      return fetch(new URL(`${pathname}${search}`, second.url), init);
    },
  });
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(transport);
  const query = () =>
    client.callTool({
      name: 'query_sql',
      arguments: { sql: 'SELECT COUNT(*) AS n FROM boats' },
    }) as Promise<CallToolResult>;
  for (const { content } of await Promise.all([query(), query(), query()]))
    expect(content[0]).toMatchObject({ text: expect.stringContaining('"rows":[{"n":3}]') });
  const path = posted.at(-1) ?? '';
  const ping = { jsonrpc: '2.0', id: 'p', method: 'ping' };
  const told = async (response: Response) => [
    response.status,
    { ...((await response.json()) as object), requestId: '' },
  ];
  const foreign = await told(await call(second, path, eve, ping));
  expect(foreign).toEqual([404, expect.objectContaining({ error: 'not_found' })]);
  const unknown = `/sse/messages?sessionId=${randomUUID()}`;
  expect(foreign).toEqual(await told(await call(second, unknown, eve, ping)));
  // A stream that its server has not renewed is gone, and one that it renews is there.
  const database = new pg.Client(env.DATABASE_URL);
  await database.connect();
  const afterExpiry = async () => {
    await database.query('UPDATE mcp_streams SET expires_at = 0');
    return (await call(second, path, ann, ping)).status;
  };
  // Its server may renew it just then.
  await expect.poll(afterExpiry).toBe(404);
  await database.end();
  await expect.poll(async () => (await call(second, path, ann, ping)).status, { interval: 1_000 }).toBe(202);

  process.kill(first.pid, 'SIGKILL');
  await first.stop();
  const refused = await call(second, path, ann, ping);
  expect(await told(refused)).toMatchObject([
    503,
    { message: 'The server that has this event stream does not answer. Open a new one with GET /sse.' },
  ]);
  await client.close();
});
