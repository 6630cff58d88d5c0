/** Aggregates over rows that a join repeats are objected to, all others are not. */
import { beforeAll, describe, expect, test } from 'vitest';
import { createModel, type ModelEntity, readingOf, shownTables } from '../semantic-layer/index.ts';
import { kitDialects } from '../sql-kit/index.ts';
import { fanOutObjections } from './objections.ts';

const dialects = await kitDialects();

type Dimension = ModelEntity['dimensions'][number];

const key = (name: string): Dimension => ({ name, sql: name, type: 'number', primary_key: true, nullable: false });
const number = (...names: string[]) => names.map((name): Dimension => ({ name, sql: name, type: 'number' }));
const text = (name: string, ...samples: string[]): Dimension => ({
  name,
  sql: name,
  type: 'string',
  ...(samples.length > 0 && { sample_values: samples }),
});

function entity(
  table: string,
  dimensions: readonly Dimension[],
  joins: readonly (readonly [string, ModelEntity['joins'][number]['relationship'], string, string])[] = [],
): ModelEntity {
  return {
    name: table,
    table,
    type: 'table',
    description: '',
    synonyms: [],
    dimensions,
    measures: [],
    joins: joins.map(([target, relationship, from, to]) => ({
      name: `${target} by ${from}`,
      target,
      relationship,
      on: from.split(',').map((column, index) => ({ from: column, to: to.split(',')[index]! })),
    })),
    segments: [],
    queryPatterns: [],
    file: `entities/${table}.yml`,
    source: 'default',
  };
}

const ENTITIES = [
  entity('customers', [key('id'), text('name'), text('country', 'DE', 'FR'), ...number('credit')]),
  entity('profiles', [key('id'), ...number('customer_id', 'age')], [['customers', 'one_to_one', 'customer_id', 'id']]),
  entity(
    'orders',
    [
      key('id'),
      text('status', 'paid', 'new'),
      text('number'),
      ...number('customer_id', 'total', 'fee', 'day'),
      { name: 'is_test', sql: 'is_test', type: 'boolean' },
    ],
    [
      ['customers', 'many_to_one', 'customer_id', 'id'],
      ['items', 'one_to_many', 'id', 'order_id'],
    ],
  ),
  entity(
    'items',
    [key('order_id'), key('line_no'), ...number('product_id', 'quantity', 'amount')],
    [['products', 'many_to_one', 'product_id', 'id']],
  ),
  entity('products', [key('id'), text('name'), text('kind', 'A', 'B'), ...number('price')]),
  entity('product_tags', [key('product_id'), key('tag')], [['products', 'many_to_one', 'product_id', 'id']]),
  entity(
    'prices',
    [key('id'), ...number('product_id', 'valid_from', 'valid_to', 'price')],
    [['products', 'many_to_one', 'product_id', 'id']],
  ),
  entity(
    'stock',
    [key('id'), ...number('product_id', 'warehouse_id', 'pieces')],
    [
      ['products', 'many_to_one', 'product_id', 'id'],
      ['warehouses', 'many_to_one', 'warehouse_id', 'id'],
    ],
  ),
  entity('shelves', number('product_id', 'warehouse_id'), [
    ['products', 'many_to_one', 'product_id', 'id'],
    ['warehouses', 'many_to_one', 'warehouse_id', 'id'],
  ]),
  entity('warehouses', [key('id'), text('city')]),
  // No join is declared.
  entity('payments', [key('id'), ...number('order_id', 'amount')]),
  entity(
    'employees',
    [key('id'), ...number('manager_id', 'salary')],
    [['employees', 'many_to_one', 'manager_id', 'id']],
  ),
  entity('notes', [...number('order_id', 'other_id')]),
];
const model = createModel({ entities: ENTITIES, metrics: [], glossary: [], catalog: undefined }, 1, []);

const objections = (sql: string, dialect = 'sqlite') =>
  fanOutObjections(readingOf(sql, dialects.get(dialect)!, shownTables(model, 'default', true)));

beforeAll(async () => {
  for (const dialect of dialects.values()) await dialect.load?.();
});

describe('is objected to', () => {
  test.each(['sqlite', 'postgres', 'mysql', 'duckdb'])('in words that tell what to write, in %s', async (dialect) => {
    const [objection, ...more] = await objections(
      'SELECT SUM(o.total), SUM(l.amount) FROM orders o JOIN items l ON l.order_id = o.id',
      dialect,
    );
    expect(more).toEqual([]);
    expect(objection).toEqual({
      message: 'SUM(o.total) adds each row of orders once for every row of items that it is joined to.',
      note: { code: 'rows_repeated', message: objection?.message, quotesSql: true },
      hint: 'To take each row once, aggregate items in a subquery with one row for each row of orders before joining it, or take a column of items instead. Run the query again only if the rows are meant to repeat.',
    });
  });

  test('a count of keys, with DISTINCT and EXISTS as the right forms', async () => {
    const sql =
      "SELECT COUNT(o.id) FROM orders o JOIN items l ON l.order_id = o.id WHERE o.status = 'paid' AND l.quantity > 3";
    expect(await objections(sql)).toMatchObject([
      {
        message: 'COUNT(o.id) counts each row of orders once for every row of items that it is joined to.',
        hint: expect.stringMatching(
          /^To take each row once, write COUNT\(DISTINCT o\.id\), or write EXISTS \(SELECT 1 FROM items …\)/,
        ),
      },
    ]);
  });

  test.each([
    ['an average', 'SELECT AVG(o.total) FROM orders o JOIN items l ON l.order_id = o.id', 'items'],
    ['a deviation', 'SELECT STDDEV(o.total) FROM orders o JOIN items l ON l.order_id = o.id', 'items'],
    ['a left join', 'SELECT SUM(o.total) FROM orders o LEFT JOIN items l ON l.order_id = o.id', 'items'],
    [
      'a missing value on the side that stays',
      'SELECT SUM(o.total) FROM orders o JOIN items l ON l.order_id = o.id LEFT JOIN products p ON p.id = l.product_id WHERE l.product_id IS NULL',
      'items',
    ],
    [
      'one column as both bounds',
      'SELECT SUM(o.total) FROM orders o JOIN items l ON l.order_id = o.id WHERE o.ordered_at >= l.amount AND o.ordered_at <= l.amount',
      'items',
    ],
    ['a right join', 'SELECT SUM(total) FROM items l RIGHT JOIN orders o ON l.order_id = o.id', 'items'],
    ['USING', 'SELECT SUM(l.amount) FROM items l JOIN product_tags USING (product_id)', 'product_tags'],
    ['NATURAL', 'SELECT SUM(amount) FROM items NATURAL JOIN product_tags', 'product_tags'],
    ['a comma', 'SELECT SUM(total) FROM orders, items WHERE orders.id = order_id', 'items'],
    ['columns without a table', 'SELECT SUM(total) FROM orders JOIN items ON order_id = id', 'items'],
    [
      'nested joins',
      'SELECT SUM(o.total) FROM customers c JOIN (orders o JOIN items l ON l.order_id = o.id) ON o.customer_id = c.id',
      'items',
    ],
    [
      'two joins',
      'SELECT SUM(c.credit) FROM customers c JOIN orders o ON o.customer_id = c.id JOIN items l ON l.order_id = o.id',
      'orders',
    ],
    [
      'a join after one to one row',
      'SELECT SUM(l.amount) FROM items l JOIN products p ON p.id = l.product_id JOIN product_tags t ON t.product_id = p.id',
      'product_tags',
    ],
    [
      'a join of two details',
      'SELECT SUM(l.amount) FROM orders o JOIN items l ON l.order_id = o.id JOIN payments p ON p.order_id = o.id',
      'payments',
    ],
    [
      'a join on a key that no join declares',
      'SELECT SUM(o.total) FROM orders o JOIN payments p ON p.order_id = o.id',
      'payments',
    ],
    [
      'a join to the details of a shared row',
      'SELECT SUM(l.amount) FROM items l JOIN prices s ON s.product_id = l.product_id',
      'prices',
    ],
    ['a self join', 'SELECT SUM(m.salary) FROM employees e JOIN employees m ON m.id = e.manager_id', 'employees e'],
    [
      'groups',
      'SELECT c.country, SUM(o.total) FROM customers c JOIN orders o ON o.customer_id = c.id JOIN items l ON l.order_id = o.id GROUP BY c.country',
      'items',
    ],
    [
      'a sum in a group of one row',
      'SELECT o.id, SUM(o.total) FROM orders o JOIN items l ON l.order_id = o.id GROUP BY o.id',
      'items',
    ],
    [
      'a condition on groups',
      'SELECT c.country FROM customers c JOIN orders o ON o.customer_id = c.id GROUP BY 1 HAVING SUM(c.credit) > 5',
      'orders',
    ],
    [
      'an order',
      'SELECT c.country FROM customers c JOIN orders o ON o.customer_id = c.id GROUP BY 1 ORDER BY AVG(c.credit)',
      'orders',
    ],
    [
      'CASE',
      'SELECT SUM(CASE WHEN l.quantity > 1 THEN o.total ELSE 0 END) FROM orders o JOIN items l ON l.order_id = o.id',
      'items',
    ],
    [
      'an expression',
      'SELECT ROUND(SUM(COALESCE(o.total - o.fee, 0)) / 100, 2) FROM orders o JOIN items l ON l.order_id = o.id',
      'items',
    ],
    [
      'a window',
      'SELECT SUM(o.total) OVER (PARTITION BY o.status) FROM orders o JOIN items l ON l.order_id = o.id',
      'items',
    ],
    [
      'a subquery around the join',
      'SELECT SUM(t) FROM (SELECT o.total AS t, l.product_id FROM orders o JOIN items l ON l.order_id = o.id) x',
      'items',
    ],
    [
      'a subquery before the join',
      'SELECT SUM(x.t) FROM (SELECT id AS k, total - fee AS t FROM orders) x JOIN items l ON l.order_id = x.k',
      'items',
    ],
    [
      'a star',
      'SELECT SUM(x.total) FROM (SELECT o.* FROM orders o LIMIT 10) x JOIN items l ON l.order_id = x.id',
      'items',
    ],
    [
      'a common table around the join',
      'WITH x(t, p) AS (SELECT o.total, l.product_id FROM orders o JOIN items l ON l.order_id = o.id) SELECT SUM(t) FROM x',
      'items',
    ],
    [
      'a common table of a common table',
      'WITH a AS (SELECT * FROM orders), b AS (SELECT id AS k, total AS t FROM a) SELECT SUM(b.t) FROM b JOIN items ON order_id = k',
      'items',
    ],
    [
      'distinct rows that are joined again',
      'SELECT SUM(x.total) FROM (SELECT DISTINCT id, total FROM orders) x JOIN items l ON l.order_id = x.id',
      'items',
    ],
    [
      'groups that are finer than the join',
      'SELECT SUM(c.credit) FROM customers c JOIN (SELECT customer_id, day, COUNT(*) AS n FROM orders GROUP BY customer_id, day) g ON g.customer_id = c.id',
      'g',
    ],
    [
      'a scalar subquery',
      'SELECT c.id, (SELECT SUM(o.total) FROM orders o JOIN items l ON l.order_id = o.id WHERE o.customer_id = c.id) FROM customers c',
      'items',
    ],
    [
      'a part of a union',
      "SELECT 'a', COUNT(*) FROM orders UNION ALL SELECT 'b', SUM(o.total) FROM orders o JOIN items l ON l.order_id = o.id",
      'items',
    ],
    [
      'numbered rows of another table',
      'SELECT SUM(o.total) FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY order_id ORDER BY amount) AS rn FROM payments) x JOIN orders o ON o.id = x.order_id JOIN items l ON l.order_id = o.id WHERE x.rn = 1',
      'items',
    ],
    [
      'numbers between which nothing lies',
      'SELECT SUM(o.total) FROM orders o JOIN items l ON l.order_id = o.id WHERE l.quantity >= 1 AND l.amount <= 1',
      'items',
    ],
    [
      'a name of another table',
      "SELECT COUNT(p.id) FROM warehouses w JOIN stock s ON s.warehouse_id = w.id JOIN products p ON p.id = s.product_id WHERE w.city = 'Rome'",
      'stock',
    ],
    [
      'a condition on another table',
      "SELECT SUM(p.price) FROM products p JOIN stock s ON s.product_id = p.id JOIN warehouses w ON w.id = s.warehouse_id WHERE w.city = 'Rome'",
      'stock',
    ],
    [
      'a condition that is no whole key',
      'SELECT SUM(o.total) FROM orders o JOIN items l ON l.order_id = o.id AND l.quantity = 1',
      'items',
    ],
  ])('with %s', async (_, sql, multiplier) => {
    expect((await objections(sql)).map(({ message }) => message)).toEqual([
      expect.stringContaining(`for every row of ${multiplier} that it is joined to.`),
    ]);
  });

  test('with the table whose rows are taken', async () => {
    const sql =
      'SELECT SUM(c.credit * o.total) FROM customers c JOIN orders o ON o.customer_id = c.id JOIN items l ON l.order_id = o.id';
    expect((await objections(sql))[0]?.message).toContain('each row of orders once for every row of items');
  });

  test('once for a table, and at most three in all', async () => {
    const join = 'FROM orders o JOIN items l ON l.order_id = o.id';
    expect(await objections(`SELECT SUM(o.total), AVG(o.total), COUNT(o.fee) ${join}`)).toHaveLength(1);
    const many = ENTITIES.filter(({ dimensions }) => dimensions.some(({ name }) => name === 'product_id'));
    const joins = many.map(({ table }) => `JOIN ${table} ON ${table}.product_id = p.id`).join(' ');
    const sums = ['SUM(items.amount)', 'SUM(prices.price)', 'SUM(stock.pieces)', 'SUM(p.price)'];
    expect(await objections(`SELECT ${sums.join(', ')} FROM products p ${joins}`)).toHaveLength(3);
  });

  test('and shows a long call shortened', async () => {
    const [objection] = await objections(
      `SELECT SUM(o.total${' + o.fee'.repeat(50)}) FROM orders o JOIN items l ON l.order_id = o.id`,
    );
    expect(objection?.message).toMatch(/^SUM\(o\.total( \+ o\.fee)+.{0,8}… adds each row of orders/);
  });
});

describe('is not objected to', () => {
  const JOIN = 'FROM orders o JOIN items l ON l.order_id = o.id';
  test.each([
    ['a distinct count', `SELECT COUNT(DISTINCT o.id), SUM(DISTINCT o.total) ${JOIN}`],
    ['the least and the greatest', `SELECT MIN(o.total), MAX(o.total) ${JOIN}`],
    ['rows of the joined table', `SELECT COUNT(*), SUM(l.amount), COUNT(l.line_no), AVG(l.quantity) ${JOIN}`],
    ['both sides together', 'SELECT SUM(l.quantity * p.price) FROM items l JOIN products p ON p.id = l.product_id'],
    [
      'joins to one row',
      'SELECT c.country, SUM(o.total) FROM orders o JOIN customers c ON c.id = o.customer_id GROUP BY 1',
    ],
    ['a one-to-one join', 'SELECT SUM(c.credit) FROM customers c JOIN profiles p ON p.customer_id = c.id'],
    ['EXISTS', 'SELECT SUM(o.total) FROM orders o WHERE EXISTS (SELECT 1 FROM items l WHERE l.order_id = o.id)'],
    ['IN', 'SELECT SUM(total) FROM orders WHERE id IN (SELECT order_id FROM items)'],
    [
      'a condition that counts rows',
      `SELECT SUM(CASE WHEN o.status = 'paid' THEN 1 ELSE 0 END), SUM(o.is_test) ${JOIN}`,
    ],
    [
      'a share of the joined rows',
      `SELECT 100.0 * SUM(CASE WHEN l.quantity > 1 THEN 1 ELSE 0 END) / COUNT(o.id) ${JOIN}`,
    ],
    ['rows counted both ways', `SELECT 1.0 * COUNT(o.id) / COUNT(DISTINCT o.id) ${JOIN}`],
    ['a count in a group of one row', `SELECT o.id, COUNT(o.id), AVG(o.total) ${JOIN} GROUP BY o.id`],
    ['a count beside one name', `SELECT COUNT(o.id) ${JOIN} WHERE o.number = 'A-7'`],
    [
      'groups of the whole key',
      'SELECT t.tag, SUM(p.price) FROM products p JOIN product_tags t ON t.product_id = p.id GROUP BY t.tag',
    ],
    ['the rest of the key as a condition', `SELECT SUM(o.total) ${JOIN} AND l.line_no = 1`],
    ['the rest of the key in a list', `SELECT SUM(o.total) ${JOIN} WHERE l.line_no IN (1)`],
    [
      'the latest row',
      'SELECT SUM(o.total) FROM orders o JOIN payments p ON p.id = (SELECT MAX(x.id) FROM payments x WHERE x.order_id = o.id)',
    ],
    [
      'rows that are missing',
      'SELECT SUM(o.total) FROM orders o LEFT JOIN items l ON l.order_id = o.id WHERE l.order_id IS NULL',
    ],
    [
      'grouped before the join',
      'SELECT SUM(o.total), SUM(x.n) FROM orders o JOIN (SELECT order_id, COUNT(*) AS n FROM items GROUP BY order_id) x ON x.order_id = o.id',
    ],
    [
      'grouped by a key and what depends on it',
      'SELECT SUM(c.credit) FROM customers c JOIN (SELECT c.id, c.name, SUM(o.total) AS t FROM customers c JOIN orders o ON o.customer_id = c.id GROUP BY c.id, c.name) x ON x.id = c.id',
    ],
    [
      'a common table that is grouped',
      'WITH x AS (SELECT order_id AS k, SUM(amount) AS a FROM items GROUP BY 1) SELECT SUM(o.total), SUM(x.a) FROM orders o LEFT JOIN x ON x.k = o.id',
    ],
    ['distinct rows', `SELECT SUM(t) FROM (SELECT DISTINCT o.id, o.total AS t ${JOIN}) x`],
    [
      'distinct keys',
      'SELECT SUM(o.total) FROM orders o JOIN (SELECT DISTINCT order_id FROM items WHERE quantity > 1) x ON x.order_id = o.id',
    ],
    [
      'a union of keys',
      'SELECT SUM(o.total) FROM orders o JOIN (SELECT order_id FROM items UNION SELECT order_id FROM payments) x ON x.order_id = o.id',
    ],
    ['grouped rows', `SELECT SUM(t) FROM (SELECT o.id, MAX(o.total) AS t ${JOIN} GROUP BY o.id) x`],
    [
      'numbered rows',
      'SELECT SUM(o.total) FROM orders o JOIN (SELECT *, ROW_NUMBER() OVER (PARTITION BY order_id ORDER BY amount) AS rn FROM items) x ON x.order_id = o.id WHERE x.rn = 1',
    ],
    [
      'one row of all',
      'SELECT SUM(o.total), SUM(o.total - x.a) FROM orders o CROSS JOIN (SELECT AVG(total) AS a FROM orders) x',
    ],
    [
      'the first row',
      'SELECT SUM(o.total) FROM orders o, (SELECT order_id FROM items ORDER BY amount LIMIT 1) x WHERE x.order_id = o.id',
    ],
    [
      'a price of its time',
      'SELECT SUM(l.amount) FROM items l JOIN orders o ON o.id = l.order_id JOIN prices p ON p.product_id = l.product_id AND o.day >= p.valid_from AND (p.valid_to IS NULL OR o.day < p.valid_to)',
    ],
    [
      'a price between two times',
      'SELECT SUM(l.amount) FROM items l JOIN orders o ON o.id = l.order_id JOIN prices p ON p.product_id = l.product_id AND o.day BETWEEN p.valid_from AND p.valid_to',
    ],
    [
      'a row of two others',
      'SELECT SUM(p.price * w.id) FROM products p CROSS JOIN warehouses w JOIN stock s ON s.product_id = p.id AND s.warehouse_id = w.id',
    ],
    [
      'a row of one that is named',
      "SELECT SUM(p.price) FROM products p JOIN shelves s ON s.product_id = p.id JOIN warehouses w ON w.id = s.warehouse_id WHERE w.city = 'Rome'",
    ],
    [
      'a window over its own group',
      'SELECT SUM(o.total) OVER (PARTITION BY l.order_id, l.line_no) FROM orders o JOIN items l ON l.order_id = o.id',
    ],
    ['a window over groups', `SELECT o.id, o.total, SUM(o.total) OVER () ${JOIN} GROUP BY o.id, o.total`],
    ['a join on columns without a key', 'SELECT SUM(o.total) FROM orders o JOIN notes n ON n.other_id = o.day'],
    ['a table without a key', 'SELECT SUM(o.total) FROM orders o JOIN notes n ON n.order_id = o.id'],
    ['a condition with OR', 'SELECT SUM(o.total) FROM orders o, items l WHERE l.order_id = o.id OR l.line_no = 0'],
    ['a table that is none of the layer', 'SELECT SUM(o.total) FROM orders o JOIN others x ON x.order_id = o.id'],
    [
      'a common table of the same name',
      'WITH items AS (SELECT 1 AS order_id) SELECT SUM(o.total) FROM orders o JOIN items l ON l.order_id = o.id',
    ],
    ['a table of another schema', 'SELECT SUM(x.total) FROM other.orders x'],
    [
      'a column of an outer statement',
      'SELECT (SELECT SUM(o.total) FROM items l JOIN products p ON p.id = l.product_id) FROM orders o',
    ],
    ['a statement that cannot be read', 'SELECT SUM(o.total FROM orders o JOIN items l'],
    [
      'a statement that writes',
      'DELETE FROM orders WHERE id IN (SELECT SUM(o.total) FROM orders o JOIN items l ON l.order_id = o.id)',
    ],
  ])('%s', async (_, sql) => {
    expect(await objections(sql)).toEqual([]);
  });

  test.each([
    [
      'postgres',
      'SELECT SUM(o.total) FROM orders o JOIN (SELECT DISTINCT ON (order_id) * FROM items ORDER BY order_id, amount) x ON x.order_id = o.id',
    ],
    [
      'postgres',
      'SELECT SUM(o.total) FROM orders o CROSS JOIN LATERAL (SELECT * FROM items l WHERE l.order_id = o.id ORDER BY l.amount LIMIT 1) x',
    ],
    ['postgres', 'SELECT SUM(o.total) FROM orders o LEFT JOIN items l ON l.order_id = o.id WHERE l.line_no IS NULL'],
    [
      'postgres',
      'SELECT SUM(x.amount) FROM items x JOIN prices p ON p.product_id = x.product_id AND x.quantity BETWEEN p.valid_from AND p.valid_to',
    ],
    ['duckdb', 'SELECT SUM(o.total) FROM orders o SEMI JOIN items l ON l.order_id = o.id'],
    ['duckdb', 'SELECT SUM(o.total) FROM orders o ASOF JOIN prices p ON p.product_id = o.id AND o.day >= p.valid_from'],
    [
      'duckdb',
      'SELECT SUM(x.t) FROM (SELECT o.id, o.total AS t FROM orders o JOIN items l ON l.order_id = o.id QUALIFY ROW_NUMBER() OVER (PARTITION BY o.id) = 1) x',
    ],
  ])('what only %s writes: %s', async (dialect, sql) => {
    expect(await objections(sql, dialect)).toEqual([]);
  });

  test('a statement with more sources than are followed', async () => {
    const tables = Array.from({ length: 12 }, (_, index) =>
      index === 0 ? 't0 AS (SELECT * FROM orders)' : `t${index} AS (SELECT a.* FROM t${index - 1} a, t${index - 1} b)`,
    );
    expect(await objections(`WITH ${tables.join(', ')} SELECT SUM(total) FROM t11`)).toEqual([]);
  });
});
