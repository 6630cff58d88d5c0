/** What an actor sees of tables, without an app. */
import { describe, expect, it } from 'vitest';
import type { Actor, ConnectionInfo, Role, TableDescription } from '../../kernel/index.ts';
import { type AllowedTable, AllowedTables, type RowFilter } from '../sql-guard/index.ts';
import { kitDialect, postgres } from '../sql-kit/index.ts';
import type { Coverage } from './coverage.ts';
import { Descriptions } from './description.ts';
import type { RowSecurityOptions } from './options.ts';
import { RowSecurity } from './security.ts';

const OPTIONS: RowSecurityOptions = {
  exempt: [],
  policies: [],
  unmaskRoles: [],
  describeEveryMs: 1e9,
  recheckMs: 1e9,
};
const BY_TENANT = { ...OPTIONS, column: 'tenant', claim: 'tenant' };
const SHOP: ConnectionInfo = { id: 'shop', dbType: 'postgres', maskedUrl: '' };

const allowed = (name: string, more: Partial<AllowedTable> = {}): AllowedTable => ({
  name,
  schema: undefined,
  known: new Set(['id']),
  visible: undefined,
  entities: [],
  ...more,
});

const described = (name: string, types: Record<string, string>, more: Partial<TableDescription> = {}) => ({
  schema: 'public',
  name,
  kind: 'table' as const,
  columns: Object.entries(types).map(([column, type]) => ({ name: column, type, nullable: true })),
  primaryKey: [],
  foreignKeys: [],
  ...more,
});

const DATABASE = [described('orders', { id: 'integer', tenant: 'text' }), described('items', { id: 'integer' })];

interface Given {
  readonly options?: Partial<RowSecurityOptions>;
  readonly database?: readonly TableDescription[];
  readonly dbType?: 'postgres' | 'sqlite';
  readonly coverage?: Pick<Coverage, 'required' | 'changed'>;
}

function open({ options, database = DATABASE, dbType = 'postgres', coverage }: Given = {}) {
  const asked: unknown[] = [];
  const warnings: string[] = [];
  const state = { now: 0, database };
  const describe = async (...args: unknown[]) => {
    asked.push(args);
    return state.database;
  };
  const all = { ...BY_TENANT, ...options };
  const { describeEveryMs, recheckMs } = all;
  const descriptions = new Descriptions({ describe, now: () => state.now, describeEveryMs, recheckMs, warn: () => {} });
  const security = new RowSecurity(all, descriptions, (problem) => warnings.push(problem), coverage as Coverage);
  const seen = async (
    tables: readonly AllowedTable[] | AllowedTables,
    claims: object = { tenant: 'acme' },
    role: Role = 'viewer',
    connection = SHOP,
  ) => {
    const access = tables instanceof AllowedTables ? tables : new AllowedTables(tables, await kitDialect(dbType));
    const actor = { id: 'a', label: null, role, mode: 'test', claims: claims as Actor['claims'] };
    return (await security.restrict({ connection, tables: access }, actor)).tables;
  };
  return { security, asked, warnings, state, seen };
}

const rowsOf = (table: AllowedTable | undefined) =>
  table?.rows?.map(({ change: _, ...row }: RowFilter) => ({ ...row, values: row.values.length }));

describe('a table', () => {
  it('is filtered by its column, as the database spells and types it', async () => {
    const { seen } = open({
      database: [described('orders', { id: 'integer', TENANT: 'integer' }, { primaryKey: ['id'] })],
    });
    const [orders] = (await seen([allowed('orders')])).tables;
    expect(rowsOf(orders)).toEqual([{ column: 'TENANT', isText: false, values: 1 }]);
    expect(orders?.key).toEqual(['id']);
    expect([...(orders?.types ?? [])]).toEqual([
      ['id', 'integer'],
      ['TENANT', 'integer'],
    ]);
    expect([...(orders?.known ?? [])]).toEqual(['id', 'TENANT']);
  });

  it('has known columns in lower case where the engine ignores case', async () => {
    const { seen } = open({ dbType: 'sqlite', database: [described('orders', { ID: 'INTEGER', Tenant: 'TEXT' })] });
    const [orders] = (await seen([allowed('orders')])).tables;
    expect([...(orders?.known ?? [])]).toEqual(['id', 'tenant']);
    expect(rowsOf(orders)).toEqual([{ column: 'Tenant', isText: true, values: 1 }]);
  });

  it('keeps the conditions that it already has', async () => {
    const row = { condition: 'a = 1', values: [] };
    const [orders] = (await open().seen([allowed('orders', { rows: [row] })])).tables;
    expect(rowsOf(orders)).toEqual([
      { condition: 'a = 1', values: 0 },
      { column: 'tenant', isText: true, values: 1 },
    ]);
  });

  it('tells of each condition what everyone may know, and for administrators which it is', async () => {
    const policies = [{ tables: ['orders'], condition: 'id IN ({claim})', claim: 'org.ids' }];
    const { seen } = open({ options: { policies: [...policies, { tables: ['orders'], condition: 'id > 7' }] } });
    const [orders] = (await seen([allowed('orders')], { tenant: 'acme', org: { ids: [1] } })).tables;
    const reason = 'Row security limits "orders" to the rows that you may see.';
    const full = (condition: string) => `Row security limits "orders" to the rows where ${condition}.`;
    expect(orders?.rows?.map(({ change }) => change)).toEqual([
      { plugin: 'row-security', reason, fullReason: full('tenant is {claim}, with the claim "tenant" for {claim}') },
      { plugin: 'row-security', reason, fullReason: full('id IN ({claim}), with the claim "org.ids" for {claim}') },
      { plugin: 'row-security', reason, fullReason: full('id > 7') },
    ]);
  });

  it('without the column is refused, unless it is exempt', async () => {
    const { seen } = open({
      options: { exempt: ['items'] },
      database: [...DATABASE, described('notes', { id: 'text' })],
    });
    const { tables } = await seen([
      allowed('orders'),
      allowed('items'),
      allowed('notes'),
      allowed('t', { schema: 's' }),
    ]);
    expect(tables.map(({ refusal }) => refusal)).toEqual([
      undefined,
      undefined,
      {
        what: 'Table "notes" cannot be read: it has no column "tenant" that says whose its rows are',
        hint: 'Use other tables; if every actor may read it, an administrator can name "notes" exempt from row security.',
      },
      {
        what: 'Table "s.t" cannot be read: it has no column "tenant" that says whose its rows are',
        hint: 'Use other tables; if every actor may read it, an administrator can name "s.t" exempt from row security.',
      },
    ]);
    expect(rowsOf(tables[1])).toEqual([]);
  });

  it('without the column of a policy for it is refused although it is exempt', async () => {
    const policies = [{ tables: ['items'], column: 'tenant', claim: 'tenant' }];
    const { seen } = open({ options: { column: undefined, claim: undefined, exempt: ['items'], policies } as never });
    const { tables } = await seen([allowed('orders'), allowed('items')]);
    expect(tables.map(({ refusal }) => refusal?.what)).toEqual([undefined, expect.stringContaining('"items"')]);
    expect(rowsOf(tables[0])).toEqual([]);
  });

  it('is refused when a policy spells it in another case', async () => {
    const options = { policies: [{ tables: ['Orders', 'S.T'], column: 'tenant', claim: 'tenant' }] };
    const { tables } = await open({ options }).seen([
      allowed('orders'),
      allowed('items'),
      allowed('t', { schema: 's' }),
      allowed('t', { schema: 'other' }),
    ]);
    expect(tables[0]?.refusal).toEqual({
      what: 'Table "orders" cannot be read: a rule of row security names it "Orders"',
      hint: 'An administrator has to write "orders" in the rule.',
    });
    expect(tables[2]?.refusal).toEqual({
      what: 'Table "s.t" cannot be read: a rule of row security names it "S.T"',
      hint: 'An administrator has to write "s.t" in the rule.',
    });
    for (const other of [tables[1], tables[3]]) expect(other?.refusal?.what).not.toContain('a rule of row security');
  });
});

describe('policies', () => {
  it('apply on their connection only', async () => {
    const policies = [{ connection: 'warehouse', tables: ['orders', 'zzz'], condition: 'id = {claim}', claim: 'ids' }];
    const { seen, warnings, security } = open({ options: { policies } });
    const [here] = (await seen([allowed('orders')])).tables;
    expect(rowsOf(here)).toHaveLength(1);
    expect(warnings).toEqual([]);
    const [there] = (await seen([allowed('orders')], {}, 'viewer', { ...SHOP, id: 'warehouse' })).tables;
    expect(rowsOf(there)).toEqual([
      { column: 'tenant', isText: true, values: 1 },
      { condition: 'id = {claim}', values: 1 },
    ]);
    expect(warnings).toEqual(['Row security names the table "zzz", which connection "warehouse" does not have.']);
    expect(security.claims).toEqual(['tenant', 'ids']);
  });

  it('bind as many values as a list needs, none without a claim', async () => {
    const policies = [
      { tables: ['orders'], condition: 'id > 1' },
      { tables: ['orders'], condition: 'id IN ({claim})', claim: 'ids' },
    ];
    const { seen } = open({ options: { column: undefined, claim: undefined, policies } as never });
    const [orders] = (await seen([allowed('orders')], { ids: [1, 2, 3] })).tables;
    expect(rowsOf(orders)?.map(({ values }) => values)).toEqual([0, 4]);
  });

  it('name each claim once', () => {
    const policies = [
      { tables: ['orders'], condition: 'id > 1' },
      { tables: ['orders'], condition: 'id = {claim}', claim: 'tenant' },
      { tables: ['orders'], column: 'id', claim: 'other' },
    ];
    expect(open({ options: { policies } }).security.claims).toEqual(['tenant', 'other']);
  });

  it('take conditions for any value: no type is known', async () => {
    const policies = [{ tables: ['orders'], condition: 'paid = {claim}', claim: 'paid' }];
    const { seen } = open({ options: { column: undefined, claim: undefined, policies } as never });
    const [orders] = (await seen([allowed('orders')])).tables;
    const scope = (paid: unknown) => ({ actor: { claims: { paid } } }) as never;
    expect(orders?.rows?.[0]?.values[0]?.valueFor(scope(true))).toBe(true);
    expect(orders?.rows?.[0]?.values[0]?.valueFor(scope('a'))).toBe('a');
    expect(() => orders?.rows?.[0]?.values[0]?.valueFor(scope(undefined))).toThrow('rows of "orders"');
  });
});

describe('the database', () => {
  it('is asked for the columns of every schema in use, and only where a policy needs columns', async () => {
    const { seen, asked } = open();
    await seen([allowed('orders'), allowed('t', { schema: 'sales' })]);
    expect(asked).toEqual([[expect.objectContaining({ id: 'shop' }), ['sales']]]);
    const policies = [{ tables: ['orders'], condition: 'id = 1' }];
    const other = open({ options: { column: undefined, claim: undefined, policies } as never });
    const [orders] = (await other.seen([allowed('orders')])).tables;
    expect(other.asked).toEqual([]);
    expect(orders && 'types' in orders).toBe(false);
    expect(orders && 'key' in orders).toBe(false);
    expect([...(orders?.known ?? [])]).toEqual(['id']);
  });

  it('is asked again soon after a table was refused', async () => {
    const { seen, asked, state } = open({ options: { recheckMs: 10 } });
    await seen([allowed('orders')]);
    state.now = 10;
    await seen([allowed('orders')]);
    expect(asked).toHaveLength(1);
    // One of them is enough.
    await seen([allowed('orders'), allowed('items')]);
    await seen([allowed('items')]);
    expect(asked).toHaveLength(2);
  });

  it('that looks different gives other tables, and the policies are looked at again', async () => {
    let changes = 0;
    const changed = () => {
      changes += 1;
    };
    const coverage = { required: () => undefined, changed };
    const { seen, state } = open({ options: { describeEveryMs: 10 }, coverage });
    const tables = new AllowedTables([allowed('orders')], postgres);
    const first = await seen(tables);
    expect(await seen(tables)).toBe(first);
    expect(changes).toBe(0);
    state.now = 10;
    state.database = [];
    await expect.poll(() => seen(tables)).not.toBe(first);
    expect((await seen(tables)).tables[0]?.refusal).toBeDefined();
    expect(changes).toBe(1);
  });

  it('is waited for until the policies are covered, whose refusal refuses', async () => {
    const { promise, reject: settle } = Promise.withResolvers<void>();
    const required = () => promise;
    const refused = open({ coverage: { required, changed: () => {} } });
    const rejected = expect(refused.seen([allowed('orders')])).rejects.toThrow('not covered');
    settle(new Error('not covered'));
    await rejected;
    expect(refused.asked).toEqual([]);
    const covered = open({ coverage: { required: async () => {}, changed: () => {} } });
    expect(rowsOf((await covered.seen([allowed('orders')])).tables[0])).toHaveLength(1);
  });
});

describe('restricted tables', () => {
  it('are the same object for equal rules, and others for other roles and lengths of lists', async () => {
    const { seen } = open({ options: { unmaskRoles: ['admin'] } });
    const tables = new AllowedTables([allowed('orders')], postgres);
    const first = await seen(tables);
    expect(await seen(tables, { tenant: 'other' }, 'analyst')).toBe(first);
    expect(await seen(tables, { tenant: ['a', 'b'] })).not.toBe(first);
    expect(await seen(tables, { tenant: ['a', 'b', 'c'] })).not.toBe(await seen(tables, { tenant: ['a', 'b'] }));
    expect(await seen(tables, { tenant: 'acme' }, 'admin')).not.toBe(first);
    const policies = ['a', 'b'].map((claim) => ({ tables: ['orders'], condition: `id IN ({claim})`, claim }));
    const two = open({ options: { column: undefined, claim: undefined, policies } as never });
    const ofLengths = (a: number, b: number) => two.seen(tables, { a: Array(a).fill(1), b: Array(b).fill(1) });
    expect(await ofLengths(16, 4)).not.toBe(await ofLengths(1, 64));
    expect(await seen(new AllowedTables(tables.tables, tables.dialect))).not.toBe(first);
  });

  it('of at most 64 shapes are kept, the oldest goes first', async () => {
    const policies = [0, 1, 2, 3, 4, 5, 6].map((n) => ({
      tables: ['orders'],
      condition: `id IN ({claim}) AND id > ${n}`,
      claim: `c${n}`,
    }));
    const { seen } = open({ options: { column: undefined, claim: undefined, policies } as never });
    const tables = new AllowedTables([allowed('orders')], postgres);
    const shape = (number: number) =>
      seen(tables, Object.fromEntries(policies.map(({ claim }, bit) => [claim, (number >> bit) % 2 ? [1, 2] : 1])));
    const first = await shape(0);
    const second = await shape(1);
    for (let number = 2; number < 64; number += 1) await shape(number);
    expect(await shape(0)).toBe(first);
    await shape(64);
    expect(await shape(1)).toBe(second);
    expect(await shape(0)).not.toBe(first);
  });

  it('show masks to all roles but those listed', async () => {
    const mask = { kind: 'string', at: 0, value: 'x' } as never;
    const visible = [{ name: 'id', mask }];
    const { seen } = open({ options: { unmaskRoles: ['admin'] } });
    const maskOf = async (role: Role) => (await seen([allowed('orders', { visible })], {}, role)).tables[0]?.visible;
    expect(await maskOf('analyst')).toEqual([{ name: 'id', mask }]);
    expect(await maskOf('admin')).toEqual([{ name: 'id', mask: undefined }]);
  });

  it('come with one warning of each name that no table has, and what may be meant', async () => {
    const policies = [{ tables: ['order', 'orders', 'order'], column: 'tenant', claim: 'tenant' }];
    const { seen, warnings } = open({ options: { exempt: ['items', 'item'], policies } });
    const tables = new AllowedTables([allowed('orders'), allowed('items')], postgres);
    await seen(tables);
    await seen(tables);
    expect(warnings).toEqual([
      'Row security names the table "item", which connection "shop" does not have; did you mean `items`?.',
      'Row security names the table "order", which connection "shop" does not have; did you mean `orders`?.',
    ]);
  });
});
