/** Reads which rows are meant: values, comparisons, what is missing, and what is related to them. */
import { type Comparator, CURRENCY } from '../words/vocabulary.ts';
import {
  addCondition,
  adjectiveIn,
  type Content,
  type Cursor,
  conditionIn,
  dateIn,
  dimensionIn,
  entityIn,
  firstWord,
  here,
  isJoint,
  isNumber,
  measureIn,
  mentionOf,
  nounIn,
  operatorAt,
  restore,
} from './cursor.ts';
import { takeFigure } from './figures.ts';
import { dated, period } from './groups.ts';
import type { Condition, Mention } from './request.ts';

interface Bound {
  readonly comparator: Comparator;
  readonly value: number;
  readonly text: string;
}

/** "over 100", "5 or more", "between 10 and 20" at the cursor; one or two bounds. */
function takeBounds(cursor: Cursor): Bound[] | undefined {
  const [first, second, third, fourth] = [0, 1, 2, 3].map((ahead) => here(cursor, ahead));
  const [before, behind] = [first?.operator, second?.operator];
  const [one, two] = [first?.number, second?.number];
  const took = (taken: number, bounds: readonly (readonly [Comparator | undefined, number | undefined])[]): Bound[] => {
    const text = cursor.items
      .slice(cursor.at, cursor.at + taken)
      .map((item) => item.text)
      .join(' ');
    cursor.at += taken;
    return bounds.map(([comparator, value]) => ({ comparator: comparator!, value: value!, text }));
  };
  if (before?.op === 'comparator' && !before.suffix && two !== undefined) return took(2, [[before.comparator, two]]);
  const isSpan =
    before?.op === 'between' && two !== undefined && third?.operator?.op === 'and' && fourth?.number !== undefined;
  if (isSpan)
    return took(4, [
      ['greater_or_equal', two],
      ['less_or_equal', fourth.number],
    ]);
  return one !== undefined && behind?.suffix ? took(2, [[behind.comparator, one]]) : undefined;
}

const UNIT =
  /^(second|sec|minute|min|hour|hr|h|day|week|month|year|yr|gram|g|kilogram|kg|tonne|ton|kilometre|kilometer|km|mile|metre|meter|m|page|night|percent)$/;

/** Adds the bounds of a number, with the unit behind it: "45 minutes", "500 dollars"; money needs no check. */
function addBounds(cursor: Cursor, bounds: readonly Bound[], more: Partial<Condition>): true {
  const item = here(cursor);
  const token = item && item.lead.length === 0 && item.tokens.length === 1 ? item.tokens[0] : undefined;
  const unit = token && UNIT.test(token.stem) && !entityIn(item) ? token.stem : undefined;
  if (unit || (token && CURRENCY.has(token.word))) cursor.at++;
  for (const { comparator, value, text } of bounds)
    addCondition(cursor, {
      type: 'compare',
      mention: { text, meanings: [], plural: false },
      ...more,
      comparator,
      value,
      ...(unit && { unit }),
    });
  return true;
}

/** "a rating below 3", "rating of 5", "floor 2", "ticket 1017", "over 500 dollars". */
export function comparison(cursor: Cursor): boolean {
  const start = cursor.at;
  const item = here(cursor);
  const alone = takeBounds(cursor);
  if (alone) {
    const next = here(cursor);
    const isNamed =
      next && !entityIn(next) && !UNIT.test(next.tokens[0]!.stem) && next.lead.every((word) => word === 'in');
    const numbers = isNamed ? (nounIn(next, cursor.roleOf)?.meanings ?? []).filter(isNumber) : [];
    if (numbers.length > 0) cursor.at++;
    const before = cursor.items[start - 1];
    const of = cursor.request.groups.at(-1)?.mention?.text === before?.text ? undefined : entityIn(before);
    return addBounds(
      cursor,
      alone,
      numbers.length > 0 ? { mention: mentionOf(next!, numbers) } : { ...(of && { of }) },
    );
  }
  const noun = item?.kind === 'names' ? nounIn(item, cursor.roleOf) : undefined;
  if (!item || !noun) return false;
  cursor.at++;
  const rank = Math.max(-1, ...(entityIn(item)?.meanings ?? []).map((one) => one.rank));
  const isNumeric =
    noun.meanings.some((one) => isNumber(one) && one.rank > rank) || (rank < 0 && measureIn(item, cursor.roleOf));
  const bounds = isNumeric ? takeBounds(cursor) : undefined;
  if (bounds) return addBounds(cursor, bounds, { mention: noun });
  if (firstWord(here(cursor)) === '=') cursor.at++;
  const value = here(cursor);
  const isKey = dimensionIn(item) ?? entityIn(item);
  const equals = (one: Content): true => {
    cursor.at++;
    return addCondition(cursor, { type: 'equals', mention: mentionOf(item), value: one.number ?? one.text });
  };
  if (isKey && value?.kind === 'number' && value.lead.every((word) => /^(of|is|are|was|were|at)$/.test(word))) {
    equals(value);
    while (isJoint(cursor) && here(cursor, 1)?.kind === 'number' && operatorAt(cursor, 2) !== 'comparator') {
      cursor.joined = 'or';
      cursor.at++;
      equals(here(cursor)!);
    }
    return true;
  }
  // "whose city is Lyon"
  const isName = value?.kind === 'unknown' && value.tokens[0]!.capitalised && value.lead.includes('is');
  if (value && isKey && (isName || (value.kind === 'quoted' && !adjectiveIn(value, cursor.roleOf))))
    return equals(value);
  if (!dimensionIn(item) || value?.operator?.op !== 'null') return restore(cursor, start);
  cursor.at++;
  return addCondition(cursor, { type: 'missing', mention: noun });
}

/** Whether a noun and a neighbouring value are one thing said twice: "the Kitchen category", "status cancelled". */
function valuesOf(noun: Content | undefined, value: Content | undefined, cursor: Cursor): Mention | undefined {
  const attributes = dimensionIn(noun)?.meanings ?? [];
  const own = (conditionIn(value, cursor.roleOf)?.meanings ?? []).filter(
    (one) =>
      one.kind === 'value' &&
      attributes.some((other) => other.kind === 'dimension' && other.dimension === one.dimension),
  );
  return own.length > 0 ? mentionOf(value!, own) : undefined;
}

/** A value, segment, term or yes/no attribute. */
export function condition(cursor: Cursor, negated = false): boolean {
  const [item, next] = [here(cursor), here(cursor, 1)];
  const before = item?.kind === 'names' && (negated || !entityIn(item)) ? valuesOf(item, next, cursor) : undefined;
  const mention =
    before ?? adjectiveIn(item, cursor.roleOf) ?? (negated ? conditionIn(item, cursor.roleOf) : undefined);
  if (!mention) return false;
  const after =
    !before && next?.lead.length === 0 && next.kind === 'names' && !entityIn(next)
      ? valuesOf(next, item, cursor)
      : undefined;
  cursor.at += before || after ? 2 : 1;
  return addCondition(cursor, { type: 'is', mention: after ?? mention, negated });
}

/** What must not be: "not cancelled", "except the store", "neither free nor starter", "no orders", "never ordered". */
export function negation(cursor: Cursor): boolean {
  const item = here(cursor);
  const start = cursor.at;
  if (!/^(not|without)$/.test(operatorAt(cursor) ?? '')) return false;
  const canLack = operatorAt(cursor) === 'without' || /^(no|never)$/.test(firstWord(item));
  if (start === 0) cursor.request.followUp = 'replace';
  cursor.at++;
  while (/^(all|each|not|by)$/.test(operatorAt(cursor) ?? '')) cursor.at++;
  if (!lacking(cursor, canLack)) return restore(cursor, start);
  for (;;) {
    const next = isJoint(cursor) || firstWord(here(cursor)) === 'nor' ? here(cursor, 1) : undefined;
    if (
      !next ||
      next.kind === 'operator' ||
      !(adjectiveIn(next, cursor.roleOf) ?? (canLack && nounIn(next, cursor.roleOf)))
    )
      return true;
    cursor.joined = 'and';
    cursor.at++;
    if (!lacking(cursor, canLack)) return true;
  }
}

/** One thing that must not be, at the cursor. `canLack`: rows may lack it altogether, "without orders". */
function lacking(cursor: Cursor, canLack: boolean): boolean {
  const start = cursor.at;
  const item = here(cursor);
  if (item === undefined || item.kind === 'operator') return false;
  // "without cancelled orders", "never ordered"
  const inner = canLack ? takeConditions(cursor) : [];
  const entity =
    canLack && (inner.length === 0 || here(cursor)?.lead.length === 0) ? entityIn(here(cursor)) : undefined;
  if (entity) return related(cursor, entity, [{ comparator: 'equals', value: 0 }], inner);
  restore(cursor, start);
  if (condition(cursor, true)) return true;
  const dimension = dimensionIn(item, cursor.roleOf);
  if (!dimension || !(canLack || dateIn(item)) || /^(time|number)$/.test(here(cursor, 1)?.kind ?? '')) return false;
  cursor.at++;
  return addCondition(cursor, { type: 'missing', mention: dimension, orZero: !dateIn(item) });
}

/** What a reader finds, as a separate list. */
function apart(cursor: Cursor, read: () => void): Condition[] {
  const { conditions: outer, joined } = cursor;
  cursor.conditions = [];
  cursor.joined = undefined;
  read();
  const found = cursor.conditions;
  cursor.conditions = outer;
  cursor.joined = joined;
  return found;
}

function joinNext(cursor: Cursor): boolean {
  if (!isJoint(cursor) || !adjectiveIn(here(cursor, 1), cursor.roleOf)) return false;
  cursor.joined = operatorAt(cursor) as 'and' | 'or';
  cursor.at++;
  return true;
}

/** Conditions in a row, joined or not. */
const takeConditions = (cursor: Cursor): Condition[] =>
  apart(cursor, () => {
    while (condition(cursor)) joinNext(cursor);
  });

/** Rows related to those asked for, with what is said right behind them: "orders in 2024", "tickets that are open". */
export function related(
  cursor: Cursor,
  mention: Mention,
  bounds: readonly Omit<Bound, 'text'>[] = [{ comparator: 'greater_than', value: 0 }],
  inner: readonly Condition[] = [],
): true {
  cursor.at++;
  const behind = apart(cursor, () => {
    for (;;) {
      const isThat = /^(whose|which)$/.test(operatorAt(cursor) ?? '');
      if (isThat) cursor.at++;
      if (period(cursor) || dated(cursor) || (cursor.conditions.length === 0 && condition(cursor))) continue;
      if (isThat) cursor.at--;
      if (cursor.conditions.length === 0 || !joinNext(cursor)) return;
      condition(cursor);
    }
  });
  for (const bound of bounds)
    addCondition(cursor, {
      type: 'related',
      mention,
      comparator: bound.comparator,
      value: bound.value,
      conditions: [...inner, ...behind],
    });
  return true;
}

/** "with more than 5 orders", "who have an email", "with a rating of 5", "with an average fee over 100". */
export function having(cursor: Cursor): boolean {
  const start = cursor.at;
  const isSaid = operatorAt(cursor) === 'with';
  if (isSaid) cursor.at++;
  while (operatorAt(cursor) === 'all') cursor.at++;
  if (relatedCount(cursor, isSaid)) return true;
  if (!isSaid) return restore(cursor, start);
  const figure = here(cursor)?.operator?.fn ? takeFigure(cursor) : undefined;
  const bounds = figure && takeBounds(cursor);
  if (figure)
    return bounds
      ? addBounds(cursor, bounds, { mention: figure.mention, ...(figure.fn && { fn: figure.fn }) })
      : restore(cursor, start);
  if (comparison(cursor) || condition(cursor) || dated(cursor) || negation(cursor)) return true;
  const item = here(cursor);
  const dimension = nounIn(item, cursor.roleOf) && dimensionIn(item, cursor.roleOf);
  if (!dimension || entityIn(item)) return restore(cursor, start);
  cursor.at++;
  return addCondition(cursor, { type: 'missing', mention: dimension, negated: true });
}

/** Related rows, with how many there must be: at least one where no number is said. */
function relatedCount(cursor: Cursor, isSaid: boolean): boolean {
  const start = cursor.at;
  let bounds: readonly Omit<Bound, 'text'>[] | undefined = takeBounds(cursor);
  const exact = bounds || !isSaid ? undefined : here(cursor)?.number;
  if (exact !== undefined) {
    cursor.at++;
    bounds = [{ comparator: 'equals', value: exact }];
  }
  const inner = bounds || isSaid ? takeConditions(cursor) : [];
  const [item, next] = [here(cursor), here(cursor, 1)];
  const entity = bounds || isSaid ? entityIn(item) : undefined;
  const rank = Math.max(-1, ...(entity?.meanings ?? []).map((one) => one.rank));
  // "with more than 1000 employees" where employees is a number of each row; "with a total over 100".
  const isOfRow = nounIn(item, cursor.roleOf)?.meanings.some((one) => isNumber(one) && one.rank > rank);
  const isCompared = !bounds && (/^(comparator|between)$/.test(next?.operator?.op ?? '') || next?.kind === 'number');
  return entity && !isOfRow && !isCompared ? related(cursor, entity, bounds, inner) : restore(cursor, start);
}
