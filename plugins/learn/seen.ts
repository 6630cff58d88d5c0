/** Counts the statements that show the same. */
import { MIN_SEEN } from './proposal.ts';

/** Counts, for each key, the statements that have it; keeps the first value seen. */
export class Seen<T> {
  readonly #found = new Map<string, { readonly value: T; readonly statements: Set<string> }>();

  /** `id`: of the statement, or of what else is counted. */
  add(key: string, value: T, id: string): void {
    const found = this.#found.get(key) ?? { value, statements: new Set() };
    this.#found.set(key, found);
    found.statements.add(id);
  }

  /** Those of enough statements, the most frequent first. */
  frequent(): { readonly value: T; readonly seen: number }[] {
    return [...this.#found.values()]
      .map(({ value, statements }) => ({ value, seen: statements.size }))
      .filter(({ seen }) => seen >= MIN_SEEN)
      .sort((a, b) => b.seen - a.seen);
  }
}
