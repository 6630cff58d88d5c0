/** Runs cases one after the other, each over its data, and keeps every result as soon as it is there. */
import type { AtlasConfig, CliRun, CreateAppOptions } from '../../kernel/index.ts';
import { type Cli, printableText, warn } from '../cli/index.ts';
import type { EvalCase } from './cases.ts';
import { hasDatasource, startAnswering, withData } from './composition.ts';
import { demoDatabase } from './demo-database.ts';
import type { ObservedQuestions } from './observer.ts';
import type { RecordingFolder } from './recording.ts';
import { seconds } from './report.ts';
import { type CaseResult, runCase } from './run-case.ts';
import { wrongUse } from './selection.ts';

export interface CasesToRun {
  readonly cases: readonly EvalCase[];
  readonly recordings: RecordingFolder | undefined;
  /** Called with each result before the next case begins. */
  readonly onResult: (result: CaseResult) => void;
}

/** With a datasource in the composition all cases ask it; without one each asks the demo that its schema names. */
export async function runCases(run: CliRun, cli: Cli, work: CasesToRun): Promise<void> {
  if (work.cases.length === 0) return;
  const { config, options, warnings } = await cli.compose(run);
  for (const warning of warnings) warn(run, options.log, warning);
  const say = progressLines(run, work.cases.length);
  const onResult = (result: CaseResult) => {
    work.onResult(result);
    say(result);
  };
  if (hasDatasource(config)) return runOver(config, options, { ...work, onResult }, run.signal);
  for (const [schema, cases] of Map.groupBy(work.cases, (item) => item.schema)) {
    using data = await demoDatabase(schema, cli.demoLayerDir);
    if (data === undefined) {
      throw wrongUse(
        `No datasource is configured, and there is no demo "${schema}".`,
        `Set SVC_DATASOURCE_URL to the database of eval/cases/${schema}.yml, or choose other cases with --schema.`,
      );
    }
    await runOver(withData(config, data), options, { ...work, cases, onResult }, run.signal);
  }
}

async function runOver(
  config: AtlasConfig,
  options: CreateAppOptions,
  { cases, recordings, onResult }: CasesToRun,
  signal: AbortSignal,
): Promise<void> {
  const questions: ObservedQuestions = new Map();
  await using app = await startAnswering(config, options, questions);
  for (const item of cases) {
    signal.throwIfAborted();
    onResult(await runCase({ app, questions, recordings, signal }, item));
  }
}

function progressLines({ stderr }: CliRun, total: number): (result: CaseResult) => void {
  let done = 0;
  return ({ id, status, durationMs }) => {
    done += 1;
    stderr.write(`[${done}/${total}] ${status.padEnd(7)} ${printableText(id)} (${seconds(durationMs)})\n`);
  };
}
