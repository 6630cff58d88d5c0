/**
 * Reads and writes the comment at the end of a file that says what `init` wrote into it: the names of the parts, each
 * with a hash of its text. A part whose text has another hash was changed by a person; one that is named here and
 * missing was deleted by one. So no other file has to remember it, and a person can read and edit it.
 */
import { createHash } from 'node:crypto';

const MARKER =
  '# What atlas init wrote: what you change or delete stays so. Remove a name here to have that part written again.';
const BLOCK = /^# What atlas init wrote\b.*(?:\r?\n|$)(?:# {3}.*(?:\r?\n|$))*/m;
const LINE = /^# {3}([^\s:]+): (.*)$/;
const WIDTH = 118;

/** Hashes by name, by group such as `dimensions`; the hash of a part that a person wrote is empty. */
export class WrittenRecord {
  readonly #groups = new Map<string, Map<string, string>>();

  /** The hash of a part; `undefined`: `init` does not know it. */
  get(group: string, name: string): string | undefined {
    return this.#groups.get(group)?.get(name);
  }

  set(group: string, name: string, hash: string): void {
    if (name === '') return;
    const names = this.#groups.get(group) ?? new Map<string, string>();
    this.#groups.set(group, names.set(name, hash));
  }

  names(group: string): string[] {
    return [...(this.#groups.get(group)?.keys() ?? [])];
  }

  get isEmpty(): boolean {
    return this.#groups.size === 0;
  }

  /** The comment; empty without parts. */
  toString(): string {
    if (this.isEmpty) return '';
    const lines = Array.from(this.#groups, ([group, names]) => {
      const words = Array.from(names, ([name, hash]) => (hash === '' ? encoded(name) : `${encoded(name)}=${hash}`));
      return wrapped(`#   ${group}:`, words);
    });
    return `${[MARKER, ...lines.flat()].join('\n')}\n`;
  }
}

/** Several lines, each with the same beginning. */
function wrapped(start: string, words: readonly string[]): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < WIDTH) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(`${start} ${word}`);
  }
  return lines;
}

/** A name without the characters that separate names. */
const encoded = (name: string) => name.replace(/[\s%=\p{C}]/gu, encodeURIComponent);

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** Cuts the comment out of a file. */
export function splitRecord(text: string): { readonly body: string; readonly record: WrittenRecord } {
  const record = new WrittenRecord();
  const [block] = BLOCK.exec(text) ?? [];
  if (block === undefined) return { body: text, record };
  for (const line of block.split(/\r?\n/)) {
    const [, group, words = ''] = LINE.exec(line) ?? [];
    if (group === undefined) continue;
    for (const word of words.split(' ').filter(Boolean)) {
      const [name = '', hash = ''] = word.split('=');
      record.set(group, decoded(name), hash);
    }
  }
  return { body: text.replace(block, ''), record };
}

/** Hashes the text of a part, whatever its line ends. */
export const partHash = (text: string) =>
  createHash('sha256').update(text.replaceAll('\r', '').trimEnd()).digest('hex').slice(0, 6);
