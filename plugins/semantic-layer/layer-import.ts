/** Changes files of an organization's layer or the shared one: all of them, or none when the layer would break. */
import { existsSync, lstatSync } from 'node:fs';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AtlasError, messageOf } from '../../kernel/index.ts';
import type { LayerFile } from './files/layer-file.ts';
import { LayerParser } from './files/layer-parser.ts';
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
import { MAX_FILE_BYTES, readLayerBytes, scanLayer } from './files/scan.ts';
import { LayerLoader } from './loader.ts';
import type { SemanticModel, SemanticProblem } from './model.ts';

/** A file for a layer. */
export interface ImportedFile {
  /** Relative to the layer's root, with `/`: `entities/orders.yml`, `warehouse/metrics/stock.yml`. */
  readonly path: string;
  /** `null`: the file is deleted. */
  readonly text: string | null;
}

/** What becomes of one file. */
export interface FileChange extends ImportedFile {
  /** What stands there now; `null`: nothing. */
  readonly before: Buffer | null;
}

export interface ImportOptions {
  /** Connection of the imported entities of the default source that name none. */
  readonly connection?: string | undefined;
  /** Looks at every given file before it is known whether the layer takes them; what it throws ends the import. */
  check?(changes: readonly FileChange[]): void;
  /**
   * Carries out the change of a layer that takes it: has to call `place`, which puts the files in place. When it rejects
   * after that, the layer becomes what it was. `changes`: the files that get another content, maybe none for a first copy.
   */
  commit?(changes: readonly FileChange[], place: () => Promise<void>): Promise<void>;
}

export interface ImportResult {
  /** Files that are new or have other content now. */
  readonly changed: number;
  /** Whether the organization had no layer of its own before, so that it got a copy of the shared one. */
  readonly isFirst: boolean;
}

export const MAX_FILES = 5_000;
/** Files of a whole layer. */
const MAX_LAYER_FILES = 10_000;
const MAX_TOTAL_BYTES = 32 * 1024 * 1024;
const MAX_REPORTED = 50;
/** While another process changes the same layer. */
const MAX_ATTEMPTS = 5;
/** Limit for a file that is replaced. */
const MAX_REPLACED_BYTES = 4 * 1024 * 1024;

type Refused = Pick<SemanticProblem, 'file' | 'message'> & Partial<SemanticProblem>;

function refusal(problems: readonly Refused[]): AtlasError {
  const [first] = problems;
  const place = ({ file, line, column }: Refused) => (line === undefined ? file : `${file}:${line}:${column}`);
  const rest = problems.length === 1 ? '' : ` (and ${problems.length - 1} more)`;
  return new AtlasError(`Nothing was changed: ${first && `${place(first)}: ${first.message}`}${rest}`, {
    code: 'validation_error',
    reason: 'E_IMPORT_INVALID',
    details: problems.slice(0, MAX_REPORTED).map((problem) => ({
      path: place(problem),
      message: problem.message,
      ...(problem.line !== undefined && { line: problem.line, column: problem.column }),
    })),
  });
}

const TOO_MANY = `The layer would have more than ${MAX_LAYER_FILES} files; delete some.`;
const NOT_A_PLACE =
  'A layer has no such file; expected catalog.yml, glossary.yml, entities/<name>.yml, metrics/<name>.yml or verified/<name>.yml, alone or in the folder of a source.';

/** What can be seen of the files without parsing them. */
function checkFiles(files: readonly ImportedFile[]): void {
  if (files.length === 0) throw refusal([{ file: '.', message: 'There are no files; send at least one.' }]);
  if (files.length > MAX_FILES)
    throw refusal([{ file: '.', message: `There are ${files.length} files; at most ${MAX_FILES} can be imported.` }]);
  const problems: Refused[] = [];
  const names = new Map<string, string>();
  let total = 0;
  for (const { path, text } of files) {
    const bytes = Buffer.byteLength(text ?? '');
    total += bytes;
    // File systems may take names for the same that differ in case or in how accents are written.
    const name = path.normalize('NFC').toLowerCase();
    const same = names.get(name);
    if (placeOf(path) === undefined) problems.push({ file: JSON.stringify(path.slice(0, 200)), message: NOT_A_PLACE });
    else if (same !== undefined)
      problems.push({ file: path, message: `This is the same file as ${same}; send it once.` });
    else if (bytes > MAX_FILE_BYTES)
      problems.push({ file: path, message: 'The file is larger than 512 KiB; split it.' });
    else if (text?.isWellFormed() === false)
      problems.push({ file: path, message: 'The file is not valid Unicode text.' });
    names.set(name, path);
  }
  if (total > MAX_TOTAL_BYTES)
    problems.push({ file: '.', message: 'The files have more than 32 MiB together; import fewer.' });
  if (problems.length > 0) throw refusal(problems);
}

/** The files with `connection` in those entities of the default source that name none. */
async function onConnection(
  files: readonly ImportedFile[],
  connection: string | undefined,
  parser: LayerParser,
): Promise<readonly ImportedFile[]> {
  if (connection === undefined) return files;
  const isUnnamed = ({ path }: ImportedFile) => {
    const place = placeOf(path);
    return place?.kind === 'entity' && place.source === 'default';
  };
  const entities = files.flatMap((file) => (file.text !== null && isUnnamed(file) ? { ...file, text: file.text } : []));
  const texts = await parser.withConnections(entities.map(({ text }) => ({ text, connection })));
  const byPath = new Map(entities.map(({ path }, index) => [path, texts[index]!]));
  return files.map(({ path, text }) => ({ path, text: byPath.get(path) ?? text }));
}

export interface ImportSettings {
  /** Whether the organization has had a layer of its own. */
  readonly isKnown: boolean;
  readonly parser?: LayerParser;
  /** What is known of the files of the layer. */
  readonly known?: readonly LayerFile[];
}

const problemKey = ({ file, message }: SemanticProblem) => `${file}\n${message}`;

/** Throws `validation_error` with what is wrong after the import and was not before. A layer may become empty. */
function checkModel(before: SemanticModel, after: SemanticModel, paths: ReadonlySet<string>): void {
  const known = new Set(before.problems.map(problemKey));
  const problems = after.problems.filter(
    (problem) => problem.file !== 'entities' && (paths.has(problem.file) || !known.has(problemKey(problem))),
  );
  if (problems.length > 0) throw refusal(problems);
}

function signatureOf(dir: string): string {
  const { files } = scanLayer(dir);
  return files.map(({ path, signature }) => `${path} ${signature}`).join('\n');
}

/** Copies what belongs to a layer, without folders of organizations and files of other kinds. */
export async function copyLayer(from: string, to: string): Promise<void> {
  for (const { path } of scanLayer(from).files) {
    await mkdir(dirname(join(to, path)), { recursive: true });
    await writeFile(join(to, path), await readFile(join(from, path)));
  }
}

/** Writes or deletes the file in the staged layer. */
export async function stage(staging: string, { path, text }: ImportedFile): Promise<void> {
  const to = join(staging, path);
  // A link would be followed out of the staged folder.
  await rm(to, { force: true });
  if (text === null) return;
  await mkdir(dirname(to), { recursive: true });
  await writeFile(to, text);
}

/** What the file would replace. A file that is not read, as it leads elsewhere or is too large, is not replaced. */
function changeOf(base: string | undefined, file: ImportedFile): FileChange {
  try {
    return { ...file, before: (base !== undefined && readLayerBytes(base, file.path, MAX_REPLACED_BYTES)) || null };
  } catch (error) {
    throw new AtlasError(`The file ${file.path} cannot be replaced: ${messageOf(error)}`, {
      code: 'conflict',
      reason: 'E_IMPORT_UNREADABLE',
      hint: 'Take it away on the server.',
    });
  }
}

const isChanged = ({ before, text }: FileChange) =>
  before === null || text === null ? before !== text : !before.equals(Buffer.from(text));

const CHANGED_MEANWHILE = 'E_IMPORT_CONFLICT';
const changedMeanwhile = () =>
  new AtlasError('The semantic layer was changed by somebody else at the same time, so nothing was changed.', {
    code: 'conflict',
    reason: CHANGED_MEANWHILE,
    hint: 'Try again.',
  });

interface Target {
  /** The folder that is read and replaced. */
  readonly dir: string;
  /** What is there before the import; `undefined`: nothing. */
  readonly base: string | undefined;
  readonly staging: string;
  /** Where the replaced folder is until it is removed. */
  readonly previous?: string;
  /**
   * Puts the staged folder, or its files `paths`, in place, and returns what takes them back. Synchronous: no request
   * sees half of it.
   */
  swap(paths: readonly string[]): () => void;
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

/** One attempt of `importFiles`. */
async function attempt(
  root: string,
  orgId: string | null,
  files: readonly ImportedFile[],
  { connection, isKnown, parser = new LayerParser(), known = [], check, commit }: ImportOptions & ImportSettings,
): Promise<ImportResult> {
  checkFiles(files);
  const given = await onConnection(files, connection, parser);
  const paths = given.map(({ path }) => path);
  mendImports(root);
  const target = targetOf(root, orgId, isKnown);
  const { dir, base, staging, previous } = target;
  let discard = async () => {};
  try {
    refuseLinks(dir, paths);
    discard = await createStaging(root, staging);
    // Where the layer is copied, the one that it is copied from must not change meanwhile.
    const signed = () => [dir, base ?? dir].map(signatureOf).join('\n\n');
    const signature = signed();
    if (base === dir && orgId !== null) await cp(base, staging, { recursive: true, verbatimSymlinks: true });
    else if (base !== undefined) await copyLayer(base, staging);
    const loader = new LayerLoader(staging, { parser, known });
    const before = await loader.load();
    const changes = given.map((file) => changeOf(base, file));
    check?.(changes);
    const changed = changes.filter(isChanged);
    for (const change of changed) await stage(staging, change);
    checkModel(before, await loader.load(), new Set(paths));
    if (loader.files.length > MAX_LAYER_FILES) throw refusal([{ file: '.', message: TOO_MANY }]);
    const isFirst = orgId !== null && base === root;
    if (changed.length === 0 && base === dir) return { changed: 0, isFirst };
    let undo = () => {};
    const place = async () => {
      if (signed() !== signature) throw changedMeanwhile();
      // A folder may have become a link since.
      refuseLinks(dir, paths);
      undo = target.swap(changed.map(({ path }) => path));
    };
    try {
      await (commit === undefined ? place() : commit(changed, place));
    } catch (error) {
      undo();
      throw error;
    }
    return { changed: changed.length, isFirst };
  } catch (error) {
    // Another process deleted a file that was about to be copied.
    throw (error as NodeJS.ErrnoException).code === 'ENOENT' ? changedMeanwhile() : unwritable(error);
  } finally {
    await discard().catch(() => undefined);
    if (previous !== undefined && existsSync(dir))
      await rm(previous, { recursive: true, force: true }).catch(() => undefined);
  }
}

/**
 * Writes the files over those of the same paths in the layer of `orgId`, with `null` in the shared one, or deletes them;
 * other files stay. An organization without a layer first gets a copy of the shared one, unless `isKnown` to have had its
 * own. Rejects with `validation_error` and changes nothing when a file is out of place or too large, cannot be used, or
 * breaks another, and with `conflict` when another process keeps changing the layer.
 */
export async function importFiles(
  root: string,
  orgId: string | null,
  files: readonly ImportedFile[],
  options: ImportOptions & ImportSettings,
): Promise<ImportResult> {
  for (let left = MAX_ATTEMPTS; ; left -= 1) {
    try {
      return await attempt(root, orgId, files, options);
    } catch (error) {
      const isElsewhere = error instanceof AtlasError && error.reason === CHANGED_MEANWHILE;
      if (!isElsewhere || left === 1) throw error;
    }
  }
}
