/** Rows by plans as the engines' documentation shows them. */
import { expect, test } from 'vitest';
import { rowsOfPlan as cockroachRows } from './cockroachdb.ts';
import { rowsOfPlan as redshiftRows } from './redshift.ts';

const lines = (text: string) => text.split('\n');

test.each([
  [
    'a join of two tables',
    `• hash join
│ estimated row count: 124,482
│ equality: (rider_id) = (id)
│
├── • scan
│     estimated row count: 125,000 (100% of the table; stats collected 54 minutes ago)
│     table: rides@rides_pkey
│     spans: FULL SCAN
│
└── • scan
      estimated row count: 1 - 12,500 (100% of the table; stats collected 54 minutes ago)
      table: users@users_pkey
      spans: FULL SCAN`,
    137_500,
  ],
  [
    'more rows than are read',
    '• cross join\n│ estimated row count: 9,000,000\n└── • scan\n      estimated row count: 3,000',
    9_000_000,
  ],
  ['no statistics', '• scan\n  missing stats\n  table: t@t_pkey\n  spans: FULL SCAN', undefined],
  [
    'a condition behind a look-up',
    '• lookup join\n│ estimated row count: 3\n│ pred: total > 5\n└── • scan\n      estimated row count: 3',
    undefined,
  ],
  [
    'a subquery for each row',
    '• apply join\n│ estimated row count: 3\n└── • scan\n      estimated row count: 3',
    undefined,
  ],
  ['no table', '• values\n  size: 1 column, 1 row', 0],
])('CockroachDB: %s', (_, plan, rows) => {
  expect(cockroachRows(lines(plan))).toBe(rows);
});

const JOIN = `XN HashAggregate  (cost=1.10..1.10 rows=1 width=8)
  ->  XN Hash Join DS_BCAST_INNER  (cost=0.14..6600286.07 rows=8798 width=84)
        Hash Cond: ("outer".catid = "inner".catid)
        ->  XN Seq Scan on event  (cost=0.00..87.98 rows=8798 width=35)
              Filter: (eventid > 5)
        ->  XN Hash  (cost=0.11..0.11 rows=11 width=49)
              ->  XN Seq Scan on "Category" c  (cost=0.00..0.11 rows=11 width=49)`;

test.each([
  ['a filter reads all of the table', JOIN, { event: 90_000, Category: 11 }, 90_011],
  ['a table without statistics', JOIN, { Category: 11 }, undefined],
  ['a nested loop', JOIN.replace('Hash Join', 'Nested Loop'), { event: 90_000, Category: 11 }, 990_000],
  ['rows from outside', 'XN S3 Query Scan sales  (cost=0.00..1.00 rows=10 width=8)', {}, undefined],
  [
    'a condition with a long text',
    `${JOIN}\n Filter: (x = '${'word '.repeat(40_000)}')`,
    { event: 2, Category: 1 },
    8_809,
  ],
  ['no table', 'XN Result  (cost=0.00..0.01 rows=1 width=0)', {}, 1],
])('Redshift: %s', async (_, plan, tables: Record<string, number>, rows) => {
  expect(await redshiftRows(lines(plan), async (name) => tables[name])).toBe(rows);
});
