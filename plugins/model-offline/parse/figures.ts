/** Reads what is measured and in which order: "how many …", "average …", "top 5 … by …", "sorted by …". */
import type { Aggregate } from '../words/vocabulary.ts';
import * as at from './cursor.ts';
import { entitiesIn, type Figure, type Ranking, unnamed } from './request.ts';

const { here, firstWord, restore } = at;
type Cursor = at.Cursor;

/** "average number of", "how many different": one function, `undefined` where they contradict each other. */
function functionOf(said: readonly Aggregate[]): Aggregate | undefined {
  const [strong, more] = new Set(said.filter((fn) => /^(avg|min|max)$/.test(fn)));
  if (strong) return more ? undefined : strong;
  return said.includes('count_distinct') ? 'count_distinct' : said.includes('count') ? 'count' : said[0];
}

function takeFunctions(cursor: Cursor): Aggregate[] {
  const said: Aggregate[] = [];
  for (; ; cursor.at++) {
    const { op, fn } = here(cursor)?.operator ?? {};
    if (fn) said.push(fn);
    else if (op !== 'all' || said.length === 0) return said;
  }
}

export function addFigure(cursor: Cursor, figure: Figure): true {
  cursor.request.figures = [...cursor.request.figures, figure];
  cursor.joined = undefined;
  return true;
}

/** The figure at the cursor: aggregate words with a noun, or a measure. Leaves the cursor where there is none. */
export function takeFigure(cursor: Cursor): Figure | undefined {
  const start = cursor.at;
  const { roleOf } = cursor;
  const conditions = cursor.conditions.length;
  const said = takeFunctions(cursor);
  const fn = functionOf(said);
  if (said.length === 0 || fn !== undefined) {
    if (fn) at.takeAdjectives(cursor);
    const item = here(cursor);
    const isAmount = item?.operator?.op === 'amount' && fn !== undefined && fn !== 'count';
    const noun = isAmount ? unnamed(item.text) : fn ? at.nounIn(item, roleOf) : at.measureIn(item, roleOf);
    // "how much money did agents bring in": not what agents come to
    const isMoney = fn === 'sum' && /money$/i.test(here(cursor, -1)?.text ?? '') && at.entityIn(item) !== undefined;
    // "how many were ordered" counts no dates.
    const isDates = fn && !/^(min|max)$/.test(fn) && !isAmount && noun?.meanings.every(at.isDate);
    if (noun && !isDates && !isMoney) {
      cursor.at++;
      // "total invoice amount"
      if (fn && fn !== 'count' && at.entityIn(item) && /^(amount|value|worth)$/.test(firstWord(here(cursor))))
        cursor.at++;
      const words = cursor.items.slice(start, cursor.at).flatMap(({ tokens }) => tokens.map(({ word }) => word));
      const isSum = fn === 'sum' && words.some((word) => /^(sum|amount|much)$/.test(word));
      return { ...(fn && { fn }), isSum, isCount: fn !== 'count' && said.includes('count'), mention: noun };
    }
  }
  cursor.conditions.length = conditions;
  restore(cursor, start);
  return undefined;
}

/** "how many …", "total …", "the value of …". */
export function aggregate(cursor: Cursor): boolean {
  const { request } = cursor;
  const start = cursor.at;
  const item = here(cursor);
  if (item?.operator?.op === 'amount') {
    cursor.at++;
    // "orders worth more than 500"
    if (/^(comparator|between)$/.test(at.op(cursor)) && request.subject) return true;
    const figure: Figure = { fn: 'sum', mention: unnamed(item.text) };
    const most = here(cursor);
    const [asked, other] = request.figures;
    // "how much did customers in Oslo spend"
    if (asked?.isSum && !other && !request.subject && entitiesIn(asked.mention).length > 0) {
      Object.assign(request, { figures: [figure], subject: asked.mention });
      return true;
    }
    const isMost = /^(most|least)$/.test(firstWord(most)) && most!.lead.includes('the') && !request.ranking;
    if (!isMost) return addFigure(cursor, figure);
    cursor.at += at.op(cursor, 1) === 'amount' ? 2 : 1;
    request.ranking = { direction: most!.operator!.direction!, key: figure };
    return true;
  }
  if (!item?.operator?.fn) return false;
  // "list the distinct languages", "what different causes": the values, not their number.
  const isList =
    start === 0 || request.listing || request.which || item.lead.some((word) => /^(what|show|give)$/.test(word));
  const values =
    item.operator.fn === 'count_distinct' && isList ? at.dimensionIn(here(cursor, 1), cursor.roleOf) : undefined;
  if (values) {
    cursor.at += 2;
    Object.assign(request, { columns: [...request.columns, values], distinct: true });
    return true;
  }
  if (item.lead.includes('their') && request.subject) request.listing = true;
  const figure = takeFigure(cursor);
  if (figure) return addFigure(cursor, figure);
  const fn = functionOf(takeFunctions(cursor));
  const noun = at.takeAdjectives(cursor);
  const isEnd = here(cursor) === undefined || /^(time|operator)$/.test(here(cursor)!.kind);
  const isStart = start === 0 || (start === 1 && request.followUp === 'add');
  // "bookings without a discount - how many?"
  const isBehind = request.subject !== undefined && request.figures.length === 0 && !request.ranking;
  if (fn === 'sum' && isEnd && /money/i.test(item.text)) return addFigure(cursor, { fn, mention: unnamed('money') });
  if (fn === 'count' && request.figures.length === 0 && (noun || (isEnd && (isStart || isBehind)))) {
    // "how many no-shows": rows of what the condition is on; "how many were cancelled": of those before.
    if (noun && !noun.lead.some((word) => /^(are|were|was|of|those|them|these)$/.test(word)))
      request.subject = at.mentionOf(noun);
    request.counting = true;
    return true;
  }
  const [before, other] = request.figures;
  // "what do we pay for a copy on average"
  if (fn === 'avg' && isEnd && before?.fn === 'sum' && !other && entitiesIn(before.mention).length === 0) {
    request.figures = [{ ...before, fn }];
    return true;
  }
  // "… in total" repeats what a sum is, "bring in how much" does not.
  const isTotal = fn === 'sum' && start > 0 && isEnd && !/much/i.test(item.text);
  const isRepeated = isTotal && !request.figures.some((one) => /^(avg|min|max)$/.test(one.fn ?? ''));
  return isRepeated || restore(cursor, start);
}

/** "top 5 products", "the 3 largest orders", "highest average rating", "best month", "first admission date". */
export function ranking(cursor: Cursor): boolean {
  const { request, roleOf } = cursor;
  const start = cursor.at;
  const item = here(cursor);
  const { op, direction, of } = item?.operator ?? {};
  if (op !== 'rank' || !direction || request.ranking?.key) return false;
  const isAfter = here(cursor, 1)?.kind === 'number';
  const limit = isAfter ? here(cursor, 1)!.number : request.ranking?.limit;
  const isPercent = isAfter && (here(cursor, 1)!.tokens[0]!.percent || firstWord(here(cursor, 2)) === '%');
  if (isPercent || (limit !== undefined && (!Number.isInteger(limit) || limit < 1))) return false;
  cursor.at += isAfter ? 2 : 1;
  const done = (more: Partial<Ranking>, taken = 0): true => {
    request.ranking = { direction, ...(limit !== undefined && { limit }), ...(of && { of }), ...more };
    cursor.at += taken;
    cursor.joined = undefined;
    return true;
  };
  const isVague = of === 'vague' || of === 'good';
  const isNamed = of === undefined || isVague;
  const isSize = isNamed || /^(length|weight|money)$/.test(of!);
  const key = isSize && here(cursor)?.operator?.fn ? takeFigure(cursor) : undefined;
  if (key) return done({ key });
  const adjective = at.takeAdjectives(cursor);
  const next = here(cursor);
  const isEnd = next === undefined || /^(time|operator)$/.test(next.kind);
  const date = of === 'time' ? at.dateIn(next) : undefined;
  // "the most recently opened shops"
  if (date && at.entityIn(here(cursor, 1)) && here(cursor, 1)!.lead.length === 0)
    return done({ key: { mention: date } }, 1);
  if (date) {
    cursor.at++;
    return addFigure(cursor, { fn: direction === 'desc' ? 'max' : 'min', mention: date });
  }
  const isPlural = firstWord(next).endsWith('s');
  if (next?.operator?.grain && (request.which || limit !== undefined || !isPlural)) {
    request.groups = [...request.groups, { grain: next.operator.grain }];
    return done(limit === undefined && !isPlural ? { limit: 1 } : {}, 1);
  }
  const isQuantity = /^(most|fewest|least)$/.test(firstWord(item)) && isNamed;
  const entity = at.entityIn(next);
  const isFigure = at.measureIn(next, roleOf) ?? at.nounIn(next, roleOf)?.meanings.some(at.isNumber);
  if (next && isQuantity && firstWord(next) === 'money')
    return done({ key: { fn: 'sum', mention: unnamed(next.text) } }, 1);
  if (next && isQuantity && entity && (entity.plural || at.rankOf(entity) === 0))
    return done({ key: { fn: 'count', mention: entity } }, 1);
  if (next && isNamed && isFigure && !entity) return done({ key: { mention: at.mentionOf(next) } }, 1);
  // "the heaviest dog", where dog is a value
  const isValue = adjective && !isVague && (isEnd || next!.lead.length > 0);
  const rows = entity ?? (isValue ? at.mentionOf(adjective) : undefined);
  const thing = isQuantity ? undefined : (rows ?? at.dimensionIn(next, roleOf));
  const isOf = entity && item!.lead.includes('of');
  if (thing && !request.subject && (request.columns.length === 0 || isOf)) {
    if (rows) request.subject = rows;
    else request.columns = [thing];
    // "highest order amount"
    const isAmount = entity && at.op(cursor, 1) === 'amount';
    return done(isAmount ? { of: 'money' } : {}, isAmount ? 2 : Number(thing !== rows || rows === entity));
  }
  // "top 3" goes on from a question before.
  const isRest = limit !== undefined && !request.subject && (!next || firstWord(next) === 'only');
  // "which turbine is the oldest"
  const isLast = of === 'time' && limit !== undefined;
  const isSaidOf = (request.which || isLast) && request.subject && isEnd && !isQuantity && !isVague;
  return isRest || isSaidOf ? done({}) : restore(cursor, start);
}

/** "sorted by revenue", "highest first". */
export function sorting(cursor: Cursor): boolean {
  const { request } = cursor;
  const start = cursor.at;
  const item = here(cursor);
  const { op, direction } = item?.operator ?? {};
  const { key: before, limit } = request.ranking ?? {};
  if (op === 'direction' && direction) {
    request.ranking = { isSorting: true, ...request.ranking, direction };
    cursor.at++;
    return true;
  }
  if (op !== 'sort' || before) return false;
  cursor.at++;
  const noun = at.nounIn(here(cursor), cursor.roleOf);
  const figure = takeFigure(cursor);
  if (!figure && !noun) return restore(cursor, start);
  if (!figure) cursor.at++;
  const order = { ...(firstWord(item).startsWith('rank') && { direction: 'desc' as const }), ...(limit && { limit }) };
  request.ranking = { ...order, key: figure ?? { mention: noun! }, isSorting: true, isTotal: true };
  return true;
}

/** A measure that stands by itself, "revenue in 2025", or a further thing to count: "orders and customers". */
export function measure(cursor: Cursor): boolean {
  const item = here(cursor);
  const { request } = cursor;
  // "hotels and their revenue": of each; "outages and households affected": both figures
  const isTheirs = item?.lead.includes('their') && request.subject !== undefined;
  const entity = at.entityIn(item);
  const noun = at.nounIn(item, cursor.roleOf);
  const isMeasure = !entity && at.measureIn(item, cursor.roleOf)?.meanings.some((one) => noun?.meanings.includes(one));
  const isCount = entity && cursor.joined === 'and' && cursor.request.figures.length > 0;
  if (!isCount && !(isMeasure && cursor.joined !== 'or')) return false;
  // "premium of active policies", where that is a figure too
  if (item?.lead.includes('of') && request.figures.length > 0 && !isCount) request.unclear = item.text;
  const isBeside = cursor.joined === 'and' && request.figures.length === 0 && at.entityIn(here(cursor, -2));
  if (isTheirs) request.listing = true;
  else if (isBeside && request.subject) addFigure(cursor, { fn: 'count', mention: request.subject });
  cursor.at++;
  return addFigure(cursor, isCount ? { fn: 'count', mention: entity } : { mention: at.mentionOf(item!) });
}
