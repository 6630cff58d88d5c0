/** `atlas init --demo`: loads a demo into a database and copies its semantic layer. */
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { type CliRun, didYouMean } from '../../../kernel/index.ts';
import { type Cli, progress } from '../../cli/index.ts';
import { layerFolderOf } from '../../semantic-layer/index.ts';
import { wrong } from '../profile/errors.ts';
import { nextSteps } from './summary.ts';
import { triedQuestions } from './tried-questions.ts';

const DEFAULT_DEMO = 'simple';

const isSameFolder = (one: string, other: string) =>
  existsSync(one) && existsSync(other) && realpathSync(one) === realpathSync(other);

/** Copies files that are not there; gives back how many, and which are there with another content. */
function copyLayer(from: string, to: string): { readonly copied: number; readonly kept: readonly string[] } {
  const kept: string[] = [];
  let copied = 0;
  if (isSameFolder(from, to)) return { copied, kept };
  for (const path of globSync('**/*.yml', { cwd: from }).sort()) {
    const target = join(to, path);
    if (!existsSync(target)) {
      mkdirSync(dirname(target), { recursive: true });
      cpSync(join(from, path), target);
      copied += 1;
    } else if (!readFileSync(target).equals(readFileSync(join(from, path)))) kept.push(path);
  }
  return { copied, kept };
}

export async function initDemo(run: CliRun, { compose, demoLayerDir }: Cli): Promise<number> {
  const { DEMOS, loadDemo } = await import('../../demo-data/index.ts');
  const names = Object.keys(DEMOS) as (keyof typeof DEMOS)[];
  const asked = run.options.demo === true ? DEFAULT_DEMO : String(run.options.demo);
  const name = names.find((known) => known === asked);
  if (name === undefined) {
    throw wrong(`There is no demo "${asked}"${didYouMean(asked, names) || `; there are: ${names.join(', ')}.`}`);
  }
  const own = join('.atlas', `demo-${name}.db`);
  const given = run.env.SVC_DATASOURCE_URL || undefined;
  const url = given ?? `sqlite:${own}`;
  const env = { ...run.env, SVC_PROVIDER: 'offline', SVC_DATASOURCE_URL: url };
  const { config, options } = await compose({ cwd: run.cwd, env, builtIn: true });
  const root = layerFolderOf(config, run.cwd);
  const shown = relative(run.cwd, root) || '.';
  const { layer } = DEMOS[name];
  if (isSameFolder(root, demoLayerDir) && !isSameFolder(layer, demoLayerDir)) {
    throw wrong(
      `The layer in ${shown} is that of another demo and is not overwritten.`,
      'Choose another folder with SVC_SEMANTIC_DIR, such as SVC_SEMANTIC_DIR=./layer, and keep the setting for "atlas serve".',
    );
  }
  const loaded = await progress(run, 'Loading rows', async (report) => {
    const onProgress = ({ rows, table }: { readonly rows: number; readonly table: string }) => report(rows, 0, table);
    const load = (target: string) => loadDemo(name, { url: target, cwd: run.cwd, signal: run.signal, onProgress });
    if (given !== undefined) return load(given);
    // Loaded beside an older one, which is replaced once the new one is complete.
    const [path, fresh] = [join(run.cwd, own), join(run.cwd, `${own}.new`)];
    mkdirSync(dirname(path), { recursive: true });
    try {
      rmSync(fresh, { force: true });
      const done = await load(`sqlite:${own}.new`);
      renameSync(fresh, path);
      return done;
    } finally {
      for (const left of [fresh, `${fresh}-wal`, `${fresh}-shm`, `${fresh}-journal`]) rmSync(left, { force: true });
    }
  });
  run.signal.throwIfAborted();
  const { copied, kept } = copyLayer(layer, root);
  run.stdout.write(
    `Loaded ${loaded.tables} tables with ${loaded.rows} rows into ${given === undefined ? url : loaded.shown}; ${copied} files of the layer written to ${shown}.\n`,
  );
  if (kept.length > 0) {
    run.stdout.write(`Left as they are, because they have another content: ${kept.slice(0, 10).join(', ')}.\n`);
  }
  const tried = await progress(run, 'Trying questions', () =>
    triedQuestions(config, options, { dir: root, source: 'default' }, run.signal),
  );
  run.stdout.write(nextSteps(tried, given === undefined ? `SVC_DATASOURCE_URL=${url} ` : ''));
  return 0;
}
