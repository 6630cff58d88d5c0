import { beforeAll, describe, expect, test } from 'vitest';
import { entity } from '../../test/fixtures/sql/sqlite-shop.ts';
import { kitDialect, postgres, type SqlDialect } from '../sql-kit/index.ts';
import { type AllowedTable, AllowedTables } from './allowed-tables.ts';
import { checkSql } from './check.ts';
import { allowedTables } from './layer-tables.ts';

const mysql = await kitDialect('mysql');
const sqlite = await kitDialect('sqlite');

const NONE = { valueFor: () => 'acme' };

/** `people` has a masked column, and of its rows only those that two conditions admit. */
function narrowed(dialect: SqlDialect, rows: AllowedTable['rows']): AllowedTables {
  const people = entity('people', [
    { name: 'id' },
    { name: 'email', mask: "concat('secret-', id)" },
    { name: 'tenant' },
    { name: 'region' },
  ]);
  const { tables } = allowedTables([people, entity('countries', [{ name: 'name' }])], dialect);
  return new AllowedTables(
    tables.tables.map((table) => (table.name === 'people' ? { ...table, rows: rows ?? [] } : table)),
    dialect,
  );
}

const BOTH: AllowedTable['rows'] = [
  { condition: "region <> 'Atlantis' AND tenant NOT IN ('globex', 42)", values: [] },
  { column: 'tenant', isText: false, values: [NONE] },
];

describe.each([
  ['SQLite', sqlite],
  ['PostgreSQL', postgres],
  ['MySQL', mysql],
])('%s', (_, dialect) => {
  beforeAll(() => dialect.load?.());
  const shown = (sql: string, rows = BOTH) => checkSql(sql, { tables: narrowed(dialect, rows) }).shown;

  test('keeps the literals of the caller, and hides those of policies and masks', () => {
    const { sql, policies } = shown("SELECT id, email FROM people WHERE region = 'Berlin' AND id > 7 LIMIT 5");
    expect(sql).not.toMatch(/Atlantis|globex|42|secret/);
    expect(sql).toMatch(/'Berlin'/);
    expect(sql).toMatch(/> 7/);
    expect(sql).toMatch(/NOT IN \(\?, \?\)/);
    expect(policies).toEqual(['rows', 'values']);
  });

  test('tells what was done to it, a policy in the words of its plugin', () => {
    const change = { plugin: 'policies', reason: 'Not all rows.', fullReason: 'Rows of the north.' };
    const rows: AllowedTable['rows'] = [
      { condition: "region = 'north'", values: [], change },
      { condition: 'id > 7', values: [] },
    ];
    const changes = (sql: string) => checkSql(sql, { tables: narrowed(dialect, rows) }).changes;
    const rewritten = { plugin: 'sql-guard', reason: expect.stringMatching(/^The statement was .* written anew/) };
    expect(changes('select email from people')).toEqual([
      change,
      { plugin: 'sql-guard', reason: 'A condition limits the rows of "people".' },
      { plugin: 'sql-guard', reason: 'Masks stand in place of the values of people.email.' },
      rewritten,
    ]);
    expect(changes('select   name from countries')).toEqual([rewritten]);
  });

  test('names only what narrows the statement', () => {
    expect(shown('SELECT count(*) AS n FROM people').policies).toEqual(['rows']);
    expect(shown('SELECT email FROM people', []).policies).toEqual(['values']);
    expect(shown('SELECT * FROM people', []).policies).toEqual(['values']);
    expect(shown('SELECT id FROM people', []).policies).toEqual([]);
  });

  test('shows a statement over whole tables as it runs', () => {
    const checked = checkSql("SELECT name FROM countries WHERE name <> 'x'", { tables: narrowed(dialect, BOTH) });
    expect(checked.shown).toEqual({ sql: checked.sql, policies: [] });
    expect(checkSql(checked.sql, { tables: narrowed(dialect, BOTH) }).changes).toEqual([]);
  });
});
