/** What the catalog tells, as the documentation of `INFORMATION_SCHEMA` and `SHOW` has its columns. */
import { expect, it } from 'vitest';
import { answerOf, Failed, startAccount } from '../fixtures/account.ts';
import { N, using } from '../fixtures/asking.ts';

const table = (names: string, ...rows: readonly (readonly (string | null)[])[]) =>
  answerOf(
    names.split(' ').map((name) => ({ name, type: 'text' })),
    rows,
  );

const TABLES = table(
  'TABLE_NAME TABLE_TYPE ROW_COUNT COMMENT',
  ['ORDERS', 'BASE TABLE', '1000', 'All orders'],
  ['TOTALS', 'VIEW', null, ''],
);
const COLUMNS = table(
  'TABLE_NAME COLUMN_NAME DATA_TYPE NUMERIC_PRECISION NUMERIC_SCALE IS_NULLABLE COMMENT',
  ['ORDERS', 'ID', 'NUMBER', '38', '0', 'NO', 'Its number'],
  ['ORDERS', 'total', 'NUMBER', '10', '2', 'YES', null],
  ['ORDERS', 'CUSTOMER_ID', 'TEXT', null, null, 'YES', ''],
  ['TOTALS', 'SUM', 'FLOAT', null, null, 'YES', null],
);
const KEY = 'database_name schema_name table_name column_name key_sequence constraint_name';
const SHOWN: Readonly<Record<string, ReturnType<typeof table>>> = {
  'SHOW PRIMARY KEYS': table(
    KEY,
    ['LAKE', 'SHOP', 'ORDERS', 'total', '2', 'PK'],
    ['LAKE', 'SHOP', 'ORDERS', 'ID', '1', 'PK'],
  ),
  'SHOW UNIQUE KEYS': table(
    KEY,
    ['LAKE', 'SHOP', 'ORDERS', 'total', '1', 'U1'],
    ['LAKE', 'SHOP', 'ORDERS', 'ID', '1', 'U2'],
  ),
  'SHOW IMPORTED KEYS': table(
    'pk_database_name pk_schema_name pk_table_name pk_column_name fk_table_name fk_column_name key_sequence fk_name',
    ['LAKE', 'CRM', 'CUSTOMERS', 'ID', 'ORDERS', 'CUSTOMER_ID', '1', 'FK'],
    ['OTHER', 'CRM', 'X', 'ID', 'ORDERS', 'ID', '1', 'FK2'],
  ),
};

it('describes tables, views, columns, keys, sizes and comments', async () => {
  await using server = await startAccount({
    answer({ sql }) {
      const shown = SHOWN[sql.replace(/ IN SCHEMA .*$/, '')];
      if (shown !== undefined) return shown;
      if (sql.includes('"CRM".INFORMATION_SCHEMA')) {
        throw new Failed({ code: '002003', sqlState: '02000', message: 'Database does not exist' });
      }
      return sql.includes('.TABLES') ? TABLES : sql.includes('.COLUMNS') ? COLUMNS : answerOf(N, [['1']]);
    },
  });
  const described = await using({ url: server.url }, ({ database }) =>
    database.describe(undefined, { schemas: ['CRM.SALES'] }),
  );
  expect(described).toEqual([
    {
      schema: 'SHOP',
      name: 'ORDERS',
      kind: 'table',
      columns: [
        { name: 'ID', type: 'NUMBER(38,0)', nullable: false, comment: 'Its number' },
        { name: 'total', type: 'NUMBER(10,2)', nullable: true },
        { name: 'CUSTOMER_ID', type: 'TEXT', nullable: true },
      ],
      primaryKey: ['ID', 'total'],
      uniqueKeys: [['total'], ['ID']],
      foreignKeys: [{ columns: ['CUSTOMER_ID'], table: 'CRM.CUSTOMERS', references: ['ID'] }],
      estimatedRows: 1_000,
      comment: 'All orders',
    },
    {
      schema: 'SHOP',
      name: 'TOTALS',
      kind: 'view',
      columns: [{ name: 'SUM', type: 'FLOAT', nullable: true }],
      primaryKey: [],
      foreignKeys: [],
    },
  ]);
  expect(server.statements).toContain('SHOW PRIMARY KEYS IN SCHEMA "LAKE"."SHOP"');
});

it.each<[definition: string | null, sql: string | undefined]>([
  ['CREATE VIEW V AS SELECT A FROM T;', 'SELECT A FROM T'],
  [
    "create or replace secure view V (A comment 'as select') comment = 'it''s as select 1'\nas\nwith X as (select 1) select * from X",
    'with X as (select 1) select * from X',
  ],
  ['create view V as (select 1 as A)', '(select 1 as A)'],
  [null, undefined],
  ['', undefined],
  // Read in one way alone, however many quotes there are.
  [`create view V comment = '${"''".repeat(60)}'`, `create view V comment = '${"''".repeat(60)}'`],
])('takes the SELECT out of %j', async (definition, sql) => {
  const views = table('TABLE_SCHEMA TABLE_NAME VIEW_DEFINITION', ['SHOP', 'V', definition]);
  await using server = await startAccount({
    answer: (one) => (one.sql.includes('.VIEWS') ? views : answerOf(N, [['1']])),
  });
  const found = await using({ url: server.url }, ({ database }) => database.views());
  expect(found).toEqual([{ schema: 'SHOP', name: 'V', ...(sql !== undefined && { sql }) }]);
});
