import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { datasourceDescribe, datasourceExecute, datasourceList, definePlugin } from '../../kernel/index.ts';
import { layerFolder } from '../../test/harness/layer-folder.ts';
import { createTestApp, type TestApp } from '../../test/testing.ts';
import { rowSecurity } from '../row-security/index.ts';
import { semanticLayer } from '../semantic-layer/index.ts';
import { sqlGuard } from './index.ts';

const { dir } = layerFolder({
  'entities/orders.yml': 'table: orders\n',
  'entities/customers.yml': 'table: customers\n',
  'entities/calendar.yml': 'table: calendar\n',
});

/** Answers with the statement that reached it. */
const database = definePlugin({
  name: 'test-database',
  version: '1.0.0',
  type: 'datasource',
  description: 'Answers with what was asked.',
  setup(ctx) {
    ctx.tap(datasourceList, () => [{ id: 'shop', dbType: 'sqlite' as const, maskedUrl: 'sqlite::memory:' }]);
    ctx.tapKey(datasourceDescribe, 'shop', () =>
      ['orders', 'customers', 'calendar'].map((name) => ({
        name,
        kind: 'table' as const,
        columns: [{ name: 'tenant', type: 'TEXT', nullable: true }],
        primaryKey: [],
        foreignKeys: [],
      })),
    );
    ctx.tapKey(datasourceExecute, 'shop', ({ sql }) => ({
      columns: ['sql'],
      rows: [{ sql }],
      truncated: false,
      notes: [],
    }));
  },
});

const ORGANIZATIONS = { acme: ['orders', 'Calendar'], umbrella: [], initech: ['missing', 'main.customers'] };

describe('tables of organizations', () => {
  let app: TestApp;
  let withDefault: TestApp;
  beforeAll(async () => {
    const start = (organizations: Record<string, string[]>) =>
      createTestApp({ plugins: [semanticLayer({ dir }), sqlGuard({ organizations }), database()] });
    app = await start(ORGANIZATIONS);
    withDefault = await start({ ...ORGANIZATIONS, '*': ['calendar'] });
  });
  afterAll(async () => {
    await app.close();
    await withDefault.close();
  });

  const run = (on: TestApp, orgId: string | null, sql: string) =>
    on.runSql({ sql, surface: 'api' }, on.scope({ orgId }));
  /** Which of the three tables pass. */
  const readable = async (on: TestApp, orgId: string | null) => {
    const names = ['orders', 'customers', 'calendar'];
    const settled = await Promise.allSettled(names.map((name) => run(on, orgId, `SELECT * FROM ${name}`)));
    return names.filter((_, index) => settled[index]?.status === 'fulfilled');
  };

  test('are those listed, whatever organization asked before', async () => {
    for (let round = 0; round < 2; round += 1) {
      expect(await readable(app, 'acme')).toEqual(['orders', 'calendar']);
      expect(await readable(app, 'initech')).toEqual(['customers']);
      expect(await readable(app, 'umbrella')).toEqual([]);
    }
  });

  test('are none for an organization that is not listed, without an organization, and for property names of objects', async () => {
    for (const orgId of ['hooli', null, 'constructor', '__proto__', '*', 'ACME', '']) {
      expect(await readable(app, orgId), String(orgId)).toEqual([]);
    }
  });

  test('are those of * for an organization that is not listed', async () => {
    expect(await readable(withDefault, 'hooli')).toEqual(['calendar']);
    expect(await readable(withDefault, null)).toEqual(['calendar']);
    expect(await readable(withDefault, 'umbrella')).toEqual([]);
    expect(await readable(withDefault, 'acme')).toEqual(['orders', 'calendar']);
  });

  test('hold wherever a table is named, and the others are refused as if there were none', async () => {
    for (const sql of [
      'SELECT (SELECT count(*) FROM customers)',
      'SELECT * FROM orders JOIN customers ON true',
      'WITH c AS (SELECT * FROM customers) SELECT 1',
      'SELECT 1 IN customers',
    ]) {
      await expect(run(app, 'acme', sql)).rejects.toMatchObject({
        code: 'sql_refused',
        message: expect.stringContaining('Table "customers" is not in the semantic layer'),
      });
    }
    await expect(run(app, 'acme', 'SELECT * FROM xyzzy')).rejects.toMatchObject({
      hint: expect.not.stringContaining('customers'),
    });
  });

  test('go together with row security', async () => {
    const plugins = [
      semanticLayer({ dir }),
      sqlGuard({ organizations: ORGANIZATIONS }),
      rowSecurity({ column: 'tenant', claim: 'tenant', staticClaims: { tenant: 'a' } }),
      database(),
    ];
    await using secured = await createTestApp({ plugins });
    expect(await readable(secured, 'acme')).toEqual(['orders', 'calendar']);
    expect(await readable(secured, 'hooli')).toEqual([]);
    const { statement } = await run(secured, 'acme', 'SELECT * FROM orders');
    expect(statement.sql).toContain('WHERE orders.tenant = ?');
  });

  test('alone show what is known of their rows: in the shared layer those that every list names', async () => {
    const values = 'row_count: 5\ndimensions: [{ name: tenant, sample_values: [open, done] }]\n';
    const { dir: known } = layerFolder({
      'entities/orders.yml': `table: orders\n${values}`,
      'entities/calendar.yml': `table: calendar\n${values}`,
      '.orgs/acme/entities/orders.yml': `table: Orders\n${values}`,
      '.orgs/acme/entities/customers.yml': `table: customers\n${values}`,
    });
    const shown = async (organizations: Record<string, string[]>, orgId: string | null) => {
      await using on = await createTestApp({
        plugins: [semanticLayer({ dir: known }), sqlGuard({ organizations }), database()],
      });
      const layer = on.get(semanticLayer);
      const measured = (await layer.measuredTables(orgId)).map(({ table }) => table);
      const { entities } = await layer.modelFor(orgId);
      const with5 = entities.filter(({ rowCount, dimensions }) => rowCount === 5 && dimensions[0]?.sample_values);
      expect(measured).toEqual(with5.map(({ table }) => table));
      return measured;
    };
    const lists = { acme: ['orders'], umbrella: ['orders', 'calendar'] };
    expect(await shown({ ...lists, '*': ['orders', 'calendar'] }, null)).toEqual(['orders']);
    expect(await shown({ ...lists, '*': ['calendar'] }, null)).toEqual([]);
    expect(await shown(lists, null)).toEqual([]);
    expect(await shown(lists, 'acme')).toEqual(['Orders']);
    expect(await shown({ '*': ['customers'] }, 'acme')).toEqual(['customers']);
  });

  test('are all where the option is not given', async () => {
    await using open = await createTestApp({ plugins: [semanticLayer({ dir }), sqlGuard(), database()] });
    expect(await readable(open, 'hooli')).toEqual(['orders', 'customers', 'calendar']);
  });
});
