/**
 * Tries to get values of another tenant out of the whole service over HTTP, with a model that does the tenant's bidding:
 * through tools, hints, choices, follow-ups, notes and what the model is told.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BuiltInServer, startBuiltIn } from '../harness/built-in-server.ts';
import { emptyFolder } from '../harness/command.ts';
import { Client } from '../harness/managed-server.ts';
import { type OpenAIServer, type Step, startOpenAIServer, type ToolCall } from '../harness/openai-server.ts';
import { Issuer, makeKey, sign } from '../harness/token-issuer.ts';

/** What stands in rows of the other tenant, and in its conversations, alone. */
const LEAK = /zebra|globex|987654/i;

const folder = emptyFolder();
let issuer: Issuer;
let model: OpenAIServer;
let server: BuiltInServer;
let north: Client;
let south: Client;
/** What the model does for the next question. */
let script: Step[] = [];

beforeAll(async () => {
  const entities = join(folder.path, 'semantic', 'entities');
  mkdirSync(entities, { recursive: true });
  writeFileSync(
    join(entities, 'orders.yml'),
    `table: orders
dimensions:
  - { name: id, type: number, primary_key: true }
  - { name: customer, type: string }
  - { name: status, type: string, sample_values: [completed, cancelled] }
  - { name: tenant, type: string }
measures:
  - { name: revenue, type: sum, sql: amount }
  - { name: order_count, type: count }
`,
  );
  writeFileSync(
    join(folder.path, 'semantic', 'glossary.yml'),
    `terms:
  - { term: sales, status: ambiguous, meanings: [{ name: revenue, measure: revenue }, { name: number of orders, measure: order_count }] }
`,
  );
  const database = new Database(join(folder.path, 'shop.db'));
  database.exec(`CREATE TABLE orders (id INTEGER PRIMARY KEY, customer TEXT, status TEXT, amount REAL, tenant TEXT);
    INSERT INTO orders (customer, status, amount, tenant) VALUES ('Ann', 'completed', 10, 'north'), ('Bob', 'open', 20, 'north'),
      ('Zebra Ltd', 'zebra-only', 987654, 'globex'), ('Zebra Inc', 'completed', 987654, 'globex')`);
  database.close();
  const key = await makeKey('k-1');
  issuer = await Issuer.start(key);
  model = await startOpenAIServer({ respond: () => script.shift() ?? { text: 'Done.' } });
  server = await startBuiltIn({
    DATABASE_URL: `sqlite:${join(folder.path, 'internal.db')}`,
    SVC_DATASOURCE_URL: `sqlite:${join(folder.path, 'shop.db')}`,
    SVC_SEMANTIC_DIR: join(folder.path, 'semantic'),
    SVC_PROVIDER: 'openai-compatible',
    SVC_MODEL: 'scripted',
    OPENAI_BASE_URL: model.url,
    SVC_AUTH_JWKS_URL: issuer.jwksUrl,
    SVC_AUTH_ISSUER: 'https://id.example.com/',
    SVC_RLS_ENABLED: 'true',
    SVC_RLS_COLUMN: 'tenant',
    SVC_RLS_CLAIM: 'org_id',
  });
  const now = Math.floor(Date.now() / 1000);
  const as = async (sub: string, org_id: string) =>
    new Client(server, await sign(key, { sub, org_id, role: 'analyst', iat: now, exp: now + 300 }));
  [north, south] = await Promise.all([as('nora', 'north'), as('sven', 'globex')]);
}, 60_000);
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await model?.close();
  await issuer?.stop();
  folder[Symbol.dispose]();
});

/** Asks in both ways; returns all that the client and the model got to read. */
async function heard(
  client: Client,
  steps: readonly Step[],
  body: object = {},
  question = 'What is there?',
): Promise<string> {
  const texts: string[] = [];
  const before = model.requests.length;
  script = [...steps];
  const { body: answer } = await client.send('/api/v1/query', { body: { question, ...body } });
  texts.push(JSON.stringify(answer));
  script = [...steps];
  const messages = [{ role: 'user', id: 'm', parts: [{ type: 'text', text: question }] }];
  const stream = await client.send('/api/v1/chat?stream=ui', { body: { messages, ...body } });
  texts.push(JSON.stringify(stream.body));
  // What the model wrote itself is no leak.
  const asked = model.requests.slice(before).flatMap((request) => [request.instructions, ...request.toolResults]);
  return [...texts, ...asked].join('\n');
}

const find = (column: string, text?: string): ToolCall => ({ name: 'findValues', args: { column, text } });
const sql = (text: string): ToolCall => ({ name: 'executeSQL', args: { sql: text } });
const metrics = (args: object): ToolCall => ({ name: 'queryMetrics', args });

test.each<[string, readonly ToolCall[]]>([
  ['all values', [find('orders.customer'), find('orders.status'), find('orders.tenant')]],
  ['parts of values', ['Z', 'ze', 'ltd', '%', '_', "' OR '1'='1", '\\'].map((text) => find('orders.customer', text))],
  ['near values', [find('orders.customer', 'Zebr'), find('orders.status', 'zebra'), find('orders.tenant', 'glob')]],
  [
    'near values of statements',
    ["status = 'zebr'", "customer = 'Zebr Ltd'", "tenant = 'glob'", "status IN ('x', 'y')"].flatMap((condition) => [
      sql(`SELECT COUNT(*) AS n FROM orders WHERE ${condition}`),
      sql(`SELECT COUNT(*) AS n FROM orders WHERE ${condition} `),
    ]),
  ],
  [
    'near values of metrics',
    [
      metrics({ measures: ['orders.revenue'], dimensions: ['orders.customer'] }),
      metrics({
        measures: ['orders.revenue'],
        filters: [{ dimension: 'orders.tenant', operator: 'notEquals', values: ['north'] }],
      }),
      metrics({ measures: ['orders.order_count'], dimensions: ['orders.statu'] }),
    ],
  ],
  [
    'statements',
    [
      sql('SELECT MAX(amount) AS most, MAX(customer) AS last FROM orders'),
      sql("SELECT customer FROM orders WHERE tenant = 'x' OR 1 = 1"),
      sql('SELECT customer FROM orders GROUP BY tenant HAVING MAX(amount) > 0'),
      sql("SELECT json_extract(customer, '$') FROM orders"),
      sql('SELECT CAST(customer AS INTEGER) / 0 FROM orders ORDER BY tenant'),
      sql('SELECT name, sql FROM sqlite_master'),
      sql('SELECT * FROM orders AS o, orders AS p'),
    ],
  ],
  ['a choice', [{ name: 'clarify', args: { question: 'Which customer?', choices: ['Ann', 'Bob'] } }]],
])('%s', async (_, calls) => {
  const steps = calls.map((toolCall): Step => ({ toolCall }));
  expect(await heard(north, [...steps, { text: 'Done.' }])).not.toMatch(
    // A text of the question itself comes back.
    new RegExp(LEAK.source.replace('zebra', 'zebra (?:inc|ltd)|zebra-only'), 'i'),
  );
});

test('a conversation of another tenant gives nothing, and nothing of it is told', async () => {
  script = [
    { toolCall: sql('SELECT customer, amount FROM orders') },
    { text: 'Zebra Ltd and Zebra Inc, 987654 each.' },
  ];
  const { body } = await south.send('/api/v1/query', { body: { question: 'Globex: who ordered?' } });
  expect(JSON.stringify(body)).toMatch(LEAK);
  const { conversationId } = body;
  expect(conversationId).toEqual(expect.any(String));
  for (const path of [
    `/api/v1/conversations/${conversationId}`,
    '/api/v1/conversations',
    '/api/v1/usage',
    '/api/v1/audit',
  ]) {
    expect(JSON.stringify((await north.send(path)).body)).not.toMatch(LEAK);
  }
  expect(await heard(north, [{ text: 'Done.' }], { conversationId }, 'And by status?')).not.toMatch(LEAK);
  expect(await heard(north, [{ text: 'Done.' }], { id: conversationId }, 'And by status?')).not.toMatch(LEAK);
});

test('an ambiguous term is asked once, answered once, and never again', async () => {
  const query: Step = { toolCall: sql('SELECT SUM(amount) AS revenue FROM orders') };
  const clarify: Step = {
    toolCall: { name: 'clarify', args: { question: 'Which sales?', choices: ['revenue', 'number of orders'] } },
  };
  script = [query, clarify];
  const { body: first } = await north.send('/api/v1/query', { body: { question: 'What were our sales?' } });
  expect(first).toMatchObject({ outcome: 'clarify', choices: [{ label: 'revenue' }, { label: 'number of orders' }] });
  const { conversationId } = first;
  script = [clarify, query, { text: 'The revenue is 30.' }];
  const { body: second } = await north.send('/api/v1/query', { body: { question: '1', conversationId } });
  expect(second).toMatchObject({ outcome: 'answered', answer: 'The revenue is 30.' });
  script = [query, query, query, { text: 'It is 30.' }];
  const { body: stubborn } = await north.send('/api/v1/query', { body: { question: 'What were our sales?' } });
  expect(stubborn).toMatchObject({ outcome: 'answered', steps: 4 });
});
