import { expect, it } from 'vitest';
import { isSlip, keyOf, nameWords, root, rootKey } from './words.ts';

it.each([
  ['produced', 'production'],
  ['consume', 'consumption'],
  ['generated', 'generation'],
  ['cancelled', 'cancellation'],
  ['attend', 'attendees'],
  ['renewed', 'renewals'],
  ['paid', 'payment'],
  ['borrowed', 'borrowings'],
  ['admitted', 'admission'],
])('%s has the root of %s', (verb, noun) => {
  expect(root(verb)).toBe(root(noun));
});

it('keeps apart what only looks alike', () => {
  expect(root('produced')).not.toBe(root('products'));
  expect(rootKey(['plane'])).toBe('~plan');
  expect(rootKey(['planned'])).toBe('plan');
});

it.each([
  ['avergae', 'average', true],
  ['technican', 'technician', true],
  ['inspektion', 'inspection', true],
  ['plans', 'plants', true],
  ['plan', 'plant', false],
  ['house', 'mouse', false],
  ['order', 'order', false],
  ['contract', 'contact', true],
])('%s for %s is a slip: %s', (a, b, expected) => {
  expect(isSlip(a, b)).toBe(expected);
});

it('spells names in one way', () => {
  expect(keyOf(nameWords('total_km_driven'))).toBe(keyOf(['total', 'kilometers', 'driven']));
  expect(keyOf(nameWords('LaborCosts'))).toBe(keyOf(['labour', 'cost']));
});
