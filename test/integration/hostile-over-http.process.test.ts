/**
 * Hostile statements over HTTP, in the built-in composition with row security, against real databases: whatever the
 * model writes, nothing comes back that must not be seen, and nothing is left behind.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDuckdbShop, openSqliteShop } from '../fixtures/road/file-shops.ts';
import { hostileStatements } from '../fixtures/road/hostile.ts';
import { openMariaDbShop } from '../fixtures/road/mariadb-shop.ts';
import { openPostgresShop } from '../fixtures/road/postgres-shop.ts';
import { eachOf, openRoad, type Road } from '../fixtures/road/road.ts';
import { LEAK, type Shop } from '../fixtures/road/shop.ts';
import { findMariaDb, INSTALL_MARIADB } from '../harness/mariadb.ts';
import { suiteNeeding } from '../harness/require.ts';

const needsMariaDb = suiteNeeding('mysql', findMariaDb() !== undefined, INSTALL_MARIADB);

/** Arguments of a tool that are longer are not run. */
const MAX_ARGUMENT_BYTES = 65_536;

/** How many statements the pipeline meets for this one. */
const statementsOf = (sql: string) =>
  sql === '' || Buffer.byteLength(JSON.stringify({ sql })) > MAX_ARGUMENT_BYTES ? 0 : 1;

const engines = [
  { name: 'sqlite', open: openSqliteShop, suite: describe },
  { name: 'duckdb', open: openDuckdbShop, suite: describe },
  { name: 'postgres', open: openPostgresShop, suite: describe },
  { name: 'mysql', open: openMariaDbShop, suite: needsMariaDb },
] as const;

for (const { name, open, suite } of engines) {
  suite(name, () => {
    let shop: Shop;
    let road: Road;
    let before: unknown;
    beforeAll(async () => {
      shop = await open();
      road = await openRoad({ url: await shop.open('tenants'), layer: shop.layerOfTenants, policy: true });
      // Sessions, files and settings that any statement leaves are there before the first hostile one.
      await Promise.all([1, 2, 3, 4].map(() => road.ask('SELECT count(*) AS n FROM orders')));
      before = await shop.traces();
    }, 60_000);
    afterAll(async () => {
      await road?.[Symbol.asyncDispose]();
      await shop?.[Symbol.asyncDispose]();
    });

    test('shows what may be seen', async () => {
      const { data, settled } = await road.ask('SELECT count(*) AS n, max(id) AS top FROM orders');
      expect(data[0]?.rows).toEqual([{ n: 40, top: 40 }]);
      expect(settled.map(({ status }) => status)).toEqual(['succeeded']);
    });

    test('every hostile statement is refused or harmless', { timeout: 60_000 }, async () => {
      const { refused, ours } = hostileStatements(name, shop.canaryFile);
      expect(new Set(ours).size).toBeGreaterThanOrEqual(40);
      const problems: string[] = [];
      let ran = 0;
      const ask = async (sql: string, mustBeRefused: boolean) => {
        const { status, body, prompt, result, settled } = await road.ask(sql);
        const problem = (what: string) => {
          problems.push(`${what}: ${sql.slice(0, 200)}\n  ${result.slice(0, 300)}`);
        };
        if (LEAK.test(sql)) return problem('The statement names a canary itself');
        if (status !== 200) problem(`HTTP ${status} ${body.slice(0, 200)}`);
        if (LEAK.test(body)) problem('LEAK in the answer');
        if (LEAK.test(prompt)) problem('LEAK to the model');
        if (settled.length !== statementsOf(sql)) problem(`settled ${settled.length} times`);
        if (settled[0]?.status === 'succeeded') {
          ran += 1;
          if (mustBeRefused) problem('not refused');
        }
      };
      await eachOf(refused, 4, (sql) => ask(sql, true));
      await eachOf(ours, 4, (sql) => ask(sql, false));
      expect(problems.join('\n')).toBe('');
      expect(ran).toBeLessThan(ours.length / 2);
      expect(road.log.filter((line) => LEAK.test(line))).toEqual([]);
    });

    test('leaves nothing behind', async () => {
      expect(await shop.traces()).toEqual(before);
      const { data } = await road.ask('SELECT count(*) AS n, max(id) AS top FROM orders');
      expect(data[0]?.rows).toEqual([{ n: 40, top: 40 }]);
    });
  });
}
