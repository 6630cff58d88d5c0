import { parseSync } from 'libpg-query';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startPostgres } from '../../../test/harness/postgres.ts';
import { loadDialect } from '../check.ts';
import { honest } from './fixtures/honest.ts';
import { check, createShop } from './fixtures/shop.ts';

let client: Client;
let stop: () => Promise<void>;
beforeAll(async () => {
  const server = await startPostgres();
  stop = server.stop;
  client = new Client(server.url);
  await client.connect();
  await createShop(client);
  await loadDialect('postgres');
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
