/** Numbers of a benchmark run: always a ratio or a bound against something measured in the same run. */

export interface Row {
  readonly what: string;
  /** What was measured, in `unit`. */
  readonly value: number;
  readonly unit: string;
  /** Peer or floor of the same run, in the same unit. */
  readonly floor?: number;
  /** `value / floor` where there is a floor, else `value` itself must not exceed this (or not fall below `atLeast`). */
  readonly target?: number;
  readonly atLeast?: number;
}

export type Bench = () => Promise<readonly Row[]>;

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** `true`/`false` where the row has a target. */
export function holds(row: Row): boolean | undefined {
  if (row.atLeast !== undefined) return row.value >= row.atLeast;
  if (row.target === undefined) return undefined;
  return (row.floor === undefined ? row.value : row.value / row.floor) <= row.target;
}

/** Nanoseconds of one call, the median of several rounds; interleave what is to be compared. */
export async function nanosecondsOf(work: () => unknown, calls: number): Promise<number> {
  const startedAt = process.hrtime.bigint();
  for (let index = 0; index < calls; index += 1) await work();
  return Number(process.hrtime.bigint() - startedAt) / calls;
}
