/** Explains an empty result: which of its filters leave nothing, values near to those, and the period that has rows. */
import { isTime, translatedValues } from '../semantic-layer/index.ts';
import { type Member, nearValues } from '../semantic-query/index.ts';
import { truncate } from '../text-kit/index.ts';
import { call, type Filter, type FilteredQuery } from './filters.ts';
import type { Tries } from './tries.ts';

export interface NearValues {
  /** `entity.dimension`. */
  readonly column: string;
  /** The value that no row has. */
  readonly value: string;
  /** Values that there are, the nearest first. */
  readonly values: readonly string[];
}

export interface Explanation {
  /** All of it in a few sentences. */
  readonly text: string;
  /** The filters that leave nothing, in words. */
  readonly filters: readonly string[];
  readonly nearValues?: readonly NearValues[];
  /** Days of the first and the last row. */
  readonly period?: { readonly column: string; readonly from: string; readonly to: string };
}

export interface EmptyQuery {
  readonly query: FilteredQuery;
  readonly tries: Tries;
  /** The result has a row, of figures that may be those of no rows. */
  readonly hasRow: boolean;
  /** Row security applies: then all is about the rows that the reader may see. */
  readonly isPart: boolean;
}

const MAX_READ_VALUES = 500;
const MAX_NEAR_VALUES = 5;
/** So many values of a column are told where none is near. */
const MAX_LISTED_VALUES = 10;
/** Longer ones are texts rather than values to ask for. */
const MAX_LISTED_CHARS = 200;
const MAX_TEXTS = 3;
const MAX_CHARS = 60;
/** Letters by which values are looked for where a column has too many to compare them all. */
const PREFIX_CHARS = 3;
/** Statements that are kept for near values or the period. */
const RESERVED = 1;

/** `undefined`: nothing is known, or the rows are not missing. */
export async function explanationOf(empty: EmptyQuery): Promise<Explanation | undefined> {
  const { query, tries, hasRow, isPart } = empty;
  const { filters, core } = query;
  const begin = isPart ? 'Among the rows that you may see, ' : '';
  const told = (text: string, ...more: readonly (string | undefined)[]) => {
    const all = `${begin}${text}`;
    return [all.charAt(0).toUpperCase() + all.slice(1), ...more].filter((part) => part !== undefined).join(' ');
  };
  if (hasRow || query.isNarrowed) {
    const found = await tries.finds(filters.flatMap(({ conditions }) => conditions));
    if (found === true && core.having !== undefined && core.groupBy.length > 0) {
      const text = told('the condition on the groups leaves nothing.');
      return { text, filters: ['the condition on the groups'] };
    }
    if (found !== false) return undefined;
  }
  const found = filters.length === 0 ? false : await tries.finds([]);
  if (found === undefined) return undefined;
  if (!found) return { text: told('there is nothing, even without a filter.'), filters: [] };
  const blamedFor = await blame(filters, tries);
  if (blamedFor === undefined) return undefined;
  const { blamed, alone } = blamedFor;
  const words = blamed.map(({ inWords }) => inWords.text || 'a condition on related rows');
  const listed = words.join('; ');
  const nears = alone ? await nearOf(blamed, empty) : [];
  const period = await periodOf(blamed, alone, empty);
  const which = !alone
    ? `there are rows for each of these filters, but none for all of them: ${listed}.`
    : `${words.length === 1 ? 'one filter leaves nothing' : 'each of these filters leaves nothing'}: ${listed}.`;
  const text = told(which, ...nears.map(({ text: near }) => near), period?.text);
  return {
    text,
    filters: words,
    ...(nears.length > 0 && { nearValues: nears.map(({ near }) => near) }),
    ...(period && { period: period.period }),
  };
}

interface Blame {
  readonly blamed: readonly Filter[];
  /** Each of them leaves nothing by itself; else only together they do. */
  readonly alone: boolean;
}

/** `undefined` where too little could be tried to tell. */
async function blame(filters: readonly Filter[], tries: Tries): Promise<Blame | undefined> {
  if (filters.length === 1) return { blamed: filters, alone: true };
  const found = new Map<Filter, boolean | undefined>();
  for (const filter of filters) {
    if (tries.left > RESERVED) found.set(filter, await tries.finds(filter.conditions));
  }
  const empty = filters.filter((filter) => found.get(filter) === false);
  if (empty.length > 0) return { blamed: empty, alone: true };
  if (filters.some((filter) => found.get(filter) !== true)) return undefined;
  if (filters.length === 2 || tries.left < filters.length) return { blamed: filters, alone: false };
  const needed: Filter[] = [];
  for (const filter of filters) {
    const others = filters.filter((other) => other !== filter).flatMap(({ conditions }) => conditions);
    if ((await tries.finds(others)) === true) needed.push(filter);
  }
  return { blamed: needed.length > 1 ? needed : filters, alone: false };
}

const nameOf = ({ entity, dimension }: Member): string => `${entity.name}.${dimension.name}`;
const columnWords = ({ dimension }: Member): string => dimension.name.replaceAll('_', ' ');

const isAboutTime = ({ member }: Filter): boolean => member !== undefined && isTime(member.dimension);

const quoted = (text: string) => JSON.stringify(truncate(text, MAX_CHARS));

/** The texts that the column is to be or to contain. */
const wantedTexts = ({ inWords }: Filter): string[] =>
  inWords.filters.flatMap(({ operator = '', values = [] }) =>
    /^(equals|in|contains|starts_with|ends_with)$/.test(operator)
      ? values.filter((value) => typeof value === 'string' && value !== '')
      : [],
  ) as string[];

/** Near values of the rows that the reader may see. */
async function nearOf(blamed: readonly Filter[], empty: EmptyQuery) {
  const found: { near: NearValues; text: string }[] = [];
  for (const filter of blamed) {
    const { member } = filter;
    const texts = isAboutTime(filter) ? [] : wantedTexts(filter).slice(0, MAX_TEXTS);
    if (texts.length === 0 || member === undefined || member.dimension.mask !== undefined) continue;
    const known = await valuesOf(filter, undefined, empty);
    for (const value of texts) {
      const values = await valuesNear(value, known, filter, empty);
      if (values.length === 0) continue;
      const near = { column: nameOf(member), value, values };
      const isListed = nearValues(value, values).length === 0;
      const said = values.map(quoted).join(', ');
      found.push({ near, text: `${isListed ? 'Values' : 'Near values'} of ${columnWords(member)}: ${said}.` });
    }
  }
  return found;
}

/** Of a column with more values than are compared, also among those that begin alike. */
async function valuesNear(value: string, known: readonly string[], filter: Filter, empty: EmptyQuery) {
  const isCut = known.length > MAX_READ_VALUES;
  const begun = isCut ? await valuesOf(filter, value.slice(0, PREFIX_CHARS), empty) : [];
  const all = [...new Set([...known, ...begun])];
  const meant = new Set(filter.member === undefined ? [] : translatedValues(filter.member.dimension, value));
  const near = [...new Set([...all.filter((one) => meant.has(one)), ...nearValues(value, all)])].slice(
    0,
    MAX_NEAR_VALUES,
  );
  if (near.length > 0 || known.length > MAX_LISTED_VALUES) return near;
  return known.filter(({ length }) => length <= MAX_LISTED_CHARS);
}

/** The values of a column, with `prefix` those that begin with it in any case; one more than are compared where there are more. */
async function valuesOf({ column }: Filter, prefix: string | undefined, { tries }: EmptyQuery): Promise<string[]> {
  if (column === undefined) return [];
  const { at } = column;
  const pattern = `${prefix?.toLowerCase().replaceAll(/[%_\\]/g, '_')}%`;
  const rows = await tries.rows({
    columns: [column],
    valuesOf: column,
    where:
      prefix === undefined
        ? []
        : [
            {
              ...{ kind: 'like', at, operator: 'LIKE', not: false },
              ...{ operand: call('lower', column), pattern: { kind: 'string', at, value: pattern }, escape: undefined },
            },
          ],
    limit: MAX_READ_VALUES + 1,
  });
  return (rows ?? []).flatMap(({ c0 }) => (typeof c0 === 'string' && c0 !== '' ? [c0] : [])).toSorted();
}

const DAY = /^\d{4}-\d\d-\d\d/;

/** The period of the rows that meet the other filters, or of all where several leave nothing. */
async function periodOf(blamed: readonly Filter[], alone: boolean, { query, tries }: EmptyQuery) {
  const filter = blamed.find(isAboutTime);
  const { column, member } = filter ?? {};
  if (column === undefined || member === undefined || member.dimension.mask !== undefined) return undefined;
  const others = alone && blamed.length > 1 ? [] : query.filters.filter((one) => one !== filter);
  const [row] =
    (await tries.rows({
      columns: [call('min', column), call('max', column)],
      where: others.flatMap(({ conditions }) => conditions),
      limit: 1,
    })) ?? [];
  const [from, to] = [row?.c0, row?.c1].map((value) => DAY.exec(String(value))?.[0]);
  if (from === undefined || to === undefined) return undefined;
  const rows = others.length === 0 ? 'There are rows' : 'For the other filters there are rows';
  const period = { column: nameOf(member), from, to };
  const days = from === to ? `on ${from}` : `from ${from} to ${to}`;
  return { period, text: `${rows} ${days}, by ${columnWords(member)}.` };
}
