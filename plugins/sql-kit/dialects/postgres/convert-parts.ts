/** Converts what expressions and statements have in common: lists, orders, and syntax kept as a form. */
import type { Node } from 'libpg-query';
import { Level } from '../../ast/precedence.ts';
import type { Expr, Form, FormOperand, OrderTerm } from '../../ast/tree.ts';
import type { Conversion } from './conversion.ts';

/** An operand that stands as it is, whatever it holds. */
export const plain = (expr: Expr): FormOperand => ({ expr, minimum: 0 });
/** An operand in parentheses unless it binds more strongly than every operator. */
export const whole = (expr: Expr): FormOperand => ({ expr, minimum: Level.primary });

export const form = (at: number, level: number, ...parts: (string | FormOperand)[]): Form => ({
  kind: 'form',
  at,
  level,
  parts,
});

/** `before a, b, c after`. */
export function listForm(at: number, before: string, items: readonly Expr[], after: string): Form {
  const parts: Form['parts'][number][] = [before];
  for (const item of items) {
    if (parts.length > 1) parts.push(', ');
    parts.push(plain(item));
  }
  parts.push(after);
  return { kind: 'form', at, level: Level.primary, parts };
}

/** Converts each of the expressions. */
export function convertAll(nodes: readonly Node[] | undefined, conversion: Conversion): Expr[] {
  const exprs: Expr[] = [];
  if (nodes !== undefined) for (const node of nodes) exprs.push(conversion.expression(node));
  return exprs;
}

export const convertOptional = (node: Node | undefined, conversion: Conversion): Expr | undefined =>
  node === undefined ? undefined : conversion.expression(node);

const DIRECTIONS = { SORTBY_ASC: 'ASC', SORTBY_DESC: 'DESC' } as const;
const NULLS = { SORTBY_NULLS_FIRST: 'FIRST', SORTBY_NULLS_LAST: 'LAST' } as const;

/** Converts ORDER BY; empty where there is none. */
export function convertOrder(nodes: readonly Node[] | undefined, conversion: Conversion): OrderTerm[] {
  return (nodes ?? []).map((node) => {
    if (!('SortBy' in node)) throw conversion.unknown('an order of an unknown kind', undefined);
    const sort = conversion.known('SortBy', node.SortBy);
    const { sortby_dir: direction, sortby_nulls: nulls, useOp } = sort;
    const expr = conversion.expression(sort.node);
    if (useOp !== undefined) {
      throw conversion.refuse('syntax', 'ORDER BY … USING is not allowed here', expr.at, 'Write ASC or DESC.');
    }
    return {
      expr,
      direction: DIRECTIONS[direction as 'SORTBY_ASC'],
      nulls: NULLS[nulls as 'SORTBY_NULLS_FIRST'],
    };
  });
}
