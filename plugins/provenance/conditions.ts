/** Puts the conditions of a statement into words: filters, periods, and the columns that joins compare. */
import type { ProvenanceFilter } from '../result-kit/index.ts';
import { isTime } from '../semantic-layer/index.ts';
import { type ColumnRef, type Expr, fold, forEachPart, type Select } from '../sql-kit/index.ts';
import {
  type Bound,
  betweenOf,
  boundsOf,
  type ColumnScope,
  endsOf,
  memberIn,
  OPERATORS,
  periodsOf,
  plainFilter,
} from './comparisons.ts';
import type { NamedCondition } from './layer-conditions.ts';
import { columnIn, cutTime, literalOf } from './literals.ts';
import { comparisonText, memberText, periodText, spoken, valuesText } from './words.ts';

/** What the conditions of one SELECT say. */
export interface Conditions {
  readonly filters: ReadFilter[];
  readonly bounds: Bound[];
  readonly joins: Joined[];
}

/** Two columns that a join compares. */
export interface Joined {
  readonly from: JoinedColumn;
  readonly to: JoinedColumn;
}

/** Names of an entity and of a dimension, or of a column that the layer does not declare. */
export interface JoinedColumn {
  readonly entity: string;
  readonly name: string;
}

/** A filter whose words may be finished only when the subqueries in it have been read. */
export interface ReadFilter extends Omit<ProvenanceFilter, 'text' | 'sql'> {
  readonly expr: Expr;
  text(): string;
}

/** What the names in one SELECT mean. */
export interface SelectScope extends ColumnScope {
  /** The column, also of a derived table, which has no entity. */
  joined(column: ColumnRef): JoinedColumn | undefined;
  /** The words for an aggregate or another calculation; `undefined` for what has none. */
  calculation(expr: Expr): string | undefined;
  /** The segment or term of the layer that is this condition. */
  named(expr: Expr): NamedCondition | undefined;
  /** The words for the rows or the value of a subquery, once its own conditions have been read. */
  subquery(select: Select, kind: 'rows' | 'value'): (() => string) | undefined;
}

export const noConditions = (): Conditions => ({ filters: [], bounds: [], joins: [] });

export interface ConditionsInWords extends Conditions {
  /** All of them in words; '' where there are none. */
  readonly text: string;
}

/** What conditions say that must all hold, where nothing is known but columns. */
export function conditionsInWords(exprs: readonly Expr[], member: ColumnScope['member']): ConditionsInWords {
  const unknown = () => undefined;
  const scope = { member, today: undefined, joined: unknown, calculation: unknown, named: unknown, subquery: unknown };
  const into = noConditions();
  for (const expr of exprs) readConditions(expr, scope, into);
  return { ...into, text: textsOf(into).join(' and ') };
}

/** All but the joins, in words. */
export const textsOf = ({ filters, bounds }: Conditions): string[] => [
  ...filters.map(({ text }) => text()),
  ...periodsOf(bounds).map(boundText),
];

/** Adds what a condition says to `into`. */
export function readConditions(expr: Expr, scope: SelectScope, into: Conditions): void {
  const named = scope.named(expr);
  if (named !== undefined) {
    const { name, text } = named;
    const plain = plainFilter(expr, scope);
    into.filters.push(
      plain === undefined ? { expr, named: name, text: () => text } : { ...filterOf(expr, scope), named: name },
    );
    return;
  }
  if (expr.kind === 'chain' && expr.operators.every((operator) => operator === 'AND')) {
    for (const operand of expr.operands) readConditions(operand, scope, into);
    return;
  }
  const pair = joinedColumns(expr);
  const bounds = pair === undefined ? boundsOf(expr, scope) : undefined;
  const between = betweenOf(expr);
  if (pair !== undefined) {
    const [from, to] = pair.map((column) => scope.joined(column));
    if (from !== undefined && to !== undefined) into.joins.push({ from, to });
  } else if (between?.not === false && bounds === undefined) {
    for (const end of endsOf(between)) into.filters.push(filterOf(end, scope));
  } else if (bounds !== undefined) into.bounds.push(...bounds);
  else into.filters.push(filterOf(expr, scope));
}

const EQUAL = new Set(['=', '==', 'IS', '<=>', 'IS NOT DISTINCT FROM']);

/** Equal columns of two tables. */
function joinedColumns(expr: Expr): [ColumnRef, ColumnRef] | undefined {
  if (expr.kind !== 'chain' || expr.operators.length !== 1 || !EQUAL.has(expr.operators[0]!)) return undefined;
  const [from, to] = expr.operands.map((operand) => columnIn(operand)?.column);
  return from !== undefined && to !== undefined && from.table !== to.table ? [from, to] : undefined;
}

/** One condition as a filter: about a column where it is, else in words alone. */
function filterOf(expr: Expr, scope: SelectScope): ReadFilter {
  const plain = plainFilter(expr, scope);
  if (plain !== undefined) {
    const { member, operator, values, not, orMissing } = plain;
    const text = comparisonText(memberText(member.entity, member.dimension.name), operator, values, {
      isTime: isTime(member.dimension),
      not,
    });
    const column = `${member.entity.name}.${member.dimension.name}`;
    const own = { expr, column, ...(!not && { operator, values }), ...(orMissing && { orMissing }) };
    return { ...own, text: () => (orMissing ? `${text} or is missing` : text) };
  }
  const words = textOf(expr, scope);
  return { expr, text: words };
}

const later = (text: string) => () => text;

/** The words for a condition that is no plain comparison of a column. */
function textOf(expr: Expr, scope: SelectScope): () => string {
  if (expr.kind === 'chain' && expr.operators.every((word) => word === 'OR' || word === 'AND')) {
    const parts = expr.operands.map((operand) => nested(operand, scope));
    const word = expr.operators[0] === 'OR' ? ' or ' : ' and ';
    return () => parts.map((part) => part()).join(word);
  }
  if (expr.kind === 'prefix' && expr.operator === 'NOT') {
    const inner = nested(expr.operand, scope);
    return () =>
      inner().replace(/^(?:there are (?!no )|.*$)/s, (all) =>
        all === 'there are ' ? 'there are no ' : `not (${all})`,
      );
  }
  if (expr.kind === 'exists') {
    const inner = scope.subquery(expr.select, 'rows');
    return () => `there are ${inner?.() ?? 'rows of a subquery'}`;
  }
  if (expr.kind === 'in' && expr.set.kind === 'subquery') {
    const inner = scope.subquery(expr.set.select, 'rows');
    const what = sideText(expr.operand, scope);
    return () => `${what()} is ${expr.not ? 'not ' : ''}among ${inner?.() ?? 'the rows of a subquery'}`;
  }
  const cut = expr.kind === 'in' ? cutTime(expr.operand) : undefined;
  const cutMember = cut && scope.member(cut.column);
  if (expr.kind === 'in' && expr.set.kind === 'list' && cutMember !== undefined) {
    const values = expr.set.items.map(literalOf).filter((value) => value !== undefined);
    const what = `${memberText(cutMember.entity, cutMember.dimension.name)} is ${expr.not ? 'not ' : ''}in`;
    if (values.every((value) => cut?.periodFor(value) !== undefined)) return later(`${what} ${valuesText(values)}`);
  }
  const compared = expr.kind === 'chain' && expr.operands.length === 2 ? OPERATORS[expr.operators[0]!] : undefined;
  if (compared !== undefined && expr.kind === 'chain') {
    const [left, right] = expr.operands.map((operand) => sideText(operand, scope));
    const members = expr.operands.flatMap((operand) => memberIn(operand, scope)?.member ?? []);
    const isOfTime = members.some(({ dimension }) => isTime(dimension));
    return () => `${comparisonText(left!(), compared, [], { isTime: isOfTime })} ${right!()}`;
  }
  const between = betweenOf(expr);
  if (between !== undefined) {
    const [what, low, high] = [between.operand, between.low, between.high].map((side) => sideText(side, scope));
    return () => `${what!()} is ${between.not ? 'not ' : ''}from ${low!()} to ${high!()}`;
  }
  return later(`a condition on ${namesIn(expr, scope) || 'a calculation'}`);
}

/** A condition inside another one, with its period in words. */
function nested(expr: Expr, scope: SelectScope): () => string {
  const own: Conditions = noConditions();
  readConditions(expr, scope, own);
  return () => {
    const texts = [...textsOf(own), ...own.joins.map(joinText)];
    return texts.length > 1 ? `(${texts.join(' and ')})` : (texts[0] ?? 'a condition');
  };
}

function boundText({ member, from, to, includesTo }: Bound): string {
  const isClosed = from !== undefined && to !== undefined;
  const period = periodText(from, to, includesTo);
  return `${memberText(member.entity, member.dimension.name)} is ${isClosed ? 'from ' : ''}${period}`;
}

const joinText = ({ from, to }: Joined) =>
  `${spoken(from.name)} of ${spoken(from.entity)} is ${spoken(to.name)} of ${spoken(to.entity)}`;

/** One side of a comparison. */
function sideText(expr: Expr, scope: SelectScope): () => string {
  const value = literalOf(expr);
  if (value !== undefined) return later(valuesText([value]));
  const member = memberIn(expr, scope)?.member;
  if (member !== undefined) return later(memberText(member.entity, member.dimension.name));
  const column = columnIn(expr)?.column;
  if (column !== undefined) return later(spoken(column.name));
  if (expr.kind === 'scalar') {
    const inner = scope.subquery(expr.select, 'value');
    return () => inner?.() ?? 'the value of a subquery';
  }
  const words = scope.calculation(expr);
  if (words !== undefined) return later(words);
  if (expr.kind === 'constant' || (expr.kind === 'call' && expr.args.length === 0))
    return later(spoken(fold(nameOf(expr))));
  return later(`a calculation${namesIn(expr, scope) && ` of ${namesIn(expr, scope)}`}`);
}

const nameOf = (expr: Expr) => (expr.kind === 'call' ? expr.name : expr.kind === 'constant' ? expr.value : '');

/** The columns of an expression in words, none of them twice. */
function namesIn(expr: Expr, scope: SelectScope): string {
  const names = new Set<string>();
  forEachPart([expr], (one) => {
    const member = one.kind === 'name' ? scope.member(one) : undefined;
    if (member !== undefined) names.add(memberText(member.entity, member.dimension.name));
    else if (one.kind === 'name') names.add(spoken(one.name));
  });
  return [...names].slice(0, 5).join(' and ');
}
