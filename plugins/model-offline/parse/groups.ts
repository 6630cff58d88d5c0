import { isEverydayVerb, isUnit } from '../words/vocabulary.ts';
import { isDerived } from '../words/words.ts';
import * as at from './cursor.ts';
import { takeFigure } from './figures.ts';
import { entitiesIn, type Figure, type Group, type Mention, type Period, unnamed } from './request.ts';

const { firstWord, here, op, restore } = at;
type Cursor = at.Cursor;

/** The date that a part of the calendar is of: "month of admission", "year admitted". */
function takeHint(cursor: Cursor): { hint?: Mention } {
  const item = here(cursor);
  const date = at.dateIn(item);
  const hint = item?.lead.includes('of') || (item?.lead.length === 0 && date) ? (date ?? at.entityIn(item)) : undefined;
  if (!item || !hint || (here(cursor, 1)?.time && date)) return {};
  cursor.at++;
  return { hint: { ...hint, meanings: item.meanings.filter(({ kind }) => kind === 'entity' || kind === 'dimension') } };
}

/** One thing to group by at the cursor. */
function takeGroup(cursor: Cursor, isPer = false): Group | undefined {
  const [item, next] = [here(cursor), here(cursor, 1)];
  const { grain, grouping } = item?.operator ?? {};
  if (item && grain) {
    cursor.at++;
    return { grain, per: isPer || (grouping !== undefined && firstWord(item) !== 'by'), ...takeHint(cursor) };
  }
  const date = at.dateIn(item);
  // "by signup month"
  if (date && next?.operator?.grain && !next.operator.grouping && next.lead.length === 0) {
    cursor.at += 2;
    return { grain: next.operator.grain, hint: date };
  }
  if (date && !at.adjectiveIn(item, cursor.roleOf)) {
    cursor.at++;
    return { grain: 'day', hint: date };
  }
  const flags = at.conditionIn(item, cursor.roleOf)?.meanings.filter(({ kind }) => kind === 'dimension') ?? [];
  const isThing = at.entityIn(item) ?? at.dimensionIn(item, cursor.roleOf);
  // "by insured" is by yes and no.
  const isFlag = flags.length > 0 && (!at.entityIn(next) || next!.lead.length > 0);
  const named = isThing && (at.nounIn(item, cursor.roleOf) ?? at.entityIn(item));
  const noun = isThing ? named : isFlag ? at.mentionOf(item!, flags) : undefined;
  // "bookings by guests from Japan": those who made them.
  const isSaidOf = at.adjectiveIn(next, cursor.roleOf) && next!.lead.some((word) => /^(from|in|of)$/.test(word));
  const isOf = isSaidOf || /^(from|in|of) (each|every)$/i.test(next?.text ?? '');
  if (!noun || (!isPer && at.entityIn(item)?.plural && (isOf || /^(with|which|whose)$/.test(op(cursor, 1)))))
    return undefined;
  cursor.at++;
  return { mention: { ...noun, meanings: noun.meanings.filter(({ kind }) => kind !== 'measure') }, per: isPer };
}

/** "top 5 customers by revenue", "products by units sold", "by units sold instead": what decides the order. */
function rankedBy(cursor: Cursor): boolean {
  const { request, roleOf } = cursor;
  const ranked = request.ranking;
  const isRankable = ranked ? !ranked.key : request.figures.length === 0 && !request.counting;
  const thing = request.subject ?? request.columns[0] ?? (ranked && request.groups[0]);
  // "first 5 hotels by revenue"
  if (!isRankable || !(thing ?? cursor.at === 1) || ranked?.of === 'time') return false;
  const item = here(cursor);
  const isFigure = item?.operator?.fn || (at.measureIn(item, roleOf) && !at.dimensionIn(item) && !at.entityIn(item));
  let key: Figure | undefined = isFigure ? takeFigure(cursor) : undefined;
  const noun = at.nounIn(item, roleOf);
  const isNumeric = noun?.meanings.some(at.isNumber);
  if (!key && ranked && noun && (at.entityIn(item) || isNumeric || at.measureIn(item, roleOf))) {
    cursor.at++;
    key = at.entityIn(item) && !isNumeric ? { fn: 'count', mention: at.entityIn(item)! } : { mention: noun };
  }
  if (!key) return false;
  const isAlone = !ranked && !request.subject && request.columns.length === 0;
  request.ranking = { ...(ranked ?? { direction: 'desc', isSorting: !isAlone }), key, isTotal: true };
  return true;
}

/** "revenue per month by pickup date": the date that months and periods before it are of. */
function dateOfAll(cursor: Cursor): boolean {
  const { request } = cursor;
  const date = at.dateIn(here(cursor));
  const isOpen = [...request.groups.filter(({ grain }) => grain), ...request.periods].some(({ hint }) => !hint);
  if (!date || !isOpen || here(cursor, 1)?.operator?.grain) return false;
  cursor.at++;
  request.groups = request.groups.map((one) => (one.grain ? { hint: date, ...one } : one));
  request.periods = request.periods.map((one) => ({ hint: date, ...one }));
  return true;
}

/** "cost per kilometre", "damages per 100 rentals": what the figure before is divided by, unless its rows are grouped. */
function dividedBy(cursor: Cursor): boolean {
  const { request } = cursor;
  const { number: times } = here(cursor) ?? {};
  const item = here(cursor, times === undefined ? 0 : 1);
  const rows = at.entityIn(item);
  const [figure] = request.figures;
  if (!item || !(figure || (request.subject && times)) || request.per) return false;
  const noun = at.nounIn(item, cursor.roleOf) ?? rows;
  const numbers = noun?.meanings.filter(at.isNumber) ?? [];
  // "reviews per rating" are grouped by few values.
  const isFew =
    !isUnit(item.tokens[0]!.stem) &&
    numbers.some((one) => 'dimension' in one && (one.dimension.unique_count ?? 99) <= 20);
  // "average number of orders per customer"
  const counted = figure?.fn === 'avg' && rows ? entitiesIn(figure.mention) : [];
  const isMean = counted.length > 0 && (figure!.isCount || figure!.mention.plural);
  const isRow =
    rows && (isMean || (figure?.fn !== 'avg' && (times !== undefined || at.ownsAll(figure?.mention, rows))));
  const isFigure = at.measureIn(item, cursor.roleOf) !== undefined || numbers.length > 0;
  const isOther = noun?.meanings.some((one) => one.kind === 'dimension' && !at.isNumber(one));
  if (!isRow && (rows || isOther || isFew || !isFigure || figure?.fn === 'count')) return false;
  cursor.at += times === undefined ? 1 : 2;
  if (!figure || isMean) request.figures = [{ fn: 'count', mention: figure?.mention ?? request.subject! }];
  request.per = { fn: isRow ? 'count' : 'sum', mention: isRow ? rows : noun!, ...(times && { times }) };
  return true;
}

const hasDate = ({ conditions }: Cursor): boolean =>
  conditions.some(({ type, mention }) => type === 'missing' && mention.meanings.every(at.isDate));

/** "by …", "per …", "for each …", "monthly". */
export function grouping(cursor: Cursor): boolean {
  const { request } = cursor;
  const item = here(cursor);
  const { grain, grouping: isGrouping } = item?.operator ?? {};
  const said = op(cursor);
  const start = cursor.at;
  // "per month, by date of loss"
  if (/^by date$/i.test(item?.text ?? '')) {
    cursor.at++;
    if (dateOfAll(cursor)) return true;
    restore(cursor, start);
  }
  if (grain ? !isGrouping && !request.which && cursor.joined !== 'and' : !/^(group|by|each)$/.test(said)) return false;
  if (!grain) cursor.at++;
  while (!grain && /^(each|all)$/.test(op(cursor))) cursor.at++;
  if (said === 'by' && (dateOfAll(cursor) || rankedBy(cursor))) return true;
  // "paid by the due date": a deadline, not a group
  if (said === 'by' && at.dateIn(here(cursor)) && here(cursor)!.lead.includes('the') && hasDate(cursor))
    return restore(cursor, start);
  // "passed every exam" is passed all of them.
  if (/^(each|every)$/i.test(item!.text) && !grain && at.conditionIn(cursor.items[start - 1], cursor.roleOf))
    return restore(cursor, start);
  // "by phone" where that is a column as well
  const values = at.conditionIn(here(cursor), cursor.roleOf)?.meanings.filter(({ kind }) => kind === 'value') ?? [];
  if (said === 'by' && values.length > 0 && at.nounIn(here(cursor), cursor.roleOf)) return restore(cursor, start);
  // "policies sold by agents": by whom, not for each of them
  if (said === 'by' && item!.lead.some(isEverydayVerb) && at.entityIn(here(cursor))?.plural)
    return restore(cursor, start);
  // "per invoiced customer" is not per invoice.
  const [verb, noun] = [at.entityIn(here(cursor)), at.entityIn(here(cursor, 1))];
  if (at.rankOf(verb) === 0 && noun && here(cursor, 1)!.lead.length === 0) return restore(cursor, start);
  if (firstWord(item) === 'per' && dividedBy(cursor)) return true;
  let group = takeGroup(cursor, firstWord(item) === 'per');
  // "paid by card"
  const isValue = at.conditionIn(here(cursor), cursor.roleOf)?.meanings.some(({ kind }) => kind === 'value');
  // "bookings by guests from Japan": those who made them
  if (!group)
    return (said === 'by' && (isValue || at.entityIn(here(cursor))?.plural === true)) || restore(cursor, start);
  cursor.joined = undefined;
  for (let back = cursor.at; group; ) {
    request.groups = [...request.groups, group];
    // "by shift of the operator and machine type"
    const owner = here(cursor)?.lead.includes('of') && op(cursor, 1) === 'and' ? at.entityIn(here(cursor)) : undefined;
    if (owner) {
      request.beside = [...request.beside, owner];
      cursor.at++;
    }
    back = cursor.at;
    const [joint, next] = [op(cursor), here(cursor, 1)];
    const isNext = joint === 'and' && !next?.lead.includes('of') && !at.measureIn(next, cursor.roleOf);
    if (isNext) cursor.at++;
    group = isNext ? takeGroup(cursor) : undefined;
    if (!group) cursor.at = back;
  }
  return true;
}

function addPeriod(cursor: Cursor, found: Period, taken: number): true {
  const { request } = cursor;
  cursor.at += taken;
  if (cursor.conditions !== request.conditions)
    return at.addCondition(cursor, { type: 'period', mention: unnamed(found.text), period: found });
  request.periods = [...request.periods, found];
  cursor.joined = undefined;
  return true;
}

/** A period, with the entity named beside it: "invoices of admissions in 2024", "2024 admissions". */
export function period(cursor: Cursor): boolean {
  const { time: phrase, text = '' } = here(cursor) ?? {};
  if (phrase === undefined) return false;
  const { request, joined } = cursor;
  const [before, next] = [here(cursor, -1), here(cursor, 1)];
  const isGroup = request.groups.at(-1)?.mention?.text === before?.text;
  const of = (next?.lead.length === 0 ? at.entityIn(next) : undefined) ?? (isGroup ? undefined : at.entityIn(before));
  const isJoined = joined !== undefined && request.periods.length > 0;
  const isDone =
    at.adjectiveIn(before, cursor.roleOf) &&
    /(ed|paid|sold|lost|won|given|withdrawn)$/.test(before!.tokens.at(-1)!.word);
  const verb = here(cursor)!.lead.some(isEverydayVerb) ? 'everyday' : isDone ? 'done' : undefined;
  if (joined === 'or' && !isJoined) return false;
  return addPeriod(cursor, { text, phrase, ...(of && { of }), ...(verb && { verb }), joined: isJoined }, 1);
}

/** A date with its period, "signed up in 2024", with a part of the calendar, "closed per month", or asked for: "when". */
export function dated(cursor: Cursor): boolean {
  const hint = at.dateIn(here(cursor));
  const next = here(cursor, 1);
  // "customers since 2020" by `customer_since`
  const isSince = here(cursor)?.tokens.at(-1)?.word === 'since';
  const phrase = isSince ? next?.time?.map(({ from }) => ({ ...(from && { from }) })) : next?.time;
  // "started and ended in 2026": both, or only the latter? "bookings and cancellations by month"
  const done = cursor.joined === 'and' && hint ? here(cursor, -2) : undefined;
  const isDone = at.dateIn(done) ?? (at.adjectiveIn(done, cursor.roleOf) && isDerived(firstWord(done)));
  const isNoun = done && at.entityIn(done) && !/ed$/.test(firstWord(here(cursor)));
  if (isDone || isNoun) cursor.request.unclear = here(cursor)!.text;
  if (hint && phrase) return addPeriod(cursor, { text: next!.text, phrase, hint }, 2);
  const { when, columns } = cursor.request;
  if (!hint || !(when || next?.operator?.grouping)) return false;
  cursor.at++;
  if (when) cursor.request.columns = [...columns, hint];
  else cursor.request.groups = [...cursor.request.groups, { ...takeGroup(cursor), hint }];
  return true;
}
