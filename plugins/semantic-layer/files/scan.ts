/** Finds and reads the files of a semantic layer. Never opens anything outside the layer's root. */
import { type Dirent, lstatSync, readdirSync, readFileSync, realpathSync, type Stats, statSync } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import type { SemanticProblem } from '../model.ts';
import { FOLDER_KINDS, ORGANIZATIONS_FOLDER, type Place, TOP_LEVEL_KINDS } from './places.ts';

export interface FoundFile extends Place {
  /** Relative to the root, with `/`. */
  readonly path: string;
  /** Changes when the file changes. */
  readonly signature: string;
}

export interface Scan {
  readonly found: boolean;
  readonly files: readonly FoundFile[];
  readonly problems: readonly SemanticProblem[];
}

export const MAX_FILE_BYTES = 512 * 1024;
const YAML_FILE = /\.ya?ml$/i;
const BROKEN_LINK = 'This link is broken; remove or repair it.';
const LEADS_OUT = 'This link leads out of the semantic layer and is not followed.';

/**
 * Lists the layer's files in a stable order, the default source first. Synchronous calls for 2,000 files take 14 ms on a
 * local disk, a tenth of asynchronous ones.
 */
export function scanLayer(root: string): Scan {
  const files: FoundFile[] = [];
  const problems: SemanticProblem[] = [];
  const report = (file: string, message: string) => void problems.push({ file, line: 1, column: 1, message });
  const realRoot = realPath(root);
  if (realRoot === undefined || !statSync(realRoot).isDirectory()) return { found: false, files, problems };

  readSource('default', '');
  for (const entry of entriesOf('')) {
    if (entry.name in FOLDER_KINDS || statusOf(entry.name, entry)?.isDirectory() !== true) continue;
    if (entry.name === 'default') report(entry.name, 'A source cannot be named `default`; rename the folder.');
    else readSource(entry.name, `${entry.name}/`);
  }
  return { found: true, files, problems };

  function readSource(source: string, prefix: string): void {
    for (const entry of entriesOf(prefix)) {
      const path = prefix + entry.name;
      const folderKind = FOLDER_KINDS[entry.name];
      if (folderKind !== undefined) {
        if (statusOf(path, entry)?.isDirectory()) readFolder(source, path, folderKind);
      } else if (YAML_FILE.test(entry.name)) {
        const kind = TOP_LEVEL_KINDS[entry.name.replace(YAML_FILE, '')];
        if (kind !== undefined) addFile(path, entry, kind, source);
        else report(path, 'This file is not read here: move it to `entities/`, `metrics/` or `verified/`.');
      }
    }
  }

  function readFolder(source: string, folder: string, kind: Place['kind']): void {
    for (const entry of entriesOf(folder)) {
      const path = `${folder}/${entry.name}`;
      if (YAML_FILE.test(entry.name)) addFile(path, entry, kind, source);
      else if (statusOf(path, entry)?.isDirectory())
        report(path, `Subfolders of \`${folder}/\` are not read; move their files up.`);
    }
  }

  function addFile(path: string, entry: Dirent, kind: Place['kind'], source: string): void {
    const status = statusOf(path, entry);
    if (status === undefined) return;
    if (status.isFile()) {
      const signature = `${status.mtimeMs}:${status.ctimeMs}:${status.size}:${status.ino}`;
      files.push({ path, kind, source, signature });
    } else {
      report(path, 'This is not a regular file; put a YAML file in its place.');
    }
  }

  function entriesOf(folder: string): Dirent[] {
    try {
      const entries = readdirSync(join(root, folder), { withFileTypes: true });
      return entries.filter(({ name }) => !name.startsWith('.')).sort((a, b) => (a.name < b.name ? -1 : 1));
    } catch {
      const what = folder === '' ? 'The folder of the semantic layer' : 'This folder';
      report(folder || root, `${what} cannot be read; check its permissions.`);
      return [];
    }
  }

  /** `undefined`, and reported, for a link that is broken or leads out of the layer. */
  function statusOf(path: string, entry: Dirent): Stats | undefined {
    const absolute = join(root, path);
    if (entry.isSymbolicLink()) {
      const real = realPath(absolute);
      if (real === undefined) {
        report(path, BROKEN_LINK);
        return undefined;
      }
      if (!isInside(realRoot!, real)) {
        report(path, LEADS_OUT);
        return undefined;
      }
    }
    try {
      // A file that was deleted since the folder was listed is ignored.
      return statSync(absolute, { throwIfNoEntry: false });
    } catch {
      report(path, 'This cannot be read; check its permissions.');
      return undefined;
    }
  }
}

/**
 * The bytes of a layer's file of at most `maxBytes`; `undefined` when there is none. Throws an `Error` with one sentence
 * for its author.
 */
export function readLayerBytes(root: string, path: string, maxBytes = MAX_FILE_BYTES): Buffer | undefined {
  const realRoot = realPath(root);
  if (realRoot === undefined) return undefined;
  const real = realPath(join(root, path));
  if (real === undefined) {
    refuseLinkOut(root, realRoot, path);
    return undefined;
  }
  if (!isInside(realRoot, real)) throw new Error(LEADS_OUT);
  const status = statSync(real, { throwIfNoEntry: false });
  if (status === undefined) return undefined;
  if (!status.isFile()) throw new Error('This is not a regular file; put a YAML file in its place.');
  if (status.size > maxBytes) throw new Error(`The file is larger than ${maxBytes / 1024} KiB; split it.`);
  try {
    return readFileSync(real);
  } catch {
    throw new Error('The file cannot be read; check its permissions.');
  }
}

/** Throws for a path without a file that goes through a link out of the layer: whether there is one elsewhere is no answer. */
function refuseLinkOut(root: string, realRoot: string, path: string): void {
  const names = path.split('/');
  for (let length = names.length; length > 0; length -= 1) {
    const part = join(root, ...names.slice(0, length));
    if (!isThere(part)) continue;
    const real = realPath(part);
    if (real === undefined) throw new Error(BROKEN_LINK);
    if (!isInside(realRoot, real)) throw new Error(LEADS_OUT);
    return;
  }
}

/** The text of a layer's file. Throws an `Error` with one sentence for its author. */
export function readLayerFile(root: string, path: string): string {
  const bytes = readLayerBytes(root, path);
  if (bytes === undefined) throw new Error('The file is gone.');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Error('The file is not UTF-8 text; save it as UTF-8.');
  }
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // Below a file, or a link that leads to itself.
    return false;
  }
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

/** Whether the path belongs to the layer in `root`; layers of organizations are others. */
function isInside(root: string, path: string): boolean {
  const inner = relative(root, path);
  return (
    inner !== '..' &&
    !inner.startsWith(`..${sep}`) &&
    !isAbsolute(inner) &&
    inner.split(sep)[0] !== ORGANIZATIONS_FOLDER
  );
}
