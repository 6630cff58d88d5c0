import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clickhouseHonest } from '../../../test/fixtures/sql/clickhouse-honest.ts';
import {
  clickhouseHarmless,
  clickhouseHostile,
  clickhouseNamesakes,
  clickhouseUnions,
} from '../../../test/fixtures/sql/clickhouse-hostile.ts';
import {
  checkClickhouse,
  checkFew,
  checkFiltered,
  checkReplaced,
  clickhouseShop,
} from '../../../test/fixtures/sql/clickhouse-shop.ts';
import { entity } from '../../../test/fixtures/sql/sqlite-shop.ts';
import { type ChdbSession, describeChdb, rowsOf } from '../../../test/harness/chdb.ts';
import { hostileStatements, refusalBy } from '../../../test/harness/hostile-statements.ts';
import { kitDialect } from '../../sql-kit/index.ts';
import { allowedTables } from '../index.ts';

const clickhouse = await kitDialect('clickhouse');

hostileStatements(checkClickhouse, [clickhouseHostile], 250);

/** `[[1]] AS x0, [[x0]] AS x1, …`, each 200 deep. */
const nestedValues = (count: number) =>
  Array.from(
    { length: count },
    (_, n) => `${'['.repeat(200)}${n === 0 ? 1 : `x${n - 1}`}${']'.repeat(200)} AS x${n}`,
  ).join();

describeChdb('on a real engine', () => {
  let shop: ChdbSession;
  beforeAll(() => {
    shop = clickhouseShop();
  });
  afterAll(() => shop.cleanup());
  const run = (sql: string) => rowsOf(shop, sql);

  describe('honest statements', () => {
    test('are many and different', () => {
      expect(new Set(clickhouseHonest).size).toBe(clickhouseHonest.length);
      expect(clickhouseHonest.length).toBeGreaterThanOrEqual(120);
    });

    test.each(clickhouseHonest)('%s', (sql) => {
      const { sql: printed } = checkClickhouse(sql);
      if (sql.includes('salaries')) expect(run(printed).rows).toHaveLength(2);
      else {
        expect(run(printed).rows).toEqual(run(sql).rows);
        expect(checkClickhouse(printed).sql).toBe(printed);
      }
    });

    test.each(clickhouseHonest.filter((sql) => !sql.includes('salaries')))(
      'say the same of tables that row security replaces: %s',
      (sql) => {
        const { columns, rows } = run(checkReplaced(sql).sql);
        expect(rows).toEqual(run(sql).rows);
        // The engine names a column after its text, which shows masks and conditions.
        expect(columns.join()).not.toContain("'every'");
      },
    );
  });

  test.each(clickhouseNamesakes)('only what the policy shows: %s', (sql) => {
    let rows: unknown[][];
    try {
      ({ rows } = run(checkFew(sql).sql));
    } catch (error) {
      // Some of them the engine does not know how to answer, with or without a policy.
      expect((error as Error).message).toMatch(
        /NOT_IMPLEMENTED|NOT_FOUND_COLUMN_IN_BLOCK|same name as lambda|something else in FROM/,
      );
      return;
    }
    const shown = rows.flatMap((row) => row.slice(-1)).flat();
    expect(shown.length).toBeGreaterThan(0);
    expect(Math.max(...shown.map(Number))).toBeLessThan(3);
  });

  test('WITH before a set operation in parentheses, which the engine does not read', () => {
    const sql = 'WITH a AS (SELECT 1 AS x) (SELECT x FROM a UNION ALL SELECT x + 1 FROM a) ORDER BY x';
    expect(run(checkClickhouse(sql).sql).rows).toEqual([[1], [2]]);
  });

  test.each(clickhouseUnions)('only its own common tables: %s', (sql) => {
    const { rows } = run(checkClickhouse(sql).sql);
    expect(new Set(rows.flat())).toEqual(new Set(['x']));
  });

  test.each(['code', 'arrayJoin(list)', 'list[1]', 'o.code'])('a hidden row fails nowhere: %s', (value) => {
    const { sql } = checkFew(`SELECT any(base64Decode(${value})) FROM codes AS o`);
    expect(run(sql).rows).toEqual([['ABC']]);
  });

  test.each([
    ['terms AS a WHERE seconds = exact', 1],
    ['terms AS a WHERE exact IN (SELECT seconds FROM terms)', 1],
    ['terms AS a JOIN terms AS b ON a.seconds = b.exact', 1],
    ["terms WHERE exact > '2025-01-01'", 0],
    ['terms WHERE seconds < now()', 1],
  ])('a hidden time out of range fails nowhere: %s', (from, count) => {
    expect(run(checkFew(`SELECT count() FROM ${from}`).sql).rows).toEqual([[count]]);
  });

  test.each([
    ['limits behind each other', `SELECT id FROM orders ${'LIMIT 1 BY id '.repeat(4_900)}`],
    ['values of values', `WITH ${nestedValues(45)} SELECT x44`],
  ])('refuses at once: %s', (_, sql) => {
    expect(refusalBy(checkClickhouse, sql).rule).toMatch(/^(?:size|syntax|table)$/);
  });

  test('a hidden part of a column hides the column', () => {
    const dimensions = [{ name: 'id' }, { name: 'place' }, { name: 'zip', sql: 'place.zip', hidden: true }];
    const { tables, problems } = allowedTables([entity('events', dimensions)], clickhouse);
    expect(tables.tables[0]?.visible?.map(({ name }) => name)).toEqual(['id']);
    expect(problems).toEqual([expect.stringContaining('All of "place" is hidden')]);
  });

  test.each([
    ["place.city = 'Rome'", [1]],
    ["events.place.city = 'Rome'", [1]],
    ["(place.city = 'Rome')", [1]],
    ["(id, kind) IN ((2, 'buy'))", [2]],
    ['id IN (1)', [1]],
    ['id NOT IN ({claim})', [2]],
    ['({claim}) = id', [1]],
    ['(id < 3 OR id = 7) AND id > 1', [2]],
    ["upper(place.city) = 'ROME'", [1]],
  ])('a condition on rows: %s', (condition, ids) => {
    const values = condition.includes('{claim}') ? [{ valueFor: () => '1' }] : [];
    const { sql } = checkFiltered('events', 'SELECT id FROM events', { condition, values });
    expect(run(sql.replace(/\{p\d:String\}/, "'1'")).rows.map(([id]) => id)).toEqual(ids);
  });

  test('joins in each other are read in no time that grows with their powers', () => {
    const sql = `SELECT 1 FROM orders ${'JOIN orders '.repeat(90)}${'ON 1 '.repeat(90)}`;
    expect(checkClickhouse(sql).tables).toEqual(['orders']);
  });

  test('a mask that makes NULL hides its column', () => {
    const masks = {
      a: "if(id < 3, 'x', 'y')",
      b: 'CASE WHEN id < 3 THEN b END',
      c: 'if(id < 3, c, NULL)',
      d: 'NULL',
      e: 'concat(status, e)',
      f: "if(id < 3, f, 'x')",
    };
    const dimensions = Object.entries(masks).map(([name, mask]) => ({ name, mask }));
    const { tables, problems } = allowedTables([entity('orders', dimensions)], clickhouse);
    expect(tables.tables[0]?.visible?.map(({ name }) => name)).toEqual(['a', 'd', 'f']);
    expect(problems).toHaveLength(3);
    for (const problem of problems) expect(problem).toContain('what it makes NULL could be read');
  });

  test.each(clickhouseHarmless)('harmless: %s', (sql) => {
    expect(JSON.stringify(run(checkClickhouse(sql).sql).rows)).not.toMatch(/5000|4000|101|102|ann@|s3cr3t/);
  });
});
