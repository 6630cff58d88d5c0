/** Computes the scores of BIRD from what its own evaluation measures. */

/** A result as BIRD compares it: values by position, without names. */
export type BirdRows = readonly (readonly unknown[])[];

/**
 * Whether two results are the same set of rows, which is BIRD's execution accuracy: neither order nor repetition of rows
 * counts, the order of columns does, and values are equal as Python compares them (`set(predicted) == set(gold)` in
 * `evaluation/evaluation_ex.py` of bird-bench/mini_dev).
 */
export function sameSet(predicted: BirdRows, gold: BirdRows): boolean {
  const one = new Set(predicted.map(keyOf));
  const other = new Set(gold.map(keyOf));
  return one.size === other.size && one.isSubsetOf(other);
}

const keyOf = (row: readonly unknown[]): string => JSON.stringify(row.map(typed));

function typed(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : [String(value)];
  if (value instanceof Uint8Array) return [Buffer.from(value).toString('hex'), 'bytes'];
  if (typeof value === 'number' && !Number.isFinite(value)) return [String(value), 'number'];
  // Python's -0.0 equals 0.
  return value === 0 ? 0 : value;
}

/** The ratio of times without measurements of more than three standard deviations from the mean; 0 without any. */
export function timeRatio(goldMs: readonly number[], predictedMs: readonly number[]): number {
  const ratios = goldMs.map((gold, index) => gold / (predictedMs[index] ?? gold));
  const mean = average(ratios);
  const deviation = Math.sqrt(average(ratios.map((ratio) => (ratio - mean) ** 2)));
  const usual = ratios.filter((ratio) => Math.abs(ratio - mean) < 3 * deviation);
  // BIRD would keep none of equal measurements.
  return average(usual.length === 0 ? ratios : usual);
}

const average = (values: readonly number[]) =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * What a right statement earns by its speed against the gold one, as in `iterated_execute_sql` of
 * `evaluation/evaluation_ves.py` of bird-bench/mini_dev (R-VES).
 */
export function rewardOf(ratio: number): number {
  if (ratio === 0) return 0;
  if (ratio >= 2) return 1.25;
  if (ratio >= 1) return 1;
  if (ratio >= 0.5) return 0.75;
  return ratio >= 0.25 ? 0.5 : 0.25;
}

/** The reward-based valid efficiency score of all questions, from 0 to 111.8: the mean of `sqrt(reward) * 100`. */
export const rewardScore = (rewards: readonly number[]): number =>
  average(rewards.map((reward) => Math.sqrt(reward) * 100));
