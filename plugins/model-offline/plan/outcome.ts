/** Ends the reading of a question without a plan: by asking back, or by naming what is in the way. */

/** The question has several readings. `key` names the place, so that the reply settles it when the question is read again. */
export type Asking = Readonly<{ kind: 'ask'; key: string; question: string; choices: readonly string[] }>;
/** Words that found no place, or a wish that cannot be met. `reason` is a sentence for the user. */
type Refusal = Readonly<{ kind: 'refusal'; words: readonly string[]; reason: string }>;
type Stop = Error & { readonly outcome: Asking | Refusal };

const stop = (outcome: Asking | Refusal): Stop => Object.assign(new Error(outcome.kind), { outcome });

export const APART = 'I cannot tell how these conditions go together; ask for one of them at a time.';

export const refusal = (words: readonly string[], reason = ''): Stop => stop({ kind: 'refusal', words, reason });

/** How the reading ended, if it ended that way. */
export const outcomeOf = (error: unknown): Asking | Refusal | undefined =>
  error instanceof Error && 'outcome' in error ? (error as Stop).outcome : undefined;

/** One of the values: the only one, the one chosen before, or a question back that names them all. */
export function choose<T>(
  chosen: ReadonlyMap<string, number>,
  key: string,
  question: string,
  values: readonly T[],
  label: (one: T) => string,
): T {
  const choices = [...new Set(values.map(label))];
  const picked = choices[choices.length === 1 ? 0 : (chosen.get(key) ?? -1)];
  if (picked !== undefined) return values.find((one) => label(one) === picked)!;
  throw choices.length === 0 ? refusal([], question) : stop({ kind: 'ask', key, question, choices });
}
