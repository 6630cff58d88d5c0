/** Reads the linked words of one message into the slots of a request; every word with content finds one or is named. */
import type { Item } from '../words/link.ts';
import { CURRENCIES, isEverydayVerb, isUnit } from '../words/vocabulary.ts';
import { absent, comparison, condition, having, negation } from './conditions.ts';
import * as at from './cursor.ts';
import { durationIn } from './duration.ts';
import { addFigure, aggregate, measure, ranking, sorting, takeFigure } from './figures.ts';
import { dated, grouping, period } from './groups.ts';
import { type Mention, type Request, unnamed } from './request.ts';

const { firstWord, here, op } = at;
/** `unplaced`: items without a slot. */
export type Parsed = { readonly request: Request; readonly unplaced: readonly Item[] };
type Rule = (cursor: at.Cursor) => boolean;

export function parse(items: readonly Item[], roleOf: at.RoleOf): Parsed {
  const whole = at.cursorOf(items, roleOf);
  const duration = durationIn(whole.items);
  const cursor = duration ? { ...whole, items: duration.rest } : whole;
  if (duration) cursor.request.figures = [duration.figure];
  const [first, second] = cursor.items;
  // "what fitter has the most jobs", "fitter with the most jobs"
  const isAsked = first?.lead.at(-1) === 'what' || second?.operator?.op === 'with';
  if (isAsked && at.adjectiveIn(first, roleOf)) cursor.request.which = true;
  const unplaced: Item[] = [];
  while (cursor.at < cursor.items.length) {
    markWhole(cursor);
    if (!RULES.some((rule) => rule(cursor))) unplaced.push(cursor.items[cursor.at++]!);
  }
  goOn(cursor);
  const { request } = cursor;
  // "show me the open jobs" is no count of them.
  const isShown = cursor.items.some(({ lead }) => lead.includes('show'));
  if (isShown && request.subject?.plural && request.figures.length === 0 && !request.counting) request.listing = true;
  // "What did customers buy?", "Where do they live?" ask for no number of customers.
  const { figures, columns, groups, ranking: ranked } = request;
  const isOther = /^((what|where|how) (do|does|did)|where (is|are|was|were)|when .*)$/.test(
    `${firstWord(items[0])} ${firstWord(items[1])}`,
  );
  if (isOther && !ranked && [figures, columns, groups].flat().length === 0) unplaced.push(items[0]!);
  // What a word was to be done with is no news where the word itself is unknown.
  const named = unplaced.filter(({ kind }) => kind !== 'operator');
  return { request, unplaced: named.length > 0 ? named : unplaced };
}

/** "share of closed orders that were inspected": what is said behind the verb is of the part. */
function markWhole({ request, items, at: start, conditions }: at.Cursor): void {
  const item = items[start]!;
  const isVerb =
    [...item.lead, firstWord(item)].some((word) => /^(is|are|was|were)$/.test(word)) ||
    /^(with|without)$/.test(item.operator?.op ?? '');
  if (request.share && isVerb && start > 1 && request.whole === undefined && conditions.length > 0)
    request.whole = conditions.length;
}

function leadOf({ items: [first, second] }: at.Cursor): string {
  const said = first?.operator?.op === 'and' ? (second ?? first) : first;
  return / (for|in)$/i.exec(first?.operator ? first.text : '')?.[1] ?? said?.lead[0] ?? '';
}
const GOES_ON = /^(for|in|on|at|from|of)$/;

/** "as average price", "for electric vehicles" go on from the question before. */
function goOn(cursor: at.Cursor): void {
  const { request } = cursor;
  const { figures, counting, listing, which, ranking, subject } = request;
  const isRest = GOES_ON.test(leadOf(cursor)) && !(figures.length > 0 || counting || listing || which || ranking);
  if (leadOf(cursor) !== 'as' && !isRest) return;
  request.followUp ??= 'replace';
  if (isRest && subject) Object.assign(request, { subject: undefined, beside: [...request.beside, subject] });
}

/** "and", "or", a comma. At the beginning they go on from the question before. */
const connector: Rule = (cursor) => {
  const said = op(cursor);
  const isComma = firstWord(here(cursor)) === ',';
  if (!at.isJoint(cursor) || (cursor.at === 0 && said === 'or') || (!isComma && !here(cursor, 1))) return false;
  // "all tariffs but gas"
  const isBut = firstWord(here(cursor)) === 'but' && cursor.at > 0;
  if (isBut && !/^(not|with|without|only|also|which|whose)$/.test(op(cursor, 1))) return false;
  const word = firstWord(here(cursor));
  if (cursor.at === 0 && word === 'plus') cursor.request.also = true;
  if (cursor.at === 0) cursor.request.followUp = 'add';
  else if (!isComma || cursor.conditions.length > 0) cursor.joined = said as 'and' | 'or';
  cursor.at++;
  return true;
};

/** Words that go on from the question before, or say in which form the answer is wanted. */
const frame: Rule = (cursor) => {
  const { request } = cursor;
  const said = op(cursor);
  const [word, next] = [firstWord(here(cursor)), here(cursor, 1)];
  const isStart = cursor.at === 0 || (cursor.at === 1 && request.followUp === 'add');
  // "By how many percent did revenue grow from 2024 to 2025?"
  const isGrowth =
    said === 'unread' && request.compare && /^(gr[eo]w|increase|r[io]se|decrease|drop|fall|decline)/.test(word);
  if (/^(only|same)$/.test(said)) {
    // "… only" behind a condition would be said of all rows that are related.
    const isMeasure = at.measureIn(here(cursor, -1), cursor.roleOf) !== undefined;
    if (
      !isStart &&
      (said === 'same' || next || isMeasure || (cursor.conditions.length > 0 && !GOES_ON.test(leadOf(cursor))))
    )
      return false;
    request.followUp = 'replace';
  } else if (said === 'instead') request.followUp = 'replace';
  else if (said === 'also') {
    request.also = true;
    if (isStart) request.followUp = 'add';
  } else if (said === 'new' && at.entityIn(next)) request.new = true;
  else if (said === 'now') request.current = true;
  else if (said === 'all' && word === 'all' && cursor.at > 0) request.all = true;
  else if (said === 'which' && cursor.at === 0) {
    request[word === 'who' ? 'who' : 'which'] = true;
  } else if (said === 'list' || (word === 'all' && cursor.at === 0 && at.entityIn(next))) request.listing = true;
  else if (said === 'with') {
    // "which city has the most …", "how many customers do we have"
    const isEmpty = !next || next.time || next.operator?.fn || /^(group|by|each)$/.test(next.operator?.op ?? '');
    const isOurs = here(cursor)!.lead.includes('we') && next?.operator?.op === 'more';
    const isVerb = (isEmpty || isOurs) && /^ha(ve|s|d)$/.test(word);
    // "suppliers that we never placed an order with"
    const isLast = !next && word === 'with' && cursor.conditions.length > 0;
    if (next?.operator?.op !== 'rank' && !isVerb && !isLast && !(request.compare && next?.time)) return false;
    if (word === 'who' && cursor.at === 0) request.who = true;
  } else if (said === 'when' && isStart) request.when = true;
  else if (said === 'trend') request.trend = true;
  else if (said === 'compare' || (said === 'than' && next?.time)) {
    request.compare = true;
    if (cursor.conditions.length > 0 && at.adjectiveIn(next, cursor.roleOf)) cursor.joined = 'or';
  } else if (
    said === 'more' &&
    !cursor.items.some((item, i) => item.operator?.op === 'than' && !cursor.items[i + 1]?.time)
  ) {
    request.compare = true;
    const rows = at.entityIn(next);
    if (rows) [request.figures, cursor.at] = [[{ fn: 'count', mention: rows }], cursor.at + 1];
  } else if (!/^(also|which|all|whose)$/.test(said) && !isGrowth) return false;
  cursor.at++;
  return true;
};

/** "the 3 largest", "which five guests made the most bookings", "biggest invoices, top 5": how many of what is ranked. */
const limit: Rule = (cursor) => {
  const { items, request, at: start } = cursor;
  const [item, next] = [here(cursor), here(cursor, 1)];
  const isNoun = next?.lead.length === 0 && at.mentionOf(next).plural && at.nounIn(next, cursor.roleOf);
  const isRanked =
    op(cursor, 1) === 'rank' || (isNoun && items.slice(start).some((one) => one.operator?.op === 'rank'));
  const isTop = request.ranking && /^(top|first|best)$/.test(firstWord(item));
  const number = isTop ? next?.number : isRanked ? item?.number : undefined;
  if (!number || request.ranking?.limit !== undefined || !Number.isInteger(number)) return false;
  request.ranking = { ...request.ranking, limit: number };
  cursor.at += isTop ? 2 : 1;
  return true;
};

/** "share of revenue by category", "percentage of orders per channel". */
const share: Rule = (cursor) => {
  // "no-show rate by class"
  const isRate = firstWord(here(cursor)) === 'rate' && at.conditionIn(here(cursor, -1), cursor.roleOf) !== undefined;
  if (isRate && cursor.conditions.length > 0) {
    cursor.at++;
    cursor.request.share = true;
    return true;
  }
  if (op(cursor) !== 'share') return false;
  const start = cursor.at++;
  while (op(cursor) === 'all') cursor.at++;
  const figure = takeFigure(cursor);
  // "transport cost as a share of revenue"
  if (figure && cursor.request.figures.length > 0) return at.restore(cursor, start);
  if (figure) addFigure(cursor, figure);
  cursor.request.share = true;
  return true;
};

/** What listed rows show: "with their price and base fee", "Give me their names". */
const shown: Rule = (cursor) => {
  const { request, items, at: start } = cursor;
  const isTheirs = here(cursor, 1)?.lead.some((word) => /^(their|its)$/.test(word));
  const isSaid = (item: at.Content | undefined) => item?.lead.some((word) => /^(give|show|tell|display)$/.test(word));
  const [isOrder, isShow] = [start > 0 && isSaid(here(cursor)), isSaid(items[0])];
  const isSure = isOrder || isTheirs || request.listing || request.ranking !== undefined;
  const isWith = op(cursor) === 'with' && (isSure || isShow);
  const nounAt = (ahead: number): Mention | undefined => {
    const item = here(cursor, ahead);
    const isNoun = item?.kind === 'names' && (at.dimensionIn(item) ?? at.entityIn(item));
    const noun = isNoun ? at.mentionOf(item) : undefined;
    const isName = item && (/^(names?|dates?)$/.test(firstWord(item)) || (noun && !at.entityIn(item)?.plural));
    return isName && !item.lead.some((word) => /^an?$/.test(word)) ? (noun ?? unnamed(item.text)) : undefined;
  };
  if (!isWith && !isOrder) return false;
  const found: Mention[] = [];
  let ahead = isWith ? 1 : 0;
  for (let noun = nounAt(ahead); noun; noun = nounAt(ahead)) {
    found.push(noun);
    ahead += 1;
    while (/^(and|all)$/.test(op(cursor, ahead)) && nounAt(ahead + 1)) ahead += 1;
  }
  if (found.length < (isSure ? 1 : 2)) return false;
  if (!/^(|time|operator)$/.test(here(cursor, ahead)?.kind ?? '') || op(cursor, ahead) === 'comparator') return false;
  request.shown = [...(request.shown ?? []), ...found];
  if (isTheirs || isShow) request.listing = true;
  cursor.at += ahead;
  return true;
};

/** "in euros", "in minutes": what figures are said in. */
const unit: Rule = (cursor) => {
  const item = here(cursor);
  const { stem } = item?.tokens[0] ?? {};
  const names = CURRENCIES.find((all) => all.includes(stem ?? '')) ?? (stem && isUnit(stem) ? [stem] : []);
  if (item?.lead.at(-1) !== 'in' || names.length === 0 || at.entityIn(item)) return false;
  cursor.request.unit = { text: item.text, names };
  cursor.at++;
  return true;
};

/** What the rows are of, or what is named beside it. */
const subject: Rule = (cursor) => {
  const item = here(cursor);
  const entity = item?.kind === 'names' ? at.entityIn(item) : undefined;
  const { request } = cursor;
  if (!entity || cursor.joined !== undefined) return false;
  // "the lowest price of a booking" is one of all of them.
  const { key, limit } = request.ranking ?? {};
  const before = here(cursor, -1);
  const lead = item!.lead.length === 0 && at.adjectiveIn(before, cursor.roleOf) ? before!.lead : item!.lead;
  const isOf = lead.some((word) => /^(of|among)$/.test(word)) && key && limit === undefined && !request.which;
  // "how many rooms does a hotel have": of one, or of all?
  if (item!.lead.includes('does') && /^(an?|one)$/.test(item!.lead.at(-1)!)) return false;
  const isOwner = item!.tokens.at(-1)!.possessive && at.entityIn(here(cursor, 1));
  if (request.subject === undefined && !isOf && !isOwner) request.subject = entity;
  else request.beside = [...request.beside, entity];
  cursor.at++;
  return true;
};

/** An attribute that stands by itself: shown, listed or ranked; a date said as a verb is given: "orders shipped". */
const column: Rule = (cursor) => {
  const { request, roleOf } = cursor;
  const item = here(cursor);
  const dimension = item?.kind === 'names' && at.nounIn(item, roleOf) ? at.dimensionIn(item, roleOf) : undefined;
  if (!dimension || cursor.joined === 'or') return false;
  const date = at.dateIn(item);
  // "phone bookings", where that is a number of guests and a channel
  const isValue = item!.meanings.some(({ kind, rank }) => kind === 'value' && rank === 3);
  if (isValue && at.entityIn(here(cursor, 1)) && here(cursor, 1)!.lead.length === 0) request.unclear = item!.text;
  if (
    date &&
    item!.tokens.at(-1)!.word !== 'date' &&
    (/ed$|^(born|due|paid|sold|sent|held|built|lost|won|left|gone|begun|withdrawn|taken|given)$/.test(
      firstWord(item),
    ) ||
      isEverydayVerb(firstWord(item)))
  )
    return at.addCondition(cursor, { type: 'missing', mention: date, negated: true }, 1);
  // "finished on the due date" compares two of them.
  if (date && item!.lead.includes('the') && at.dateIn(here(cursor, -1))) request.unclear = item!.text;
  // "card payments" are no dates.
  if (date && at.rankOf(date) === 0 && !request.subject && !request.when && request.columns.length === 0) return false;
  // "open orders" are none with a date at which shops opened.
  if (date && at.rankOf(date) === 0 && item!.tokens.length === 1 && !request.when) return false;
  cursor.at++;
  cursor.joined = undefined;
  const next = here(cursor, op(cursor) === 'all' ? 1 : 0);
  const isOfRows = request.subject === undefined && at.entityIn(next)?.plural === true && next!.lead.includes('of');
  if (firstWord(item) === 'name' && next?.lead.includes('of') && at.entityIn(next) && !at.entityIn(next)!.plural) {
    request.listing = true;
    return true;
  }
  // "names of stations in Lisbon" are what these are called; "what kinds of events" are the values there are.
  if (isOfRows && /^names?$/.test(firstWord(item))) {
    Object.assign(request, { listing: true, shown: [unnamed(item!.text)] });
    return true;
  }
  const isWhat = cursor.at === 1 && item!.lead.at(-1) === 'what' && dimension.plural && !date;
  if ((isOfRows && item!.lead.includes('what')) || isWhat) request.distinct = true;
  request.columns = [...request.columns, dimension];
  return true;
};

/** In this order; the first that can read what stands at the cursor does. */
const RULES: readonly Rule[] = [
  [connector, unit, limit, share, shown, ranking, aggregate, sorting, grouping, period],
  [negation, having, absent, frame, dated, comparison, condition],
  [measure, subject, column],
].flat();
