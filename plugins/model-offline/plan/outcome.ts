/** Ends the reading of a question without a plan: by asking back, or by naming what is in the way. */

/** The question has several readings. `key` names the place, so that the reply settles it when the question is read again. */
export interface Asking {
  readonly kind: 'ask';
  readonly key: string;
  readonly question: string;
  readonly choices: readonly string[];
}

/** Words that found no place, or a wish that cannot be met. `reason` is a sentence for the user. */
export interface Refusal {
  readonly kind: 'refusal';
  readonly words: readonly string[];
  readonly reason: string;
}

interface Stop extends Error {
  readonly outcome: Asking | Refusal;
}

const stop = (outcome: Asking | Refusal): Stop =>
  Object.assign(new Error(outcome.kind === 'ask' ? outcome.question : outcome.reason), { outcome });

export const refusal = (words: readonly string[], reason = ''): Stop => stop({ kind: 'refusal', words, reason });

/** How the reading ended, if it ended that way. */
export const outcomeOf = (error: unknown): Asking | Refusal | undefined =>
  error instanceof Error && 'outcome' in error ? (error as Stop).outcome : undefined;

export interface Candidate<T> {
  readonly value: T;
  readonly label: string;
}

/** A place of the question with its candidates: the only one, the one chosen before, or a question back. */
export function choose<T>(
  chosen: ReadonlyMap<string, number>,
  key: string,
  question: string,
  candidates: readonly Candidate<T>[],
): T {
  const unique = candidates.filter((one, i) => candidates.findIndex(({ label }) => label === one.label) === i);
  const picked = unique[unique.length === 1 ? 0 : (chosen.get(key) ?? -1)];
  if (picked) return picked.value;
  if (unique.length === 0) throw refusal([], question);
  throw stop({ kind: 'ask', key, question, choices: unique.map(({ label }) => label) });
}
