import { expect, it } from 'vitest';
import { rowsSentence } from './rows-sentence.ts';

const rows = (count: number) => Array.from({ length: count }, () => ({}));

it.each([
  [12, false, false, 12, '12 rows'],
  [1, false, false, 1, '1 row'],
  [1_000, true, false, 1_000, 'First 1,000 of more'],
  [1_000, true, false, 7, '7 of 1,000 rows. First 1,000 of more'],
  [12, false, false, 5, '5 of 12 rows.'],
  [50, false, true, 50, 'First 50 rows of the stored answer'],
  [0, false, true, 0, '0 rows'],
])('%i rows, truncated %s, stored %s, %i shown: %s', (count, truncated, isStored, shown, sentence) => {
  const table = { rows: rows(count), rowCount: count, truncated };
  expect(rowsSentence({ table, statement: undefined, isStored, shown })).toBe(sentence);
});

it('a stored answer that is known to be whole is not called a part', () => {
  const table = { rows: rows(3), rowCount: 3, truncated: false };
  expect(rowsSentence({ table, statement: { rowCount: 3, truncated: false }, isStored: true, shown: 3 })).toBe(
    '3 rows',
  );
});
