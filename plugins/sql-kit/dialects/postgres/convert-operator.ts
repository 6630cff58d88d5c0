/** Converts operators and predicates of the server's parser. */
import type { A_Expr, BoolExpr, BooleanTest, Node, NullTest } from 'libpg-query';
import { Level } from '../../ast/precedence.ts';
import type { Chain, Expr } from '../../ast/tree.ts';
import type { Conversion } from './conversion.ts';
import { convertAll, form, listForm, whole } from './convert-parts.ts';
import { infixLevel, operatorOf } from './operators.ts';

const MAX_CHAIN = 900;

/** Operators between, before and around their operands. */
export function convertOperator(node: A_Expr, conversion: Conversion): Expr {
  conversion.known('A_Expr', node, node.location);
  switch (node.kind) {
    case 'AEXPR_OP':
      return node.lexpr === undefined ? prefix(node, conversion) : infix(node, conversion);
    case 'AEXPR_OP_ANY':
    case 'AEXPR_OP_ALL': {
      const operator = operatorOf(node.name, node.location, conversion);
      const word = node.kind === 'AEXPR_OP_ANY' ? 'ANY' : 'ALL';
      const [left, right] = operands(node, conversion);
      return form(left.at, Level.equality, whole(left), ` ${operator} ${word} (`, { expr: right, minimum: 0 }, ')');
    }
    case 'AEXPR_DISTINCT':
    case 'AEXPR_NOT_DISTINCT': {
      const operator = node.kind === 'AEXPR_DISTINCT' ? 'IS DISTINCT FROM' : 'IS NOT DISTINCT FROM';
      return chain(Level.is, operands(node, conversion), [operator]);
    }
    case 'AEXPR_NULLIF':
      return listForm(conversion.at(node.location), 'NULLIF(', operands(node, conversion), ')');
    case 'AEXPR_IN':
      return {
        kind: 'in',
        at: conversion.at(node.location),
        not: operatorOf(node.name, node.location, conversion) === '<>',
        operand: conversion.expression(node.lexpr),
        set: { kind: 'list', items: convertAll(listOf(node.rexpr, conversion), conversion) },
      };
    case 'AEXPR_LIKE':
    case 'AEXPR_ILIKE':
    case 'AEXPR_SIMILAR':
      return pattern(node, node.kind, conversion);
    case 'AEXPR_BETWEEN':
    case 'AEXPR_NOT_BETWEEN':
    case 'AEXPR_BETWEEN_SYM':
    case 'AEXPR_NOT_BETWEEN_SYM':
      return between(node, node.kind, conversion);
    default:
      throw conversion.unknown('an operator of an unknown kind', node.location);
  }
}

function operands(node: A_Expr, conversion: Conversion): [Expr, Expr] {
  return [conversion.expression(node.lexpr), conversion.expression(node.rexpr)];
}

function listOf(node: Node | undefined, conversion: Conversion): readonly Node[] {
  if (node !== undefined && 'List' in node) return node.List.items ?? [];
  throw conversion.unknown('a list that is not one', undefined);
}

function chain(level: number, parts: Expr[], operators: string[]): Chain {
  return { kind: 'chain', at: parts[0]?.at ?? 0, level, operands: parts, operators };
}

function prefix(node: A_Expr, conversion: Conversion): Expr {
  const operator = operatorOf(node.name, node.location, conversion);
  const at = conversion.at(node.location);
  const operand = conversion.expression(node.rexpr);
  if (operator === '-' || operator === '+') return { kind: 'prefix', at, operator, operand };
  return form(at, Level.bits, `${operator} `, whole(operand));
}

/** `a + b - c` is one chain: the left ends of operators of one strength are followed without going deeper. */
function infix(node: A_Expr, conversion: Conversion): Expr {
  const operators = [operatorOf(node.name, node.location, conversion)];
  const rights = [node.rexpr];
  const level = infixLevel(operators[0]!);
  let left = node.lexpr;
  while (level !== Level.equality && left !== undefined && 'A_Expr' in left) {
    const { kind, lexpr, rexpr, name, location }: A_Expr = left.A_Expr;
    if (kind !== 'AEXPR_OP' || lexpr === undefined) break;
    const operator = operatorOf(name, location, conversion);
    if (infixLevel(operator) !== level) break;
    conversion.known('A_Expr', left.A_Expr, location);
    operators.push(operator);
    rights.push(rexpr);
    left = lexpr;
  }
  if (operators.length > MAX_CHAIN) {
    const hint = 'Split the calculation.';
    throw conversion.refuse('size', `More than ${MAX_CHAIN} operators in a row`, conversion.at(node.location), hint);
  }
  const parts = [conversion.expression(left)];
  for (const right of rights.reverse()) parts.push(conversion.expression(right));
  return chain(level, parts, operators.reverse());
}

/** LIKE and its kind; the grammar has made a call of ESCAPE, and of SIMILAR TO always. */
function pattern(node: A_Expr, kind: 'AEXPR_LIKE' | 'AEXPR_ILIKE' | 'AEXPR_SIMILAR', conversion: Conversion): Expr {
  const operator = operatorOf(node.name, node.location, conversion);
  const word = { AEXPR_LIKE: 'LIKE', AEXPR_ILIKE: 'ILIKE', AEXPR_SIMILAR: 'SIMILAR TO' }[kind];
  const left = { expr: conversion.expression(node.lexpr), minimum: Level.bits };
  const { rexpr } = node;
  const call = rexpr !== undefined && 'FuncCall' in rexpr ? rexpr.FuncCall : undefined;
  const name = (call?.funcname ?? []).map((part) => ('String' in part ? part.String.sval : '')).join('.');
  const isEscape = name === 'pg_catalog.like_escape' || name === 'pg_catalog.similar_to_escape';
  const args = isEscape ? convertAll(call?.args, conversion) : [conversion.expression(rexpr)];
  const [like, escapedBy] = args.map((expr) => ({ expr, minimum: Level.bits }));
  if (like === undefined) throw conversion.unknown('a pattern that is empty', node.location);
  const words = ` ${operator.startsWith('!') ? 'NOT ' : ''}${word} `;
  const at = conversion.at(node.location);
  if (escapedBy === undefined) return form(at, Level.equality, left, words, like);
  return form(at, Level.equality, left, words, like, ' ESCAPE ', escapedBy);
}

type BetweenKind = 'AEXPR_BETWEEN' | 'AEXPR_NOT_BETWEEN' | 'AEXPR_BETWEEN_SYM' | 'AEXPR_NOT_BETWEEN_SYM';

function between(node: A_Expr, kind: BetweenKind, conversion: Conversion): Expr {
  const [low, high] = convertAll(listOf(node.rexpr, conversion), conversion);
  if (low === undefined || high === undefined) throw conversion.unknown('BETWEEN without bounds', node.location);
  const not = kind.startsWith('AEXPR_NOT') ? 'NOT ' : '';
  const word = `${not}BETWEEN${kind.endsWith('SYM') ? ' SYMMETRIC' : ''}`;
  const left = { expr: conversion.expression(node.lexpr), minimum: Level.bits };
  const bound = (expr: Expr) => ({ expr, minimum: isArithmetic(expr) ? Level.bits : Level.primary });
  return form(conversion.at(node.location), Level.equality, left, ` ${word} `, bound(low), ' AND ', bound(high));
}

/** The lower bound may hold operators, and not what is written with words. */
const isArithmetic = (expr: Expr) => expr.kind === 'chain' || expr.kind === 'prefix';

export function convertBoolean(node: BoolExpr, conversion: Conversion): Expr {
  conversion.known('BoolExpr', node, node.location);
  const at = conversion.at(node.location);
  const args = node.args ?? [];
  if (args.length > MAX_CHAIN) {
    throw conversion.refuse(
      'size',
      `More than ${MAX_CHAIN} operators in a row`,
      at,
      'Use IN (…) for a list of values.',
    );
  }
  if (node.boolop === 'NOT_EXPR') {
    const operand = conversion.expression(args[0]);
    // The grammar reads NOT IN (SELECT …) as NOT (… IN …).
    if (operand.kind === 'in' && operand.set.kind === 'subquery' && !operand.not) return { ...operand, not: true };
    return { kind: 'prefix', at, operator: 'NOT', operand };
  }
  const [level, operator] = node.boolop === 'OR_EXPR' ? ([Level.or, 'OR'] as const) : ([Level.and, 'AND'] as const);
  const parts = convertAll(args, conversion);
  return chain(
    level,
    parts,
    parts.slice(1).map(() => operator),
  );
}

export function convertNullTest(node: NullTest, conversion: Conversion): Expr {
  conversion.known('NullTest', node, node.location);
  return test(node.arg, node.nulltesttype === 'IS_NOT_NULL' ? 'IS NOT NULL' : 'IS NULL', conversion);
}

export function convertTruthTest(node: BooleanTest, conversion: Conversion): Expr {
  conversion.known('BooleanTest', node, node.location);
  return test(node.arg, (node.booltesttype ?? '').replaceAll('_', ' '), conversion);
}

function test(node: Node | undefined, words: string, conversion: Conversion): Expr {
  const operand = conversion.expression(node);
  return form(operand.at, Level.is, { expr: operand, minimum: Level.equality }, ` ${words}`);
}
