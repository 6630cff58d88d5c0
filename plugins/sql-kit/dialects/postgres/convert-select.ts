/** Converts SELECT and WITH of the server's parser. */
import type { CommonTableExpr, Node, ResTarget, SelectStmt, WithClause } from 'libpg-query';
import { Level } from '../../ast/precedence.ts';
import type { CommonTable, Core, Form, ResultColumn, Select, SetOperator, With } from '../../ast/tree.ts';
import { columnName } from './column-name.ts';
import { nameOf, namesOf, type Reading } from './conversion.ts';
import { convertWindow } from './convert-call.ts';
import { convertFrom } from './convert-from.ts';
import { convertAll, convertOptional, convertOrder, form, plain } from './convert-parts.ts';
import { quoteName } from './names.ts';

const MAX_PARTS = 500;

/** Throws `SqlRefusal` for everything that is not a plain reading SELECT. */
export function convertSelect(node: SelectStmt, reading: Reading): Select {
  reading.enter();
  const select = convert(node, reading);
  reading.leave();
  return select;
}

function convert(node: SelectStmt, reading: Reading): Select {
  if (node.intoClause !== undefined) {
    throw reading.refuse(
      'not_reading',
      'SELECT INTO makes a table',
      reading.at(node.intoClause.rel?.location),
      'Leave INTO out.',
    );
  }
  if (node.lockingClause !== undefined) {
    throw reading.refuse('not_reading', 'FOR UPDATE and FOR SHARE lock rows', 0, 'Leave the locking clause out.');
  }
  reading.known('SelectStmt', node);
  // With comes first: its tables stand first in the text, and their refusals should.
  const clause = node.withClause === undefined ? undefined : convertWith(node.withClause, reading);
  const { first, rest } = parts(node, reading);
  return {
    kind: 'select',
    at: first.at,
    with: clause,
    first,
    rest,
    orderBy: convertOrder(node.sortClause, reading),
    limit: convertOptional(node.limitCount, reading),
    offset: convertOptional(node.limitOffset, reading),
    withTies: node.limitOption === 'LIMIT_OPTION_WITH_TIES',
  };
}

// ── set operations ──────────────────────────────────────────────────────────────────────────────────────────────

/** A set operation whose left side is one of the same strength goes on from it without parentheses. */
function parts(node: SelectStmt, reading: Reading): Pick<Select, 'first' | 'rest'> {
  if (node.op === undefined || node.op === 'SETOP_NONE') return { first: convertCore(node, reading), rest: [] };
  const steps: { operator: SetOperator; node: SelectStmt }[] = [];
  let left: SelectStmt | undefined = node;
  const isIntersect = node.op === 'SETOP_INTERSECT';
  do {
    const { op, all, larg, rarg }: SelectStmt = left;
    if (rarg === undefined || larg === undefined) throw reading.unknown('a set operation with one side', undefined);
    const word = ({ SETOP_UNION: 'UNION', SETOP_INTERSECT: 'INTERSECT', SETOP_EXCEPT: 'EXCEPT' } as const)[
      op as 'SETOP_UNION'
    ];
    steps.push({ operator: all === true ? `${word} ALL` : word, node: rarg });
    left = larg;
  } while (isOperation(left) && (left.op === 'SETOP_INTERSECT') === isIntersect && !hasClauses(left));
  if (steps.length > MAX_PARTS) {
    throw reading.refuse('size', `More than ${MAX_PARTS} SELECTs in a row`, 0, 'Use one SELECT with a condition.');
  }
  steps.reverse();
  return {
    first: part(left, reading),
    rest: steps.map((step) => ({ operator: step.operator, core: part(step.node, reading) })),
  };
}

const isOperation = ({ op }: SelectStmt) => op !== undefined && op !== 'SETOP_NONE';

/** Whether the SELECT has clauses that, without parentheses, would be those of the whole. */
const hasClauses = (node: SelectStmt) =>
  [node.sortClause, node.limitCount, node.limitOffset, node.withClause, node.lockingClause].some(
    (clause) => clause !== undefined,
  );

function part(node: SelectStmt, reading: Reading): Core {
  if (isOperation(node) || hasClauses(node)) {
    const select = reading.select(node);
    return { kind: 'nested', at: select.at, select };
  }
  const { first } = reading.select(node);
  return first;
}

// ── SELECT and VALUES ───────────────────────────────────────────────────────────────────────────────────────────

function convertCore(node: SelectStmt, reading: Reading): Core {
  if (node.valuesLists !== undefined) {
    const rows = node.valuesLists.map((row) => {
      if (!('List' in row)) throw reading.unknown('VALUES without rows', undefined);
      return convertAll(row.List.items, reading);
    });
    return { kind: 'values', at: rows[0]?.[0]?.at ?? 0, rows };
  }
  const { distinctClause: distinct } = node;
  // DISTINCT alone is a list of one empty node.
  const isPlain = distinct?.length === 1 && Object.keys(distinct[0]!).length === 0;
  const from = convertFrom(node.fromClause, reading);
  const columns = (node.targetList ?? []).map((target) => convertColumn(target, reading));
  const [first] = columns;
  return {
    kind: 'core',
    at: (first?.kind === 'column' ? first.expr.at : first?.at) ?? from?.first.at ?? 0,
    distinct: distinct !== undefined,
    distinctOn: isPlain || distinct === undefined ? undefined : convertAll(distinct, reading),
    columns,
    from,
    where: convertOptional(node.whereClause, reading),
    groupBy: convertAll(node.groupClause, reading),
    groupDistinct: node.groupDistinct === true,
    having: convertOptional(node.havingClause, reading),
    windows: (node.windowClause ?? []).map((window) => {
      if (!('WindowDef' in window)) throw reading.unknown('a window of an unknown kind', undefined);
      const { name = '', ...definition } = window.WindowDef;
      return { name, window: convertWindow(definition, reading) };
    }),
  };
}

function convertColumn(node: Node, reading: Reading): ResultColumn {
  if (!('ResTarget' in node)) throw reading.unknown('a column of an unknown kind', undefined);
  const target: ResTarget = reading.known('ResTarget', node.ResTarget, node.ResTarget.location);
  const { val } = target;
  if (val !== undefined && 'ColumnRef' in val) {
    const { fields = [], location } = val.ColumnRef;
    const last = fields.at(-1);
    if (last !== undefined && 'A_Star' in last) {
      reading.known('ColumnRef', val.ColumnRef, location);
      const names = namesOf(fields.slice(0, -1), reading);
      if (names.length > 2) throw reading.unknown('a star with more than schema and table', location);
      return { kind: 'star', at: reading.at(location), table: names.at(-1) };
    }
  }
  const expr = reading.expression(val);
  const name = target.name === undefined ? columnName(val) : undefined;
  return { kind: 'column', expr, alias: target.name, text: undefined, name };
}

// ── WITH ────────────────────────────────────────────────────────────────────────────────────────────────────────

function convertWith(node: WithClause, reading: Reading): With {
  reading.known('WithClause', node, node.location);
  const tables = (node.ctes ?? []).map((cte) => {
    if (!('CommonTableExpr' in cte)) throw reading.unknown('a common table of an unknown kind', node.location);
    return convertCommonTable(cte.CommonTableExpr, reading);
  });
  return { recursive: node.recursive === true, tables };
}

function convertCommonTable(node: CommonTableExpr, reading: Reading): CommonTable {
  reading.known('CommonTableExpr', node, node.location);
  const at = reading.at(node.location);
  const { ctename: name = '', ctequery: query } = node;
  if (query === undefined || !('SelectStmt' in query)) {
    const hint = 'Only SELECT and VALUES may stand in WITH.';
    throw reading.refuse('not_reading', `The common table "${name}" does not only read`, at, hint);
  }
  const { ctematerialized } = node;
  return {
    at,
    name,
    columns: namesOf(node.aliascolnames, reading),
    materialized:
      ctematerialized === 'CTEMaterializeAlways' ? true : ctematerialized === 'CTEMaterializeNever' ? false : undefined,
    select: reading.select(query.SelectStmt),
    suffix: convertSuffix(node, at, reading),
    added: [
      node.search_clause?.search_seq_column,
      node.cycle_clause?.cycle_mark_column,
      node.cycle_clause?.cycle_path_column,
    ].filter((added) => added !== undefined),
  };
}

/** SEARCH and CYCLE of a recursive common table. */
function convertSuffix(node: CommonTableExpr, at: number, reading: Reading): Form | undefined {
  const search = node.search_clause && reading.known('CTESearchClause', node.search_clause, node.location);
  const cycle = node.cycle_clause && reading.known('CTECycleClause', node.cycle_clause, node.location);
  const names = (nodes: readonly Node[] = []) => nodes.map((name) => quoteName(nameOf(name, reading))).join(', ');
  const parts: Form['parts'][number][] = [];
  if (search !== undefined) {
    const order = search.search_breadth_first === true ? 'BREADTH' : 'DEPTH';
    parts.push(
      ` SEARCH ${order} FIRST BY ${names(search.search_col_list)} SET ${quoteName(search.search_seq_column ?? '')}`,
    );
  }
  if (cycle !== undefined) {
    parts.push(` CYCLE ${names(cycle.cycle_col_list)} SET ${quoteName(cycle.cycle_mark_column ?? '')} TO `);
    parts.push(plain(reading.expression(cycle.cycle_mark_value)), ' DEFAULT ');
    parts.push(plain(reading.expression(cycle.cycle_mark_default)));
    parts.push(` USING ${quoteName(cycle.cycle_path_column ?? '')}`);
  }
  return parts.length === 0 ? undefined : form(at, Level.primary, ...parts);
}
