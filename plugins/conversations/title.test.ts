import { expect, it } from 'vitest';
import { titleOf } from './title.ts';

it.each([
  ['How many\n\torders?', 'How many orders?'],
  ['a\u0000b\u001b[31m', 'a b [31m'],
  ['half \ud83d of one', 'half \ufffd of one'],
  ['word '.repeat(30), `${'word '.repeat(16).trim()}…`],
])('makes a title of %j', (question, title) => {
  expect(titleOf(question)).toBe(title);
});

it.each([
  ['x'.repeat(80), 'x'.repeat(80)],
  ['x'.repeat(81), `${'x'.repeat(80)}…`],
  // A cut after a word that leaves more than half, and within a word otherwise.
  [`${'x'.repeat(41)} ${'y'.repeat(60)}`, `${'x'.repeat(41)}…`],
  [`${'x'.repeat(40)} ${'y'.repeat(60)}`, `${'x'.repeat(40)} ${'y'.repeat(39)}…`],
  ['😀'.repeat(80), '😀'.repeat(80)],
  ['😀'.repeat(81), `${'😀'.repeat(80)}…`],
  [`How many?${' '.repeat(2_000)}And?`, 'How many?…'],
  [`How many?${' '.repeat(1_991)}`, 'How many?'],
  [`${'x'.repeat(79)}  ${'y'.repeat(9)}`, `${'x'.repeat(79)}…`],
  ['  ', ''],
])('cuts %j', (question, title) => {
  expect(titleOf(question)).toBe(title);
});
