/** Compares the results of a run with those of an earlier one. */

/** `earlier`: status by case. `now`: status by case of this run. `known`: every case that exists, asked or not. */
export interface RunsToCompare {
  readonly earlier: ReadonlyMap<string, { readonly status: string }>;
  readonly now: ReadonlyMap<string, { readonly status: string }>;
  readonly known: ReadonlySet<string>;
}

export interface RunComparison {
  /** Passed earlier, and does not now. */
  readonly regressions: readonly string[];
  /** Passed earlier, and is no case any more. */
  readonly missing: readonly string[];
  /** Did not pass earlier, and does now. */
  readonly improvements: readonly string[];
}

/** Cases that flags have left out are not compared. */
export function compareRuns({ earlier, now, known }: RunsToCompare): RunComparison {
  const passedEarlier = [...earlier].filter(([, { status }]) => status === 'passed').map(([id]) => id);
  const hasPassed = (id: string) => now.get(id)?.status === 'passed';
  return {
    regressions: passedEarlier.filter((id) => now.has(id) && !hasPassed(id)),
    missing: passedEarlier.filter((id) => !known.has(id)),
    improvements: [...now.keys()].filter((id) => hasPassed(id) && earlier.has(id) && !passedEarlier.includes(id)),
  };
}
