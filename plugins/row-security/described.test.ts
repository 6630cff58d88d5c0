/** What the guard gains from the columns and keys that row security reads of a database. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { Actor, TableDescription } from '../../kernel/index.ts';
import { entity } from '../../test/fixtures/sql/sqlite-shop.ts';
import { allowedTables, checkSql } from '../sql-guard/index.ts';
import { postgres } from '../sql-kit/index.ts';
import { Descriptions } from './description.ts';
import { RowSecurity } from './security.ts';

const actor: Actor = { id: 'a', label: null, role: 'analyst', mode: 'test', claims: { tenant: 'acme' } };
const OPTIONS = {
  column: 'tenant',
  claim: 'tenant',
  exempt: [],
  policies: [],
  unmaskRoles: [],
  describeEveryMs: 1e9,
  recheckMs: 1e9,
};

const described: TableDescription = {
  schema: 'public',
  name: 'orders',
  kind: 'table',
  columns: ['id', 'tenant', 'Total', 'ship to'].map((name) => ({ name, type: 'text', nullable: true })),
  primaryKey: ['id'],
  foreignKeys: [],
};

async function print(
  sql: string,
  tables: readonly TableDescription[] = [described],
  dimensions: Parameters<typeof entity>[1] = [{ name: 'id' }],
): Promise<string> {
  const { tables: allowed } = allowedTables([entity('orders', dimensions)], postgres);
  const describe = async () => tables;
  const descriptions = new Descriptions({ ...OPTIONS, describe, now: () => 0, warn: () => {} });
  const connection = { id: 'shop', dbType: 'postgres', maskedUrl: '' } as const;
  const security = new RowSecurity(OPTIONS, descriptions, () => {});
  const access = await security.restrict({ connection, tables: allowed }, actor);
  return checkSql(sql, { tables: access.tables }).sql;
}

beforeAll(() => postgres.load?.());

const PART =
  '(SELECT orders.* FROM orders WHERE orders.tenant = $1 AND CAST(orders.tenant AS text) COLLATE "C" = $2) AS o';

describe('columns that the database describes', () => {
  test('need no proof', async () => {
    expect(await print('SELECT o."ship to", o."Total" FROM orders o')).toBe(
      `SELECT o."ship to", o."Total" FROM ${PART}`,
    );
  });

  test('are known in their exact case; the engine checks every other spelling', async () => {
    expect(await print('SELECT o.total FROM orders o')).toBe(
      `WITH "?1" AS (SELECT total FROM orders AS "?") SELECT o.total FROM ${PART}`,
    );
  });

  test('keep the order of bound values when a table is referenced several times', async () => {
    const sql = await print('SELECT a.id FROM orders a JOIN orders b ON a.id = b.id');
    expect(Array.from(sql.matchAll(/\$\d/g), ([place]) => place)).toEqual(['$1', '$2', '$3', '$4']);
  });
});

describe('a key that the database describes', () => {
  test('lets the other columns be read in groups of it', async () => {
    expect(await print('SELECT o.id, o."Total", count(*) FROM orders o GROUP BY o.id ORDER BY o."ship to"')).toBe(
      `SELECT o.id, o."Total", pg_catalog.count(*) FROM ${PART} GROUP BY o.id, o."Total", o."ship to" ORDER BY o."ship to"`,
    );
    expect(await print('SELECT id AS o, "Total" FROM orders o GROUP BY 1')).toContain('GROUP BY 1, o."Total"');
  });

  test('changes nothing in groups of other columns, or where there is no key', async () => {
    const byOther = 'SELECT o."Total", count(*) FROM orders o GROUP BY o.tenant';
    expect(await print(byOther)).toMatch(/GROUP BY o\.tenant$/);
    const byKey = 'SELECT o."Total", count(*) FROM orders o GROUP BY o.id';
    expect(await print(byKey, [{ ...described, primaryKey: [] }])).toMatch(/GROUP BY o\.id$/);
    expect(await print(byKey, [{ ...described, primaryKey: ['id', 'tenant'] }])).toMatch(/GROUP BY o\.id$/);
    const masked = [
      { name: 'id', mask: "'x'" },
      { name: 'Total', sql: '"Total"' },
    ];
    expect(await print(byKey, [described], masked)).toMatch(/GROUP BY o\.id$/);
    const seen = [{ name: 'id' }, { name: 'Total', sql: '"Total"', mask: '0' }];
    expect(await print(byKey, [described], seen)).toMatch(/GROUP BY o\.id, o\."Total"$/);
  });
});
