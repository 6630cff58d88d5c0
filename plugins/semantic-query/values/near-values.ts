/** Finds the values that are written almost like one: in other letters, without accents, misspelt, longer or shorter. */
import { nearest } from '../../../kernel/index.ts';
import { folded } from '../../language-kit/index.ts';

const plain = (text: string) => folded(text).replace(/[^\p{L}\p{N}]+/gu, '');

/** Longer texts are no names that people misspell, and take long to compare. */
const MAX_CHARS = 60;

/** The nearest first. */
export function nearValues(value: string, listed: readonly string[]): string[] {
  if (value.length > MAX_CHARS) return [];
  const values = listed.filter(({ length }) => length <= MAX_CHARS);
  const wanted = plain(value);
  const known = values.map(plain);
  const closest = nearest(wanted, known);
  const isLonger = (text: string) => {
    const [a, b] = [text, wanted].sort((left, right) => left.length - right.length) as [string, string];
    return a.length >= 3 && b.startsWith(a);
  };
  const like = [(text: string) => text === wanted, (text: string) => text === closest, isLonger];
  return [...new Set(like.flatMap((is) => values.filter((_, at) => is(known[at]!))))];
}
