import { expect, it } from 'vitest';
import { SqlRefusal } from '../../../sql-kit/index.ts';
import { refusedPlace } from './refused-place.ts';

const SQL = 'SELECT "a b",\n  pg_sleep(1)\nFROM t';
const refusal = (line: number, column: number) =>
  new SqlRefusal('function', 'The function "pg_sleep" is not allowed', { line, column }).message;

it.each([
  [2, 3, 'pg_sleep'],
  [2, 11, '('],
  [1, 8, '"a b"'],
  [3, 6, 't'],
])('line %i, column %i is %s', (line, column, marked) => {
  const place = refusedPlace(SQL, refusal(line, column));
  expect(place?.marked).toBe(marked);
  expect(`${place?.before}${place?.marked}${place?.after}`).toBe(SQL);
});

it.each(['No place.', refusal(4, 1), refusal(3, 99), refusal(0, 1), '(line 1, column 0)'])(
  '%s marks nothing',
  (error) => {
    expect(refusedPlace(SQL, error)).toBeUndefined();
  },
);
