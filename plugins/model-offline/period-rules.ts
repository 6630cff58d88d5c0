/** Small rules about periods. */
import { type ClosedRange, type DayRange, daysBetween, move, unitOf } from './calendar.ts';
import type { TimeMention } from './draft.ts';
import { Refuse } from './outcome.ts';

export function closed(range: DayRange, time: TimeMention): ClosedRange {
  if (range.from === undefined || range.to === undefined)
    throw new Refuse([time.text], `A comparison needs periods with a beginning and an end; "${time.text}" is open.`);
  return { from: range.from, to: range.to };
}

/** The range that stands before another one: by its own length, or one unit back. */
export function earlier(
  range: ClosedRange,
  unit: 'day' | 'week' | 'month' | 'quarter' | 'year' | 'period',
): ClosedRange {
  if (unit !== 'period') return { from: move(range.from, unit, -1), to: move(range.to, unit, -1) };
  const own = unitOf(range);
  if (own) return { from: move(range.from, own, -1), to: range.from };
  const months =
    (Number(range.to.slice(0, 4)) - Number(range.from.slice(0, 4))) * 12 +
    Number(range.to.slice(5, 7)) -
    Number(range.from.slice(5, 7));
  if (range.from.endsWith('-01') && range.to.endsWith('-01'))
    return { from: move(range.from, 'month', -months), to: range.from };
  return { from: move(range.from, 'day', -daysBetween(range.from, range.to)), to: range.from };
}

export function intersect(a: DayRange, b: DayRange): DayRange | undefined {
  const from = [a.from, b.from]
    .filter((day) => day !== undefined)
    .sort()
    .at(-1);
  const to = [a.to, b.to].filter((day) => day !== undefined).sort()[0];
  if (from !== undefined && to !== undefined && from >= to) return undefined;
  return { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
}
