/** Compares texts of the internal database in whatever case, alike on both engines. */
import type { InternalDb } from './api.ts';

/** The databases know the case of ASCII letters only, or that of their own locale: the pattern has both cases of each letter. */
export interface AnyCase {
  /** What compares an expression with the pattern. */
  readonly operator: string;
  /** The pattern of texts that have this one as a part. Every sign of it means itself. */
  pattern(text: string): string;
}

const casesOf = (character: string) =>
  [...new Set([character, character.toLowerCase(), character.toUpperCase()])].filter(
    (one) => Array.from(one).length === 1,
  );

const letters = (text: string, escaped: (character: string) => string) =>
  Array.from(
    text.toWellFormed().replaceAll('\0', ''),
    (character) => `[${casesOf(character).map(escaped).join('')}]`,
  ).join('');

export const ANY_CASE: Readonly<Record<InternalDb['dialect'], AnyCase>> = {
  sqlite: {
    operator: 'GLOB',
    // A lone `^` would negate its class, and needs none.
    pattern: (text) => `*${letters(text, (character) => character).replaceAll('[^]', '^')}*`,
  },
  postgres: {
    operator: '~',
    pattern: (text) => letters(text, (character) => character.replace(/[\][\\^-]/, '\\$&')),
  },
};
