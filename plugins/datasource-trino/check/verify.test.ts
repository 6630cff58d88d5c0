/** The second check, by what the engine says that a statement reads, and what else the plan and the catalog tell. */
import { describe, expect, it } from 'vitest';
import { N, SQL, using } from '../fixtures/asking.ts';
import { type AnsweredPage, ioPlan, startCoordinator } from '../fixtures/coordinator.ts';

/** Answers EXPLAIN of each statement as given, and everything else with one row. */
async function outcomeOf(plans: Readonly<Record<string, AnsweredPage>>, tables: readonly string[], times = 1) {
  await using server = await startCoordinator({
    answer({ sql }) {
      const explained = sql.replace('EXPLAIN (TYPE IO, FORMAT JSON) ', '');
      return [explained === sql ? { columns: N, data: [[1]] } : (plans[explained] ?? ioPlan())];
    },
  });
  const outcome = await using({ url: server.url }, async ({ run }) => {
    for (let time = 1; time < times; time += 1) await run({ tables });
    return run({ tables });
  });
  return { outcome, statements: server.statements };
}

const PASSED = [{ n: 1 }];
const json = (value: unknown): AnsweredPage => ({ columns: N, data: [[JSON.stringify(value)]] });

describe('the second check', () => {
  it.each<[what: string, plan: AnsweredPage, tables: string[]]>([
    ['its table', ioPlan('t'), ['t']],
    ['the same in another case', ioPlan('T'), ['t']],
    ['nothing', ioPlan(), ['t']],
    ['tables of other schemas', ioPlan('t', 'crm.leads'), ['t', 'crm.leads']],
    ['tables of other catalogs', ioPlan('x', 'crm.sales.leads'.split('.').join('.')), ['x', 'crm.sales.leads']],
  ])('lets pass a statement that reads %s', async (_, plan, tables) => {
    expect((await outcomeOf({ [SQL]: plan }, tables)).outcome).toEqual(PASSED);
  });

  it.each<[what: string, plan: AnsweredPage]>([
    ['another table', ioPlan('t', 'secrets')],
    ['the table of another schema', ioPlan('hr.t')],
    ['the table of another catalog', ioPlan('other.shop.t')],
    ['what the engine keeps for itself', ioPlan('system.runtime.queries')],
    ['a table and writes one', json({ inputTableColumnInfos: [], outputTable: { catalog: 'lake' } })],
    ['what cannot be told', json({ inputTableColumnInfos: [{ table: { catalog: 'lake' } }] })],
    ['what is no plan', json([])],
    ['what is no JSON', { columns: N, data: [['x']] }],
    ['nothing at all', { columns: N, data: [] }],
  ])('refuses a statement that reads %s', async (_, plan) => {
    const { outcome, statements } = await outcomeOf({ [SQL]: plan }, ['t']);
    expect(outcome).toMatchObject({ code: 'sql_refused' });
    expect(statements).not.toContain(SQL);
  });

  const view = 'SELECT * FROM "lake"."shop"."v"';
  it('lets pass the tables behind a view, and asks for them once', async () => {
    const plans = { [SQL]: ioPlan('a', 'b'), [view]: ioPlan('a', 'b') };
    const { outcome, statements } = await outcomeOf(plans, ['v'], 3);
    expect(outcome).toEqual(PASSED);
    expect(statements.filter((sql) => sql.endsWith(view))).toHaveLength(1);
  });

  it('refuses what is behind no view of the statement', async () => {
    const plans = { [SQL]: ioPlan('a', 'secrets'), [view]: ioPlan('a') };
    expect((await outcomeOf(plans, ['v'])).outcome).toMatchObject({
      code: 'sql_refused',
      message: 'The statement reads the table "lake.shop.secrets", which is not allowed.',
    });
  });

  it('does not look behind a table that is one', async () => {
    const { outcome, statements } = await outcomeOf({ [SQL]: ioPlan('t', 'secrets') }, ['t']);
    expect(outcome).toMatchObject({ code: 'sql_refused' });
    expect(statements).toHaveLength(1);
  });
});

describe('the estimate', () => {
  const scan = (rows: unknown) => ({ name: 'TableScan', estimates: [{ outputRowCount: rows }], children: [] });
  const filter = {
    name: 'ScanFilterProject',
    estimates: [{ outputRowCount: 900 }, { outputRowCount: 9 }],
    children: [],
  };
  const join = (rows: unknown, ...children: object[]) => ({
    name: 'InnerJoin',
    estimates: [{ outputRowCount: rows }],
    children,
  });

  it.each<[what: string, plan: unknown, rows: number | undefined]>([
    ['one table', { '0': { name: 'Output', estimates: [], children: [scan(25)] } }, 25],
    ['what is left out by a filter', { '0': filter }, 900],
    ['tables of several fragments', { '0': join(10, scan(25)), '1': filter }, 925],
    ['a join that makes more than is read', { '0': join(25_000, scan(25), scan(1_000)) }, 25_000],
    ['a plan without fragments', scan(7.2), 8],
    ['a table without statistics', { '0': join(5, scan('NaN'), scan(25)) }, undefined],
    ['no table', { '0': { name: 'Values', estimates: [{ outputRowCount: 1 }], children: [] } }, 1],
    ['what is no plan', [1], undefined],
  ])('of %s', async (_, plan, rows) => {
    await using server = await startCoordinator({
      answer: ({ sql }) => [sql.startsWith('EXPLAIN (TYPE IO') ? ioPlan('t') : json(plan)],
    });
    await using({ url: server.url }, async ({ database, statement }) => {
      expect(await database.estimate({ statement: statement(), names: {} })).toBe(rows);
    });
    expect(server.statements).not.toContain(SQL);
  });
});

describe('the description', () => {
  const catalog = ({ sql }: { readonly sql: string }): AnsweredPage[] => {
    const rows = (...data: unknown[][]) => [{ columns: Array(data[0]?.length ?? 1).fill(N[0]), data }];
    if (sql.includes('.tables '))
      return sql.includes("'leads_of'") ? rows(['leads', 'BASE TABLE']) : rows(['t', 'BASE TABLE'], ['v', 'VIEW']);
    if (sql.includes('.columns '))
      return rows(
        ['t', 'id', 'bigint', 'NO'],
        ['t', 'name', 'varchar(10)', 'YES'],
        ['v', 'id', 'bigint', 'YES'],
        ['leads', 'x', 'date', 'YES'],
      );
    if (sql === 'SHOW STATS FOR "lake"."shop"."t"')
      return rows(['id', null, 3, 0, null], [null, null, null, null, 1234.6]);
    if (sql.startsWith('SHOW STATS'))
      return [{ error: { errorName: 'NOT_SUPPORTED', errorType: 'USER_ERROR', message: '' } }];
    if (sql.includes('.views ')) return rows(['shop', 'v', 'SELECT id FROM t']);
    return sql.includes('materialized_views') ? rows(['shop', 'm', 'SELECT 1'], ['shop', 'x', null]) : rows([1]);
  };

  it('tells tables, views, columns and sizes, of other catalogs too', async () => {
    await using server = await startCoordinator({ answer: catalog });
    const described = await using({ url: server.url }, ({ database }) =>
      database.describe(undefined, { schemas: ['shop', 'crm.leads_of'] }),
    );
    expect(described).toEqual([
      {
        schema: 'shop',
        name: 't',
        kind: 'table',
        columns: [
          { name: 'id', type: 'bigint', nullable: false },
          { name: 'name', type: 'varchar(10)', nullable: true },
        ],
        primaryKey: [],
        foreignKeys: [],
        estimatedRows: 1235,
      },
      {
        schema: 'shop',
        name: 'v',
        kind: 'view',
        columns: [{ name: 'id', type: 'bigint', nullable: true }],
        primaryKey: [],
        foreignKeys: [],
      },
      {
        schema: 'crm.leads_of',
        name: 'leads',
        kind: 'table',
        columns: [{ name: 'x', type: 'date', nullable: true }],
        primaryKey: [],
        foreignKeys: [],
      },
    ]);
    expect(server.statements.some((sql) => sql.includes('"crm".information_schema.tables'))).toBe(true);
  });

  it('leaves out the schema of a catalog that there is not, which a rule about another connection may name', async () => {
    const error = (errorName: string) => [{ error: { errorName, errorType: 'USER_ERROR', message: '' } }];
    const answers = (errorName: string) => (asked: { readonly sql: string }) =>
      asked.sql.includes('"gone"') ? error(errorName) : catalog(asked);
    for (const [errorName, count] of [
      ['CATALOG_NOT_FOUND', 2],
      ['PERMISSION_DENIED', undefined],
    ] as const) {
      await using server = await startCoordinator({ answer: answers(errorName) });
      const described = await using({ url: server.url }, ({ database }) =>
        database.describe(undefined, { schemas: ['gone.x'] }).catch(() => undefined),
      );
      expect(described?.length).toBe(count);
    }
  });

  it('tells what views stand for', async () => {
    await using server = await startCoordinator({ answer: catalog });
    expect(await using({ url: server.url }, ({ database }) => database.views())).toEqual([
      { schema: 'shop', name: 'v', sql: 'SELECT id FROM t' },
      { schema: 'shop', name: 'm', sql: 'SELECT 1' },
      { schema: 'shop', name: 'x' },
    ]);
  });
});
