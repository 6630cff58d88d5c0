import { describe, expect, it } from 'vitest';
import type { ResultTable } from '../api/query-result.ts';
import { FIGURE, FigureIndex } from './figures.ts';

const index = (rows: ResultTable['rows']) =>
  new FigureIndex({ columns: Object.keys(rows[0] ?? {}), rows } as ResultTable);

describe('figures', () => {
  it.each([
    ['Europe: 882,269.60 USD', ['882,269.60']],
    ['from 2025-01-01 to 2025-02-01', []],
    ['version 1.2.3 of v2', []],
    ['3 of 12 (25%) at 10:30', ['3', '12', '25']],
    ['It fell by -1.5.', ['-1.5']],
  ])('in "%s" are %j', (text, expected) => {
    expect(text.match(FIGURE) ?? []).toEqual(expected);
  });

  it('lead to the cell that they are, also rounded and as a percentage', () => {
    const found = index([
      { region: 'Europe', revenue: 882_269.6, share: 0.1254 },
      { region: 'Asia', revenue: '186138.274', share: null },
    ]);
    expect(found.find('882,269.60')).toEqual({ row: 0, column: 'revenue' });
    expect(found.find('186,138')).toEqual({ row: 1, column: 'revenue' });
    expect(found.find('12.5')).toEqual({ row: 0, column: 'share' });
    expect(found.find('882,270.60')).toBeUndefined();
  });
});
