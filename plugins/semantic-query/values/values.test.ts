/** Values of columns: what a query compares with, and what the tool findValues finds, through guard and policies. */
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { type Actor, type AgentTool, type ToolRun, toolsCollect } from '../../../kernel/index.ts';
import { createTestApp, type TestApp } from '../../../test/harness/create-test-app.ts';
import { type LayerFolder, layerFolder } from '../../../test/harness/layer-folder.ts';
import { SqliteFolder } from '../../../test/harness/sqlite.ts';
import { agent } from '../../agent/index.ts';
import { datasourceSqlite } from '../../datasource-sqlite/index.ts';
import { rowSecurity } from '../../row-security/index.ts';
import {
  loadSemanticLayer,
  readingOf,
  type SemanticModel,
  semanticLayer,
  shownTables,
} from '../../semantic-layer/index.ts';
import { sqlGuard } from '../../sql-guard/index.ts';
import { kitDialects, postgres } from '../../sql-kit/index.ts';
import { sqlLimits } from '../../sql-limits/index.ts';
import { semanticQuery } from '../index.ts';
import { nearValues } from './near-values.ts';
import { valueObjections } from './value-check.ts';

const dialects = await kitDialects();

const LAYER = {
  'entities/orders.yml': `
table: orders
dimensions:
  - { name: id, type: number, primary_key: true }
  - { name: status, sample_values: [completed, cancelled, pending] }
  - { name: channel, sample_values: [web, store], unique_count: 2 }
  - { name: secret, hidden: true, sample_values: [alpha] }
  - { name: email, mask: "'***'", sample_values: [ann@example.com] }
  - { name: tenant }
`,
  'entities/visits.yml': `
table: visits
dimensions: [{ name: status, sample_values: [open, closed] }, { name: order_id, type: number }]
`,
};

let folder: LayerFolder;
let model: SemanticModel;
beforeAll(async () => {
  folder = layerFolder(LAYER);
  model = await loadSemanticLayer(folder.dir);
  await postgres.load?.();
});
afterAll(() => folder[Symbol.dispose]());

const objections = (sql: string, dialect = 'sqlite') =>
  valueObjections(readingOf(sql, dialects.get(dialect)!, shownTables(model, 'default', true)));

describe('a value that the layer does not list', () => {
  test.each(['sqlite', 'postgres', 'mysql', 'duckdb'])('is objected to with the near ones in %s', (dialect) => {
    const [objection, ...more] = objections("SELECT COUNT(*) FROM orders WHERE status = 'Complete'", dialect);
    expect(objection?.message).toBe('No value "Complete" is listed for orders.status.');
    expect(objection?.hint).toContain('Listed are, among others: "completed", "cancelled", "pending".');
    expect(more).toEqual([]);
  });

  test('is near where only accents and the width of letters differ', async () => {
    using words = layerFolder({
      'entities/t.yml': 'table: t\ndimensions: [{ name: v, sample_values: [Café, ＡＢＣ] }]\n',
    });
    const tables = shownTables(await loadSemanticLayer(words.dir), 'default', true);
    for (const value of ['cafe', 'abc'])
      expect(
        valueObjections(readingOf(`SELECT 1 FROM t WHERE v = '${value}'`, dialects.get('sqlite')!, tables)),
      ).toHaveLength(1);
  });

  test('is what a value is called in another language', async () => {
    using words = layerFolder({
      'entities/t.yml':
        'table: t\ndimensions: [{ name: v, sample_values: [France], value_translations: { de: { Austria: [Österreich] }, ja: { Austria: [オーストリア] } } }]\n',
    });
    const tables = shownTables(await loadSemanticLayer(words.dir), 'default', true);
    const hints = (value: string) =>
      valueObjections(readingOf(`SELECT 1 FROM t WHERE v = '${value}'`, dialects.get('sqlite')!, tables)).map(
        ({ hint }) => hint,
      );
    for (const value of ['Österreich', 'OSTERREICH', 'ｵｰｽﾄﾘｱ'])
      expect(hints(value)).toEqual([expect.stringMatching(/^Listed are, among others: "Austria", "France"\./)]);
    expect([...hints('Austria'), ...hints('Frankreich')]).toEqual([]);
  });

  test('is not compared with what is no name any more, which would take long', () => {
    const [name, text] = ['x'.repeat(58), 'x'.repeat(3_000)];
    expect(nearValues(`${name}y`, [text, `${name}z`, `${text}y`])).toEqual([`${name}z`]);
    expect(nearValues(`${text}y`, [`${text}z`, `${text}y`, 'x'.repeat(58)])).toEqual([]);
  });

  test('is none where no listed value is like it, unless the list is complete', () => {
    expect(objections("SELECT 1 FROM orders WHERE status = 'shipped'")).toEqual([]);
    expect(objections("SELECT 1 FROM orders WHERE channel = 'phone'")[0]?.hint).toMatch(/^Listed: "web", "store"\./);
  });

  test.each([
    ["SELECT 1 FROM orders o WHERE o.status IN ('completed', 'Pendin')", 'Pendin'],
    ["SELECT SUM(CASE WHEN status = 'complet' THEN 1 END) FROM orders", 'complet'],
    ["WITH c AS (SELECT * FROM orders WHERE status <> 'cancel') SELECT * FROM c", 'cancel'],
    [
      "SELECT 1 FROM visits v WHERE EXISTS (SELECT 1 FROM orders o WHERE o.id = v.order_id AND o.status = 'Pending ')",
      'Pending ',
    ],
    ["SELECT 1 FROM orders JOIN visits ON orders.id = order_id AND visits.status = 'opened'", 'opened'],
    ["SELECT 1 FROM visits UNION SELECT 2 FROM orders WHERE 'Complete' = status", 'Complete'],
    ["SELECT 1 FROM visits WHERE order_id IN (SELECT id FROM orders WHERE status = 'Completed')", 'Completed'],
  ])('is found in %s', (sql, value) => {
    expect(objections(sql).map(({ message }) => message)).toEqual([expect.stringContaining(JSON.stringify(value))]);
  });

  test.each([
    "SELECT 1 FROM orders WHERE status = 'completed'",
    "SELECT 1 FROM orders WHERE LOWER(status) = 'Complete'",
    "SELECT 1 FROM orders WHERE status LIKE 'Complete%'",
    "SELECT 1 FROM orders, visits WHERE status = 'Complete'",
    "WITH orders AS (SELECT 'Complete' AS status) SELECT 1 FROM orders WHERE status = 'Complete'",
    "SELECT 1 FROM (SELECT status FROM orders) AS o WHERE status = 'Complete'",
    "SELECT 1 FROM orders WHERE id = '7'",
    "SELECT 1 FROM customers WHERE status = 'Complete'",
    "SELECT 1 FROM orders WHERE status = 'Complete",
    "DELETE FROM orders WHERE status = 'Complete'",
  ])('is none in %s', (sql) => {
    expect(objections(sql)).toEqual([]);
  });

  test('never tells values of hidden and masked columns', () => {
    expect(objections("SELECT 1 FROM orders WHERE secret = 'alpah' OR email = 'an@example.com'")).toEqual([]);
  });
});

describe('the tools, with row security', () => {
  const databases = new SqliteFolder();
  let app: TestApp;
  /** The same without row security. */
  let open: TestApp;

  beforeAll(async () => {
    const path = databases.create(
      'shop.db',
      `CREATE TABLE orders (id INTEGER PRIMARY KEY, status TEXT, channel TEXT, secret TEXT, email TEXT, tenant TEXT);
       CREATE TABLE visits (status TEXT, order_id INTEGER);
       INSERT INTO orders VALUES (1, 'completed', 'web', 'alpha', 'ann@example.com', 'acme'),
         (2, 'on hold', 'web', 'beta', 'bob@example.com', 'acme'), (3, 'on the way', 'web', 'gamma', 'c@d.e', 'other');
       INSERT INTO orders VALUES (4, 'Café', 'web', 'x', 'x', 'words'), (5, 'ＡＢＣ', 'web', 'x', 'x', 'words'),
         (6, 'カタログ', 'web', 'x', 'x', 'words'), (7, 'Größe', 'web', 'x', 'x', 'words');
       WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50)
       INSERT INTO orders SELECT i + 10, 'code ' || i, 'store', 'x', 'x', 'many' FROM n;`,
    );
    const plugins = [
      semanticLayer({ dir: folder.dir }),
      semanticQuery(),
      sqlLimits(),
      sqlGuard(),
      datasourceSqlite({ connections: [{ id: 'default', url: `sqlite:${path}` }] }),
      agent(),
    ];
    const security = rowSecurity({ column: 'tenant', claim: 'tenant', exempt: ['visits'] });
    app = await createTestApp({ plugins: [...plugins, security] });
    open = await createTestApp({ plugins });
  });
  afterAll(async () => {
    await app?.close();
    await open?.close();
    databases[Symbol.dispose]();
  });

  const memory = new Map<string, unknown>();
  async function call(name: string, input: unknown, tenant: string, asked = app): Promise<Record<string, unknown>> {
    const scope = asked.scope();
    const actor: Actor = { id: 'u', label: null, role: 'analyst', mode: 'test', claims: { tenant } };
    scope.identify(actor, null);
    const question = { turns: [{ role: 'user', text: 'How many?' }], surface: 'api' } as const;
    const tools = await asked.call(toolsCollect, question, scope);
    const tool = tools.map(({ value }) => value).find((one: AgentTool) => one.name === name)!;
    const run: ToolRun = { scope, question, memory };
    return (await tool.run(input, run)).forModel as Record<string, unknown>;
  }
  const find = (column: string, text: string | undefined, tenant = 'acme') =>
    call('findValues', { column, text }, tenant);

  it('findValues searches what this actor may see', async () => {
    expect(await find('orders.status', 'ON ')).toEqual({ values: ['on hold'], more: false });
    expect(await find('orders.status', 'on ', 'other')).toEqual({ values: ['on the way'], more: false });
    expect(await find('orders.status', undefined)).toEqual({ values: ['completed', 'on hold'], more: false });
  });

  it('findValues gives the values most like the text, when none contains it', async () => {
    const found = await find('orders.status', 'Compleated');
    expect(found).toMatchObject({ values: [], mostAlike: ['completed', 'on hold'] });
  });

  it.each([
    ['cafe', 'Café'],
    ['CAFE\u0301', 'Café'],
    ['abc', 'ＡＢＣ'],
    ['ｶﾀﾛｸﾞ', 'カタログ'],
    ['groesse', undefined],
    ['GROSSE', 'Größe'],
  ])('findValues finds for %s, without accents and by width, %s', async (text, value) => {
    const { values } = await find('orders.status', text, 'words');
    expect(values).toEqual(value === undefined ? [] : [value]);
    expect((await find('orders.status', text)).values).toEqual([]);
  });

  it('findValues is bounded', async () => {
    const { values, more } = await find('orders.status', 'code', 'many');
    expect(values).toHaveLength(20);
    expect(more).toBe(true);
    const { mostAlike } = await find('orders.status', 'xyz', 'many');
    expect(mostAlike).toHaveLength(20);
  });

  it('findValues shows nothing hidden or masked', async () => {
    await expect(find('orders.secret', 'a')).rejects.toMatchObject({ code: 'invalid_request' });
    expect(JSON.stringify(await find('orders.email', 'ann'))).not.toContain('@');
    expect(JSON.stringify(await find('orders.email', undefined))).not.toContain('@');
  });

  const sql = (status: string) => `SELECT COUNT(*) AS n FROM orders WHERE status = '${status}'`;

  it('executeSQL and queryMetrics tell near values before the query runs, once', async () => {
    memory.clear();
    const complete = { sql: sql('Complete') };
    await expect(call('executeSQL', complete, 'acme', open)).rejects.toMatchObject({
      message: 'No value "Complete" is listed for orders.status.',
      hint: expect.stringContaining('"completed"'),
    });
    expect(await call('executeSQL', complete, 'acme', open)).toMatchObject({ rows: [{ n: 0 }] });
    const plan = {
      measures: ['orders.count'],
      filters: [{ dimension: 'orders.status', operator: 'equals', values: ['Cancelled'] }],
    };
    await expect(call('queryMetrics', plan, 'acme', open)).rejects.toThrow('"Cancelled"');
  });

  it('no listed value of a table is told where row security hides rows of it', async () => {
    memory.clear();
    for (const status of ['Complete', 'shipped']) {
      const told = await call('executeSQL', { sql: sql(status) }, 'acme');
      expect(told).toMatchObject({ rows: [{ n: 0 }] });
      expect(told).not.toHaveProperty('notes');
    }
  });
});
