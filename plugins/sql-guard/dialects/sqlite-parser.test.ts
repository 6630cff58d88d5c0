import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { honest } from '../../../test/fixtures/sql/sqlite-honest.ts';
import { shopDatabase } from '../../../test/fixtures/sql/sqlite-shop.ts';
import { DEFAULT_LIMITS, kitDialect, lex, parseStatement, printSelect } from '../../sql-kit/index.ts';

const sqlite = await kitDialect('sqlite');

const db = shopDatabase();

/** Whether the engine would run the statement. */
function engineAccepts(sql: string): boolean {
  try {
    const statement = db.prepare(sql);
    return statement.reader && statement.readonly;
  } catch {
    return false;
  }
}

/** Whether SQLite's own grammar takes the statement; names that do not exist are no matter of grammar. */
function engineParses(sql: string): boolean {
  try {
    const statement = db.prepare(sql);
    return statement.reader && statement.readonly;
  } catch (error) {
    return !/syntax error|incomplete input|unrecognized token|more than one statement|contains no statements/.test(
      (error as Error).message,
    );
  }
}

function parses(sql: string): boolean {
  try {
    parseStatement(sql, sqlite, DEFAULT_LIMITS);
    return true;
  } catch {
    return false;
  }
}

const print = (sql: string) => printSelect(parseStatement(sql, sqlite, DEFAULT_LIMITS), sqlite);

/** Every place in which a keyword could be a name. */
const places = [
  (k: string) => `SELECT ${k} FROM t`,
  (k: string) => `SELECT 1 ${k}`,
  (k: string) => `SELECT 1 AS ${k}`,
  (k: string) => `SELECT x.${k} FROM t x`,
  (k: string) => `SELECT ${k}.x FROM t`,
  (k: string) => `SELECT 1 FROM ${k}`,
  (k: string) => `SELECT 1 FROM main.${k}`,
  (k: string) => `SELECT 1 FROM t ${k}`,
  (k: string) => `SELECT 1 FROM t AS ${k}`,
  (k: string) => `SELECT 1 FROM t x ${k}`,
  (k: string) => `SELECT 1 FROM (SELECT 1) ${k}`,
  (k: string) => `SELECT ${k}(1, 2)`,
  (k: string) => `SELECT count(*) ${k} FROM t`,
  (k: string) => `SELECT (1) ${k} FROM t`,
  (k: string) => `WITH ${k} AS (SELECT 1) SELECT 1`,
  (k: string) => `WITH a(${k}) AS (SELECT 1) SELECT 1`,
  (k: string) => `SELECT 1 FROM t JOIN s USING (${k})`,
  (k: string) => `SELECT CAST(1 AS ${k})`,
  (k: string) => `SELECT a COLLATE ${k}`,
  (k: string) => `SELECT 1 FROM t WHERE ${k} = 1 ORDER BY ${k}`,
  (k: string) => `SELECT 1 IN ${k}`,
  (k: string) => `SELECT sum(x) OVER (${k}) FROM t WINDOW ${k} AS (ORDER BY 1)`,
  (k: string) => `SELECT sum(x) OVER ${k} FROM t`,
  (k: string) => `SELECT 1 FROM t INDEXED BY ${k}`,
  (k: string) => `SELECT 1 FROM t LIMIT ${k}`,
];

describe('the grammar', () => {
  test.each([...sqlite.keywords.keys(), 'TRUE', 'plain'])('takes %s as a name wherever the engine does', (keyword) => {
    const accepted = places.map((place) => place(keyword)).filter(engineParses);
    expect(accepted.filter((sql) => !parses(sql))).toEqual([]);
    expect(accepted.filter((sql) => !engineParses(print(sql)) || print(print(sql)) !== print(sql))).toEqual([]);
  });

  test('takes what the engine takes, however it came about', () => {
    const statements = honest.map((sql) =>
      lex(sql, sqlite, DEFAULT_LIMITS)
        .slice(0, -1)
        .map(({ start, end }) => sql.slice(start, end)),
    );
    const words = statements.flat();
    const edit = fc.record({
      place: fc.nat(),
      remove: fc.nat(2),
      insert: fc.array(fc.constantFrom(...words), { maxLength: 2 }),
    });
    fc.assert(
      fc.property(fc.constantFrom(...statements), edit, (statement, { place, remove, insert }) => {
        const sql = statement.toSpliced(place % statement.length, remove, ...insert).join(' ');
        // An empty statement may come before: better refused.
        if (sql.startsWith(';') || !engineAccepts(sql)) return;
        expect(parses(sql), sql).toBe(true);
        expect(engineAccepts(print(sql)), print(sql)).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });
});
