/** Reads the files of all layers into an archive, and puts those of an archive in place. */
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ORGANIZATION_ID, ORGANIZATIONS_FOLDER, placeOf } from './files/places.ts';
import { createStaging, refuseLinks, stagingIn, swapFiles, unwritable } from './files/replace.ts';
import { scanLayer } from './files/scan.ts';

/** A file of the shared layer, or of an organization's: `.orgs/<orgId>/entities/orders.yml`. */
export interface ArchivedFile {
  readonly path: string;
  readonly bytes: Buffer;
}

/** Whether an archive may hold a file of this path. */
export function isArchivedPath(path: string): boolean {
  const [folder, orgId = '', ...rest] = path.split('/');
  if (folder !== ORGANIZATIONS_FOLDER) return placeOf(path) !== undefined;
  return ORGANIZATION_ID.test(orgId) && placeOf(rest.join('/')) !== undefined;
}

function organizationsIn(root: string): string[] {
  const dir = join(root, ORGANIZATIONS_FOLDER);
  if (!existsSync(dir)) return [];
  return readdirSync(dir)
    .filter((name) => ORGANIZATION_ID.test(name))
    .sort();
}

/** Paths of the files of one layer, relative to its root; of names that every file system takes. */
export async function layerPaths(root: string): Promise<string[]> {
  return (await scanLayer(root)).files.map(({ path }) => path).filter((path) => placeOf(path) !== undefined);
}

/** The files of the shared layer, then those of each organization. */
export async function* archivedFiles(root: string): AsyncGenerator<ArchivedFile> {
  const prefixes = ['', ...organizationsIn(root).map((orgId) => `${ORGANIZATIONS_FOLDER}/${orgId}/`)];
  for (const prefix of prefixes) {
    for (const path of await layerPaths(join(root, prefix))) {
      yield { path: prefix + path, bytes: await readFile(join(root, prefix, path)) };
    }
  }
}

/** Files that wait to be put in place. */
export interface StagedFiles extends AsyncDisposable {
  readonly added: number;
  /** Files that are there already, with the same content. */
  readonly same: number;
  /** Paths of files that are there with another content. */
  readonly different: readonly string[];
  /** Puts the files in place, synchronously; returns what takes them away again. */
  place(): () => void;
}

/**
 * Writes the files beside the layer in `root`, where they wait until they are put in place or the result is disposed.
 * Throws for a path that no layer has.
 */
export async function stageFiles(root: string, files: AsyncIterable<ArchivedFile>): Promise<StagedFiles> {
  const staging = stagingIn(root);
  const added: string[] = [];
  const different: string[] = [];
  let same = 0;
  let dispose = async () => {};
  try {
    dispose = await createStaging(root, staging);
    for await (const { path, bytes } of files) {
      if (!isArchivedPath(path)) throw new Error(`No layer has a file ${JSON.stringify(path)}.`);
      refuseLinks(root, [path]);
      const found = await readFile(join(root, path)).catch(() => undefined);
      if (found?.equals(bytes)) same += 1;
      else if (found !== undefined) different.push(path);
      else {
        await mkdir(dirname(join(staging, path)), { recursive: true });
        await writeFile(join(staging, path), bytes);
        added.push(path);
      }
    }
  } catch (error) {
    await dispose();
    throw unwritable(error);
  }
  return {
    added: added.length,
    same,
    different,
    place() {
      try {
        return swapFiles(root, staging, added);
      } catch (error) {
        throw unwritable(error);
      }
    },
    [Symbol.asyncDispose]: dispose,
  };
}
