/** Policies compared with descriptions, without an app: what is wrong, what cannot be told yet, and when it is looked at. */
import { describe, expect, it } from 'vitest';
import type { ConnectionInfo, TableDescription } from '../../kernel/index.ts';
import { Coverage } from './coverage.ts';
import { Descriptions } from './description.ts';
import type { Policy } from './options.ts';

const connection = (id: string): ConnectionInfo => ({ id, dbType: 'sqlite', maskedUrl: '' });

const table = (name: string, ...columns: string[]): TableDescription => ({
  name,
  kind: 'table',
  columns: columns.map((column) => ({ name: column, type: 'text', nullable: true })),
  primaryKey: [],
  foreignKeys: [],
});

const SHOP = [table('orders', 'id', 'tenant'), table('items', 'id')];

/** `databases`: the tables of each connection, or the failure to describe them. */
function coverage(policies: readonly Policy[], databases: Record<string, readonly TableDescription[] | Error>) {
  const state = { now: 1_000, databases, looks: 0 };
  const descriptions = new Descriptions({
    describe: async ({ id }) => {
      const tables = state.databases[id];
      if (tables === undefined || tables instanceof Error) throw tables;
      return tables;
    },
    now: () => state.now,
    describeEveryMs: 0,
    recheckMs: 0,
    warn: () => {},
  });
  const connections = async () => {
    state.looks += 1;
    return Object.keys(state.databases).map(connection);
  };
  return { state, checked: new Coverage({ policies, descriptions, connections, now: () => state.now, recheckMs: 10 }) };
}

const refusalOf = (policies: readonly Policy[], databases: Parameters<typeof coverage>[1]) =>
  coverage(policies, databases).checked.atStart();

const TENANT = { column: 'tenant', claim: 't' };

describe('at the start', () => {
  it.each<[Policy, Parameters<typeof coverage>[1], string]>([
    [
      { column: 'tenent', claim: 't' },
      { a: SHOP },
      'no table of connection "a" has the column "tenent"; did you mean `tenant`?',
    ],
    [
      { column: 'region', claim: 't' },
      { a: SHOP, b: [] },
      'no table of the connections "a", "b" has the column "region".',
    ],
    [
      { ...TENANT, tables: ['items', 'main.items'] },
      { a: SHOP },
      'none of the tables items, main.items of connection "a" has the column "tenant"; did you mean `tenant`?',
    ],
    [
      { ...TENANT, tables: ['orders', 'item', 'zzz'] },
      { a: SHOP },
      'a rule names the table "item", which connection "a" does not have; did you mean `items`?; a rule names the table "zzz", which connection "a" does not have.',
    ],
    [
      { condition: '1 = 1', tables: ['zzz'] },
      { a: SHOP },
      'a rule names the table "zzz", which connection "a" does not have.',
    ],
    [
      { ...TENANT, connection: 'shops' },
      { shop: SHOP },
      'a rule is for the connection "shops", which does not exist; did you mean `shop`?',
    ],
    [{ ...TENANT, connection: 'b' }, { a: SHOP, b: [] }, 'no table of connection "b" has the column "tenant".'],
  ])('refuses %j over %j', async (policy, databases, problem) => {
    await expect(refusalOf([policy], databases)).rejects.toMatchObject({
      code: 'configuration_error',
      reason: 'E_ROW_SECURITY_COVERAGE',
      message: `Row security would not protect what it should: ${problem}`,
      hint: 'Name a column (SVC_RLS_COLUMN) and tables that the database has, or leave the rule out.',
    });
  });

  it.each<[readonly Policy[], Parameters<typeof coverage>[1]]>([
    [[TENANT], { a: SHOP }],
    [[TENANT], { a: [], b: SHOP }],
    [[{ ...TENANT, connection: 'a' }], { a: SHOP, b: [] }],
    [[{ ...TENANT, tables: ['orders', 'items'] }], { a: SHOP }],
    [[{ condition: '1 = 1', tables: ['items'] }], { a: SHOP }],
    [[{ column: 'nothing', claim: 't' }], {}],
    [[], { a: [] }],
  ])('accepts %j over %j', async (policies, databases) => {
    expect(await refusalOf(policies, databases)).toEqual([]);
  });

  it('only reports what a database that cannot be described may still have', async () => {
    const away = new Error('away');
    expect(await refusalOf([TENANT, { ...TENANT, tables: ['zzz'] }], { a: away, b: [] })).toEqual([
      'no table of the connections "a", "b" has the column "tenant"',
      'a rule names the table "zzz", which the connections "a", "b" does not have',
    ]);
    expect(await refusalOf([{ ...TENANT, connection: 'a' }], { a: away, b: SHOP })).toEqual([
      'no table of connection "a" has the column "tenant"',
    ]);
    await expect(refusalOf([{ ...TENANT, connection: 'b' }], { a: away, b: [] })).rejects.toThrow('connection "b"');
    await expect(refusalOf([{ ...TENANT, connection: 'zzz' }], { a: away })).rejects.toThrow('does not exist');
    // What is certain refuses although something else is not.
    const both = [
      { ...TENANT, connection: 'a' },
      { ...TENANT, connection: 'b' },
    ];
    await expect(refusalOf(both, { a: away, b: [] })).rejects.toMatchObject({
      message: 'Row security would not protect what it should: no table of connection "b" has the column "tenant".',
    });
  });
});

describe('for a statement', () => {
  it('is not looked at again once every policy filters something, until a database changes', async () => {
    const { state, checked } = coverage([TENANT], { a: SHOP });
    await checked.required();
    expect(checked.required()).toBeUndefined();
    expect(state.looks).toBe(1);
    checked.changed();
    await checked.required();
    expect(state.looks).toBe(2);
    expect(checked.required()).toBeUndefined();
  });

  it('looks again only from the recheck time on, and refuses until then', async () => {
    const { state, checked } = coverage([TENANT], { a: [] });
    await expect(checked.required()).rejects.toMatchObject({ code: 'configuration_error' });
    state.now += 9;
    await expect(checked.required()).rejects.toMatchObject({ code: 'configuration_error' });
    expect(state.looks).toBe(1);
    state.now += 1;
    state.databases = { b: SHOP };
    await checked.required();
    expect(state.looks).toBe(2);
    expect(checked.required()).toBeUndefined();
  });

  it('refuses while a table of a rule cannot be looked for, and passes for a column alone', async () => {
    const named = coverage([TENANT, { ...TENANT, tables: ['orders'] }], { a: new Error('away') });
    await expect(named.checked.required()).rejects.toMatchObject({
      code: 'datasource_unavailable',
      reason: 'E_ROW_SECURITY_COVERAGE',
      message:
        'Row security cannot tell what its rules hold for: a rule names the table "orders", which connection "a" does not have.',
      hint: 'Try again once the connection is back.',
      retryAfterSeconds: 5,
    });
    const general = coverage([TENANT], { a: new Error('away') });
    expect(await general.checked.required()).toBeUndefined();
    // Nothing is proven by that: the next statement asks again.
    expect(general.checked.required()).toBeInstanceOf(Promise);
  });

  it('is not proven without any connection', async () => {
    const { checked } = coverage([TENANT], {});
    expect(await checked.required()).toBeUndefined();
    expect(checked.required()).toBeInstanceOf(Promise);
  });
});

it('asks for the schemas that rules name, which a database may not describe by itself', async () => {
  const people = { ...table('people', 'tenant'), schema: 'crm.hr' };
  const asked: (readonly string[])[] = [];
  const descriptions = new Descriptions({
    describe: async (_, schemas) => {
      asked.push(schemas);
      return schemas.includes('crm.hr') ? [...SHOP, people] : SHOP;
    },
    now: () => 0,
    describeEveryMs: 0,
    recheckMs: 0,
    warn: () => {},
  });
  const policies = [{ ...TENANT, tables: ['orders', 'crm.hr.people', 'crm.hr.people'] }];
  const connections = async () => [connection('a')];
  const checked = new Coverage({ policies, descriptions, connections, now: () => 0, recheckMs: 0 });
  expect(await checked.atStart()).toEqual([]);
  expect(asked).toEqual([['crm.hr']]);
});
