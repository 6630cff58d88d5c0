/** What a cluster says of its tables, which the embedded server cannot be. */
import { expect, it } from 'vitest';
import type { Cell } from '../../datasource-kit/index.ts';
import { describeDatabases } from './describe.ts';
import type { Query } from './query.ts';
import { viewsOf } from './views.ts';

/** Answers each question with the rows of the first of these words that it has. */
const answering =
  (answers: Readonly<Record<string, readonly (readonly Cell[])[]>>): Query =>
  async (sql) => [...(answers[Object.keys(answers).find((word) => sql.includes(word)) ?? ''] ?? [])];

it('describes distributed and replicated tables', async () => {
  const shards = "Distributed('main', 'shop', 'orders_local', cityHash64(id))";
  const replicated = "ReplicatedReplacingMergeTree('/clickhouse/{shard}', '{replica}', version) ORDER BY id";
  const tables = await describeDatabases(
    answering({
      'FROM system.tables': [
        ['shop', 'orders', 'Distributed', shards, null, '', '', '', 'All orders.'],
        ['shop', 'orders_local', 'ReplicatedReplacingMergeTree', replicated, 12, 'id', 'id', 'toYYYYMM(day)', ''],
        ['shop', 'closed', 'MergeTree', '', 3, 'id', 'id', '', ''],
      ],
      'FROM system.columns': ['orders', 'orders_local'].map((table) => ['shop', table, 'id', 'UInt64', '']),
    }),
    'shop',
  );
  expect(tables.map(({ name, kind, estimatedRows, comment }) => [name, kind, estimatedRows, comment])).toEqual([
    ['orders', 'table', undefined, `All orders. ${shards}.`],
    [
      'orders_local',
      'table',
      12,
      'ReplicatedReplacingMergeTree; sorted by id; partitioned by toYYYYMM(day); rows of one key are merged later.',
    ],
  ]);
});

it('names tables of which the login may read nothing, where they are asked for', async () => {
  const query = answering({ 'FROM system.tables': [['shop', 'closed', 'MergeTree', '', 3, 'id', 'id', '', '']] });
  expect(await describeDatabases(query, 'shop')).toEqual([]);
  expect(await describeDatabases(query, 'shop', [], true)).toMatchObject([{ name: 'closed', columns: [] }]);
});

it('tells which tables distributed ones and materialized views show', async () => {
  const written = (rest: string) =>
    `CREATE MATERIALIZED VIEW shop.daily ${rest} (\`day\` Date) AS SELECT day FROM shop.o`;
  const views = await viewsOf(
    answering({
      as_select: [
        ['shop', 'a', 'SELECT 1', written('TO shop.days')],
        ['shop', 'b', 'SELECT 1', written('REFRESH EVERY 1 HOUR TO `my shop`.`odd ``name`')],
        ['shop', 'c', 'SELECT 1', written("ENGINE = MergeTree ORDER BY day COMMENT ' TO x.y'")],
        ['shop', 'd', '', ''],
      ],
      "'Distributed'": [
        ['shop', 'orders', 'Distributed', "Distributed('main', 'shop', 'orders_local', rand())"],
        ['shop', 'own', 'Distributed', "Distributed('main', currentDatabase(), 'orders_local')"],
        ['shop', 'words', 'Dictionary', ''],
      ],
    }),
  );
  expect(views.map(({ schema: _, name, ...rest }) => [name, rest])).toEqual([
    ['a', { sql: 'SELECT 1' }],
    ['a', { reads: ['shop.days'] }],
    ['b', { sql: 'SELECT 1' }],
    ['b', { reads: ['my shop.odd `name'] }],
    ['c', { sql: 'SELECT 1' }],
    ['d', {}],
    ['orders', { reads: ['shop.orders_local'] }],
    ['own', {}],
    ['words', {}],
  ]);
});
