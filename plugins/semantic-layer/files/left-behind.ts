/** Finds what imports had put aside when their process was killed. */
import { lstatSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ORGANIZATIONS_FOLDER } from './places.ts';
import { PREVIOUS, REPLACED, STAGING } from './replace.ts';
import { readLayerBytes, scanLayer } from './scan.ts';

/** Files that a change replaced whose end is not known. */
export interface LeftBehind {
  readonly orgId: string | null;
  /** Those that are not the same now. */
  readonly replaced: readonly { readonly path: string; readonly before: Buffer }[];
  /** Deletes them. */
  discard(): Promise<void>;
}

interface Folder {
  readonly orgId: string | null;
  /** Holds the files as a layer does. */
  readonly files: string;
  /** Is deleted. */
  readonly whole: string;
}

/** Longest time between putting files in place and removing what they replaced, in a process that lives. */
const RUNNING_MS = 2_000;
const PAUSE_MS = 50;
const MAX_BYTES = 4 * 1024 * 1024;

const entriesOf = (root: string) => {
  try {
    return readdirSync(root);
  } catch {
    return [];
  }
};

/** `undefined` when there is none any more. */
const ageOf = ({ files }: Folder) => {
  const entry = lstatSync(files, { throwIfNoEntry: false });
  return entry && Date.now() - entry.ctimeMs;
};

function foldersIn(root: string): Folder[] {
  return entriesOf(root).flatMap((name) => {
    const whole = join(root, name);
    if (name.startsWith(PREVIOUS)) return { orgId: name.slice(PREVIOUS.length), files: whole, whole };
    return name.startsWith(STAGING) ? { orgId: null, files: join(whole, REPLACED), whole } : [];
  });
}

/** Those of killed processes; waits for imports that run. */
export async function leftBehind(root: string): Promise<LeftBehind[]> {
  const isRunning = (folder: Folder) => (ageOf(folder) ?? RUNNING_MS) < RUNNING_MS;
  for (let waitedMs = 0; waitedMs <= RUNNING_MS && foldersIn(root).some(isRunning); waitedMs += PAUSE_MS) {
    await sleep(PAUSE_MS);
  }
  const found: LeftBehind[] = [];
  for (const folder of foldersIn(root)) {
    const { orgId, files, whole } = folder;
    if (ageOf(folder) === undefined || isRunning(folder)) continue;
    const dir = orgId === null ? root : join(root, ORGANIZATIONS_FOLDER, orgId);
    const replaced = scanLayer(files).files.flatMap(({ path }) => {
      const before = bytesOf(files, path);
      return before === undefined || bytesOf(dir, path)?.equals(before) === true ? [] : { path, before };
    });
    found.push({ orgId, replaced, discard: () => rm(whole, { recursive: true, force: true }) });
  }
  return found;
}

function bytesOf(dir: string, path: string): Buffer | undefined {
  try {
    return readLayerBytes(dir, path, MAX_BYTES);
  } catch {
    return undefined;
  }
}
