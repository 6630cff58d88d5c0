import { expect, test } from 'vitest';
import { withValue } from './with-value.ts';

test('another value stands where the wrong one stood, else it corrects the question', () => {
  expect(withValue('Revenue in koln last year', 'Koln', 'Köln')).toBe('Revenue in Köln last year');
  expect(withValue('Revenue there', 'Koln', 'Köln')).toBe('I meant Köln');
});
