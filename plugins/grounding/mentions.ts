/** Finds the rows that an answer speaks of: figures are derived from them rather than from any other. */
import type { ScannedTable } from './results.ts';

/** Tables up to this length are taken as a whole. */
const SHORT_TABLE = 6;
/** Rows at the beginning: results are sorted by what matters. */
const FIRST_ROWS = 3;
const MAX_ROWS = 40;
/** A label of more rows names a group, not a row. */
const MAX_NAMED = 24;
const SHORTEST_LABEL = 2;

/** What the answer names, prepared once. */
export interface Mentions {
  readonly text: string;
  readonly words: ReadonlySet<string>;
  readonly years: ReadonlySet<number>;
  /** Months from 1 to 12. */
  readonly months: ReadonlySet<number>;
  /** Labels that were looked for, as most of them are in many rows. */
  readonly known: Map<string, boolean>;
}

const MONTHS =
  /\b(jan|feb|fév|mar|mär|mrz|apr|avr|abr|may|mai|mag|jun|juin|giu|jul|lug|aug|aoû|ago|sep|set|oct|okt|ott|out|nov|dec|dez|déc|dic)/giu;
// biome-ignore format: one line for each month
const MONTH_NUMBERS: Readonly<Record<string, number>> = {
  jan: 1, feb: 2, fév: 2, mar: 3, mär: 3, mrz: 3, apr: 4, avr: 4, abr: 4, may: 5, mai: 5, mag: 5,
  jun: 6, juin: 6, giu: 6, jul: 7, lug: 7, aug: 8, aoû: 8, ago: 8, sep: 9, set: 9,
  oct: 10, okt: 10, ott: 10, out: 10, nov: 11, dec: 12, dez: 12, déc: 12, dic: 12,
};
const MAX_CHARS = 16_384;

export function mentionsIn(texts: readonly string[]): Mentions {
  const text = texts.map((part) => part.slice(0, MAX_CHARS).toLowerCase()).join('\n');
  const months = [...text.matchAll(MONTHS)].flatMap(([, name = '']) => MONTH_NUMBERS[name] ?? []);
  return {
    text,
    words: new Set(text.match(/[\p{L}\d]+/gu)),
    years: new Set((text.match(/\b(?:19|20)\d{2}\b/g) ?? []).map(Number)),
    months: new Set(months),
    known: new Map(),
  };
}

const DATE = /^(\d{4})(?:-(\d{2}))?/;

export function isMentioned(cell: unknown, mentions: Mentions): boolean {
  if (typeof cell === 'number') return mentions.years.has(cell);
  if (typeof cell !== 'string' || cell.length < SHORTEST_LABEL) return false;
  let isKnown = mentions.known.get(cell);
  if (isKnown === undefined) {
    isKnown = names(cell, mentions);
    mentions.known.set(cell, isKnown);
  }
  return isKnown;
}

function names(cell: string, { text, words, years, months }: Mentions): boolean {
  const date = DATE.exec(cell);
  if (date !== null) {
    const [, year, month] = date;
    if (month !== undefined && months.has(Number(month)) && (years.size === 0 || years.has(Number(year)))) return true;
    return month === undefined && years.has(Number(year));
  }
  const label = cell.toLowerCase();
  const [first] = label.match(/[\p{L}\d]+/u) ?? [];
  return first !== undefined && words.has(first) && text.includes(label);
}

export interface SalientRows {
  /** Indexes of the rows that figures may be derived from. */
  readonly rows: readonly number[];
  /** Those whose labels the answer names. */
  readonly named: readonly number[];
}

/** At most 40 rows: named ones, those whose figures the answer states, the first and the last. */
export function salientRows({ table, labels, stated, numbers }: ScannedTable, mentions: Mentions): SalientRows {
  const { rows } = table;
  const named: number[] = [];
  const columns = [...labels, ...numbers.slice(0, 1).map(({ name }) => name)];
  for (let index = 0; index < rows.length && named.length <= MAX_NAMED; index += 1) {
    if (columns.some((name) => isMentioned(rows[index]?.[name], mentions))) named.push(index);
  }
  if (named.length > MAX_NAMED) named.length = 0;
  // An answer that names two rows compares them.
  if (named.length > 1) return { rows: [...new Set([...named, ...stated])].slice(0, MAX_ROWS), named };
  if (rows.length <= SHORT_TABLE) return { rows: [...rows.keys()], named };
  const first = Array.from({ length: FIRST_ROWS }, (_, index) => index);
  return { rows: [...new Set([...named, ...stated, ...first, rows.length - 1])].slice(0, MAX_ROWS), named };
}
