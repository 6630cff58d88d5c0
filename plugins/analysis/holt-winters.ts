/**
 * Forecasts a series with a trend and a season by the additive method of Holt and Winters, with prediction intervals.
 *
 * With the season m, level l, trend b, seasons s and the error e_t = y_t − (l_{t−1} + b_{t−1} + s_{t−m}):
 *
 *     l_t = l_{t−1} + b_{t−1} + α e_t      b_t = b_{t−1} + β e_t      s_t = s_{t−m} + γ e_t
 *     ŷ_{n+h} = l_n + h b_n + s_{n+h−m(k+1)},  k = ⌊(h−1)/m⌋
 *
 * (R. J. Hyndman, G. Athanasopoulos, Forecasting: Principles and Practice, 3rd edition, 8.3 and 8.5; the model ETS(A,A,A).)
 * The first states are those of the least-squares line with seasons through the whole series; α, β and γ are those of a grid
 * with the smallest sum of squared errors, SSE. α is at least 0.1: a level that never moves makes intervals that do not widen.
 *
 * Variance of the error h ahead: σ² (1 + Σ_{j=1}^{h−1} c_j² + q_h) with c_j = α + jβ + γ [m divides j] (the same book, 8.7)
 * and σ² = SSE / ν, ν = n − m − 1 − p, p = how many of α, β, γ are not 0. q_h = x_h' (X'X)^{-1} x_h is what the least-squares line does not know of itself, which
 * short series must count. The interval is ŷ ± t_ν √variance, with the quantile of Student's distribution.
 */

export interface Forecast {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** 80 % intervals: the normal quantile of 0.9. */
export const LEVEL = 80;
const QUANTILE = 1.2815515655446004;
const MIN_ALPHA = 0.1;
const GRID = [0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9];

type Smoothing = readonly [alpha: number, beta: number, gamma: number];

interface States {
  level: number;
  trend: number;
  readonly seasons: number[];
}

/** Solves a x = b for a symmetric positive definite matrix, by Gauss and Jordan; both are changed. */
function solved(a: number[][], b: number[][]): number[][] {
  for (const [at, row] of a.entries()) {
    const pivot = row[at]!;
    for (const values of [row, b[at]!])
      for (let column = 0; column < values.length; column += 1) values[column]! /= pivot;
    for (const [other, target] of a.entries()) {
      const factor = other === at ? 0 : target[at]!;
      if (factor === 0) continue;
      for (let column = 0; column < target.length; column += 1) target[column]! -= factor * row[column]!;
      for (let column = 0; column < b[at]!.length; column += 1) b[other]![column]! -= factor * b[at]![column]!;
    }
  }
  return b;
}

/** One row of the regression: the time, and which season it is. */
const regressors = (time: number, m: number): number[] => [
  time,
  ...Array.from({ length: m }, (_, season) => (((time % m) + m) % m === season ? 1 : 0)),
];

/** The least-squares line with seasons, and how uncertain it is at a time, in units of σ². */
function regression(series: readonly number[], m: number) {
  const rows = series.map((_, time) => regressors(time, m));
  const square = rows[0]!.map((_, i) => rows[0]!.map((__, j) => rows.reduce((sum, row) => sum + row[i]! * row[j]!, 0)));
  const inverse = solved(
    square,
    square.map((_, i) => square.map((__, j) => (i === j ? 1 : 0))),
  );
  const right = rows[0]!.map((_, i) => rows.reduce((sum, row, time) => sum + row[i]! * series[time]!, 0));
  const [trend = 0, ...levels] = inverse.map((row) => row.reduce((sum, value, j) => sum + value * right[j]!, 0));
  const level = levels.reduce((sum, value) => sum + value, 0) / m;
  const uncertainty = (time: number) => {
    const x = regressors(time, m);
    return inverse.reduce((sum, row, i) => sum + x[i]! * row.reduce((inner, value, j) => inner + value * x[j]!, 0), 0);
  };
  return { start: { level: level - trend, trend, seasons: levels.map((value) => value - level) }, uncertainty };
}

/** Runs through the series; the states are those after it. */
function smoothed(series: readonly number[], m: number, start: States, [alpha, beta, gamma]: Smoothing) {
  const states: States = { ...start, seasons: [...start.seasons] };
  let sse = 0;
  for (const [time, value] of series.entries()) {
    const season = time % m;
    const error = value - (states.level + states.trend + states.seasons[season]!);
    states.level += states.trend + alpha * error;
    states.trend += beta * error;
    states.seasons[season]! += gamma * error;
    sse += error * error;
  }
  return { states, sse };
}

/** Student's quantile from the normal one (Abramowitz and Stegun, 26.7.5). */
function studentQuantile(z: number, freedom: number): number {
  const [z3, z5] = [z ** 3, z ** 5];
  return z + (z3 + z) / (4 * freedom) + (5 * z5 + 16 * z3 + 3 * z) / (96 * freedom ** 2);
}

const parametersOf = (smoothing: Smoothing) => smoothing.filter((value) => value > 0).length;

/** The next `horizon` values of a series with the season `m`, of which it must have at least two. */
export function holtWinters(series: readonly number[], m: number, horizon: number): Forecast[] {
  const n = series.length;
  const { start, uncertainty } = regression(series, m);
  const candidates = GRID.filter((alpha) => alpha >= MIN_ALPHA).flatMap((alpha) =>
    GRID.filter((beta) => beta <= alpha).flatMap((beta) =>
      GRID.filter((gamma) => gamma <= 1 - alpha).map((gamma): Smoothing => [alpha, beta, gamma]),
    ),
  );
  const runs = candidates.map((smoothing) => ({ ...smoothed(series, m, start, smoothing), smoothing }));
  const best = runs.reduce((one, other) => (other.sse < one.sse ? other : one));
  const { states, sse, smoothing } = best;
  const [alpha, beta, gamma] = smoothing;
  const freedom = Math.max(1, n - m - 1 - parametersOf(smoothing));
  const quantile = studentQuantile(QUANTILE, freedom);
  let spread = 1;
  return Array.from({ length: horizon }, (_, index) => {
    const h = index + 1;
    const value = states.level + h * states.trend + states.seasons[(n + index) % m]!;
    if (index > 0) spread += (alpha + index * beta + (index % m === 0 ? gamma : 0)) ** 2;
    const margin = quantile * Math.sqrt((sse / freedom) * (spread + uncertainty(n + index)));
    return { value, low: value - margin, high: value + margin };
  });
}
