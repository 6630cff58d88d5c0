/** Collects what plugins tell of a result beside its rows. */
import { messagesOf, type PluginContext, type Question, type Scope, type ToolTable } from '../../../kernel/index.ts';
import type { AnswerTable } from '../api.ts';
import { tableDescribe } from '../hooks.ts';

export interface DescribedTable {
  readonly table: AnswerTable;
  /** For the model. */
  readonly notes: readonly string[];
}

/** `isVerified`: a person vouches for the statement. */
export type DescribeTable = (
  table: ToolTable,
  question: Question | undefined,
  scope: Scope,
  isVerified?: boolean,
) => Promise<DescribedTable>;

/** Begins the note of what the answer has to say. */
const SAY = 'Say in the answer: ';

/** What the answer has to say, of the notes of a result. */
export const saidInAnswer = (notes: readonly string[]): string[] =>
  notes.flatMap((note) => (note.startsWith(SAY) ? [note.slice(SAY.length)] : []));

export function tableDescription(ctx: Pick<PluginContext, 'call' | 'logOf'>): DescribeTable {
  return async (table, question, scope, isVerified = false) => {
    try {
      // One that takes too long ends the scope that it was given, and not the question.
      const remarks = (await ctx.call(tableDescribe, { table, question, isVerified }, scope.part())).map(
        ({ value }) => value,
      );
      if (remarks.length === 0) return { table, notes: [] };
      const about = Object.assign({}, ...remarks.map(({ facts }) => facts));
      const notes = remarks.flatMap(({ forModel = [], forAnswer }) =>
        forAnswer === undefined ? forModel : [`${SAY}${forAnswer}`].concat(forModel),
      );
      return { table: { ...table, about }, notes };
    } catch (error) {
      if (scope.signal.aborted) throw error;
      ctx.logOf(scope).error({ error: messagesOf(error) }, 'A result could not be described.');
      return { table, notes: [] };
    }
  };
}
