/** Reads what is measured and in which order: "how many …", "average …", "top 5 … by …", "sorted by …". */
import type { Aggregate } from '../words/vocabulary.ts';
import * as at from './cursor.ts';
import { type Figure, type Ranking, unnamed } from './request.ts';

const { here, firstWord, restore } = at;
type Cursor = at.Cursor;

/** "average number of", "how many different": one function, `undefined` where they contradict each other. */
function functionOf(said: readonly Aggregate[]): Aggregate | undefined {
  const strong = [...new Set(said.filter((fn) => /^(avg|min|max)$/.test(fn)))];
  if (strong.length > 0) return strong.length === 1 ? strong[0] : undefined;
  return said.includes('count_distinct') ? 'count_distinct' : said.includes('count') ? 'count' : said[0];
}

/** Aggregate words at the cursor, which moves behind them. */
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
  const { request, roleOf } = cursor;
  const [conditions, groups] = [cursor.conditions.length, request.groups];
  const said = takeFunctions(cursor);
  const fn = functionOf(said);
  if (said.length === 0 || fn !== undefined) {
    const grain = here(cursor)?.operator?.grain;
    if (fn && grain && firstWord(here(cursor)).endsWith('ly')) {
      // "total monthly revenue"
      request.groups = [...groups, { grain, per: true }];
      cursor.at++;
    }
    if (fn) at.takeAdjectives(cursor);
    const item = here(cursor);
    const isAmount = item?.operator?.op === 'amount' && fn !== undefined && fn !== 'count';
    const noun = isAmount ? unnamed(item.text) : fn ? at.nounIn(item, roleOf) : at.measureIn(item, roleOf);
    // "how many were ordered" counts no dates.
    const isDates = fn && !/^(min|max)$/.test(fn) && !isAmount && noun?.meanings.every(at.isDate);
    if (noun && !isDates) {
      cursor.at++;
      const words = cursor.items.slice(start, cursor.at).flatMap(({ tokens }) => tokens.map(({ word }) => word));
      const isSum = fn === 'sum' && words.some((word) => word === 'sum' || word === 'amount');
      return { ...(fn && { fn }), isSum, isCount: fn !== 'count' && said.includes('count'), mention: noun };
    }
  }
  cursor.conditions.length = conditions;
  request.groups = groups;
  restore(cursor, start);
  return undefined;
}

/** "how many …", "total …", "the value of …". */
export function aggregate(cursor: Cursor): boolean {
  const { request } = cursor;
  const start = cursor.at;
  const item = here(cursor);
  if (item?.operator?.op === 'amount') {
    const rank = here(cursor, 1)?.operator;
    const isExtreme = rank?.op === 'rank' && rank.of === undefined;
    const fn = isExtreme ? (rank.direction === 'desc' ? 'max' : 'min') : 'sum';
    cursor.at += isExtreme ? 2 : 1;
    return addFigure(cursor, { fn, mention: unnamed(item.text) });
  }
  if (!item?.operator?.fn) return false;
  const figure = takeFigure(cursor);
  if (figure) return addFigure(cursor, figure);
  const fn = functionOf(takeFunctions(cursor));
  const noun = at.takeAdjectives(cursor);
  const isEnd = here(cursor) === undefined || /^(time|operator)$/.test(here(cursor)!.kind);
  if (fn === 'count' && (noun || (isEnd && start === 0))) {
    // "how many no-shows": rows of what the condition is on.
    if (noun) request.subject = at.mentionOf(noun);
    request.counting = true;
    return true;
  }
  // "… in total" repeats what a sum is.
  const isRepeated = start > 0 && isEnd && !request.figures.some((one) => /^(avg|min|max)$/.test(one.fn ?? ''));
  return (fn === 'sum' && isRepeated) || restore(cursor, start);
}

/** "when was the first order", "the date of the most recent order", "first admission date": a figure of its date. */
export function when(cursor: Cursor): boolean {
  const asks = at.op(cursor) === 'when' || (firstWord(here(cursor)) === 'date' && at.op(cursor) === 'grain');
  const rank = here(cursor, asks ? 1 : 0)?.operator;
  const named = here(cursor, asks ? 2 : 1);
  const isDated = !asks && firstWord(here(cursor, 2)) === 'date';
  const mention = asks || isDated ? at.entityIn(named) : at.dateIn(named);
  if (rank?.op !== 'rank' || rank.of?.[0] !== 'time' || !mention) return false;
  cursor.at += asks || isDated ? 3 : 2;
  // "… placed" at the end is the date itself.
  if (at.dateIn(here(cursor)) && cursor.at === cursor.items.length - 1) cursor.at++;
  return addFigure(cursor, { fn: rank.direction === 'desc' ? 'max' : 'min', mention });
}

/** "top 5 products", "the 3 largest orders", "highest average rating", "best month". */
export function ranking(cursor: Cursor): boolean {
  const { request, roleOf } = cursor;
  const start = cursor.at;
  const isBefore = here(cursor)?.kind === 'number' && at.op(cursor, 1) === 'rank';
  const item = here(cursor, isBefore ? 1 : 0);
  const { op, direction, of } = item?.operator ?? {};
  if (op !== 'rank' || !direction || request.ranking?.key) return false;
  const isAfter = !isBefore && here(cursor, 1)?.kind === 'number';
  const limit = isBefore || isAfter ? here(cursor, isBefore ? 0 : 1)!.number : request.ranking?.limit;
  if (limit !== undefined && (!Number.isInteger(limit) || limit < 1)) return false;
  cursor.at += isBefore || isAfter ? 2 : 1;
  const isVague = /^(top|best|leading|bottom|worst)$/.test(firstWord(item));
  const done = (more: Partial<Ranking>, taken = 0): true => {
    request.ranking = { direction, ...(limit !== undefined && { limit }), ...(of && { of }), isVague, ...more };
    cursor.at += taken;
    cursor.joined = undefined;
    return true;
  };
  const key = of === undefined && here(cursor)?.operator?.fn ? takeFigure(cursor) : undefined;
  if (key) return done({ key });
  at.takeAdjectives(cursor);
  const next = here(cursor);
  const isPlural = firstWord(next).endsWith('s');
  if (next?.operator?.grain && (request.which || limit !== undefined || !isPlural)) {
    request.groups = [...request.groups, { grain: next.operator.grain }];
    return done(limit === undefined && !isPlural ? { limit: 1 } : {}, 1);
  }
  const isQuantity = of === undefined && /^(most|fewest|least)$/.test(firstWord(item));
  const entity = at.entityIn(next);
  const isFigure = at.measureIn(next, roleOf) ?? at.nounIn(next, roleOf)?.meanings.some(at.isNumber);
  const isNamed = of === undefined || !/^(time|age|count)$/.test(of[0]!);
  if (next && isQuantity && entity) return done({ key: { fn: 'count', mention: entity } }, 1);
  if (next && isNamed && isFigure && !entity) return done({ key: { mention: at.mentionOf(next) } }, 1);
  const thing = isQuantity ? undefined : (entity ?? at.dimensionIn(next, roleOf));
  if (thing && !request.subject && request.columns.length === 0) {
    if (entity) request.subject = entity;
    else request.columns = [thing];
    return done({}, 1);
  }
  // "which department billed the most"
  const [last, second] = request.figures;
  if (isQuantity && last && !second && last.fn === undefined && (request.subject ?? request.columns[0])) {
    request.figures = [];
    return done({ key: last, isTotal: true });
  }
  // "top 3" goes on from a question before.
  const isRest = limit !== undefined && !request.subject && (next === undefined || firstWord(next) === 'only');
  return isRest ? done({}) : restore(cursor, start);
}

/** "sorted by revenue", "highest first". */
export function sorting(cursor: Cursor): boolean {
  const { request } = cursor;
  const start = cursor.at;
  const item = here(cursor);
  const { op, direction } = item?.operator ?? {};
  const { limit } = request.ranking ?? {};
  if (op === 'direction' && direction) {
    const isTime = /^(newest|latest|oldest)$/.test(firstWord(item)) && !request.ranking?.key;
    const before = { isSorting: true, ...request.ranking };
    request.ranking = { ...before, isLimit: false, direction, ...(isTime && { of: ['time'] }) };
    cursor.at++;
    return true;
  }
  if (op !== 'sort' || request.ranking?.key) return false;
  cursor.at++;
  const noun = at.nounIn(here(cursor), cursor.roleOf);
  const figure = takeFigure(cursor);
  if (!figure && !noun) return restore(cursor, start);
  if (!figure) cursor.at++;
  const behind = at.op(cursor) === 'direction' ? here(cursor)!.operator!.direction : undefined;
  if (behind) cursor.at++;
  const said = behind ?? (firstWord(item).startsWith('rank') ? 'desc' : undefined);
  const key = figure ?? { mention: noun! };
  const order = { ...(said && { direction: said }), ...(limit !== undefined && { limit }) };
  request.ranking = { ...order, key, isSorting: true, isTotal: true };
  return true;
}

/** A number of rows before a noun: "list 4 patients", "the 3 countries with the fewest customers". */
export function rowLimit(cursor: Cursor): boolean {
  const item = here(cursor);
  const { request, roleOf } = cursor;
  const isCount =
    item?.kind === 'number' && Number.isInteger(item.number) && item.number! > 0 && !item.tokens[0]?.percent;
  if (!isCount || request.ranking || request.subject || request.columns.length > 0) return false;
  let ahead = 1;
  while (at.adjectiveIn(here(cursor, ahead), roleOf)) ahead++;
  const next = here(cursor, ahead);
  const isShown = request.listing || request.which || request.followUp || cursor.at === 0;
  if (!at.nounIn(next, roleOf)?.plural || !isShown || !(at.entityIn(next) ?? at.dimensionIn(next))) return false;
  request.ranking = { limit: item.number!, isLimit: true };
  cursor.at++;
  return true;
}

/** A measure that stands by itself, "revenue in 2025", or a further thing to count: "orders and customers". */
export function measure(cursor: Cursor): boolean {
  const item = here(cursor);
  const entity = at.entityIn(item);
  const noun = at.nounIn(item, cursor.roleOf);
  const isMeasure = !entity && at.measureIn(item, cursor.roleOf)?.meanings.some((one) => noun?.meanings.includes(one));
  const isCount = entity && cursor.joined === 'and' && cursor.request.figures.length > 0;
  if (!isCount && !(isMeasure && cursor.joined !== 'or')) return false;
  cursor.at++;
  return addFigure(cursor, isCount ? { fn: 'count', mention: entity } : { mention: at.mentionOf(item!) });
}
