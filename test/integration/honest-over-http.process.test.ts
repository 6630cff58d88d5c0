/**
 * Honest statements over HTTP, in the built-in composition: every one is answered, with and without a policy, and with
 * the rows that it has as it is written in a database that holds nothing else than what may be seen.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { definePlugin, type SqlResult, sqlBefore } from '../../kernel/index.ts';
import { datasourceDuckdb } from '../../plugins/datasource-duckdb/index.ts';
import { datasourceMysql } from '../../plugins/datasource-mysql/index.ts';
import { datasourcePostgres } from '../../plugins/datasource-postgres/index.ts';
import { datasourceSqlite } from '../../plugins/datasource-sqlite/index.ts';
import { kitDialect } from '../../plugins/sql-kit/index.ts';
import { openDuckdbShop, openSqliteShop } from '../fixtures/road/file-shops.ts';
import {
  dependsOnOrder,
  honestStatements,
  isOrdered,
  isUnsteady,
  readsRowNumber,
  withoutHead,
} from '../fixtures/road/honest.ts';
import { openMariaDbShop } from '../fixtures/road/mariadb-shop.ts';
import { openPostgresShop } from '../fixtures/road/postgres-shop.ts';
import { eachOf, openRoad, type Road } from '../fixtures/road/road.ts';
import type { Shop } from '../fixtures/road/shop.ts';
import { createTestApp, type TestApp } from '../harness/create-test-app.ts';
import { findMariaDb, INSTALL_MARIADB } from '../harness/mariadb.ts';
import { suiteNeeding } from '../harness/require.ts';

const datasources = {
  sqlite: datasourceSqlite,
  duckdb: datasourceDuckdb,
  postgres: datasourcePostgres,
  mysql: datasourceMysql,
};

/** On a busy machine a database process takes seconds to start. */
const TIMEOUT_MS = 30_000;

/** Runs every statement as it is written: only the datasource stands between it and the database. */
async function openAsWritten(
  dbType: keyof typeof datasources,
  url: string,
  tables: readonly string[],
): Promise<TestApp> {
  const { functions, tableFunctions } = await kitDialect(dbType);
  const asWritten = definePlugin({
    name: 'test-as-written',
    version: '1.0.0',
    type: 'policy',
    description: 'Says of every statement that it may read every table.',
    setup(ctx) {
      const limits = { maxRows: 1_000, maxBytes: 8 << 20, maxCellBytes: 1 << 20, timeoutMs: TIMEOUT_MS };
      const allowed = { tables, functions: [...functions, ...tableFunctions], limits };
      ctx.tap(sqlBefore, (statement) => ({ ...statement, ...allowed }));
    },
  });
  return createTestApp({ plugins: [datasources[dbType]({ connections: [{ id: 'default', url }] }), asWritten()] });
}

/** As JSON, as the client has it; sorted where the statement asks for no order. */
function textOf({ columns, rows }: Pick<SqlResult, 'columns' | 'rows'>, sql: string): string {
  const lines = rows.map((row) => JSON.stringify(columns.map((column) => rounded(row[column]))));
  // The engine writes the expression of a column without alias in its own way.
  const hasComment = /--|\/\*/.test(sql);
  const names = columns.map((column) => (hasComment || column.includes('(') ? '' : column));
  return [JSON.stringify(names), ...(isOrdered(sql) ? lines : lines.sort())].join('\n');
}

/** Sums of fractions differ in the last digits with the order of the rows. */
const rounded = (value: unknown) => (typeof value === 'number' ? Number(value.toPrecision(12)) : value);

const engines = [
  { name: 'sqlite', open: openSqliteShop, suite: describe },
  { name: 'duckdb', open: openDuckdbShop, suite: describe },
  { name: 'postgres', open: openPostgresShop, suite: describe },
  { name: 'mysql', open: openMariaDbShop, suite: suiteNeeding('mysql', findMariaDb() !== undefined, INSTALL_MARIADB) },
] as const;

for (const { name, open, suite } of engines) {
  suite(name, () => {
    const opened = new AsyncDisposableStack();
    let reference: TestApp;
    const roads: Record<string, Road> = {};
    beforeAll(async () => {
      const shop: Shop = opened.use(await open());
      reference = opened.use(await openAsWritten(name, await shop.open('seen'), shop.tables));
      const [whole, tenants] = [await shop.open('whole'), await shop.open('tenants')];
      roads['without a policy'] = opened.use(
        await openRoad({ url: whole, layer: shop.layer, policy: false, timeoutMs: TIMEOUT_MS }),
      );
      roads['with a policy'] = opened.use(
        await openRoad({ url: tenants, layer: shop.layerOfTenants, policy: true, timeoutMs: TIMEOUT_MS }),
      );
    }, 60_000);
    afterAll(() => opened.disposeAsync());

    test.each(['without a policy', 'with a policy'])(
      'every statement has its rows %s',
      { timeout: 60_000 },
      async (which) => {
        const statements = honestStatements[name] ?? [];
        expect(statements.length).toBeGreaterThanOrEqual(120);
        const problems: string[] = [];
        let compared = 0;
        await eachOf(statements, 4, async (sql) => {
          if (which === 'with a policy' && readsRowNumber(sql)) return;
          const { data, result, body } = await roads[which]!.ask(sql);
          const [answer] = data;
          if (answer === undefined) return void problems.push(`${sql}\n  ${result || body}`);
          if (isUnsteady(sql)) return;
          const written = await reference
            .runSql({ sql: withoutHead(sql), surface: 'test' }, reference.scope())
            .catch((error: Error) => error);
          if (written instanceof Error) return void problems.push(`as written: ${sql}\n  ${written.message}`);
          compared += 1;
          const [expected, actual] = [textOf(written.result, sql), textOf(answer, sql)];
          if (expected === actual) return;
          if (dependsOnOrder(sql) && written.result.rows.length === answer.rows.length) return;
          problems.push(`${sql}\n  expected ${expected.slice(0, 400)}\n  actual   ${actual.slice(0, 400)}`);
        });
        expect(problems.join('\n')).toBe('');
        expect(compared).toBeGreaterThan(statements.length / 2);
      },
    );
  });
}
