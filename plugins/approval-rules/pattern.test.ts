import { expect, test } from 'vitest';
import { fits } from './pattern.ts';

test.each([
  ['orders', 'orders', true],
  ['Orders', 'ORDERS', true],
  ['orders', 'orders2', false],
  ['order', 'orders', false],
  ['', 'orders', false],
  ['*', '', true],
  ['*', 'sales.orders', true],
  ['sales.*', 'sales.orders', true],
  ['sales.*', 'sales', false],
  ['*.email', 'customers.email', true],
  ['a*a', 'a', false],
  ['a*a', 'aa', true],
  ['a*b*a', 'aba', true],
  ['a*b*b*a', 'aba', false],
  ['*orders*', 'old_orders_2024', true],
  // Nothing in it is a regular expression.
  ['ord.rs', 'orders', false],
  ['ord?rs', 'orders', false],
  ['(orders|x)', 'orders', false],
])('%s and %s: %s', (pattern, name, expected) => {
  expect(fits(pattern, name)).toBe(expected);
});

test('a long name takes no time', () => {
  expect(fits('*a*a*a*a*a*a*a*b', 'a'.repeat(1_000_000))).toBe(false);
});
