import { describe, expect, test } from 'vitest';
import { duckdbHonest } from '../../test/fixtures/sql/duckdb-honest.ts';
import { mysqlHonest } from '../../test/fixtures/sql/mysql-honest.ts';
import { honest as postgresHonest } from '../../test/fixtures/sql/postgres-honest.ts';
import { honest as sqliteHonest } from '../../test/fixtures/sql/sqlite-honest.ts';
import { duckdb } from './dialects/duckdb/dialect.ts';
import { mysql } from './dialects/mysql/dialect.ts';
import { postgres } from './dialects/postgres/dialect.ts';
import { sqlite } from './dialects/sqlite/dialect.ts';
import { redactLiterals } from './redact.ts';

const notations = {
  postgres: postgres.notation,
  mysql: mysql.notation,
  sqlite: sqlite.notation,
  duckdb: duckdb.notation,
};
type Engine = keyof typeof notations | undefined;
type Case = readonly [engine: Engine, sql: string, redacted: string];

const redact = (sql: string, engine: Engine) => redactLiterals(sql, engine && notations[engine]);

test.each<Case>([
  ['postgres', "SELECT id FROM t WHERE name = 'Ann' AND n > 12.5e-3", 'SELECT id FROM t WHERE name = ? AND n > ?'],
  ['postgres', "SELECT 'it''s', E'a\\'b', U&'\\0041', $$x$$, $q$ $$ ' $q$ FROM t", 'SELECT ?, ?, U&?, ?, ? FROM t'],
  ['postgres', "SELECT E'a'\n  'b\\'secret', 1", 'SELECT ?, ?'],
  ['postgres', "SELECT '\\' AS a, 'b'", 'SELECT ? AS a, ?'],
  ['postgres', 'SELECT 1 /* a /* secret */ b */ + 2 -- secret', 'SELECT ? + ?'],
  ['postgres', "SELECT x\n  FROM t1 a2 WHERE b'101' = c AND d = X'FF'", 'SELECT x FROM t1 a2 WHERE b? = c AND d = X?'],
  ['postgres', 'SELECT "order", "Größe", "ship to" FROM "t"', 'SELECT "order", "Größe", "ship to" FROM "t"'],
  ['postgres', 'SELECT * FROM t WHERE a = "ann@example.com"', 'SELECT * FROM t WHERE a = "?"'],
  ['postgres', "SELECT 'secret", 'SELECT ?'],
  ['postgres', 'SELECT $tag$ secret', 'SELECT ?'],
  ['postgres', 'SELECT 1 /* secret', 'SELECT ?'],
  ['postgres', 'SELECT "secret@home', 'SELECT "?"'],
  ['postgres', "SELECT date '2024-01-01', n::numeric(10,2), a[1]", 'SELECT date ?, n::numeric(?,?), a[?]'],
  ['postgres', 'SELECT .5, 1_000, 0xFF, 12abc, $1', 'SELECT ?, ?, ?, ?, $?'],
  ['postgres', 'SELECT a FROM t WHERE b = ‘Ann Lee’', 'SELECT a FROM t WHERE b = ?'],
  ['mysql', 'SELECT "a\\"b", \'c\\\'d\', `e` # secret', 'SELECT ?, ?, `e`'],
  ['mysql', "SELECT 5--'x', 1 -- secret", 'SELECT ?--?, ?'],
  ['mysql', "SELECT _utf8'x', N'y', 0x41, b'1'", 'SELECT _utf8?, N?, ?, b?'],
  ['mysql', "SELECT 1 /*!50000 'secret' */", 'SELECT ?'],
  ['mysql', "SELECT $$, 'x'", 'SELECT $$, ?'],
  ['sqlite', "SELECT [a b], `c`, \"d\", 'e\\', x'00'", 'SELECT [a b], `c`, "d", ?, x?'],
  ['sqlite', 'SELECT [secret@home', 'SELECT [?]'],
  ['sqlite', "SELECT 1 /* 'secret' /* */ , 2", 'SELECT ? , ?'],
  ['sqlite', '', ''],
  ['duckdb', "SELECT e'a\\'b', {'k': 1}, ['x'], $$y$$", 'SELECT ?, {?: ?}, [?], ?'],
  ['duckdb', "FROM 'file.csv'", 'FROM ?'],
  [undefined, "SELECT a FROM t WHERE b = 'x' AND c", 'SELECT a FROM t WHERE b = ?'],
  [undefined, 'SELECT a, b FROM t', 'SELECT a, b FROM t'],
])('%s: %s', (engine, sql, redacted) => {
  expect(redact(sql, engine)).toBe(redacted);
});

const canary = 'hunter2';

describe.each(['postgres', 'mysql', 'sqlite', 'duckdb', undefined] as const)('%s, whatever the text', (engine) => {
  const wrapped = [
    (text: string) => `'${text}'`,
    (text: string) => `'it''s ${text}'`,
    (text: string) => `-- ${text}\n`,
    (text: string) => `/* ${text} */`,
    (text: string) => `'${text}`,
    (text: string) => `/* ${text}`,
    (text: string) => `'postgres://user:${text}@host/db'`,
    (text: string) => `12${text}`,
  ];
  const around = [
    'SELECT ',
    'SELECT FROM ) ',
    "SELECT 'a' ",
    'SELECT "a" ',
    '( ',
    ', ',
    '\u00a0',
    'DELETE; ',
    '+-',
    '\\',
  ];

  test('no value is shown', () => {
    for (const before of around) {
      for (const wrap of wrapped) {
        const sql = `${before}${wrap(canary)} FROM t`;
        expect(redact(sql, engine), sql).not.toContain(canary);
      }
    }
  });

  test('a second time changes nothing, and words stay', () => {
    const statements = { postgres: postgresHonest, mysql: mysqlHonest, sqlite: sqliteHonest, duckdb: duckdbHonest };
    for (const sql of engine === undefined ? [] : statements[engine]) {
      const once = redact(sql, engine);
      expect(redact(once, engine)).toBe(once);
      expect(once, sql).not.toMatch(/'|\b\d/);
      if (/\bFROM orders\b/.test(sql) && !/'[^']*FROM orders/.test(sql)) expect(once).toContain('FROM orders');
    }
  });

  test('a long text costs little', () => {
    for (const part of ["'", '/*', '$a$', '"', '1', 'a ', '‘', '(']) redact(part.repeat(50_000), engine);
  });
});
