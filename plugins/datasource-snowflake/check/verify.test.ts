/** The second check, by what the engine says that a statement reads, and the estimate from the same plan. */
import { describe, expect, it } from 'vitest';
import { type Answered, answerOf, planAnswer, planOfTables, startAccount } from '../fixtures/account.ts';
import { N, SQL, using } from '../fixtures/asking.ts';

const EXPLAIN = 'EXPLAIN USING JSON ';
const text = (...names: readonly string[]) => names.map((name) => ({ name, type: 'text' }));

/** Answers EXPLAIN of each statement as given, other statements by `more`, and everything else with one row. */
async function outcomeOf(
  plans: Readonly<Record<string, Answered>>,
  tables: readonly string[],
  { times = 1, more = {} }: { readonly times?: number; readonly more?: Readonly<Record<string, Answered>> } = {},
) {
  await using server = await startAccount({
    answer({ sql }) {
      const explained = sql.replace(EXPLAIN, '');
      if (explained !== sql) return plans[explained] ?? planOfTables();
      return more[sql] ?? (sql.startsWith('SHOW') ? answerOf([]) : answerOf(N, [['1']]));
    },
  });
  const outcome = await using({ url: server.url }, async ({ run }) => {
    for (let time = 1; time < times; time += 1) await run({ tables });
    return run({ tables });
  });
  return { outcome, statements: server.statements };
}

const PASSED = [{ N: 1 }];
const operations = (...steps: readonly object[]) => planAnswer({ GlobalStats: {}, Operations: [steps] });

describe('the second check', () => {
  it.each<[what: string, plan: Answered, tables: string[]]>([
    ['its table', planOfTables('T'), ['T']],
    ['nothing', planOfTables(), ['T']],
    ['its table twice', planOfTables('T', 'T'), ['T']],
    ['tables of other schemas', planOfTables('T', 'CRM.LEADS'), ['T', 'CRM.LEADS']],
    ['tables of other databases', planOfTables('T', 'CRM.SALES.LEADS'.split('.').join('.')), ['T', 'CRM.SALES.LEADS']],
    ['a name in quotes', planOfTables('"my table"'), ['my table']],
    ['a name of other letters', planOfTables('Größe'), ['Größe']],
    ['values', operations({ id: 0, operation: 'Result' }, { id: 1, operation: 'ValuesClause' }), ['T']],
  ])('lets pass a statement that reads %s', async (_, plan, tables) => {
    expect((await outcomeOf({ [SQL]: plan }, tables)).outcome).toEqual(PASSED);
  });

  it.each<[what: string, plan: Answered]>([
    ['another table', planOfTables('T', 'SECRETS')],
    ['the same in another case', planOfTables('t')],
    ['the table of another schema', planOfTables('HR.T')],
    ['the table of another database', planOfTables('OTHER.SHOP.T')],
    [
      'what the account keeps for itself',
      planOfTables('QUERY_HISTORY.ACCOUNT_USAGE.SNOWFLAKE'.split('.').reverse().join('.')),
    ],
    [
      'what was kept of a table',
      operations({ id: 1, operation: 'CreateTableFromArchiveData', objects: ['ARCHIVE OF LAKE.SHOP.T'] }),
    ],
    ['files', operations({ id: 1, operation: 'ExternalScan' })],
    ['what has no name', operations({ id: 1, operation: 'TableScan' })],
    ['what has half a name', operations({ id: 1, operation: 'TableScan', objects: ['T'] })],
    ['what has too much of a name', operations({ id: 1, operation: 'TableScan', objects: ['A.LAKE.SHOP.T'] })],
    ['a table and writes one', operations({ id: 0, operation: 'Insert', objects: ['LAKE.SHOP.T'] })],
    ['what is no step', operations(null as never)],
    ['what is no plan', planAnswer([])],
    ['what is no JSON', planAnswer('x')],
    ['nothing at all', answerOf(text('content'))],
  ])('refuses a statement that reads %s', async (_, plan) => {
    const { outcome, statements } = await outcomeOf({ [SQL]: plan }, ['T']);
    expect(outcome).toMatchObject({ code: 'sql_refused' });
    expect(statements).not.toContain(SQL);
  });

  const view = 'SELECT * FROM "LAKE"."SHOP"."V"';
  it('lets pass the tables behind a view, and asks for them once', async () => {
    const plans = { [SQL]: planOfTables('A', 'B'), [view]: planOfTables('A', 'B') };
    const { outcome, statements } = await outcomeOf(plans, ['V'], { times: 3 });
    expect(outcome).toEqual(PASSED);
    expect(statements.filter((sql) => sql.endsWith(view))).toHaveLength(1);
  });

  it('refuses what is behind no view of the statement', async () => {
    const plans = { [SQL]: planOfTables('A', 'SECRETS'), [view]: planOfTables('A') };
    expect((await outcomeOf(plans, ['V'])).outcome).toMatchObject({ code: 'sql_refused' });
    // A table that is listed itself hides nothing behind it.
    const own = { [SQL]: planOfTables('V', 'SECRETS'), [view]: planOfTables('SECRETS') };
    expect((await outcomeOf(own, ['V'])).outcome).toMatchObject({ code: 'sql_refused' });
  });

  it('lets pass a materialized view that the engine reads in the place of its table, and no other', async () => {
    const shown = 'SHOW MATERIALIZED VIEWS LIKE \'SUMS\' IN SCHEMA "LAKE"."SHOP"';
    const columns = text('name', 'source_database_name', 'source_schema_name', 'source_table_name');
    const of = (...row: readonly string[]) => ({ more: { [shown]: answerOf(columns, [row]) } });
    const plans = { [SQL]: planOfTables('SUMS') };
    expect((await outcomeOf(plans, ['T'], of('SUMS', 'LAKE', 'SHOP', 'T'))).outcome).toEqual(PASSED);
    for (const row of [
      ['SUMS', 'LAKE', 'SHOP', 'SECRETS'],
      ['OTHER', 'LAKE', 'SHOP', 'T'],
      ['SUMS', 'LAKE', 'HR', 'T'],
    ]) {
      expect((await outcomeOf(plans, ['T'], of(...row))).outcome).toMatchObject({ code: 'sql_refused' });
    }
  });
});

describe('the estimate', () => {
  const sizes = (...rows: readonly (readonly (string | null)[])[]) =>
    answerOf(text('TABLE_SCHEMA', 'TABLE_NAME', 'ROW_COUNT'), rows);

  async function estimateOf(plan: Answered, tables: Answered): Promise<number | undefined> {
    await using server = await startAccount({
      answer: ({ sql }) =>
        sql.startsWith(EXPLAIN) ? plan : sql.includes('INFORMATION_SCHEMA') ? tables : answerOf(N, [['1']]),
    });
    return await using({ url: server.url }, ({ database, statement }) =>
      database.estimate({ statement: statement(), names: {} }),
    );
  }

  const scan = (partitionsTotal: number, partitionsAssigned: number) =>
    operations({ id: 1, operation: 'TableScan', objects: ['LAKE.SHOP.T'], partitionsTotal, partitionsAssigned });

  it.each<[what: string, plan: Answered, tables: Answered, rows: number | undefined]>([
    ['a quarter of the partitions', planOfTables('T'), sizes(['SHOP', 'T', '1000']), 250],
    ['a table twice', planOfTables('T', 'T'), sizes(['SHOP', 'T', '1000']), 500],
    ['all of it', scan(3, 3), sizes(['SHOP', 'T', '1000']), 1_000],
    ['an empty table', scan(0, 0), sizes(['SHOP', 'T', '0']), 0],
    ['what the engine knows without reading', planOfTables(), sizes(), 0],
    ['a table of unknown size', planOfTables('T'), sizes(['SHOP', 'T', null]), undefined],
    ['a table that is not listed', planOfTables('T'), sizes(), undefined],
    ['more than all', scan(1, 2), sizes(['SHOP', 'T', '1000']), undefined],
  ])('of %s', async (_, plan, tables, rows) => {
    expect(await estimateOf(plan, tables)).toBe(rows);
  });

  it('is of no statement that may not run', async () => {
    const estimate = estimateOf(planOfTables('T', 'SECRETS'), sizes(['SHOP', 'T', '1'], ['SHOP', 'SECRETS', '1']));
    await expect(estimate).rejects.toMatchObject({ code: 'sql_refused' });
  });
});
