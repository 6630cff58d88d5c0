import { expect, it } from 'vitest';
import { sqlTokens } from './sql-tokens.ts';

const coloured = (sql: string) =>
  sqlTokens(sql)
    .filter(({ kind }) => kind !== undefined)
    .map(({ text, kind }) => `${kind} ${text}`);

it('finds keywords, texts, numbers and comments, and none inside of one another', () => {
  const sql = `SELECT "from", 'it''s -- select' FROM t1 -- where 1\nWHERE x > 1.5 /* and */`;
  expect(coloured(sql)).toEqual([
    'keyword SELECT',
    `text 'it''s -- select'`,
    'keyword FROM',
    'comment -- where 1',
    'keyword WHERE',
    'number 1.5',
    'comment /* and */',
  ]);
});

it.each([`'open`, '"open', '/* open', '$$', '', `${'x '.repeat(30_000)}SELECT 1`])('loses nothing of %.20j', (sql) => {
  expect(
    sqlTokens(sql)
      .map(({ text }) => text)
      .join(''),
  ).toBe(sql);
});

it('the end of a very long statement has no colours', () => {
  expect(coloured(`${'x '.repeat(30_000)}SELECT 1`)).toEqual([]);
});
