/** Visits what stands directly inside an expression, an order or a window. */
import type { Expr, FrameBound, OrderTerm, Window } from './tree.ts';

/** Calls `visit` for each expression directly inside `expr`; subqueries and the sources of IN are the caller's. */
export function forEachOperand(expr: Expr, visit: (operand: Expr) => void): void {
  switch (expr.kind) {
    case 'string':
    case 'number':
    case 'blob':
    case 'constant':
    case 'name':
    case 'scalar':
    case 'exists':
      return;
    case 'prefix':
    case 'collate':
    case 'cast':
      visit(expr.operand);
      return;
    case 'chain':
      forEach(expr.operands, visit);
      return;
    case 'row':
      forEach(expr.items, visit);
      return;
    case 'like':
      visit(expr.operand);
      visit(expr.pattern);
      ifAny(expr.escape, visit);
      return;
    case 'between':
      visit(expr.operand);
      visit(expr.low);
      visit(expr.high);
      return;
    case 'in':
      visit(expr.operand);
      if (expr.set.kind === 'list') forEach(expr.set.items, visit);
      return;
    case 'case':
      ifAny(expr.operand, visit);
      for (const { condition, result } of expr.branches) {
        visit(condition);
        visit(result);
      }
      ifAny(expr.otherwise, visit);
      return;
    case 'call':
      if (expr.parameters !== undefined) forEach(expr.parameters, visit);
      forEach(expr.args, visit);
      ifAny(expr.tail, visit);
      ifAny(expr.filter, visit);
      forEachTerm(expr.orderBy, visit);
      if (typeof expr.over === 'object') forEachInWindow(expr.over, visit);
      return;
    case 'lambda':
      visit(expr.body);
      return;
    case 'form':
      for (const part of expr.parts) if (typeof part !== 'string') visit(part.expr);
  }
}

/** Calls `visit` for each of the expressions and all inside them, the outer ones first; subqueries are the caller's. */
export function forEachPart(exprs: readonly Expr[], visit: (part: Expr) => void): void {
  const visitAll = (expr: Expr): void => {
    visit(expr);
    forEachOperand(expr, visitAll);
  };
  exprs.forEach(visitAll);
}

/** Whether the test holds for an expression directly inside `expr`. */
export function someOperand(expr: Expr, test: (operand: Expr) => boolean): boolean {
  let found = false;
  forEachOperand(expr, (operand) => {
    found ||= test(operand);
  });
  return found;
}

function forEach(exprs: readonly Expr[], visit: (expr: Expr) => void): void {
  for (const expr of exprs) visit(expr);
}

function ifAny(expr: Expr | undefined, visit: (expr: Expr) => void): void {
  if (expr !== undefined) visit(expr);
}

export function forEachTerm(terms: readonly OrderTerm[], visit: (expr: Expr) => void): void {
  for (const { expr } of terms) visit(expr);
}

export function forEachInWindow(window: Window, visit: (expr: Expr) => void): void {
  forEach(window.partitionBy, visit);
  forEachTerm(window.orderBy, visit);
  if (window.frame === undefined) return;
  forEachBound(window.frame.start, visit);
  if (window.frame.end !== undefined) forEachBound(window.frame.end, visit);
}

function forEachBound(bound: FrameBound, visit: (expr: Expr) => void): void {
  if ('distance' in bound) visit(bound.distance);
}
