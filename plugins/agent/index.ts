/** Defines the plugin that answers questions with a language model and tools. */
import { definePlugin, healthCheck, toolsCollect } from '../../kernel/index.ts';
import { resultMemory } from '../datasource-kit/index.ts';
import { ThoughtHabits } from '../model-kit/index.ts';
import { type AgentRuntime, answerQuestion } from './answer-question.ts';
import type { Agent } from './api.ts';
import { ProcessBudget } from './budget.ts';
import { clarifyTool } from './clarification.ts';
import { agentContinue, answerCheck } from './hooks.ts';
import { AgentOptions, requestTimeoutOf } from './options.ts';
import { preparation, promptOf } from './preparation.ts';
import { PromptHealth } from './prompt-health.ts';
import { statementRunner } from './statement.ts';
import { connectionDialect, executeSqlTool } from './tools/execute-sql.ts';
import { tableDescription } from './tools/table-description.ts';
import { wrappedAgent } from './wrapped-agent.ts';

export { CORRECTION } from './answer-review.ts';
export type {
  Agent,
  AgentEvent,
  Answer,
  AnswerNote,
  AnswerStarted,
  AnswerTable,
  Choice,
  Outcome,
  Prompt,
  StatementFacts,
  TableFacts,
  Usage,
  Verification,
  VerifiedValue,
} from './api.ts';
export { choicesIn, chosenByNumber } from './clarification.ts';
export {
  type ModelCalled,
  modelCalled,
  type QuestionEnded,
  questionBegun,
  questionEnded,
  type ToolBegun,
  type ToolEnded,
  toolBegun,
  toolEnded,
} from './events.ts';
export {
  type AnswerDraft,
  type AnswerFinding,
  type Ask,
  agentContinue,
  agentWrap,
  answerCheck,
  inTurn,
  type QueryAttempt,
  type QueryObjection,
  queryCheck,
  questionRecognize,
  type ReaderStep,
  type Recognition,
  type TableRemark,
  type TableShown,
  tableDescribe,
} from './hooks.ts';
export { queryIn } from './last-query.ts';
export { type AnswerNotes, notesOf } from './notes.ts';
export { APPROVAL_HINT, approvalRequired, pendingActionOf, triedOnly } from './pending-approval.ts';
export { withoutContext } from './prompt.ts';
export { checkQuery } from './tools/query-check.ts';
export { type LastResult, lastResultOf } from './tools/question-tables.ts';
export { type ResultForModel, resultForModel } from './tools/result-summary.ts';
export { isEmpty, type ShownTable, shownTable, tableOf } from './tools/result-table.ts';
export { saidInAnswer } from './tools/table-description.ts';
export { schemaForModel, UNLISTED } from './tools/tool-schema.ts';
export { verify } from './verification.ts';
export { wrappedAgent } from './wrapped-agent.ts';

export const agent = definePlugin({
  name: 'agent',
  version: '1.0.0',
  type: 'core',
  description: 'Answers a question with a language model that looks things up through tools.',
  options: AgentOptions,
  setup(ctx, options): Agent {
    const executeSql = executeSqlTool(ctx, options.resultBudgetBytes);
    const budget = new ProcessBudget(options.processBudgetBytes ?? 1.25 * options.questionBudgetBytes);
    const promptHealth = new PromptHealth();
    ctx.tap(resultMemory, (_, scope) => budget.arriving(scope));
    ctx.tap(healthCheck, () => promptHealth.items());
    const limit: AgentRuntime['limit'] = (question, scope) => ctx.call(agentContinue, question, scope);
    const check: AgentRuntime['check'] = async (draft, scope) =>
      (await ctx.call(answerCheck, draft, scope)).map(({ value }) => value);
    const describe = tableDescription(ctx);
    const runtime: AgentRuntime = {
      prepare: preparation(ctx, options),
      describe,
      limit,
      dialectOf: (connectionId, scope) => connectionDialect(ctx, connectionId, scope),
      check,
      options,
      bus: ctx,
      budget,
      promptHealth,
      habits: new ThoughtHabits(),
    };
    ctx.tap(toolsCollect, () => [executeSql, clarifyTool]);
    const wrapped = wrappedAgent(ctx, (...asked) => answerQuestion(runtime, ...asked), requestTimeoutOf(options));
    return {
      ...wrapped,
      prompt: async (question, scope) => promptOf(await runtime.prepare(question, scope)),
      retain: (scope) => budget.retain(scope),
      runStatement: statementRunner(ctx, describe, budget, options.questionBudgetBytes),
    };
  },
});
