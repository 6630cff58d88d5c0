/** Carries out `atlas benchmark`: asks the questions of a folder in BIRD's layout, database by database. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type CliRun, didYouMean } from '../../../kernel/index.ts';
import { type Cli, progress, warn, wrongUse } from '../../cli/index.ts';
import { startAnswering, withData } from '../composition.ts';
import { fileIn, limitOf, stopped } from '../flags.ts';
import type { ObservedQuestions } from '../observer.ts';
import { openResultLog } from '../results-file.ts';
import { type BirdQuestion, databaseFile, descriptionsFolder, readDevSet } from './dev-set.ts';
import { birdData } from './layer.ts';
import { benchmarkCsv, benchmarkJson, renderBenchmark } from './report.ts';
import { type BirdResult, hashOf, runQuestion } from './run-question.ts';

/** Results of gold statements are larger than what people ask for. */
const LIMITS = { maxRows: 100_000, maxBytes: 64 * 1024 * 1024 };

/** Resolves to the exit code: wrong answers leave it 0. */
export async function runBenchmark(run: CliRun, cli: Cli): Promise<number> {
  const shown = String(run.options.birdPath);
  const folder = resolve(run.cwd, shown);
  const questions = chosen(run, readDevSet(folder, shown));
  const absent = [...new Set(questions.map(({ database }) => database))].find(
    (name) => !existsSync(databaseFile(folder, name)),
  );
  if (absent !== undefined) {
    throw wrongUse(`${shown} has no database dev_databases/${absent}/${absent}.sqlite.`, 'Unpack dev_databases there.');
  }
  const resumed = fileIn(run, 'resume');
  const log = resumed && openResultLog<BirdResult>(resumed.path, resumed.shown);
  const results = new Map<string, BirdResult>();
  for (const item of questions) {
    const known = log?.results.get(item.id);
    if (known !== undefined && known.hash === hashOf(item) && known.status !== 'error') results.set(item.id, known);
  }
  const onResult = (result: BirdResult) => {
    log?.add(result);
    results.set(result.id, result);
  };
  try {
    await runQuestions(
      run,
      cli,
      folder,
      questions.filter(({ id }) => !results.has(id)),
      onResult,
    );
  } catch (error) {
    if (!run.signal.aborted) throw error;
    return stopped(run, `${results.size} of ${questions.length} questions`);
  }
  const ordered = questions.flatMap(({ id }) => results.get(id) ?? []);
  const { json, csv } = run.options;
  run.stdout.write(
    json === true
      ? benchmarkJson(ordered)
      : csv === true
        ? benchmarkCsv(ordered)
        : renderBenchmark(ordered, run.stdout),
  );
  return 0;
}

function chosen(run: CliRun, all: readonly BirdQuestion[]): readonly BirdQuestion[] {
  const limit = limitOf(run);
  const { db } = run.options;
  const found = typeof db === 'string' ? all.filter(({ database }) => database === db) : all;
  if (found.length === 0) {
    const known = [...new Set(all.map(({ database }) => database))];
    throw wrongUse(`dev.json has no question of the database "${db}"${didYouMean(String(db), known) || '.'}`);
  }
  return found.slice(0, limit);
}

async function runQuestions(
  run: CliRun,
  cli: Cli,
  folder: string,
  questions: readonly BirdQuestion[],
  onResult: (result: BirdResult) => void,
): Promise<void> {
  if (questions.length === 0) return;
  const { signal } = run;
  const { config, options, warnings } = await cli.compose(run);
  for (const warning of warnings) warn(run, options.log, warning);
  await progress(run, 'Questions', async (report) => {
    let done = 0;
    for (const [name, group] of Map.groupBy(questions, ({ database }) => database)) {
      signal.throwIfAborted();
      report(done, questions.length, `layer of ${name}`);
      const database = databaseFile(folder, name);
      const descriptions = descriptionsFolder(folder, name);
      using data = await birdData({ database, descriptions, config, options, limits: LIMITS, signal });
      const asked: ObservedQuestions = new Map();
      await using app = await startAnswering(withData(config, data), options, asked);
      for (const item of group) {
        signal.throwIfAborted();
        const result = await runQuestion({ app, questions: asked, recordings: undefined, signal }, data, item);
        onResult(result);
        done += 1;
        report(done, questions.length, `${name} ${item.id} ${result.status}`);
      }
    }
  });
}
