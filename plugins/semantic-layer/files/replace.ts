/** Puts staged files of a layer in place of others, and mends what a killed process left halfway. */
import { randomUUID } from 'node:crypto';
import { existsSync, linkSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { mkdir, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AtlasError } from '../../../kernel/index.ts';
import { ORGANIZATIONS_FOLDER } from './places.ts';

/** Names that neither a source nor an organization can have: their first character is a dot. */
export const STAGING = '.import-';
export const PREVIOUS = '.previous-';
/** Folder of a staged one for the files that were replaced. */
export const REPLACED = '.replaced';
/** A staged folder of this age was left behind: no import takes so long. */
const ABANDONED_MS = 3_600_000;

/** A name for a folder in which files are staged, beside where they belong. */
export const stagingIn = (root: string) => join(root, STAGING + randomUUID());

/** Creates a folder named by `stagingIn`. Resolves to what removes it again, and the root too if it has made it and it is empty. */
export async function createStaging(root: string, staging: string): Promise<() => Promise<void>> {
  const isNew = (await mkdir(root, { recursive: true })) !== undefined;
  await mkdir(staging);
  return async () => {
    await rm(staging, { recursive: true, force: true });
    if (isNew) await rmdir(root).catch(() => undefined);
  };
}

/** Where the folder of an organization is while it is being replaced. */
export const previousName = (orgId: string) => PREVIOUS + orgId;

/**
 * Moves the staged files of these paths one by one, synchronously, and takes away those that are not staged; puts back
 * what was there when one of them cannot be moved. Returns what does so later, as long as the staged folder is there.
 */
export function swapFiles(dir: string, staging: string, paths: readonly string[]): () => void {
  const steps: (() => void)[] = [];
  const undo = () => {
    for (const step of steps.splice(0).reverse()) step();
  };
  try {
    for (const path of paths) {
      const [from, to, kept] = [join(staging, path), join(dir, path), join(staging, REPLACED, path)];
      mkdirSync(dirname(to), { recursive: true });
      if (existsSync(to)) {
        mkdirSync(dirname(kept), { recursive: true });
        keep(to, kept);
        steps.push(() => renameSync(kept, to));
      } else {
        steps.push(() => rmSync(to, { force: true }));
      }
      if (existsSync(from)) renameSync(from, to);
      else rmSync(to, { force: true });
    }
    return undo;
  } catch (error) {
    undo();
    throw error;
  }
}

/** Under both names, so that a process that is killed now leaves the file in its place. */
function keep(path: string, kept: string): void {
  try {
    linkSync(path, kept);
  } catch {
    // Not every file system has links.
    renameSync(path, kept);
  }
}

/**
 * Replaces the whole folder, synchronously, and returns what puts the old one back. A crash between the two moves is
 * mended by `mendImports`.
 */
export function swapFolder(dir: string, staging: string, previous: string): () => void {
  mkdirSync(dirname(dir), { recursive: true });
  const isFirst = !existsSync(dir);
  // An import that was killed may have left one.
  rmSync(previous, { recursive: true, force: true });
  if (!isFirst) renameSync(dir, previous);
  try {
    renameSync(staging, dir);
  } catch (error) {
    if (existsSync(previous) && !existsSync(dir)) renameSync(previous, dir);
    throw error;
  }
  return () => {
    // Another process may have tidied up: the new folder is then better than none.
    if (!isFirst && !existsSync(previous)) return;
    renameSync(dir, staging);
    if (!isFirst) renameSync(previous, dir);
  };
}

/** Deletes the folder of an organization; of a link the link only. */
export async function deleteFolder(root: string, orgId: string): Promise<void> {
  try {
    for (const path of [join(root, ORGANIZATIONS_FOLDER, orgId), join(root, previousName(orgId))]) {
      await rm(path, { recursive: true, force: true });
    }
  } catch (error) {
    throw unwritable(error);
  }
}

/** Throws `conflict` where a folder of the paths is a link, which leads to files of another layer. */
export function refuseLinks(dir: string, paths: readonly string[]): void {
  const folders = new Set(
    paths.flatMap((path) =>
      path
        .split('/')
        .slice(0, -1)
        .map((_, at, names) => names.slice(0, at + 1).join('/')),
    ),
  );
  for (const folder of folders) {
    if (lstatSync(join(dir, folder), { throwIfNoEntry: false })?.isSymbolicLink() === true)
      throw linked(`The folder ${folder} of the layer`);
  }
}

export const linked = (what: string) =>
  new AtlasError(`${what} is a link or a file, which is not replaced.`, {
    code: 'conflict',
    reason: 'E_IMPORT_LINK',
    hint: 'Put a folder in its place, or change the files where the link leads.',
  });

/** An error of the file system as one for people; any other as it is. */
export function unwritable(error: unknown): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (error instanceof AtlasError || syscall === undefined) return error;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new AtlasError('The disk of the semantic layer is full, so nothing was changed.', {
      code: 'unavailable',
      reason: 'E_SEMANTIC_LAYER_FULL',
      hint: 'Make room on the disk of the folder in SVC_SEMANTIC_DIR.',
      cause: error,
    });
  }
  return new AtlasError(`The folder of the semantic layer cannot be written (${code}).`, {
    code: 'configuration_error',
    reason: 'E_SEMANTIC_LAYER_READONLY',
    hint: 'Let the server write to the folder in SVC_SEMANTIC_DIR.',
    cause: error,
  });
}

/** Puts back the folder of an organization whose import was killed halfway, and removes what such imports staged. */
export function mendImports(root: string): void {
  try {
    for (const name of readdirSync(root)) {
      const path = join(root, name);
      if (name.startsWith(PREVIOUS)) {
        const dir = join(root, ORGANIZATIONS_FOLDER, name.slice(PREVIOUS.length));
        // Else it is what was replaced, until the next import.
        if (!existsSync(dir)) renameSync(path, dir);
      } else if (name.startsWith(STAGING) && Date.now() - lstatSync(path).mtimeMs > ABANDONED_MS) {
        rmSync(path, { recursive: true, force: true });
      }
    }
  } catch {
    // A folder that is not there or cannot be written has nothing to mend.
  }
}
