/** Tests what is taken from Cube data models, in YAML and in JavaScript. */
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { readCube } from './cube.ts';
import { cubesOfScript } from './cube-script.ts';

const YAML = `
cubes:
  - name: orders
    sql_table: public.orders
    title: Purchases
    joins:
      - name: customers
        relationship: many_to_one
        sql: "{CUBE}.customer_id = {customers.id}"
      - name: people
        relationship: many_to_one
        sql: "{CUBE}.a > {people.b}"
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true }
      - { name: placed, sql: "{CUBE}.created_at", type: time, description: When. }
      - { name: is_large, sql: "{CUBE}.total > 100", type: boolean }
      - { name: label, sql: "UPPER({CUBE.status})", type: string }
      - { name: city, sql: "{customers.city}", type: string }
      - { name: place, latitude: { sql: a }, longitude: { sql: b }, type: geo }
      - { name: secret, sql: secret, type: string, public: false }
    measures:
      - { name: count, type: count }
      - { name: revenue, sql: total, type: sum, title: Turnover, format: currency }
      - { name: sent_revenue, sql: total, type: sum, filters: [{ sql: "{CUBE}.status = 'sent'" }] }
      - { name: sent_share, sql: "1.0 * {sent_revenue} / {revenue}", type: number }
      - { name: running, sql: total, type: sum, rolling_window: { trailing: unbounded } }
      - { name: top, sql: total, type: rank }
    segments:
      - { name: sent, sql: "{CUBE}.status = 'sent'" }
    pre_aggregations: [{ name: main }]
  - name: ranked
    sql: SELECT a, rank() OVER () FROM orders
views:
  - name: overview
`;
const SCRIPT = `
import { helper } from './helper';
cube(\`Orders\`, {
  sql: \`SELECT * FROM public.orders\`,
  refreshKey: { every: '1 hour' },
  joins: { Customers: { relationship: \`belongsTo\`, sql: \`\${CUBE}.customer_id = \${Customers}.id\` } },
  measures: {
    count: { type: \`count\`, drillMembers: [id] },
    revenue: { sql: \`total\`, type: \`sum\` },
    average: { sql: \`\${revenue} / NULLIF(\${count}, 0)\`, type: \`number\` },
    odd: { sql: helper('x'), type: \`sum\` },
  },
  dimensions: {
    id: { sql: \`id\`, type: \`number\`, primaryKey: true },
    status: { sql: \`\${CUBE}.status\`, type: \`string\`, title: \`State\` },
  },
  segments: { sent: { sql: \`\${CUBE}.status = 'sent'\` } },
});
cube('Customers', { sqlTable: 'customers', dimensions: { id: { sql: 'id', type: 'number', primaryKey: true } } });
`;

it('takes a model in YAML', () => {
  const { entities, notTaken } = readCube([parse(YAML)]);
  expect(entities).toEqual([
    {
      ...{ name: 'orders', table: 'orders', schema: 'public', synonyms: ['Purchases'] },
      dimensions: [
        { name: 'id', primary_key: true },
        { name: 'placed', sql: 'created_at', description: 'When.' },
        { name: 'is_large', sql: 'total > 100', type: 'boolean' },
        { name: 'label', sql: 'UPPER({status})', type: 'string' },
        { name: 'secret', hidden: true },
      ],
      measures: [
        { name: 'count', type: 'count' },
        { name: 'revenue', type: 'sum', sql: 'total', synonyms: ['Turnover'], format: 'currency' },
        { name: 'sent_revenue', type: 'sum', sql: "CASE WHEN status = 'sent' THEN total END" },
        { name: 'sent_share', type: 'ratio', sql: "1.0 * SUM(CASE WHEN status = 'sent' THEN total END) / SUM(total)" },
      ],
      joins: [{ target: 'customers', relationship: 'many_to_one', on: [{ from: 'customer_id', to: 'id' }] }],
      segments: [{ name: 'sent', sql: "status = 'sent'" }],
    },
  ]);
  expect(notTaken).toEqual([
    'view overview: a layer has no views over cubes',
    'cube orders.pre_aggregations: a layer has nothing like it',
    'cube orders.city: it refers to customers.city, which is not of this cube',
    'cube orders.place: a layer has no type geo',
    'cube orders.running: it runs over a window of time',
    'cube orders.top: a layer has no measure of the type rank',
    'cube orders.people: its condition is not an equality of columns',
    'cube ranked: it is a query, not a table; make it a view of the database',
  ]);
});

it('takes a model in JavaScript without running it', () => {
  const notTaken: string[] = [];
  const cubes = cubesOfScript(SCRIPT, false, (what, why) => void notTaken.push(`${what}: ${why}`));
  const { entities } = readCube([{ cubes }]);
  expect(entities).toMatchObject([
    {
      ...{ name: 'Orders', table: 'orders', schema: 'public' },
      dimensions: [
        { name: 'id', primary_key: true },
        { name: 'status', synonyms: ['State'] },
      ],
      measures: [
        { name: 'count', type: 'count' },
        { name: 'revenue', type: 'sum', sql: 'total' },
        { name: 'average', type: 'ratio', sql: 'SUM(total) / NULLIF(COUNT(*), 0)' },
      ],
      joins: [{ target: 'Customers', relationship: 'many_to_one', on: [{ from: 'customer_id', to: 'id' }] }],
      segments: [{ name: 'sent', sql: "status = 'sent'" }],
    },
    { name: 'Customers', table: 'customers' },
  ]);
  expect(notTaken).toEqual([
    'line 2: only calls of cube() with literals are read',
    'cube Orders.measures.odd.sql: it is computed by a program',
  ]);
});
