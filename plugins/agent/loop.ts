/**
 * The tool loop: ask the model, run the tools that it calls, tell it the results, until it answers. One loop serves
 * streaming and not, directly over the AI SDK's provider interface.
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
import { type ProcessBudget, QuestionBudget } from './budget.ts';
import { abortError, QuestionTime, untilAborted } from './deadlines.ts';
import type { AgentEvent, Answer, Usage } from './api.ts';
import { generate, MOST_CALLS, type ModelAnswer, stream } from './model-call.ts';
import type { AgentOptions } from './options.ts';
import { type Bus, modelCalled, questionBegun, questionEnded } from './events.ts';
import type { Preparation, Prepare } from './preparation.ts';
import { type ModelName, providerError } from './provider-errors.ts';
import { sizeOf } from './size.ts';
import type { ToolCall } from './tools/tool-call.ts';
import { errorOf, failed, forModel, withFewerRows, withNote } from './tools/tool-outcome.ts';

/** What is the same for every question. */
export interface Workplace {
  readonly prepare: Prepare;
  readonly options: AgentOptions;
  readonly bus: Bus;
  readonly budget: ProcessBudget;
}

/** Calls of one step that run at the same time; the rest wait. */
const PARALLEL_CALLS = 4;
/** Calls of one step that run at all: beyond it a model is going round in circles. */
const CALLS_PER_STEP = 16;

/** Added to the instructions of the step that is made without tools. */
const LAST_STEP =
  'This is the last step and no tool can be called any more. Answer from the results so far, and say what is missing.';

/** What is said when the model says nothing. */
const WITHOUT_WORDS = {
  done: 'The model ended without an answer. Ask again, or put the question in other words.',
  length: 'No answer was reached within the limits of one question. Ask a narrower question.',
  withheld: 'The model declined to answer this question.',
  spent: 'The results of this question are more than one question may hold. Ask for totals, or for fewer rows.',
} as const;

/** Works on one question until the answer; see `Agent`. `streaming` chooses how the model is called. */
export async function* work(
  place: Workplace,
  asked: Question,
  parent: Scope,
  streaming: boolean,
): AsyncGenerator<AgentEvent, void> {
  const { prepare, options, bus } = place;
  const time = new QuestionTime(parent, options.requestTimeoutMs);
  const { scope } = time;
  const startedAt = performance.now();
  const budget = new QuestionBudget(place.budget, options.questionBudgetBytes);
  // At the abort, too: whoever reads the events may never come back for the next one.
  scope.signal.addEventListener('abort', () => budget.end(), { once: true });
  let conversation: Conversation | undefined;
  let failure: unknown;
  if (bus.hears(questionBegun)) bus.emit(questionBegun, { scope, question: asked });
  try {
    place.budget.admit();
    const ready = await untilAborted(prepare(asked, scope), scope.signal);
    conversation = new Conversation(ready, time, place, budget, streaming);
    yield* conversation.run();
  } catch (error) {
    failure = scope.signal.aborted ? abortError(scope.signal) : error;
    throw failure;
  } finally {
    const answer = conversation?.answer;
    budget.end();
    time.end(answer === undefined);
    if (bus.hears(questionEnded)) {
      const durationMs = performance.now() - startedAt;
      bus.emit(questionEnded, { scope, answer, error: failure, model: conversation?.modelName, durationMs });
    }
  }
}

/** One question on its way through the steps. */
class Conversation {
  readonly #ready: Preparation;
  readonly #time: QuestionTime;
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
  /** What the model said last before it called a tool. */
  #saidBefore = '';
  /** Set once it is complete: nothing is left to be cancelled. */
  answer: Answer | undefined;

  constructor(
    ready: Preparation,
    time: QuestionTime,
    { options, bus }: Workplace,
    budget: QuestionBudget,
    streaming: boolean,
  ) {
    this.#ready = ready;
    this.#time = time;
    this.#options = options;
    this.#bus = bus;
    this.#budget = budget;
    this.#streaming = streaming;
    this.#messages = [{ role: 'system', content: ready.system }, ...ready.conversation];
    budget.hold(sizeOf(this.#messages, options.questionBudgetBytes));
  }

  get modelName(): ModelName {
    return this.#ready.modelName;
  }

  async *run(): AsyncGenerator<AgentEvent, void> {
    const { maxSteps } = this.#options;
    for (let step = 1; ; step += 1) {
      // Without tools the model has to answer with what it has. A single step keeps them, or it could look nothing up.
      const offerTools = (step < maxSteps || step === 1) && !this.#budget.isSpent;
      const said = yield* this.#callModel(offerTools);
      this.#count(said.usage);
      this.#budget.hold(said.bytes);
      const calls = offerTools && said.finish !== 'length' ? said.calls : [];
      if (calls.length === 0) {
        yield* this.#finish(said, step, said.calls.length > 0 || said.finish === 'length' ? 'length' : 'stop');
        return;
      }
      this.#messages.push({ role: 'assistant', content: [...said.content] });
      if (said.finish === 'too-many-calls') this.#refuseAll(calls);
      else yield* this.#runTools(calls);
      if (said.text !== '') this.#saidBefore = said.text;
      if (step === maxSteps) {
        yield* this.#finish({ ...said, text: '', finish: 'length' }, step, 'length');
        return;
      }
    }
  }

  async *#callModel(offerTools: boolean): AsyncGenerator<AgentEvent, ModelAnswer> {
    const { modelName, tools } = this.#ready;
    const step = this.#time.step(this.#options.stepTimeoutMs);
    const call: LanguageModelV4CallOptions & { abortSignal: AbortSignal } = {
      prompt: offerTools ? this.#messages : this.#lastPrompt(),
      abortSignal: step.signal,
      ...(offerTools && tools.definitions.length > 0 && { tools: tools.definitions }),
    };
    const startedAt = performance.now();
    let answer: ModelAnswer | undefined;
    let failure: unknown;
    try {
      const said = yield* this.#streaming ? this.#stream(call) : this.#whole(call);
      answer = said;
      if (said.finish === 'broken') {
        throw new AtlasError(`The answer of the model provider "${modelName.provider}" broke off.`, {
          code: 'provider_error',
          reason: 'E_MODEL_BROKE_OFF',
          hint: 'Ask again.',
        });
      }
      return said;
    } catch (error) {
      failure = step.signal.aborted ? abortError(step.signal) : providerError(error, modelName);
      if (failure !== error && !step.signal.aborted) {
        this.#bus.logOf(this.#time.scope).error({ model: modelName, error: messagesOf(error) }, messageOf(failure));
      }
      throw failure;
    } finally {
      step.end(answer === undefined || answer.isCut);
      if (this.#bus.hears(modelCalled)) {
        const { scope } = this.#time;
        const durationMs = performance.now() - startedAt;
        const { prompt } = call;
        this.#bus.emit(modelCalled, { scope, model: modelName, prompt, answer, error: failure, durationMs });
      }
    }
  }

  async *#stream(
    call: LanguageModelV4CallOptions & { abortSignal: AbortSignal },
  ): AsyncGenerator<AgentEvent, ModelAnswer> {
    const texts = stream(this.#ready.model, call, this.#options.answerBytes, this.#callIds);
    let spoke = false;
    try {
      for (;;) {
        const { done, value } = await texts.next();
        if (done) return value;
        // What is said before and after a tool call are two paragraphs.
        if (!spoke && this.#saidBefore !== '') yield { type: 'text', text: '\n\n' };
        spoke = true;
        yield { type: 'text', text: value };
      }
    } finally {
      await texts.return(undefined as never);
    }
  }

  /** The same text, once the call is over. */
  async *#whole(
    call: LanguageModelV4CallOptions & { abortSignal: AbortSignal },
  ): AsyncGenerator<AgentEvent, ModelAnswer> {
    const said = await generate(this.#ready.model, call, this.#options.answerBytes, this.#callIds);
    if (said.text !== '') yield { type: 'text', text: this.#paragraph(said.text) };
    return said;
  }

  #paragraph(text: string): string {
    return this.#saidBefore === '' ? text : `\n\n${text}`;
  }

  #lastPrompt(): LanguageModelV4Message[] {
    const [, ...rest] = this.#messages;
    return [{ role: 'system', content: `${this.#ready.system}\n\n${LAST_STEP}` }, ...rest];
  }

  /** Runs the calls of one step and tells client and model the results, in the order of the calls. */
  async *#runTools(calls: readonly ToolCall[]): AsyncGenerator<AgentEvent, void> {
    // Only calls that have a result are told: those of an answer that breaks off or is cut have none.
    for (const { toolCallId, toolName, args } of calls) yield { type: 'tool-call', toolCallId, toolName, args };
    const results: ToolResults = [];
    while (results.length < calls.length) {
      const start = results.length;
      const group = calls.slice(start, start + (this.#budget.isRoomy ? PARALLEL_CALLS : 1));
      const running = group.map((call, index) => this.#runTool(call, start + index));
      for (const outcome of running) outcome.catch(() => {});
      for (const [index, call] of group.entries()) {
        const { toolCallId, modelCallId, toolName } = call;
        const outcome = (await running[index]) as ToolOutcome;
        if (outcome.table !== undefined) this.#tables.push(outcome.table);
        if (outcome.pendingAction !== undefined) this.#pendingActions.push(outcome.pendingAction);
        const error = errorOf(outcome);
        const result = outcome.forClient ?? outcome.forModel;
        yield { type: 'tool-result', toolCallId, toolName, result, ...(error !== undefined && { error }) };
        results.push({ type: 'tool-result', toolCallId: modelCallId, toolName, output: forModel(outcome) });
      }
    }
    this.#messages.push({ role: 'tool', content: results });
  }

  /** Tells the model about all calls in the result of the first, the only one that is sent back to it. */
  #refuseAll([first]: readonly ToolCall[]): void {
    if (first === undefined) return;
    const { modelCallId: toolCallId, toolName } = first;
    const refusal = failed(
      `None of the calls was run: there were more than ${MOST_CALLS} in one step.`,
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
    const { scope } = this.#time;
    const { question, tools } = this.#ready;
    const running = tools.run(call, { scope, question, memory: this.#memory }, this.#bus);
    return this.#counted(await untilAborted(running, scope.signal));
  }

  /** Counts a result as soon as it is there, whether or not anybody reads on; without the rows that are too many. */
  #counted(outcome: ToolOutcome): ToolOutcome {
    const { questionBudgetBytes, resultBudgetBytes } = this.#options;
    const table = outcome.table && this.#budget.holdTable(outcome.table);
    const kept = table === outcome.table ? outcome : withFewerRows(outcome, table as ToolTable, resultBudgetBytes);
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

  *#finish(said: ModelAnswer, steps: number, finishReason: Answer['finishReason']): Generator<AgentEvent, void> {
    let { text } = said;
    if (text.trim() === '' && finishReason === 'stop' && said.finish === 'done') text = this.#saidBefore;
    if (text.trim() === '') {
      text = WITHOUT_WORDS[this.#budget.isSpent ? 'spent' : reasonWithoutWords(said.finish, finishReason)];
      yield { type: 'text', text: this.#paragraph(text) };
    }
    const answer: Answer = {
      text,
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

function reasonWithoutWords(finish: ModelAnswer['finish'], finishReason: Answer['finishReason']) {
  return finishReason === 'stop' && (finish === 'done' || finish === 'withheld') ? finish : 'length';
}
