import type { Expr } from './ast.ts';

/** Binding strength, from loosest to tightest; operators of one level apply from left to right. */
export const Level = {
  or: 1,
  and: 2,
  not: 3,
  equality: 4,
  comparison: 5,
  bits: 6,
  sum: 7,
  product: 8,
  concatenation: 9,
  collate: 10,
  prefix: 11,
  primary: 12,
} as const;

/** Infix operators that take one operand on each side. */
export const infixLevels: ReadonlyMap<string, number> = new Map([
  ['OR', Level.or],
  ['AND', Level.and],
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

/** Binding strength of a node's own operator. */
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
    case 'prefix':
      return expr.operator === 'NOT' ? Level.not : Level.prefix;
    default:
      return Level.primary;
  }
}
