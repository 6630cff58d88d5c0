/** Converts SELECT and WITH of the server's parser. */
import type { CommonTableExpr, Node, ResTarget, SelectStmt, WithClause } from 'libpg-query';
import { Level } from '../../ast/precedence.ts';
import type { CommonTable, Core, Form, ResultColumn, Select, SetOperator, With } from '../../ast/tree.ts';
import { columnName } from './column-name.ts';
import { type Conversion, nameOf, namesOf } from './conversion.ts';
import { convertWindow } from './convert-call.ts';
import { convertFrom } from './convert-from.ts';
import { convertAll, convertOptional, convertOrder, form, plain } from './convert-parts.ts';
import { quoteName } from './names.ts';

const MAX_PARTS = 500;

/** Throws `SqlRefusal` for everything that is not a plain reading SELECT. */
export function convertSelect(node: SelectStmt, conversion: Conversion): Select {
  conversion.enter();
  const select = convert(node, conversion);
  conversion.leave();
  return select;
}

function convert(node: SelectStmt, conversion: Conversion): Select {
  if (node.intoClause !== undefined) {
    throw conversion.refuse(
      'not_reading',
      'SELECT INTO makes a table',
      conversion.at(node.intoClause.rel?.location),
      'Leave INTO out.',
    );
  }
  if (node.lockingClause !== undefined) {
    throw conversion.refuse('not_reading', 'FOR UPDATE and FOR SHARE lock rows', 0, 'Leave the locking clause out.');
  }
  conversion.known('SelectStmt', node);
  // With comes first: its tables stand first in the text, and their refusals should.
  const clause = node.withClause === undefined ? undefined : convertWith(node.withClause, conversion);
  const { first, rest } = parts(node, conversion);
  return {
    kind: 'select',
    at: first.at,
    with: clause,
    first,
    rest,
    orderBy: convertOrder(node.sortClause, conversion),
    limit: convertOptional(node.limitCount, conversion),
    offset: convertOptional(node.limitOffset, conversion),
    withTies: node.limitOption === 'LIMIT_OPTION_WITH_TIES',
  };
}

// ── set operations ──────────────────────────────────────────────────────────────────────────────────────────────

/** A set operation whose left side is one of the same strength goes on from it without parentheses. */
function parts(node: SelectStmt, conversion: Conversion): Pick<Select, 'first' | 'rest'> {
  if (node.op === undefined || node.op === 'SETOP_NONE') return { first: convertCore(node, conversion), rest: [] };
  const steps: { operator: SetOperator; node: SelectStmt }[] = [];
  let left: SelectStmt | undefined = node;
  const isIntersect = node.op === 'SETOP_INTERSECT';
  do {
    const { op, all, larg, rarg }: SelectStmt = left;
    if (rarg === undefined || larg === undefined) throw conversion.unknown('a set operation with one side', undefined);
    const word = ({ SETOP_UNION: 'UNION', SETOP_INTERSECT: 'INTERSECT', SETOP_EXCEPT: 'EXCEPT' } as const)[
      op as 'SETOP_UNION'
    ];
    steps.push({ operator: all === true ? `${word} ALL` : word, node: rarg });
    left = larg;
  } while (isOperation(left) && (left.op === 'SETOP_INTERSECT') === isIntersect && !hasClauses(left));
  if (steps.length > MAX_PARTS) {
    throw conversion.refuse('size', `More than ${MAX_PARTS} SELECTs in a row`, 0, 'Use one SELECT with a condition.');
  }
  steps.reverse();
  return {
    first: part(left, conversion),
    rest: steps.map((step) => ({ operator: step.operator, core: part(step.node, conversion) })),
  };
}

const isOperation = ({ op }: SelectStmt) => op !== undefined && op !== 'SETOP_NONE';

/** Whether the SELECT has clauses that, without parentheses, would be those of the whole. */
const hasClauses = (node: SelectStmt) =>
  [node.sortClause, node.limitCount, node.limitOffset, node.withClause, node.lockingClause].some(
    (clause) => clause !== undefined,
  );

function part(node: SelectStmt, conversion: Conversion): Core {
  if (isOperation(node) || hasClauses(node)) {
    const select = conversion.select(node);
    return { kind: 'nested', at: select.at, select };
  }
  const { first } = conversion.select(node);
  return first;
}

// ── SELECT and VALUES ───────────────────────────────────────────────────────────────────────────────────────────

function convertCore(node: SelectStmt, conversion: Conversion): Core {
  if (node.valuesLists !== undefined) {
    const rows = node.valuesLists.map((row) => {
      if (!('List' in row)) throw conversion.unknown('VALUES without rows', undefined);
      return convertAll(row.List.items, conversion);
    });
    return { kind: 'values', at: rows[0]?.[0]?.at ?? 0, rows };
  }
  const { distinctClause: distinct } = node;
  // DISTINCT alone is a list of one empty node.
  const isPlain = distinct?.length === 1 && Object.keys(distinct[0]!).length === 0;
  const from = convertFrom(node.fromClause, conversion);
  const columns = (node.targetList ?? []).map((target) => convertColumn(target, conversion));
  const [first] = columns;
  return {
    kind: 'core',
    at: (first?.kind === 'column' ? first.expr.at : first?.at) ?? from?.first.at ?? 0,
    distinct: distinct !== undefined,
    distinctOn: isPlain || distinct === undefined ? undefined : convertAll(distinct, conversion),
    columns,
    from,
    where: convertOptional(node.whereClause, conversion),
    groupBy: convertAll(node.groupClause, conversion),
    groupDistinct: node.groupDistinct === true,
    having: convertOptional(node.havingClause, conversion),
    windows: (node.windowClause ?? []).map((window) => {
      if (!('WindowDef' in window)) throw conversion.unknown('a window of an unknown kind', undefined);
      const { name = '', ...definition } = window.WindowDef;
      return { name, window: convertWindow(definition, conversion) };
    }),
  };
}

function convertColumn(node: Node, conversion: Conversion): ResultColumn {
  if (!('ResTarget' in node)) throw conversion.unknown('a column of an unknown kind', undefined);
  const target: ResTarget = conversion.known('ResTarget', node.ResTarget, node.ResTarget.location);
  const { val } = target;
  if (val !== undefined && 'ColumnRef' in val) {
    const { fields = [], location } = val.ColumnRef;
    const last = fields.at(-1);
    if (last !== undefined && 'A_Star' in last) {
      conversion.known('ColumnRef', val.ColumnRef, location);
      const names = namesOf(fields.slice(0, -1), conversion);
      if (names.length > 2) throw conversion.unknown('a star with more than schema and table', location);
      return { kind: 'star', at: conversion.at(location), table: names.at(-1) };
    }
  }
  const expr = conversion.expression(val);
  const name = target.name === undefined ? columnName(val) : undefined;
  return { kind: 'column', expr, alias: target.name, text: undefined, name };
}

// ── WITH ────────────────────────────────────────────────────────────────────────────────────────────────────────

function convertWith(node: WithClause, conversion: Conversion): With {
  conversion.known('WithClause', node, node.location);
  const tables = (node.ctes ?? []).map((cte) => {
    if (!('CommonTableExpr' in cte)) throw conversion.unknown('a common table of an unknown kind', node.location);
    return convertCommonTable(cte.CommonTableExpr, conversion);
  });
  return { recursive: node.recursive === true, tables };
}

function convertCommonTable(node: CommonTableExpr, conversion: Conversion): CommonTable {
  conversion.known('CommonTableExpr', node, node.location);
  const at = conversion.at(node.location);
  const { ctename: name = '', ctequery: query } = node;
  if (query === undefined || !('SelectStmt' in query)) {
    const hint = 'Only SELECT and VALUES may stand in WITH.';
    throw conversion.refuse('not_reading', `The common table "${name}" does not only read`, at, hint);
  }
  const { ctematerialized } = node;
  return {
    at,
    name,
    columns: namesOf(node.aliascolnames, conversion),
    materialized:
      ctematerialized === 'CTEMaterializeAlways' ? true : ctematerialized === 'CTEMaterializeNever' ? false : undefined,
    select: conversion.select(query.SelectStmt),
    suffix: convertSuffix(node, at, conversion),
    added: [
      node.search_clause?.search_seq_column,
      node.cycle_clause?.cycle_mark_column,
      node.cycle_clause?.cycle_path_column,
    ].filter((added) => added !== undefined),
  };
}

/** SEARCH and CYCLE of a recursive common table. */
function convertSuffix(node: CommonTableExpr, at: number, conversion: Conversion): Form | undefined {
  const search = node.search_clause && conversion.known('CTESearchClause', node.search_clause, node.location);
  const cycle = node.cycle_clause && conversion.known('CTECycleClause', node.cycle_clause, node.location);
  const names = (nodes: readonly Node[] = []) => nodes.map((name) => quoteName(nameOf(name, conversion))).join(', ');
  const parts: Form['parts'][number][] = [];
  if (search !== undefined) {
    const order = search.search_breadth_first === true ? 'BREADTH' : 'DEPTH';
    parts.push(
      ` SEARCH ${order} FIRST BY ${names(search.search_col_list)} SET ${quoteName(search.search_seq_column ?? '')}`,
    );
  }
  if (cycle !== undefined) {
    parts.push(` CYCLE ${names(cycle.cycle_col_list)} SET ${quoteName(cycle.cycle_mark_column ?? '')} TO `);
    parts.push(plain(conversion.expression(cycle.cycle_mark_value)), ' DEFAULT ');
    parts.push(plain(conversion.expression(cycle.cycle_mark_default)));
    parts.push(` USING ${quoteName(cycle.cycle_path_column ?? '')}`);
  }
  return parts.length === 0 ? undefined : form(at, Level.primary, ...parts);
}
