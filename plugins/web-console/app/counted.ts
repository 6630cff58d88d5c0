/** Writes counts and durations in words, in the reader's way of grouping digits. */

const plural = new Intl.PluralRules('en');

export const counted = (count: number, one: string, other: string): string =>
  `${count.toLocaleString()} ${plural.select(count) === 'one' ? one : other}`;

/** Below ten, tenths count. */
export const milliseconds = (value: number): string =>
  `${value.toLocaleString(undefined, { maximumFractionDigits: value < 10 ? 1 : 0 })} ms`;
