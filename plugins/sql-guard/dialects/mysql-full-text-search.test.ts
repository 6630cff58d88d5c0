import { describe, expect, test } from 'vitest';
import { mysqlRelevance } from '../../../test/fixtures/sql/mysql-honest.ts';
import { checkMysql, checkPoliced } from '../../../test/fixtures/sql/mysql-shop.ts';
import { SqlRefusal } from '../../sql-kit/index.ts';

const MATCH = "MATCH (notes) AGAINST ('red shirt'";

describe('under a policy, a full-text search', () => {
  test.each([
    [`SELECT count(*) FROM order_items WHERE ${MATCH})`],
    [`SELECT count(*) FROM order_items WHERE quantity > 1 AND (${MATCH}) OR NOT ${MATCH} IN BOOLEAN MODE))`],
    [`SELECT count(*) FROM order_items WHERE ${MATCH} IN NATURAL LANGUAGE MODE) > 0`],
    [`SELECT count(*) FROM orders o JOIN order_items i ON i.order_id = o.id AND ${MATCH})`],
    [`WITH m AS (SELECT product FROM order_items WHERE ${MATCH})) SELECT * FROM m`],
    [`SELECT id FROM orders WHERE id IN (SELECT order_id FROM order_items WHERE ${MATCH}))`],
  ])('only tests whether the words occur: %s', (sql) => {
    const { sql: printed } = checkPoliced(sql);
    expect(printed.match(/ AGAINST \('red shirt' IN BOOLEAN MODE\)/g)).toHaveLength(sql.split('MATCH').length - 1);
    expect(printed).not.toContain('NATURAL');
  });

  test.each([
    ...mysqlRelevance,
    `SELECT ${MATCH}) FROM order_items`,
    `SELECT round(${MATCH} IN BOOLEAN MODE), 3) FROM order_items`,
    `SELECT product FROM order_items ORDER BY ${MATCH} IN BOOLEAN MODE) DESC`,
    `SELECT product FROM order_items GROUP BY product, ${MATCH})`,
    `SELECT product FROM order_items WHERE ${MATCH}) > 0.1`,
    `SELECT product FROM order_items WHERE if(${MATCH}) > 0.09, 1, 0)`,
    `SELECT product FROM order_items WHERE ${MATCH} WITH QUERY EXPANSION)`,
    `SELECT product FROM order_items WHERE ${MATCH} IN NATURAL LANGUAGE MODE WITH QUERY EXPANSION)`,
    "SELECT product FROM order_items WHERE MATCH (notes) AGAINST ('re*')",
    `SELECT (SELECT max(${MATCH})) FROM order_items)`,
    `SELECT 1 FROM order_items GROUP BY product HAVING max(${MATCH})) > 1`,
    `SELECT row_number() OVER (ORDER BY ${MATCH})) FROM order_items`,
  ])('reveals nothing else: %s', (sql) => {
    expect(() => checkPoliced(sql)).toThrow(SqlRefusal);
    expect(() => checkPoliced(sql)).toThrow(/full-text search/);
  });
});

test('without a policy it stays as it is', () => {
  const sql = `SELECT ${MATCH}) AS score FROM order_items ORDER BY score`;
  expect(checkMysql(sql).sql).toBe(sql);
});
