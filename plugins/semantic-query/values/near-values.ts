/** Finds the values that are written almost like one: in other letters, without accents, misspelt, longer or shorter. */
import { nearest } from '../../../kernel/index.ts';

const plain = (text: string) =>
  text
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');

/** The nearest first. */
export function nearValues(value: string, values: readonly string[]): string[] {
  const wanted = plain(value);
  const folded = values.map(plain);
  const closest = nearest(wanted, folded);
  const isLonger = (known: string) => {
    const [a, b] = [known, wanted].sort((left, right) => left.length - right.length) as [string, string];
    return a.length >= 3 && b.startsWith(a);
  };
  const like = [(known: string) => known === wanted, (known: string) => known === closest, isLonger];
  return [...new Set(like.flatMap((is) => values.filter((_, at) => is(folded[at]!))))];
}
