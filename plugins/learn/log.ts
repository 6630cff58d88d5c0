/** Declares what is learned from: statements, and questions with their answers. */
import type { AuditEntry } from '../audit/index.ts';
import type { AskedQuestion } from '../conversations/index.ts';
import type { Measure } from '../semantic-layer/index.ts';
import type { Sign } from './seen.ts';
import type { StatementUse, UsedAggregate } from './statement-use.ts';

export interface LoggedAggregate extends UsedAggregate {
  /** What is aggregated, without literals. */
  readonly sql: string;
  /** The measure of the layer that it is. */
  readonly measure: Measure | undefined;
}

/** A statement that could be read. */
export interface LoggedStatement extends Sign {
  readonly entry: AuditEntry;
  readonly use: StatementUse;
  readonly aggregates: readonly LoggedAggregate[];
  /** The statement without literals. */
  readonly shape: string;
  /** The question that it was run for, or whose answer it corrects. */
  readonly turn: Turn | undefined;
  /** Its answer was rated bad, or a person wrote another statement in its place. */
  readonly isRejected: boolean;
}

/** A question with its answer. */
export interface Turn extends AskedQuestion, Sign {
  /** What the user asks: the choice, where the question replies to an answer with choices by its number. */
  readonly text: string;
  /** The one before it in the conversation. */
  readonly before: Turn | undefined;
}

export interface Log {
  /** In the order in which they were asked. */
  readonly statements: readonly LoggedStatement[];
  readonly turns: readonly Turn[];
  /** By how many people something must be shown: two, unless there is one only. */
  readonly minPeople: number;
}

/** The statements that support a proposal. */
export const supporting = ({ statements }: Pick<Log, 'statements'>) =>
  statements.filter(({ entry, isRejected }) => entry.success && !isRejected);
