/** Walks over the linked words of a question and tells what each may be used as. */
import type { TermRole } from '../plan/terms.ts';
import { isTime, isYear, type Meaning, type MeaningOf } from '../words/lexicon.ts';
import type { Item } from '../words/link.ts';
import { isEverydayVerb } from '../words/vocabulary.ts';
import { stem } from '../words/words.ts';
import { type Condition, entitiesIn, type Mention, type Request } from './request.ts';
import { type Content, withNouns } from './verbs.ts';

export type RoleOf = (term: MeaningOf<'term'>) => TermRole;

export type { Content };

/** `conditions`: where they go, the question's or related rows'. `joined`: how the next is joined to what was before. */
export interface Cursor {
  readonly items: readonly Content[];
  at: number;
  readonly request: Request;
  conditions: Condition[];
  readonly roleOf: RoleOf;
  joined?: 'and' | 'or' | undefined;
}

/** Orders to the reader, which inside a question are nouns: "month of return". */
const ORDERS = /^(return|report|present|fetch|find|display|look|calculate|compute|determine)$/;

export function cursorOf(items: readonly Item[], roleOf: RoleOf): Cursor {
  let content: Content[] = [];
  let lead: string[] = [];
  for (const item of items) {
    const { word } = item.tokens[0]!;
    const isFiller = item.kind === 'filler' && !(ORDERS.test(word) && content.length > 0);
    const isFrom = item.operator?.op === 'between' && word === 'from';
    if (isFiller || isFrom || (item.kind === 'unknown' && isEverydayVerb(word) && !item.verb)) lead.push(word);
    else {
      content.push({ ...item, lead });
      lead = [];
    }
  }
  content = withNouns(content);
  for (const [at, item] of content.entries()) {
    const [before, next] = [content[at - 1], content[at + 1]];
    const { word } = item.tokens[0]!;
    const noun = item.lead.length === 0 ? entityIn(before) : undefined;
    const rows = entitiesIn(noun ?? (next?.lead.join() === 'of' ? entityIn(next) : undefined));
    const isOwn = item.meanings.some((one) => one.kind !== 'term' && rows.some(({ entity }) => entity === one.entity));
    // "invoice amount", "amount of invoices", where these have none that is called so
    if (rows.length > 0 && !isOwn && /^amounts?$/.test(word))
      content[at] = { ...item, kind: 'operator', operator: { op: 'amount' } };
    // "invoice total" is read as "sum invoice"; "invoices total" as "total invoices", which may be their number.
    const isTotal = noun && word === 'total' && (!next || /^(time|operator)$/.test(next.kind));
    const tokens = noun?.plural ? item.tokens : [{ ...item.tokens[0]!, word: 'sum' }];
    if (isTotal) content.splice(at - 1, 2, { ...item, tokens, lead: before!.lead }, { ...before!, lead: [] });
  }
  const conditions: Condition[] = [];
  const request: Request = { figures: [], beside: [], columns: [], groups: [], conditions, periods: [] };
  return { items: content, at: 0, request, conditions, roleOf };
}

export const here = (cursor: Cursor, ahead = 0): Content | undefined => cursor.items[cursor.at + ahead];
export const op = (cursor: Cursor, ahead = 0): string => here(cursor, ahead)?.operator?.op ?? '';
export const firstWord = (item: Item | undefined): string => item?.tokens[0]?.word ?? '';
export const isJoint = (cursor: Cursor): boolean => /^(and|or)$/.test(op(cursor));

export function restore(cursor: Cursor, start: number): false {
  cursor.at = start;
  return false;
}

export function mentionOf(item: Item, meanings = item.meanings): Mention {
  const { kind, word, stem: singular } = item.tokens.at(-1)!;
  const plural = kind === 'word' && /s$|^people$/.test(word) && stem(word) === singular && singular !== word;
  return { text: item.text, meanings, plural };
}

const isFlag = (one: Meaning): boolean => one.kind === 'dimension' && one.dimension.type === 'boolean';
const isAttribute = (one: Meaning): boolean => one.kind === 'dimension' && !isFlag(one);
export const isDate = (one: Meaning): boolean =>
  one.kind === 'dimension' && (isTime(one.dimension) || (isYear(one.dimension) && one.rank < 2));
export const isNumber = (one: Meaning): boolean => one.kind === 'dimension' && one.dimension.type === 'number';

const keep = (item: Item | undefined, fits: (one: Meaning) => boolean): Mention | undefined => {
  const meanings = item === undefined || item.kind === 'operator' ? [] : item.meanings.filter(fits);
  return meanings.length > 0 ? mentionOf(item!, meanings) : undefined;
};
const isTerm = (one: Meaning, roleOf: RoleOf | undefined, role: TermRole): boolean =>
  one.kind === 'term' && roleOf?.(one) === role;

/** The item as an entity, a date, and so on; `undefined` where it cannot be one. */
export const entityIn = (item: Item | undefined): Mention | undefined => keep(item, (one) => one.kind === 'entity');
export const dateIn = (item: Item | undefined): Mention | undefined =>
  entityIn(item) ? undefined : keep(item, isDate);
export const dimensionIn = (item: Item | undefined, roleOf?: RoleOf): Mention | undefined =>
  keep(item, (one) => isAttribute(one) || isTerm(one, roleOf, 'dimension'));
/** A number of different values is no figure where the word names the values: "countries". */
export const measureIn = (item: Item | undefined, roleOf: RoleOf): Mention | undefined => {
  const isValues = item?.meanings.some((one) => one.kind === 'dimension' && one.dimension.type === 'string');
  return keep(item, (one) =>
    one.kind === 'measure' ? !isValues || !one.measure?.type.startsWith('count') : isTerm(one, roleOf, 'measure'),
  );
};
export const conditionIn = (item: Item | undefined, roleOf: RoleOf): Mention | undefined =>
  keep(item, (one) => /^(value|segment)$/.test(one.kind) || isFlag(one) || isTerm(one, roleOf, 'condition'));

/** The rows that a value is of. */
export function rowsIn(mention: Mention): Mention | undefined {
  const values = mention.meanings.filter(({ kind }) => kind === 'value') as MeaningOf<'value'>[];
  return values.length > 0 ? { ...mention, meanings: values.map((one) => ({ ...one, kind: 'entity' })) } : undefined;
}

export const rankOf = (mention: Mention | undefined): number =>
  Math.max(-1, ...(mention?.meanings ?? []).map(({ rank }) => rank));

export const isOf = (a: Meaning, b: Meaning): boolean =>
  'dimension' in a && 'dimension' in b && a.dimension === b.dimension;
/** Whether a figure is of these rows: "visitors per event" of events that have visitors. */
export const ownsAll = (figure: Mention | undefined, rows: Mention): boolean => {
  const owners = entitiesIn(rows).map(({ entity }) => entity);
  const own = (figure?.meanings ?? []).filter(({ kind }) => kind === 'measure' || kind === 'dimension');
  return own.length > 0 && own.every((one) => one.kind !== 'term' && owners.includes(one.entity));
};

/** The item names a thing, its number or an attribute as directly as a condition, or rows: "customers", no "customer". */
export function nounIn(item: Item | undefined, roleOf: RoleOf): Mention | undefined {
  const isNoun = (one: Meaning): boolean =>
    /^(entity|measure)$/.test(one.kind) || isAttribute(one) || (one.kind === 'term' && roleOf(one) !== 'condition');
  const noun = keep(item, isNoun);
  const condition = conditionIn(item, roleOf);
  const isOther = (one: Meaning): boolean =>
    one.kind === 'value' && one.value.toLowerCase() !== item!.text.toLowerCase();
  const isRows = noun?.plural && entityIn(item) && condition?.meanings.every(isOther);
  return noun && (isRows || rankOf(noun) >= rankOf(condition) + (dateIn(item) ? 1 : 0)) ? noun : undefined;
}

/** The item is a condition rather than a thing: "cancelled", "Germany", "premium". A state may have its own date. */
export function adjectiveIn(item: Item | undefined, roleOf: RoleOf): Mention | undefined {
  const mention = nounIn(item, roleOf) ? undefined : conditionIn(item, roleOf);
  return mention && { ...mention, meanings: [...mention.meanings, ...(dateIn(item)?.meanings ?? [])] };
}

/** Adds a condition as the next of those being read, and moves behind what was taken for it. */
export function addCondition(cursor: Cursor, condition: Condition, taken = 0): true {
  cursor.at += taken;
  cursor.conditions.push(cursor.joined === undefined ? condition : { ...condition, joined: cursor.joined });
  cursor.joined = undefined;
  return true;
}

/** Conditions before a noun, "large overdue invoices", "phone and chat tickets"; the cursor stands behind them. */
export function takeAdjectives(cursor: Cursor): Content | undefined {
  let last: Content | undefined;
  for (;;) {
    const ahead = last !== undefined && isJoint(cursor) ? 1 : 0;
    const item = here(cursor, ahead);
    const mention = adjectiveIn(item, cursor.roleOf);
    if (mention === undefined || (last && item!.lead.length > 0)) return last;
    if (ahead === 1) cursor.joined = op(cursor) as 'and' | 'or';
    addCondition(cursor, { type: 'is', mention, isAdjective: true }, ahead + 1);
    // "high priority tickets"
    const next = entityIn(here(cursor)) ? undefined : here(cursor);
    const isSaid = (one: Meaning): boolean =>
      one.kind === 'dimension' && mention.meanings.some((own) => isOf(own, one));
    if (next?.lead.length === 0 && next.meanings.some(isSaid)) cursor.at++;
    last = item;
  }
}
