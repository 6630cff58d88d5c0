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
