import { isObject } from './event-lines.ts';

/** Far more than any server counts. */
const MOST_COUNTS = 50;

/** Counts alone: what is no count is left out. */
export function usageCounts(sent: unknown, isWhole = true): Record<string, unknown> | undefined {
  if (!isObject(sent)) return undefined;
  const counts = Object.entries(sent).slice(0, MOST_COUNTS);
  return Object.fromEntries(counts.flatMap(([name, value]) => countOf(name, value, isWhole)));
}

function countOf(name: string, value: unknown, isWhole: boolean): [string, unknown][] {
  if (name.endsWith('_details')) return isWhole && isObject(value) ? [[name, usageCounts(value, false)]] : [];
  return Number.isSafeInteger(value) && Number(value) >= 0 ? [[name, value]] : [];
}
