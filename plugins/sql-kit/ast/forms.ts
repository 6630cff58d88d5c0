/** Makes forms, such as `COALESCE(a, b)`, and reads them as a text in which operands are `§`. */
import { Level } from './precedence.ts';
import type { Expr, Form } from './tree.ts';

/** A whole with parts in brackets or between words, so that no operator reaches into it. */
export function form(at: number, ...parts: readonly (string | Expr)[]): Form {
  const operands = parts.map((part) => (typeof part === 'string' ? part : { expr: part, minimum: Level.arrow }));
  return { kind: 'form', at, level: Level.primary, parts: operands };
}

/** `opening`, the items with commas between them, `closing`. */
export function listForm(at: number, opening: string, items: readonly Expr[], closing: string): Form {
  const parts = items.flatMap((item, index) => (index === 0 ? [item] : [', ', item]));
  return form(at, opening, ...parts, closing);
}

export const operandsOf = ({ parts }: Form): Expr[] =>
  parts.flatMap((part) => (typeof part === 'string' ? [] : [part.expr]));

export function shapeOf({ parts }: Form): string {
  let shape = '';
  for (const part of parts) shape += typeof part === 'string' ? part : '§';
  return shape;
}
