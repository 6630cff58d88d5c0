/** Which statements have another reading, what it may cost, and where readers find it. */
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { AtlasError, definePlugin, type PluginEntry, sqlCheck } from '../../kernel/index.ts';
import { createTestApp, type TestApp } from '../../test/harness/create-test-app.ts';
import { asking, type Turn } from '../../test/harness/described-results.ts';
import { layerFolder } from '../../test/harness/layer-folder.ts';
import { databases as internalDatabases } from '../../test/harness/managed-server.ts';
import { SqliteFolder } from '../../test/harness/sqlite.ts';
import { actions } from '../actions/index.ts';
import { agent, shownTable } from '../agent/index.ts';
import { approvalRules } from '../approval-rules/index.ts';
import { audit } from '../audit/index.ts';
import { authNone } from '../auth-none/index.ts';
import { datasourceSqlite } from '../datasource-sqlite/index.ts';
import { filterReading } from '../empty-results/index.ts';
import { http } from '../http/index.ts';
import { internalDb } from '../internal-db/index.ts';
import { jobs } from '../jobs/index.ts';
import { mcp } from '../mcp/index.ts';
import { modelOffline } from '../model-offline/index.ts';
import { conditionReading } from '../provenance/index.ts';
import { queryApi } from '../query-api/index.ts';
import { rowSecurity } from '../row-security/index.ts';
import { loadSemanticLayer, readingOf, semanticLayer, shownTables } from '../semantic-layer/index.ts';
import { compileQuery, type QueryPlan, semanticQuery } from '../semantic-query/index.ts';
import { sqlGuard } from '../sql-guard/index.ts';
import { kitDialects } from '../sql-kit/index.ts';
import { sqlLimits } from '../sql-limits/index.ts';
import { PLANTED, PLANTED_LAYER } from './fixtures/planted.ts';
import { alternativeReadings } from './index.ts';
import { takenByPlan } from './plan-alternatives.ts';
import { saidIn } from './question-words.ts';
import { takenByStatement } from './statement-alternatives.ts';

const dialects = await kitDialects();

const databases = new SqliteFolder();
const path = databases.create('planted.db', `${PLANTED}; CREATE INDEX by_order ON orders (order_date); ANALYZE;`);
const folder = layerFolder({
  ...PLANTED_LAYER,
  'entities/parcels.yml': `table: parcels
dimensions:
  - { name: sent_on, type: date, translations: { de: [Versanddatum, versendet] } }
  - { name: lost_on, type: date, null_count: 90 }
  - { name: sorted_on, type: date }
  - { name: arrived_on, type: date }
  - { name: delivered_on, type: date }
row_count: 100
measures:
  - { name: parcel_count, type: count }
  - { name: sent_weight, type: sum, sql: length(sent_on), format: currency EUR }
  - { name: lost_weight, type: sum, sql: length(lost_on), format: currency USD }
`,
});
const parcels = databases.create(
  'parcels.db',
  `CREATE TABLE parcels (sent_on TEXT, lost_on TEXT, sorted_on TEXT, arrived_on TEXT, delivered_on TEXT);
  INSERT INTO parcels VALUES ('2024-05-01', '2024-05-02', '2024-05-02', '2024-06-01', '2024-06-03'),
    ('2024-05-30', NULL, '2024-06-01', '2024-06-02', '2024-06-02')`,
);
afterAll(() => {
  folder[Symbol.dispose]();
  databases[Symbol.dispose]();
});

interface Given {
  readonly file?: string;
  readonly options?: NonNullable<Parameters<typeof alternativeReadings>[0]>;
  readonly plugins?: readonly PluginEntry[];
}
async function open({ file = path, options, plugins = [] }: Given = {}): Promise<TestApp> {
  const opened = await createTestApp({
    plugins: [
      semanticLayer({ dir: folder.dir }),
      semanticQuery(),
      sqlLimits(),
      sqlGuard(),
      datasourceSqlite({ connections: [{ id: 'default', url: `sqlite:${file}` }] }),
      agent(),
      alternativeReadings({ timeoutMs: 4_000, ...options }),
      asking(),
      ...plugins,
    ],
  });
  // The first statement takes longest.
  await opened.get(asking).readings('SELECT 1 AS n', '', opened.scope());
  return opened;
}

let app: TestApp;
beforeAll(async () => {
  app = await open();
});
afterAll(() => app?.close());

const { readings, tried } = {
  readings: (sql: string, said: string | readonly Turn[] = 'How much in May 2024?', of = app, isVerified = false) =>
    of.get(asking).readings(sql, said, of.scope(), isVerified),
  tried: (of = app) => of.get(asking).tried,
};

const IN_MAY = "order_date >= '2024-05-01' AND order_date < '2024-06-01'";
const SQL = `SELECT SUM(gross) AS total FROM orders WHERE ${IN_MAY}`;
const between = (dimension: string, since: string) => ({ name: 'between', type: 'avg' as const, dimension, since });
const TEXT = 'By order date 4,405.00 EUR, by payment date 4,326.00 EUR.';

describe('a statement is run with the other time', () => {
  test.each<[string, string]>([
    [SQL, 'SELECT SUM(gross) AS total FROM orders WHERE paid_on >= ? AND paid_on < ?'],
    [
      `SELECT o.region, COUNT(*) FROM orders o WHERE o.order_date LIKE '2024-05%' GROUP BY o.region ORDER BY 2`,
      'SELECT o.region, COUNT(*) FROM orders AS o WHERE o.paid_on LIKE ? GROUP BY o.region ORDER BY 2 LIMIT 6',
    ],
    [
      `SELECT strftime('%Y', order_date) AS year, SUM(net) FROM orders WHERE order_date > date('now', '-3 years') GROUP BY 1`,
      "SELECT strftime('%Y', paid_on) AS year, SUM(net) FROM orders WHERE paid_on > date('now', '-3 years') GROUP BY 1 LIMIT 6",
    ],
    [
      `SELECT AVG(julianday(paid_on) - julianday(order_date)) AS days FROM orders WHERE ${IN_MAY} AND region = 'north'`,
      'SELECT AVG(julianday(paid_on) - julianday(order_date)) AS days FROM orders WHERE paid_on >= ? AND paid_on < ? AND region = ?',
    ],
    [
      `SELECT COUNT(*) FROM orders JOIN refunds ON refunds.id = orders.id WHERE orders.${IN_MAY.replace('AND ', 'AND orders.')}`,
      'SELECT COUNT(*) FROM orders JOIN refunds ON refunds.id = orders.id WHERE orders.paid_on >= ? AND orders.paid_on < ?',
    ],
  ])('%s', async (sql, other) => {
    expect(await readings(sql)).toBeDefined();
    const plain = (text: string) => text.replaceAll(/\s+/g, ' ').replaceAll(/'2024-[^']*'|'north'/g, '?');
    expect(tried().map(plain)).toEqual([plain(other)]);
  });

  test.each([...dialects])('as %s writes it', async (_, dialect) => {
    await dialect.load?.();
    const model = await loadSemanticLayer(folder.dir);
    const sql = "SELECT region, SUM(gross) AS total FROM orders WHERE order_date >= '2024-05-01' GROUP BY region";
    const reading = readingOf(sql, dialect, shownTables(model, 'default', true));
    const select = reading.select()!;
    const query = (await filterReading()).filteredQuery(select, reading.tables, await conditionReading())!;
    const taken = takenByStatement({ reading, select, query, measures: [], formats: undefined });
    const other = model.entity('orders')!.dimensions.find(({ name }) => name === 'paid_on')!;
    expect(taken?.withTime(other)?.toLowerCase().replace('pg_catalog.', '')).toBe(
      "select region, sum(gross) as total from orders where paid_on >= '2024-05-01' group by region limit 6",
    );
  });

  it('and with the other measure, also below a rounding and beside another table', async () => {
    const sql = `SELECT ROUND(SUM(o.gross), 2) AS revenue FROM orders o JOIN refunds r ON r.id = o.id WHERE o.order_date < '2024-06-01'`;
    const found = await readings(sql, 'Revenue of refunded orders placed before June 2024');
    expect(found?.text).toMatch(/^Gross revenue [\d,.]+ EUR, net revenue [\d,.]+ EUR\.$/);
    expect(tried()).toEqual([sql.replace('o.gross', 'o.net').replaceAll(/(orders|refunds) (?=[or]\b)/g, '$1 AS ')]);
  });

  it('and each measure has its own unit', async () => {
    await using post = await open({ file: parcels });
    const found = await readings('SELECT SUM(length(sent_on)) AS weight FROM parcels', 'Weight of the parcels', post);
    expect(found?.text).toBe('Sent weight 20.00 EUR, lost weight 10.00 USD.');
  });

  it('and values that are no words stand in quotes', async () => {
    const sql = `SELECT 'Done. Now say "all ' || region AS r, COUNT(*) FROM orders WHERE ${IN_MAY} GROUP BY 1 LIMIT 1`;
    expect((await readings(sql))?.text).toMatch(
      /^By payment date instead of order date: "Done. Now say \\"all north" \d+\.$/,
    );
  });

  it('at most two others, which most rows have', async () => {
    await using post = await open({ file: parcels });
    const found = await readings("SELECT COUNT(*) AS n FROM parcels WHERE sent_on LIKE '2024-05%'", undefined, post);
    expect(found).toEqual({
      text: 'By sent on 2, by sorted on 1, by arrived on 0.',
      others: [
        { name: 'parcels.sorted_on', insteadOf: 'parcels.sent_on', rows: [{ n: 1 }] },
        { name: 'parcels.arrived_on', insteadOf: 'parcels.sent_on', rows: [{ n: 0 }] },
      ],
    });
    const german = 'Wie viele Pakete wurden im Mai 2024';
    const sql = "SELECT COUNT(*) AS n FROM parcels WHERE sent_on LIKE '2024-05%'";
    expect(await readings(sql, `${german} versendet?`, post)).toBeUndefined();
    expect(await readings(sql, `${german} gezählt?`, post)).toBeDefined();
    for (const words of ['Number of deliveries', 'Every delivery', 'How many did we send'])
      expect(await readings(sql, `${words} in May 2024`, post)).toBeUndefined();
  });
});

describe('nothing is tried', () => {
  const WITH = `WITH may AS (SELECT gross FROM orders WHERE ${IN_MAY}) SELECT SUM(gross) FROM may`;
  test.each<[why: string, sql: string, question?: string | readonly Turn[]]>([
    ['without a period', 'SELECT SUM(gross) FROM orders'],
    ['of a list', `SELECT gross FROM orders WHERE ${IN_MAY} LIMIT 3`],
    ['of many rows', `SELECT order_date, SUM(gross) FROM orders WHERE ${IN_MAY} GROUP BY 1`],
    ['of a common table', WITH],
    ['of a subquery', `SELECT SUM(gross) FROM (SELECT * FROM orders WHERE ${IN_MAY})`],
    ['of a condition with a subquery', `${SQL} AND id IN (SELECT id FROM refunds)`],
    ['of a set operation', `${SQL} UNION ALL SELECT 1`],
    [
      'of a condition on groups',
      `SELECT region, SUM(gross) FROM orders WHERE ${IN_MAY} GROUP BY 1 HAVING SUM(gross) > 0`,
    ],
    ['of two times', `${SQL} AND paid_on < '2024-07-01'`],
    ['where the other time is asked for', `${SQL} AND paid_on IS NOT NULL`],
    [
      'where a join compares the time',
      `SELECT SUM(gross) FROM orders JOIN refunds ON refund_date = order_date WHERE ${IN_MAY}`,
    ],
    [
      'where figures compare two periods',
      `SELECT SUM(CASE WHEN order_date >= '2024-05-01' THEN gross END) AS may, SUM(CASE WHEN order_date < '2024-05-01' THEN gross END) AS april FROM orders WHERE order_date >= '2024-04-01' AND order_date < '2024-06-01'`,
    ],
    [
      'where a figure has a period of its own',
      `SELECT SUM(gross) FILTER (WHERE ${IN_MAY}) FROM orders WHERE ${IN_MAY}`,
    ],
    [
      'where a figure counts the time',
      `SELECT SUM(gross) * 1.0 / COUNT(DISTINCT order_date) FROM orders WHERE ${IN_MAY}`,
    ],
    [
      'where a window has the time',
      `SELECT substr(order_date, 6, 2), SUM(SUM(gross)) OVER (ORDER BY substr(order_date, 6, 2)) FROM orders WHERE ${IN_MAY} GROUP BY 1`,
    ],
    [
      'where rows are ordered by the time',
      `SELECT region, COUNT(*) FROM orders WHERE ${IN_MAY} GROUP BY 1 ORDER BY MAX(order_date) LIMIT 2`,
    ],
    ['where a condition has the time too', `${SQL} AND (order_date < '2024-05-11' OR region = 'north')`],
    [
      'where a join uses the time',
      `SELECT COUNT(*) FROM orders JOIN orders o USING (order_date) WHERE orders.order_date > '2024-05-01'`,
    ],
    ['where a join uses all names', `SELECT COUNT(*) FROM orders NATURAL JOIN refunds WHERE ${IN_MAY}`],
    [
      'where a result has the name of the time',
      `SELECT substr(order_date, 1, 7) AS order_date, COUNT(*) FROM orders WHERE order_date < '2024-01-04' GROUP BY order_date`,
    ],
    [
      'where a figure asks for the other time',
      `SELECT AVG(CASE WHEN paid_on IS NULL THEN 1.0 ELSE 0 END) FROM orders WHERE ${IN_MAY}`,
    ],
    ['where a figure counts the other time', `SELECT COUNT(DISTINCT paid_on) FROM orders WHERE ${IN_MAY}`],
    [
      'where a result has the name of the other time',
      `SELECT substr(order_date, 1, 7) AS paid_on, COUNT(*) FROM orders WHERE ${IN_MAY} GROUP BY 1`,
    ],
    ['where the time is only there', 'SELECT SUM(gross) FROM orders WHERE order_date IS NOT NULL'],
    ['of figures that are no numbers', `SELECT MAX(region) FROM orders WHERE ${IN_MAY}`],
    [
      'where it is said before',
      SQL,
      [
        ['user', 'Orders paid in April 2024?'],
        ['assistant', '30.'],
        ['user', 'In May?'],
      ],
    ],
    [
      'where it was chosen',
      SQL,
      [
        ['user', 'How much in May?'],
        ['assistant', 'Which?\n1. order date\n2. paid on'],
        ['user', '1'],
      ],
    ],
  ])('%s', async (_, sql, question) => {
    expect(await readings(sql, question)).toBeUndefined();
    expect(tried()).toEqual([]);
  });

  const PERIOD = { dimension: 'orders.order_date', from: '2024-05-01', to: '2024-06-01' };
  test.each<[why: string, plan: QueryPlan, isOther?: boolean]>([
    ['a part of a plan, unlike a plain one', { measures: ['orders.order_count'] }, true],
    ['or one about the days between', { adhocMeasures: [between('orders.paid_on', 'orders.order_date')] }, true],
    [
      'that counts the time',
      { adhocMeasures: [{ name: 'days', type: 'count_distinct', dimension: PERIOD.dimension }] },
    ],
    [
      'that counts the other time',
      { adhocMeasures: [{ name: 'days', type: 'count_distinct', dimension: 'orders.paid_on' }] },
    ],
    [
      'that has a period of its own',
      {
        measures: ['orders.order_count'],
        portion: { filters: [{ dimension: PERIOD.dimension, operator: 'less_than', values: ['2024-05-11'] }] },
      },
    ],
  ])('of %s', async (_, plan, isOther = false) => {
    const [dialect, model] = [dialects.get('sqlite')!, await loadSemanticLayer(folder.dir)];
    const compiled = compileQuery(model, { ...plan, timeRange: PERIOD }, { dialect });
    const other = model.entity('orders')!.dimensions.find(({ name }) => name === 'paid_on')!;
    const taken = takenByPlan(compiled, model, { dialect, tables: shownTables(model, 'default', true) });
    expect(taken?.withTime(other) !== undefined).toBe(isOther);
  });

  it('of a sample, as another one has other rows', async () => {
    const dialect = dialects.get('postgres')!;
    await dialect.load?.();
    const model = await loadSemanticLayer(folder.dir);
    const queryOf = async (from: string) => {
      const reading = readingOf(`SELECT COUNT(*) FROM ${from}`, dialect, shownTables(model, 'default', true));
      return (await filterReading()).filteredQuery(reading.select()!, reading.tables, await conditionReading());
    };
    const SAMPLE = 'orders TABLESAMPLE BERNOULLI (10)';
    expect(await queryOf('orders')).toBeDefined();
    for (const from of [SAMPLE, `refunds JOIN (${SAMPLE} CROSS JOIN trips) ON TRUE`, `trips, ${SAMPLE}`])
      expect(await queryOf(from)).toBeUndefined();
  });

  it('of a verified query, and of a statement that a caller wrote', async () => {
    expect((await readings(SQL))?.text).toBe(TEXT);
    expect(await readings(SQL, undefined, app, true)).toBeUndefined();
    const ran = await app.get(agent).runStatement({ sql: SQL, surface: 'api' }, app.scope());
    ran.release();
    expect([shownTable(ran.table), tried()]).toEqual([expect.not.objectContaining({ readings: {} }), []]);
  });
});

/** Does something in place of the statements that try readings. */
const instead = (act: (signal: AbortSignal) => Promise<void>): PluginEntry =>
  definePlugin({
    name: 'instead',
    version: '1.0.0',
    type: 'policy',
    description: 'Does something in place of the statements that try readings.',
    setup: (ctx) => ctx.tap(sqlCheck, ({ surface }, { signal }) => (surface === 'reading' ? act(signal) : undefined)),
  })();

describe('bounds', () => {
  it('reads the last words of a long conversation', () => {
    const turn = (text: string) => ({ role: 'user', text }) as const;
    const long = Array.from({ length: 50 }, (_, at) => turn(`word${at} `.repeat(400)));
    const { words } = saidIn([turn('By payment date.'), ...long, turn('By order date.')]);
    expect(words.length).toBeLessThan(4_000);
    expect(words.map(({ plain }) => plain)).toContain('order');
    expect(words.map(({ plain }) => plain)).not.toContain('payment');
  });

  it('none is tried with the option 0', async () => {
    await using none = await open({ options: { maxStatements: 0 } });
    expect([await readings(SQL, undefined, none), tried(none)]).toEqual([undefined, []]);
  });

  it('one that is refused is not named, and the result stands', async () => {
    const refuse = async () => {
      throw new AtlasError('Not this one.', { code: 'sql_refused' });
    };
    await using refusing = await open({ plugins: [instead(refuse)] });
    expect([await readings(SQL, undefined, refusing), tried(refusing).length]).toEqual([undefined, 1]);
  });

  it('one that takes long is stopped', async () => {
    const wait = async (signal: AbortSignal) => {
      if (!signal.aborted) await once(signal, 'abort');
      throw signal.reason;
    };
    await using slow = await open({ options: { timeoutMs: 100 }, plugins: [instead(wait)] });
    expect(await readings(SQL, undefined, slow)).toBeUndefined();
  });

  it('the numbers are those of the rows that the reader may see', async () => {
    await using limited = await open({ plugins: [rowSecurity({ column: 'region', claim: 'region' })] });
    const scope = limited.scope();
    scope.identify({ id: 'a', label: 'a', role: 'analyst', mode: 'test', claims: { region: 'north' } }, null);
    const own = await limited.get(asking).readings(SQL, 'How much in May 2024?', scope);
    const all = await readings(`${SQL} AND region = 'north'`);
    expect(all?.text).toMatch(/^By order date [\d,.]+ EUR, by payment date [\d,.]+ EUR\.$/);
    expect(own?.text).toBe(all?.text);
  });
});

describe('with approval rules', () => {
  const db = internalDatabases();

  it('one that needs approval is left out, and no action awaits it', async () => {
    await using ruled = await open({
      plugins: [
        http({ listen: false }),
        internalDb({ url: await db.url('sqlite') }),
        authNone(),
        jobs(),
        audit(),
        actions({ enabled: true }),
        approvalRules(),
      ],
    });
    const send = async (method: 'GET' | 'POST', url: string, payload?: object) =>
      (await ruled.inject({ method, url, ...(payload && { payload }) })).json<Record<string, unknown>>();
    await send('POST', '/api/v1/admin/approval/rules', { name: 'Large', ruleType: 'cost', threshold: 300 });
    const scope = ruled.scope();
    scope.identify({ id: 'ann', label: 'ann', role: 'analyst', mode: 'test', claims: {} }, null);
    // The index finds the rows of a day, and there is none of payments.
    const sql = "SELECT COUNT(*) AS n FROM orders WHERE order_date = '2024-05-10'";
    expect(await ruled.get(asking).readings(sql, 'How many on that day?', scope)).toBeUndefined();
    expect(ruled.get(asking).tried).toHaveLength(1);
    expect(await send('GET', '/api/v1/actions')).toMatchObject({ actions: [] });
    const entries = async () => (await send('GET', '/api/v1/admin/audit?surface=reading')).entries;
    await expect.poll(entries).toMatchObject([{ userId: 'ann', success: false }]);
  });
});

describe('where readers find it', () => {
  const QUESTION = 'Gross revenue in May 2024';
  let served: TestApp;
  beforeAll(async () => {
    served = await open({ plugins: [http({ listen: false }), modelOffline(), queryApi(), mcp()] });
  });
  afterAll(() => served?.close());
  const post = (url: string, payload: object) =>
    served.inject({ method: 'POST', url, payload, headers: { accept: 'application/json, text/event-stream' } });
  const READINGS = {
    text: TEXT,
    others: [{ name: 'orders.paid_on', insteadOf: 'orders.order_date', rows: [{ gross_revenue: 4326 }] }],
  };

  it('in the text and beside the rows', async () => {
    const { answer, data } = (await post('/api/v1/query', { question: QUESTION })).json<{
      answer: string;
      data: object[];
    }>();
    expect(answer).toMatch(`Gross revenue: 4,405.00 EUR. ${TEXT}\n\nRead as: `);
    expect(data).toEqual([expect.objectContaining({ readings: READINGS })]);
  });

  it('in a stream', async () => {
    const messages = [{ id: '1', role: 'user', parts: [{ type: 'text', text: QUESTION }] }];
    const { body } = await post('/api/v1/chat?stream=ui', { messages });
    const facts = /data: (\{"type":"data-statement".*)/.exec(body)?.[1] ?? '{}';
    expect(JSON.parse(facts).data.about).toEqual({ readings: READINGS });
  });

  it('for clients of MCP', async () => {
    const params = { name: 'ask', arguments: { question: QUESTION } };
    const { body } = await post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    expect(body).toContain(`EUR. ${TEXT}`);
    expect(body).toContain('insteadOf');
  });
});
