/**
 * Runs honest statements through guard, second check and a stand-in of the engine, with and without row security, and
 * compares with what they say as they were written, where DuckDB, which is behind the stand-in, understands them.
 */
import { expect, test } from 'vitest';
import { datasourceExecute, type PluginEntry } from '../../kernel/index.ts';
import { rowSecurity } from '../../plugins/row-security/index.ts';
import { semanticLayer } from '../../plugins/semantic-layer/index.ts';
import { sqlGuard } from '../../plugins/sql-guard/index.ts';
import { createTestApp } from '../testing.ts';
import { layerFolder } from './layer-folder.ts';

export type Policies = Parameters<typeof rowSecurity>[0];

export interface GuardedShopInit {
  readonly dbType: string;
  /** Files of the layer. */
  readonly layer: Readonly<Record<string, string>>;
  readonly tables: readonly string[];
  /** Of the user's organization. */
  readonly tenant: string;
  /** Opens the database "default". */
  plugin(): PluginEntry;
}

export async function guardedShop(init: GuardedShopInit, policies?: Policies) {
  const { dbType, tables, tenant } = init;
  const layer = layerFolder(init.layer);
  const app = await createTestApp({
    plugins: [
      semanticLayer({ dir: layer.dir }),
      sqlGuard(),
      ...(policies === undefined ? [] : [rowSecurity(policies)]),
      init.plugin(),
    ],
  });
  const actor = { id: 's', label: 's', role: 'analyst', mode: 'test', claims: { tenant, id: 3 } } as const;
  return {
    async guarded(sql: string) {
      return (await app.runSql({ sql, surface: 'test' }, app.scope({ actor }))).result;
    },
    /** As it was written; `undefined` where DuckDB does not understand it. */
    async plain(sql: string) {
      const connection = { id: 'default', dbType, maskedUrl: '' };
      const statement = { connection, requested: sql, sql, params: [], surface: 'test', tables };
      return app.callKey(datasourceExecute, 'default', statement, app.scope({ actor }), 10_000).catch(() => undefined);
    },
    async [Symbol.asyncDispose]() {
      await app.close();
      layer[Symbol.dispose]();
    },
  };
}

const inOrder = (rows: readonly object[]) => rows.map((row) => JSON.stringify(Object.values(row))).sort();

interface Statements {
  readonly honest: readonly string[];
  /** Of the honest ones: moments, what is masked, rows without an order, what DuckDB reads in another way. */
  readonly otherwise: RegExp;
  /** How many are compared at the least. */
  readonly compared: number;
  /** They ask for what is hidden, and may run. */
  readonly harmless: readonly string[];
  readonly ran: number;
  /** Shows every row. */
  readonly everyRow: Policies;
}

/** Adds the tests that every engine behind a stand-in has. */
export function testGuardedShop(init: GuardedShopInit, statements: Statements): void {
  test.each([
    ['the guard', undefined],
    ['row security that shows every row', statements.everyRow],
  ])('statements say the same under %s', { timeout: 120_000 }, async (_, policies) => {
    await using shop = await guardedShop(init, policies);
    let compared = 0;
    for (const sql of statements.honest.filter((text) => !statements.otherwise.test(text))) {
      const plain = await shop.plain(sql);
      if (plain === undefined) continue;
      compared += 1;
      const { rows, columns } = await shop.guarded(sql);
      expect(inOrder(rows), sql).toEqual(inOrder(plain.rows));
      expect(columns.join(), sql).not.toContain("'x'");
    }
    expect(compared).toBeGreaterThan(statements.compared);
  });

  test('what is hidden stays hidden', async () => {
    await using shop = await guardedShop(init);
    let ran = 0;
    for (const sql of statements.harmless) {
      const result = await shop.guarded(sql).catch(() => undefined);
      ran += result === undefined ? 0 : 1;
      expect(JSON.stringify(result?.rows.map(Object.values) ?? []), sql).not.toMatch(/5000|4000|101|102|ann@|s3cr3t/);
    }
    expect(ran).toBeGreaterThan(statements.ran);
  });
}
