/** Writes counts, durations and sizes in words, in the reader's way of grouping digits. */

const plural = new Intl.PluralRules('en');

export const counted = (count: number, one: string, other: string): string =>
  `${count.toLocaleString()} ${plural.select(count) === 'one' ? one : other}`;

/** Below ten, tenths count. */
export const milliseconds = (value: number): string =>
  `${value.toLocaleString(undefined, { maximumFractionDigits: value < 10 ? 1 : 0 })} ms`;

const SIZES = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

/** In the largest unit of which there is one at least. */
export function bytes(value: number): string {
  const power = SIZES.findLastIndex((_, at) => at === 0 || value >= 1_000 ** at);
  return (value / 1_000 ** power).toLocaleString(undefined, {
    style: 'unit',
    unit: SIZES[power] ?? 'byte',
    maximumFractionDigits: 1,
  });
}
