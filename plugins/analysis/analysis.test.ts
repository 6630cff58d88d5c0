import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AgentTool, type ToolOutcome, toolsCollect } from '../../kernel/index.ts';
import { createTestApp, type TestApp } from '../../test/harness/create-test-app.ts';
import { demoPlugins } from '../../test/harness/demo-plugins.ts';
import { Random } from '../../test/harness/random.ts';
import { agent, schemaForModel } from '../agent/index.ts';
import { datasourceSqlite } from '../datasource-sqlite/index.ts';
import { rowSecurity } from '../row-security/index.ts';
import { semanticLayer } from '../semantic-layer/index.ts';
import { semanticQuery } from '../semantic-query/index.ts';
import { sqlGuard } from '../sql-guard/index.ts';
import { sqlLimits } from '../sql-limits/index.ts';
import { analysis } from './index.ts';

const sales = `
table: sales
dimensions:
  - { name: id, type: number, primary_key: true }
  - { name: region, unique_count: 4 }
  - { name: shop, unique_count: 12 }
  - { name: tenant, type: number }
  - { name: buyer, unique_count: 9, mask: "'***'" }
  - { name: margin_code, unique_count: 3, hidden: true }
  - { name: sold_on, type: date }
  - { name: is_return, type: boolean }
measures:
  - { name: revenue, type: sum, sql: amount }
  - { name: buyers, type: count_distinct, sql: buyer }
  - { name: average_sale, type: avg, sql: amount }
  - { name: return_rate, type: ratio, sql: '100.0 * SUM(CASE WHEN is_return THEN 1 ELSE 0 END) / COUNT(*)' }
segments:
  - { name: returned, sql: is_return }
`;

/** Sixteen months of sales; in the last one the region "West" loses nine of ten, and its returns rise. */
function createSales(path: string): void {
  const random = new Random(5);
  const database = new Database(path);
  database.exec(
    'CREATE TABLE sales (id INTEGER PRIMARY KEY, region TEXT, shop TEXT, tenant INTEGER, buyer TEXT, margin_code TEXT, sold_on TEXT, is_return INTEGER, amount REAL)',
  );
  const insert = database.prepare('INSERT INTO sales VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)');
  database.transaction(() => {
    for (let month = 0; month < 16; month += 1) {
      const on = new Date(Date.UTC(2024, 8 + month, 1)).toISOString().slice(0, 8);
      for (let sale = 0; sale < 240; sale += 1) {
        const region = random.pick(['North', 'South', 'East', 'West']);
        if (month === 15 && region === 'West' && random.chance(0.9)) continue;
        const isReturn = Number(random.chance(month === 10 && region === 'East' ? 0.7 : 0.1));
        const shop = `Shop ${random.integer(1, 12)}`;
        const day = String(random.integer(1, 28)).padStart(2, '0');
        insert.run(
          region,
          shop,
          random.integer(1, 2),
          `b${random.integer(1, 9)}`,
          'x',
          `${on}${day}`,
          isReturn,
          random.integer(5, 50),
        );
      }
    }
  })();
  database.close();
}

interface Analysis {
  readonly results: readonly Readonly<Record<string, unknown>>[];
  readonly causes: readonly string[];
  readonly [fact: string]: unknown;
}

describe('the tools of analysis', () => {
  const folder = mkdtempSync(join(tmpdir(), 'atlas-analysis-'));
  let app: TestApp;
  let secured: TestApp;

  beforeAll(async () => {
    mkdirSync(join(folder, 'layer/entities'), { recursive: true });
    writeFileSync(join(folder, 'layer/entities/sales.yml'), sales);
    createSales(join(folder, 'sales.db'));
    const plugins = [
      agent(),
      semanticLayer({ dir: join(folder, 'layer') }),
      semanticQuery(),
      analysis({ maxStatements: 5 }),
      sqlLimits(),
      sqlGuard(),
      datasourceSqlite({ connections: [{ id: 'default', url: `sqlite:${join(folder, 'sales.db')}` }] }),
    ];
    app = await createTestApp({ plugins });
    secured = await createTestApp({
      plugins: [...plugins, rowSecurity({ policies: [{ tables: ['sales'], condition: 'tenant = 1' }] })],
    });
  });
  afterAll(async () => {
    await app?.close();
    await secured?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function run(name: string, input: object, on = app): Promise<ToolOutcome & { readonly forModel: Analysis }> {
    const scope = on.scope();
    const question = { turns: [{ role: 'user' as const, text: 'Why?' }], surface: 'api' };
    const tools = (await on.call(toolsCollect, question, scope)).map(({ value }) => value);
    const tool = tools.find((one: AgentTool) => one.name === name)!;
    return (await tool.run(input, { scope, question, memory: new Map() })) as never;
  }
  const sum = (outcome: Analysis, dimension: string) =>
    outcome.results.filter((row) => row.dimension === dimension).reduce((all, row) => all + Number(row.change), 0);

  it('names the cause of a drop, and contributions that add up to the change', async () => {
    const {
      forModel,
      tables = [],
      forClient,
    } = await run('explainChange', { measure: 'sales.revenue', period: '2025-12' });
    expect(forModel.causes).toEqual(['sales.region = West']);
    expect(forModel.results[0]).toMatchObject({ dimension: 'sales.region', value: 'West', isCause: true });
    expect(sum(forModel, 'sales.region')).toBeCloseTo(Number(forModel.change));
    expect(tables).toHaveLength(4);
    expect(forModel.statements).toBe(4);
    expect(forClient).toMatchObject({ columns: expect.arrayContaining(['value', 'change']), rows: expect.any(Array) });
  });

  it('names no cause where nothing happened, nor where the past is too short', async () => {
    const quiet = await run('explainChange', { measure: 'sales.revenue', period: '2025-10' });
    expect(quiet.forModel.causes).toEqual([]);
    expect(quiet.forModel.verdict).toContain('No single cause');
    const odd = await run('explainChange', { measure: 'sales.revenue', period: '2025-12-01..2025-12-20' });
    expect(sum(odd.forModel, 'sales.region')).toBeCloseTo(Number(odd.forModel.change));
    expect(odd.forModel).toMatchObject({ against: '2025-11-11..2025-11-30', causes: [] });
    const early = await run('explainChange', { measure: 'sales.revenue', period: '2024-12' });
    expect(early.forModel.verdict).toContain('only 3 earlier periods');
  });

  it('splits a ratio into rates and mix, exactly', async () => {
    const { forModel } = await run('explainChange', { measure: 'sales.return_rate', period: '2025-07' });
    expect(forModel.causes).toEqual(['sales.region = East']);
    expect(sum(forModel, 'sales.region')).toBeCloseTo(Number(forModel.change), 6);
    const [top] = forModel.results;
    expect(Number(top?.rateEffect) + Number(top?.mixEffect)).toBeCloseTo(Number(top?.change), 4);
    const average = await run('explainChange', {
      measure: 'sales.average_sale',
      period: '2025-11',
      dimensions: ['sales.region'],
    });
    expect(sum(average.forModel, 'sales.region')).toBeCloseTo(Number(average.forModel.change), 6);
  });

  it.each([
    [{ measure: 'sales.buyers', period: '2025-12' }, 'does not add up'],
    [{ measure: 'sales.revenue', period: 'December' }, 'is no period'],
    [{ measure: 'sales.revenue', period: '2025-12', against: '2025-Q3' }, 'no earlier period of the length'],
    [{ measure: 'sales.revenu', period: '2025-12' }, 'Did you mean sales.revenue?'],
    [{ measure: 'sales.revenue', period: '2025-12', dimensions: ['sales.margin_code'] }, 'no dimension'],
  ])('refuses %j', async (input, message) => {
    await expect(run('explainChange', input)).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining(message),
    });
  });

  it('never breaks down by hidden or masked columns of its own accord, and masks those that are named', async () => {
    const { forModel } = await run('explainChange', { measure: 'sales.revenue', period: '2025-12' }, secured);
    expect(JSON.stringify(forModel)).not.toMatch(/buyer|margin_code/);
    const named = await run(
      'explainChange',
      { measure: 'sales.revenue', period: '2025-12', dimensions: ['sales.buyer'] },
      secured,
    );
    expect(JSON.stringify([named.forModel, named.forClient, named.tables])).not.toMatch(/"b\d"/);
  });

  it('sees only the rows that row security shows', async () => {
    const all = await run('compare', { measure: 'sales.revenue', a: '2025-11', b: '2025-12' });
    const own = await run('compare', { measure: 'sales.revenue', a: '2025-11', b: '2025-12' }, secured);
    expect(Number(own.forModel.results[0]?.a)).toBeLessThan(Number(all.forModel.results[0]?.a));
    expect(own.tables?.[0]?.ran?.statement.shown?.policies).toContain('rows');
  });

  it('compares periods by group, values and segments', async () => {
    const { forModel, tables } = await run('compare', {
      measure: 'sales.revenue',
      a: '2025-Q3',
      b: '2025-Q4',
      dimensions: ['sales.region'],
    });
    const { total, results } = forModel as { total: { a: number; b: number; difference: number } } & Analysis;
    expect(results).toHaveLength(4);
    expect(results.reduce((all, row) => all + Number(row.difference), 0)).toBeCloseTo(total.difference);
    expect(results.reduce((all, row) => all + Number(row.shareB), 0)).toBeCloseTo(100, 0);
    expect(tables).toHaveLength(2);
    const values = await run('compare', {
      measure: 'sales.count',
      a: 'West',
      b: 'East',
      of: 'sales.region',
      period: '2025-12',
    });
    expect(Number(values.forModel.results[0]?.difference)).toBeGreaterThan(20);
    const segments = await run('compare', { measure: 'sales.average_sale', a: 'returned', b: 'returned' });
    expect(segments.forModel.results[0]).toMatchObject({ difference: 0, changePercent: 0 });
  });

  it('forecasts with intervals, and refuses less than two seasons', async () => {
    const input = { measure: 'sales.count', grain: 'week', horizon: 2 };
    await expect(run('forecast', input)).rejects.toMatchObject({ message: expect.stringContaining('at least 104') });
    const days = await run('forecast', { ...input, grain: 'day', horizon: 7 });
    expect(days.forModel.results).toHaveLength(7);
    for (const { low, forecast, high } of days.forModel.results) {
      expect(Number(low)).toBeLessThan(Number(forecast));
      expect(Number(high)).toBeGreaterThan(Number(forecast));
    }
    expect(days.forClient).toMatchObject({ columns: ['period', 'sales.count', 'forecast', 'low', 'high'] });
  });

  it('costs the prompt little, and the model little to read', async () => {
    const scope = app.scope();
    const question = { turns: [{ role: 'user' as const, text: 'Why?' }], surface: 'api' };
    const own = (await app.call(toolsCollect, question, scope)).filter(({ plugin }) => plugin === 'analysis');
    const definitions = own.map(({ value: { name, description, input } }) => ({
      name,
      description,
      parameters: schemaForModel(input),
    }));
    expect(definitions.map(({ name }) => name)).toEqual(['explainChange', 'compare', 'forecast']);
    expect(JSON.stringify(definitions).length).toBeLessThan(1_200);
    const { forModel } = await run('explainChange', {
      measure: 'sales.revenue',
      period: '2025-12',
      dimensions: ['sales.shop', 'sales.region'],
    });
    expect(Buffer.byteLength(JSON.stringify(forModel))).toBeLessThan(4_200);
  });
});

describe('without a language model', () => {
  it.each([
    ['Why did revenue drop in January 2026?', 'explainChange', /Revenue was .* in 2026-01 and .* in 2025-12/],
    ['compare revenue in Q1 2026 and Q2 by region', 'compare', /Revenue, 2026-Q1 and 2026-Q2: .*\n- Europe: /],
    [
      'forecast revenue for the next 3 months',
      'forecast',
      /by month, with 80 % intervals:\n- 2026-11: .*\n- 2026-12: .*\n- 2027-01: /,
    ],
  ])('%s', async (text, tool, expected) => {
    await using app = await createTestApp({
      plugins: [...demoPlugins(), analysis()],
      now: new Date('2026-11-20T12:00:00Z'),
    });
    const events: string[] = [];
    const question = { turns: [{ role: 'user' as const, text }], surface: 'api' };
    const answer = await app.get(agent).answer(question, app.scope(), (event) => {
      if (event.type === 'tool-call') events.push(event.toolName);
    });
    expect(answer.text).toMatch(expected);
    expect(answer.outcome).toBe('answered');
    expect(events[0]).toBe(tool);
    // Each statement of the tool is shown as a call of its own.
    expect(events.filter((name) => name === 'executeSQL')).toHaveLength(answer.sql.length);
    expect(answer.sql).toHaveLength(answer.data.length);
    expect(answer.sql.length).toBeGreaterThan(0);
  });

  it('asks which period is meant, and takes the reply', async () => {
    await using app = await createTestApp({
      plugins: [...demoPlugins(), analysis()],
      now: new Date('2026-11-20T12:00:00Z'),
    });
    const ask = (...turns: readonly { role: 'user' | 'assistant'; text: string }[]) =>
      app.get(agent).answer({ turns, surface: 'api' }, app.scope());
    const first = { role: 'user' as const, text: 'why did revenue drop in March' };
    const asked = await ask(first);
    expect(asked).toMatchObject({ outcome: 'clarify', text: expect.stringContaining('1. March 2026') });
    const answered = await ask(first, { role: 'assistant', text: asked.text }, { role: 'user', text: '1' });
    expect(answered.text).toContain('Revenue was');
    const other = await ask({ role: 'user', text: 'how many customers are there' });
    expect(other.text).toContain('1,000');
  });
});
