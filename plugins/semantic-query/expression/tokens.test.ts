import { describe, expect, it } from 'vitest';
import { kitDialects } from '../../sql-kit/index.ts';
import { exactDivisions, isAggregate, simpleAggregate } from './aggregate-calls.ts';
import { isOperand, render, tokenize } from './tokens.ts';

const dialects = await kitDialects();

const tokens = (sql: string, dialect = 'postgres') => tokenize(sql, dialects.get(dialect)!.notation, 'a test');
const text = (list: readonly { text: string }[]) => list.map((token) => token.text).join('');

function qualified(sql: string, dialect = 'postgres', columns: string[] = ['date', 'year']): string {
  return render(tokens(sql, dialect), {
    alias: 'o',
    qualifier: 'o',
    ownNames: new Set(['orders', 'sales.orders']),
    columns: new Set(columns),
  });
}

describe('only columns get an alias', () => {
  it.each([
    ['amount', 'o.amount'],
    ['"Total Amount" + tax', 'o."Total Amount" + o.tax'],
    ["CASE WHEN status = 'done' THEN 1 ELSE 0 END", "CASE WHEN o.status = 'done' THEN 1 ELSE 0 END"],
    ["COALESCE(name, 'name')", "COALESCE(o.name, 'name')"],
    ['orders.status', 'o.status'],
    ['sales.orders.status', 'o.status'],
    ['other.status', 'other.status'],
    ['CAST(amount AS integer) * 1.5e3', 'CAST(o.amount AS integer) * 1.5e3'],
    ['amount::numeric(10, 2)', 'o.amount::numeric(10, 2)'],
    ['EXTRACT(year FROM created)', 'EXTRACT(year FROM o.created)'],
    ['year + 1', 'o.year + 1'],
    ["date '2024-01-01' < date", "date '2024-01-01' < o.date"],
    ["created + INTERVAL '1 day'", "o.created + INTERVAL '1 day'"],
    ['a IS NOT NULL AND b IN (1, 2) OR NOT c', 'o.a IS NOT NULL AND o.b IN (1, 2) OR NOT o.c'],
    ["x /* y */ - z -- 'w", 'o.x   - o.z'],
    ["data->>'key'", "o.data->>'key'"],
    ["E'it\\'s' || a", "E'it\\'s' || o.a"],
    ['CURRENT_DATE - created', 'CURRENT_DATE - o.created'],
    ['COUNT(DISTINCT customer_id) FILTER (WHERE paid)', 'COUNT(DISTINCT o.customer_id) FILTER (WHERE o.paid)'],
    ['straße', 'o.straße'],
    ['(SELECT MAX(x) FROM t WHERE t.id = orders.id)', '(SELECT MAX(x) FROM t WHERE t.id = o.id)'],
  ])('%s', (sql, expected) => {
    expect(qualified(sql)).toBe(expected);
  });

  it.each([
    ['mysql', 'DATE_SUB(created, INTERVAL 1 DAY)', 'DATE_SUB(o.created, INTERVAL 1 DAY)'],
    ['mysql', 'DATE_SUB(created, INTERVAL age DAY)', 'DATE_SUB(o.created, INTERVAL o.age DAY)'],
    ['mysql', 'TIMESTAMPDIFF(MONTH, a, b)', 'TIMESTAMPDIFF(MONTH, o.a, o.b)'],
    ['mysql', 'a # a comment, one line long\n + b', 'o.a   + o.b'],
    ['mysql', 'CONCAT("it\\"s", `a b`)', 'CONCAT("it\\"s", o.`a b`)'],
    ['sqlite', '[a b] || name COLLATE nocase', 'o.[a b] || o.name COLLATE nocase'],
  ] as const)('on %s: %s', (dialect, sql, expected) => {
    expect(qualified(sql, dialect)).toBe(expected);
  });
});

describe('aggregates', () => {
  it('are distinguished from scalars', () => {
    expect(isAggregate(tokens('SUM(a) / COUNT(*)'))).toBe(true);
    expect(isAggregate(tokens('MAX(0, a)'))).toBe(false);
    expect(isAggregate(tokens('ROUND(a)'))).toBe(false);
    expect(isAggregate(tokens('SUM(a) OVER ()'))).toBe(false);
  });

  it('are split into function and argument when they are one call', () => {
    expect(simpleAggregate(tokens('COUNT(*)'))).toEqual({ type: 'count', tokens: undefined });
    expect(simpleAggregate(tokens('count( DISTINCT a )'))).toMatchObject({
      type: 'count_distinct',
      tokens: [{ text: 'a' }],
    });
    expect(simpleAggregate(tokens('SUM(a) + 1'))).toBeUndefined();
    expect(simpleAggregate(tokens('SUM(DISTINCT a)'))).toBeUndefined();
    expect(simpleAggregate(tokens('SUM(a) FILTER (WHERE b)'))).toBeUndefined();
  });

  it.each([
    ['SUM(a) / COUNT(*)', 'SUM(a) * 1.0 / NULLIF(COUNT(*), 0)'],
    ['1.0 * SUM(a)/COUNT(b)', '1.0 * SUM(a)/ NULLIF(COUNT(b), 0)'],
    ['SUM(a / 2) / 100', 'SUM(a / 2) * 1.0 / 100'],
    ['ROUND(SUM(a) / NULLIF(SUM(b), 0), 2)', 'ROUND(SUM(a) * 1.0 / NULLIF(SUM(b), 0), 2)'],
    ['SUM(a) / (SUM(b) / COUNT(*))', 'SUM(a) * 1.0 / NULLIF((SUM(b) * 1.0 / NULLIF(COUNT(*), 0)), 0)'],
    ['SUM(a) / COUNT(*) FILTER (WHERE b)', 'SUM(a) * 1.0 / NULLIF(COUNT(*) FILTER (WHERE b), 0)'],
  ])('divide exactly: %s', (sql, expected) => {
    expect(text(exactDivisions(tokens(sql), true))).toBe(expected);
  });

  it('divide as written where division is exact already', () => {
    expect(text(exactDivisions(tokens('SUM(a) / COUNT(*)', 'mysql'), false))).toBe('SUM(a) / NULLIF(COUNT(*), 0)');
  });
});

it('knows what needs no parentheses beside an operator', () => {
  expect(['a', 'a.b', 'f(a, g(b))', '(a + b)', "'x'"].map((sql) => isOperand(tokens(sql)))).toEqual(
    Array(5).fill(true),
  );
  expect(['a + b', '(a) + (b)', 'f(a) || b', '- a'].map((sql) => isOperand(tokens(sql)))).toEqual(Array(4).fill(false));
});

it.each([
  ['amount /* without end', 'postgres', 'has a stray /'],
  ['$tag$ without end', 'postgres', 'has a stray $'],
  ['[without end', 'sqlite', 'has a stray ['],
  ['amount /* one /* inside */ of two', 'postgres', 'has a stray /'],
  ["name || 'without end", 'mysql', "has a stray '"],
  ["name || E'it\\'", 'postgres', "has a stray '"],
  ['amount; DROP TABLE orders', 'sqlite', 'has a stray ;'],
  ['`name`', 'postgres', 'has a stray `'],
  [`amount + ${'1 + '.repeat(6_000)} 1`, 'sqlite', 'is longer than 20000 characters'],
] as const)('refuses %s', (sql, dialect, why) => {
  expect(() => tokenize(sql, dialects.get(dialect)!.notation, 'orders.total')).toThrow(
    `The SQL of orders.total ${why}`,
  );
});

it('accepts symbols that are neither comment nor quote', () => {
  expect(text(tokens('a / b - c[1] * $1'))).toBe('a / b - c[1] * $1');
});
