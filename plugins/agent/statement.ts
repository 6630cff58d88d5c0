/** Runs a statement that a caller wrote, without a model. */
import type { PluginContext } from '../../kernel/index.ts';
import type { Agent } from './api.ts';
import { type ProcessBudget, QuestionBudget } from './budget.ts';
import { notesOf } from './notes.ts';
import { noteTables } from './outcome.ts';
import { tableOf } from './tools/result-table.ts';
import type { DescribeTable } from './tools/table-description.ts';

/** Its rows count as memory in use from their arrival, as those of a question do. */
export function statementRunner(
  ctx: Pick<PluginContext, 'runSql'>,
  describe: DescribeTable,
  process: ProcessBudget,
  limitBytes: number,
): Agent['runStatement'] {
  return async (request, asked) => {
    process.checkCapacity();
    const budget = new QuestionBudget(process, limitBytes);
    const scope = asked.part();
    try {
      const rows = budget.arriving(scope);
      const held = budget.holdTable(tableOf(await ctx.runSql(request, scope), request.sql), rows);
      const { table } = await describe(held, undefined, scope);
      const notes = notesOf(new Map());
      noteTables([table], notes);
      return { table, notes: notes.list, release: () => budget.end() };
    } catch (error) {
      budget.end();
      throw error;
    }
  };
}
