/** Policies that filter nothing stop the start, or refuse statements until it is known that they do not. */
import { describe, expect, test } from 'vitest';
import { datasourceDescribe, datasourceExecute, datasourceList, definePlugin } from '../../kernel/index.ts';
import { BY_TENANT, Clinic } from '../../test/fixtures/clinic.ts';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { layerFolder } from '../../test/harness/layer-folder.ts';
import { semanticLayer } from '../semantic-layer/index.ts';
import { sqlGuard } from '../sql-guard/index.ts';
import { rowSecurity } from './index.ts';

describe('a rule that filters nothing stops the start', () => {
  test.each([
    [
      { column: 'tenant_idd', claim: 'tenant' },
      /no table of connection "default" has the column "tenant_idd".*did you mean `Tenant_ID`\? .*SVC_RLS_COLUMN/,
    ],
    [
      { policies: [{ tables: ['visits', 'visit'], column: 'tenant_id', claim: 'tenant' }] },
      /a rule names the table "visit", which connection "default" does not have.*did you mean `visits`/,
    ],
    [{ policies: [{ tables: ['sales.visits'], column: 'tenant_id', claim: 'tenant' }] }, /table "sales\.visits"/],
    [
      { policies: [{ tables: ['wards', 'notes'], column: 'tenant_id', claim: 't' }] },
      /none of the tables wards, notes/,
    ],
    [{ policies: [{ tables: ['nowhere'], condition: '1 = 1' }] }, /table "nowhere"/],
    [
      { ...BY_TENANT, policies: [{ connection: 'defaults', column: 'tenant_id', claim: 't' }] },
      /connection "defaults", which does not exist.*did you mean `default`/,
    ],
    [{ policies: [{ tables: [], column: 'tenant_id', claim: 't' }] }, /"tables" is empty/],
  ])('%j', async (options, message) => {
    await expect(Clinic.open(options)).rejects.toThrow(message);
  });

  test.each([
    [{ column: 'TENANT_ID', claim: 'tenant' }],
    [{ policies: [{ tables: ['Visits', 'main.doctors'], column: 'tenant_id', claim: 'tenant' }] }],
    [{ unmaskRoles: ['admin' as const] }],
  ])('%j does not', async (options) => {
    await using clinic = await Clinic.open(options);
    expect(await clinic.rows('SELECT count(*) AS n FROM doctors')).toHaveLength(1);
  });
});

/** A database that is away, or has the table `Orders` of two tenants. */
async function start(policy: object, tableName: string) {
  const layer = layerFolder({ 'entities/orders.yml': `table: ${tableName}\n` });
  let isDown = true;
  let executed = 0;
  const database = definePlugin({
    name: 'test-database',
    version: '1.0.0',
    type: 'datasource',
    description: 'Describes itself now and then.',
    setup(ctx) {
      ctx.tap(datasourceList, () => [{ id: 'default', dbType: 'postgres' as const, maskedUrl: '' }]);
      ctx.tapKey(datasourceDescribe, 'default', () => {
        if (isDown) throw new Error('The server is away.');
        const columns = [{ name: 'tenant', type: 'text', nullable: true }];
        return [
          { schema: 'public', name: tableName, kind: 'table' as const, columns, primaryKey: [], foreignKeys: [] },
        ];
      });
      ctx.tapKey(datasourceExecute, 'default', () => {
        executed += 1;
        return { columns: [], rows: [], truncated: false, notes: [] };
      });
    },
  });
  const app = await createTestApp({
    plugins: [
      semanticLayer({ dir: layer.dir }),
      sqlGuard(),
      rowSecurity({ policies: [policy], recheckMs: 0 }),
      database(),
    ],
  });
  const actor = { id: null, label: null, role: 'viewer', mode: 'test', claims: { t: 'a' } } as const;
  return {
    app,
    up() {
      isDown = false;
    },
    ask: (table: string) => app.runSql({ sql: `SELECT * FROM ${table}`, surface: 'test' }, app.scope({ actor })),
    executed: () => executed,
    async [Symbol.asyncDispose]() {
      await app.close();
      layer[Symbol.dispose]();
    },
  };
}

test('a rule that may filter nothing refuses while the database is unavailable, and when it is known to filter nothing', async () => {
  await using server = await start({ tables: ['ordrs'], column: 'tenant', claim: 't' }, 'orders');
  expect(server.app.lines).toContainEqual(
    expect.objectContaining({ level: 'warn', message: expect.stringContaining('the table "ordrs"') }),
  );
  await expect(server.ask('orders')).rejects.toMatchObject({ code: 'datasource_unavailable' });
  server.up();
  await expect
    .poll(() => server.ask('orders').catch((error: { code: string }) => error.code))
    .toBe('configuration_error');
  expect(server.executed()).toBe(0);
});

test('a rule for a table that was missing filters it once it is back', async () => {
  await using server = await start({ tables: ['orders'], column: 'tenant', claim: 't' }, 'orders');
  await expect(server.ask('orders')).rejects.toMatchObject({ code: 'datasource_unavailable' });
  server.up();
  await expect
    .poll(async () => (await server.ask('orders').catch(() => undefined))?.statement.params)
    .toEqual(['a', 'a']);
});

test('a rule that spells the table in another case refuses the table', async () => {
  await using server = await start({ tables: ['orders'], column: 'tenant', claim: 't' }, 'Orders');
  server.up();
  await expect(server.ask('"Orders"')).rejects.toMatchObject({
    code: 'sql_refused',
    message: expect.stringContaining('names it "orders"'),
  });
  expect(server.executed()).toBe(0);
});
