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

/** Of one name or sentence, and of a conversation, whose last words count. */
const MAX_CHARS = 4_000;
const MAX_SAID_CHARS = 16_000;
/** What is longer is no word of a name. */
const MAX_WORD_CHARS = 40;
/** They say of a column no more than that it is a time. */
const TIMES: ReadonlySet<string> = new Set(['date', 'day', 'time', 'datetim', 'timestamp', 'moment']);

function wordOf(text: string): Word | undefined {
  const plain = stem(text);
  return plain === null ? undefined : { root: stemmer(folded(text)), plain };
}

function written(text: string): string[] {
  const words = text
    .slice(0, MAX_CHARS)
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .match(/[\p{L}\p{M}\p{N}]+/gu);
  return words?.filter(({ length }) => length <= MAX_WORD_CHARS) ?? [];
}

/** The words of a name or sentence that say something. */
export const wordsOf = (text: string): Word[] => written(text).flatMap((one) => wordOf(one) ?? []);

export const isTimeWord = ({ plain, root }: Word): boolean => TIMES.has(plain) || TIMES.has(root);

/** What the user has said in the conversation. */
export interface Said {
  readonly words: readonly Word[];
  /** Words beside one for a time: of "order date" and of "date of the order". */
  readonly dated: ReadonlySet<string>;
}

export function saidIn(turns: readonly ChatTurn[]): Said {
  const words: Word[] = [];
  const dated = new Set<string>();
  let left = MAX_SAID_CHARS;
  for (const { role, text } of turns.toReversed()) {
    if (role !== 'user' || left <= 0) continue;
    const all = written(text.slice(0, left));
    left -= text.length;
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
