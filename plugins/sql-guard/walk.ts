import type { Expr, OrderTerm, Window } from './ast.ts';

/** Calls `visit` for each expression directly inside `expr`; subqueries and the sources of IN are the caller's. */
export function forEachOperand(expr: Expr, visit: (operand: Expr) => void): void {
  for (const operand of operandsOf(expr)) if (operand !== undefined) visit(operand);
  if (expr.kind === 'call') {
    forEachTerm(expr.orderBy, visit);
    if (typeof expr.over === 'object') forEachInWindow(expr.over, visit);
  }
}

function operandsOf(expr: Expr): readonly (Expr | undefined)[] {
  switch (expr.kind) {
    case 'string':
    case 'number':
    case 'blob':
    case 'constant':
    case 'name':
    case 'scalar':
    case 'exists':
      return [];
    case 'prefix':
    case 'collate':
    case 'cast':
      return [expr.operand];
    case 'chain':
      return expr.operands;
    case 'row':
      return expr.items;
    case 'like':
      return [expr.operand, expr.pattern, expr.escape];
    case 'between':
      return [expr.operand, expr.low, expr.high];
    case 'in':
      return expr.set.kind === 'list' ? [expr.operand, ...expr.set.items] : [expr.operand];
    case 'case':
      return [expr.operand, ...expr.branches.flatMap(({ condition, result }) => [condition, result]), expr.otherwise];
    case 'call':
      return [...expr.args, expr.tail, expr.filter];
    case 'lambda':
      return [expr.body];
    case 'form':
      return expr.parts.map((part) => (typeof part === 'string' ? undefined : part.expr));
  }
}

export function forEachTerm(terms: readonly OrderTerm[], visit: (expr: Expr) => void): void {
  for (const { expr } of terms) visit(expr);
}

export function forEachInWindow(window: Window, visit: (expr: Expr) => void): void {
  window.partitionBy.forEach(visit);
  forEachTerm(window.orderBy, visit);
  for (const bound of [window.frame?.start, window.frame?.end]) {
    if (bound !== undefined && 'distance' in bound) visit(bound.distance);
  }
}
