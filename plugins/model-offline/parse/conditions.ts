/** Reads which rows are meant: values, comparisons, what is missing, and what is related to them. */
import { type Comparator, type Criterion, CURRENCY, isEverydayVerb, isUnit } from '../words/vocabulary.ts';
import { fold, isDerived } from '../words/words.ts';
import * as at from './cursor.ts';
import { takeFigure } from './figures.ts';
import { dated, period } from './groups.ts';
import { type Condition, entitiesIn, type Figure, type Mention, unnamed } from './request.ts';

const { addCondition, firstWord, here, op, restore } = at;
type Cursor = at.Cursor;
type Bound = Readonly<{ comparator: Comparator; value: number }>;

/** "over 100", "5 or more", "between 10 and 20" at the cursor; one or two bounds. */
function takeBounds(cursor: Cursor): readonly Bound[] | undefined {
  const [first, second, third, fourth] = [0, 1, 2, 3].map((ahead) => here(cursor, ahead));
  const [before, behind] = [first?.operator, second?.operator];
  const [one, two, last] = [first?.number, second?.number, fourth?.number];
  const isSpan = before?.op === 'between' && two !== undefined && third?.operator?.op === 'and' && last !== undefined;
  const isBehind = one !== undefined && behind?.suffix;
  // "500 euros or more"
  if (one !== undefined && !behind && CURRENCY.has(firstWord(second)) && third?.operator?.suffix) {
    cursor.at += 3;
    return [{ comparator: third.operator.comparator!, value: one }];
  }
  if (!isSpan && !isBehind && (before?.op !== 'comparator' || before.suffix || two === undefined)) return undefined;
  cursor.at += isSpan ? 4 : 2;
  if (isBehind) return [{ comparator: behind.comparator!, value: one }];
  if (!isSpan) return [{ comparator: before!.comparator!, value: two! }];
  return [
    { comparator: 'greater_or_equal', value: two },
    { comparator: 'less_or_equal', value: last },
  ];
}

const hasUnit = (item: at.Content | undefined): boolean => !at.entityIn(item) && isUnit(item?.tokens[0]?.stem ?? '');

/** Adds the bounds of a number, with the unit behind it: "45 minutes"; "dollars" says no more than the amount. */
function addBounds(cursor: Cursor, bounds: readonly Bound[], mention: Mention, by?: Criterion): true {
  const item = here(cursor)?.lead.length === 0 ? here(cursor) : undefined;
  const isMoney = CURRENCY.has(firstWord(item));
  const unit = hasUnit(item) && !isMoney ? item!.tokens[0]!.stem : undefined;
  if (unit || isMoney) cursor.at++;
  const about = { ...(unit && { unit }), ...((by ?? isMoney) && { of: by ?? ('money' as const) }) };
  for (const bound of bounds) addCondition(cursor, { type: 'compare', mention, ...bound, ...about });
  return true;
}

/** "more visitors than capacity", "material cost above labour cost", "returned after the due date". */
function twoColumns(cursor: Cursor): boolean {
  const start = cursor.at;
  const isMore = op(cursor) === 'more';
  const column = (ahead: number): Mention | undefined => {
    const found = here(cursor, ahead);
    const fits = found?.meanings.filter((one) => at.isNumber(one) || at.isDate(one)) ?? [];
    return found?.kind === 'names' && fits.length > 0 && !at.entityIn(found)?.plural
      ? at.mentionOf(found, fits)
      : undefined;
  };
  const [first, second] = [column(isMore ? 1 : 0), column(2 + Number(isMore))];
  const said = here(cursor, isMore ? 0 : 1)?.operator;
  const isThan = isMore ? op(cursor, 2) === 'than' : /^(comparator|order)$/.test(said?.op ?? '') && !said?.suffix;
  if (!first || !second || !isThan || !said?.comparator) return restore(cursor, start);
  return addCondition(
    cursor,
    { type: 'than', mention: first, than: second, comparator: said.comparator },
    isMore ? 4 : 3,
  );
}

/** "a rating below 3", "rating of 5", "floor 2", "ticket 1017", "below 3 in rating". */
export function comparison(cursor: Cursor): boolean {
  const start = cursor.at;
  const { roleOf } = cursor;
  const item = here(cursor);
  if (twoColumns(cursor)) return true;
  // "resolved within 7 days"
  if (firstWord(item) === 'within' && !at.dateIn(here(cursor, -1))) return false;
  const alone = takeBounds(cursor);
  if (alone) {
    const next = here(cursor);
    const isNoun = next && !at.entityIn(next) && next.lead.every((word) => word === 'in');
    const isNamed: typeof at.isNumber = (one) => at.isNumber(one) && (!hasUnit(next) || one.rank === 3);
    const numbers = isNoun ? (at.nounIn(next, roleOf)?.meanings ?? []).filter(isNamed) : [];
    if (numbers.length > 0) {
      cursor.at++;
      return addBounds(cursor, alone, at.mentionOf(next!, numbers));
    }
    // "orders over 500", "films longer than 90 minutes": a number of the rows before.
    const { subject, figures, groups } = cursor.request;
    const meanings = entitiesIn(at.entityIn(cursor.items[start - 1]) ?? subject ?? figures.at(-1)?.mention);
    const isGroup = groups.some(({ mention }) =>
      entitiesIn(mention).some(({ entity }) => entity === meanings[0]?.entity),
    );
    if (meanings.length === 0 || isGroup || (at.nounIn(next, roleOf) && !hasUnit(next))) return restore(cursor, start);
    return addBounds(cursor, alone, { ...unnamed(''), meanings }, item!.operator?.of);
  }
  const noun = item?.kind === 'names' ? at.nounIn(item, roleOf) : undefined;
  if (!item || !noun) return false;
  cursor.at++;
  const entity = at.entityIn(item);
  const isNumeric = noun.meanings.some((one) => at.isNumber(one) && one.rank > at.rankOf(entity));
  const measure = isNumeric || entity ? undefined : at.measureIn(item, roleOf);
  if (measure && addFigure(cursor, { mention: measure })) return true;
  const bounds = isNumeric ? takeBounds(cursor) : undefined;
  if (bounds) return addBounds(cursor, bounds, noun);
  if (firstWord(here(cursor)) === '=') cursor.at++;
  const value = here(cursor);
  const isBare = value?.lead.every((word) => /^(of|is|are|was|were|at)$/.test(word));
  // "whose city is Lyon"
  const isName = value?.kind === 'unknown' && value.tokens[0]!.capitalised && value.lead.includes('is');
  const isQuoted = value?.kind === 'quoted' && !at.adjectiveIn(value, roleOf);
  const isValue = isName || isQuoted || (value?.kind === 'number' && isBare);
  if (!value || !isValue || !(at.dimensionIn(item) ?? entity)) return restore(cursor, start);
  // "payment terms of 60 days"
  if (value.number !== undefined && hasUnit(here(cursor, 1))) {
    cursor.at++;
    return addBounds(cursor, [{ comparator: 'equals', value: value.number }], noun);
  }
  return addCondition(cursor, { type: 'equals', mention: at.mentionOf(item), value: value.number ?? value.text }, 1);
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
export function condition(cursor: Cursor, how: Partial<Condition> = {}): boolean {
  const { negated } = how;
  const [item, next] = [here(cursor), here(cursor, 1)];
  // "did we open in 2024", "have we ordered": what was done is no state.
  if (/^(we|they)$/.test(item?.lead.at(-1) ?? '') && !at.entityIn(next)) return false;
  // "which doctor ordered the most tests": what they did is no state of tests.
  const { which, who } = cursor.request;
  const isSubject = at.entityIn(here(cursor, -1)) || (who && cursor.at === 1);
  const isObject = (which || who) && (op(cursor, 1) === 'rank' || (isSubject && at.entityIn(next)));
  if (isObject && item!.lead.length === 0 && isDerived(firstWord(item)) && at.conditionIn(item, cursor.roleOf))
    return isEverydayVerb(firstWord(item)) && cursor.at++ > 0;
  const isNoun = item?.kind === 'names' && (negated || !at.entityIn(item));
  const before = isNoun ? valuesOf(item, next, cursor) : undefined;
  const alone = at.adjectiveIn(item, cursor.roleOf) ?? (negated ? at.conditionIn(item, cursor.roleOf) : undefined);
  if (!before && !alone) return false;
  const isNounNext = !before && next?.lead.length === 0 && next.kind === 'names' && !at.entityIn(next);
  const after = isNounNext ? valuesOf(next, item, cursor) : undefined;
  const taken = before || after ? 2 : 1;
  const isPlace = item!.lead.some((word) => /^(in|from|of)$/.test(word));
  const isNext = item!.lead.length === 0 && at.adjectiveIn(here(cursor, -1), cursor.roleOf) !== undefined;
  const said = (before ?? after ?? alone)!;
  const isAdjective = at.entityIn(next) !== undefined && next!.lead.length === 0;
  // "active agents", where policies are active too
  const owners = isAdjective ? entitiesIn(at.entityIn(next)).map(({ entity }) => entity) : [];
  const own = said.meanings.filter((one) => one.kind !== 'term' && owners.includes(one.entity));
  const mention = own.length > 0 ? { ...said, meanings: own } : said;
  const isOfFigure = !isAdjective && next?.lead.length === 0 && at.measureIn(next, cursor.roleOf) !== undefined;
  const isSaid = item!.lead.some((word) => /^(is|are|was|were)$/.test(word));
  return addCondition(cursor, { type: 'is', mention, isPlace, isNext, isAdjective, isOfFigure, isSaid, ...how }, taken);
}

/** What must not be: "not cancelled", "except the store", "neither free nor starter", "no orders", "never ordered". */
export function negation(cursor: Cursor): boolean {
  const start = cursor.at;
  if (!/^(not|without)$/.test(op(cursor))) return false;
  const isSaid = op(cursor) === 'without' || /^(no|never)$/.test(firstWord(here(cursor)));
  const isPrefix = firstWord(here(cursor)) === 'un';
  if (start === 0 && !isPrefix) cursor.request.followUp = 'replace';
  cursor.at++;
  if (isPrefix)
    return condition(cursor, { negated: true, isPrefix }) || lacking(cursor, true) || restore(cursor, start);
  // "not reported any generation", "not borrowed"
  const item = here(cursor);
  const canLack = isSaid || item?.lead.some(isEverydayVerb) || at.rankOf(at.entityIn(item)) === 0;
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
  // "never placed an order" is said of orders of any state.
  const isVerb = isEverydayVerb(firstWord(here(cursor))) && at.adjectiveIn(here(cursor), cursor.roleOf);
  if (canLack && isVerb && at.entityIn(here(cursor, 1))) cursor.at++;
  const item = here(cursor);
  if (item === undefined || item.kind === 'operator') return false;
  // "without cancelled orders", "never ordered"
  const inner = canLack ? takeConditions(cursor) : [];
  const isNoun = canLack && (inner.length === 0 || here(cursor)?.lead.length === 0);
  const entity = isNoun ? at.entityIn(here(cursor)) : undefined;
  if (entity) return related(cursor, entity, [{ comparator: 'equals', value: 0 }], inner);
  restore(cursor, start);
  // "without a supervisor" by `supervisor_id`, whoever else is one
  const keys = canLack
    ? item.meanings.filter((one) => one.kind === 'dimension' && /_id$/i.test(one.dimension.name))
    : [];
  if (keys.length > 0) return addCondition(cursor, { type: 'missing', mention: at.mentionOf(item, keys) }, 1);
  const dimension = at.dimensionIn(item, cursor.roleOf);
  // "without email", where that is a column and how invoices are sent
  if (canLack && dimension && at.rankOf(dimension) >= 2 && at.rankOf(at.conditionIn(item, cursor.roleOf)) >= 2)
    cursor.request.unclear = item.text;
  if (condition(cursor, { negated: true })) return true;
  if (!dimension || !(canLack || at.dateIn(item)) || /^(time|number)$/.test(here(cursor, 1)?.kind ?? '')) return false;
  return addCondition(cursor, { type: 'missing', mention: dimension, orZero: !at.dateIn(item) }, 1);
}

/** "unknown cause", "the cause is unknown". */
export function absent(cursor: Cursor): boolean {
  const isBefore = op(cursor) === 'null';
  const item = here(cursor, isBefore ? 1 : 0);
  const dimension = at.nounIn(item, cursor.roleOf) && at.dimensionIn(item, cursor.roleOf);
  if (!dimension || at.entityIn(item) || !(isBefore ? item!.lead.length === 0 : op(cursor, 1) === 'null')) return false;
  const word = fold(here(cursor, isBefore ? 0 : 1)!.text);
  // Where that is a value, it is one.
  const isValue = dimension.meanings.some(
    (one) => one.kind === 'dimension' && one.dimension.sample_values?.some((value) => fold(String(value)) === word),
  );
  return !isValue && addCondition(cursor, { type: 'missing', mention: dimension }, 2);
}

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

const takeConditions = (cursor: Cursor): Condition[] =>
  apart(cursor, () => {
    while (condition(cursor)) joinNext(cursor);
  });

/** Rows related to those asked for, with what is said right behind them: "orders in 2024", "tickets that are open". */
export function related(
  cursor: Cursor,
  mention: Mention,
  bounds: readonly Bound[] = [{ comparator: 'greater_than', value: 0 }],
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

/** "with more than 5 orders", "who have an email", "with a rating of 5". */
export function having(cursor: Cursor): boolean {
  const start = cursor.at;
  const isSaid = op(cursor) === 'with';
  // "revenue including tax"
  if (/^includ/.test(firstWord(here(cursor))) && cursor.request.figures.length > 0) return false;
  if (isSaid) cursor.at++;
  let isAll = false;
  for (; op(cursor) === 'all'; cursor.at++) isAll ||= firstWord(here(cursor)) === 'all';
  if (relatedCount(cursor, isSaid) || (isSaid && ofFigure(cursor))) {
    if (isAll) cursor.request.all = true;
    return true;
  }
  if (!isSaid) return restore(cursor, start);
  if (absent(cursor) || comparison(cursor) || condition(cursor) || dated(cursor) || negation(cursor)) return true;
  const item = here(cursor);
  const dimension = at.nounIn(item, cursor.roleOf) && at.dimensionIn(item, cursor.roleOf);
  if (!dimension || at.entityIn(item)) return restore(cursor, start);
  return addCondition(cursor, { type: 'missing', mention: dimension, negated: true, isWith: true }, 1);
}

/** "with total sales above 10000", "have an average rent over 1200", "with more than 45 active policies". */
function ofFigure(cursor: Cursor): boolean {
  const start = cursor.at;
  const bounds = takeBounds(cursor);
  const item = here(cursor);
  const isOfRow = at.entityIn(item) ?? item?.meanings.some(at.isNumber);
  const counted = bounds && !isOfRow ? at.measureIn(item, cursor.roleOf) : undefined;
  if (counted) {
    cursor.at++;
    return addFigure(cursor, { mention: counted }, bounds);
  }
  restore(cursor, start);
  const figure = here(cursor)?.operator?.fn ? takeFigure(cursor) : undefined;
  return (figure !== undefined && addFigure(cursor, figure)) || restore(cursor, start);
}

/** A figure with its bounds, and the period behind them. */
function addFigure(cursor: Cursor, figure: Figure, bounds = takeBounds(cursor)): boolean {
  if (!bounds) return false;
  if (CURRENCY.has(firstWord(here(cursor)))) cursor.at++;
  const conditions = apart(cursor, () => {
    while (period(cursor));
  });
  for (const bound of bounds)
    addCondition(cursor, { type: 'figure', mention: figure.mention, figure, ...bound, conditions });
  return true;
}

/** Related rows, with how many there must be: at least one where no number is said. */
function relatedCount(cursor: Cursor, isSaid: boolean): boolean {
  const start = cursor.at;
  const bounds = takeBounds(cursor);
  const inner = bounds || isSaid ? takeConditions(cursor) : [];
  const [item, next] = [here(cursor), here(cursor, 1)];
  const isEnd = !item || /^(time|operator)$/.test(item.kind);
  // "with more than 2 dogs", where dog is a value.
  const [value] = bounds && isEnd ? inner : [];
  const rows = value && at.rowsIn(value.mention);
  if (rows) cursor.at--;
  const entity = rows ?? (bounds || isSaid ? at.entityIn(item) : undefined);
  // "with more than 1000 employees" where employees is a number of each row; "with a total over 100".
  const isOfRow = at
    .nounIn(item, cursor.roleOf)
    ?.meanings.some((one) => at.isNumber(one) && one.rank > at.rankOf(entity));
  const isCompared = !bounds && (/^(comparator|between)$/.test(next?.operator?.op ?? '') || next?.kind === 'number');
  return entity && !isOfRow && !isCompared ? related(cursor, entity, bounds, inner) : restore(cursor, start);
}
