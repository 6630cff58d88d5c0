/** Asks all cases over another layer than the composition's. */
import type { CliRun } from '../../kernel/index.ts';
import type { Cli } from '../cli/index.ts';
import { readCases } from './cases.ts';
import { runCases } from './run-cases.ts';

/** The ids of the cases that pass. Throws where there are no cases, or one cannot be read. */
export async function evaluateLayer(
  run: CliRun,
  cli: Cli,
  layerDir: string,
): Promise<{ readonly passed: ReadonlySet<string>; readonly cases: number }> {
  const cases = readCases(run.cwd);
  const passed = new Set<string>();
  await runCases(run, cli, {
    ...{ cases, layerDir, recordings: undefined },
    onResult: ({ id, status }) => void (status === 'passed' && passed.add(id)),
  });
  return { passed, cases: cases.length };
}
