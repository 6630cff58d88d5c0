/** Holds what all tables of the `cybersec` demo share: its time span, numbered rows, places, names and addresses. */
import { cumulate, type Random, weigh } from '../random.ts';
import { FIRST_NAMES, LAST_NAMES, PLACES } from '../simple/catalogue.ts';
import { type Columns, type DemoContext, defineTable, type RowOf, type Table } from '../table.ts';
import { DAY_MS, dateOf, timestampOf } from '../time.ts';

export type { Random as Draw } from '../random.ts';
export type { DemoContext as Context } from '../table.ts';
export { DAY_MS, dateOf, timestampOf };

const HOUR_MS = 3_600_000;
export const START = Date.UTC(2025, 4, 1);
/** The day after the last one, 2026-10-31. */
export const END = Date.UTC(2026, 10, 1);

/** A time that has come by the end of the data, else nothing. */
export const timestampIfPast = (ms: number): string | null => (ms < END ? timestampOf(ms) : null);
export const dateIfPast = (ms: number): string | null => (ms < END ? dateOf(ms) : null);
export const timeOf = (text: string): number => Date.parse(`${text.replace(' ', 'T')}${text.length > 10 ? 'Z' : ''}`);
export const hours = (count: number): number => count * HOUR_MS;
export const round = (value: number, places = 0): number => Math.round(value * 10 ** places) / 10 ** places;

/** A table whose rows are numbered from 1, each derived from its number alone. */
export interface NumberedTable<Row> extends Table {
  size(context: DemoContext): number;
  row(context: DemoContext, id: number): Row;
}

export function numberedTable<C extends Columns>(
  name: string,
  comment: string,
  /** Rows at scale 1; several per row of another table where their number hangs together. */
  base: number | ((context: DemoContext) => number),
  columns: C,
  make: (id: number, random: Random, context: DemoContext, size: number) => RowOf<C>,
): NumberedTable<RowOf<C>> {
  const size = (context: DemoContext) => (typeof base === 'number' ? context.count(base) : base(context));
  const row = (context: DemoContext, id: number) => make(id, context.random(name, id), context, size(context));
  const table = defineTable({
    name,
    comment,
    columns,
    *rows(context) {
      for (let id = 1; id <= size(context); id++) yield row(context, id);
    },
  });
  return { ...table, size, row };
}

/** A time in the span of the data, later with higher numbers; more happens each month, and most of it by day. */
export function timeInOrder(id: number, size: number, random: Random): number {
  const day = Math.floor((((id - random.next()) / size) ** 0.85 * (END - START)) / DAY_MS);
  return START + day * DAY_MS + random.index(HOURS) * HOUR_MS + Math.floor(random.next() * HOUR_MS);
}
const HOURS = cumulate([3, 3, 3, 2, 2, 3, 4, 6, 9, 11, 12, 11, 10, 11, 12, 11, 10, 8, 6, 5, 4, 4, 4, 3]);

/** A number from 1 to `size`, lower ones far more often. */
export const skewed = (random: Random, size: number, power = 2): number =>
  1 + Math.floor(size * random.next() ** power);

/** Spreads the numbers from 1 to `size` over each other, each used once: few noisy rows stand anywhere. */
export const spread = (number: number, size: number): number => {
  const step = size % 7_919 === 0 ? 7_907 : 7_919;
  return 1 + ((number * step) % size);
};

/** Share of the rows by customer, largest first: the rows of each are a range of numbers. */
const SHARE_POWER = 2;
export const ownerOf = (id: number, size: number, owners: number): number =>
  1 + Math.min(owners - 1, Math.floor(owners * ((id - 0.5) / size) ** SHARE_POWER));
/** The number of one of the owner's rows, or `undefined` where it has none. */
export function ownedBy(owner: number, size: number, owners: number, random: Random): number | undefined {
  const edge = (before: number) => Math.round(size * (before / owners) ** (1 / SHARE_POWER));
  const [first, last] = [edge(owner - 1) + 1, edge(owner)];
  return last < first ? undefined : random.integer(first, last);
}

export const personName = (random: Random): string => `${random.pick(FIRST_NAMES)} ${random.pick(LAST_NAMES)}`;
export const placeOf = (random: Random): { country: string; region: string; city: string } => {
  const { country, region, cities } = random.weighted(PLACES);
  return { country, region, city: random.pick(cities) };
};
/** Addresses of the ranges that are reserved for documentation. */
export const publicAddress = (random: Random): string =>
  `${random.pick(['192.0.2', '198.51.100', '203.0.113'])}.${random.integer(1, 254)}`;
export const hexOf = (random: Random, length: number): string =>
  Array.from({ length }, () => random.integer(0, 15).toString(16)).join('');

/** The two scales of severity: words, and numbers of which 5 is the worst. */
export const SEVERITIES = ['low', 'medium', 'high', 'critical'] as const;
export const severityWords = weigh<(typeof SEVERITIES)[number]>([
  ['low', 44],
  ['medium', 33],
  ['high', 17],
  ['critical', 6],
]);
export const severityCodes = weigh([
  [1, 18],
  [2, 30],
  [3, 28],
  [4, 17],
  [5, 7],
]);
/** The word for a number: 1 and 2 are low. */
export const wordOfCode = (code: number): (typeof SEVERITIES)[number] =>
  SEVERITIES[Math.max(0, code - 2)] ?? 'critical';
