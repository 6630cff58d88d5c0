/** The two ways in which reading a question ends without a plan. Thrown inside the reader, caught by `read.ts`. */

/** The question has several readings. `key` names the place, so that the answer settles it when the question is read again. */
export class Ask extends Error {
  readonly key: string;
  readonly choices: readonly string[];
  constructor(key: string, question: string, choices: readonly string[]) {
    super(question);
    this.key = key;
    this.choices = choices;
  }
}

/** Words that found no place, or a wish that cannot be met. `message` is a sentence for the user. */
export class Refuse extends Error {
  readonly words: readonly string[];
  constructor(words: readonly string[], message = '') {
    super(message);
    this.words = words;
  }
}

/** A place of the question with its candidates: the one there is, the one chosen before, or a question. */
export interface Candidate<T> {
  readonly value: T;
  readonly label: string;
}
export function choose<T>(
  chosen: ReadonlyMap<string, number>,
  key: string,
  question: string,
  candidates: readonly Candidate<T>[],
): T {
  const picked = candidates[candidates.length === 1 ? 0 : (chosen.get(key) ?? -1)];
  if (picked) return picked.value;
  throw new Ask(
    key,
    question,
    candidates.map((candidate) => candidate.label),
  );
}
