/** Finds out which tool the files of `--from` belong to, and reads them. */
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { extname, join, resolve } from 'node:path';
import { parse } from 'yaml';
import { AtlasError, messageOf } from '../../../kernel/index.ts';
import { isCubeModel, readCube } from './cube.ts';
import { cubesOfScript } from './cube-script.ts';
import { isManifest, readDbt } from './dbt.ts';
import { readLookml } from './lookml.ts';
import { type ImportedProject, isRecord } from './project.ts';
import { isSnowflakeModel, readSnowflake } from './snowflake.ts';

const MAX_FILE_BYTES = 256 * 1024 * 1024;
const MAX_FILES = 5_000;
const PATTERN = '**/*.{yml,yaml,js,ts,lkml,lookml}';
const MANIFEST = 'manifest.json';
const TAKES = '--from takes a dbt manifest.json, Cube or LookML files, Snowflake semantic models, or their folder.';

const refuse = (message: string, hint?: string) => new AtlasError(message, { code: 'invalid_request', hint });

/** What was read, with the name of the file for its metrics. */
export interface NamedProject extends ImportedProject {
  readonly tool: 'dbt' | 'cube' | 'lookml' | 'snowflake';
}

interface Source {
  readonly path: string;
  readonly text: string;
}

/** Files, and what is in folders: of a dbt project its manifest, else all data models. */
function sourcesOf(given: string, cwd: string): Source[] {
  const path = resolve(cwd, given);
  if (!existsSync(path)) throw refuse(`There is no file ${given}.`, TAKES);
  const read = (name: string): Source => {
    const full = resolve(cwd, name);
    if (statSync(full).size > MAX_FILE_BYTES) throw refuse(`${name} is larger than 256 MiB.`);
    return { path: name, text: readFileSync(full, 'utf8') };
  };
  if (!statSync(path).isDirectory()) return [read(given)];
  const manifest = [join(given, MANIFEST), join(given, 'target', MANIFEST)].find((name) =>
    existsSync(resolve(cwd, name)),
  );
  if (manifest !== undefined) return [read(manifest)];
  if (existsSync(join(path, 'dbt_project.yml'))) {
    throw refuse(`${given} has no target/manifest.json.`, 'Run "dbt parse" there first, which writes it.');
  }
  const names = globSync(PATTERN, { cwd: path, exclude: (name) => /(^|\/)node_modules$/.test(String(name)) }).sort();
  if (names.length > MAX_FILES) throw refuse(`${given} has ${names.length} files; ${MAX_FILES} can be read at once.`);
  if (names.length === 0) throw refuse(`${given} has no data models.`, TAKES);
  return names.map((name) => read(join(given, name)));
}

/** Reads all files. Throws one sentence for a file that belongs to none of the tools. */
export function readProjects(given: string, cwd: string): NamedProject[] {
  const paths = existsSync(resolve(cwd, given))
    ? [given]
    : given
        .split(',')
        .map((path) => path.trim())
        .filter(Boolean);
  const sources = paths.flatMap((path) => sourcesOf(path, cwd));
  const projects: NamedProject[] = [];
  const cubes: Readonly<Record<string, unknown>>[] = [];
  const looker: Source[] = [];
  const notTaken: string[] = [];
  for (const { path, text } of sources) {
    const extension = extname(path).toLowerCase();
    if (extension === '.lkml' || extension === '.lookml') looker.push({ path, text });
    else if (extension === '.js' || extension === '.ts') {
      const report = (what: string, why: string) => void notTaken.push(`${path}: ${what}: ${why}`);
      cubes.push({ cubes: inWords(path, () => cubesOfScript(text, extension === '.ts', report)) });
    } else {
      const value: unknown = inWords(path, () =>
        extension === '.json' ? JSON.parse(text) : parse(text, { uniqueKeys: false, merge: true, logLevel: 'silent' }),
      );
      if (isManifest(value)) projects.push({ tool: 'dbt', ...readDbt(value) });
      else if (isCubeModel(value)) cubes.push(value);
      else if (isSnowflakeModel(value)) projects.push({ tool: 'snowflake', ...readSnowflake(value) });
      else if (paths.includes(path))
        throw refuse(`${path} is not a dbt manifest, and has no cubes.`, unknownHint(value));
      else notTaken.push(`${path}: it has no cubes`);
    }
  }
  if (cubes.length > 0) projects.push({ tool: 'cube', ...readCube(cubes) });
  if (looker.length > 0) projects.push({ tool: 'lookml', ...readLookml(looker) });
  return projects.map((project, index) =>
    index === 0 ? { ...project, notTaken: [...notTaken, ...project.notTaken] } : project,
  );
}

const unknownHint = (value: unknown) =>
  isRecord(value) && (value.models !== undefined || value.semantic_models !== undefined || value.metrics !== undefined)
    ? 'Of a dbt project give target/manifest.json, which "dbt parse" writes.'
    : TAKES;

function inWords<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw refuse(`${path} cannot be read: ${messageOf(error).split('\n', 1)[0]}`);
  }
}
