import { parseSync } from 'libpg-query';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { honest } from '../../../test/fixtures/sql/postgres-honest.ts';
import { honestMore } from '../../../test/fixtures/sql/postgres-honest-more.ts';
import { check, createShop, shopRules } from '../../../test/fixtures/sql/postgres-shop.ts';
import { startPostgres } from '../../../test/harness/postgres.ts';
import { describeSchemas } from '../../datasource-postgres/index.ts';
import { Description } from '../../row-security/index.ts';
import { postgres } from '../../sql-kit/index.ts';
import { AllowedTables } from '../allowed-tables.ts';
import { checkSql } from '../check.ts';

let client: Client;
let stop: () => Promise<void>;
beforeAll(async () => {
  const server = await startPostgres();
  stop = server.stop;
  client = new Client(server.url);
  await client.connect();
  await createShop(client);
  await postgres.load?.();
}, 60_000);
afterAll(async () => {
  await client.end();
  await stop();
});

/** In one transaction, where the time stands still; what is drawn by lot is compared with constants only. */
async function run(sql: string) {
  const { fields, rows } = await client.query({ text: sql, values: [], rowMode: 'array' });
  return { columns: fields.map(({ name }) => name), types: fields.map(({ dataTypeID }) => dataTypeID), rows };
}

/** The tree without places, and without what says only how a thing was written. */
const shape = (sql: string): unknown =>
  JSON.parse(JSON.stringify(parseSync(sql).stmts?.[0]?.stmt), (key, value) => {
    if (/^(?:location|list_start|list_end|rexpr_list_start|rexpr_list_end|funcformat|row_format)$/.test(key))
      return undefined;
    const names = key === 'funcname' || key === 'names' || key === 'name' || key === 'fields' || key === 'collname';
    if (names && Array.isArray(value) && value.length > 1) return isSchema(value[0]) ? value.slice(1) : value;
    return key === 'schemaname' && value === 'public' ? undefined : value;
  });

const isSchema = (node: { String?: { sval?: string } }) =>
  ['pg_catalog', 'public', 'sales'].includes(node.String?.sval ?? '');

describe('honest statements', () => {
  test('are many and different', () => {
    expect(new Set(honest).size).toBe(honest.length);
    expect(honest.length).toBeGreaterThanOrEqual(150);
  });

  test.each(honest)('%s', async (sql) => {
    const printed = check(sql).sql;
    await client.query('BEGIN');
    try {
      const original = await run(sql);
      expect(await run(printed), printed).toEqual(/salaries/.test(sql) ? expect.anything() : original);
      if (/salaries/.test(sql)) expect((await run(printed)).columns).toEqual(original.columns);
    } finally {
      await client.query('ROLLBACK');
    }
    if (/salaries/.test(sql)) return;
    if (printed.includes('"?')) return;
    expect(check(printed).sql).toBe(printed);
    if (!/unnest\(ARRAY\[1, 2\], /.test(sql)) expect(shape(printed), printed).toEqual(shape(sql));
  });
});

describe('more honest statements', () => {
  test('are many and different', () => {
    expect(new Set([...honest, ...honestMore]).size).toBe(honest.length + honestMore.length);
    expect(honestMore.length).toBeGreaterThanOrEqual(90);
  });

  test.each(honestMore)('%s', async (sql) => {
    const printed = check(sql).sql;
    await client.query('BEGIN');
    try {
      expect(await run(printed), printed).toEqual(await run(sql));
    } finally {
      await client.query('ROLLBACK');
    }
  });
});

describe('with a condition on the rows of every table', () => {
  let tables: AllowedTables;
  beforeAll(async () => {
    const asText = { getTypeParser: () => (value: string) => value };
    const described = await describeSchemas(async (text, values = []) => {
      const { rows } = await client.query({ text, values: [...values], rowMode: 'array', types: asText });
      return rows as (string | null)[][];
    });
    const description = new Description(described);
    const { dialect, tables: plain } = shopRules().tables;
    const policed = plain.map((table) => {
      const key = description.key(table, 'public');
      const known = new Set([...table.known, ...description.columns(table, 'public')]);
      const types = description.types(table, 'public');
      return { ...table, known, types, ...(key && { key }), rows: [{ condition: '1 = 1', values: [] }] };
    });
    tables = new AllowedTables(policed, dialect);
  });

  test.each([...honest, ...honestMore].filter((sql) => !sql.includes('salaries')))('%s', async (sql) => {
    const printed = checkSql(sql, { tables }).sql;
    // Only with new names for some columns it is for the engine to say which keep theirs.
    expect(printed).not.toMatch(/"\?[1-9]" AS \((?!.*AS "\?" \()/);
    await client.query('BEGIN');
    try {
      const [actual, expected] = [await run(printed), await run(sql)];
      expect({ ...actual, types: [] }, printed).toEqual({ ...expected, types: [] });
    } finally {
      await client.query('ROLLBACK');
    }
  });

  test('what groups by a part of a key, or by none, stays an error', async () => {
    for (const sql of [
      'SELECT name, count(*) FROM customers GROUP BY city',
      'SELECT c.name, count(*) FROM customers c JOIN orders o ON o.customer_id = c.id GROUP BY o.id',
      'SELECT name FROM customers GROUP BY ROLLUP (id)',
      'SELECT price, count(*) FROM order_items GROUP BY order_id',
    ]) {
      await expect(client.query(checkSql(sql, { tables }).sql)).rejects.toThrow('GROUP BY');
    }
  });
});
