import { expect, it } from 'vitest';
import { jsonPieces } from './json.ts';

const row = (id: number) => ({ id, text: `é "${id}" \u2028`, none: undefined, nothing: null, list: [1, [2]] });
const rows = (count: number) => Array.from({ length: count }, (_, id) => row(id));
const wide = Object.fromEntries(
  Array.from({ length: 500 }, (_, n) => [`key ${n}`, n % 3 === 0 ? undefined : rows(n % 5)]),
);

it.each<[unknown]>([
  [undefined],
  ['text'],
  [[]],
  [{}],
  [rows(5_000)],
  [
    {
      answer: 'yes',
      data: [
        { columns: ['id'], rows: rows(3_000) },
        { columns: [], rows: [] },
      ],
      left: () => 1,
    },
  ],
  [wide],
  [[wide, undefined, () => 1, new Date(0), rows(40)]],
  [Array.from({ length: 1_000 }, (_, n) => (n % 2 === 0 ? undefined : n))],
  [Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`key ${n}`, undefined]))],
])('writes what JSON.stringify writes: %#', (value) => {
  expect([...jsonPieces(value)].join('')).toBe(JSON.stringify(value) ?? 'null');
});

it('writes rows in pieces of bounded size, whatever their width', () => {
  for (const width of [1, 1_000, 50_000]) {
    const pieces = [
      ...jsonPieces({ rows: Array.from({ length: 1_000 }, (_, id) => ({ id, text: 'x'.repeat(width) })) }),
    ];
    expect(Math.max(...pieces.slice(1).map(({ length }) => length))).toBeLessThan(200_000);
  }
});
