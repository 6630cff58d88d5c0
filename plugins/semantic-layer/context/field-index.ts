/**
 * Ranks documents of several fields by the words of a query, with BM25F. Source of the formula: Robertson, Zaragoza and
 * Taylor, "Simple BM25 extension to multiple weighted fields", 2004. A word counts once in a field.
 */

/** How a field counts: its weight, and from 0 to 1 how much less a word says in a longer text. */
export interface FieldWeight {
  readonly weight: number;
  readonly lengthEffect: number;
}

/** Words that weigh less than 1 are guesses, such as the correction of a typo. */
export type WeightedWords = ReadonlyMap<string, number>;

/** The larger, the longer further matches of a word count: here a name counts much more than a description. */
const SATURATION = 10;
/** Part of their three-letter sequences that two words must share to be alike (Dice's coefficient). */
const LIKENESS = 0.5;

/** How much words are alike of which one becomes the other by one letter more, less, changed or swapped with the next. */
const ONE_EDIT_LIKENESS = 0.8;

interface Posting {
  /** Numbers of documents, and for each, at the same place, the fields that hold the word as bits. */
  readonly documents: number[];
  readonly fields: number[];
}

export class FieldIndex {
  readonly #weights: readonly FieldWeight[];
  readonly #postings = new Map<string, Posting>();
  /** By number; `undefined` where the document was replaced or removed. */
  readonly #ids: (string | undefined)[] = [];
  readonly #lengths: (readonly number[])[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #totals: number[];
  /** Words by their three-letter sequences, made when a word is first unknown. */
  #trigrams: Map<string, string[]> | undefined;

  /** At most 30 fields. */
  constructor(weights: readonly FieldWeight[]) {
    this.#weights = weights;
    this.#totals = weights.map(() => 0);
  }

  get documentCount(): number {
    return this.#numbers.size;
  }

  get wordCount(): number {
    return this.#postings.size;
  }

  has(word: string): boolean {
    return this.#postings.has(word);
  }

  /** Adds a document, in place of that of the same id: for each field its words. */
  add(id: string, fields: readonly ReadonlySet<string>[]): void {
    this.remove(id);
    const number = this.#ids.push(id) - 1;
    this.#numbers.set(id, number);
    const lengths = fields.map((words) => words.size);
    this.#lengths.push(lengths);
    const bits = new Map<string, number>();
    for (const [field, words] of fields.entries()) {
      this.#totals[field]! += words.size;
      for (const word of words) bits.set(word, (bits.get(word) ?? 0) | (1 << field));
    }
    for (const [word, inFields] of bits) {
      let posting = this.#postings.get(word);
      if (posting === undefined) {
        posting = { documents: [], fields: [] };
        this.#postings.set(word, posting);
        this.#trigrams = undefined;
      }
      posting.documents.push(number);
      posting.fields.push(inFields);
    }
  }

  /** The words of a removed document stay until the index is made anew; they find nothing. */
  remove(id: string): void {
    const number = this.#numbers.get(id);
    if (number === undefined) return;
    for (const [field, length] of this.#lengths[number]!.entries()) this.#totals[field]! -= length;
    this.#ids[number] = undefined;
    this.#numbers.delete(id);
  }

  /** How much it says that a document has the word, from 0. */
  rarity(word: string): number {
    const found = Math.min(this.#postings.get(word)?.documents.length ?? 0, this.documentCount);
    return Math.log(1 + (this.documentCount - found + 0.5) / (found + 0.5));
  }

  /** What each word of the query says of each document that has it, in the order of the words. */
  search(words: WeightedWords): Map<string, number[]> {
    const found = new Map<string, number[]>();
    const averages = this.#totals.map((total) => total / Math.max(1, this.documentCount));
    let position = 0;
    for (const [word, share] of words) {
      const posting = this.#postings.get(word);
      const rarity = this.rarity(word) * share;
      for (const [at, number] of (posting?.documents ?? []).entries()) {
        const id = this.#ids[number];
        if (id === undefined) continue;
        let frequency = 0;
        for (const [field, { weight, lengthEffect }] of this.#weights.entries()) {
          if ((posting!.fields[at]! & (1 << field)) === 0) continue;
          const length = this.#lengths[number]![field]! / (averages[field] || 1);
          frequency += weight / (1 - lengthEffect + lengthEffect * length);
        }
        let parts = found.get(id);
        if (parts === undefined) {
          parts = new Array(words.size).fill(0);
          found.set(id, parts);
        }
        parts[position] = (rarity * frequency) / (SATURATION + frequency);
      }
      position += 1;
    }
    return found;
  }

  /** Words of the index that are written much like an unknown one, with how much. */
  alike(word: string): [word: string, likeness: number][] {
    this.#trigrams ??= this.#allTrigrams();
    const own = trigramsOf(word);
    const shared = new Map<string, number>();
    for (const trigram of own) {
      for (const other of this.#trigrams.get(trigram) ?? []) shared.set(other, (shared.get(other) ?? 0) + 1);
    }
    const found = [...shared].map(([other, count]): [string, number] => {
      const likeness = (2 * count) / (word.length + other.length);
      return [other, likeness < ONE_EDIT_LIKENESS && isOneEditAway(word, other) ? ONE_EDIT_LIKENESS : likeness];
    });
    return found.filter(([, likeness]) => likeness >= LIKENESS).sort(([, a], [, b]) => b - a);
  }

  #allTrigrams(): Map<string, string[]> {
    const all = new Map<string, string[]>();
    for (const word of this.#postings.keys()) {
      if (/[ =]/.test(word)) continue;
      for (const trigram of trigramsOf(word)) {
        const words = all.get(trigram);
        if (words === undefined) all.set(trigram, [word]);
        else words.push(word);
      }
    }
    return all;
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
