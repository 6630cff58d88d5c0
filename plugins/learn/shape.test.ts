import { expect, it } from 'vitest';
import { DEFAULT_LIMITS, kitDialect, parseStatement } from '../sql-kit/index.ts';
import { shapeOf } from './shape.ts';

const sqlite = await kitDialect('sqlite');

it('keeps positions of columns, and no other number that may be a value', () => {
  const sql =
    "SELECT region, SUM(total) / 100 FROM orders WHERE total > 4711 AND region = 'north' GROUP BY 1 ORDER BY 2 DESC LIMIT 3";
  expect(shapeOf(parseStatement(sql, sqlite, DEFAULT_LIMITS), sqlite)).toBe(
    'SELECT region, SUM(total) / 100 FROM orders WHERE total > ? AND region = ? GROUP BY 1 ORDER BY 2 DESC LIMIT ?',
  );
});
