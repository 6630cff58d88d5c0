/** Reads the linked words of one message into the slots of a request; every word with content finds one or is named. */
import type { Item } from '../words/link.ts';
import { comparison, condition, having, negation, related } from './conditions.ts';
import * as at from './cursor.ts';
import { addFigure, aggregate, measure, ranking, rowLimit, sorting, takeFigure, when } from './figures.ts';
import { dated, grouping, period } from './groups.ts';
import type { Request } from './request.ts';

const { firstWord, here, op } = at;
/** `unplaced`: items without a slot. */
export type Parsed = { readonly request: Request; readonly unplaced: readonly Item[] };
type Rule = (cursor: at.Cursor) => boolean;

export function parse(items: readonly Item[], roleOf: at.RoleOf): Parsed {
  const cursor = at.cursorOf(items, roleOf);
  const unplaced: Item[] = [];
  while (cursor.at < cursor.items.length) {
    notePart(cursor);
    if (!RULES.some((rule) => rule(cursor))) {
      unplaced.push(here(cursor)!);
      cursor.at++;
    }
  }
  splitShare(cursor);
  // What a word was to be done with is no news where the word itself is unknown.
  const named = unplaced.filter(({ kind }) => kind !== 'operator');
  return { request: cursor.request, unplaced: named.length > 0 ? named : unplaced };
}

/** "and", "or", a comma. At the beginning they go on from the question before. */
const connector: Rule = (cursor) => {
  const said = op(cursor);
  const isComma = firstWord(here(cursor)) === ',';
  if (!at.isJoint(cursor) || (cursor.at === 0 && said === 'or') || (!isComma && !here(cursor, 1))) return false;
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
  if (/^(only|same)$/.test(said)) {
    // "… only" behind a condition would be said of all rows that are related.
    if (!isStart && (said === 'same' || cursor.conditions.length > 0 || next)) return false;
    request.followUp = 'replace';
  } else if (said === 'instead') request.followUp = 'replace';
  else if (said === 'also' && isStart) request.followUp = 'add';
  else if (said === 'which' && cursor.at === 0) request[word === 'who' ? 'who' : 'which'] = true;
  else if (said === 'list' || (word === 'all' && cursor.at === 0 && at.entityIn(next))) request.listing = true;
  else if (said === 'new') request.isNew = true;
  else if (said === 'compare' || said === 'versus') {
    request.compared = true;
    cursor.joined = said === 'versus' && cursor.conditions.length > 0 ? 'and' : undefined;
  } else if (said === 'with') {
    // "which city has the most …", "how many customers do we have", "compare 2024 with 2025"
    const isEmpty = !next || next.time || next.operator?.fn || /^(group|by|each)$/.test(next.operator?.op ?? '');
    const isVerb = isEmpty && /^ha(ve|s|d)$/.test(word);
    if (next?.operator?.op !== 'rank' && !isVerb && !(request.compared && next?.time)) return false;
    if (word === 'who' && cursor.at === 0) request.who = true;
  } else if (!/^(also|which|all|whose)$/.test(said)) return false;
  cursor.at++;
  return true;
};

/** "share of revenue by category", "what percentage of orders was refunded". */
const share: Rule = (cursor) => {
  if (op(cursor) !== 'share' || cursor.shareFrom !== undefined) return false;
  const start = cursor.at++;
  while (op(cursor) === 'all') cursor.at++;
  const figure = takeFigure(cursor);
  if (figure) addFigure(cursor, figure);
  else {
    at.takeAdjectives(cursor);
    const entity = at.entityIn(here(cursor));
    if (!entity && cursor.conditions.length === 0) return at.restore(cursor, start);
    if (entity) {
      cursor.request.subject = entity;
      cursor.at++;
    }
  }
  cursor.request.share = true;
  cursor.shareFrom = cursor.conditions.length;
  return true;
};

/** Where the verb of a percentage begins its part. */
function notePart(cursor: at.Cursor): void {
  const item = here(cursor);
  const isVerb = item?.lead.some((word) => /^(is|are|was|were|came|come|comes)$/.test(word));
  if ((isVerb || /^ha(s|ve|d)$/.test(firstWord(item))) && cursor.shareFrom !== undefined)
    cursor.partFrom ??= cursor.conditions.length;
}

/** What is behind the verb is the part, else the one condition behind the noun, else the one there is. */
function splitShare({ request, shareFrom, partFrom }: at.Cursor): void {
  if (shareFrom === undefined) return;
  const { conditions, groups } = request;
  const all = conditions.length;
  if (groups.length > 0 && all === 0) return;
  // Of "cancelled bookings by channel" nothing says what they are a share of.
  const from = partFrom ?? (all === shareFrom + 1 ? shareFrom : all === 1 && groups.length === 0 ? 0 : all);
  request.share = false;
  request.portion = conditions.slice(from);
  request.conditions = conditions.slice(0, from);
}

/** What the rows are of, or what is named beside it. */
const subject: Rule = (cursor) => {
  const item = here(cursor);
  const entity = item?.kind === 'names' ? at.entityIn(item) : undefined;
  const { request } = cursor;
  if (!entity || cursor.joined !== undefined) return false;
  if (item!.rooted && (request.subject || request.figures.length > 0)) return related(cursor, entity);
  // "the lowest price of a booking" is one of all of them.
  const { key, limit } = request.ranking ?? {};
  const isOf = item!.lead.includes('of') && key && limit === undefined && !request.which;
  if (request.subject === undefined && !isOf) request.subject = entity;
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
  cursor.at++;
  const date = at.dateIn(item);
  if (date && (item?.rooted || /ed$|^(born|due)$/.test(firstWord(item))))
    return at.addCondition(cursor, { type: 'missing', mention: date, negated: true });
  request.columns = [...request.columns, dimension];
  cursor.joined = undefined;
  return true;
};

/** In this order; the first that can read what stands at the cursor does. */
const RULES: readonly Rule[] = [
  connector,
  when,
  share,
  ranking,
  aggregate,
  sorting,
  grouping,
  period,
  negation,
  having,
  frame,
  dated,
  comparison,
  rowLimit,
  condition,
  measure,
  subject,
  column,
];
