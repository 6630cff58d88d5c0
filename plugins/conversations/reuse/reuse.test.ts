/** What a model is told of how a question was answered before: to whom, for how long, and what it changes. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Actor, type ChatTurn, definePlugin, type PluginEntry, sqlBefore } from '../../../kernel/index.ts';
import { createTestApp, type TestApp } from '../../../test/harness/create-test-app.ts';
import { chosenEngines, type TestEngine } from '../../../test/harness/internal-databases.ts';
import { type LayerFolder, layerFolder } from '../../../test/harness/layer-folder.ts';
import { type OpenAIServer, type Step, startOpenAIServer } from '../../../test/harness/openai-server.ts';
import { SqliteFolder } from '../../../test/harness/sqlite.ts';
import { agent } from '../../agent/index.ts';
import { previewedBy } from '../../auth-kit/index.ts';
import { datasourceSqlite } from '../../datasource-sqlite/index.ts';
import { internalDb } from '../../internal-db/index.ts';
import { modelOpenai } from '../../model-openai/index.ts';
import { rowSecurity } from '../../row-security/index.ts';
import { semanticLayer } from '../../semantic-layer/index.ts';
import { semanticQuery } from '../../semantic-query/index.ts';
import { sqlGuard } from '../../sql-guard/index.ts';
import { verifiedQueries } from '../../verified-queries/index.ts';
import { conversations } from '../index.ts';
import { isOfDay, normalizedQuestion } from './question-key.ts';

const ORDERS = `table: orders
dimensions:
  - { name: id, type: number, primary_key: true }
  - { name: region }
  - { name: status }
  - { name: total, type: number }
measures:
  - { name: total_sum, type: sum, sql: total }
`;
const VERIFIED = `name: orders_in_all
question: Number of orders in all
sql: SELECT COUNT(*) AS orders FROM orders
verifiedBy: Ann
verifiedAt: 2026-01-01
`;
const LAYER = { 'entities/orders.yml': ORDERS, 'verified/orders_in_all.yml': VERIFIED };

const QUESTION = 'Sales by region?';
/** What a model at a temperature of 0.7 may write for it, the likeliest first. */
const VARIANTS = [
  'SELECT region, SUM(total) AS sales FROM orders GROUP BY region',
  "SELECT region, SUM(total) AS sales FROM orders WHERE status = 'paid' GROUP BY region",
  'SELECT region, COUNT(*) AS sales FROM orders GROUP BY region',
  'SELECT region, AVG(total) AS sales FROM orders GROUP BY region',
];
/** Which of them it writes at each asking. */
const CHOSEN = [0, 1, 0, 2, 0, 0, 1, 3, 0, 1, 0, 2, 0, 0, 1, 0, 3, 1, 0, 1];
const EXAMPLE = /This question was answered before.*\n<data \w+>\n([\s\S]*?)\n<\/data/;

const databases = new SqliteFolder();
let url: string;
let provider: OpenAIServer;
/** What the model does where it has no example, and whether it makes an example's call where it has one. */
const model = { steps: [] as Step[], asked: 0, follows: true };

const sqlCall = (sql: string): Step => ({ toolCall: { name: 'executeSQL', args: { sql } } });

beforeAll(async () => {
  url = `sqlite:${databases.create(
    'shop',
    `CREATE TABLE orders (id INTEGER PRIMARY KEY, tenant TEXT, region TEXT, status TEXT, total INTEGER);
    INSERT INTO orders VALUES (1, 'a', 'north', 'paid', 5), (2, 'a', 'south', 'open', 7), (3, 'a', 'north', 'open', 9);`,
  )}`;
  provider = await startOpenAIServer({
    respond: ({ question, toolResults }) => {
      if (toolResults.length > 0) return { text: 'See the rows.' };
      const [, name, args = ''] = /^(\w+) (\{.*\})$/m.exec(EXAMPLE.exec(question)?.[1] ?? '') ?? [];
      if (name !== undefined && model.follows) return { toolCall: { name, args: JSON.parse(args) } };
      return model.steps.shift() ?? sqlCall(VARIANTS[CHOSEN[model.asked++ % CHOSEN.length]!]!);
    },
  });
});
afterAll(async () => {
  await provider.close();
  databases[Symbol.dispose]();
});

const ANN: Actor = { id: 'ann', label: 'ann', role: 'analyst', mode: 'test', claims: { tenant: 'a' } };

interface StartOptions {
  readonly internal: string;
  readonly layer: LayerFolder;
  readonly reuseStatements?: boolean;
  readonly policies?: Parameters<typeof rowSecurity>[0];
  readonly more?: readonly PluginEntry[];
}

const clock = { now: Date.parse('2026-11-30T12:00:00Z') };

const start = ({ internal, layer, reuseStatements = true, policies, more = [] }: StartOptions): Promise<TestApp> =>
  createTestApp({
    now: () => clock.now,
    plugins: [
      internalDb({ url: internal }),
      semanticLayer({ dir: layer.dir }),
      semanticQuery(),
      // Before the plugin of verified queries, whose examples come first all the same.
      conversations({ reuseStatements }),
      verifiedQueries(),
      sqlGuard(),
      rowSecurity(policies ?? { claim: 'tenant', column: 'tenant' }),
      datasourceSqlite({ connections: [{ id: 'default', url }] }),
      modelOpenai({ provider: 'openai-compatible', baseUrl: provider.url }),
      agent(),
      ...more,
    ],
  });

interface AskOptions {
  readonly actor?: Partial<Actor>;
  readonly orgId?: string | null;
  readonly earlier?: readonly ChatTurn[];
  readonly steps?: readonly Step[];
  readonly isPreview?: boolean;
  /** Asks again, in place of an answer. */
  readonly regenerates?: 'last';
}

/** Asks, and resolves to the example in the prompt and to the rows of the answer. */
async function ask(
  app: TestApp,
  text: string,
  { actor = {}, orgId = 'acme', earlier = [], steps = [], isPreview = false, ...more }: AskOptions = {},
) {
  model.steps = [...steps];
  const first = provider.requests.length;
  const scope = app.scope({ actor: { ...ANN, ...actor }, orgId });
  if (isPreview) previewedBy.set(scope, ANN);
  const turns = [...earlier, { role: 'user', text } as const];
  const { data } = await app.get(agent).answer({ turns, surface: 'api', ...more }, scope);
  const { question } = provider.requests[first]!;
  return { question, example: EXAMPLE.exec(question)?.[1], rows: JSON.stringify(data.at(-1)?.rows ?? []) };
}

const kept = async (app: TestApp) =>
  Number((await app.get(internalDb).run((db) => db('conversation_reuse').count({ total: '*' }).first()))?.total);

/**
 * Asks, and waits until the answer can be used again: that is not waited for by the answer. Counts rows, so an answer of
 * `ask` before it must be one that is not kept.
 */
async function askAndKeep(app: TestApp, text: string, options?: AskOptions) {
  const before = await kept(app);
  const asked = await ask(app, text, options);
  await expect.poll(() => kept(app)).toBe(before + 1);
  return asked;
}

/** What the reader says of the latest answer. */
const rate = (app: TestApp, rating: 'good' | 'bad') =>
  app.get(internalDb).run((db) => {
    const latest = db('conversation_messages').where({ role: 'assistant' }).max('position');
    return db('conversation_messages').where('position', latest).update({ rating });
  });

const agreement = (results: readonly string[]) =>
  Math.max(
    ...Map.groupBy(results, (rows) => rows)
      .values()
      .map(({ length }) => length),
  ) / results.length;

describe.each(chosenEngines)('with an internal database on %s', (_, openEngine) => {
  let engine: TestEngine;
  beforeAll(async () => {
    engine = await openEngine();
  });
  afterAll(() => engine[Symbol.asyncDispose]());

  it('makes a model that answers differently each time answer alike, across a restart', async () => {
    using layer = layerFolder(LAYER);
    const internal = await engine.fresh();
    const results = async (reuseStatements: boolean) => {
      model.asked = 0;
      const rows: string[] = [];
      for (let round = 0; round < 2; round += 1) {
        await using app = await start({ internal, layer, reuseStatements });
        for (let time = 0; time < 10; time += 1)
          rows.push((await (reuseStatements ? askAndKeep : ask)(app, QUESTION)).rows);
      }
      return rows;
    };
    expect(agreement(await results(false))).toBe(0.5);
    expect(agreement(await results(true))).toBe(1);
  });

  it('is given to the same reader alone, under the same claims and policies, over the same layer', async () => {
    using layer = layerFolder(LAYER);
    const internal = await engine.fresh();
    {
      await using app = await start({ internal, layer });
      expect((await askAndKeep(app, QUESTION)).example).toBeUndefined();
      expect((await ask(app, '  sales BY\n region')).example).toBe(
        `executeSQL ${JSON.stringify({ sql: VARIANTS[CHOSEN[(model.asked - 1) % CHOSEN.length]!] })}`,
      );
      const others: AskOptions[] = [
        { actor: { id: 'bob' } },
        { orgId: 'other' },
        { orgId: null },
        { actor: { claims: { tenant: 'b' } } },
        { actor: { role: 'viewer' } },
        { actor: { mode: 'another' } },
        { isPreview: true },
        { regenerates: 'last' },
        {
          earlier: [
            { role: 'user', text: 'Hello' },
            { role: 'assistant', text: 'Hello.' },
          ],
        },
      ];
      for (const other of others)
        expect((await ask(app, QUESTION, other)).example, JSON.stringify(other)).toBeUndefined();
      // Claims that no policy reads say nothing.
      expect((await ask(app, QUESTION, { actor: { claims: { tenant: 'a', iat: 1 } } })).example).toBeDefined();
      expect((await ask(app, 'Sales by status?')).example).toBeUndefined();
    }
    const policies = { policies: [{ tables: ['orders'], condition: 'tenant = {claim} AND id < 9', claim: 'tenant' }] };
    const hidden = ORDERS.replace('name: region', 'name: region, hidden: true');
    using other = layerFolder({ ...LAYER, 'entities/orders.yml': hidden });
    using described = layerFolder({ ...LAYER, 'entities/orders.yml': `${ORDERS}description: What was sold.\n` });
    for (const changed of [{ policies }, { layer: other }, { layer: described }]) {
      await using app = await start({ internal, layer, ...changed });
      expect((await ask(app, QUESTION)).example).toBeUndefined();
    }
    await using app = await start({ internal, layer });
    expect((await ask(app, QUESTION)).example).toBeDefined();
  });

  it('is not given once its reader has rated it down, nor is the same statement again', async () => {
    using layer = layerFolder(LAYER);
    await using app = await start({ internal: await engine.fresh(), layer });
    const [wrong, right] = [sqlCall(VARIANTS[2]!), sqlCall(VARIANTS[0]!)];
    await askAndKeep(app, QUESTION, { steps: [wrong] });
    await rate(app, 'bad');
    const spaced = sqlCall(VARIANTS[2]!.replace(' FROM', '\n  FROM'));
    for (const steps of [[wrong], [spaced]])
      expect((await askAndKeep(app, QUESTION, { steps })).example).toBeUndefined();
    expect((await askAndKeep(app, QUESTION, { steps: [right] })).example).toBeUndefined();
    expect((await askAndKeep(app, QUESTION)).example).toContain('SUM(total)');
    // Of several answers, one that was rated up is preferred to a later one.
    await rate(app, 'good');
    model.follows = false;
    await askAndKeep(app, QUESTION, { steps: [sqlCall(VARIANTS[3]!)] }).finally(() => {
      model.follows = true;
    });
    expect((await askAndKeep(app, QUESTION)).example).toContain('SUM(total)');
    expect(await app.get(internalDb).run((db) => db('conversations').delete())).toBeGreaterThan(0);
    expect(await kept(app)).toBe(0);
  });

  it('holds for its day alone where question or statement may mean a period', async () => {
    using layer = layerFolder(LAYER);
    await using app = await start({ internal: await engine.fresh(), layer });
    const dated = "SELECT COUNT(*) AS n FROM orders WHERE status <> '2026-11-01'";
    const asked = [QUESTION, 'Sales of last month', 'Sales since the start'];
    await askAndKeep(app, asked[0]!);
    await askAndKeep(app, asked[1]!);
    await askAndKeep(app, 'Sales in all', { steps: [sqlCall(dated)] });
    for (const question of [...asked.slice(0, 2), 'Sales in all'])
      expect((await ask(app, question)).example, question).toBeDefined();
    clock.now += 86_400_000;
    expect((await ask(app, asked[0]!)).example).toBeDefined();
    for (const question of [asked[1]!, 'Sales in all'])
      expect((await ask(app, question)).example, question).toBeUndefined();
    clock.now -= 86_400_000;
  });

  it('comes after verified queries, and takes only what answered', async () => {
    using layer = layerFolder(LAYER);
    await using app = await start({ internal: await engine.fresh(), layer });
    const verified = 'Number of orders in all';
    // The model passes the verified query by.
    const sql = sqlCall('SELECT COUNT(id) AS n FROM orders');
    await askAndKeep(app, verified, { steps: [sql] });
    const { question } = await askAndKeep(app, verified);
    expect(question.search('Verified queries\n')).toBeGreaterThan(0);
    expect(question.search('Verified queries\n')).toBeLessThan(question.search(EXAMPLE));
    const plan: Step = { toolCall: { name: 'queryMetrics', args: { entity: 'orders', measures: ['total_sum'] } } };
    await askAndKeep(app, 'Sum of totals', { steps: [plan] });
    expect((await askAndKeep(app, 'Sum of totals')).example).toBe(
      'queryMetrics {"entity":"orders","measures":["total_sum"]}',
    );
    const before = await kept(app);
    const answered: Step = {
      toolCall: { name: 'answerVerified', args: { name: 'orders_in_all', parameters: {} } },
    };
    model.follows = false;
    await ask(app, verified, { steps: [answered] });
    model.follows = true;
    const useless = {
      'Nothing is looked up': [{ text: 'None.' }],
      'Too many statements': [{ toolCalls: VARIANTS.map((sql) => ({ name: 'executeSQL', args: { sql } })) }],
      'It asks back': [{ toolCall: { name: 'clarify', args: { question: 'Which?', choices: ['A', 'B'] } } }],
      'A failed statement': [sqlCall('SELECT nothing FROM orders')],
    };
    for (const [text, steps] of Object.entries(useless)) await ask(app, text, { steps });
    for (const text of Object.keys(useless))
      expect((await ask(app, text, { steps: [{ text: 'None.' }] })).example).toBeUndefined();
    expect(await kept(app)).toBe(before);
  });

  it('is not missed where it cannot be looked up', async () => {
    using layer = layerFolder(LAYER);
    await using app = await start({ internal: await engine.fresh(), layer });
    await app.get(internalDb).run((db) => db.schema.dropTable('conversation_reuse'));
    expect((await ask(app, QUESTION)).rows).toContain('north');
    await expect
      .poll(() => app.lines.map(({ message }) => message))
      .toContain('Earlier answers to a question could not be looked up.');
  });

  it('is looked for among few, however often the question is asked', async () => {
    using layer = layerFolder(LAYER);
    await using app = await start({ internal: await engine.fresh(), layer });
    for (let time = 0; time < 20; time += 1) await askAndKeep(app, QUESTION, { steps: [sqlCall(VARIANTS[0]!)] });
    await rate(app, 'good');
    model.follows = false;
    for (let time = 0; time < 3; time += 1) await ask(app, QUESTION, { steps: [sqlCall(VARIANTS[3]!)] });
    model.follows = true;
    const later = () =>
      app.get(internalDb).run((db) => db('conversation_reuse').select('calls').where('calls', 'like', '%AVG%'));
    await expect.poll(later).toHaveLength(3);
    // What was rated is not among the twenty.
    await expect.poll(() => kept(app)).toBe(21);
    expect((await ask(app, QUESTION)).example).toContain('SUM(total)');
  });

  it('is waited for by no question, nor by the end of the server', async () => {
    using layer = layerFolder(LAYER);
    const waiting = Promise.withResolvers<never>();
    let isAsked = false;
    const held = definePlugin({
      name: 'held',
      version: '1.0.0',
      type: 'policy',
      description: 'Decides about what was asked before once the server ends.',
      setup: (ctx) =>
        ctx.tap(sqlBefore, ({ surface }) => {
          isAsked ||= surface === 'reuse';
          return surface === 'reuse' ? waiting.promise : undefined;
        }),
    });
    const internal = await engine.fresh();
    {
      await using app = await start({ internal, layer });
      await askAndKeep(app, QUESTION);
    }
    const app = await start({ internal, layer, more: [held()] });
    expect(await ask(app, QUESTION)).toMatchObject({ example: undefined, rows: expect.stringContaining('north') });
    expect(isAsked).toBe(true);
    await app.close();
  });
});

it.each([
  ['Sales  by REGION?', 'sales by region'],
  ['¿Sales "by" region?!', 'sales by region'],
  ['Orders over 1.5, by region.', 'orders over 1.5 by region'],
  ['Orders < 5', 'orders < 5'],
  ['Orders > 5', 'orders > 5'],
  ['Orders of -5 €', 'orders of -5 €'],
  ['Orders of C# and .NET', 'orders of c# and .net'],
])('%s is the question "%s"', (text, normalized) => {
  expect(normalizedQuestion(text)).toBe(normalized);
});

it.each([
  ['sales by region', 'SELECT region FROM orders', false],
  ['customers above 100', 'SELECT id FROM customers WHERE total > 100', false],
  ['revenue ytd', '', true],
  ['sales of last month', '', true],
  ['sales in q3', '', true],
  ['sales in march', '', true],
  ['best days', '', true],
  ['wie viele kunden haben wir', '', true],
  ['sales by region', "SELECT region FROM orders WHERE at >= '2026-11-01'", true],
  ['sales by region', 'SELECT region FROM orders WHERE at >= 1764547200', true],
  ['sales by region', "SELECT region FROM orders WHERE strftime('%m', at) = '10'", true],
  ['sales by region', 'SELECT region FROM orders WHERE EXTRACT(DOY FROM at) = 10', true],
  ['sales by region', 'SELECT region FROM orders WHERE order_month = 10', true],
])('"%s" by %s holds for a day: %s', (question, sql, expected) => {
  expect(isOfDay(question, `executeSQL ${JSON.stringify({ sql })}`)).toBe(expected);
});
