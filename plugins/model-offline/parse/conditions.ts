/** Reads which rows are meant: values, comparisons, what is missing, and what is related to them. */
import { type Comparator, CURRENCY } from '../words/vocabulary.ts';
import * as at from './cursor.ts';
import { takeFigure } from './figures.ts';
import { dated, period } from './groups.ts';
import { type Condition, type Mention, unnamed } from './request.ts';

const { addCondition, firstWord, here, op, restore } = at;
type Cursor = at.Cursor;
type Bound = { readonly comparator: Comparator; readonly value: number };
type Bounds = readonly Bound[] & { readonly text?: string };

/** "over 100", "5 or more", "between 10 and 20" at the cursor; one or two bounds. */
function takeBounds(cursor: Cursor): Bounds | undefined {
  const [first, second, third, fourth] = [0, 1, 2, 3].map((ahead) => here(cursor, ahead));
  const [before, behind] = [first?.operator, second?.operator];
  const [one, two] = [first?.number, second?.number];
  const took = (taken: number, ...bounds: Bound[]): Bounds => {
    const words = cursor.items.slice(cursor.at, cursor.at + taken);
    cursor.at += taken;
    return Object.assign(bounds, { text: words.map((item) => item.text).join(' ') });
  };
  if (before?.op === 'comparator' && !before.suffix && two !== undefined)
    return took(2, { comparator: before.comparator!, value: two });
  if (before?.op === 'between' && two !== undefined && third?.operator?.op === 'and' && fourth?.number !== undefined)
    return took(
      4,
      { comparator: 'greater_or_equal', value: two },
      { comparator: 'less_or_equal', value: fourth.number },
    );
  return one !== undefined && behind?.suffix ? took(2, { comparator: behind.comparator!, value: one }) : undefined;
}

const UNIT =
  /^(second|sec|minute|min|hour|hr|h|day|week|month|year|yr|gram|g|kilogram|kg|tonne|ton|kilometre|kilometer|km|mile|metre|meter|m|page|night|percent)$/;

/** Adds the bounds of a number, with the unit behind it: "45 minutes", "500 dollars"; money needs no check. */
function addBounds(cursor: Cursor, bounds: Bounds, more: Partial<Condition>): true {
  const item = here(cursor);
  const token = item && item.lead.length === 0 && item.tokens.length === 1 ? item.tokens[0] : undefined;
  const unit = token && UNIT.test(token.stem) && !at.entityIn(item) ? token.stem : undefined;
  if (unit || (token && CURRENCY.has(token.word))) cursor.at++;
  const mention = unnamed(bounds.text ?? '');
  for (const bound of bounds)
    addCondition(cursor, { type: 'compare', mention, ...more, ...bound, ...(unit && { unit }) });
  return true;
}

/** "a rating below 3", "rating of 5", "floor 2", "ticket 1017", "over 500 dollars". */
export function comparison(cursor: Cursor): boolean {
  const start = cursor.at;
  const item = here(cursor);
  const alone = takeBounds(cursor);
  if (alone) {
    const next = here(cursor);
    const isNoun =
      next && !at.entityIn(next) && !UNIT.test(next.tokens[0]!.stem) && next.lead.every((word) => word === 'in');
    const numbers = isNoun ? (at.nounIn(next, cursor.roleOf)?.meanings ?? []).filter(at.isNumber) : [];
    if (numbers.length > 0) {
      cursor.at++;
      return addBounds(cursor, alone, { mention: at.mentionOf(next!, numbers) });
    }
    const before = cursor.items[start - 1];
    const of = cursor.request.groups.at(-1)?.mention?.text === before?.text ? undefined : at.entityIn(before);
    return addBounds(cursor, alone, { ...(of && { of }) });
  }
  const noun = item?.kind === 'names' ? at.nounIn(item, cursor.roleOf) : undefined;
  if (!item || !noun) return false;
  cursor.at++;
  const entity = at.entityIn(item);
  const rank = Math.max(-1, ...(entity?.meanings ?? []).map((one) => one.rank));
  const isNumeric =
    noun.meanings.some((one) => at.isNumber(one) && one.rank > rank) || (!entity && at.measureIn(item, cursor.roleOf));
  const bounds = isNumeric ? takeBounds(cursor) : undefined;
  if (bounds) return addBounds(cursor, bounds, { mention: noun });
  if (firstWord(here(cursor)) === '=') cursor.at++;
  const value = here(cursor);
  const isKey = at.dimensionIn(item) ?? entity;
  const equals = (one: at.Content): true => {
    cursor.at++;
    return addCondition(cursor, { type: 'equals', mention: at.mentionOf(item), value: one.number ?? one.text });
  };
  if (isKey && value?.kind === 'number' && value.lead.every((word) => /^(of|is|are|was|were|at)$/.test(word))) {
    equals(value);
    while (at.isJoint(cursor) && here(cursor, 1)?.kind === 'number' && op(cursor, 2) !== 'comparator') {
      cursor.joined = 'or';
      cursor.at++;
      equals(here(cursor)!);
    }
    return true;
  }
  // "whose city is Lyon"
  const isName = value?.kind === 'unknown' && value.tokens[0]!.capitalised && value.lead.includes('is');
  if (value && isKey && (isName || (value.kind === 'quoted' && !at.adjectiveIn(value, cursor.roleOf))))
    return equals(value);
  if (!at.dimensionIn(item) || op(cursor) !== 'null') return restore(cursor, start);
  cursor.at++;
  return addCondition(cursor, { type: 'missing', mention: noun });
}

/** Whether a noun and a neighbouring value are one thing said twice: "the Kitchen category", "status cancelled". */
function valuesOf(noun: at.Content | undefined, value: at.Content | undefined, cursor: Cursor): Mention | undefined {
  const attributes = at.dimensionIn(noun)?.meanings ?? [];
  const own = (at.conditionIn(value, cursor.roleOf)?.meanings ?? []).filter(
    (one) =>
      one.kind === 'value' && attributes.some((two) => two.kind === 'dimension' && two.dimension === one.dimension),
  );
  return own.length > 0 ? at.mentionOf(value!, own) : undefined;
}

/** A value, segment, term or yes/no attribute. */
export function condition(cursor: Cursor, negated = false): boolean {
  const [item, next] = [here(cursor), here(cursor, 1)];
  const isNoun = item?.kind === 'names' && (negated || !at.entityIn(item));
  const before = isNoun ? valuesOf(item, next, cursor) : undefined;
  const alone = at.adjectiveIn(item, cursor.roleOf) ?? (negated ? at.conditionIn(item, cursor.roleOf) : undefined);
  if (!before && !alone) return false;
  const isNounNext = !before && next?.lead.length === 0 && next.kind === 'names' && !at.entityIn(next);
  const after = isNounNext ? valuesOf(next, item, cursor) : undefined;
  cursor.at += before || after ? 2 : 1;
  return addCondition(cursor, { type: 'is', mention: (before ?? after ?? alone)!, negated });
}

/** What must not be: "not cancelled", "except the store", "neither free nor starter", "no orders", "never ordered". */
export function negation(cursor: Cursor): boolean {
  const start = cursor.at;
  if (!/^(not|without)$/.test(op(cursor))) return false;
  const canLack = op(cursor) === 'without' || /^(no|never)$/.test(firstWord(here(cursor)));
  if (start === 0) cursor.request.followUp = 'replace';
  cursor.at++;
  while (/^(all|each|not|by)$/.test(op(cursor))) cursor.at++;
  if (!lacking(cursor, canLack)) return restore(cursor, start);
  for (;;) {
    const next = at.isJoint(cursor) || firstWord(here(cursor)) === 'nor' ? here(cursor, 1) : undefined;
    const isNext = next && (at.adjectiveIn(next, cursor.roleOf) ?? (canLack && at.nounIn(next, cursor.roleOf)));
    if (!isNext) return true;
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
  const isNoun = canLack && (inner.length === 0 || here(cursor)?.lead.length === 0);
  const entity = isNoun ? at.entityIn(here(cursor)) : undefined;
  if (entity) return related(cursor, entity, [{ comparator: 'equals', value: 0 }], inner);
  restore(cursor, start);
  if (condition(cursor, true)) return true;
  const dimension = at.dimensionIn(item, cursor.roleOf);
  if (!dimension || !(canLack || at.dateIn(item)) || /^(time|number)$/.test(here(cursor, 1)?.kind ?? '')) return false;
  cursor.at++;
  return addCondition(cursor, { type: 'missing', mention: dimension, orZero: !at.dateIn(item) });
}

/** What a reader finds, as a separate list. */
function apart(cursor: Cursor, read: () => void): Condition[] {
  const { conditions: outer, joined } = cursor;
  const found: Condition[] = [];
  Object.assign(cursor, { conditions: found, joined: undefined });
  read();
  Object.assign(cursor, { conditions: outer, joined });
  return found;
}

function joinNext(cursor: Cursor): boolean {
  if (!at.isJoint(cursor) || !at.adjectiveIn(here(cursor, 1), cursor.roleOf)) return false;
  cursor.joined = op(cursor) as 'and' | 'or';
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
  bounds: Bounds = [{ comparator: 'greater_than', value: 0 }],
  inner: readonly Condition[] = [],
): true {
  cursor.at++;
  const behind = apart(cursor, () => {
    for (;;) {
      const isThat = /^(whose|which)$/.test(op(cursor));
      if (isThat) cursor.at++;
      if (period(cursor) || dated(cursor) || (cursor.conditions.length === 0 && condition(cursor))) continue;
      if (isThat) cursor.at--;
      if (cursor.conditions.length === 0 || !joinNext(cursor)) return;
      condition(cursor);
    }
  });
  for (const bound of bounds)
    addCondition(cursor, { type: 'related', mention, ...bound, conditions: [...inner, ...behind] });
  return true;
}

/** "with more than 5 orders", "who have an email", "with a rating of 5", "with an average fee over 100". */
export function having(cursor: Cursor): boolean {
  const start = cursor.at;
  const isSaid = op(cursor) === 'with';
  if (isSaid) cursor.at++;
  while (op(cursor) === 'all') cursor.at++;
  if (relatedCount(cursor, isSaid)) return true;
  if (!isSaid) return restore(cursor, start);
  const figure = here(cursor)?.operator?.fn ? takeFigure(cursor) : undefined;
  const bounds = figure && takeBounds(cursor);
  if (bounds) return addBounds(cursor, bounds, { mention: figure.mention, ...(figure.fn && { fn: figure.fn }) });
  if (figure) return restore(cursor, start);
  if (comparison(cursor) || condition(cursor) || dated(cursor) || negation(cursor)) return true;
  const item = here(cursor);
  const dimension = at.nounIn(item, cursor.roleOf) && at.dimensionIn(item, cursor.roleOf);
  if (!dimension || at.entityIn(item)) return restore(cursor, start);
  cursor.at++;
  return addCondition(cursor, { type: 'missing', mention: dimension, negated: true });
}

/** Related rows, with how many there must be: at least one where no number is said. */
function relatedCount(cursor: Cursor, isSaid: boolean): boolean {
  const start = cursor.at;
  let bounds = takeBounds(cursor);
  const exact = bounds || !isSaid ? undefined : here(cursor)?.number;
  if (exact !== undefined) {
    cursor.at++;
    bounds = [{ comparator: 'equals', value: exact }];
  }
  const inner = bounds || isSaid ? takeConditions(cursor) : [];
  const [item, next] = [here(cursor), here(cursor, 1)];
  const entity = bounds || isSaid ? at.entityIn(item) : undefined;
  const rank = Math.max(-1, ...(entity?.meanings ?? []).map((one) => one.rank));
  // "with more than 1000 employees" where employees is a number of each row; "with a total over 100".
  const isOfRow = at.nounIn(item, cursor.roleOf)?.meanings.some((one) => at.isNumber(one) && one.rank > rank);
  const isCompared = !bounds && (/^(comparator|between)$/.test(next?.operator?.op ?? '') || next?.kind === 'number');
  return entity && !isOfRow && !isCompared ? related(cursor, entity, bounds, inner) : restore(cursor, start);
}
