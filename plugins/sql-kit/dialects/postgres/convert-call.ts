/** Converts calls and windows of the server's parser. */
import type { FuncCall, SQLValueFunction, WindowDef } from 'libpg-query';
import { Level } from '../../ast/precedence.ts';
import type { Call, Expr, Frame, FrameBound, Window } from '../../ast/tree.ts';
import { type Conversion, namesOf } from './conversion.ts';
import { convertAll, convertOptional, convertOrder, form, plain } from './convert-parts.ts';
import { postgresFunctions } from './functions.ts';
import { quoteName, quoteText } from './names.ts';

/** A call, or the syntax that the grammar made a call of. */
export function convertCall(node: FuncCall, conversion: Conversion): Expr {
  const call = convertFunction(node, conversion);
  const [first, second] = call.args;
  if (node.funcformat !== 'COERCE_SQL_SYNTAX' || second === undefined || first === undefined) return call;
  const { at } = call;
  if (call.name === 'extract' && first.kind === 'string') {
    const field = quoteName(first.value) === first.value ? first.value : quoteText(first.value);
    return form(at, Level.primary, `EXTRACT(${field} FROM `, plain(second), ')');
  }
  if (call.name !== 'timezone') return call;
  const operand = { expr: second, minimum: Level.collate };
  return form(at, Level.zone, operand, ' AT TIME ZONE ', { expr: first, minimum: Level.collate });
}

/** The function by its full name, so that none of another schema can take its place. */
export function convertFunction(node: FuncCall, conversion: Conversion): Call {
  conversion.known('FuncCall', node, node.location);
  const at = conversion.at(node.location);
  const names = namesOf(node.funcname, conversion);
  const name = names.at(-1) ?? '';
  if (names.length > 2) throw conversion.refuse('function', `Function "${names.join('.')}" is not allowed`, at);
  const isOwn = names.length === 1 && postgresFunctions.has(name);
  const schema = isOwn ? 'pg_catalog' : names.at(-2);
  return {
    kind: 'call',
    at,
    schema,
    name,
    distinct: node.agg_distinct === true,
    star: node.agg_star === true,
    args: convertAll(node.args, conversion),
    orderBy: convertOrder(node.agg_order, conversion),
    withinGroup: node.agg_within_group === true,
    variadic: node.func_variadic === true,
    filter: convertOptional(node.agg_filter, conversion),
    over: node.over === undefined ? undefined : convertOver(node.over, conversion),
  };
}

const VALUE_FUNCTIONS: Readonly<Record<string, string>> = {
  SVFOP_CURRENT_DATE: 'CURRENT_DATE',
  SVFOP_CURRENT_TIME: 'CURRENT_TIME',
  SVFOP_CURRENT_TIME_N: 'CURRENT_TIME',
  SVFOP_CURRENT_TIMESTAMP: 'CURRENT_TIMESTAMP',
  SVFOP_CURRENT_TIMESTAMP_N: 'CURRENT_TIMESTAMP',
  SVFOP_LOCALTIME: 'LOCALTIME',
  SVFOP_LOCALTIME_N: 'LOCALTIME',
  SVFOP_LOCALTIMESTAMP: 'LOCALTIMESTAMP',
  SVFOP_LOCALTIMESTAMP_N: 'LOCALTIMESTAMP',
};

/** `CURRENT_DATE` and the like; those that tell about the session refuse. */
export function convertValueFunction(node: SQLValueFunction, conversion: Conversion): Expr {
  conversion.known('SQLValueFunction', node, node.location);
  const at = conversion.at(node.location);
  const value = VALUE_FUNCTIONS[node.op ?? ''];
  if (value === undefined) {
    const name = (node.op ?? '').replace('SVFOP_', '');
    throw conversion.refuse('function', `${name} is not allowed: it tells about the session`, at);
  }
  const digits = node.op?.endsWith('_N') === true ? `(${node.typmod ?? 0})` : '';
  return { kind: 'constant', at, value: value + digits };
}

// ── windows ─────────────────────────────────────────────────────────────────────────────────────────────────────

export function convertOver(node: WindowDef, conversion: Conversion): Window | string {
  return node.name !== undefined ? node.name : convertWindow(node, conversion);
}

export function convertWindow(node: WindowDef, conversion: Conversion): Window {
  conversion.known('WindowDef', node, node.location);
  return {
    base: node.refname,
    partitionBy: convertAll(node.partitionClause, conversion),
    orderBy: convertOrder(node.orderClause, conversion),
    frame: convertFrame(node, conversion),
  };
}

/** Bits of `frameOptions`, as the server's own header names them. */
const Option = {
  nonDefault: 0x1,
  rows: 0x4,
  groups: 0x8,
  between: 0x10,
  startUnbounded: 0x20,
  endUnbounded: 0x100,
  startCurrent: 0x200,
  endCurrent: 0x400,
  startPreceding: 0x800,
  endPreceding: 0x1000,
  startFollowing: 0x2000,
  endFollowing: 0x4000,
  excludeCurrent: 0x8000,
  excludeGroup: 0x10000,
  excludeTies: 0x20000,
} as const;

function convertFrame(node: WindowDef, conversion: Conversion): Frame | undefined {
  const has = (option: number) => ((node.frameOptions ?? 0) & option) !== 0;
  if (!has(Option.nonDefault)) return undefined;
  const offset = (kind: 'PRECEDING' | 'FOLLOWING', of: WindowDef['startOffset']): FrameBound => ({
    kind,
    distance: conversion.expression(of),
  });
  const start = (): FrameBound => {
    if (has(Option.startUnbounded)) return { kind: 'UNBOUNDED PRECEDING' };
    if (has(Option.startCurrent)) return { kind: 'CURRENT ROW' };
    return offset(has(Option.startPreceding) ? 'PRECEDING' : 'FOLLOWING', node.startOffset);
  };
  const end = (): FrameBound => {
    if (has(Option.endUnbounded)) return { kind: 'UNBOUNDED FOLLOWING' };
    if (has(Option.endCurrent)) return { kind: 'CURRENT ROW' };
    return offset(has(Option.endPreceding) ? 'PRECEDING' : 'FOLLOWING', node.endOffset);
  };
  return {
    unit: has(Option.rows) ? 'ROWS' : has(Option.groups) ? 'GROUPS' : 'RANGE',
    start: start(),
    end: has(Option.between) ? end() : undefined,
    exclude: has(Option.excludeCurrent)
      ? 'CURRENT ROW'
      : has(Option.excludeGroup)
        ? 'GROUP'
        : has(Option.excludeTies)
          ? 'TIES'
          : undefined,
  };
}
