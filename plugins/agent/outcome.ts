/** Tells how a question ended, and notes what its tables leave out. */
import type { SharedV4ProviderMetadata } from '@ai-sdk/provider';
import type { ToolTable } from '../../kernel/index.ts';
import { cachedOf } from '../datasource-kit/index.ts';
import type { ModelName } from '../model-kit/index.ts';
import type { Outcome } from './api.ts';
import type { AnswerNotes } from './notes.ts';

const OUTCOMES: ReadonlySet<unknown> = new Set<Outcome>(['answered', 'clarify', 'declined', 'failed']);

/** What a model says itself about its answer: `providerMetadata: { atlas: { outcome: 'declined' } }`. */
export function declaredOutcome(metadata: SharedV4ProviderMetadata | undefined): Outcome | undefined {
  const outcome = metadata?.atlas?.outcome;
  return OUTCOMES.has(outcome) ? (outcome as Outcome) : undefined;
}

export interface AnswerFacts {
  /** What the model says of its answer. */
  readonly declared: Outcome | undefined;
  /** Whether the model returned a text, and whether it or its provider says that it declined. */
  readonly hasText: boolean;
  readonly isWithheld: boolean;
  readonly tables: readonly ToolTable[];
  /** Whether the last tool call that was run failed. */
  readonly lastCallFailed: boolean;
  /** Whether a statement awaits approval instead of having been run. */
  readonly awaitsApproval: boolean;
}

export function outcomeOf(facts: AnswerFacts): Outcome {
  const { declared, hasText, isWithheld, tables, lastCallFailed, awaitsApproval } = facts;
  if (isWithheld) return 'declined';
  if (!hasText) return 'failed';
  // Whatever the model says of it: nothing was read.
  if (awaitsApproval && tables.length === 0) return 'failed';
  if (declared !== undefined) return declared;
  // What the model wrote is then why it could not look anything up.
  return lastCallFailed && tables.length === 0 ? 'failed' : 'answered';
}

/** Notes results that come from the cache or are cut, and policies that narrowed them, without naming what they hide. */
export function noteTables(tables: readonly ToolTable[], notes: AnswerNotes): void {
  for (const [index, table] of tables.entries()) {
    const { rows, truncated } = table;
    const cached = cachedOf(table);
    const which = tables.length === 1 ? 'The result' : `Result ${index + 1}`;
    if (cached !== undefined) {
      const message = `${which} was read ${Math.round(cached.ageMs / 1000)} s ago and comes from the cache; run it again for the rows as they are now.`;
      notes.add({ code: 'cached', message });
    }
    if (!truncated) continue;
    notes.add({
      code: 'truncated',
      message: `${which} holds ${rows.length} rows and is incomplete: sums and counts over it are not those of the whole.`,
    });
  }
  const applied = new Set(tables.flatMap(({ ran }) => ran?.statement.shown?.policies ?? []));
  if (applied.has('rows')) {
    notes.add({ code: 'policy_applied', message: 'Row security limits the results to the rows that you may see.' });
  }
  if (applied.has('values')) {
    notes.add({ code: 'policy_applied', message: 'Some of the columns are masked, so their values are not shown.' });
  }
}

/** Notes that a limit of tokens has cut the text. */
export function noteCut({ modelId }: ModelName, notes: AnswerNotes): void {
  const message = `The answer is incomplete: the output limit or the context of the model "${modelId}" ended it. Raise its limits for longer answers.`;
  notes.add({ code: 'answer_cut', message });
}

/** Notes that another model than the chosen one answered. */
export function noteFallback(answeredBy: ModelName | undefined, chosen: ModelName, notes: AnswerNotes): void {
  if (answeredBy === undefined) return;
  const message = `The model "${chosen.modelId}" could not be reached, so the fallback "${answeredBy.modelId}" answered.`;
  notes.add({ code: 'fallback_model', message });
}
