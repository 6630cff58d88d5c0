/** Reads forms, such as `COALESCE(a, b)`, as a text in which operands are `§`. */
import type { Expr, Form } from './tree.ts';

export const operandsOf = ({ parts }: Form): Expr[] =>
  parts.flatMap((part) => (typeof part === 'string' ? [] : [part.expr]));

export function shapeOf({ parts }: Form): string {
  let shape = '';
  for (const part of parts) shape += typeof part === 'string' ? part : '§';
  return shape;
}
