import { expect, it } from 'vitest';
import { cleared, filled, listOf, numbers } from './request-body.ts';

const VALUES = { name: ' Costly ', pattern: '', threshold: '1000', wrong: 'ten' };

it('sends what was filled in, and null for what was emptied', () => {
  expect(filled(VALUES, ['name', 'pattern', 'absent'])).toEqual({ name: 'Costly' });
  expect(cleared(VALUES, ['name', 'pattern', 'absent'])).toEqual({ name: 'Costly', pattern: null, absent: null });
});

it('sends numbers as numbers, and leaves it to the server to object to others', () => {
  expect(numbers(VALUES, ['threshold', 'wrong', 'pattern'])).toEqual({ threshold: 1_000, wrong: 'ten' });
});

it('reads several choices', () => {
  expect(listOf('query,admin:audit')).toEqual(['query', 'admin:audit']);
  expect(listOf('')).toEqual([]);
  expect(listOf(undefined)).toEqual([]);
});
