import { Text } from '@codemirror/state';
import { expect, it } from 'vitest';
import { rangeOf } from './problem-range.ts';

const FILE = Text.of(['table: orders', 'dimensions:', '  - { nme: id }', '']);

it.each([
  [{ line: 1, column: 1 }, 'table'],
  [{ line: 1, column: 8 }, 'orders'],
  [{ line: 3, column: 7 }, 'nme'],
  [{ line: 3, column: 5 }, '{ nme: id }'],
  [{ line: 2, column: 99 }, 'dimensions:'],
  [{ line: 0, column: 0 }, 'table'],
  [{ line: 99, column: 1 }, ''],
])('%j is about %j', (place, text) => {
  const { from, to } = rangeOf(FILE, place);
  expect(FILE.sliceString(from, to)).toBe(text);
});
