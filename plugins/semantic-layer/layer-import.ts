/** Writes files into an organization's layer or the shared one: all of them, or none when one cannot be used. */
import { existsSync, lstatSync } from 'node:fs';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isMap, parseDocument } from 'yaml';
import { AtlasError } from '../../kernel/index.ts';
import { ORGANIZATIONS_FOLDER, placeOf } from './files/places.ts';
import {
  createStaging,
  linked,
  mendImports,
  previousName,
  refuseLinks,
  stagingIn,
  swapFiles,
  swapFolder,
  unwritable,
} from './files/replace.ts';
import { MAX_FILE_BYTES, scanLayer } from './files/scan.ts';
import { LayerLoader } from './loader.ts';
import type { SemanticModel, SemanticProblem } from './model.ts';

/** A file for a layer. */
export interface ImportedFile {
  /** Relative to the layer's root, with `/`: `entities/orders.yml`, `warehouse/metrics/stock.yml`. */
  readonly path: string;
  readonly text: string;
}

export interface ImportOptions {
  /** Connection of the imported entities of the default source that name none. */
  readonly connection?: string | undefined;
}

export interface ImportResult {
  /** Files that are new or have other content now. */
  readonly changed: number;
  /** Whether the organization had no layer of its own before, so that it got a copy of the shared one. */
  readonly isFirst: boolean;
}

export const MAX_FILES = 5_000;
const MAX_TOTAL_BYTES = 32 * 1024 * 1024;
const MAX_REPORTED = 50;

type Refused = Pick<SemanticProblem, 'file' | 'message'> & Partial<SemanticProblem>;

function refusal(problems: readonly Refused[]): AtlasError {
  const [first] = problems;
  const place = ({ file, line, column }: Refused) => (line === undefined ? file : `${file}:${line}:${column}`);
  const rest = problems.length === 1 ? '' : ` (and ${problems.length - 1} more)`;
  return new AtlasError(`Nothing was imported: ${first && `${place(first)}: ${first.message}`}${rest}`, {
    code: 'validation_error',
    reason: 'E_IMPORT_INVALID',
    details: problems.slice(0, MAX_REPORTED).map((problem) => ({ path: place(problem), message: problem.message })),
  });
}

const NOT_A_PLACE =
  'A layer has no such file; expected catalog.yml, glossary.yml, entities/<name>.yml or metrics/<name>.yml, alone or in the folder of a source.';

/** What can be seen of the files without parsing them. */
function checkFiles(files: readonly ImportedFile[]): void {
  if (files.length === 0) throw refusal([{ file: '.', message: 'There are no files; send at least one.' }]);
  if (files.length > MAX_FILES)
    throw refusal([{ file: '.', message: `There are ${files.length} files; at most ${MAX_FILES} can be imported.` }]);
  const problems: Refused[] = [];
  const names = new Map<string, string>();
  let total = 0;
  for (const { path, text } of files) {
    const bytes = Buffer.byteLength(text);
    total += bytes;
    // File systems may take names for the same that differ in case or in how accents are written.
    const name = path.normalize('NFC').toLowerCase();
    const same = names.get(name);
    if (placeOf(path) === undefined) problems.push({ file: JSON.stringify(path.slice(0, 200)), message: NOT_A_PLACE });
    else if (same !== undefined)
      problems.push({ file: path, message: `This is the same file as ${same}; send it once.` });
    else if (bytes > MAX_FILE_BYTES)
      problems.push({ file: path, message: 'The file is larger than 512 KiB; split it.' });
    else if (!text.isWellFormed()) problems.push({ file: path, message: 'The file is not valid Unicode text.' });
    names.set(name, path);
  }
  if (total > MAX_TOTAL_BYTES)
    problems.push({ file: '.', message: 'The files have more than 32 MiB together; import fewer.' });
  if (problems.length > 0) throw refusal(problems);
}

/** Adds `connection` to an entity that names none; everything else of the text stays, comments included. */
function onConnection({ path, text }: ImportedFile, connection: string): string {
  const place = placeOf(path);
  if (place?.kind !== 'entity' || place.source !== 'default') return text;
  const document = parseDocument(text, { uniqueKeys: false, logLevel: 'error' });
  if (document.errors.length > 0 || !isMap(document.contents) || document.get('connection') != null) return text;
  document.set('connection', connection);
  return document.toString({ lineWidth: 0 });
}

const problemKey = ({ file, message }: SemanticProblem) => `${file}\n${message}`;

/** Throws `validation_error` with what is wrong after the import and was not before. */
function checkModel(before: SemanticModel, after: SemanticModel, paths: ReadonlySet<string>): void {
  const known = new Set(before.problems.map(problemKey));
  const problems = after.problems.filter((problem) => paths.has(problem.file) || !known.has(problemKey(problem)));
  if (problems.length > 0) throw refusal(problems);
}

async function signatureOf(dir: string): Promise<string> {
  const { files } = await scanLayer(dir);
  return files.map(({ path, signature }) => `${path} ${signature}`).join('\n');
}

/** Copies what belongs to a layer, without folders of organizations and files of other kinds. */
async function copyLayer(from: string, to: string): Promise<void> {
  for (const { path } of (await scanLayer(from)).files) {
    await mkdir(dirname(join(to, path)), { recursive: true });
    await writeFile(join(to, path), await readFile(join(from, path)));
  }
}

async function isSame(path: string, text: string): Promise<boolean> {
  const found = await readFile(path).catch(() => undefined);
  return found?.equals(Buffer.from(text)) === true;
}

const changedMeanwhile = () =>
  new AtlasError('The semantic layer was changed by somebody else during the import, so nothing was imported.', {
    code: 'conflict',
    reason: 'E_IMPORT_CONFLICT',
    hint: 'Import again.',
  });

interface Target {
  /** The folder that is read and replaced. */
  readonly dir: string;
  /** What is there before the import; `undefined`: nothing. */
  readonly base: string | undefined;
  readonly staging: string;
  /** Where the replaced folder is until it is removed. */
  readonly previous?: string;
  /** Puts the staged folder, or its files `paths`, in place. Synchronous: no request sees half of it. */
  swap(paths: readonly string[]): void;
}

function entryAt(path: string) {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    // A file in the place of a folder.
    throw unwritable(error);
  }
}

function targetOf(root: string, orgId: string | null, isKnown: boolean): Target {
  const staging = stagingIn(root);
  if (orgId === null) return { dir: root, base: root, staging, swap: (paths) => swapFiles(root, staging, paths) };
  const [dir, previous] = [join(root, ORGANIZATIONS_FOLDER, orgId), join(root, previousName(orgId))];
  const found = entryAt(dir);
  if (found?.isDirectory() === false) throw linked(`The layer of the organization "${orgId}"`);
  // One whose folder is gone gets nothing of the shared layer, which may show what its own had masked.
  const base = found !== undefined ? dir : isKnown ? undefined : root;
  return { dir, base, staging, previous, swap: () => swapFolder(dir, staging, previous) };
}

/**
 * Writes the files over those of the same paths in the layer of `orgId`, with `null` in the shared one; other files stay.
 * An organization without a layer first gets a copy of the shared one, unless `isKnown` to have had its own. Rejects
 * with `validation_error` and writes nothing when a file is out of place or too large, cannot be used, or breaks
 * another.
 */
export async function importFiles(
  root: string,
  orgId: string | null,
  files: readonly ImportedFile[],
  { connection, isKnown }: ImportOptions & { readonly isKnown: boolean },
): Promise<ImportResult> {
  checkFiles(files);
  const given = files.map((file) =>
    connection === undefined ? file : { ...file, text: onConnection(file, connection) },
  );
  mendImports(root);
  const target = targetOf(root, orgId, isKnown);
  const { dir, base, staging, previous } = target;
  let discard = async () => {};
  try {
    refuseLinks(
      dir,
      given.map(({ path }) => path),
    );
    discard = await createStaging(root, staging);
    const signature = await signatureOf(dir);
    if (base === dir && orgId !== null) await cp(base, staging, { recursive: true, verbatimSymlinks: true });
    else if (base !== undefined) await copyLayer(base, staging);
    const before = await new LayerLoader(staging).load();
    const changed: string[] = [];
    for (const { path, text } of given) {
      const to = join(staging, path);
      if (await isSame(to, text)) continue;
      changed.push(path);
      await mkdir(dirname(to), { recursive: true });
      // A link would be followed out of the staged folder.
      await rm(to, { force: true });
      await writeFile(to, text);
    }
    checkModel(before, await new LayerLoader(staging).load(), new Set(given.map(({ path }) => path)));
    if (changed.length > 0 || base !== dir) {
      if ((await signatureOf(dir)) !== signature) throw changedMeanwhile();
      target.swap(changed);
    }
    return { changed: changed.length, isFirst: orgId !== null && base === root };
  } catch (error) {
    throw unwritable(error);
  } finally {
    await discard().catch(() => undefined);
    if (previous !== undefined && existsSync(dir))
      await rm(previous, { recursive: true, force: true }).catch(() => undefined);
  }
}
