/** A small model for the tests: regions ← customers ← orders ← items → products, tags through a bridge, and tickets. */
import type {
  DimensionType,
  Measure,
  ModelDimension,
  ModelEntity,
  ModelJoin,
  ModelMetric,
  ModelTerm,
  Segment,
  SemanticModel,
} from '../semantic-layer/index.ts';

export function dimension(
  name: string,
  type: DimensionType = 'string',
  more: Partial<ModelDimension> = {},
): ModelDimension {
  return { name, sql: name, type, ...more };
}

export function join(
  target: string,
  relationship: ModelJoin['relationship'],
  from: string,
  to: string,
  name = target,
): ModelJoin {
  return { name, target, relationship, on: [{ from, to }] };
}

export function entity(
  name: string,
  parts: {
    dimensions: ModelDimension[];
    measures?: Measure[];
    joins?: ModelJoin[];
    segments?: Segment[];
    table?: string;
    schema?: string;
    connection?: string;
  },
): ModelEntity {
  const { dimensions, measures = [], joins = [], segments = [], table = name, ...rest } = parts;
  const fixed = { type: 'table', description: '', synonyms: [], queryPatterns: [], source: 'default' } as const;
  return { name, table, dimensions, measures, joins, segments, ...rest, ...fixed, file: `entities/${name}.yml` };
}

export function modelOf(
  entities: ModelEntity[],
  metrics: Omit<ModelMetric, 'file' | 'source'>[] = [],
  glossary: Omit<ModelTerm, 'file' | 'source'>[] = [],
): SemanticModel {
  const placed = { file: 'x.yml', source: 'default' };
  const byName = new Map(entities.map((known) => [known.name.toLowerCase(), known]));
  const withFiles = metrics.map((metric) => ({ ...metric, ...placed }));
  return {
    version: 1,
    entities,
    metrics: withFiles,
    glossary: glossary.map((term) => ({ ...term, ...placed })),
    catalog: undefined,
    problems: [],
    entity: (name) => byName.get(name.toLowerCase()),
    metric: (id) => withFiles.find((known) => known.id.toLowerCase() === id.toLowerCase()),
  };
}

const key = dimension('id', 'number', { primary_key: true });

export const shop: SemanticModel = modelOf(
  [
    entity('regions', { dimensions: [key, dimension('name')] }),
    entity('customers', {
      dimensions: [
        key,
        dimension('name'),
        dimension('segment'),
        dimension('vip', 'boolean'),
        dimension('email', 'string', { hidden: true }),
        dimension('signed_up', 'date'),
      ],
      measures: [{ name: 'customer_count', type: 'count' }],
      joins: [join('regions', 'many_to_one', 'region_id', 'id')],
    }),
    entity('orders', {
      dimensions: [
        key,
        dimension('status'),
        dimension('order_date', 'date'),
        dimension('created_at', 'timestamp'),
        dimension('amount', 'number'),
        dimension('size', 'string', { sql: "CASE WHEN amount >= 50 THEN 'large' ELSE 'small' END" }),
        dimension('label', 'string', { sql: "{size} || ' ' || status" }),
      ],
      measures: [
        { name: 'revenue', type: 'sum', sql: 'amount', format: 'currency' },
        { name: 'avg_amount', type: 'avg', sql: '{amount}' },
        { name: 'buyers', type: 'count_distinct', sql: 'customer_id' },
        { name: 'smallest', type: 'min', sql: 'amount' },
        { name: 'last_order', type: 'max', sql: 'order_date' },
        { name: 'done_rate', type: 'ratio', sql: "SUM(CASE WHEN status = 'done' THEN 1 ELSE 0 END) / COUNT(*)" },
        { name: 'per_buyer', type: 'ratio', sql: '{revenue} / buyers' },
      ],
      joins: [join('customers', 'many_to_one', 'customer_id', 'id'), join('items', 'one_to_many', 'id', 'order_id')],
      segments: [
        { name: 'completed', sql: "status = 'done'" },
        { name: 'big', sql: "amount >= 50 OR {size} = 'large'" },
      ],
    }),
    entity('items', {
      table: 'order_items',
      dimensions: [key, dimension('quantity', 'number')],
      measures: [{ name: 'units', type: 'sum', sql: 'quantity' }],
      joins: [join('orders', 'many_to_one', 'order_id', 'id'), join('products', 'many_to_one', 'product_id', 'id')],
    }),
    entity('products', { dimensions: [key, dimension('title'), dimension('category')] }),
    entity('product_tags', {
      dimensions: [dimension('product_id', 'number'), dimension('tag_id', 'number')],
      joins: [join('products', 'many_to_one', 'product_id', 'id'), join('tags', 'many_to_one', 'tag_id', 'id')],
    }),
    entity('tags', { dimensions: [key, dimension('word')] }),
    entity('tickets', {
      dimensions: [key, dimension('priority'), dimension('opened', 'date')],
      joins: [join('customers', 'many_to_one', 'customer_id', 'id')],
    }),
  ],
  [
    { id: 'total_revenue', entity: 'orders', measure: 'revenue', unit: 'EUR' },
    {
      id: 'done_share',
      entity: 'orders',
      sql: "100 * SUM(CASE WHEN orders.status = 'done' THEN 1 END) / COUNT(*)",
      unit: '%',
    },
  ],
  [
    { term: 'vip customer', status: 'defined', entity: 'customers', sql: 'vip', synonyms: ['important customer'] },
    {
      term: 'revenue',
      status: 'ambiguous',
      meanings: ['booked', { name: 'paid', entity: 'orders', sql: "status = 'done'" }],
    },
  ],
);
