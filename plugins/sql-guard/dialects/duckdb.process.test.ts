import type { DuckDBConnection } from '@duckdb/node-api';
import { beforeAll, describe, expect, test } from 'vitest';
import { duckdbHonest, duckdbRewritten } from '../../../test/fixtures/sql/duckdb-honest.ts';
import { duckdbHarmless, duckdbHostile } from '../../../test/fixtures/sql/duckdb-hostile.ts';
import { checkDuckdb, checkReplaced, duckdbShop } from '../../../test/fixtures/sql/duckdb-shop.ts';
import { hostileStatements } from '../../../test/harness/hostile-statements.ts';
import { SqlRefusal } from '../../sql-kit/index.ts';

let db: DuckDBConnection;
beforeAll(async () => {
  db = await duckdbShop();
});

async function run(sql: string) {
  const reader = await db.runAndReadAll(sql);
  return { columns: reader.columnNames(), rows: reader.getRowsJson() };
}

const column = async (sql: string) => (await run(sql)).rows.map(([value]) => String(value));

/** The engine's own tree of a statement, without places. */
async function engineTree(sql: string): Promise<unknown> {
  const [json = ''] = await column(`SELECT json_serialize_sql('${sql.replaceAll("'", "''")}')`);
  const tree = JSON.parse(json, (key, value) => (key === 'query_location' ? undefined : value));
  if (tree.error) throw new Error(tree.error_message);
  return tree.statements;
}

describe('honest statements', () => {
  test('are many and different', () => {
    expect(new Set(duckdbHonest).size).toBe(duckdbHonest.length);
    expect(duckdbHonest.length).toBeGreaterThanOrEqual(120);
  });

  test.each([...duckdbHonest, ...duckdbRewritten])('%s', async (sql) => {
    const { sql: printed } = checkDuckdb(sql);
    expect(await run(printed)).toEqual(await run(sql));
    if (!sql.includes('salaries')) expect(checkDuckdb(printed).sql).toBe(printed);
  });

  test.each([...duckdbHonest, ...duckdbRewritten].filter((sql) => !/rowid|salaries|WITH ORDINALITY/.test(sql)))(
    'say the same of tables that row security replaces: %s',
    async (sql) => {
      const { columns, rows } = await run(checkReplaced(sql).sql);
      expect(rows).toEqual((await run(sql)).rows);
      // The engine names a column after its text, which shows masks and conditions.
      expect(columns.join()).not.toContain("'every'");
    },
  );

  test('are the same tree for the engine before and after', async () => {
    // A table of which only a part may be seen is replaced, and so is one whose name a common table has.
    const replaced = /salaries|WITH (?:RECURSIVE )?(?:orders|secrets)|FETCH|TABLE|main\.|hr\.|ORDERS|Orders/;
    for (const sql of duckdbHonest.filter((text) => !replaced.test(text))) {
      expect(await engineTree(checkDuckdb(sql).sql), sql).toEqual(await engineTree(sql));
    }
  });
});

hostileStatements(checkDuckdb, [duckdbHostile], 150);

test.each(duckdbHarmless)('harmless: %s', async (sql) => {
  expect(JSON.stringify((await run(checkDuckdb(sql).sql)).rows)).not.toMatch(/5000|4000|101|102|ann@|s3cr3t/);
});

describe('the meaning of a name', () => {
  /** Tables that the engine's own plan reads, a view's own included; `undefined` for a statement that it cannot bind. */
  async function opened(sql: string): Promise<string[] | undefined> {
    const rows = await run(`EXPLAIN (FORMAT json) ${sql}`).catch(() => undefined);
    const plan = rows?.rows.find(([stage]) => stage === 'logical_plan')?.[1];
    if (plan === undefined) return undefined;
    const found = String(plan).matchAll(/"Table": ("memory\.(?:[^"\\]|\\.)*")/g);
    const names = Array.from(found, ([, name = '']) =>
      (JSON.parse(name) as string).replace(/^memory\.(?:main\.)?/, ''),
    );
    return [...new Set(names.map((name) => name.replaceAll('"', '')))].sort();
  }

  test.each(duckdbHonest)('is that of the engine in %s', async (sql) => {
    const { sql: printed, tables } = checkDuckdb(sql);
    const read = tables.flatMap((name) => (name === 'order_totals' ? ['orders'] : [name]));
    expect(await opened(printed)).toEqual([...new Set(read)].sort());
    expect(await opened(sql)).toEqual(await opened(printed));
  });

  const bodies = [
    'SELECT * FROM secrets',
    'SELECT * FROM secrets UNION ALL SELECT 1, 2',
    'SELECT 1, 2 UNION ALL SELECT * FROM secrets',
  ]
    .concat([
      'SELECT 1, 2 UNION SELECT 3, 4 UNION SELECT * FROM secrets',
      'SELECT 1, 2 UNION SELECT * FROM secrets UNION SELECT 3, 4',
    ])
    .concat([
      'SELECT 1, 2 EXCEPT SELECT * FROM secrets',
      'SELECT 1, 2 UNION SELECT 3, 4 INTERSECT SELECT * FROM secrets',
    ])
    .concat([
      '(SELECT 1, 2) UNION (SELECT * FROM secrets)',
      '((SELECT 1, 2) UNION (SELECT * FROM secrets))',
      'SELECT (SELECT max(k) FROM secrets), 2 UNION SELECT 3, 4',
    ])
    .concat([
      'SELECT 1, 2 UNION SELECT (SELECT 1 FROM secrets), 4',
      'SELECT 1, 2 UNION (WITH x AS (SELECT * FROM secrets) SELECT * FROM x)',
    ])
    .concat([
      'WITH x AS (SELECT 1, 2) SELECT * FROM x UNION SELECT * FROM secrets',
      'SELECT 1, 2 UNION SELECT 3, 4 ORDER BY (SELECT 1 FROM secrets)',
    ])
    .concat([
      'SELECT 1, 2 UNION SELECT 3, 4 LIMIT (SELECT 1 FROM secrets)',
      'SELECT 1, 2 UNION SELECT 3, 4 EXCEPT SELECT * FROM secrets',
    ]);
  const frames = bodies.flatMap((body) =>
    ['WITH', 'WITH RECURSIVE'].flatMap((word) => [
      `${word} secrets(k, v) AS (${body}) SELECT * FROM secrets`,
      `${word} a(k, v) AS (${body}), secrets AS (SELECT 1) SELECT 1 FROM a, secrets`,
      `${word} secrets AS (SELECT 1, 2), a AS (${body}) SELECT 1 FROM a, secrets`,
      `${word} a AS (SELECT 1) SELECT 1 FROM (${word} secrets AS (SELECT 1, 2) ${body.startsWith('(') || body.startsWith('WITH') ? 'SELECT 1, 2' : body})`,
    ]),
  );
  test.each(frames)('is never a table that may not be read in %s', async (sql) => {
    let checked: string | undefined;
    try {
      checked = checkDuckdb(sql).sql;
    } catch (error) {
      expect(error).toBeInstanceOf(SqlRefusal);
    }
    const read = await opened(checked ?? sql);
    if (read !== undefined) expect(read).toEqual(checked === undefined ? ['secrets'] : []);
  });
});
