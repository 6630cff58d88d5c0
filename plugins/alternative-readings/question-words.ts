/** Reads the words of a question and of names in the semantic layer, so that they compare. */
import { stemmer } from 'stemmer';
import type { ChatTurn } from '../../kernel/index.ts';
import { folded } from '../language-kit/index.ts';
import { stem } from '../semantic-layer/index.ts';

/** A word by its stem, and without its plural only: "ordered" is no "orders". */
export interface Word {
  readonly root: string;
  readonly plain: string;
}

const MAX_CHARS = 4_000;
/** They say of a column no more than that it is a time. */
const TIMES: ReadonlySet<string> = new Set(['date', 'day', 'time', 'datetim', 'timestamp', 'moment']);

const roots = new Map<string, Word | undefined>();
const MAX_ROOTS = 20_000;

function wordOf(text: string): Word | undefined {
  if (roots.has(text)) return roots.get(text);
  const plain = stem(text);
  const word = plain === null ? undefined : { root: stemmer(folded(text)), plain };
  if (roots.size >= MAX_ROOTS) roots.clear();
  roots.set(text, word);
  return word;
}

const written = (text: string): string[] =>
  text
    .slice(0, MAX_CHARS)
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];

/** The words of a name or sentence that say something. */
export const wordsOf = (text: string): Word[] => written(text).flatMap((one) => wordOf(one) ?? []);

export const isTimeWord = ({ plain, root }: Word): boolean => TIMES.has(plain) || TIMES.has(root);

/** What the user has said, in the whole conversation. */
export interface Said {
  readonly words: readonly Word[];
  /** Words beside one for a time: of "order date" and of "date of the order". */
  readonly dated: ReadonlySet<string>;
}

export function saidIn(turns: readonly ChatTurn[]): Said {
  const words: Word[] = [];
  const dated = new Set<string>();
  for (const { role, text } of turns) {
    if (role !== 'user') continue;
    const all = written(text);
    for (const [at, one] of all.entries()) {
      const word = wordOf(one);
      if (word === undefined) continue;
      words.push(word);
      const next = wordOf(all[at + 1] ?? '');
      const before = all.slice(Math.max(0, at - 3), at).join(' ');
      const isDated =
        (next !== undefined && isTimeWord(next)) || /\b(?:date|day|time)s? of(?: the| an?)?$/.test(before);
      if (isDated && !isTimeWord(word)) dated.add(word.root);
    }
  }
  return { words, dated };
}

/** Whether the user has chosen between the names from a numbered list. */
export function hasChosen(turns: readonly ChatTurn[], names: readonly (readonly string[])[]): boolean {
  return turns.some(({ role, text }, at) => {
    if (role !== 'assistant' || turns[at + 1]?.role !== 'user') return false;
    if (!/^\s*1[.)] /m.test(text) || !/^\s*2[.)] /m.test(text)) return false;
    const listed = written(text).join(' ');
    return names.every((some) => some.some((name) => listed.includes(written(name).join(' '))));
  });
}
