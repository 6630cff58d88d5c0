import Sqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { kitDialects } from '../sql-kit/index.ts';
import { compileQuery } from './compile.ts';
import { PlanError } from './errors.ts';
import { loadSql, schemaSql } from './fixtures/random-plans.ts';
import { dimension, entity, modelOf, shop } from './fixtures/shop.ts';
import type { QueryPlan } from './plan.ts';

const dialects = await kitDialects();
const sqlite = dialects.get('sqlite')!;

const sql = (plan: QueryPlan, dialect = 'sqlite', model = shop) =>
  compileQuery(model, plan, { dialect: dialects.get(dialect)! }).sql;

function refusal(plan: unknown, model = shop): PlanError {
  try {
    compileQuery(model, plan as QueryPlan, { dialect: sqlite });
  } catch (error) {
    if (error instanceof PlanError) return error;
    throw error;
  }
  throw new Error('The plan was not refused.');
}

const byStatus = { measures: ['orders.revenue'], dimensions: [{ dimension: 'orders.status' }] };
const byMonth = (grain: 'day' | 'week' | 'month' | 'quarter' | 'year') => ({
  measures: ['orders.count'],
  dimensions: [{ dimension: 'orders.order_date', grain }],
});

describe('alternatives', () => {
  const filter = (value: string) => ({
    filters: [{ dimension: 'orders.status', operator: 'equals' as const, values: [value] }],
  });
  const large = { filters: [{ dimension: 'orders.amount', operator: 'greater_than' as const, values: [100] }] };

  it('keep rows that match one of them', () => {
    expect(sql({ measures: ['orders.count'], anyOf: [[filter('paid'), large]] })).toContain(
      "WHERE (status = 'paid' OR amount > 100)",
    );
  });

  it('must be on one entity, and none may be empty', () => {
    const other = { filters: [{ dimension: 'customers.segment', operator: 'equals', values: ['retail'] }] };
    expect(refusal({ measures: ['orders.count'], anyOf: [[filter('paid'), other]] }).message).toContain('one entity');
    expect(refusal({ measures: ['orders.count'], anyOf: [[filter('paid'), {}]] }).message).toContain(
      'filter or a segment',
    );
  });
});

describe('the statement', () => {
  it('is flat and unqualified over one entity', () => {
    expect(
      sql({
        ...byStatus,
        filters: [{ dimension: 'orders.amount', operator: 'greater_than', values: [10] }],
        timeRange: { dimension: 'orders.order_date', from: '2024-01-01', to: '2025-01-01' },
        measureFilters: [{ measure: 'orders.count', operator: 'greater_or_equal', value: 2 }],
        limit: 5,
      }),
    ).toMatchInlineSnapshot(`
      "SELECT status, SUM(amount) AS revenue
      FROM orders
      WHERE amount > 10
        AND order_date >= '2024-01-01' AND order_date < '2025-01-01'
      GROUP BY status
      HAVING COUNT(*) >= 2
      ORDER BY revenue DESC, status NULLS LAST
      LIMIT 5"
    `);
  });

  it('counts a row once in each group on the many side', () => {
    expect(
      sql({ measures: ['orders.revenue'], dimensions: [{ dimension: 'products.category' }] }, 'postgres'),
    ).toMatchInlineSnapshot(`
      "SELECT matched.category AS category, SUM(orders.amount) AS revenue
      FROM (
        SELECT DISTINCT products.category AS category, orders.id AS row_key
        FROM orders
        JOIN order_items AS items ON orders.id = items.order_id
        LEFT JOIN products ON items.product_id = products.id
      ) AS matched
      JOIN orders ON orders.id = matched.row_key
      GROUP BY matched.category
      ORDER BY revenue DESC NULLS LAST, category"
    `);
  });

  it('joins measures of several entities on their groups', () => {
    expect(
      sql({ measures: ['orders.revenue', 'tickets.count'], dimensions: [{ dimension: 'customers.segment' }] }, 'mysql'),
    ).toMatchInlineSnapshot(`
      "WITH orders_totals AS (
        SELECT customers.segment AS segment, SUM(orders.amount) AS revenue
        FROM orders
        LEFT JOIN customers ON orders.customer_id = customers.id
        GROUP BY customers.segment
      ),
      tickets_totals AS (
        SELECT customers.segment AS segment, COUNT(*) AS count
        FROM tickets
        LEFT JOIN customers ON tickets.customer_id = customers.id
        GROUP BY customers.segment
      ),
      all_groups AS (
        SELECT segment
        FROM orders_totals
        UNION
        SELECT segment
        FROM tickets_totals
      )
      SELECT
        all_groups.segment AS segment,
        orders_totals.revenue AS revenue,
        COALESCE(tickets_totals.count, 0) AS count
      FROM all_groups
      LEFT JOIN orders_totals ON all_groups.segment <=> orders_totals.segment
      LEFT JOIN tickets_totals ON all_groups.segment <=> tickets_totals.segment
      ORDER BY revenue DESC, all_groups.segment IS NULL, segment"
    `);
  });

  it('compares two ranges', () => {
    expect(
      sql(
        {
          measures: ['orders.revenue'],
          timeRange: { dimension: 'orders.order_date', from: '2024-02-01', to: '2024-03-01' },
          comparison: { from: '2024-01-01', to: '2024-02-01' },
        },
        'duckdb',
      ),
    ).toMatchInlineSnapshot(`
      "WITH current_orders_totals AS (
        SELECT SUM(amount) AS revenue
        FROM orders
        WHERE order_date >= '2024-02-01' AND order_date < '2024-03-01'
      ),
      previous_orders_totals AS (
        SELECT SUM(amount) AS revenue
        FROM orders
        WHERE order_date >= '2024-01-01' AND order_date < '2024-02-01'
      )
      SELECT
        current_orders_totals.revenue AS revenue,
        previous_orders_totals.revenue AS revenue_previous,
        COALESCE(current_orders_totals.revenue, 0) - COALESCE(previous_orders_totals.revenue, 0) AS revenue_change,
        100.0 * (COALESCE(current_orders_totals.revenue, 0) - COALESCE(previous_orders_totals.revenue, 0)) / NULLIF(ABS(previous_orders_totals.revenue), 0) AS revenue_change_percent
      FROM current_orders_totals
      CROSS JOIN previous_orders_totals"
    `);
  });

  it('takes shares of all groups, also of those that a filter hides', () => {
    expect(
      sql({ ...byStatus, share: true, measureFilters: [{ measure: 'revenue', operator: 'greater_than', value: 5 }] }),
    ).toMatchInlineSnapshot(`
      "WITH orders_totals AS (
        SELECT status, SUM(amount) AS revenue
        FROM orders
        GROUP BY status
      )
      SELECT
        orders_totals.status AS status,
        orders_totals.revenue AS revenue,
        100.0 * orders_totals.revenue / NULLIF((SELECT SUM(orders_totals.revenue) FROM orders_totals), 0) AS revenue_share
      FROM orders_totals
      WHERE orders_totals.revenue > 5
      ORDER BY revenue DESC, status NULLS LAST"
    `);
  });

  it('asks for missing rows with NOT EXISTS', () => {
    expect(
      sql({
        entity: 'customers',
        dimensions: [{ dimension: 'customers.name' }],
        without: ['orders'],
        timeRange: { dimension: 'orders.order_date', from: '2024-01-01' },
      }),
    ).toMatchInlineSnapshot(`
      "SELECT name
      FROM customers
      WHERE NOT EXISTS (
        SELECT 1
        FROM orders
        WHERE customers.id = orders.customer_id
          AND orders.order_date >= '2024-01-01'
      )
      ORDER BY id"
    `);
  });

  it('keeps equal names apart without showing their keys', () => {
    const named = { dimension: 'customers.name', identity: true };
    expect(sql({ measures: ['orders.revenue'], dimensions: [named], limit: 3 })).toMatchInlineSnapshot(`
      "SELECT customers.name AS name, SUM(orders.amount) AS revenue
      FROM orders
      LEFT JOIN customers ON orders.customer_id = customers.id
      GROUP BY customers.name, customers.id
      ORDER BY revenue DESC, name NULLS LAST, customers.id NULLS LAST
      LIMIT 3"
    `);
    expect(sql({ dimensions: [named] })).toMatchInlineSnapshot(`
      "SELECT name
      FROM customers
      GROUP BY name, id
      ORDER BY name NULLS LAST, id NULLS LAST"
    `);
  });

  it.each(['sqlite', 'postgres', 'mysql', 'duckdb'] as const)('buckets time on %s', (dialect) => {
    const grains = (['day', 'week', 'month', 'quarter', 'year'] as const).map((grain) =>
      sql(byMonth(grain), dialect).replaceAll('\n', ' '),
    );
    expect(grains).toMatchSnapshot();
  });

  it('quotes only the names that need it', () => {
    const odd = modelOf([
      entity('Order', {
        table: 'sales.Order',
        dimensions: [dimension('group'), dimension('Total Amount', 'number'), dimension('plain')],
        measures: [{ name: 'Total Amount', type: 'sum', sql: '{Total Amount}' }],
      }),
    ]);
    const plan = { measures: ['order.total amount'], dimensions: [{ dimension: 'group' }, { dimension: 'plain' }] };
    expect(sql(plan, 'postgres', odd)).toMatchInlineSnapshot(`
      "SELECT "group", plain, SUM("Total Amount") AS total_amount
      FROM sales."Order"
      GROUP BY "group", plain
      ORDER BY total_amount DESC NULLS LAST, "group", plain"
    `);
    expect(sql(plan, 'mysql', odd)).toMatchInlineSnapshot(`
      "SELECT \`group\`, plain, SUM(\`Total Amount\`) AS total_amount
      FROM sales.\`Order\`
      GROUP BY \`group\`, plain
      ORDER BY total_amount DESC, \`group\` IS NULL, \`group\`, plain IS NULL, plain"
    `);
  });

  it('escapes literals for its dialect', () => {
    const like = (operator: 'equals' | 'contains', value: string, dialect: string) =>
      sql(
        { measures: ['orders.count'], filters: [{ dimension: 'orders.status', operator, values: [value] }] },
        dialect,
      ).split('WHERE ')[1];
    expect(like('equals', "it's \\", 'mysql')).toBe("status = 'it''s \\\\'");
    expect(like('equals', "it's \\", 'postgres')).toBe("status = 'it''s \\'");
    expect(like('contains', 'Ab', 'mysql')).toBe("LOWER(status) LIKE '%ab%'");
    expect(like('contains', '50%_\\!', 'mysql')).toBe("LOWER(status) LIKE '%50!%!_\\\\!!%' ESCAPE '!'");
    expect(like('contains', 'Ab', 'postgres')).toBe("status ILIKE '%Ab%'");
    expect(
      refusal({ entity: 'orders', filters: [{ dimension: 'orders.status', operator: 'equals', values: ['a\0'] }] })
        .code,
    ).toBe('invalid_plan');
  });

  it('writes days and moments out where the engine takes no text for them', () => {
    const compared = (values: string[], operator = 'equals' as 'equals' | 'less_than') =>
      sql(
        { measures: ['orders.count'], filters: [{ dimension: 'orders.order_date', operator, values }] },
        'trino',
      ).split('WHERE ')[1];
    expect(compared(['2024-01-31'])).toBe("order_date = DATE '2024-01-31'");
    expect(compared(['2024-01'], 'less_than')).toBe("order_date < DATE '2024-01-01'");
    expect(compared(['2024-01-31', '2024-02-29'])).toBe("order_date IN (DATE '2024-01-31', DATE '2024-02-29')");
    expect(sql(byMonth('month'), 'trino')).toContain("date_format(order_date, '%Y-%m')");
  });

  it('keeps NULLs in negations, in every dialect', () => {
    const not = (values: string[], dialect: string) =>
      sql(
        { measures: ['orders.count'], filters: [{ dimension: 'status', operator: 'not_equals', values }] },
        dialect,
      ).split('WHERE ')[1];
    expect(not(['a'], 'sqlite')).toBe("status IS NOT 'a'");
    expect(not(['a'], 'postgres')).toBe("status IS DISTINCT FROM 'a'");
    expect(not(['a'], 'mysql')).toBe("NOT (status <=> 'a')");
    expect(not(['a', 'b'], 'duckdb')).toBe("(status NOT IN ('a', 'b') OR status IS NULL)");
  });

  it('describes its columns', () => {
    const { columns, entities, connection } = compileQuery(
      shop,
      { measures: ['total_revenue', 'orders.last_order'], dimensions: [{ dimension: 'regions.name' }], share: false },
      { dialect: sqlite },
    );
    expect(columns).toEqual([
      { name: 'name', kind: 'dimension', source: 'regions.name', type: 'string' },
      {
        name: 'total_revenue',
        kind: 'measure',
        source: 'total_revenue',
        type: 'number',
        unit: 'EUR',
        format: 'currency',
      },
      { name: 'last_order', kind: 'measure', source: 'orders.last_order', type: 'date' },
    ]);
    expect(entities).toEqual(['orders', 'customers', 'regions']);
    expect(connection).toBeUndefined();
  });

  it('prefixes members of the same name with their entity', () => {
    const { columns } = compileQuery(
      shop,
      { entity: 'customers', dimensions: [{ dimension: 'customers.name' }, { dimension: 'regions.name' }] },
      { dialect: sqlite },
    );
    expect(columns.map(({ name }) => name)).toEqual(['customers_name', 'regions_name']);
  });
});

describe('on real rows', () => {
  const database = new Sqlite(':memory:');
  database.exec(schemaSql);
  const ids = { created_at: null, email: null };
  database.exec(
    loadSql({
      regions: [{ id: 1, name: 'North' }],
      customers: [
        { id: 1, name: 'Ann', segment: 'home', vip: true, signed_up: '2024-01-01', region_id: 1, ...ids },
        { id: 2, name: 'Ann', segment: null, vip: false, signed_up: null, region_id: null, ...ids },
        { id: 3, name: 'Bo', segment: 'home', vip: null, signed_up: null, region_id: 1, ...ids },
      ],
      orders: [
        {
          id: 1,
          status: 'done',
          order_date: '2024-01-31',
          created_at: '2024-01-31T23:59:59Z',
          amount: 10,
          customer_id: 1,
        },
        {
          id: 2,
          status: null,
          order_date: '2024-02-01',
          created_at: '2024-02-01 00:00:00',
          amount: 60,
          customer_id: 1,
        },
        { id: 3, status: 'open', order_date: '2024-02-29', created_at: '2024-02-29', amount: null, customer_id: 2 },
      ],
      items: [
        { id: 1, quantity: 1, order_id: 1, product_id: 1 },
        { id: 2, quantity: 2, order_id: 1, product_id: 1 },
        { id: 3, quantity: 3, order_id: 2, product_id: 2 },
      ],
      products: [
        { id: 1, title: 'Tea', category: 'A' },
        { id: 2, title: 'Cup', category: 'B' },
      ],
      product_tags: [],
      tags: [],
      tickets: [],
    }),
  );
  const rows = (plan: QueryPlan) => database.prepare(sql(plan)).raw().all();

  it('lists rows, ordered by a dimension that is not selected, with a limit', () => {
    expect(rows({ entity: 'customers', dimensions: [{ dimension: 'customers.name' }] })).toEqual([
      ['Ann'],
      ['Ann'],
      ['Bo'],
    ]);
    expect(
      rows({
        entity: 'orders',
        dimensions: [{ dimension: 'orders.id' }, { dimension: 'customers.name' }],
        orderBy: [{ by: 'orders.order_date', direction: 'desc' }],
        limit: 2,
      }),
    ).toEqual([
      [3, 'Ann'],
      [2, 'Ann'],
    ]);
    expect(rows({ entity: 'regions' })).toEqual([[1, 'North']]);
  });

  it('gives distinct values', () => {
    expect(rows({ dimensions: [{ dimension: 'customers.segment' }] })).toEqual([['home'], [null]]);
    expect(rows({ dimensions: [{ dimension: 'customers.name', identity: true }] })).toEqual([['Ann'], ['Ann'], ['Bo']]);
  });

  it('puts NULLs last in both directions', () => {
    const amounts = (direction: 'asc' | 'desc') =>
      rows({ entity: 'orders', dimensions: [{ dimension: 'amount' }], orderBy: [{ by: 'amount', direction }] }).flat();
    expect(amounts('asc')).toEqual([10, 60, null]);
    expect(amounts('desc')).toEqual([60, 10, null]);
  });

  it('reads days, months and instants of a timestamp alike', () => {
    const count = (operator: 'equals' | 'greater_than' | 'less_or_equal' | 'not_equals', value: string) =>
      rows({ measures: ['orders.count'], filters: [{ dimension: 'created_at', operator, values: [value] }] })[0];
    expect(count('equals', '2024-01-31')).toEqual([1]);
    expect(count('equals', '2024-02')).toEqual([2]);
    expect(count('equals', '2024-Q1')).toEqual([3]);
    expect(count('not_equals', '2024-02')).toEqual([1]);
    expect(count('greater_than', '2024-01-31')).toEqual([2]);
    expect(count('less_or_equal', '2024-01-31T23:59:59Z')).toEqual([1]);
    expect(count('equals', '2024-02-01T01:00:00+01:00')).toEqual([1]);
  });

  it('filters by the number of related rows', () => {
    const buyers = { entity: 'customers', dimensions: [{ dimension: 'customers.id' }] };
    const related = (more: object) =>
      rows({ ...buyers, related: [{ of: 'customers', entity: 'orders', ...more } as never] });
    expect(related({ operator: 'greater_or_equal', value: 2 })).toEqual([[1]]);
    expect(related({ operator: 'equals', value: 0 })).toEqual([[3]]);
    expect(related({ operator: 'greater_than', value: 50, measure: 'orders.revenue' })).toEqual([[1]]);
    expect(related({ operator: 'equals', value: 1, segments: ['orders.completed'] })).toEqual([[1]]);
    expect(related({ operator: 'equals', value: 2, entity: 'products' })).toEqual([[1]]);
  });

  it('returns portions in percent', () => {
    const [row] = rows({ measures: ['orders.count', 'orders.revenue'], portion: { segments: ['orders.completed'] } });
    expect(row).toEqual([100 / 3, 1000 / 70]);
    expect(
      rows({
        measures: ['items.units'],
        dimensions: [{ dimension: 'category' }],
        portion: { filters: [{ dimension: 'quantity', operator: 'equals', values: [2] }] },
      }),
    ).toEqual([
      ['A', 200 / 3],
      ['B', 0],
    ]);
  });

  it('aggregates over groups', () => {
    const counted = { ...byStatus, measures: ['orders.count'] };
    const perStatus = rows(counted).map((row) => Number((row as unknown[])[1]));
    const over = (aggregate: 'avg' | 'min' | 'max') => rows({ ...counted, over: { aggregate } });
    expect(perStatus.length).toBeGreaterThan(1);
    expect(over('max')).toEqual([[Math.max(...perStatus)]]);
    expect(over('min')).toEqual([[Math.min(...perStatus)]]);
    expect(over('avg')).toEqual([[perStatus.reduce((sum, value) => sum + value, 0) / perStatus.length]]);
  });

  it('averages over all rows of an entity, also those without any', () => {
    const [[orders, customers]] = rows({ measures: ['orders.count', 'customers.customer_count'] }) as [
      [number, number],
    ];
    const perCustomer = { measures: ['orders.count'], over: { aggregate: 'avg' as const, entity: 'customers' } };
    expect(rows(perCustomer)).toEqual([[orders / customers]]);
    const none = [{ dimension: 'customers.id', operator: 'less_than' as const, values: [0] }];
    expect(rows({ ...perCustomer, over: { ...perCustomer.over, filters: none } })).toEqual([[null]]);
  });

  it('refuses plans that cannot be nested', () => {
    const over = { aggregate: 'avg' as const };
    expect(refusal({ measures: ['orders.count'], over }).message).toContain('needs dimensions');
    expect(refusal({ ...byStatus, over, limit: 3 }).message).toContain('limit');
    expect(refusal({ ...byStatus, measures: ['orders.count', 'orders.revenue'], over }).message).toContain(
      'one measure',
    );
    expect(refusal({ measures: ['orders.count'], over: { aggregate: 'max', entity: 'customers' } }).message).toContain(
      'only an average',
    );
  });

  it('divides exactly, and returns NULL for a division by zero', () => {
    expect(rows({ measures: ['orders.done_rate', 'done_share', 'orders.per_buyer'] })).toEqual([[1 / 3, 100 / 3, 35]]);
    const none = { dimension: 'orders.amount', operator: 'greater_than' as const, values: [1000] };
    expect(rows({ measures: ['orders.done_rate', 'orders.count'], filters: [none] })).toEqual([[null, 0]]);
  });

  it('orders by derived columns, and by ascending time by default', () => {
    const changes = rows({
      ...byStatus,
      timeRange: { dimension: 'orders.order_date', from: '2024-02-01', to: '2024-03-01' },
      comparison: { from: '2024-01-01', to: '2024-02-01' },
      orderBy: [{ by: 'revenue_change', direction: 'asc' }],
    });
    expect(changes).toEqual([
      ['done', null, 10, -10, -100],
      ['open', null, null, 0, null],
      [null, 60, null, 60, null],
    ]);
    expect(rows(byMonth('month'))).toEqual([
      ['2024-01', 1],
      ['2024-02', 2],
    ]);
    expect(rows(byMonth('week'))).toEqual([
      ['2024-01-29', 2],
      ['2024-02-26', 1],
    ]);
    expect(rows(byMonth('quarter'))).toEqual([['2024-Q1', 3]]);
  });

  it('keeps expressions over missing rows NULL', () => {
    const units = (more: object) => rows({ measures: ['items.units'], ...more } as QueryPlan);
    database.exec('INSERT INTO order_items VALUES (4, 5, NULL, 1)');
    expect(units({ dimensions: [{ dimension: 'orders.size' }] })).toEqual([
      [null, 5],
      ['large', 3],
      ['small', 3],
    ]);
    const without = { entity: 'orders', without: ['customers'] };
    expect(units(without)).toEqual([[null]]);
    expect(units({ segments: ['orders.completed'] })).toEqual([[3]]);
    expect(units({ excludedSegments: ['orders.completed'] })).toEqual([[8]]);
    database.exec('DELETE FROM order_items WHERE id = 4');
  });

  it('takes shares of the total, whatever a measure filter hides', () => {
    const share = { ...byStatus, share: true };
    expect(rows(share)).toEqual([
      [null, 60, 6000 / 70],
      ['done', 10, 1000 / 70],
      ['open', null, null],
    ]);
    const least = { measure: 'revenue', operator: 'less_than' as const, value: 50 };
    expect(rows({ ...share, measureFilters: [least] })).toEqual([['done', 10, 1000 / 70]]);
  });

  it('computes ad hoc measures', () => {
    const adhoc = { name: 'Most', type: 'max' as const, dimension: 'orders.amount' };
    expect(rows({ adhocMeasures: [adhoc], dimensions: [{ dimension: 'customers.name' }] })).toEqual([['Ann', 60]]);
  });
});

describe('what cannot be compiled', () => {
  it.each([
    ['nothing asked', {}, 'invalid_plan', /selects nothing/],
    ['a malformed plan', { measures: 'orders.count' }, 'invalid_plan', /measures/],
    ['an unknown part', { measure: ['orders.count'] }, 'invalid_plan', /malformed/],
    ['no rows', { ...byStatus, limit: 0 }, 'invalid_plan', /limit/],
    ['an unknown entity', { entity: 'order' }, 'unknown_name', /Did you mean orders/],
    ['an unknown measure', { measures: ['orders.revenu'] }, 'unknown_name', /Did you mean orders.revenue/],
    ['an unknown segment', { ...byStatus, segments: ['orders.compleeted'] }, 'unknown_name', /orders.completed/],
    ['a hidden dimension', { dimensions: [{ dimension: 'customers.email' }] }, 'unknown_name', /customers.email/],
    [
      'a hidden filter',
      { ...byStatus, filters: [{ dimension: 'email', operator: 'is_null' }] },
      'unknown_name',
      /email/,
    ],
    ['a name of two', { dimensions: [{ dimension: 'name' }] }, 'ambiguous_name', /customers.name/],
    ['a count of any entity', { measures: ['count'] }, 'ambiguous_name', /orders.count/],
    [
      'an order by two',
      { dimensions: [{ dimension: 'customers.name' }, { dimension: 'regions.name' }], orderBy: [{ by: 'name' }] },
      'ambiguous_name',
      /customers_name or regions_name/,
    ],
    ['a term of two', { ...byStatus, segments: ['Revenue'] }, 'ambiguous_name', /paid/],
    [
      'a grain of a text',
      { ...byStatus, dimensions: [{ dimension: 'status', grain: 'day' }] },
      'invalid_plan',
      /string/,
    ],
    [
      'a filter without values',
      { ...byStatus, filters: [{ dimension: 'status', operator: 'in', values: [] }] },
      'invalid_plan',
      /value/,
    ],
    [
      'too many values',
      { ...byStatus, filters: [{ dimension: 'amount', operator: 'less_than', values: [1, 2] }] },
      'invalid_plan',
      /one value/,
    ],
    [
      'a number that is none',
      { ...byStatus, filters: [{ dimension: 'amount', operator: 'equals', values: ['x'] }] },
      'invalid_plan',
      /not a number/,
    ],
    [
      'a date that is none',
      { ...byStatus, filters: [{ dimension: 'order_date', operator: 'equals', values: ['2024-02-30'] }] },
      'invalid_plan',
      /not a date/,
    ],
    [
      'an empty range',
      { ...byStatus, timeRange: { dimension: 'order_date', from: '2024-02-01', to: '2024-02-01' } },
      'invalid_plan',
      /empty/,
    ],
    ['a range of a text', { ...byStatus, timeRange: { dimension: 'status' } }, 'invalid_plan', /date or timestamp/],
    [
      'a comparison with nothing',
      { ...byStatus, comparison: { from: '2024-01-01', to: '2024-02-01' } },
      'invalid_plan',
      /timeRange/,
    ],
    [
      'a comparison by time',
      {
        ...byMonth('month'),
        timeRange: { dimension: 'order_date', from: '2024' },
        comparison: { from: '2023', to: '2024' },
      },
      'invalid_plan',
      /cannot be grouped/,
    ],
    ['a share of averages', { measures: ['orders.avg_amount'], share: true }, 'invalid_plan', /add up/],
    [
      'a share of overlapping groups',
      { measures: ['orders.count'], dimensions: [{ dimension: 'category' }], share: true },
      'invalid_plan',
      /disjoint/,
    ],
    [
      'rows that would repeat',
      { entity: 'customers', dimensions: [{ dimension: 'orders.id' }] },
      'fan_out',
      /list orders/,
    ],
    [
      'time that one measure lacks',
      { measures: ['orders.count', 'tickets.count'], dimensions: [{ dimension: 'order_date', grain: 'month' }] },
      'fan_out',
      /tickets has no/,
    ],
    [
      'a sum of texts',
      { adhocMeasures: [{ name: 'x', type: 'sum', dimension: 'orders.status' }] },
      'invalid_plan',
      /no sum/,
    ],
    ['an order by nothing known', { ...byStatus, orderBy: [{ by: 'colour' }] }, 'unknown_name', /colour/],
    [
      'an unknown join',
      { ...byStatus, joinPath: ['nowhere'], dimensions: [{ dimension: 'regions.name' }] },
      'unknown_name',
      /nowhere/,
    ],
  ])('%s', (_, plan, code, message) => {
    const error = refusal(plan);
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
  });

  it('needs a primary key to count rows once', () => {
    const anonymous = modelOf([
      entity('visits', {
        dimensions: [dimension('kind')],
        measures: [
          { name: 'cost', type: 'sum', sql: 'cost' },
          { name: 'highest', type: 'max', sql: 'cost' },
        ],
        joins: [{ name: 'notes', target: 'notes', relationship: 'one_to_many', on: [{ from: 'nr', to: 'visit' }] }],
      }),
      entity('notes', { dimensions: [dimension('author')] }),
    ]);
    const plan = (measure: string) => ({ measures: [measure], dimensions: [{ dimension: 'notes.author' }] });
    expect(sql(plan('visits.highest'), 'sqlite', anonymous)).toContain('MAX(visits.cost)');
    // What a join to one row relies on is unique, marked or not.
    expect(sql(plan('visits.cost'), 'sqlite', anonymous)).toContain('visits.nr AS row_key');
    const paired = modelOf([
      entity('visits', {
        dimensions: [dimension('kind')],
        measures: [{ name: 'cost', type: 'sum', sql: 'cost' }],
        joins: [{ name: 'notes', target: 'notes', relationship: 'many_to_many', on: [{ from: 'nr', to: 'visit' }] }],
      }),
      entity('notes', { dimensions: [dimension('author')] }),
    ]);
    expect(refusal(plan('visits.cost'), paired).code).toBe('fan_out');
  });

  it('refuses circles in the semantic layer and statements that would end early', () => {
    const broken = (...dimensions: [string, string][]) =>
      modelOf([entity('e', { dimensions: dimensions.map(([name, sql]) => dimension(name, 'string', { sql })) })]);
    expect(refusal({ entity: 'e' }, broken(['a', '{b}'], ['b', 'UPPER({a})'])).message).toMatch(/a → b → a/);
    expect(refusal({ entity: 'e' }, broken(['a', 'x; DROP TABLE e'])).message).toMatch(/stray ;/);
    expect(refusal({ entity: 'e' }, broken(['a', "'open"])).message).toMatch(/stray '/);
    expect(refusal({ entity: 'e' }, broken(['a', '{nothing}'])).message).toMatch(/\{nothing\}/);
  });

  it('keeps databases apart', () => {
    const two = modelOf([
      entity('a', { dimensions: [dimension('x')], connection: 'one' }),
      entity('b', { dimensions: [dimension('y')], connection: 'two' }),
    ]);
    expect(refusal({ measures: ['a.count', 'b.count'] }, two).message).toMatch(/different databases/);
    expect(refusal({ dimensions: [{ dimension: 'x' }, { dimension: 'y' }] }, two).message).toMatch(
      /different databases/,
    );
  });
});
