import { expect, test } from 'vitest';
import type { ToolTable } from '../../kernel/index.ts';
import { grounding } from './grounding.ts';

const WRONG = 'North 98,765.13 or 41.37%, after 12,345.67 (+17.31%), over 77,777 in 4,444.17; 3.777 times South.';

function table(length: number, columns: number): ToolTable {
  const names = Array.from({ length: columns }, (_, index) => `c${index}`);
  const rows = Array.from({ length }, (_, row) =>
    Object.fromEntries(names.map((name, index) => [name, index % 2 === 0 ? row * 1.37 + index : `Label ${row % 90}`])),
  );
  return { sql: '', connectionId: 'default', columns: names, rows, truncated: false };
}

const check = (text: string, tables: readonly ToolTable[]) => grounding({ text, tables, said: [], context: () => [] });

test.each([
  [1, 1],
  [1_000, 8],
  [10_000, 8],
  [200, 400],
])('the work of %i rows of %i columns is bounded by count', (length, columns) => {
  const { ungrounded, work } = check(WRONG, [table(length, columns)]);
  expect(ungrounded.length).toBeGreaterThan(0);
  expect(work).toBeLessThanOrEqual(16_000 + 8);
});

test('of more cells than are read nothing is said', () => {
  const tables = [table(20_000, 8)];
  expect(check(WRONG, tables)).toMatchObject({ ungrounded: [], work: expect.any(Number) });
});

const list = (write: (index: number) => string) => Array.from({ length: 400 }, (_, index) => write(index)).join('; ');

/** 100,000 cells. One by one, each would be compared with 400 figures and more: 40 million comparisons. */
test.each([
  ['numbers', list((n) => `${(n * 7919) % 99_991}.37`)],
  ['groups of digits that are one number or several', list((n) => `${(n % 900) + 1} ${100 + n} ${999 - n}`)],
  ['wide roundings that overlap', list((n) => `${(n / 100).toFixed(2)}M, about ${n} k`)],
  ['numbers with a minus', list((n) => `for -${n}k`)],
  ['the same number', list(() => '1,234.5')],
  ['long runs of digits', list((n) => `${n}${'9'.repeat(30)}`)],
  ['lines of a list', list((n) => `\n- item ${n}: ${n * 13}.7%`)],
])('%s are looked for in a number of comparisons that grows with the logarithm of theirs', (_, text) => {
  const names = Array.from({ length: 20 }, (_, index) => `c${index}`);
  const rows = Array.from({ length: 5_000 }, (_, row) =>
    Object.fromEntries(names.map((name, index) => [name, ((row * 31 + index * 7_907) % 999_983) * 1.37])),
  );
  const large = { sql: '', connectionId: 'default', columns: names, rows, truncated: false };
  const { comparisons } = check(text, [large]);
  expect(comparisons).toBeGreaterThan(100);
  expect(comparisons).toBeLessThan(100_000 * 20);
});

test('an endless answer is read up to a limit', () => {
  const { ungrounded } = check('12,345.67 and '.repeat(100_000), [table(5, 2)]);
  expect(ungrounded.length).toBeLessThanOrEqual(400);
});
