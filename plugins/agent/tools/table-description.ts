/** Collects what plugins tell of a result beside its rows. */
import { messagesOf, type PluginContext, type Question, type Scope, type ToolTable } from '../../../kernel/index.ts';
import type { AnswerTable } from '../api.ts';
import { tableDescribe } from '../hooks.ts';

export interface DescribedTable {
  readonly table: AnswerTable;
  /** For the model. */
  readonly notes: readonly string[];
}

export type DescribeTable = (table: ToolTable, question: Question | undefined, scope: Scope) => Promise<DescribedTable>;

export function tableDescription(ctx: Pick<PluginContext, 'call' | 'logOf'>): DescribeTable {
  return async (table, question, scope) => {
    try {
      // One that takes too long ends the scope that it was given, and not the question.
      const remarks = (await ctx.call(tableDescribe, { table, question }, scope.part())).map(({ value }) => value);
      if (remarks.length === 0) return { table, notes: [] };
      const about = Object.assign({}, ...remarks.map(({ facts }) => facts));
      return { table: { ...table, about }, notes: remarks.flatMap(({ forModel = [] }) => forModel) };
    } catch (error) {
      if (scope.signal.aborted) throw error;
      ctx.logOf(scope).error({ error: messagesOf(error) }, 'A result could not be described.');
      return { table, notes: [] };
    }
  };
}
