/** Derives what an answer may state besides the cells: differences, shares, growth, sums and counts of rows. */

import type { Figure } from './figure.ts';
import type { OpenFigures } from './matching.ts';
import { isMentioned, type Mentions, salientRows } from './mentions.ts';
import { numberOf, type ScannedTable } from './results.ts';

/** Steps of all derivations of one answer: pairs compared, and cells counted. Beyond, figures stay open. */
export interface Work {
  left: number;
}

/** A pair is compared in several ways. */
const PAIR_STEPS = 4;
const MAX_COLUMNS = 12;
const MAX_RATE_COLUMNS = 4;
const MAX_STATED_FIGURES = 24;
/** Sums of the first rows: "the top 3 together". */
const MAX_FIRST_ROWS = 20;
const MAX_GROUPS = 200;
const MAX_NAMED_GROUPS = 12;
const MAX_THRESHOLDS = 8;
const MEAN = /\b(?:average|mean|durchschnitt\w*|mittel\w*|moyenne|promedio|media|média)\b/;
const MEDIAN = /\b(?:median\w*|médian\w*|mediana)/;
const COMPARES =
  /[<>≤≥]|\b(?:more|over|above|exceed\w*|least|most|under|below|less|fewer|beyond|than|between|equal\w*|exactly|mehr|über|unter|weniger|mindestens|höchstens|plus|moins|más|menos|mais|più|meno)\b/;
/** Values that can stand for a small table beside others. */
const MAX_SINGLES = 40;
const SMALL_TABLE = 3;

/** Settles differences, sums, ratios and growth of any two of the values. */
export function settlePairs(
  values: readonly number[],
  figures: OpenFigures,
  work: Work,
  share: 'ratio' | 'quotient' = 'ratio',
): void {
  for (let index = 0; index < values.length; index += 1) {
    const a = values[index] as number;
    for (let other = index + 1; other < values.length; other += 1) {
      if (figures.open.size === 0 || work.left <= 0) return;
      work.left -= PAIR_STEPS;
      const b = values[other] as number;
      if (a !== 0 && b !== 0) {
        figures.settle(a - b, 'difference');
        figures.settle(a + b);
      }
      settleShare(a, b, figures, share);
      settleShare(b, a, figures, share);
    }
  }
}

function settleShare(part: number, whole: number, figures: OpenFigures, share: 'ratio' | 'quotient' = 'ratio'): void {
  if (whole === 0) return;
  figures.settle(part / whole, share);
  figures.settle((part - whole) / whole, 'growth');
}

/** Settles what follows from the rows of one table that the answer speaks of. */
export function settleRows(scanned: ScannedTable, mentions: Mentions, figures: OpenFigures, work: Work): void {
  const { table } = scanned;
  const { rows, named } = salientRows(scanned, mentions);
  const numbers = scanned.numbers.slice(0, MAX_COLUMNS);
  for (const { name, sum, count, min, max } of numbers) {
    const valueAt = (index: number) => numberOf(table.rows[index]?.[name]);
    const values = rows.map(valueAt).filter(Number.isFinite);
    const totals = table.truncated ? [] : [sum, sum / count];
    const ends = rows.length < table.rows.length ? [min, max] : [];
    settlePairs([...values, ...ends, ...totals], figures, work);
    settleSums(
      table.rows.slice(0, MAX_FIRST_ROWS).map((row) => numberOf(row[name])),
      scanned,
      sum,
      figures,
    );
    if (named.length === 0) continue;
    const ofNamed = named.map(valueAt).filter(Number.isFinite);
    const together = ofNamed.reduce((all, value) => all + value, 0);
    figures.settle(together);
    figures.settle(together / ofNamed.length);
    if (table.truncated) continue;
    settleShare(together, sum, figures);
    figures.settle(sum - together, 'difference');
    settleShare(sum - together, sum, figures);
  }
  for (const index of rows) {
    if (figures.open.size === 0) return;
    const cells = numbers.map(({ name }) => numberOf(table.rows[index]?.[name])).filter(Number.isFinite);
    settlePairs(cells, figures, work, 'quotient');
    settleProducts(cells, figures, work);
  }
  settleRateDifferences(
    rows.map((index) => numbers.slice(0, MAX_RATE_COLUMNS).map(({ name }) => numberOf(table.rows[index]?.[name]))),
    figures,
    work,
  );
  if (!table.truncated) settlePairs([...numbers.map(({ sum }) => sum), table.rows.length], figures, work, 'quotient');
}

/** Settles the product of two cells, such as of a price and a number, or of a rate and a base. */
function settleProducts(cells: readonly number[], figures: OpenFigures, work: Work): void {
  for (const [index, a] of cells.entries()) {
    for (const b of cells.slice(index + 1)) {
      if (figures.open.size === 0 || work.left <= 0) return;
      work.left -= 1;
      if (Math.abs(a) !== 1 && Math.abs(b) !== 1) figures.settle(a * b, 'quotient');
    }
  }
}

const isOpen = (figures: OpenFigures, is: 'isPoints' | 'isPercent') => [...figures.open].some((figure) => figure[is]);

/** Settles by how many points the rate of one row, a column divided by another, differs from that of another row. */
function settleRateDifferences(rows: readonly (readonly number[])[], figures: OpenFigures, work: Work): void {
  if (!isOpen(figures, 'isPoints')) return;
  for (const part of rows[0]?.keys() ?? []) {
    for (const whole of rows[0]?.keys() ?? []) {
      if (part === whole) continue;
      const rates = rows.map((cells) => (cells[part] as number) / (cells[whole] as number)).filter(Number.isFinite);
      for (const [index, rate] of rates.entries()) {
        for (const other of rates.slice(index + 1)) {
          if (work.left <= 0) return;
          work.left -= 1;
          figures.settle(rate - other, 'points');
        }
      }
    }
  }
}

/** Settles differences between percentages that the answer states, which are rounded. */
export function settlePoints(stated: readonly Figure[], figures: OpenFigures): void {
  if (!isOpen(figures, 'isPoints')) return;
  const rates = stated
    .filter((figure) => figure.isPercent && !figure.isPoints && !figures.open.has(figure))
    .flatMap(({ readings }) => readings)
    .slice(0, MAX_STATED_FIGURES);
  for (const [index, a] of rates.entries()) {
    for (const b of rates.slice(index + 1)) {
      const slack = a.tolerance + b.tolerance;
      for (const by of [0, slack, -slack]) figures.settle((a.value - b.value + by) / 100, 'points');
    }
  }
}

/** Settles the share that a number of the answer, once explained, has of a whole column. */
export function settleStatedShares(
  stated: readonly Figure[],
  tables: readonly ScannedTable[],
  figures: OpenFigures,
): void {
  if (!isOpen(figures, 'isPercent')) return;
  const parts = stated
    .filter((figure) => !figure.isPercent && !figures.open.has(figure))
    .flatMap(({ readings }) => readings)
    .slice(0, MAX_STATED_FIGURES);
  for (const { table, numbers } of tables) {
    if (table.truncated) continue;
    for (const { sum } of numbers.slice(0, MAX_COLUMNS))
      for (const { value } of parts) settleShare(value, sum, figures);
  }
}

/** Settles medians where the answer speaks of one. */
export function settleStatistics(
  { table, numbers }: ScannedTable,
  mentions: Mentions,
  figures: OpenFigures,
  work: Work,
): void {
  if (table.truncated || !MEDIAN.test(mentions.text)) return;
  for (const { name } of numbers.slice(0, MAX_COLUMNS)) {
    if (figures.open.size === 0 || work.left < table.rows.length) return;
    work.left -= table.rows.length;
    const values = Float64Array.from(table.rows.map((row) => numberOf(row[name])).filter(Number.isFinite)).sort();
    const middle = values.length / 2;
    figures.settle(((values[Math.ceil(middle - 1)] ?? Number.NaN) + (values[Math.floor(middle)] ?? Number.NaN)) / 2);
  }
}

/** Sums of the first rows, and what is left of the whole. */
function settleSums(values: readonly number[], { table }: ScannedTable, sum: number, figures: OpenFigures): void {
  let first = 0;
  for (const [index, value] of values.entries()) {
    if (Number.isNaN(value)) continue;
    first += value;
    // All rows of a part are no total.
    if (table.truncated) {
      if (index < table.rows.length - 1) figures.settle(first);
      continue;
    }
    figures.settle(first);
    figures.settle(first / (index + 1));
    settleShare(first, sum, figures);
    figures.settle(sum - first, 'difference');
    settleShare(sum - first, sum, figures);
  }
}

interface Group {
  count: number;
  readonly sums: number[];
}

const PERIOD =
  /\b(?:quart\w*|trimest\w*|[qth][1-4]|\d\. ?quartal|half|hälfte|halbjahr\w*|semest\w*|year\w*|jahr\w*|année|año|anno|ano|month\w*|monat\w*|mois|mes|mese|mês)\b/;
const YEAR_MONTH = /^(\d{4})-(\d{2})/;

/** The columns to group by, and what of their values: all of it, or of dates also year, half, quarter and month. */
function groupings({ table, labels }: ScannedTable, mentions: Mentions): [string, (cell: unknown) => unknown][] {
  const columns = labels.slice(0, MAX_COLUMNS);
  const dates = PERIOD.test(mentions.text)
    ? columns.filter((name) => YEAR_MONTH.test(String(table.rows[0]?.[name]))).slice(0, 1)
    : [];
  return [
    ...columns.map((name): [string, (cell: unknown) => unknown] => [name, (cell) => cell]),
    ...dates.flatMap((name) =>
      [12, 6, 3, 1].map((months): [string, (cell: unknown) => unknown] => [name, (cell) => periodOf(cell, months)]),
    ),
  ];
}

function periodOf(cell: unknown, months: number): string | undefined {
  const [, year, month] = YEAR_MONTH.exec(String(cell)) ?? [];
  return month && `${year} ${Math.floor((Number(month) - 1) / months)}`;
}

/** Settles counts, sums, means and shares of the rows that have the same label. */
export function settleGroups(scanned: ScannedTable, mentions: Mentions, figures: OpenFigures, work: Work): void {
  const { table, numbers } = scanned;
  const measured = numbers.slice(0, MAX_COLUMNS);
  const total = table.rows.length;
  for (const [label, groupOf] of groupings(scanned, mentions)) {
    const steps = total * (1 + measured.length);
    if (figures.open.size === 0 || work.left < steps) return;
    work.left -= steps;
    const groups = new Map<unknown, Group>();
    for (const row of table.rows) {
      const value = groupOf(row[label]);
      let group = groups.get(value);
      if (group === undefined) {
        if (groups.size === MAX_GROUPS) break;
        group = { count: 0, sums: measured.map(() => 0) };
        groups.set(value, group);
      }
      group.count += 1;
      for (const [index, { name }] of measured.entries()) {
        const value = numberOf(row[name]);
        if (!Number.isNaN(value)) group.sums[index] = (group.sums[index] as number) + value;
      }
    }
    if (groups.size === MAX_GROUPS) continue;
    figures.settle(groups.size);
    for (const { count, sums } of groups.values()) {
      figures.settle(count);
      settleShare(count, total, figures);
      for (const [index, sum] of sums.entries()) {
        figures.settle(sum);
        figures.settle(sum / count);
        settleShare(sum, measured[index]?.sum ?? 0, figures);
      }
    }
    const named = [...groups].filter(([value]) => groups.size <= SMALL_TABLE || isMentioned(value, mentions));
    const compared = named.slice(0, MAX_NAMED_GROUPS).map(([, group]) => group);
    settlePairs(
      compared.map(({ count }) => count),
      figures,
      work,
    );
    for (const index of measured.keys()) {
      settlePairs(
        compared.map(({ sums }) => sums[index] as number),
        figures,
        work,
      );
      settlePairs(
        compared.map(({ sums, count }) => (sums[index] as number) / count),
        figures,
        work,
      );
    }
  }
}

/** Settles how many rows are above or below the numbers that question and answer name. */
export function settleThresholds(
  { table, numbers }: ScannedTable,
  thresholds: readonly number[],
  mentions: Mentions,
  figures: OpenFigures,
  work: Work,
): void {
  if (!COMPARES.test(mentions.text)) return;
  const total = table.rows.length;
  for (const { name, count, sum } of numbers.slice(0, MAX_COLUMNS)) {
    for (const threshold of [
      ...(MEAN.test(mentions.text) ? [sum / count] : []),
      ...thresholds.slice(0, MAX_THRESHOLDS),
    ]) {
      if (figures.open.size === 0 || work.left < total) return;
      work.left -= total;
      let [above, equal, below] = [0, 0, 0];
      for (const row of table.rows) {
        const value = numberOf(row[name]);
        if (value > threshold) above += 1;
        else if (value < threshold) below += 1;
        else if (value === threshold) equal += 1;
      }
      for (const counted of [above, above + equal, below, below + equal, equal]) {
        figures.settle(counted);
        settleShare(counted, total, figures);
      }
    }
  }
}

/** The few values that stand for each table: cells of a small one, sums and length of any other. */
export function singles(tables: readonly ScannedTable[]): number[] {
  return tables
    .flatMap(({ table, numbers }) => {
      const lengths = table.truncated ? [] : [table.rows.length];
      if (table.rows.length > SMALL_TABLE)
        return [...lengths, ...(table.truncated ? [] : numbers.map(({ sum }) => sum))];
      return [...table.rows.flatMap((row) => numbers.map(({ name }) => numberOf(row[name]))), ...lengths];
    })
    .filter(Number.isFinite)
    .slice(0, MAX_SINGLES);
}

const UNITS =
  /\b(?:min(?:ute)?s?|hours?|hrs?|h|days?|weeks?|months?|years?|stunden?|tagen?|minuten?|[kmgt]i?b|bytes?|cents?|per|daily|weekly|monthly|pro)\b/i;
const LARGEST_DIVISOR = 366;
const FACTORS = [7, 12, 24, 30, 52, 60, 100, 365, 1_000, 1_024, 3_600, 86_400, 1e6, 1_024 ** 2, 1_024 ** 3, 1e9];

/** Settles values in other units, and values per number that is named, such as a mean over 12 months. */
export function settleUnits(
  values: readonly number[],
  text: string,
  named: readonly number[],
  figures: OpenFigures,
): void {
  const divisors = named.filter((value) => Number.isInteger(value) && value > 1 && value <= LARGEST_DIVISOR);
  const factors = UNITS.test(text) ? FACTORS : [];
  for (const value of values) {
    for (const divisor of new Set(divisors.slice(0, MAX_THRESHOLDS))) figures.settle(value / divisor);
    for (const factor of factors) {
      figures.settle(value / factor);
      figures.settle(value * factor);
    }
  }
}
