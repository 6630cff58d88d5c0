/** Runs cases one after the other, each over its data, and keeps every result as soon as it is there. */
import type { AtlasConfig, CliRun, CreateAppOptions } from '../../kernel/index.ts';
import { type Cli, progress, warn, wrongUse } from '../cli/index.ts';
import type { EvalCase } from './cases.ts';
import { hasDatasource, startAnswering, withData, withLayer } from './composition.ts';
import { demoDatabase } from './demo-database.ts';
import type { ObservedQuestions } from './observer.ts';
import type { RecordingFolder } from './recording.ts';
import type { CaseResult } from './run-case.ts';
import { runRepeated } from './stability.ts';

export interface CasesToRun {
  readonly cases: readonly EvalCase[];
  readonly recordings: RecordingFolder | undefined;
  /** Of the layer, in place of the composition's and the demo's. */
  readonly layerDir?: string;
  /** How often each is asked; default: once. */
  readonly askings?: number;
  /** Called with each result before the next case begins. */
  readonly onResult: (result: CaseResult) => void;
}

/** With a datasource in the composition all cases ask it; without one each asks the demo that its schema names. */
export async function runCases(run: CliRun, cli: Cli, work: CasesToRun): Promise<void> {
  if (work.cases.length === 0) return;
  const { config, options, warnings } = await cli.compose(run);
  for (const warning of warnings) warn(run, options.log, warning);
  let done = 0;
  await progress(run, 'Cases', (report) => {
    report(done, work.cases.length);
    const onResult = (result: CaseResult) => {
      work.onResult(result);
      done += 1;
      report(done, work.cases.length, `${result.id} ${result.status}`);
    };
    return runOnData(run, config, options, { ...work, onResult });
  });
}

async function runOnData(run: CliRun, config: AtlasConfig, options: CreateAppOptions, work: CasesToRun): Promise<void> {
  const { layerDir } = work;
  if (hasDatasource(config)) {
    const asked = layerDir === undefined ? config : withLayer(config, layerDir);
    return runOver(asked, options, work, run.signal);
  }
  for (const [schema, cases] of Map.groupBy(work.cases, (item) => item.schema)) {
    using data = await demoDatabase(schema, run.signal);
    if (data === undefined) {
      throw wrongUse(
        `No datasource is configured, and there is no demo "${schema}".`,
        `Set SVC_DATASOURCE_URL to the database of eval/cases/${schema}.yml, or choose other cases with --schema.`,
      );
    }
    await runOver(
      withData(config, { ...data, ...(layerDir !== undefined && { layerDir }) }),
      options,
      { ...work, cases },
      run.signal,
    );
  }
}

async function runOver(
  config: AtlasConfig,
  options: CreateAppOptions,
  { cases, recordings, askings = 1, onResult }: CasesToRun,
  signal: AbortSignal,
): Promise<void> {
  const questions: ObservedQuestions = new Map();
  await using app = await startAnswering(config, options, questions);
  for (const item of cases) {
    signal.throwIfAborted();
    onResult(await runRepeated({ app, questions, recordings, signal }, item, askings));
  }
}
