/**
 * Says how unusual the figure of a run is among those of earlier runs at the same position of the season.
 *
 * The modified z-score of B. Iglewicz and D. Hoaglin (How to Detect and Handle Outliers, 1993) with their bound:
 *
 *     z = 0.6745 (x − median) / MAD        unusual: |z| > 3.5
 *
 * The median is that of the earlier figures at the position of x. The MAD is the median of |x_i − m_i| over all earlier
 * runs, m_i being the median of the other figures at the position of x_i: few runs at a position say little of how much they vary,
 * all positions together more. Without x_i in m_i, a short past does not look calmer than it is.
 *
 * Where the MAD is 0, as with figures that are mostly equal, z = (x − median) / (1.253314 MeanAD), with the mean of the same
 * deviations: 1.253314 = √(π/2) makes it the standard deviation of a normal distribution, as 1/0.6745 does for the MAD.
 * Where that is 0 as well, every figure but the usual one is unusual.
 */

const BOUND = 3.5;
const MAD_TO_Z = 0.6745;
const MEAN_TO_DEVIATION = 1.253314;
/** Of a normal distribution, fewer would call more than 3 % of ordinary figures unusual. */
export const MIN_RUNS = 8;
export const MIN_RUNS_AT_POSITION = 4;

export interface Figure {
  /** Runs of one position are compared, such as all on Mondays. */
  readonly position: string;
  readonly value: number;
}

export interface Unusualness {
  readonly median: number;
  readonly z: number;
  readonly isUnusual: boolean;
}

const ascending = (values: readonly number[]) => values.toSorted((a, b) => a - b);

/** The median of the `count` values that `at` gives in order. */
const medianOf = (count: number, at: (index: number) => number): number => {
  const middle = Math.floor(count / 2);
  return count % 2 === 1 ? at(middle) : (at(middle - 1) + at(middle)) / 2;
};

const median = (sorted: readonly number[]) => medianOf(sorted.length, (index) => sorted[index]!);

/** How far each value is from the median of the others. */
const deviations = (sorted: readonly number[]): number[] =>
  sorted.map((value, left) => {
    const others = medianOf(sorted.length - 1, (index) => sorted[index < left ? index : index + 1]!);
    return Math.abs(value - others);
  });

/** `undefined` while there are too few earlier figures. */
export function unusualness({ position, value }: Figure, earlier: readonly Figure[]): Unusualness | undefined {
  const positions = Map.groupBy(earlier, (one) => one.position);
  const here = positions.get(position) ?? [];
  if (earlier.length < MIN_RUNS || here.length < MIN_RUNS_AT_POSITION) return undefined;
  const usual = median(ascending(here.map((one) => one.value)));
  const away = [...positions.values()]
    .filter((figures) => figures.length > 1)
    .flatMap((figures) => deviations(ascending(figures.map((one) => one.value))));
  const mad = median(ascending(away));
  const deviation =
    mad > 0 ? mad / MAD_TO_Z : (MEAN_TO_DEVIATION * away.reduce((sum, one) => sum + one, 0)) / away.length;
  const z = value === usual ? 0 : (value - usual) / deviation;
  return { median: usual, z, isUnusual: Math.abs(z) > BOUND };
}
