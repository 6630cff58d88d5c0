/** Tests what is taken from LookML. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readLookml } from './lookml.ts';
import { parseLookml } from './lookml-syntax.ts';

const MODEL = `
connection: "warehouse"   # where it runs
include: "/views/*.view"
explore: orders {
  join: customers {
    type: left_outer
    sql_on: \${orders.customer_id} = \${customers.id} ;;
    relationship: many_to_one
  }
  join: people { foreign_key: customer_id }
  always_filter: { filters: [orders.status: "complete"] }
}
datagroup: daily { max_cache_age: "24 hours" }
`;
const VIEWS = `
view: orders {
  sql_table_name: public.orders ;;
  label: "Purchases"
  drill_fields: [id, status]
  dimension: id { primary_key: yes type: number sql: \${TABLE}.id ;; }
  dimension: customer_id { hidden: yes type: number }
  dimension: state { description: "Where it is { } ; now" sql: \${TABLE}."status" ;; }
  dimension: is_large { type: yesno sql: \${TABLE}.total > 100 ;; }
  dimension: size { type: tier tiers: [10, 20] sql: \${TABLE}.total ;; }
  dimension_group: created { type: time timeframes: [raw, date, month] sql: \${TABLE}.created_at ;; }
  measure: count { type: count drill_fields: [id] }
  measure: revenue { type: sum sql: \${TABLE}.total ;; label: "Turnover" value_format: "0.00" }
  measure: sent_revenue { type: sum sql: \${TABLE}.total ;; filters: [state: "sent,done", is_large: "yes"] }
  measure: recent { type: count filters: [created_date: "7 days"] }
  measure: named { type: count filters: { field: state value: "A%" } }
  measure: share { type: number sql: 1.0 * \${sent_revenue} / NULLIF(\${revenue}, 0) ;; }
  measure: middle { type: median sql: \${TABLE}.total ;; }
  measure: liquid { type: sum sql: {% if true %} 1 {% endif %} ;; }
  parameter: period { type: string }
}
view: customers { dimension: id { primary_key: yes } }
view: ranked { derived_table: { sql: SELECT 1 ;; } }
view: +orders { dimension: more {} }
`;

it('takes views, fields and joins', () => {
  const { entities, notTaken } = readLookml([
    { path: 'shop.model.lkml', text: MODEL },
    { path: 'shop.view.lkml', text: VIEWS },
    { path: 'broken.view.lkml', text: 'view: x {\n  dimension: y { sql: a }\n}' },
  ]);
  expect(entities[0]).toEqual({
    ...{ name: 'orders', table: 'orders', schema: 'public', synonyms: ['Purchases'] },
    dimensions: [
      { name: 'id', primary_key: true },
      { name: 'customer_id' },
      { name: 'state', sql: '"status"', description: 'Where it is { } ; now' },
      { name: 'is_large', sql: 'total > 100', type: 'boolean' },
      { name: 'created', sql: 'created_at' },
    ],
    measures: [
      { name: 'count', type: 'count' },
      { name: 'revenue', type: 'sum', sql: 'total', synonyms: ['Turnover'], format: '0.00' },
      {
        name: 'sent_revenue',
        type: 'sum',
        sql: "CASE WHEN ({state} IN ('sent', 'done')) AND ({is_large}) THEN total END",
      },
      {
        ...{ name: 'share', type: 'ratio' },
        sql: "1.0 * SUM(CASE WHEN ({state} IN ('sent', 'done')) AND ({is_large}) THEN total END) / NULLIF(SUM(total), 0)",
      },
    ],
    joins: [{ target: 'customers', relationship: 'many_to_one', on: [{ from: 'customer_id', to: 'id' }] }],
    segments: [],
  });
  expect(notTaken).toEqual([
    'broken.view.lkml: line 2: sql has no ;;',
    'datagroup daily: a layer has nothing like it (line 13)',
    'view orders.size: a layer has no dimensions of the type tier',
    'view orders.recent: its filter needs created_date, which is no dimension',
    'view orders.named: its filter "A%" is an expression of Looker',
    'view orders.middle: a layer has no measures of the type median',
    'view orders.liquid: it has a Liquid template',
    'view orders.period: a layer has no parameter',
    'view ranked: it is a query, not a table; make it a view of the database',
    'view +orders: refinements are not read',
    'explore orders.people: only joins with sql_on are read',
    'explore orders.always_filter: a layer has no always_filter',
  ]);
});

it('ends on any text', () => {
  const piece = fc.constantFrom(
    'view: a ',
    '{',
    '}',
    '[',
    ']',
    '"',
    'sql: ',
    ';;',
    '#',
    '\n',
    'x',
    ',',
    ':',
    '\\',
    ' ',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      try {
        parseLookml(pieces.join(''));
      } catch (error) {
        expect((error as Error).message).toMatch(/^line \d+: /);
      }
    }),
  );
});
