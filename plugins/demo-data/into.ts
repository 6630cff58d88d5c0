/** Prepares a demo for a newcomer: its data in a database, and the files of its semantic layer. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type LoadOptions, loadInto } from './load.ts';
import type { Demo } from './table.ts';

export interface IntoOptions extends Omit<LoadOptions, 'url'> {
  readonly cwd: string;
  /** Default: a SQLite file of the demo's own, `.atlas/demo-<name>.db` in `cwd`, which a later run replaces. */
  readonly url?: string;
}

export interface DemoReady {
  /** Where the data are, as `SVC_DATASOURCE_URL` takes it. */
  readonly url: string;
  readonly tables: number;
  readonly rows: number;
  /** Texts by path, such as `entities/orders.yml`. */
  readonly layer: ReadonlyMap<string, string>;
  /** What was loaded, then how to serve it when the database is the demo's own file. Without passwords. */
  readonly summary: string;
}

/** Throws like `loadDemo`. The caller writes the layer: it knows the folder, and what a person changed there. */
export async function demoInto(demo: Demo, { url, ...options }: IntoOptions): Promise<DemoReady> {
  const loaded = url === undefined ? await intoOwnFile(demo, options) : await loadInto(demo, { ...options, url });
  const { tables, rows, shown } = loaded;
  const used = url ?? `sqlite:${shown}`;
  const done = `Loaded the demo "${demo.name}" into ${shown}: ${tables} tables, ${rows} rows.`;
  const serve = `SVC_DATASOURCE_URL=${used} npx atlas-query serve`;
  const ask = 'npx atlas-query query "How many customers do we have in each country?"';
  const summary = url === undefined ? `${done}\n${serve}\n${ask}` : done;
  return { url: used, tables, rows, layer: layerFilesOf(demo), summary };
}

/** Readers of an older file keep it until they open it again. */
async function intoOwnFile(demo: Demo, options: Omit<IntoOptions, 'url'>) {
  const shown = join('.atlas', `demo-${demo.name}.db`);
  const path = resolve(options.cwd, shown);
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const loaded = await loadInto(demo, { ...options, url: `sqlite:${draft}` });
    renameSync(draft, path);
    return { ...loaded, shown };
  } finally {
    rmSync(draft, { force: true });
  }
}

/** The files of a demo's semantic layer: texts by path. */
export function layerFilesOf({ layer }: Demo): Map<string, string> {
  const names = readdirSync(layer, { recursive: true, encoding: 'utf8' }).filter((name) => /\.ya?ml$/.test(name));
  return new Map(names.sort().map((name) => [name.replaceAll('\\', '/'), readFileSync(join(layer, name), 'utf8')]));
}
