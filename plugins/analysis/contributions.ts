/**
 * Splits a change over the values of a dimension, and tells which part of it chance does not explain.
 *
 * A sum or count of x_v over the values v changes by Σ (x_v(P) − x_v(Q)). A ratio R = Σ n_v / Σ d_v = Σ w_v r_v with the
 * weights w_v = d_v / Σ d changes by Σ (rate_v + mix_v), with means of both periods under a bar:
 *
 *     rate_v = w̄_v (r_v(P) − r_v(Q))      mix_v = (r̄_v − R̄) (w_v(P) − w_v(Q))
 *
 * which is exact (E. M. Kitagawa, Components of a Difference Between Two Rates, JASA 50, 1955).
 *
 * Deviation: x of a window with the total T is compared with E, its usual share of T, by the signed root of the binomial
 * deviance, ±√(2 (x ln(x/E) + (T−x) ln((T−x)/(T−E)))), as scan statistics do (M. Kulldorff, A Spatial Scan Statistic,
 * Communications in Statistics 26, 1997). The usual share is that of up to 12 earlier windows of the same length. What all
 * values have in common, such as a season, is no deviation of any.
 *
 * Scale: s² = 1.4826² MAD² of the deviations of all values in the earlier windows, at least 1 for counts; of one value
 * s_v² = (Σ u² + 12 s²) / (k + 12) over its own k earlier ones, each cut at 3 s (shrinkage as of G. K. Smyth, Linear
 * Models and Empirical Bayes Methods, 2004).
 *
 * Noteworthy is a value whose deviation u, in the period or (negated) in the one before it, has
 * |u| ≥ 4.5 s_v, |u| ≥ 1.4 × the largest |u| of any value of any dimension in the earlier windows, and at least 8 of these;
 * that moves the measure the way it went, by at least 5 % beyond what the rest did; and that is at most 90 % of the whole.
 */

export const HISTORY = 12;
export const MIN_HISTORY = 8;
const PRIOR = 12;
const MIN_SCORE = 4.5;
const MIN_OVER_HISTORY = 1.4;
const MIN_EFFECT = 0.05;
const MAX_SHARE = 0.9;
const MAD_TO_SD = 1.4826;
const MAX_PULL = 3;

/** Windows: 0 is the period that is explained, 1 the one that it is compared with, then earlier ones of the same length. */
export interface ValueWindows {
  readonly value: unknown;
  /** The measure, or the numerator of a ratio. */
  readonly x: readonly number[];
  /** The denominator of a ratio. */
  readonly d?: readonly number[];
}

export interface Totals {
  readonly x: readonly number[];
  readonly d?: readonly number[];
}

export interface Contribution {
  readonly dimension: string;
  readonly value: unknown;
  readonly before: number | null;
  readonly after: number | null;
  /** Its part of the change of the measure; of a ratio `rate + mix`. */
  readonly change: number;
  readonly rate?: number;
  readonly mix?: number;
  /** Its part beyond what the rest did. */
  readonly effect: number;
  /** Standard deviations from what is usual; 0 where it went against the change. */
  readonly score: number;
  readonly isCause: boolean;
  /** Dimensions and values with the same rows, as far as numbers tell. */
  readonly same: readonly string[];
}

export interface Breakdown {
  readonly dimension: string;
  readonly values: readonly ValueWindows[];
}

const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

/** A robust standard deviation, by the median of absolute deviations; by squares where most values are the same. */
export function robustSd(values: readonly number[]): number {
  if (values.length === 0) return 0;
  const middle = median(values);
  const mad = MAD_TO_SD * median(values.map((value) => Math.abs(value - middle)));
  return mad > 0 ? mad : Math.sqrt(sum(values.map((value) => (value - middle) ** 2)) / values.length);
}

/** The signed root of the binomial deviance of `x` of `total` where `expected` was to be; see above. */
export function deviation(x: number, expected: number, total: number): number {
  const [rest, restExpected] = [total - x, total - expected];
  if (!(expected > 0 && restExpected > 0)) return 0;
  // Amounts may be negative, such as returned margins.
  if (x < 0 || rest < 0) return (x - expected) / Math.sqrt((expected * restExpected) / total);
  const term = (actual: number, usual: number) => (actual > 0 ? actual * Math.log(actual / usual) : 0);
  const deviance = 2 * (term(x, expected) + term(rest, restExpected));
  return Math.sign(x - expected) * Math.sqrt(Math.max(0, deviance));
}

/** One way in which a value may stand out: its amount, its rate, or its weight. */
interface Aspect {
  /** The deviation in window `at` from what windows `base` say. */
  of(value: ValueWindows, at: number, base: readonly number[]): number;
  effect(contribution: Parts): number;
}

interface Parts {
  readonly change: number;
  readonly effect: number;
  readonly rate?: number;
  readonly mix?: number;
}

const inBase = (series: readonly number[], base: readonly number[]) => sum(base.map((at) => series[at] ?? 0));

const shareOf =
  (seriesOf: (one: ValueWindows | Totals) => readonly number[], totals: Totals): Aspect['of'] =>
  (value, at, base) => {
    const [own, all] = [seriesOf(value), seriesOf(totals)];
    const expected = (((own[at] ?? 0) + inBase(own, base)) * all[at]!) / (all[at]! + inBase(all, base));
    return deviation(own[at] ?? 0, expected, all[at]!);
  };

/** The numerator against what the usual rates of all values would make of the denominators. */
function rateOf(values: readonly ValueWindows[], totals: Totals): Aspect['of'] {
  const usual = ({ x, d = [] }: ValueWindows, at: number, base: readonly number[]) => {
    const rows = (d[at] ?? 0) + inBase(d, base);
    return rows === 0 ? 0 : ((d[at] ?? 0) * ((x[at] ?? 0) + inBase(x, base))) / rows;
  };
  const usualOfAll = new Map<string, number>();
  return (value, at, base) => {
    const key = `${at} ${base.length}`;
    const all = usualOfAll.get(key) ?? sum(values.map((one) => usual(one, at, base)));
    usualOfAll.set(key, all);
    return all === 0 ? 0 : deviation(value.x[at] ?? 0, (usual(value, at, base) * totals.x[at]!) / all, totals.x[at]!);
  };
}

const ratio = (x: number, d: number) => (d === 0 ? 0 : x / d);

/** The parts that a value has in the change of the measure. */
function partsOf({ x, d }: ValueWindows, totals: Totals): Parts {
  if (d === undefined || totals.d === undefined) {
    const change = x[0]! - x[1]!;
    const [rest, restBefore] = [totals.x[0]! - x[0]!, totals.x[1]! - x[1]!];
    return { change, effect: restBefore === 0 ? change : x[0]! - (x[1]! * rest) / restBefore };
  }
  const [w, wBefore] = [ratio(d[0]!, totals.d[0]!), ratio(d[1]!, totals.d[1]!)];
  // A value without rows in one period has no rate there: all of its part is a change of the mix.
  const r = d[0] === 0 ? ratio(x[1]!, d[1]!) : ratio(x[0]!, d[0]!);
  const rBefore = d[1] === 0 ? r : ratio(x[1]!, d[1]!);
  const whole = (ratio(totals.x[0]!, totals.d[0]!) + ratio(totals.x[1]!, totals.d[1]!)) / 2;
  const rate = ((w + wBefore) / 2) * (r - rBefore);
  const mix = ((r + rBefore) / 2 - whole) * (w - wBefore);
  return { change: rate + mix, effect: rate + mix, rate, mix };
}

const largestOf = ({ x, d = x }: ValueWindows, { x: allX, d: all = allX }: Totals) =>
  Math.max(...[0, 1].map((at) => Math.abs(ratio(d[at]!, all[at]!))));

/** The contributions of all values, those that stand out first, then by their part of the change. `isCount`: of rows. */
export function contributions(breakdowns: readonly Breakdown[], totals: Totals, isCount: boolean): Contribution[] {
  const { x, d } = totals;
  const level = d === undefined ? x[1]! : ratio(x[1]!, d[1]!);
  const went = Math.sign(d === undefined ? x[0]! - x[1]! : ratio(x[0]!, d[0]!) - level);
  // A window without anything says nothing about shares.
  const earlier = x.flatMap((value, at) => (at > 0 && (d ?? x)[at]! > 0 && value !== 0 ? [at] : []));
  const before = earlier.filter((at) => at > 1);
  const found = breakdowns.flatMap(({ dimension, values }) => {
    const aspects: Aspect[] =
      d === undefined
        ? [{ of: shareOf((one) => one.x, totals), effect: ({ effect }) => effect }]
        : [
            { of: rateOf(values, totals), effect: ({ rate = 0 }) => rate },
            { of: shareOf((one) => one.d ?? [], totals), effect: ({ mix = 0 }) => mix },
          ];
    const judged = aspects.map((aspect) => judge(aspect, values, earlier, isCount));
    return values.map((value, at) => {
      const parts = partsOf(value, totals);
      const isPart = largestOf(value, totals) <= MAX_SHARE;
      const options = judged.flatMap(({ deviations }, which) => {
        const effect = aspects[which]!.effect(parts);
        const isMaterial = Math.abs(effect) >= MIN_EFFECT * Math.abs(level) && Math.sign(effect) === went;
        return isPart && isMaterial ? (deviations[at] ?? []).map((one) => ({ ...one, effect, which })) : [];
      });
      // A rate that fell lowers the measure; a weight does so by the side of the average on which its value is.
      const fitting = options.filter(({ u, effect, which }) => which === 1 || Math.sign(u) === Math.sign(effect));
      const best = fitting.sort((a, b) => Math.abs(b.u / b.scale) - Math.abs(a.u / a.scale))[0];
      return { dimension, value, parts, best, judged: judged[best?.which ?? 0]! };
    });
  });
  const limit = Math.max(...found.map(({ judged }) => judged.largest), 0) * MIN_OVER_HISTORY;
  const ranked = found.map(({ dimension, value, parts, best }) => {
    const size = Math.abs(best?.u ?? 0);
    const score = size === 0 ? 0 : size / best!.scale;
    const isCause = before.length + 1 >= MIN_HISTORY && score >= MIN_SCORE && size >= limit;
    return { dimension, value, parts, size, score, isCause };
  });
  ranked.sort(
    (a, b) =>
      Number(b.isCause) - Number(a.isCause) || b.size - a.size || Math.abs(b.parts.change) - Math.abs(a.parts.change),
  );
  return merged(ranked, d !== undefined);
}

/** What one aspect says of each value in the period and the one before, and the largest deviation of earlier windows. */
function judge(aspect: Aspect, values: readonly ValueWindows[], earlier: readonly number[], isCount: boolean) {
  const without = (at: number) => earlier.filter((other) => other !== at);
  const past = values.map((value) => earlier.map((at) => aspect.of(value, at, without(at))));
  const pooled = Math.max(isCount ? 1 : 0, robustSd(past.flat())) || 1;
  const scaleOf = (own: readonly number[]) => {
    const cut = own.map((u) => Math.min(MAX_PULL * pooled, Math.abs(u)) ** 2);
    return Math.sqrt((sum(cut) + PRIOR * pooled ** 2) / (own.length + PRIOR));
  };
  const compared = earlier.indexOf(1);
  const deviations = values.map((value, at) => {
    const own = past[at]!;
    const others = own.filter((_, window) => window !== compared);
    const now = { u: aspect.of(value, 0, earlier), scale: scaleOf(own) };
    return compared < 0 ? [now] : [now, { u: -own[compared]!, scale: scaleOf(others) }];
  });
  const largest = Math.max(...past.flatMap((own) => own.filter((_, window) => window !== compared)).map(Math.abs), 0);
  return { deviations, largest };
}

interface Ranked {
  readonly dimension: string;
  readonly value: ValueWindows;
  readonly parts: Parts;
  readonly score: number;
  readonly isCause: boolean;
}

export const nameOf = (dimension: string, value: unknown) =>
  `${dimension} = ${value === null ? 'none' : String(value)}`;

/** One entry for values of several dimensions whose numbers are the same in every window. */
function merged(ranked: readonly Ranked[], isRatio: boolean): Contribution[] {
  const known = new Map<string, Contribution & { readonly same: string[] }>();
  for (const { dimension, value, parts, score, isCause } of ranked) {
    const { x, d } = value;
    const key = JSON.stringify([x, d]);
    const first = known.get(key);
    if (first !== undefined) {
      first.same.push(nameOf(dimension, value.value));
      continue;
    }
    const at = (window: number) => (isRatio ? (d![window] === 0 ? null : x[window]! / d![window]!) : x[window]!);
    known.set(key, { dimension, value: value.value, before: at(1), after: at(0), ...parts, score, isCause, same: [] });
  }
  return [...known.values()];
}
