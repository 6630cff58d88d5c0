/** The second check, by what BigQuery says that a statement reads, and what else the catalog tells. */
import { describe, expect, it } from 'vitest';
import { type ApiOptions, type DryRunAnswer, startApi } from '../fixtures/api.ts';
import { N, SQL, using } from '../fixtures/asking.ts';

/** Answers the dry run of each statement as given, others as if they read nothing, and every run with one row. */
async function outcomeOf(runs: Readonly<Record<string, DryRunAnswer>>, tables: readonly string[], times = 1) {
  await using api = await startApi({
    answer: () => [{ fields: N, rows: [['1']] }],
    dryRun: ({ sql }) => runs[sql] ?? { tables: [] },
  });
  const outcome = await using({ url: api.url }, async ({ run }) => {
    for (let time = 1; time < times; time += 1) await run({ tables });
    return run({ tables });
  });
  return { outcome, statements: api.statements, dryRuns: api.dryRuns };
}

const PASSED = [{ n: 1 }];

describe('the second check', () => {
  it.each<[what: string, read: string[], tables: string[]]>([
    ['its table', ['t'], ['t']],
    ['nothing', [], ['t']],
    ['tables of other datasets', ['t', 'crm.leads'], ['t', 'crm.leads']],
    ['tables of other projects', ['x', 'crm-1.sales.leads'], ['x', 'crm-1.sales.leads']],
    ['a table of the project by its whole name', ['hr.people'], ['hr.people']],
  ])('lets pass a statement that reads %s', async (_, read, tables) => {
    expect((await outcomeOf({ [SQL]: { tables: read } }, tables)).outcome).toEqual(PASSED);
  });

  it.each<[what: string, run: DryRunAnswer]>([
    ['reads another table', { tables: ['t', 'secrets'] }],
    ['reads the same table in another case', { tables: ['T'] }],
    ['reads the table of another dataset', { tables: ['hr.t'] }],
    ['reads the table of another project', { tables: ['other.shop.t'] }],
    ['is none that reads', { statementType: 'DELETE' }],
    ['is a script', { statementType: 'SCRIPT' }],
    ['is not said to read', { statementType: '' }],
    ['calls a function of a dataset', { more: { referencedRoutines: [{ routineId: 'f' }] } }],
    ['reads what cannot be told', { more: { referencedTables: [{ projectId: 'lake' }] } }],
    ['reads what is no list', { more: { referencedTables: 'x' } }],
    ['reads more tables than are told', { tables: Array(50).fill('t') }],
  ])('refuses a statement that %s', async (_, run) => {
    const { outcome, statements } = await outcomeOf({ [SQL]: run, 'SELECT * FROM `lake.shop.t`': { tables: ['t'] } }, [
      't',
    ]);
    expect(outcome).toMatchObject({ code: 'sql_refused' });
    expect(statements).toEqual([]);
  });

  const view = 'SELECT * FROM `lake.shop.v`';
  it('lets pass the tables behind a view, and asks for them once', async () => {
    const { outcome, dryRuns } = await outcomeOf(
      { [SQL]: { tables: ['a', 'b'] }, [view]: { tables: ['a', 'b'] } },
      ['v'],
      3,
    );
    expect(outcome).toEqual(PASSED);
    expect(dryRuns.filter((sql) => sql === view)).toHaveLength(1);
    expect(dryRuns.filter((sql) => sql === SQL)).toHaveLength(3);
  });

  it('refuses what is behind no view of the statement', async () => {
    const runs = { [SQL]: { tables: ['a', 'secrets'] }, [view]: { tables: ['a'] } };
    expect((await outcomeOf(runs, ['v'])).outcome).toMatchObject({
      code: 'sql_refused',
      message: 'The statement reads the table "lake.shop.secrets", which is not allowed.',
    });
  });
});

describe('the estimate', () => {
  const tables: ApiOptions['tables'] = {
    'shop.a': { numRows: '25' },
    'shop.b': { numRows: '1000' },
    'shop.outside': { type: 'EXTERNAL' },
  };
  it.each<[read: string[], rows: number | undefined]>([
    [['a'], 25],
    [['a', 'b'], 1025],
    [[], 0],
    [['a', 'outside'], undefined],
  ])('of %j', async (read, rows) => {
    await using api = await startApi({ answer: () => [], dryRun: () => ({ tables: read }), tables });
    await using({ url: api.url }, async ({ database, statement }) => {
      expect(await database.estimate({ statement: statement({ tables: read }), names: {} })).toBe(rows);
    });
    expect(api.statements).toEqual([]);
  });
});

describe('the description', () => {
  const tables: ApiOptions['tables'] = {
    'shop.t': {
      description: 'All of them',
      numRows: '1235',
      schema: {
        fields: [
          { name: 'id', type: 'INTEGER', mode: 'REQUIRED', description: 'The key' },
          { name: 'items', type: 'RECORD', mode: 'REPEATED', fields: [{ name: 'sku', type: 'STRING' }] },
          { name: 'day', type: 'DATE' },
        ],
      },
      tableConstraints: {
        primaryKey: { columns: ['id'] },
        foreignKeys: [
          {
            referencedTable: { projectId: 'lake', datasetId: 'shop', tableId: 'c' },
            columnReferences: [{ referencingColumn: 'c_id', referencedColumn: 'id' }],
          },
        ],
      },
      timePartitioning: { type: 'DAY', field: 'day' },
      clustering: { fields: ['id', 'day'] },
    },
    'shop.v': {
      type: 'VIEW',
      view: { query: 'SELECT id FROM t' },
      schema: { fields: [{ name: 'id', type: 'INTEGER' }] },
    },
    'shop.m': { type: 'MATERIALIZED_VIEW', materializedView: { query: 'SELECT 1' } },
    'crm-1.sales.leads': { schema: { fields: [{ name: 'x', type: 'TIMESTAMP' }] } },
  };

  it('tells tables, views, columns, keys, partitions and sizes, of other projects too, without a query', async () => {
    await using api = await startApi({ answer: () => [], tables });
    const described = await using({ url: api.url }, ({ database }) =>
      database.describe(undefined, { schemas: ['shop', 'crm-1.sales', 'gone', 'gone.x'] }),
    );
    expect(described).toEqual([
      {
        schema: 'shop',
        name: 't',
        kind: 'table',
        columns: [
          { name: 'id', type: 'INT64', nullable: false, comment: 'The key' },
          { name: 'items', type: 'ARRAY<STRUCT<sku STRING>>', nullable: false },
          { name: 'day', type: 'DATE', nullable: true },
        ],
        primaryKey: ['id'],
        foreignKeys: [{ columns: ['c_id'], table: 'c', references: ['id'] }],
        estimatedRows: 1235,
        comment: 'All of them Partitioned by day of day. Clustered by id, day.',
      },
      expect.objectContaining({ name: 'v', kind: 'view', columns: [{ name: 'id', type: 'INT64', nullable: true }] }),
      expect.objectContaining({ name: 'm', kind: 'view' }),
      expect.objectContaining({ schema: 'crm-1.sales', name: 'leads', kind: 'table' }),
    ]);
    expect([api.statements, api.dryRuns]).toEqual([[], []]);
  });

  it('tells what views stand for', async () => {
    await using api = await startApi({ answer: () => [], tables });
    expect(await using({ url: api.url }, ({ database }) => database.views())).toEqual([
      { schema: 'shop', name: 'v', sql: 'SELECT id FROM t' },
      { schema: 'shop', name: 'm', sql: 'SELECT 1' },
    ]);
  });
});
