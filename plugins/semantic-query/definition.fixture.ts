/**
 * What a plan over the shop means, computed from the raw rows by definition, without SQL and without the compiler's
 * own idea of joins: each row of the measured entity, the set of groups it is in, and plain loops over both.
 */
import type { QueryPlan } from './plan.ts';

export type Value = string | number | boolean | null;
export type Row = Readonly<Record<string, Value>>;
export const tables = [
  'regions',
  'customers',
  'orders',
  'items',
  'products',
  'product_tags',
  'tags',
  'tickets',
] as const;
export type Table = (typeof tables)[number];
export type Data = Readonly<Record<Table, readonly Row[]>>;

/** From one table to the next: columns that must be equal, and whether several rows can be met. */
interface Step {
  readonly to: Table;
  readonly columns: readonly [string, string];
  readonly many: boolean;
}

const up: Record<string, readonly [Table, Table, string]> = {
  region: ['customers', 'regions', 'region_id'],
  customer: ['orders', 'customers', 'customer_id'],
  order: ['items', 'orders', 'order_id'],
  product: ['items', 'products', 'product_id'],
  tagged: ['product_tags', 'products', 'product_id'],
  tag: ['product_tags', 'tags', 'tag_id'],
  asker: ['tickets', 'customers', 'customer_id'],
};

function stepsFrom(table: Table): Step[] {
  return Object.values(up).flatMap(([child, parent, column]): Step[] => {
    if (table === child) return [{ to: parent, columns: [column, 'id'], many: false }];
    if (table === parent) return [{ to: child, columns: ['id', column], many: true }];
    return [];
  });
}

/** The shop's tables form a tree, so there is one way from each to each. */
export function chain(from: Table, to: Table, seen: readonly Table[] = []): Step[] | undefined {
  if (from === to) return [];
  for (const step of stepsFrom(from)) {
    if (seen.includes(step.to)) continue;
    const rest = chain(step.to, to, [...seen, from]);
    if (rest !== undefined) return [step, ...rest];
  }
  return undefined;
}

export const isDetour = (from: Table, to: Table) => {
  const steps = chain(from, to)!;
  const first = steps.findIndex(({ many }) => !many);
  return first !== -1 && steps.slice(first).some(({ many }) => many);
};

type Binding = ReadonlyMap<string, Row | null>;
const node = (steps: readonly Step[]) => steps.map(({ to }) => to).join('/');

/** Every way to give each table on the chains a row. Where several could be met there must be one; else it may be missing. */
function bindings(data: Data, row: Row, chains: readonly (readonly Step[])[]): Binding[] {
  const nodes = new Map<string, { parent: string; step: Step }>();
  for (const steps of chains) {
    for (let length = 1; length <= steps.length; length++) {
      const path = steps.slice(0, length);
      nodes.set(node(path), { parent: node(path.slice(0, -1)), step: path.at(-1)! });
    }
  }
  let found: Map<string, Row | null>[] = [new Map([['', row]])];
  for (const [name, { parent, step }] of [...nodes].sort(([a], [b]) => a.split('/').length - b.split('/').length)) {
    found = found.flatMap((binding) => {
      const from = binding.get(parent)!;
      const wanted = from === null ? null : from[step.columns[0]]!;
      const met = wanted === null ? [] : data[step.to].filter((other) => other[step.columns[1]] === wanted);
      const next: readonly (Row | null)[] = step.many || met.length > 0 ? met : [null];
      return next.map((one) => new Map(binding).set(name, one));
    });
  }
  return found;
}

/** Holds for a row of `table`; `null` stands for the row that is missing. */
export interface Test {
  readonly table: Table;
  readonly excluded?: boolean;
  /** Excluded for the row of which another test speaks, rather than for all rows. */
  readonly sameRow?: boolean;
  holds(row: Row | null): boolean;
}

const last = (steps: readonly Step[]) => steps.findLastIndex(({ many }) => many);

/** The bindings of the tables of `shown` for which all tests hold. */
function matching(data: Data, table: Table, row: Row, shown: readonly Table[], tests: readonly Test[]): Binding[] {
  const chains = shown.map((to) => chain(table, to)!);
  const known = new Set(chains.flatMap((steps) => steps.map((_, index) => node(steps.slice(0, index + 1)))));
  const placed = tests.map((test) => {
    const steps = chain(table, test.table)!;
    const many = last(steps);
    // Steps that multiply and are part of what is shown speak of the row that is shown.
    let covered = steps.length;
    while (covered > 0 && !known.has(node(steps.slice(0, covered)))) covered--;
    const first = steps.findIndex(({ many: isMany }, index) => isMany && index >= covered);
    return { test, steps, first: many < covered ? -1 : first };
  });
  const same = placed.filter(({ first }) => first === -1);
  const groups = Map.groupBy(
    placed.filter(({ first }) => first !== -1),
    ({ steps, first }) => node(steps.slice(0, first + 1)),
  );
  const all = bindings(data, row, [...chains, ...same.map(({ steps }) => steps)]);
  return all.filter((binding) => {
    const here = same.every(({ test, steps }) => test.holds(binding.get(node(steps))!) !== (test.excluded === true));
    return here && [...groups.values()].every((group) => meets(data, binding, row, group));
  });
}

interface Placed {
  readonly test: Test;
  readonly steps: readonly Step[];
  readonly first: number;
}

function meets(data: Data, binding: Binding, row: Row, group: readonly Placed[]): boolean {
  const together = group.filter(({ test }) => test.excluded !== true || test.sameRow === true);
  const some = (items: readonly Placed[], wanted: (item: Placed) => boolean) => {
    const [{ steps, first }] = items as [Placed];
    let at: Row | null = row;
    // From the row itself, or from the row already bound, down to where the way first multiplies.
    for (let length = 1; length <= first; length++) {
      const bound = binding.get(node(steps.slice(0, length)));
      const step = steps[length - 1]!;
      const from: Row | null = at;
      at =
        bound !== undefined
          ? bound
          : from === null
            ? null
            : (data[step.to].find((r) => r[step.columns[1]] === from[step.columns[0]]) ?? null);
    }
    if (at === null) return false;
    const ways = bindings(
      data,
      at,
      items.map((item) => item.steps.slice(first)),
    );
    return ways.some((way) =>
      items.every((item) => item.test.holds(way.get(node(item.steps.slice(first)))!) === wanted(item)),
    );
  };
  const yes = together.length === 0 || some(together, ({ test }) => test.excluded !== true);
  return yes && group.every((item) => together.includes(item) || !some([item], () => true));
}

/** Rows of `of.table` met from this row. */
export function relatedRows(data: Data, of: Table, row: Row, to: Table, tests: readonly Test[]): Row[] {
  return data[to].filter((candidate) => {
    const met = bindings(data, candidate, [chain(to, of)!]).some((way) => way.get(node(chain(to, of)!)) === row);
    return met && matching(data, to, candidate, [], tests).length > 0;
  });
}

/** "`base` without `target`": no row of `target` is met for which all of `inner` hold. */
export function withoutTest(data: Data, base: Table, target: Table, inner: readonly Test[]): Test {
  const to = (table: Table) => chain(base, table)!;
  const met = (row: Row) =>
    bindings(data, row, [target, ...inner.map(({ table }) => table)].map(to)).some(
      (way) =>
        way.get(node(to(target))) !== null &&
        inner.every((test) => test.holds(way.get(node(to(test.table)))!) !== (test.excluded === true)),
    );
  return { table: base, holds: (row) => row !== null && !met(row) };
}

export const leadsThrough = (base: Table, through: Table, to: Table) =>
  base !== to && `${node(chain(base, to)!)}/`.startsWith(`${node(chain(base, through)!)}/`);

export interface Key {
  readonly table: Table;
  readonly name: string;
  value(row: Row | null): Value;
}

/** Rows of `table` in each group, once each. Without keys there is one group, whatever is in it. */
export function grouped(data: Data, table: Table, keys: readonly Key[], tests: readonly Test[]): Map<string, Row[]> {
  const groups = new Map<string, Row[]>(keys.length === 0 ? [['[]', []]] : []);
  for (const row of data[table]) {
    const found = matching(
      data,
      table,
      row,
      keys.map((key) => key.table),
      tests,
    ).map((binding) => JSON.stringify(keys.map((key) => key.value(binding.get(node(chain(table, key.table)!))!))));
    for (const group of new Set(found)) groups.set(group, [...(groups.get(group) ?? []), row]);
  }
  return groups;
}

const numbers = (rows: readonly Row[], column: string) =>
  rows.map((row) => row[column]!).filter((value): value is number => typeof value === 'number');
const sum = (values: readonly number[]) => (values.length === 0 ? null : values.reduce((a, b) => a + b, 0));
const distinct = (rows: readonly Row[], column: string) =>
  new Set(rows.map((row) => row[column]!).filter((value) => value !== null)).size;
const quotient = (a: number | null, b: number | null) => (a === null || b === null || b === 0 ? null : a / b);

export interface Measure {
  readonly table: Table;
  readonly column: string;
  readonly additive: boolean;
  readonly zero: boolean;
  of(rows: readonly Row[]): number | string | null;
}

const measure = (
  table: Table,
  column: string,
  of: Measure['of'],
  kind: 'sum' | 'count' | 'distinct' | 'other',
): Measure => ({
  table,
  column,
  of,
  additive: kind === 'sum' || kind === 'count',
  zero: kind === 'count' || kind === 'distinct',
});

const count = (rows: readonly Row[]) => rows.length;
const done = (rows: readonly Row[]) => rows.filter(({ status }) => status === 'done').length;

export const measures: Readonly<Record<string, Measure>> = {
  'customers.customer_count': measure('customers', 'customer_count', count, 'count'),
  'orders.count': measure('orders', 'count', count, 'count'),
  'orders.revenue': measure('orders', 'revenue', (rows) => sum(numbers(rows, 'amount')), 'sum'),
  'orders.avg_amount': measure(
    'orders',
    'avg_amount',
    (rows) => quotient(sum(numbers(rows, 'amount')), numbers(rows, 'amount').length),
    'other',
  ),
  'orders.buyers': measure('orders', 'buyers', (rows) => distinct(rows, 'customer_id'), 'distinct'),
  'orders.smallest': measure(
    'orders',
    'smallest',
    (rows) => numbers(rows, 'amount').sort((a, b) => a - b)[0] ?? null,
    'other',
  ),
  'orders.done_rate': measure('orders', 'done_rate', (rows) => quotient(done(rows), rows.length), 'other'),
  'orders.per_buyer': measure(
    'orders',
    'per_buyer',
    (rows) => quotient(sum(numbers(rows, 'amount')), distinct(rows, 'customer_id')),
    'other',
  ),
  'items.units': measure('items', 'units', (rows) => sum(numbers(rows, 'quantity')), 'sum'),
  'tickets.count': measure('tickets', 'count', count, 'count'),
};

/** One row per group that any measure has in any range, as the compiler promises it. */
export function compared(
  current: ReadonlyMap<string, readonly Row[]>,
  previous: ReadonlyMap<string, readonly Row[]>,
  { of, zero, additive }: Measure,
  group: string,
): (number | string | null)[] {
  const absent = zero ? 0 : null;
  const [now, then] = [current, previous].map((groups) => (groups.has(group) ? of(groups.get(group)!) : absent)) as [
    number | null,
    number | null,
  ];
  const isSum = additive && !zero;
  const [a, b] = isSum ? [now ?? 0, then ?? 0] : [now, then];
  const change = a === null || b === null ? null : a - b;
  const percent = change === null || then === null || then === 0 ? null : (100 * change) / Math.abs(then);
  return [now, then, change, percent];
}

export type Filter = NonNullable<QueryPlan['filters']>[number];

/** The test of a filter on a plain column; text matches ignore case. */
export function filterTest(filter: Filter): Test {
  const [table, column] = filter.dimension.split('.') as [Table, string];
  const values = (filter.values ?? []) as readonly Value[];
  const [first = null] = values;
  const order = (value: Value) => (value === null ? undefined : value < first! ? -1 : value > first! ? 1 : 0);
  const tests: Record<Filter['operator'], (value: Value) => boolean> = {
    equals: (value) => values.includes(value) && value !== null,
    in: (value) => values.includes(value) && value !== null,
    not_equals: (value) => !values.includes(value),
    not_in: (value) => !values.includes(value),
    greater_than: (value) => order(value) === 1,
    greater_or_equal: (value) => (order(value) ?? -1) >= 0,
    less_than: (value) => order(value) === -1,
    less_or_equal: (value) => (order(value) ?? 1) <= 0,
    contains: (value) => typeof value === 'string' && value.toLowerCase().includes(String(first).toLowerCase()),
    starts_with: (value) => typeof value === 'string' && value.toLowerCase().startsWith(String(first).toLowerCase()),
    ends_with: (value) => typeof value === 'string' && value.toLowerCase().endsWith(String(first).toLowerCase()),
    is_null: (value) => value === null,
    is_not_null: (value) => value !== null,
  };
  return { table, holds: (row) => tests[filter.operator](row === null ? null : row[column]!) };
}

export function bucket(date: Value, grain: 'day' | 'week' | 'month' | 'quarter' | 'year'): Value {
  if (typeof date !== 'string') return null;
  const [year, month] = date.split('-') as [string, string];
  if (grain === 'day') return date;
  if (grain === 'month') return `${year}-${month}`;
  if (grain === 'year') return year;
  if (grain === 'quarter') return `${year}-Q${Math.ceil(Number(month) / 3)}`;
  const time = new Date(`${date}T00:00:00Z`);
  time.setUTCDate(time.getUTCDate() - ((time.getUTCDay() + 6) % 7));
  return time.toISOString().slice(0, 10);
}
