/** Reads what a figure is split by, "per region and month", and the periods it is of. */
import { type TimePhrase, timeUnit } from '../words/time-phrases.ts';
import {
  addCondition,
  addGroup,
  adjectiveIn,
  type Content,
  type Cursor,
  conditionIn,
  dateIn,
  dimensionIn,
  entityIn,
  firstWord,
  here,
  isNumber,
  measureIn,
  mentionOf,
  nounIn,
  operatorAt,
  restore,
} from './cursor.ts';
import { takeFigure } from './figures.ts';
import type { Figure, Group, Mention, Period } from './request.ts';

/** The date that a part of the calendar is of: "month of admission", "year admitted". */
function takeHint(cursor: Cursor): { hint?: Mention } {
  const item = here(cursor);
  const date = dateIn(item);
  const hint = item?.lead.includes('of') || (item?.lead.length === 0 && date) ? (date ?? entityIn(item)) : undefined;
  if (!item || !hint || (here(cursor, 1)?.time && date)) return {};
  cursor.at++;
  return { hint: { ...hint, meanings: item.meanings.filter(({ kind }) => kind === 'entity' || kind === 'dimension') } };
}

/** "bookings by guests from Japan": those who made them. */
function isAgent(cursor: Cursor): boolean {
  const [item, next] = [here(cursor), here(cursor, 1)];
  const isOf = adjectiveIn(next, cursor.roleOf) !== undefined && next!.lead.some((word) => /^(from|in|of)$/.test(word));
  return (
    firstWord(here(cursor, -1)) === 'by' &&
    entityIn(item)?.plural === true &&
    (isOf || operatorAt(cursor, 1) === 'with')
  );
}

/** One thing to group by at the cursor. */
function takeGroup(cursor: Cursor, isPer = false): Group | undefined {
  const [item, next] = [here(cursor), here(cursor, 1)];
  const grain = item?.operator?.grain;
  if (item && grain) {
    cursor.at++;
    return {
      grain,
      per: isPer || (item.operator!.grouping !== undefined && firstWord(item) !== 'by'),
      ...takeHint(cursor),
    };
  }
  const date = dateIn(item);
  // "by signup month"
  if (date && next?.operator?.grain && !next.operator.grouping && next.lead.length === 0) {
    cursor.at += 2;
    return { grain: next.operator.grain, hint: date };
  }
  const flags = conditionIn(item, cursor.roleOf)?.meanings.filter(({ kind }) => kind === 'dimension') ?? [];
  const isThing = entityIn(item) ?? dimensionIn(item, cursor.roleOf);
  // "by insured" is by yes and no.
  const isNoun = !entityIn(next) || next!.lead.length > 0;
  const noun = isThing ? nounIn(item, cursor.roleOf) : flags.length > 0 && isNoun ? mentionOf(item!, flags) : undefined;
  if (!noun || (isAgent(cursor) && !isPer)) return undefined;
  cursor.at++;
  return { mention: { ...noun, meanings: noun.meanings.filter(({ kind }) => kind !== 'measure') }, per: isPer };
}

/** "top 5 customers by revenue", "products by units sold", "by units sold instead": what decides the order. */
function rankedBy(cursor: Cursor): boolean {
  const { request, roleOf } = cursor;
  const ranked = request.ranking;
  const isRankable = ranked ? !ranked.key && !ranked.isLimit : request.figures.length === 0 && !request.counting;
  const isNew = cursor.at === 1;
  if (!isRankable || !(request.subject ?? request.columns[0] ?? (ranked && request.groups[0]) ?? isNew)) return false;
  const item = here(cursor);
  const isFigure = item?.operator?.fn || (measureIn(item, roleOf) && !dimensionIn(item) && !entityIn(item));
  let key: Figure | undefined = isFigure ? takeFigure(cursor) : undefined;
  const noun = nounIn(item, roleOf);
  const isNumeric = noun?.meanings.some(isNumber);
  if (!key && ranked && noun && (entityIn(item) || isNumeric || measureIn(item, roleOf))) {
    cursor.at++;
    key = entityIn(item) && !isNumeric ? { fn: 'count', mention: entityIn(item)! } : { mention: noun };
  }
  if (!key) return false;
  const isAlone = !ranked && !request.subject && request.columns.length === 0;
  request.ranking = { ...(ranked ?? { direction: 'desc', isSorting: !isAlone }), key, isTotal: true };
  return true;
}

/** "by …", "per …", "for each …", "monthly". */
export function grouping(cursor: Cursor): boolean {
  const { request } = cursor;
  const item = here(cursor);
  const { op = '', grain, grouping: isGrouping } = item?.operator ?? {};
  const start = cursor.at;
  if (grain ? !isGrouping && !request.which && cursor.joined !== 'and' : !/^(group|by|each)$/.test(op)) return false;
  if (!grain) cursor.at++;
  while (!grain && /^(each|all)$/.test(operatorAt(cursor) ?? '')) cursor.at++;
  if (op === 'by' && rankedBy(cursor)) return true;
  let group = takeGroup(cursor, firstWord(item) === 'per');
  // "paid by card"
  if (!group && op === 'by' && conditionIn(here(cursor), cursor.roleOf)?.meanings.some(({ kind }) => kind === 'value'))
    return true;
  if (!group) return restore(cursor, start);
  cursor.joined = undefined;
  for (let back = cursor.at; group; ) {
    addGroup(cursor, group);
    back = cursor.at;
    const isNext = operatorAt(cursor) === 'and' && !measureIn(here(cursor, 1), cursor.roleOf);
    if (isNext) cursor.at++;
    group = isNext ? takeGroup(cursor) : undefined;
    if (!group) cursor.at = back;
  }
  return true;
}

export function addPeriod(cursor: Cursor, period: Period, taken: number): true {
  const { request } = cursor;
  cursor.at += taken;
  if (cursor.conditions !== request.conditions)
    return addCondition(cursor, {
      type: 'period',
      mention: { text: period.text, meanings: [], plural: false },
      period,
    });
  request.periods = [...request.periods, period];
  cursor.joined = undefined;
  return true;
}

/** After "versus", "previous month" is the one before the period in question, whatever today is. */
function relativeOf({ tokens }: Content): TimePhrase | undefined {
  const [word, unit] = tokens.filter((token) => token.word !== 'the');
  const grain = timeUnit(unit?.stem);
  return tokens.length <= 3 && /^(previous|prior|preceding)$/.test(word?.word ?? '') && grain
    ? { kind: 'relative', unit: grain }
    : undefined;
}

/** A period, with the entity named beside it: "invoices of admissions in 2024", "2024 admissions". */
export function period(cursor: Cursor): boolean {
  const item = here(cursor);
  if (item?.time === undefined) return false;
  const { request } = cursor;
  const [before, next] = [here(cursor, -1), here(cursor, 1)];
  const isGroup = request.groups.at(-1)?.mention?.text === before?.text;
  const of = (next?.lead.length === 0 ? entityIn(next) : undefined) ?? (isGroup ? undefined : entityIn(before));
  const phrase = (request.compared && relativeOf(item)) || item.time;
  return addPeriod(
    cursor,
    { text: item.text, phrase, ...(of && { of }), joined: cursor.joined !== undefined && request.periods.length > 0 },
    1,
  );
}

/** A date with its period, "signed up in 2024", or with a part of the calendar, "closed per month". */
export function dated(cursor: Cursor): boolean {
  const date = dateIn(here(cursor));
  const next = here(cursor, 1);
  if (date && next?.time) return addPeriod(cursor, { text: next.text, phrase: next.time, hint: date }, 2);
  // "returned and due in October" is of both dates.
  const last = here(cursor, 3);
  const other = operatorAt(cursor, 1) === 'and' && last?.time ? dateIn(here(cursor, 2)) : undefined;
  if (date && other && last?.time) {
    addPeriod(cursor, { text: last.text, phrase: last.time, hint: date }, 0);
    return addPeriod(cursor, { text: last.text, phrase: last.time, hint: other }, 4);
  }
  if (!date || !next?.operator?.grouping) return false;
  cursor.at++;
  addGroup(cursor, { ...takeGroup(cursor), hint: date });
  return true;
}
