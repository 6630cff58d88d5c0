/** Starts the built-in composition over a shop whose layer has gaps, for several users in several organizations. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { main } from '../../bin/main.ts';
import { readEnv } from '../../config/env.ts';
import { selfHosted } from '../../config/presets/self-hosted.ts';
import { authNone } from '../../plugins/auth-none/index.ts';
import { authRoles } from '../../plugins/auth-roles/index.ts';
import { createTestApp, type InjectedRequest } from './create-test-app.ts';
import { headerAuth } from './header-auth.ts';
import { SqliteFolder } from './sqlite.ts';

const SHOP = `
  CREATE TABLE customers (id INTEGER PRIMARY KEY, city TEXT, segment TEXT, ssn TEXT);
  CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER, total REAL, region TEXT, status TEXT, card TEXT);
  INSERT INTO customers VALUES (1, 'Vienna', 'gold', '111'), (2, 'Graz', 'silver', '222'), (3, 'Linz', 'gold', '333');
  INSERT INTO orders VALUES (1, 1, 10, 'north', 'paid', 'a'), (2, 1, 25, 'south', 'open', 'b'),
    (3, 2, 40, 'north', 'paid', 'c'), (4, 3, 5, 'east', 'paid', 'd'), (5, 3, 70, 'south', 'open', 'e');`;

/** No join, no average, and none of the words that people use. */
export const SHOP_LAYER = {
  'entities/orders.yml': `table: orders
dimensions:
  - { name: id, type: number, primary_key: true }
  - { name: customer_id, type: number }
  - { name: total, type: number }
  - { name: region, sample_values: [north, south, east] }
  - { name: status, sample_values: [paid, open] }
  - { name: card, hidden: true }
measures:
  - { name: revenue, type: sum, sql: total }
`,
  'entities/customers.yml': `table: customers
dimensions:
  - { name: id, type: number, primary_key: true }
  - { name: city, sample_values: [Vienna, Graz, Linz] }
  - { name: segment, sample_values: [gold, silver] }
  - { name: ssn, mask: "'***'" }
measures:
  - { name: customer_count, type: count, synonyms: [number of customers] }
`,
  'verified/top_clients.yml': `name: top_clients
question: Which clients matter most?
sql: SELECT city, SUM(total) AS revenue FROM orders JOIN customers ON customers.id = customer_id GROUP BY city ORDER BY 2 DESC
verifiedBy: Ann
verifiedAt: "2026-01-01"
`,
} as const;

const DAY_MS = 86_400_000;

/** What the tests read of replies. */
// biome-ignore lint/suspicious/noExplicitAny: replies of many routes
type Reply = Record<string, any>;

export async function startShop(files: Readonly<Record<string, string>> = SHOP_LAYER) {
  const folder = new SqliteFolder();
  const cwd = folder.path;
  const write = (path: string, content: string) => {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), content);
  };
  for (const [path, content] of Object.entries(files)) write(`semantic/${path}`, content);
  const env = {
    SVC_DATASOURCE_URL: `sqlite:${folder.create('shop.db', SHOP)}`,
    SVC_SEMANTIC_DIR: join(cwd, 'semantic'),
    SVC_LEARN_CASES_DIR: join(cwd, 'eval/cases'),
    SVC_PROVIDER: 'offline',
    DATABASE_URL: `sqlite:${join(cwd, 'atlas.db')}`,
  };
  let now = Date.parse('2026-01-05T09:00:00Z');
  /** `ann`, or of an organization `ann@acme`; whose name begins with "admin" administers, and "editor" the layer alone. */
  const auth = headerAuth((header) => {
    const [id = '', orgId = null] = header('x-user').split('@');
    const rights = id.startsWith('editor') ? { rights: ['self', 'admin:semantic'] as const } : {};
    return { id: header('x-user'), role: id.startsWith('admin') ? 'admin' : 'analyst', orgId, ...rights };
  });
  const plugins = selfHosted(readEnv({ PORT: '0', ...env }).env).map((entry) =>
    entry.definition === authNone.definition ? authRoles() : entry,
  );
  const app = await createTestApp({ plugins: [...plugins, auth], openGates: false, now: () => now });
  const send = async (user: string, method: InjectedRequest['method'], url: string, payload?: object) => {
    const reply = await app.inject({ method, url, headers: { 'x-user': user }, ...(payload && { payload }) });
    return { status: reply.statusCode, body: reply.body.startsWith('{') ? reply.json<Reply>() : {}, text: reply.body };
  };
  return {
    app,
    folder: cwd,
    send,
    write,
    read: (path: string) => readFileSync(join(cwd, 'semantic', path), 'utf8'),
    nextDay: () => {
      now += DAY_MS;
    },
    async ask(user: string, question: string, conversationId?: string) {
      now += 60_000;
      const { body } = await send(user, 'POST', '/api/v1/query', {
        question,
        ...(conversationId && { conversationId }),
      });
      return body;
    },
    async rate(user: string, conversationId: string, rating: 'good' | 'bad', reason?: string) {
      const url = `/api/v1/conversations/${conversationId}`;
      const { messages } = (await send(user, 'GET', url)).body;
      return send(user, 'PUT', `${url}/messages/${messages.at(-1).id}/feedback`, { rating, ...(reason && { reason }) });
    },
    async sql(user: string, sql: string) {
      now += 60_000;
      return send(user, 'POST', '/api/v1/sql', { sql });
    },
    /** Runs a command in the folder of the shop. */
    async atlas(...argv: string[]) {
      const [stdout, stderr] = [new PassThrough(), new PassThrough()];
      const printed = Promise.all([text(stdout), text(stderr)]);
      const code = await main(argv, { env: { ...env }, cwd, stdout, stderr, signal: new AbortController().signal });
      stdout.end();
      stderr.end();
      const [out, err] = await printed;
      return { code, stdout: out, stderr: err };
    },
    async [Symbol.asyncDispose]() {
      await app.close();
      folder[Symbol.dispose]();
    },
  };
}
