/** Every honest statement goes through the guard, the engine's second check and the wire, with and without row security. */
import { expect, test } from 'vitest';
import { clickhouseHonest } from '../../test/fixtures/sql/clickhouse-honest.ts';
import { SCRIPT } from '../../test/fixtures/sql/clickhouse-shop.ts';
import { describeChdb } from '../../test/harness/chdb.ts';
import { startClickhouse } from '../../test/harness/clickhouse.ts';
import { layerFolder } from '../../test/harness/layer-folder.ts';
import { createTestApp } from '../../test/testing.ts';
import { rowSecurity } from '../row-security/index.ts';
import { semanticLayer } from '../semantic-layer/index.ts';
import { sqlGuard } from '../sql-guard/index.ts';
import { datasourceClickhouse } from './index.ts';

const TABLES = ['customers', 'orders', 'order_items', 'group', 'Größe', 'events', 'codes', 'versions', 'salaries'];
const entity = (table: string, more = '') =>
  `name: e_${table}\ntable: ${table}\n${more}dimensions:\n  - { name: id }\n`;
const layer = () =>
  layerFolder({
    ...Object.fromEntries(TABLES.map((table, at) => [`entities/e${at}.yml`, entity(table)])),
    'entities/totals.yml': entity('order_totals', 'type: view\n'),
    'entities/people.yml': entity('people', 'schema: hr\n'),
  });

/** Each statement has a session of its own, so every table is named with its database. */
const script = SCRIPT.filter((sql) => !/^(?:SET|USE) /.test(sql)).map((sql) =>
  sql.replace(/^(CREATE TABLE|CREATE VIEW|INSERT INTO) (?!hr\.)/, '$1 shop.'),
);

const policies = [{ tables: [...TABLES, 'order_totals'], condition: "'x' = {claim}", claim: 'tenant' }];

describeChdb('a statement that the guard lets pass', () => {
  test.each([false, true])('runs as it was written; row security: %s', { timeout: 300_000 }, async (isSecured) => {
    await using server = await startClickhouse(script);
    using folder = layer();
    const url = server.url.replace(/default$/, 'shop');
    await using app = await createTestApp({
      plugins: [
        semanticLayer({ dir: folder.dir }),
        sqlGuard(),
        ...(isSecured ? [rowSecurity({ policies })] : []),
        datasourceClickhouse({ connections: [{ id: 'default', url, settings: { max_threads: 1 } }] }),
      ],
    });
    const actor = { id: 's', label: 's', role: 'analyst', mode: 'test', claims: { tenant: 'x' } } as const;
    const failed: string[] = [];
    for (const sql of clickhouseHonest) {
      await app
        .runSql({ sql, surface: 'test' }, app.scope({ actor }))
        .catch(({ message, details }) => failed.push(`${sql}: ${message} ${JSON.stringify(details ?? '')}`));
    }
    expect(failed).toEqual([]);
  });
});
