/**
 * Runs the tool loop: calls the model, runs the tools it asks for and returns their results to it, until it answers.
 * One loop serves streaming and non-streaming calls, directly over the AI SDK's provider interface.
 */
import type { LanguageModelV4CallOptions, LanguageModelV4Message } from '@ai-sdk/provider';
import {
  AtlasError,
  messageOf,
  messagesOf,
  type PendingAction,
  type Question,
  type Scope,
  type ToolOutcome,
  type ToolTable,
} from '../../kernel/index.ts';
import type { AgentEvent, Answer, Usage } from './api.ts';
import { type ProcessBudget, QuestionBudget } from './budget.ts';
import { clarificationOf, clarificationText } from './clarification.ts';
import { abortError, QuestionDeadline, untilAborted } from './deadlines.ts';
import { type Bus, modelCalled, questionBegun, questionEnded } from './events.ts';
import { generate, MAX_CALLS, type ModelAnswer, stream } from './model-call.ts';
import { notesOf } from './notes.ts';
import { type AgentOptions, requestTimeoutOf } from './options.ts';
import { noteTables, outcomeOf } from './outcome.ts';
import type { Preparation, Prepare } from './preparation.ts';
import { type ModelName, providerError } from './provider-errors.ts';
import { sizeOf } from './size.ts';
import type { ToolCall } from './tools/tool-call.ts';
import { errorOf, failed, forModel, withFewerRows, withNote } from './tools/tool-outcome.ts';

/** What all questions share. */
export interface AgentRuntime {
  readonly prepare: Prepare;
  readonly options: AgentOptions;
  readonly bus: Bus;
  readonly budget: ProcessBudget;
}

/** Calls of one step that run in parallel. */
const PARALLEL_CALLS = 4;
/** Calls of one step that are run; the rest are refused. */
const CALLS_PER_STEP = 16;

/** Added to the instructions of the step without tools. */
const LAST_STEP =
  'This is the last step and no tool can be called any more. Answer from the results so far, and say what is missing.';

/** The answer when the model returns no text. */
const FALLBACK_ANSWERS = {
  done: 'The model ended without an answer. Ask again, or put the question in other words.',
  length: 'No answer was reached within the limits of one question. Ask a narrower question.',
  withheld: 'The model declined to answer this question.',
  spent: 'The results of this question are more than one question may hold. Ask for totals, or for fewer rows.',
} as const;

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
  let failure: unknown;
  if (bus.hasListeners(questionBegun)) bus.emit(questionBegun, { scope, question: asked });
  try {
    runtime.budget.checkCapacity();
    const prepared = await untilAborted(prepare(asked, scope), scope.signal);
    run = new QuestionRun(prepared, deadline, runtime, budget, streaming);
    yield* run.steps();
  } catch (error) {
    failure = scope.signal.aborted ? abortError(scope.signal) : error;
    throw failure;
  } finally {
    const answer = run?.answer;
    if (answer === undefined) budget.end();
    else runtime.budget.answered(budget, parent);
    deadline.end(answer === undefined);
    if (bus.hasListeners(questionEnded)) {
      const durationMs = performance.now() - startedAt;
      bus.emit(questionEnded, { scope, answer, error: failure, model: run?.modelName, durationMs });
    }
  }
}

/** The steps of one question. */
class QuestionRun {
  readonly #prepared: Preparation;
  readonly #deadline: QuestionDeadline;
  readonly #options: AgentOptions;
  readonly #bus: Bus;
  readonly #budget: QuestionBudget;
  readonly #streaming: boolean;
  readonly #messages: LanguageModelV4Message[];
  readonly #memory = new Map<string, unknown>();
  readonly #callIds = new Set<string>();
  readonly #tables: ToolTable[] = [];
  readonly #pendingActions: PendingAction[] = [];
  #usage: Usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
  /** The last text of the model before a tool call. */
  #lastText = '';
  #lastCallFailed = false;
  /** Set once the question is answered. */
  answer: Answer | undefined;

  constructor(
    prepared: Preparation,
    deadline: QuestionDeadline,
    { options, bus }: AgentRuntime,
    budget: QuestionBudget,
    streaming: boolean,
  ) {
    this.#prepared = prepared;
    this.#deadline = deadline;
    this.#options = options;
    this.#bus = bus;
    this.#budget = budget;
    this.#streaming = streaming;
    this.#messages = [prepared.system, ...prepared.messages];
    budget.hold(sizeOf(this.#messages, options.questionBudgetBytes));
  }

  get modelName(): ModelName {
    return this.#prepared.modelName;
  }

  async *steps(): AsyncGenerator<AgentEvent, void> {
    const { maxSteps } = this.#options;
    for (let step = 1; ; step += 1) {
      // Without tools the model must answer from what it has. A single step keeps them: it could look nothing up
      // otherwise.
      const offerTools = (step < maxSteps || step === 1) && !this.#budget.isSpent;
      const reply = yield* this.#callModel(offerTools);
      this.#count(reply.usage);
      this.#budget.hold(reply.bytes);
      const calls = offerTools && reply.finish !== 'length' ? reply.calls : [];
      if (calls.length === 0) {
        yield* this.#finish(reply, step, reply.calls.length > 0 || reply.finish === 'length' ? 'length' : 'stop');
        return;
      }
      this.#messages.push({ role: 'assistant', content: [...reply.content] });
      if (reply.finish === 'too-many-calls') this.#refuseAll(calls);
      else yield* this.#runTools(calls);
      if (reply.text !== '') this.#lastText = reply.text;
      if (clarificationOf(this.#memory) !== undefined) {
        yield* this.#finish(reply, step, 'stop');
        return;
      }
      if (step === maxSteps) {
        yield* this.#finish({ ...reply, text: '', finish: 'length' }, step, 'length');
        return;
      }
    }
  }

  async *#callModel(offerTools: boolean): AsyncGenerator<AgentEvent, ModelAnswer> {
    const { modelName, definitions, fitted } = this.#prepared;
    const step = this.#deadline.step(this.#options.stepTimeoutMs);
    const call: LanguageModelV4CallOptions & { abortSignal: AbortSignal } = {
      prompt: fitted(offerTools ? this.#messages : this.#lastPrompt()),
      abortSignal: step.signal,
      ...(offerTools && definitions.length > 0 && { tools: [...definitions] }),
    };
    const startedAt = performance.now();
    let answer: ModelAnswer | undefined;
    let failure: unknown;
    try {
      const reply = yield* this.#streaming ? this.#stream(call) : this.#generate(call);
      answer = reply;
      if (reply.finish === 'broken') {
        throw new AtlasError(`The answer of the model provider "${modelName.provider}" broke off.`, {
          code: 'provider_error',
          reason: 'E_MODEL_BROKE_OFF',
          hint: 'Ask again.',
        });
      }
      return reply;
    } catch (error) {
      failure = step.signal.aborted ? abortError(step.signal) : providerError(error, modelName);
      if (failure !== error && !step.signal.aborted) {
        this.#bus.logOf(this.#deadline.scope).error({ model: modelName, error: messagesOf(error) }, messageOf(failure));
      }
      throw failure;
    } finally {
      step.end(answer === undefined || answer.isCut);
      if (this.#bus.hasListeners(modelCalled)) {
        const { scope } = this.#deadline;
        const durationMs = performance.now() - startedAt;
        const { prompt } = call;
        this.#bus.emit(modelCalled, { scope, model: modelName, prompt, answer, error: failure, durationMs });
      }
    }
  }

  async *#stream(
    call: LanguageModelV4CallOptions & { abortSignal: AbortSignal },
  ): AsyncGenerator<AgentEvent, ModelAnswer> {
    const deltas = stream(this.#prepared.model, call, this.#options.answerBytes, this.#callIds);
    let hasText = false;
    try {
      for (;;) {
        const { done, value } = await deltas.next();
        if (done) return value;
        if (value.type === 'reasoning') {
          yield value;
          continue;
        }
        // Texts before and after a tool call are separate paragraphs.
        if (!hasText && this.#lastText !== '') yield { type: 'text', text: '\n\n' };
        hasText = true;
        yield value;
      }
    } finally {
      await deltas.return(undefined as never);
    }
  }

  /** Calls without streaming; reasoning and text are one event each. */
  async *#generate(
    call: LanguageModelV4CallOptions & { abortSignal: AbortSignal },
  ): AsyncGenerator<AgentEvent, ModelAnswer> {
    const reply = await generate(this.#prepared.model, call, this.#options.answerBytes, this.#callIds);
    if (reply.reasoning !== '') yield { type: 'reasoning', text: reply.reasoning };
    if (reply.text !== '') yield { type: 'text', text: this.#paragraph(reply.text) };
    return reply;
  }

  #paragraph(text: string): string {
    return this.#lastText === '' ? text : `\n\n${text}`;
  }

  #lastPrompt(): LanguageModelV4Message[] {
    const [, ...rest] = this.#messages;
    const { system } = this.#prepared;
    return [{ ...system, content: `${system.content}\n\n${LAST_STEP}` }, ...rest];
  }

  /** Runs the calls of one step; client and model get the results in the order of the calls. */
  async *#runTools(calls: readonly ToolCall[]): AsyncGenerator<AgentEvent, void> {
    // Calls of an answer that is cut have no result, so they are never announced.
    for (const { toolCallId, toolName, args } of calls) yield { type: 'tool-call', toolCallId, toolName, args };
    const results: ToolResults = [];
    while (results.length < calls.length) {
      const start = results.length;
      const group = calls.slice(start, start + (this.#budget.allowsParallelCalls ? PARALLEL_CALLS : 1));
      const running = group.map((call, index) => this.#runTool(call, start + index));
      for (const outcome of running) outcome.catch(() => {});
      for (const [index, call] of group.entries()) {
        const { toolCallId, modelCallId, toolName } = call;
        const outcome = (await running[index]) as ToolOutcome;
        if (outcome.table !== undefined) this.#tables.push(outcome.table);
        if (outcome.pendingAction !== undefined) this.#pendingActions.push(outcome.pendingAction);
        const error = errorOf(outcome);
        this.#lastCallFailed = error !== undefined;
        const result = outcome.forClient ?? outcome.forModel;
        yield { type: 'tool-result', toolCallId, toolName, result, ...(error !== undefined && { error }) };
        results.push({ type: 'tool-result', toolCallId: modelCallId, toolName, output: forModel(outcome) });
      }
    }
    this.#messages.push({ role: 'tool', content: results });
  }

  /** Refuses all calls in the result of the first, the only one that is sent back to the model. */
  #refuseAll([first]: readonly ToolCall[]): void {
    if (first === undefined) return;
    const { modelCallId: toolCallId, toolName } = first;
    const refusal = failed(
      `None of the calls was run: there were more than ${MAX_CALLS} in one step.`,
      `Make at most ${CALLS_PER_STEP} calls, each for more.`,
    );
    this.#messages.push({
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId, toolName, output: forModel(refusal) }],
    });
  }

  async #runTool(call: ToolCall, index: number): Promise<ToolOutcome> {
    if (index >= CALLS_PER_STEP) {
      return failed(`Not run: more than ${CALLS_PER_STEP} calls in one step.`, 'Make fewer calls, each for more.');
    }
    if (this.#budget.isSpent) return failed('Not run: there is no room for further results.', this.#budget.notice);
    const { scope } = this.#deadline;
    const { question, tools } = this.#prepared;
    const running = tools.run(call, { scope, question, memory: this.#memory }, this.#bus);
    return this.#counted(await untilAborted(running, scope.signal));
  }

  /** Counts a result as soon as it is available, and drops the rows that do not fit. */
  #counted(outcome: ToolOutcome): ToolOutcome {
    const { questionBudgetBytes } = this.#options;
    const table = outcome.table && this.#budget.holdTable(outcome.table);
    const kept =
      table === outcome.table ? outcome : withFewerRows(outcome, table as ToolTable, this.#prepared.resultBytes);
    this.#budget.hold(sizeOf(kept.forModel, questionBudgetBytes));
    if (table === undefined) this.#budget.hold(sizeOf(kept.forClient, questionBudgetBytes));
    const { notice } = this.#budget;
    return notice === undefined ? kept : withNote(kept, notice);
  }

  #count(usage: Usage): void {
    this.#usage = {
      inputTokens: this.#usage.inputTokens + usage.inputTokens,
      outputTokens: this.#usage.outputTokens + usage.outputTokens,
      totalTokens: this.#usage.totalTokens + usage.totalTokens,
    };
  }

  *#finish(reply: ModelAnswer, steps: number, finishReason: Answer['finishReason']): Generator<AgentEvent, void> {
    const asked = clarificationOf(this.#memory);
    let text = asked === undefined ? reply.text : clarificationText(asked);
    if (asked !== undefined) yield { type: 'text', text: this.#paragraph(text) };
    if (text.trim() === '' && finishReason === 'stop' && reply.finish === 'done') text = this.#lastText;
    const hasText = text.trim() !== '';
    if (!hasText) {
      text = FALLBACK_ANSWERS[this.#budget.isSpent ? 'spent' : fallbackReason(reply.finish, finishReason)];
      yield { type: 'text', text: this.#paragraph(text) };
    }
    const notes = notesOf(this.#memory);
    noteTables(this.#tables, notes);
    const answer: Answer = {
      text,
      outcome:
        asked !== undefined
          ? 'clarify'
          : outcomeOf({
              declared: reply.outcome,
              hasText,
              isWithheld: reply.finish === 'withheld',
              tables: this.#tables,
              lastCallFailed: this.#lastCallFailed,
            }),
      ...(asked !== undefined && { choices: asked.choices }),
      notes: notes.list,
      sql: this.#tables.map(({ sql }) => sql),
      data: this.#tables,
      steps,
      usage: this.#usage,
      pendingActions: this.#pendingActions,
      finishReason,
    };
    this.answer = answer;
    yield { type: 'finish', answer };
  }
}

type ToolResults = Extract<LanguageModelV4Message, { role: 'tool' }>['content'];

function fallbackReason(finish: ModelAnswer['finish'], finishReason: Answer['finishReason']) {
  return finishReason === 'stop' && (finish === 'done' || finish === 'withheld') ? finish : 'length';
}
