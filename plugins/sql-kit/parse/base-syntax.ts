/** Declares the syntax that dialects begin with. */
import { infixLevels, Level } from '../ast/precedence.ts';
import type { Syntax } from './cursor.ts';

/** What SQLite does, and where the others begin. */
export const baseSyntax: Omit<Syntax, 'token'> = {
  infix: infixLevels,
  predicates: new Set(['BETWEEN', 'IN', 'LIKE', 'GLOB', 'REGEXP', 'MATCH']),
  predicateLevel: Level.equality,
  betweenLevels: [Level.not, Level.comparison],
  prefixes: new Map([
    ['-', Level.prefix],
    ['+', Level.prefix],
    ['~', Level.prefix],
  ]),
  notLevel: Level.equality,
  openers: new Set(['SELECT', 'VALUES', 'WITH']),
  isStandard: false,
  textIsName: true,
  longestNamingText: Number.POSITIVE_INFINITY,
};
