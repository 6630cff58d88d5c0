/** Compares known values with the figures of an answer that nothing has explained so far. */
import type { Figure } from './figure.ts';

/** What a value is: a figure of one kind is no figure of another. */
export type Kind =
  /** A value of the results, or a sum, mean or count of them. */
  | 'value'
  | 'difference'
  /** One value divided by another of the same column. */
  | 'ratio'
  /** One value divided by another of another column: a mean, a price. */
  | 'quotient'
  /** By which part a value is more or less than another. */
  | 'growth'
  /** The difference of two shares. */
  | 'points';

interface Interval {
  readonly low: number;
  readonly high: number;
  readonly figure: Figure;
}

/** Comparisons for one answer: about 40 for each cell that is read. */
export const MAX_COMPARISONS = 4_000_000;

/** A smaller whole number is near the quotient of some values, whatever it says. */
const LEAST_WHOLE_QUOTIENT = 20;

const OF_PERCENTAGES = ['value', 'difference', 'ratio', 'quotient', 'growth'] as const;

/** A minus before any other kind says in which direction the values differ. */
const SIGNED: ReadonlySet<Kind> = new Set(['value', 'ratio', 'quotient']);

export interface OpenFigures {
  /** Settles the figures that the value explains; whether there were any. A minus is the value's own or that of a difference. */
  settle(value: number, kind?: Kind): boolean;
  /** Figures that nothing has explained so far. */
  readonly open: ReadonlySet<Figure>;
  /** Comparisons made so far. After `MAX_COMPARISONS` no figure is settled any more. */
  readonly comparisons: number;
}

/** Intervals by their lower ends, and up to where those before each of them reach. */
interface Line {
  readonly intervals: readonly Interval[];
  readonly lows: Float64Array;
  readonly reach: Float64Array;
  /** Intervals looked at in vain, as their figures are settled: after as many as there are, they are left out. */
  vain: number;
}

export function openFigures(figures: readonly Figure[]): OpenFigures {
  const open = new Set(figures);
  const sorted = intervalsOf(figures);
  const [lines, unsignedLines] = [new Map<Kind, Line>(), new Map<Kind, Line>()];
  let comparisons = 0;
  const lineOf = (kind: Kind, hasSign: boolean): Line => {
    const known = hasSign ? unsignedLines : lines;
    let line = known.get(kind);
    if (line === undefined || line.vain > line.intervals.length) {
      comparisons += sorted[kind].length;
      sorted[kind] = sorted[kind].filter(({ figure }) => open.has(figure));
      line = lineFrom(hasSign ? sorted[kind].filter(({ figure }) => !figure.isNegative) : sorted[kind]);
      known.set(kind, line);
    }
    return line;
  };
  return {
    open,
    get comparisons() {
      return comparisons;
    },
    settle(value, kind = 'value') {
      if (open.size === 0 || comparisons > MAX_COMPARISONS || !Number.isFinite(value)) return false;
      const size = Math.abs(value);
      // A positive value explains no figure with a minus.
      const line = lineOf(kind, value > 0 && SIGNED.has(kind));
      const { intervals, lows, reach } = line;
      let [from, to] = [0, lows.length];
      while (from < to) {
        comparisons += 1;
        const middle = (from + to) >> 1;
        if ((lows[middle] as number) <= size) from = middle + 1;
        else to = middle;
      }
      let isFound = false;
      // One of those that are left holds the value as long as they reach it.
      for (let at = from - 1; at >= 0 && (reach[at] as number) >= size; at -= 1) {
        comparisons += 1;
        const { high, figure } = intervals[at] as Interval;
        if (high >= size && open.delete(figure)) isFound = true;
        else line.vain += 1;
      }
      return isFound;
    },
  };
}

function intervalsOf(figures: readonly Figure[]): Record<Kind, Interval[]> {
  const byKind: Record<Kind, Interval[]> = {
    value: [],
    difference: [],
    ratio: [],
    quotient: [],
    growth: [],
    points: [],
  };
  for (const figure of figures) {
    for (const { value, tolerance } of figure.readings) {
      // Sums of decimals differ in their last bits.
      const around = (scale: number): Interval => {
        const slack = (tolerance + Math.max(Math.abs(value), 1) * 1e-9) * scale;
        return { low: value * scale - slack, high: value * scale + slack, figure };
      };
      byKind.value.push(around(1));
      byKind.difference.push(around(1));
      if (figure.isPoints) byKind.points.push(around(0.01));
      if (figure.isPercent) {
        for (const kind of OF_PERCENTAGES) byKind[kind].push(around(0.01));
      } else {
        if (figure.isMultiple || figure.hasDecimals) byKind.ratio.push(around(1));
        if (figure.isMultiple || figure.hasDecimals || value >= LEAST_WHOLE_QUOTIENT) byKind.quotient.push(around(1));
      }
    }
  }
  for (const list of Object.values(byKind)) list.sort((a, b) => a.low - b.low);
  return byKind;
}

function lineFrom(intervals: readonly Interval[]): Line {
  const reach = new Float64Array(intervals.length);
  let furthest = -Infinity;
  for (let index = 0; index < intervals.length; index += 1) {
    furthest = Math.max(furthest, (intervals[index] as Interval).high);
    reach[index] = furthest;
  }
  return { intervals, lows: Float64Array.from(intervals, ({ low }) => low), reach, vain: 0 };
}
