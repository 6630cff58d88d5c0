import { describe, expect, test } from 'vitest';
import { checkedLayer } from '../fixtures/checked-layer.ts';
import { joinTypeObjections } from './join-types.ts';

const LAYER = {
  'entities/orders.yml': `
table: orders
dimensions:
  - { name: id, type: number }
  - { name: number }
  - { name: customer_id, type: number }
  - { name: ordered_at, type: timestamp }
  - { name: zone, sample_values: ["1", "2"] }
joins: [{ target: customers, relationship: many_to_one, on: { from: customer_id, to: id } }]
`,
  'entities/customers.yml': `
table: customers
dimensions: [{ name: id, type: number }, { name: email }, { name: born, type: date }, { name: code, sql: cust_code }]
`,
  'entities/imports.yml': `
table: imports
dimensions: [{ name: order_number, type: number }, { name: day, type: date }, { name: kind, sample_values: [new, old] }]
joins: [{ target: customers, relationship: many_to_one, on: { from: order_number, to: code } }]
`,
};

const layer = checkedLayer(LAYER);

const objections = (sql: string, dialect = 'sqlite') => joinTypeObjections(layer.read(sql, dialect));

test.each(['sqlite', 'postgres', 'mysql', 'duckdb'])('the declared join is named in %s', (dialect) => {
  expect(objections('SELECT 1 FROM orders o JOIN customers c ON c.email = o.customer_id', dialect)).toEqual([
    {
      message: 'customers.email is a text, orders.customer_id a number: they do not join.',
      hint: 'Declared is orders.customer_id = customers.id. Run the query again only if it is meant as it is.',
    },
  ]);
});

describe('columns of different types', () => {
  test.each([
    ['SELECT 1 FROM orders, imports WHERE ordered_at = order_number', 'Join on columns of one type.'],
    ['SELECT 1 FROM orders o JOIN imports i ON o.id = i.kind', 'Join on columns of one type.'],
    ['SELECT 1 FROM orders o JOIN customers c ON o.id = c.cust_code', 'Declared is orders.customer_id = customers.id.'],
  ])('do not join in %s', (sql, hint) => {
    expect(objections(sql)).toMatchObject([{ hint: expect.stringContaining(hint) }]);
  });

  test.each([
    'SELECT 1 FROM orders o JOIN customers c ON c.id = o.customer_id AND c.email = o.number',
    'SELECT 1 FROM orders o JOIN imports i ON i.order_number = o.number',
    'SELECT 1 FROM orders o JOIN imports i ON i.order_number = o.zone',
    'SELECT 1 FROM orders o JOIN imports i ON i.day = o.ordered_at',
    'SELECT 1 FROM imports i JOIN customers c ON i.order_number = c.cust_code',
    'SELECT 1 FROM orders o JOIN customers c ON CAST(o.id AS CHAR(9)) = c.email',
    'SELECT 1 FROM orders a JOIN orders b ON a.id = b.number',
    'SELECT 1 FROM orders o JOIN (SELECT email FROM customers) c ON c.email = o.id',
  ])('may join in %s', (sql) => {
    expect(objections(sql)).toEqual([]);
  });
});
