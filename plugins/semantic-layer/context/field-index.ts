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

interface Posting {
  /** Numbers of documents, and for each, at the same place, the fields that hold the word as bits. */
  readonly documents: number[];
  readonly fields: number[];
}

export class FieldIndex {
  readonly #weights: readonly FieldWeight[];
  readonly #postings = new Map<string, Posting>();
  /** By number; `undefined` where a document was removed. */
  readonly #ids: (string | undefined)[] = [];
  readonly #lengths: (readonly number[])[] = [];
  readonly #numbers = new Map<string, number>();
  /** Numbers of removed documents, which the next ones get. */
  readonly #free: number[] = [];
  readonly #totals: number[];

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
    if (this.#numbers.has(id)) this.remove([id]);
    const number = this.#free.pop() ?? this.#ids.length;
    this.#ids[number] = id;
    this.#numbers.set(id, number);
    this.#lengths[number] = fields.map((words) => words.size);
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
      }
      posting.documents.push(number);
      posting.fields.push(inFields);
    }
  }

  /** Removes documents in one pass over all words. */
  remove(ids: Iterable<string>): void {
    const dead = new Set<number>();
    for (const id of ids) {
      const number = this.#numbers.get(id);
      if (number === undefined) continue;
      dead.add(number);
      for (const [field, length] of this.#lengths[number]!.entries()) this.#totals[field]! -= length;
      this.#ids[number] = undefined;
      this.#lengths[number] = [];
      this.#numbers.delete(id);
      this.#free.push(number);
    }
    if (dead.size === 0) return;
    for (const [word, { documents, fields }] of this.#postings) {
      let kept = 0;
      for (const [at, number] of documents.entries()) {
        if (dead.has(number)) continue;
        documents[kept] = number;
        fields[kept] = fields[at]!;
        kept += 1;
      }
      documents.length = kept;
      fields.length = kept;
      if (kept === 0) this.#postings.delete(word);
    }
  }

  /** How much it says that a document has the word, from 0. */
  rarity(word: string): number {
    const found = this.#postings.get(word)?.documents.length ?? 0;
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
}
