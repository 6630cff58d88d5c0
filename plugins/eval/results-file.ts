/** Reads and writes results as JSON lines, one for each case; of several with one id the last counts. */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { AtlasError } from '../../kernel/index.ts';

/** What every line has, whichever command wrote it. */
export interface ResultLine {
  readonly id: string;
  readonly status: string;
}

const STATUSES: ReadonlySet<unknown> = new Set(['passed', 'failed', 'refused', 'error']);

const unusable = (message: string, hint?: string) =>
  new AtlasError(message, {
    code: 'configuration_error',
    reason: 'E_EVAL_RESULTS',
    ...(hint !== undefined && { hint }),
  });

function isResult(value: unknown): value is ResultLine {
  const { id, status } = Object(value) as Partial<ResultLine>;
  return typeof id === 'string' && STATUSES.has(status);
}

interface ReadResults<R> {
  readonly results: Map<string, R>;
  /** Bytes up to the end of the last whole line. */
  readonly wholeBytes: number;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Reads the lines; the beginning of one at the end of a file that a kill has cut is left out. */
function readLines<R extends ResultLine>(path: string, shown: string): ReadResults<R> {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw unusable(`${shown} cannot be read: ${code === 'ENOENT' ? 'there is no such file' : code}.`);
  }
  const wholeBytes = bytes.lastIndexOf(0x0a) + 1;
  const lines = bytes.subarray(0, wholeBytes).toString('utf8').split('\n').slice(0, -1);
  const results = new Map<string, R>();
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const value = parsed(line);
    if (!isResult(value)) {
      throw unusable(`${shown}:${index + 1} is not the result of a case.`, 'Remove the line, or give another file.');
    }
    results.set(value.id, value as R);
  }
  return { results, wholeBytes };
}

/** Results of an earlier run. Also takes a last line without its line break, which editors leave. */
export function readResults<R extends ResultLine>(path: string, shown: string): Map<string, R> {
  const { results, wholeBytes } = readLines<R>(path, shown);
  const last = parsed(readFileSync(path).subarray(wholeBytes).toString('utf8'));
  if (isResult(last)) results.set(last.id, last as R);
  return results;
}

/** A file to which results are added as they come, each as a whole line. */
export interface ResultLog<R> {
  /** What was there already. */
  readonly results: ReadonlyMap<string, R>;
  add(result: R): void;
}

function changed(shown: string, change: () => void): void {
  try {
    change();
  } catch (error) {
    throw unusable(`${shown} cannot be written: ${(error as NodeJS.ErrnoException).code}.`);
  }
}

export function openResultLog<R extends ResultLine>(path: string, shown: string): ResultLog<R> {
  if (!existsSync(path)) {
    changed(shown, () => {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, '');
    });
  }
  const { results, wholeBytes } = readLines<R>(path, shown);
  changed(shown, () => truncateSync(path, wholeBytes));
  return { results, add: (result) => changed(shown, () => appendFileSync(path, `${JSON.stringify(result)}\n`)) };
}

/** Replaces the file at once: a reader finds the old or the new one. */
export function writeResults(path: string, shown: string, results: Iterable<ResultLine>): void {
  const draft = `${path}.${process.pid}.tmp`;
  const text = Array.from(results, (result) => `${JSON.stringify(result)}\n`).join('');
  try {
    changed(shown, () => {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(draft, text);
      renameSync(draft, path);
    });
  } finally {
    rmSync(draft, { force: true });
  }
}
