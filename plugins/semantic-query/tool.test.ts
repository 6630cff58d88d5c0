import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AgentTool, type ToolOutcome, type ToolRun, toolsCollect } from '../../kernel/index.ts';
import { createTestApp, type TestApp } from '../../test/harness/create-test-app.ts';
import { type OpenAIServer, type Step, startOpenAIServer } from '../../test/harness/openai-server.ts';
import { SqliteFolder } from '../../test/harness/sqlite.ts';
import { agent, schemaForModel } from '../agent/index.ts';
import { datasourceSqlite } from '../datasource-sqlite/index.ts';
import { modelOpenai } from '../model-openai/index.ts';
import { semanticLayer } from '../semantic-layer/index.ts';
import { sqlGuard } from '../sql-guard/index.ts';
import { sqlLimits } from '../sql-limits/index.ts';
import { QueryPlan, semanticQuery } from './index.ts';

const orders = `
table: orders
dimensions:
  - { name: id, type: number, primary_key: true }
  - { name: status }
  - { name: note, hidden: true }
  - { name: ordered_on, type: date }
measures:
  - { name: revenue, type: sum, sql: amount }
joins:
  - { target: customers, relationship: many_to_one, on: { from: customer_id, to: id } }
  - { name: payer, target: customers, relationship: many_to_one, on: { from: payer_id, to: id } }
`;
const customers = `
table: customers
dimensions:
  - { name: id, type: number, primary_key: true }
  - { name: city }
`;

describe('the tool queryMetrics, through the guarded path', () => {
  const layer = mkdtempSync(join(tmpdir(), 'atlas-metrics-'));
  const databases = new SqliteFolder();
  let app: TestApp;
  let steps: Step[] = [];
  let server: OpenAIServer;

  beforeAll(async () => {
    mkdirSync(join(layer, 'entities'));
    writeFileSync(join(layer, 'entities/orders.yml'), orders);
    writeFileSync(join(layer, 'entities/customers.yml'), customers);
    const path = databases.create(
      'shop.db',
      `CREATE TABLE customers (id INTEGER PRIMARY KEY, city TEXT);
       CREATE TABLE orders (id INTEGER PRIMARY KEY, status TEXT, note TEXT, ordered_on TEXT, amount REAL,
         customer_id INTEGER, payer_id INTEGER);
       INSERT INTO customers VALUES (1, 'Bern'), (2, 'Ulm');
       INSERT INTO orders VALUES (1, 'done', 'x', '2024-01-05', 10, 1, 2), (2, NULL, 'y', '2024-02-05', 5, 2, 2),
         (3, 'cancelled', 'z', '2024-02-06', 7, 1, 1);`,
    );
    server = await startOpenAIServer({ respond: () => steps.shift() ?? { text: 'Done.' } });
    app = await createTestApp({
      plugins: [
        modelOpenai({ provider: 'openai-compatible', baseUrl: server.url, model: 'scripted', maxRetries: 0 }),
        agent(),
        semanticLayer({ dir: layer }),
        semanticQuery(),
        sqlLimits(),
        sqlGuard(),
        datasourceSqlite({ connections: [{ id: 'default', url: `sqlite:${path}` }] }),
      ],
    });
  });
  afterAll(async () => {
    await app?.close();
    await server?.close();
    databases[Symbol.dispose]();
    rmSync(layer, { recursive: true, force: true });
  });

  async function ask(plan: unknown): Promise<ToolOutcome> {
    const scope = app.scope();
    const question = { turns: [{ role: 'user', text: 'How much?' }], surface: 'api' } as const;
    const tools = await app.call(toolsCollect, question, scope);
    const tool = tools.map(({ value }) => value).find(({ name }: AgentTool) => name === 'queryMetrics')!;
    const run: ToolRun = { scope, question, memory: new Map() };
    return tool.run(plan, run);
  }

  it('gives rows to the client and to the model', async () => {
    const plan = {
      measures: ['orders.revenue', 'orders.count'],
      dimensions: [{ dimension: 'ordered_on', grain: 'month' }],
      filters: [{ dimension: 'orders.status', operator: 'not_equals', values: ['cancelled'] }],
    };
    const { table, forModel, forClient } = await ask(plan);
    const rows = [
      { ordered_on_month: '2024-01', revenue: 10, count: 1 },
      { ordered_on_month: '2024-02', revenue: 5, count: 1 },
    ];
    expect(table).toMatchObject({ rows, columns: ['ordered_on_month', 'revenue', 'count'], truncated: false });
    expect(forClient).toMatchObject({ rows });
    expect(forModel).toMatchObject({ rows, rowCount: 2, sql: expect.stringContaining('GROUP BY') });
  });

  it('asks which join is meant, and accepts the answer', async () => {
    const plan = { measures: ['orders.revenue'], dimensions: [{ dimension: 'customers.city' }] };
    await expect(ask(plan)).rejects.toMatchObject({
      code: 'invalid_request',
      hint: 'Ask the user which is meant unless the question says it. Name it in joinPath. Choices: orders.customers; orders.payer.',
    });
    const { table } = await ask({ ...plan, joinPath: ['payer'] });
    expect(table?.rows).toEqual([
      { city: 'Ulm', revenue: 15 },
      { city: 'Bern', revenue: 7 },
    ]);
  });

  it('says what is wrong with a plan', async () => {
    await expect(ask({ measures: ['orders.revenu'] })).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('Did you mean orders.revenue?'),
    });
    await expect(ask({ dimensions: [{ dimension: 'orders.note' }] })).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });

  it('lists what is allowed, the nearest first', async () => {
    const names = (hint: string) => /Choices: (.*)\.$/.exec(hint)?.[1]?.split('; ');
    const hintOf = async (plan: unknown) =>
      ask(plan).then(
        () => '',
        (error) => error.hint as string,
      );
    expect(names(await hintOf({ measures: ['orders.total_revenue'] }))).toEqual(['orders.revenue', 'orders.count']);
    const dimensions = names(await hintOf({ dimensions: [{ dimension: 'orders.order_date' }] }));
    expect(dimensions?.[0]).toBe('orders.ordered_on');
    expect(dimensions).toHaveLength(3);
    expect(dimensions).not.toContain('orders.note');
  });

  /** What the model is told after a call over the real protocol. */
  async function told(plan: object): Promise<Record<string, unknown>> {
    steps = [{ toolCall: { name: 'queryMetrics', args: plan } }];
    await app.get(agent).answer({ turns: [{ role: 'user', text: 'How many?' }], surface: 'api' }, app.scope());
    return JSON.parse(server.requests.at(-1)?.toolResults[0] ?? '');
  }

  it.each([
    { measures: ['orders.count'], dimensions: ['orders.status'], having: [] },
    { measures: 'orders.count', dimensions: 'orders.status', measureFilters: [], anyOf: null, orderBy: {} },
    { measures: ['orders.count'], dimensions: [{ dimension: 'orders.status', grain: null }], where: [], limit: null },
    { measures: ['orders.count'], dimensions: '["orders.status"]', timeRange: [], filters: null, comparison: {} },
  ])('takes names alone for dimensions, and what is empty for left out: %j', async (plan) => {
    const { rows, error } = await told(plan);
    expect(error).toBeUndefined();
    expect(rows).toHaveLength(3);
  });

  it('gives a hint for the beginning of a name', async () => {
    const { error } = await told({ measures: ['orders.count'], dimensions: ['orders.stat'] });
    expect(error).toContain('Did you mean orders.status?');
    expect((await told({ measures: ['rev'] })).error).toContain('Did you mean orders.revenue?');
    expect((await told({ measures: ['orders.count'], dimensions: ['orders.xyz'] })).error).not.toContain('mean');
  });

  it('describes the fields in the schema that the model sees', () => {
    const schema = schemaForModel(QueryPlan) as { properties: Record<string, unknown> };
    const undescribed = Object.entries(schema.properties).filter(
      ([, field]) => !/"description"/.test(JSON.stringify(field)),
    );
    expect(undescribed).toEqual([]);
    expect(JSON.stringify(schema.properties.timeRange)).toContain('exclusive');
    expect(JSON.stringify(schema.properties.filters)).toContain('as in the sample values');
  });

  it('takes fields that it does not offer', async () => {
    const schema = schemaForModel(QueryPlan) as { properties: Record<string, unknown> };
    expect(Object.keys(schema.properties)).toContain('share');
    expect(Object.keys(schema.properties)).not.toContain('excludedSegments');
    expect(JSON.stringify(schema)).not.toContain('unlisted');
    const { rows } = await told({
      measures: ['orders.count'],
      ratios: [{ name: 'one', of: 'orders.count', per: 'orders.count' }],
    });
    expect(rows).toMatchObject([{ one: 1 }]);
  });
});
