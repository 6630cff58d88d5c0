/** Writes the files of a generated layer; keeps files that were changed by hand. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';

export interface Written {
  readonly path: string;
  readonly state: 'written' | 'unchanged' | 'kept';
}

const HEADER = /^# Written by atlas init \(([0-9a-f]{12})\).*\n/;

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 12);

/** Adds a header with a hash, by which a later change is noticed. */
function withHeader(value: unknown): string {
  const text = stringify(value, { lineWidth: 120 });
  return `# Written by atlas init (${hashOf(text)}). Yours to change: a changed file is kept when init runs again.\n${text}`;
}

function existing(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function isOurs(text: string): boolean {
  const [header, hash] = HEADER.exec(text) ?? [];
  return header !== undefined && hash === hashOf(text.slice(header.length));
}

/** Writes the values as YAML, by path relative to `dir`. */
export function writeFiles(dir: string, files: ReadonlyMap<string, unknown>): Written[] {
  return Array.from(files, ([path, value]): Written => {
    const target = join(dir, path);
    const text = withHeader(value);
    const before = existing(target);
    if (before === text) return { path, state: 'unchanged' };
    if (before !== undefined && !isOurs(before)) return { path, state: 'kept' };
    mkdirSync(dirname(target), { recursive: true });
    // Written beside it and renamed, so that a running server never reads half a file.
    writeFileSync(`${target}.tmp`, text);
    renameSync(`${target}.tmp`, target);
    return { path, state: 'written' };
  });
}
