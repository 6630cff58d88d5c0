/** Answers one question within its deadline and its memory, and tells observers when it begins and ends. */
import type { Question, Scope } from '../../kernel/index.ts';
import { reviewed } from './answer-review.ts';
import type { AgentEvent, Answer } from './api.ts';
import { type ProcessBudget, QuestionBudget } from './budget.ts';
import { abortError, QuestionDeadline, untilAborted } from './deadlines.ts';
import { questionBegun, questionEnded } from './events.ts';
import type { AnswerDraft, AnswerFinding } from './hooks.ts';
import type { LoopRuntime, QuestionRun } from './loop.ts';
import { requestTimeoutOf } from './options.ts';
import type { Prepare } from './preparation.ts';

/** What all questions share. */
export interface AgentRuntime extends LoopRuntime {
  readonly prepare: Prepare;
  readonly check: (draft: AnswerDraft, scope: Scope) => Promise<readonly AnswerFinding[]>;
  readonly budget: ProcessBudget;
}

/** Loaded with the first question: a start does not need it. */
let loop: typeof import('./loop.ts') | undefined;

/** Answers one question; see `Agent`. `streaming` selects how the model is called. */
export async function* answerQuestion(
  runtime: AgentRuntime,
  asked: Question,
  parent: Scope,
  streaming: boolean,
): AsyncGenerator<AgentEvent, void> {
  const { prepare, options, bus } = runtime;
  const deadline = new QuestionDeadline(parent, requestTimeoutOf(options));
  const { scope } = deadline;
  const startedAt = performance.now();
  const budget = new QuestionBudget(runtime.budget, options.questionBudgetBytes);
  // Also at the abort: the reader of the events may never ask for the next one.
  scope.signal.addEventListener('abort', () => budget.end(), { once: true });
  let run: QuestionRun | undefined;
  let answer: Answer | undefined;
  let failure: unknown;
  if (bus.hasListeners(questionBegun)) bus.emit(questionBegun, { scope, question: asked });
  try {
    runtime.budget.checkCapacity();
    const prepared = await untilAborted(prepare(asked, scope), scope.signal);
    loop ??= await import('./loop.ts');
    run = new loop.QuestionRun(prepared, deadline, runtime, budget, streaming);
    const { question } = prepared;
    const { context } = run;
    const check = ({ text, data: tables }: Answer) => runtime.check({ question, text, tables, context }, scope);
    for await (const event of reviewed(run, check, scope, streaming)) {
      if (event.type === 'finish') answer = event.answer;
      yield event;
    }
  } catch (error) {
    failure = scope.signal.aborted ? abortError(scope.signal) : error;
    throw failure;
  } finally {
    if (answer === undefined) budget.end();
    else runtime.budget.answered(budget, parent);
    deadline.end(answer === undefined);
    if (bus.hasListeners(questionEnded)) {
      const durationMs = performance.now() - startedAt;
      bus.emit(questionEnded, { scope, answer, error: failure, model: run?.modelName, durationMs });
    }
  }
}
