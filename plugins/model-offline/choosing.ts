/** Which of several meanings is nearest and most directly named. */
import { type Closeness, isTime, type Meaning } from './lexicon.ts';

/** Those most directly named. */
export function best<M extends { readonly rank: Closeness }>(meanings: readonly M[]): M[] {
  const top = Math.max(...meanings.map((meaning) => meaning.rank));
  return meanings.filter((meaning) => meaning.rank === top);
}

/** Reachable without multiplying rows first; a date is taken nearest, anything else by how directly it was named. */
function scoreOf(meaning: Meaning, distance: number | undefined): readonly [number, number, number, number] {
  const isDate = meaning.kind === 'dimension' && isTime(meaning.dimension);
  const indirect = meaning.rank >= (isDate ? 1 : 2) ? 0 : 2 - meaning.rank;
  return [distance === undefined ? 1 : 0, indirect, distance ?? 99, -meaning.rank];
}

/** Names and synonyms before derived forms, then fewer joins, then names before synonyms; unreachable ones only if related at all. */
export function nearest<M extends Meaning>(
  meanings: readonly M[],
  distance: (meaning: M) => number | undefined,
  related: (meaning: M) => boolean,
): M[] {
  const scored = meanings
    .filter((meaning) => distance(meaning) !== undefined || related(meaning))
    .map((meaning) => ({ meaning, score: scoreOf(meaning, distance(meaning)) }));
  scored.sort(
    (a, b) => a.score[0] - b.score[0] || a.score[1] - b.score[1] || a.score[2] - b.score[2] || a.score[3] - b.score[3],
  );
  const first = scored[0];
  return first
    ? scored.filter((item) => item.score.every((part, i) => part === first.score[i])).map((item) => item.meaning)
    : [];
}

/** What several candidates are called alike is told apart by whose it is: "total qty (meals)". */
export const labelled = <T>(
  items: readonly { readonly value: T; readonly label: string; readonly owner: string }[],
): { value: T; label: string }[] =>
  items.map(({ value, label, owner }) => ({
    value,
    label: items.some((other) => other.value !== value && other.label === label) ? `${label} (${owner})` : label,
  }));

export const uniqueBy = <T>(items: readonly T[], key: (item: T) => string): T[] =>
  items.filter((item, i) => items.findIndex((other) => key(other) === key(item)) === i);
