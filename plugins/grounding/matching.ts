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
}

export function openFigures(figures: readonly Figure[]): OpenFigures {
  const open = new Set(figures);
  let intervals = intervalsOf(open);
  return {
    open,
    settle(value, kind = 'value') {
      if (!Number.isFinite(value)) return false;
      const size = Math.abs(value);
      let isFound = false;
      for (const { low, high, figure } of intervals[kind]) {
        if (low > size) break;
        if (high < size || (figure.isNegative && value > 0 && SIGNED.has(kind))) continue;
        isFound = open.delete(figure) || isFound;
      }
      if (isFound) intervals = intervalsOf(open);
      return isFound;
    },
  };
}

function intervalsOf(figures: ReadonlySet<Figure>): Readonly<Record<Kind, readonly Interval[]>> {
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
