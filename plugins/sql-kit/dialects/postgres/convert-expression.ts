/** Converts expressions of the server's parser. */
import type {
  A_Const,
  A_Indices,
  A_Indirection,
  CaseExpr,
  ColumnRef,
  Node,
  RowExpr,
  SubLink,
  TypeCast,
} from 'libpg-query';
import { Level } from '../../ast/precedence.ts';
import type { Expr, Form, FormOperand } from '../../ast/tree.ts';
import { type Conversion, nameOf, namesOf } from './conversion.ts';
import { convertCall, convertValueFunction } from './convert-call.ts';
import {
  convertIsJson,
  convertJsonArray,
  convertJsonArrayAgg,
  convertJsonObject,
  convertJsonObjectAgg,
  convertJsonParse,
  convertJsonQuery,
  convertJsonQueryArray,
  convertJsonScalar,
  convertJsonSerialize,
} from './convert-json.ts';
import { convertBoolean, convertNullTest, convertOperator, convertTruthTest } from './convert-operator.ts';
import { convertAll, convertOptional, form, listForm, plain, whole } from './convert-parts.ts';
import { quoteName } from './names.ts';
import { operatorOf } from './operators.ts';
import { enumerationOf, typeText } from './types.ts';

const MAX_STEPS = 50;

/** Throws `SqlRefusal` for every node that is not known here. */
export function convertExpression(node: Node | undefined, conversion: Conversion): Expr {
  if (node === undefined) throw conversion.unknown('an empty node', undefined);
  conversion.enter();
  for (const kind in node) {
    const value = (node as Record<string, unknown>)[kind] as never;
    const converter = CONVERTERS.get(kind);
    const expr = converter === undefined ? convertRare(node, kind, value, conversion) : converter(value, conversion);
    conversion.leave();
    return expr;
  }
  throw conversion.unknown('an empty node', undefined);
}

/** By the kind of node. */
const CONVERTERS: ReadonlyMap<string, (node: never, conversion: Conversion) => Expr> = new Map(
  Object.entries({
    ColumnRef: convertColumn,
    A_Const: convertConstant,
    A_Expr: convertOperator,
    FuncCall: convertCall,
    BoolExpr: convertBoolean,
    TypeCast: convertCast,
    NullTest: convertNullTest,
    SubLink: convertSubLink,
    CaseExpr: convertCase,
    BooleanTest: convertTruthTest,
    SQLValueFunction: convertValueFunction,
    RowExpr: convertRow,
    A_Indirection: convertIndirection,
    JsonIsPredicate: convertIsJson,
    JsonObjectConstructor: convertJsonObject,
    JsonArrayConstructor: convertJsonArray,
    JsonArrayQueryConstructor: convertJsonQueryArray,
    JsonParseExpr: convertJsonParse,
    JsonScalarExpr: convertJsonScalar,
    JsonSerializeExpr: convertJsonSerialize,
    JsonObjectAgg: convertJsonObjectAgg,
    JsonArrayAgg: convertJsonArrayAgg,
    JsonFuncExpr: convertJsonQuery,
  } satisfies Record<string, (node: never, conversion: Conversion) => Expr>),
);

function convertRare(node: Node, kind: string, value: never, conversion: Conversion): Expr {
  const { location } = value as { location?: number };
  const at = conversion.at(location);
  if ('ParamRef' in node) {
    throw conversion.refuse('parameter', 'Parameters such as "$1" have no value here', at, 'Write the value itself.');
  }
  conversion.known(kind, value, location);
  if ('CoalesceExpr' in node) return listForm(at, 'COALESCE(', convertAll(node.CoalesceExpr.args, conversion), ')');
  if ('MinMaxExpr' in node) {
    const name = node.MinMaxExpr.op === 'IS_LEAST' ? 'LEAST(' : 'GREATEST(';
    return listForm(at, name, convertAll(node.MinMaxExpr.args, conversion), ')');
  }
  if ('GroupingFunc' in node) return listForm(at, 'GROUPING(', convertAll(node.GroupingFunc.args, conversion), ')');
  if ('GroupingSet' in node) {
    const { kind: set = '', content } = node.GroupingSet;
    const word = { GROUPING_SET_ROLLUP: 'ROLLUP ', GROUPING_SET_CUBE: 'CUBE ', GROUPING_SET_SETS: 'GROUPING SETS ' }[
      set as 'GROUPING_SET_ROLLUP'
    ];
    return listForm(at, `${word ?? ''}(`, convertAll(content, conversion), ')');
  }
  if ('A_ArrayExpr' in node) return listForm(at, 'ARRAY[', convertAll(node.A_ArrayExpr.elements, conversion), ']');
  if ('CollateClause' in node) {
    const { arg, collname } = node.CollateClause;
    const names = namesOf(collname, conversion);
    const operand = { expr: conversion.expression(arg), minimum: Level.collate };
    if (names.length > 2 || (names.length === 2 && names[0] !== 'pg_catalog')) {
      throw conversion.refuse('function', `Collation "${names.join('.')}" is not allowed`, at, 'Leave its schema out.');
    }
    return form(at, Level.collate, operand, ` COLLATE ${names.map(quoteName).join('.')}`);
  }
  if ('NamedArgExpr' in node) {
    const { name = '', arg } = node.NamedArgExpr;
    return form(at, Level.primary, `${quoteName(name)} => `, plain(conversion.expression(arg)));
  }
  throw conversion.unknown(kind, location);
}

function convertConstant(node: A_Const, conversion: Conversion): Expr {
  conversion.known('A_Const', node, node.location);
  const at = conversion.at(node.location);
  if (node.isnull === true) return { kind: 'constant', at, value: 'NULL' };
  if (node.ival !== undefined) return number(String(node.ival.ival ?? 0), at);
  if (node.fval !== undefined) return number(node.fval.fval ?? '0', at);
  if (node.sval !== undefined) return { kind: 'string', at, value: node.sval.sval ?? '' };
  if (node.boolval !== undefined) {
    return { kind: 'constant', at, value: node.boolval.boolval === true ? 'TRUE' : 'FALSE' };
  }
  const bits = node.bsval?.bsval ?? '';
  if (/^[bx][0-9a-fA-F]*$/.test(bits)) return form(at, Level.primary, `${bits.charAt(0)}'${bits.slice(1)}'`);
  throw conversion.unknown('a constant of an unknown kind', node.location);
}

/** The grammar makes one constant of a minus and a number; what binds tighter must not come between. */
function number(value: string, at: number): Expr {
  if (!value.startsWith('-')) return { kind: 'number', at, value };
  return { kind: 'prefix', at, operator: '-', operand: { kind: 'number', at, value: value.slice(1) } };
}

function convertColumn(node: ColumnRef, conversion: Conversion): Expr {
  conversion.known('ColumnRef', node, node.location);
  const at = conversion.at(node.location);
  const { fields = [] } = node;
  const last = fields.at(-1);
  if (last !== undefined && 'A_Star' in last) {
    const names = namesOf(fields.slice(0, -1), conversion);
    const table = names.at(-1);
    if (table === undefined || names.length > 2)
      throw conversion.unknown('a star that is not a column list', node.location);
    // Inside an expression it is the row as a whole.
    return form(at, Level.primary, `${quoteName(table)}.*`);
  }
  const names = namesOf(fields, conversion);
  if (names.length > 3) {
    const hint = 'Write table.column.';
    throw conversion.refuse('table', `Database "${names[0]}" cannot be named here`, at, hint);
  }
  const name = names.pop()!;
  const table = names.pop();
  return { kind: 'name', at, schema: names.pop(), table, name };
}

function convertCast(node: TypeCast, conversion: Conversion): Expr {
  const { arg, typeName, location } = conversion.known('TypeCast', node, node.location);
  if (arg === undefined || typeName === undefined) throw conversion.unknown('a cast without a type', location);
  const at = conversion.at(typeName.location);
  const operand = { expr: conversion.expression(arg), minimum: Level.postfix };
  const enumeration = isMadeOfTexts(operand.expr) ? enumerationOf(typeName, conversion) : undefined;
  if (enumeration === undefined) return form(at, Level.postfix, operand, `::${typeText(typeName, conversion)}`);
  return { ...form(at, Level.postfix, operand, `::${enumeration.text}`), enumeration: enumeration.name };
}

/** A text, NULL, or an array of them: what the type itself reads, without any function of the database. */
function isMadeOfTexts(expr: Expr): boolean {
  if (expr.kind === 'form' && expr.parts[0] === 'ARRAY[') {
    return expr.parts.every((part) => typeof part === 'string' || isMadeOfTexts(part.expr));
  }
  return expr.kind === 'string' || (expr.kind === 'constant' && expr.value === 'NULL');
}

function convertCase(node: CaseExpr, conversion: Conversion): Expr {
  conversion.known('CaseExpr', node, node.location);
  const branches = (node.args ?? []).map((when) => {
    if (!('CaseWhen' in when)) throw conversion.unknown('a CASE without WHEN', node.location);
    const { expr, result } = conversion.known('CaseWhen', when.CaseWhen, node.location);
    return { condition: conversion.expression(expr), result: conversion.expression(result) };
  });
  const operand = convertOptional(node.arg, conversion);
  const otherwise = convertOptional(node.defresult, conversion);
  return { kind: 'case', at: conversion.at(node.location), operand, branches, otherwise };
}

function convertRow(node: RowExpr, conversion: Conversion): Expr {
  conversion.known('RowExpr', node, node.location);
  const at = conversion.at(node.location);
  const items = convertAll(node.args, conversion);
  if (node.row_format === 'COERCE_IMPLICIT_CAST' && items.length > 1) return { kind: 'row', at, items };
  return listForm(at, 'ROW(', items, ')');
}

/** Subscripts, fields of a composite value, and all its fields. */
function convertIndirection(node: A_Indirection, conversion: Conversion): Expr {
  conversion.known('A_Indirection', node);
  const { arg, indirection = [] } = node;
  let expr = conversion.expression(arg);
  if (indirection.length > MAX_STEPS) {
    throw conversion.refuse('size', `More than ${MAX_STEPS} subscripts in a row`, expr.at, 'Use a path, such as #>.');
  }
  // A column needs no parentheses before a subscript, and with them it would be another column.
  let operand: (string | FormOperand)[] = expr.kind === 'name' ? [plain(expr)] : ['(', plain(expr), ')'];
  for (const step of indirection) {
    if ('A_Star' in step) expr = form(expr.at, Level.primary, '(', plain(expr), ').*');
    else if ('A_Indices' in step)
      expr = form(expr.at, Level.primary, ...operand, ...subscript(step.A_Indices, conversion));
    else expr = field(expr, nameOf(step, conversion));
    operand = 'A_Indices' in step ? [plain(expr)] : ['(', plain(expr), ')'];
  }
  return expr;
}

function subscript(node: A_Indices, conversion: Conversion): (string | FormOperand)[] {
  const { is_slice: isSlice, lidx, uidx } = conversion.known('A_Indices', node);
  const bound = (index: Node | undefined) => (index === undefined ? [] : [plain(conversion.expression(index))]);
  return ['[', ...bound(lidx), ...(isSlice === true ? [':'] : []), ...bound(uidx), ']'];
}

const PAIRS = new Set(['json_each', 'json_each_text', 'jsonb_each', 'jsonb_each_text']);

/**
 * `(value).name` calls the function `name` where the value has no such field, so the field is read as a column of all
 * the fields: a column without a table before it is never a call.
 */
function field(expr: Expr, name: string): Form {
  const isPair = expr.kind === 'call' && expr.schema === 'pg_catalog' && PAIRS.has(expr.name);
  if (isPair && (name === 'key' || name === 'value'))
    return form(expr.at, Level.primary, '(', plain(expr), `).${name}`);
  return form(expr.at, Level.primary, `(SELECT ${quoteName(name)} FROM (SELECT (`, plain(expr), ').*) AS "?")');
}

function convertSubLink(node: SubLink, conversion: Conversion): Expr {
  conversion.known('SubLink', node, node.location);
  const at = conversion.at(node.location);
  if (node.subselect === undefined || !('SelectStmt' in node.subselect)) {
    throw conversion.unknown('a subquery that does not read', node.location);
  }
  const select = conversion.select(node.subselect.SelectStmt);
  const scalar: Expr = { kind: 'scalar', at, select };
  switch (node.subLinkType) {
    case 'EXPR_SUBLINK':
      return scalar;
    case 'EXISTS_SUBLINK':
      return { kind: 'exists', at, select };
    case 'ARRAY_SUBLINK':
      return form(at, Level.primary, 'ARRAY', plain(scalar));
    case 'ANY_SUBLINK':
    case 'ALL_SUBLINK': {
      const operand = conversion.expression(node.testexpr);
      if (node.operName === undefined) {
        return { kind: 'in', at, not: false, operand, set: { kind: 'subquery', at, select, alias: undefined } };
      }
      const operator = operatorOf(node.operName, node.location, conversion);
      const word = node.subLinkType === 'ANY_SUBLINK' ? 'ANY' : 'ALL';
      return form(at, Level.equality, whole(operand), ` ${operator} ${word} `, plain(scalar));
    }
    default:
      throw conversion.unknown('a subquery of an unknown kind', node.location);
  }
}
