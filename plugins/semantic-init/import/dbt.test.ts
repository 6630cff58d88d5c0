/** Tests what is taken from a dbt manifest. */
import { expect, it } from 'vitest';
import { readDbt } from './dbt.ts';

const node = (name: string, columns: Record<string, string>, more = {}) => ({
  [`model.shop.${name}`]: {
    ...{
      unique_id: `model.shop.${name}`,
      resource_type: 'model',
      name,
      schema: 'public',
      config: { materialized: 'table' },
    },
    columns: Object.fromEntries(
      Object.entries(columns).map(([column, description]) => [column, { name: column, description }]),
    ),
    ...more,
  },
});
const test = (kind: string, model: string, column: string, kwargs = {}) => ({
  [`test.shop.${kind}_${model}_${column}`]: {
    ...{ unique_id: `test.shop.${kind}_${model}_${column}`, resource_type: 'test', name: `${kind}_${model}_${column}` },
    test_metadata: {
      name: kind,
      kwargs: { column_name: column, model: `{{ get_where_subquery(ref('${model}')) }}`, ...kwargs },
    },
    ...{ attached_node: `model.shop.${model}`, column_name: column, depends_on: { nodes: [`model.shop.${model}`] } },
  },
});
const metric = (name: string, type: string, params: object, more = {}) => ({
  [`metric.shop.${name}`]: {
    name,
    type,
    label: `The ${name}`,
    description: `About ${name}.`,
    type_params: params,
    filter: null,
    ...more,
  },
});
const where = (sql: string) => ({ filter: { where_filters: [{ where_sql_template: sql }] } });

const MANIFEST = {
  metadata: { dbt_schema_version: 'https://schemas.getdbt.com/dbt/manifest/v12.json' },
  nodes: {
    ...node(
      'orders',
      { id: 'Number of the order.', status: '' },
      { description: 'One row per order.', alias: 'fct_orders' },
    ),
    ...node('customers', { id: 'Key.' }),
    ...node('helper', {}, { config: { materialized: 'ephemeral' } }),
    ...test('unique', 'orders', 'id'),
    ...test('not_null', 'orders', 'id'),
    ...test('unique', 'customers', 'id'),
    ...test('relationships', 'orders', 'customer_id', { to: "ref('customers')", field: 'id' }),
    ...test('accepted_values', 'orders', 'status', { values: ['new', 'sent'] }),
    ...test('expression_is_true', 'orders', 'total'),
  },
  sources: {},
  semantic_models: {
    'semantic_model.shop.order': {
      ...{
        name: 'order',
        description: 'Orders.',
        model: "ref('orders')",
        depends_on: { nodes: ['model.shop.orders'] },
      },
      entities: [
        { name: 'order', type: 'primary', expr: 'id' },
        { name: 'customer', type: 'foreign', expr: 'customer_id' },
      ],
      dimensions: [
        {
          name: 'ordered_on',
          type: 'time',
          expr: 'created_at',
          type_params: { time_granularity: 'day' },
          label: 'Order date',
        },
        { name: 'state', type: 'categorical', expr: 'status' },
        { name: 'is_large', type: 'categorical', expr: 'total > 100' },
      ],
      measures: [
        { name: 'revenue', agg: 'sum', expr: 'total', description: 'Money.' },
        { name: 'order_count', agg: 'count', expr: '1' },
        { name: 'buyers', agg: 'count_distinct', expr: 'customer_id' },
        { name: 'large', agg: 'sum_boolean', expr: 'total > 100' },
        { name: 'middle', agg: 'median', expr: 'total' },
      ],
    },
    'semantic_model.shop.customer': {
      ...{ name: 'customer', model: "ref('customers')", depends_on: { nodes: ['model.shop.customers'] } },
      entities: [{ name: 'customer', type: 'primary', expr: 'id' }],
      dimensions: [],
      measures: [{ name: 'customers', agg: 'count_distinct', expr: 'id' }],
    },
  },
  metrics: {
    ...metric('revenue', 'simple', { measure: { name: 'revenue', filter: null } }),
    ...metric(
      'sent_revenue',
      'simple',
      { measure: { name: 'revenue' } },
      where("{{ Dimension('order__state') }} = 'sent'"),
    ),
    ...metric('sent_share', 'ratio', { numerator: { name: 'sent_revenue' }, denominator: { name: 'revenue' } }),
    ...metric('order_value', 'derived', {
      expr: 'money / n',
      metrics: [
        { name: 'revenue', alias: 'money' },
        { name: 'orders', alias: 'n' },
      ],
    }),
    ...metric('orders', 'simple', { measure: 'order_count' }),
    ...metric('running', 'cumulative', { measure: { name: 'revenue' } }),
    ...metric('growth', 'derived', {
      expr: 'a - b',
      metrics: [
        { name: 'revenue', alias: 'a' },
        { name: 'revenue', alias: 'b', offset_window: '1 month' },
      ],
    }),
    ...metric('per_head', 'ratio', { numerator: { name: 'revenue' }, denominator: { name: 'heads' } }),
    ...metric('heads', 'simple', { measure: { name: 'customers' } }),
    ...metric(
      'by_country',
      'simple',
      { measure: { name: 'revenue' } },
      where("{{ Dimension('customer__country') }} = 'DE'"),
    ),
    ...metric('mid', 'simple', { measure: { name: 'middle' } }),
    ...metric('newer', 'simple', {
      metric_aggregation_params: { semantic_model: 'order', agg: 'average', expr: 'total' },
    }),
    ...metric('loop', 'derived', { expr: 'loop', metrics: [{ name: 'loop' }] }),
  },
  exposures: { 'exposure.shop.board': { name: 'board' } },
};

const project = readDbt(MANIFEST);
const [orders, customers] = project.entities;
const found = (id: string) => project.metrics.find((one) => one.id === id);

it('takes tables, descriptions, keys, values and joins', () => {
  expect(orders).toMatchObject({ name: 'order', table: 'fct_orders', schema: 'public', description: 'Orders.' });
  expect(orders?.dimensions).toEqual([
    { name: 'id', description: 'Number of the order.', primary_key: true },
    { name: 'state', sql: 'status', sample_values: ['new', 'sent'] },
    { name: 'customer_id' },
    { name: 'ordered_on', sql: 'created_at', type: 'date', synonyms: ['Order date'] },
    { name: 'is_large', sql: 'total > 100' },
  ]);
  expect(orders?.joins).toEqual([
    { target: 'customer', relationship: 'many_to_one', on: [{ from: 'customer_id', to: 'id' }] },
  ]);
  expect(customers).toMatchObject({
    name: 'customer',
    table: 'customers',
    dimensions: [{ name: 'id', primary_key: true }],
  });
});

it('takes measures and metrics with their names', () => {
  expect(orders?.measures).toEqual([
    { name: 'revenue', description: 'Money.', type: 'sum', sql: 'total' },
    { name: 'order_count', type: 'count' },
    { name: 'buyers', type: 'count_distinct', sql: 'customer_id' },
    { name: 'large', type: 'sum', sql: 'CASE WHEN total > 100 THEN 1 ELSE 0 END' },
  ]);
  const about = (id: string) => ({ id, label: `The ${id}`, description: `About ${id}.`, entity: 'order' });
  expect(found('revenue')).toEqual({ ...about('revenue'), measure: 'revenue' });
  const sent = "SUM(CASE WHEN {state} = 'sent' THEN total END)";
  expect(found('sent_revenue')).toEqual({ ...about('sent_revenue'), sql: sent });
  expect(found('sent_share')).toEqual({ ...about('sent_share'), sql: `1.0 * ${sent} / NULLIF(SUM(total), 0)` });
  expect(found('order_value')).toEqual({ ...about('order_value'), sql: '(SUM(total)) / (COUNT(*))' });
  expect(found('newer')).toEqual({ ...about('newer'), sql: 'AVG(total)' });
});

it('names what a layer cannot say, one line each', () => {
  expect(project.notTaken).toEqual([
    'test expression_is_true_orders_total: a layer has no tests, only keys, joins and values',
    'measure order.middle: a layer has no aggregation median',
    'metric running: a layer has no cumulative metrics',
    'metric growth: it compares with another time',
    'metric per_head: it takes measures from several models',
    'metric by_country: its filter needs customer__country of another model',
    'metric mid: its measure middle was not taken',
    'metric loop: it refers to itself',
    'exposure board: a layer has nothing like it',
  ]);
});
