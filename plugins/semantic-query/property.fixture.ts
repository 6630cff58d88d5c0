/** Random shops, random plans over them, and what the plans must give. */
import fc from 'fast-check';
import {
  bucket,
  chain,
  compared,
  type Data,
  type Filter,
  filterTest,
  grouped,
  isDetour,
  type Key,
  leadsThrough,
  type Measure,
  measures,
  type Row,
  relatedRows,
  type Table,
  type Test,
  tables,
  type Value,
  withoutTest,
} from './definition.fixture.ts';
import type { QueryPlan } from './plan.ts';

const columns: Record<Table, Record<string, string>> = {
  regions: { id: 'INTEGER', name: 'TEXT' },
  customers: {
    id: 'INTEGER',
    name: 'TEXT',
    segment: 'TEXT',
    vip: 'BOOLEAN',
    email: 'TEXT',
    signed_up: 'DATE',
    region_id: 'INTEGER',
  },
  orders: {
    id: 'INTEGER',
    status: 'TEXT',
    order_date: 'DATE',
    created_at: 'TIMESTAMP',
    amount: 'INTEGER',
    customer_id: 'INTEGER',
  },
  items: { id: 'INTEGER', quantity: 'INTEGER', order_id: 'INTEGER', product_id: 'INTEGER' },
  products: { id: 'INTEGER', title: 'TEXT', category: 'TEXT' },
  product_tags: { product_id: 'INTEGER', tag_id: 'INTEGER' },
  tags: { id: 'INTEGER', word: 'TEXT' },
  tickets: { id: 'INTEGER', priority: 'TEXT', opened: 'DATE', customer_id: 'INTEGER' },
};

const physical = (table: Table) => (table === 'items' ? 'order_items' : table);

export const schemaSql = tables
  .map(
    (table) =>
      `CREATE TABLE ${physical(table)} (${Object.entries(columns[table])
        .map((column) => column.join(' '))
        .join(', ')});`,
  )
  .join('\n');

const literal = (value: Value) => (typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value));

/** Statements that replace all rows. */
export function loadSql(data: Data): string {
  return tables
    .flatMap((table) => {
      const names = Object.keys(columns[table]);
      const rows = data[table].map((row) => `(${names.map((name) => literal(row[name] ?? null)).join(', ')})`);
      const insert = rows.length === 0 ? [] : [`INSERT INTO ${physical(table)} VALUES ${rows.join(', ')};`];
      return [`DELETE FROM ${physical(table)};`, ...insert];
    })
    .join('\n');
}

const dates = [
  '2023-12-31',
  '2024-01-01',
  '2024-01-07',
  '2024-01-08',
  '2024-02-29',
  '2024-03-31',
  '2024-04-01',
  '2025-01-01',
];
const orNull = <T extends Value>(...values: T[]) => fc.constantFrom<(T | null)[]>(...values, null);
const reference = (size: number) => (size === 0 ? fc.constant(null) : fc.option(fc.integer({ min: 1, max: size })));

function rowsOf(max: number, row: Record<string, fc.Arbitrary<Value>>): fc.Arbitrary<Row[]> {
  return fc
    .array(fc.record(row), { maxLength: max })
    .map((rows) => rows.map((one, index) => ({ id: index + 1, ...one })));
}

export const shops: fc.Arbitrary<Data> = fc
  .tuple(
    rowsOf(3, { name: orNull('North', 'South') }),
    rowsOf(2, { word: orNull('new', 'sale') }),
    rowsOf(3, { title: orNull('50% off', 'a_b', 'Tea'), category: orNull('A', 'B') }),
  )
  .chain(([regions, tags, products]) =>
    fc
      .tuple(
        rowsOf(4, {
          name: orNull('Ann', 'Bo'),
          segment: orNull('home', "work's"),
          vip: orNull(true, false),
          email: fc.constant(null),
          signed_up: orNull(...dates),
          region_id: reference(regions.length),
        }),
        fc.array(fc.tuple(reference(products.length), reference(tags.length)), { maxLength: 4 }),
      )
      .chain(([customers, pairs]) =>
        fc
          .tuple(
            rowsOf(7, {
              status: orNull('done', 'open', 'cancelled'),
              order_date: orNull(...dates),
              created_at: fc.constant(null),
              amount: fc.option(fc.integer({ min: -20, max: 100 })),
              customer_id: reference(customers.length),
            }),
            rowsOf(4, {
              priority: orNull('high', 'low'),
              opened: orNull(...dates),
              customer_id: reference(customers.length),
            }),
          )
          .chain(([orders, tickets]) =>
            rowsOf(8, {
              quantity: fc.option(fc.integer({ min: 0, max: 5 })),
              order_id: reference(orders.length),
              product_id: reference(products.length),
            }).map((items): Data => {
              const product_tags = pairs.map(([product_id, tag_id]) => ({ product_id, tag_id }));
              return { regions, customers, orders, items, products, product_tags, tags, tickets };
            }),
          ),
      ),
  );

const grains = fc.constantFrom('day' as const, 'week' as const, 'month' as const, 'quarter' as const, 'year' as const);
const dimensionNames = [
  'regions.name',
  'customers.segment',
  'customers.vip',
  'customers.name',
  'orders.status',
  'orders.size',
  'items.quantity',
  'products.category',
  'tags.word',
  'tickets.priority',
];
const dimensions = fc.oneof(
  { weight: 4, arbitrary: fc.record({ dimension: fc.constantFrom(...dimensionNames) }) },
  {
    weight: 1,
    arbitrary: fc.record({ dimension: fc.constantFrom('orders.order_date', 'customers.signed_up'), grain: grains }),
  },
);

const textFilters: [string, string[]][] = [
  ['regions.name', ['North', 'South']],
  ['customers.segment', ['home', "work's"]],
  ['orders.status', ['done', 'open', 'cancelled']],
  ['products.title', ['50%', 'A_B', 'tea', '_', 'e']],
  ['tickets.priority', ['high']],
];
const equality = ['equals', 'not_equals', 'in', 'not_in', 'is_null', 'is_not_null'] as const;
const matching = ['contains', 'starts_with', 'ends_with'] as const;
const orderings = ['greater_than', 'greater_or_equal', 'less_than', 'less_or_equal', 'equals', 'not_equals'] as const;

const filter: fc.Arbitrary<Filter> = fc.oneof(
  fc
    .constantFrom(...textFilters)
    .chain(([dimension, values]) =>
      fc
        .constantFrom(...equality, ...matching)
        .chain((operator) =>
          fc
            .subarray(values, { minLength: 1, maxLength: /in$/.test(operator) ? values.length : 1 })
            .map((some) => ({ dimension, operator, ...(operator.startsWith('is_') ? {} : { values: some }) })),
        ),
    ),
  fc.record({
    dimension: fc.constantFrom('orders.amount', 'items.quantity'),
    operator: fc.constantFrom(...orderings),
    values: fc.integer({ min: 0, max: 50 }).map((value) => [value]),
  }),
  fc.record({
    dimension: fc.constantFrom('orders.order_date', 'tickets.opened'),
    operator: fc.constantFrom(...orderings),
    values: fc.constantFrom(...dates).map((value) => [value]),
  }),
);

const range = fc.tuple(fc.constantFrom(...dates), fc.constantFrom(...dates)).filter(([from, to]) => from < to);
const related = fc.record({
  of: fc.constant('customers'),
  entity: fc.constantFrom('orders', 'items', 'tickets', 'products'),
  operator: fc.constantFrom(
    'equals' as const,
    'greater_or_equal' as const,
    'less_than' as const,
    'not_equals' as const,
  ),
  value: fc.integer({ min: 0, max: 2 }),
  filters: fc.array(filter, { maxLength: 1 }),
});

/** Plans with measures. */
export const plans: fc.Arbitrary<QueryPlan> = fc
  .record({
    measures: fc.uniqueArray(fc.constantFrom(...Object.keys(measures)), { minLength: 1, maxLength: 3 }),
    dimensions: fc.uniqueArray(dimensions, { maxLength: 2, selector: ({ dimension }) => dimension }),
    filters: fc.array(filter, { maxLength: 2 }),
    segments: fc.subarray(['orders.completed', 'vip customer'], { maxLength: 1 }),
    excludedSegments: fc.subarray(['orders.completed', 'important customer'], { maxLength: 1 }),
    range: fc.option(range, { nil: undefined, freq: 1 }),
    other: fc.option(range, { nil: undefined, freq: 1 }),
    related: fc.option(related, { nil: undefined, freq: 3 }),
    portion: fc.option(fc.array(filter, { minLength: 1, maxLength: 1 }), { nil: undefined, freq: 4 }),
    having: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined, freq: 4 }),
    share: fc.boolean(),
    without: fc.option(fc.constantFrom<Table>('orders', 'items', 'tickets', 'customers'), { nil: undefined, freq: 2 }),
  })
  .map(({ without, range, other, related, portion, having, share, filters, segments, excludedSegments, ...plan }) => {
    const groups = plan.dimensions.every(({ dimension }) => dimension !== 'orders.order_date');
    const isCompared = range !== undefined && other !== undefined && groups;
    const canShare = share && portion === undefined && plan.measures.every((name) => measures[name]!.additive);
    return {
      ...plan,
      ...(filters.length > 0 && { filters }),
      ...(segments.length > 0 && { segments }),
      ...(excludedSegments.length > 0 && { excludedSegments }),
      ...(range !== undefined && { timeRange: { dimension: 'orders.order_date', from: range[0], to: range[1] } }),
      ...(isCompared && { comparison: { from: other[0], to: other[1] } }),
      ...(related !== undefined && { related: [related] }),
      ...(portion !== undefined && { portion: { filters: portion } }),
      ...(having !== undefined && {
        measureFilters: [{ measure: plan.measures[0]!, operator: 'greater_or_equal' as const, value: having }],
      }),
      ...(canShare && { share }),
      ...(without !== undefined && measures[plan.measures[0]!]!.table !== without && { without: [without] }),
    };
  });

const segments: Record<string, Test> = {
  'orders.completed': { table: 'orders', holds: (row) => row?.status === 'done' },
  'vip customer': { table: 'customers', holds: (row) => row?.vip === true },
  'important customer': { table: 'customers', holds: (row) => row?.vip === true },
};

function keyOf({ dimension, grain }: NonNullable<QueryPlan['dimensions']>[number]): Key {
  const [table, column] = dimension.split('.') as [Table, string];
  if (dimension === 'orders.size') {
    return {
      table,
      name: 'size',
      value: (row) => (row !== null && Number(row.amount ?? 0) >= 50 ? 'large' : row === null ? null : 'small'),
    };
  }
  const value = (row: Row | null) => (row === null ? null : row[column]!);
  if (grain === undefined) return { table, name: column, value };
  return { table, name: `${column}_${grain}`, value: (row) => bucket(value(row), grain) };
}

function testsOf(data: Data, plan: QueryPlan, range: { from: string; to: string } | undefined): Test[] {
  const between = (row: Row | null) => {
    const date = row?.order_date;
    return typeof date === 'string' && date >= range!.from && date < range!.to;
  };
  const tests: Test[] = [
    ...(plan.filters ?? []).map(filterTest),
    ...(plan.segments ?? []).map((name) => segments[name]!),
    ...(plan.excludedSegments ?? []).map((name) => ({ ...segments[name]!, excluded: true })),
    ...(range === undefined ? [] : [{ table: 'orders' as const, holds: between }]),
    ...(plan.related ?? []).map(({ of, entity, operator, value, filters = [] }): Test => {
      const tests = {
        equals: (n: number) => n === value,
        greater_or_equal: (n: number) => n >= value,
        less_than: (n: number) => n < value,
        not_equals: (n: number) => n !== value,
      } as Record<string, (n: number) => boolean>;
      const met = (row: Row | null) =>
        row === null ? 0 : relatedRows(data, of as Table, row, entity as Table, filters.map(filterTest)).length;
      return { table: of as Table, holds: (row) => row !== null && tests[operator]!(met(row)) };
    }),
  ];
  const settled = tests.map((test) => ({
    ...test,
    sameRow: tests.some((other) => other.table === test.table && other.excluded !== true),
  }));
  const base = measures[plan.measures![0]!]!.table;
  const [target] = (plan.without ?? []) as Table[];
  if (target === undefined) return settled;
  const isInner = ({ table }: Test) => leadsThrough(base, target, table);
  return [...settled.filter((test) => !isInner(test)), withoutTest(data, base, target, settled.filter(isInner))];
}

/** `fan_out` or `invalid_plan` where the plan must be refused; else rows by their groups. */
export function expectedRows(data: Data, plan: QueryPlan): Map<string, Value[]> | 'fan_out' | 'invalid_plan' {
  const keys = (plan.dimensions ?? []).map(keyOf);
  const asked = plan.measures!.map((name) => measures[name]!);
  const owners = [...new Set(asked.map(({ table }) => table))];
  const shared = [...keys.map(({ table }) => table), ...(plan.timeRange === undefined ? [] : ['orders' as const])];
  if (owners.length > 1 && owners.some((owner) => shared.some((table) => isDetour(owner, table)))) return 'fan_out';
  const overlapping = owners.some((owner) => keys.some(({ table }) => chain(owner, table)!.some(({ many }) => many)));
  if (plan.share === true && overlapping) return 'invalid_plan';

  const { from, to } = plan.timeRange ?? {};
  const range = from === undefined ? undefined : { from, to: to! };
  const tests = testsOf(data, plan, range);
  const before = plan.comparison && testsOf(data, plan, plan.comparison);
  const extra = plan.portion?.filters?.map(filterTest);
  const slices = asked.map(({ table }) => ({
    current: grouped(data, table, keys, tests),
    previous: before && grouped(data, table, keys, before),
    part: extra && grouped(data, table, keys, [...tests, ...extra]),
    partBefore: extra && before && grouped(data, table, keys, [...before, ...extra]),
  }));
  const groups = new Set(slices.flatMap((slice) => [...slice.current.keys(), ...(slice.previous?.keys() ?? [])]));
  const rows = new Map<string, Value[]>();
  for (const group of groups) {
    const values = asked.flatMap((measure, index): Value[] => {
      const { current, previous, part, partBefore } = slices[index]!;
      const now = part === undefined ? valueIn(current, group, measure) : percentIn(part, current, group, measure);
      const own: Value[] = [now];
      if (previous !== undefined && part === undefined)
        own.push(...compared(current, previous, measure, group).slice(1));
      if (previous !== undefined && part !== undefined) {
        const then = percentIn(partBefore!, previous, group, measure);
        const change = now === null || then === null ? null : now - then;
        own.push(then, change, change === null || then === 0 ? null : (100 * change) / Math.abs(then!));
      }
      if (plan.share === true) {
        const values = [...current.keys()].map((key) => valueIn(current, key, measure)).filter((one) => one !== null);
        const total = values.reduce((a, b) => a + b, 0);
        own.push(now === null || total === 0 ? null : (100 * now) / total);
      }
      return own;
    });
    const least = plan.measureFilters?.[0]?.value;
    if (least === undefined || (values[0] !== null && Number(values[0]) >= least)) rows.set(group, values);
  }
  return rows;
}

type Groups = ReadonlyMap<string, readonly Row[]>;

function valueIn(groups: Groups, group: string, measure: Measure): number | null {
  const rows = groups.get(group);
  return rows === undefined ? (measure.zero ? 0 : null) : (measure.of(rows) as number | null);
}

function percentIn(part: Groups, all: Groups, group: string, measure: Measure): number | null {
  const [some, whole] = [valueIn(part, group, measure), valueIn(all, group, measure)];
  const top = measure.additive || measure.zero ? (some ?? 0) : some;
  return top === null || whole === null || whole === 0 ? null : (100 * top) / whole;
}
