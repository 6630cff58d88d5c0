import { expect, it } from 'vitest';
import { columnBelow } from './yaml-language.ts';

it.each([
  ['table: orders', 0],
  ['dimensions:', 2],
  ['  - name: id', 4],
  ['  - name: id ', 4],
  ['    description: >-', 6],
  ['  - on:', 6],
  ['', 0],
])('a line below %j begins at column %i', (line, column) => {
  expect(columnBelow(line)).toBe(column);
});
