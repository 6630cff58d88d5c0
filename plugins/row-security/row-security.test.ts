import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  datasourceDescribe,
  datasourceExecute,
  datasourceList,
  definePlugin,
  type SqlStatement,
  sqlSettled,
} from '../../kernel/index.ts';
import { BY_TENANT, Clinic } from '../../test/fixtures/clinic.ts';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { layerFolder } from '../../test/harness/layer-folder.ts';
import { semanticLayer } from '../semantic-layer/index.ts';
import { sqlGuard } from '../sql-guard/index.ts';
import { rowSecurity } from './index.ts';

describe('one column and one claim', () => {
  const ran: SqlStatement[] = [];
  const recorder = definePlugin({
    name: 'test-recorder',
    version: '1.0.0',
    type: 'policy',
    description: 'Keeps what ran.',
    setup: (ctx) =>
      ctx.tap(
        sqlSettled,
        ({ statement, status }) => void (status === 'succeeded' && ran.push(statement as SqlStatement)),
      ),
  });
  let clinic: Clinic;
  beforeAll(async () => {
    clinic = await Clinic.open(BY_TENANT, [recorder()]);
  });
  afterAll(() => clinic[Symbol.asyncDispose]());

  const count = 'SELECT count(*) AS n FROM visits';

  test('filters every table that has the column, by bound values', async () => {
    expect(await clinic.rows(count)).toEqual([{ n: 3 }]);
    expect(ran.at(-1)).toMatchObject({
      sql: 'SELECT count(*) AS n FROM (SELECT visits.* FROM visits WHERE visits.tenant_id = ?) AS visits',
      params: [1],
    });
    expect(await clinic.rows('SELECT name FROM doctors ORDER BY name')).toEqual([
      { name: 'Dr One' },
      { name: 'Dr Two' },
    ]);
  });

  test('binds in the order of the text, for every reference', async () => {
    await clinic.rows(
      'SELECT d.name FROM doctors d WHERE d.id IN (SELECT doctor_id FROM patients) AND 1 IN (SELECT 1 FROM visits)',
    );
    const { sql, params } = ran.at(-1) as SqlStatement;
    expect(params).toEqual(['1', '1', 1, 1]);
    expect([...sql.matchAll(/(\w+)"?(?: COLLATE BINARY)? = \?/g)].map(([, column]) => column)).toHaveLength(4);
    const inOrder = await clinic.rows('SELECT (SELECT count(*) FROM doctors) IN (SELECT 2 FROM visits) AS found');
    expect(inOrder).toEqual([{ found: 1 }]);
  });

  test.each([
    ['CROSS JOIN', 'wards CROSS JOIN visits', 9],
    ['CROSS JOIN', 'visits CROSS JOIN wards', 9],
    ['CROSS JOIN', 'visits CROSS JOIN patients', 6],
    ['a comma', 'wards, visits', 9],
    ['JOIN … ON', 'wards JOIN visits ON true', 9],
    ['LEFT JOIN', 'wards LEFT JOIN visits ON true', 9],
  ])('filters both sides of %s: %s', async (_, from, n) => {
    expect(await clinic.rows(`SELECT count(*) AS n FROM ${from}`)).toEqual([{ n }]);
    const tenants = (await clinic.rows(`SELECT * FROM ${from}`)).map((row) => row.tenant_id);
    expect(new Set(tenants)).toEqual(new Set([1]));
  });

  test('takes the claim as text or as number, as the column has it', async () => {
    expect(await clinic.rows(count, { tenant: '1' })).toEqual([{ n: 3 }]);
    expect(await clinic.rows('SELECT id FROM doctors', { tenant: 9 })).toEqual([{ id: 901 }]);
    expect(await clinic.rows(count, { tenant: '9007199254740993' })).toEqual([{ n: 0 }]);
  });

  test('keeps actors apart although a checked statement is kept', async () => {
    const total = 'SELECT sum(fee) AS total FROM visits';
    const asked = [1, 9, 1, 9, 5].map((tenant) => clinic.rows(total, { tenant }));
    expect((await Promise.all(asked)).map(([row]) => row?.total)).toEqual([150, 1998, 150, 1998, null]);
  });

  test('does not restrict exempt tables or statements without a table', async () => {
    expect(await clinic.rows('SELECT count(*) AS n FROM wards', {})).toEqual([{ n: 3 }]);
    expect(await clinic.rows('SELECT 1 AS one', {})).toEqual([{ one: 1 }]);
  });

  test('refuses a table without the column, and says what can be done', async () => {
    await expect(clinic.ask('SELECT * FROM all_fees')).rejects.toMatchObject({
      code: 'sql_refused',
      message:
        'Table "all_fees" cannot be read: it has no column "tenant_id" that says whose its rows are (line 1, column 15).',
      hint: expect.stringContaining('"all_fees" exempt'),
    });
    expect(await clinic.rows('SELECT total FROM visit_totals')).toEqual([{ total: 150 }]);
  });

  test.each([
    [{}, 'E_CLAIM_MISSING'],
    [{ Tenant: 1 }, 'E_CLAIM_MISSING'],
    [{ tenant: null }, 'E_CLAIM_MISSING'],
    [{ tenant: '' }, 'E_CLAIM_MISSING'],
    [{ tenant: [] }, 'E_CLAIM_MISSING'],
    [{ tenant: ' ' }, 'E_CLAIM_TYPE'],
    [{ tenant: {} }, 'E_CLAIM_TYPE'],
    [{ tenant: [[1]] }, 'E_CLAIM_TYPE'],
    [{ tenant: [1, null] }, 'E_CLAIM_TYPE'],
    [{ tenant: true }, 'E_CLAIM_TYPE'],
    [{ tenant: 'acme' }, 'E_CLAIM_TYPE'],
    [{ tenant: '1 OR 1=1' }, 'E_CLAIM_TYPE'],
    [{ tenant: 1.5 }, 'E_CLAIM_TYPE'],
    [{ tenant: Number.NaN }, 'E_CLAIM_TYPE'],
    [{ tenant: Array.from({ length: 2_000 }, (_, n) => n) }, 'E_CLAIM_TYPE'],
    [Object.create({ tenant: 1 }), 'E_CLAIM_MISSING'],
  ])('refuses with the claims %j', async (claims, reason) => {
    const before = ran.length;
    await expect(clinic.ask(count, claims)).rejects.toMatchObject({
      code: 'forbidden',
      reason,
      message: expect.stringMatching(
        /^The rows of "visits" that you may see are not known: the claim "tenant" [^\n]+\.$/,
      ),
    });
    expect(ran).toHaveLength(before);
  });

  test('takes a list as any of its values', async () => {
    const asked = [[1], [1, 9], [1, 9, '1'], [5, 6, 7, 8, 9]].map((tenant) => clinic.rows(count, { tenant }));
    expect((await Promise.all(asked)).map(([row]) => row?.n)).toEqual([3, 5, 5, 2]);
  });

  test('compares texts exactly, whatever the case or padding', async () => {
    await using other = await Clinic.open({ policies: [{ tables: ['notes'], column: 'author', claim: 'user' }] });
    expect(await other.rows('SELECT id FROM notes', { user: 'ann' })).toEqual([{ id: 1 }]);
    expect(await other.rows('SELECT id FROM notes', { user: 'ANN' })).toEqual([]);
    expect(await other.rows('SELECT id FROM notes', { user: 'ann ' })).toEqual([]);
    expect(await other.rows('SELECT id FROM notes', { user: '%' })).toEqual([]);
  });
});

describe('policies', () => {
  test('add up, each for its own tables', async () => {
    const policies = [
      { tables: ['notes'], condition: "is_public OR author IN ({claim}) OR body = '{claim}'", claim: 'org.users' },
      { tables: ['main.wards'], condition: 'floor < 3' },
      { tables: ['visits'], column: 'ward', claim: 'https://example.com/wards' },
    ];
    await using clinic = await Clinic.open({ ...BY_TENANT, policies });
    const claims = { tenant: 1, org: { users: ['ann', 'eve', 'bob'] }, 'https://example.com/wards': ['A'] };
    expect(await clinic.rows('SELECT id FROM notes ORDER BY id', claims)).toEqual([{ id: 1 }, { id: 3 }]);
    expect(await clinic.rows('SELECT name FROM wards')).toEqual([{ name: 'A' }, { name: 'B' }]);
    expect(await clinic.rows('SELECT id FROM visits ORDER BY id', claims)).toEqual([{ id: 10 }, { id: 12 }]);
    await expect(clinic.ask('SELECT id FROM visits', { tenant: 1 })).rejects.toThrow(
      '"https://example.com/wards" is missing',
    );
    expect(await clinic.rows('SELECT count(*) AS n FROM patients')).toEqual([{ n: 2 }]);
  });

  test.each([
    'id IN (SELECT id FROM notes)',
    'load_extension(body) = {claim}',
    'author = ',
    'author = {claim}; DELETE FROM notes',
    'author = {claim} -- ',
    'EXISTS (SELECT 1) OR author = {claim}',
    'sqlite_version() = {claim}',
    'other.author = {claim} AND nowhere = 1',
  ])('refuse the table when the condition is %s', async (condition) => {
    const claim = condition.includes('{claim}') ? { claim: 'users' } : {};
    await using clinic = await Clinic.open({ policies: [{ tables: ['notes'], condition, ...claim }] });
    if (condition.endsWith('-- '))
      expect(await clinic.rows('SELECT id FROM notes', { users: 'ann' })).toEqual([{ id: 1 }]);
    else
      await expect(clinic.ask('SELECT id FROM notes', { users: 'ann' })).rejects.toThrow(
        /cannot be read|no such column/,
      );
    expect(await clinic.rows('SELECT count(*) AS n FROM wards', {})).toEqual([{ n: 3 }]);
  });

  test('of one connection leave the others alone', async () => {
    const warehouse = definePlugin({
      name: 'test-warehouse',
      version: '1.0.0',
      type: 'datasource',
      description: 'Has one table.',
      setup(ctx) {
        ctx.tap(datasourceList, () => [{ id: 'warehouse', dbType: 'sqlite' as const, maskedUrl: '' }]);
        ctx.tapKey(datasourceDescribe, 'warehouse', () => [
          {
            name: 'sales',
            kind: 'table' as const,
            columns: [{ name: 'tenant_id', type: 'TEXT', nullable: true }],
            primaryKey: [],
            foreignKeys: [],
          },
        ]);
      },
    });
    const policies = [{ connection: 'warehouse', column: 'tenant_id', claim: 'tenant' }];
    await using clinic = await Clinic.open({ policies }, [warehouse()]);
    expect(await clinic.rows('SELECT count(*) AS n FROM visits', {})).toEqual([{ n: 5 }]);
  });

  test('that name an unknown table are reported with a suggestion', async () => {
    await using clinic = await Clinic.open({ ...BY_TENANT, exempt: ['ward', 'notes'] });
    await expect(clinic.ask('SELECT * FROM wards')).rejects.toThrow('no column "tenant_id"');
    const warnings = clinic.app.lines.filter(({ level }) => level === 'warn').map(({ message }) => message);
    expect(warnings).toEqual([expect.stringMatching(/names the table "ward".*did you mean `wards`/)]);
  });

  test('filter an exempt table too that has the column', async () => {
    await using clinic = await Clinic.open({ ...BY_TENANT, exempt: ['visits'] });
    expect(await clinic.rows('SELECT count(*) AS n FROM visits')).toEqual([{ n: 3 }]);
  });

  test.each([
    [{}, 'give "column" and "claim"'],
    [{ column: 'tenant_id' }, '"claim" is missing'],
    [{ claim: 'tenant' }, '"column" is missing'],
    [{ policies: [{ column: 'a', condition: 'b', claim: 'c' }] }, 'exclude each other'],
    [{ policies: [{ condition: 'a = {claim}', claim: 'c' }] }, 'needs "tables"'],
    [{ policies: [{ tables: ['t'], condition: 'a = {claim}' }] }, '"claim" is missing'],
    [{ policies: [{ tables: ['t'], condition: 'a', claim: 'c' }] }, 'has no {claim}'],
    [{ policies: [{ tables: [], column: 'a', claim: 'c' }] }, '"tables" is empty'],
    [{ policies: [{ tables: ['t'] }] }, 'policies.0: "column" is missing'],
    [{ column: '', claim: 'c' }, 'option "column"'],
  ])('that would filter nothing stop the start: %j', async (options, message) => {
    await expect(Clinic.open(options as never)).rejects.toThrow(message);
  });
});

describe('masks', () => {
  const phones = "SELECT phone FROM patients WHERE name = 'Ann'";

  test('apply to every role that is not listed', async () => {
    await using clinic = await Clinic.open({ ...BY_TENANT, unmaskRoles: ['admin'] });
    expect(await clinic.rows(phones, { tenant: 1 }, 'admin')).toEqual([{ phone: '555-1' }]);
    expect(await clinic.rows(phones, { tenant: 1 }, 'analyst')).toEqual([{ phone: '555-*' }]);
    expect(await clinic.rows(phones, { tenant: 1 }, 'admin')).toEqual([{ phone: '555-1' }]);
    await expect(clinic.ask('SELECT diagnosis FROM patients', { tenant: 1 }, 'admin')).rejects.toThrow('diagnosis');
  });

  test('can be lifted without any policy', async () => {
    await using clinic = await Clinic.open({ unmaskRoles: ['admin'] });
    expect(await clinic.rows('SELECT count(*) AS n FROM patients', {}, 'admin')).toEqual([{ n: 5 }]);
    expect(await clinic.rows(phones, {}, 'admin')).toEqual([{ phone: '555-1' }]);
  });

  test('apply to an administrator by default', async () => {
    await using clinic = await Clinic.open(BY_TENANT);
    expect(await clinic.rows(phones, { tenant: 1 }, 'admin')).toEqual([{ phone: '555-*' }]);
  });
});

test('static claims stand in for an actor without claims', async () => {
  await using clinic = await Clinic.open({ ...BY_TENANT, claim: 'org.tenant', staticClaims: { org: { tenant: 9 } } });
  expect(await clinic.rows('SELECT count(*) AS n FROM visits', {})).toEqual([{ n: 2 }]);
  expect(await clinic.rows('SELECT count(*) AS n FROM visits', { org: { tenant: 1 } })).toEqual([{ n: 3 }]);
  await expect(clinic.ask('SELECT count(*) AS n FROM visits', { sub: 'ann' })).rejects.toThrow('missing');
});

describe('the description of the database', () => {
  test('is read again after a refusal, so that a new column is found without a restart', async () => {
    await using clinic = await Clinic.open({ column: 'author', claim: 'user', recheckMs: 0 });
    const ask = () => clinic.rows('SELECT name FROM wards', { user: 'ann' });
    await expect(ask()).rejects.toThrow('no column "author"');
    const db = new Database(join(clinic.databases.path, 'clinic.db'));
    db.exec("ALTER TABLE wards ADD COLUMN author TEXT; UPDATE wards SET author = 'ann' WHERE name = 'B'");
    db.close();
    await expect.poll(() => ask().catch(() => undefined)).toEqual([{ name: 'B' }]);
  });

  test('decides even if the semantic layer does not list the column, and refuses while it is unavailable', async () => {
    using layer = layerFolder({ 'entities/visits.yml': 'table: visits\n' });
    let isDown = true;
    const reached: SqlStatement[] = [];
    const database = definePlugin({
      name: 'test-database',
      version: '1.0.0',
      type: 'datasource',
      description: 'Describes itself now and then.',
      setup(ctx) {
        ctx.tap(datasourceList, () => [{ id: 'default', dbType: 'sqlite' as const, maskedUrl: '' }]);
        ctx.tapKey(datasourceDescribe, 'default', () => {
          if (isDown) throw new Error('The server is away.');
          const columns = [{ name: 'TENANT', type: 'TEXT', nullable: true }];
          return [{ name: 'Visits', kind: 'table' as const, columns, primaryKey: [], foreignKeys: [] }];
        });
        ctx.tapKey(datasourceExecute, 'default', (statement) => {
          reached.push(statement);
          return { columns: [], rows: [], truncated: false, notes: [] };
        });
      },
    });
    const plugins = [
      semanticLayer({ dir: layer.dir }),
      sqlGuard(),
      rowSecurity({ column: 'tenant', claim: 't' }),
      database(),
    ];
    await using app = await createTestApp({ plugins });
    const actor = { id: null, label: null, role: 'viewer', mode: 'test', claims: { t: 7 } } as const;
    const ask = () => app.runSql({ sql: 'SELECT * FROM visits', surface: 'test' }, app.scope({ actor }));
    await expect(ask()).rejects.toMatchObject({
      code: 'datasource_unavailable',
      message: expect.stringMatching(
        /^Row security cannot read the columns of connection "default": .*The server is away\.$/,
      ),
    });
    expect(reached).toEqual([]);
    isDown = false;
    await Promise.all([ask(), ask()]);
    expect(reached.map(({ params }) => params)).toEqual([
      ['7', '7'],
      ['7', '7'],
    ]);
    expect(reached[0]?.sql).toContain('visits.TENANT = ? AND visits.TENANT COLLATE BINARY = ?');
  });
});

test('needs the guard, without which nothing would be filtered', async () => {
  using layer = layerFolder({});
  const plugins = [semanticLayer({ dir: layer.dir }), rowSecurity(BY_TENANT)];
  await expect(createTestApp({ plugins })).rejects.toThrow('sql-guard');
});
