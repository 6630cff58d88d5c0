/** Ranks operators by how strongly they bind. */
import type { Expr } from './tree.ts';

/**
 * Binding strength, from loosest to tightest; operators of one level apply from left to right. One ladder for all
 * engines: each puts its operators on the rungs that it has.
 */
export const Level = {
  arrow: 1,
  or: 2,
  xor: 3,
  and: 4,
  not: 5,
  is: 6,
  equality: 7,
  comparison: 8,
  predicate: 9,
  bits: 10,
  bitAnd: 11,
  shift: 12,
  sum: 13,
  product: 14,
  power: 15,
  concatenation: 16,
  zone: 17,
  collate: 18,
  prefix: 19,
  postfix: 20,
  primary: 21,
} as const;

/** Infix operators of SQLite that take one operand on each side. */
export const infixLevels: ReadonlyMap<string, number> = new Map([
  ['OR', Level.or],
  ['AND', Level.and],
  ['IS', Level.equality],
  ['=', Level.equality],
  ['==', Level.equality],
  ['<>', Level.equality],
  ['!=', Level.equality],
  ['<', Level.comparison],
  ['<=', Level.comparison],
  ['>', Level.comparison],
  ['>=', Level.comparison],
  ['&', Level.bits],
  ['|', Level.bits],
  ['<<', Level.bits],
  ['>>', Level.bits],
  ['+', Level.sum],
  ['-', Level.sum],
  ['*', Level.product],
  ['/', Level.product],
  ['%', Level.product],
  ['||', Level.concatenation],
  ['->', Level.concatenation],
  ['->>', Level.concatenation],
]);

/**
 * Binding strength of a node's own operator. Where engines differ it is the weakest, which at most prints a pair of
 * parentheses more than is needed.
 */
export function levelOf(expr: Expr): number {
  switch (expr.kind) {
    case 'chain':
      return expr.level;
    case 'like':
    case 'between':
    case 'in':
      return Level.equality;
    case 'collate':
      return Level.collate;
    case 'form':
      return expr.level;
    case 'lambda':
      return Level.arrow;
    case 'prefix':
      if (expr.operator === 'NOT') return Level.not;
      return expr.operator === '-' || expr.operator === '+' ? Level.prefix : Level.bits;
    default:
      return Level.primary;
  }
}
