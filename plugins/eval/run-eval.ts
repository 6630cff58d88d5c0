/** Carries out `atlas eval`: chooses cases, runs what has no result yet, and reports. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { CliRun } from '../../kernel/index.ts';
import type { Cli } from '../cli/index.ts';
import { CASES_DIR, readCases } from './cases.ts';
import { askingsOf, fileIn, stopped } from './flags.ts';
import { recordingFolder } from './recording.ts';
import { compareRuns, type RunComparison } from './regressions.ts';
import { renderSummary, resultsCsv, resultsJson, summaryOf } from './report.ts';
import { openResultLog, type ResultLine, readResults, writeResults } from './results-file.ts';
import type { CaseResult } from './run-case.ts';
import { runCases } from './run-cases.ts';
import { type Selection, selectCases } from './selection.ts';

const BASELINE = 'eval/baseline.jsonl';

/** Resolves to the exit code: 1 for a regression against `--compare`. */
export async function runEval(run: CliRun, cli: Cli): Promise<number> {
  const all = readCases(run.cwd);
  const selection = selectCases(all, run);
  const compared = fileIn(run, 'compare');
  const earlier = compared && readResults<ResultLine>(compared.path, compared.shown);
  const recordings = recordingFolder(run, selection.cases);
  const resumed = fileIn(run, 'resume');
  const log = resumed && openResultLog<CaseResult>(resumed.path, resumed.shown);

  const askings = askingsOf(run);
  const results = new Map<string, CaseResult>();
  for (const { id, hash } of selection.cases) {
    const known = log?.results.get(id);
    // What could not be judged is tried again.
    if (known === undefined || known.hash !== hash || known.status === 'error') continue;
    if ((known.repeated?.askings ?? 1) === askings) results.set(id, known);
  }
  const cases = selection.cases.filter(({ id }) => !results.has(id));
  const onResult = (result: CaseResult) => {
    log?.add(result);
    results.set(result.id, result);
  };
  try {
    await runCases(run, cli, { cases, recordings, askings, onResult });
  } catch (error) {
    if (!run.signal.aborted) throw error;
    return stopped(run, `${results.size} of ${selection.cases.length} cases`);
  }

  const ordered = selection.cases.flatMap(({ id }) => results.get(id) ?? []);
  if (run.options.baseline === true) writeBaseline(run.cwd, ordered, selection, new Set(all.map(({ id }) => id)));
  const comparison = earlier && compareRuns({ earlier, now: results, known: new Set(all.map(({ id }) => id)) });
  const summary = summaryOf(ordered, comparison);
  run.stdout.write(
    run.options.json === true
      ? resultsJson(ordered, summary)
      : run.options.csv === true
        ? resultsCsv(ordered)
        : renderSummary(ordered, summary, run.stdout),
  );
  return hasRegressed(run, comparison) ? 1 : 0;
}

/** Cases that flags have left out keep their line. */
function writeBaseline(
  cwd: string,
  results: readonly CaseResult[],
  { isPartial }: Selection,
  known: ReadonlySet<string>,
): void {
  const path = join(cwd, BASELINE);
  const lines = new Map<string, ResultLine>();
  if (isPartial) {
    for (const [id, line] of readExisting(path)) if (known.has(id)) lines.set(id, line);
  }
  for (const result of results) lines.set(result.id, result);
  writeResults(path, BASELINE, lines.values());
}

function readExisting(path: string): ReadonlyMap<string, ResultLine> {
  return existsSync(path) ? readResults(path, BASELINE) : new Map();
}

function hasRegressed(run: CliRun, comparison: RunComparison | undefined): boolean {
  if (comparison === undefined) return false;
  const { regressions, missing } = comparison;
  const say = (what: string, ids: readonly string[]) =>
    ids.length > 0 && run.stderr.write(`${what}: ${ids.join(', ')}.\n`);
  say('Regression: passed before and not now', regressions);
  say(`Regression: passed before and no case in ${CASES_DIR} any more`, missing);
  return regressions.length + missing.length > 0;
}
