/** Asks a case several times, and tells how far its results agree. */
import type { Answer } from '../agent/index.ts';
import { resultDifference, unordered } from '../comparison-kit/index.ts';
import type { EvalCase } from './cases.ts';
import { type CaseResult, type CaseRun, runCase } from './run-case.ts';

/** Of the cases that were asked several times; shares are from 0 to 1. */
export interface Stability {
  /** How often each was asked. */
  readonly askings: number;
  readonly cases: number;
  /** Cases all of whose results agree. */
  readonly stable: number;
  readonly stableShare: number;
  /** Mean over the cases of the share of results that agree with the most frequent one. */
  readonly agreement: number;
  /** Share of all askings that passed. */
  readonly accuracy: number;
}

/**
 * The result of the first asking, with what all of them took and how far they agree. An asking that ends with an error is
 * the last one, and the result: the case is tried again when the run is resumed.
 */
export async function runRepeated(run: CaseRun, item: EvalCase, askings: number): Promise<CaseResult> {
  if (askings === 1) return runCase(run, item);
  const answers: Answer[] = [];
  const results: CaseResult[] = [];
  while (results.length < askings) {
    run.signal.throwIfAborted();
    const result = await runCase(run, item, (answer) => answers.push(answer));
    results.push(result);
    if (result.status === 'error') return { ...result, ...spent(results) };
  }
  const passed = results.filter(({ status }) => status === 'passed').length;
  const repeated = { askings, agreeing: mostAgreeing(answers), passed };
  return { ...(results[0] as CaseResult), ...spent(results), repeated };
}

function spent(results: readonly CaseResult[]): Pick<CaseResult, 'inputTokens' | 'outputTokens' | 'cost'> {
  const sum = (of: (result: CaseResult) => number) => results.reduce((total, result) => total + of(result), 0);
  return {
    inputTokens: sum((result) => result.inputTokens),
    outputTokens: sum((result) => result.outputTokens),
    cost: results.every(({ cost }) => cost === null) ? null : sum(({ cost }) => cost ?? 0),
  };
}

/** How many answers agree with the one with which most do, itself included. */
export function mostAgreeing(answers: readonly Pick<Answer, 'outcome' | 'data'>[]): number {
  const counts = answers.map(() => 1);
  const results = answers.map(({ outcome, data }) => {
    const table = outcome === 'answered' ? data.at(-1) : undefined;
    return { outcome, table, rows: table && unordered(table) };
  });
  for (const [index, one] of results.entries())
    for (const [at, other] of results.slice(0, index).entries()) {
      if (!isSame(one, other)) continue;
      counts[index]! += 1;
      counts[at]! += 1;
    }
  return Math.max(0, ...counts);
}

interface Compared extends Pick<Answer, 'outcome'> {
  /** `undefined`: the answer rests on no rows. */
  readonly table: Answer['data'][number] | undefined;
  readonly rows: ReturnType<typeof unordered> | undefined;
}

/** One of them would be right where the other is expected: further columns and the order of rows do not count. */
function isSame(one: Compared, other: Compared): boolean {
  if (one.outcome !== other.outcome) return false;
  if (one.table === undefined || other.table === undefined) return one.table === other.table;
  const [mine, theirs] = [one.rows!, other.rows!];
  return resultDifference(one.table, theirs) === undefined || resultDifference(other.table, mine) === undefined;
}

const rounded = (share: number) => Math.round(share * 1e4) / 1e4;

/** `undefined`: no case was asked several times. */
export function stabilityOf(results: readonly Pick<CaseResult, 'repeated'>[]): Stability | undefined {
  const all = results.flatMap(({ repeated }) => repeated ?? []);
  const [first] = all;
  if (first === undefined) return undefined;
  const mean = (of: (one: (typeof all)[number]) => number) =>
    rounded(all.reduce((total, one) => total + of(one), 0) / all.length);
  const stable = all.filter(({ agreeing, askings }) => agreeing === askings).length;
  return {
    askings: first.askings,
    cases: all.length,
    stable,
    stableShare: rounded(stable / all.length),
    agreement: mean(({ agreeing, askings }) => agreeing / askings),
    accuracy: mean(({ passed, askings }) => passed / askings),
  };
}
