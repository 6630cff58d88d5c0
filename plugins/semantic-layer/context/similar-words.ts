/** Finds the words that a misspelt one may stand for, by three-letter sequences and single edits. */

/** Part of their three-letter sequences that two words must share to be alike (Dice's coefficient). */
const LIKENESS = 0.5;
/** How much words are alike of which one becomes the other by one letter more, less, changed or swapped with the next. */
const ONE_EDIT_LIKENESS = 0.8;

export class SimilarWords {
  readonly #byTrigram = new Map<string, string[]>();

  constructor(words: Iterable<string>) {
    for (const word of words) {
      for (const trigram of trigramsOf(word)) {
        const known = this.#byTrigram.get(trigram);
        if (known === undefined) this.#byTrigram.set(trigram, [word]);
        else known.push(word);
      }
    }
  }

  /** The words that are written much like another, the most alike first, with how much from 0 to 1. */
  to(word: string): [word: string, likeness: number][] {
    const shared = new Map<string, number>();
    for (const trigram of trigramsOf(word)) {
      for (const other of this.#byTrigram.get(trigram) ?? []) shared.set(other, (shared.get(other) ?? 0) + 1);
    }
    const found = [...shared].map(([other, count]): [string, number] => {
      const likeness = (2 * count) / (word.length + other.length);
      return [other, likeness < ONE_EDIT_LIKENESS && isOneEditAway(word, other) ? ONE_EDIT_LIKENESS : likeness];
    });
    return found.filter(([, likeness]) => likeness >= LIKENESS).sort(([, a], [, b]) => b - a);
  }
}

function isOneEditAway(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  if (long.length - short.length > 1) return false;
  let at = 0;
  while (at < short.length && short[at] === long[at]) at += 1;
  if (long.length > short.length) return short.slice(at) === long.slice(at + 1);
  if (short.slice(at + 1) === long.slice(at + 1)) return true;
  return short[at] === long[at + 1] && short[at + 1] === long[at] && short.slice(at + 2) === long.slice(at + 2);
}

/** With the ends of the word marked, so that its first letters count. */
function trigramsOf(word: string): Set<string> {
  const marked = `^${word}$`;
  const found = new Set<string>();
  for (let at = 0; at + 3 <= marked.length; at += 1) found.add(marked.slice(at, at + 3));
  return found;
}
