/**
 * Runs the tool loop: calls the model, runs the tools it asks for and returns their results to it, until it answers.
 * One loop serves streaming and non-streaming calls, directly over the AI SDK's provider interface.
 */
import type { LanguageModelV4CallOptions, LanguageModelV4Message } from '@ai-sdk/provider';
import { type Awaitable, messageOf, messagesOf, type Question, type Scope } from '../../kernel/index.ts';
import {
  asksForQuery,
  completeUsage,
  failedGeneration,
  type ModelAnswer,
  type ModelName,
  providerError,
  QUERY_TOOL,
  type Reading,
  sizeOf,
  type ThoughtHabits,
} from '../model-kit/index.ts';
import type { ReviewedRun } from './answer-review.ts';
import type { AgentEvent, Answer, AnswerNote, Usage } from './api.ts';
import type { QuestionBudget } from './budget.ts';
import { choicesIn, clarificationOf, clarificationText } from './clarification.ts';
import { abortError, type QuestionDeadline } from './deadlines.ts';
import { type Bus, modelCalled } from './events.ts';
import { fallbackAnswer, filteredEnding, noAnswerOf } from './fallback-answer.ts';
import { answerFromText, generate, stream } from './model-call.ts';
import { notesOf } from './notes.ts';
import type { AgentOptions } from './options.ts';
import { declaredOutcome, noteCut, noteFallback, noteTables, outcomeOf } from './outcome.ts';
import { APPROVAL_PENDING } from './pending-approval.ts';
import type { Preparation } from './preparation.ts';
import type { PromptHealth } from './prompt-health.ts';
import { promptTruncation } from './prompt-size.ts';
import { Repair } from './repair.ts';
import { textsRead } from './texts-read.ts';
import { CallRunner, refusal } from './tools/call-runner.ts';
import { beginStep } from './tools/query-check.ts';
import type { DescribeTable } from './tools/table-description.ts';
import { sumOfUsage } from './usage.ts';
import { verificationOf } from './verification.ts';

export interface LoopRuntime {
  /** Why a question may call no more tools; `undefined` while it may. */
  limit(question: Question, scope: Scope): Awaitable<AnswerNote | undefined>;
  readonly options: AgentOptions;
  readonly bus: Bus;
  readonly promptHealth: PromptHealth;
  readonly habits: ThoughtHabits;
  readonly describe: DescribeTable;
}

/** The steps of one question. */
export class QuestionRun implements ReviewedRun {
  readonly #prepared: Preparation;
  readonly #deadline: QuestionDeadline;
  readonly #options: AgentOptions;
  readonly #bus: Bus;
  readonly #limit: LoopRuntime['limit'];
  readonly #promptHealth: PromptHealth;
  readonly #budget: QuestionBudget;
  readonly #streaming: boolean;
  readonly #messages: LanguageModelV4Message[];
  readonly #memory = new Map<string, unknown>();
  readonly #callIds = new Set<string>();
  #usage: Usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
  readonly #calls: CallRunner;
  readonly #habits: ThoughtHabits;
  readonly #repair = new Repair();
  /** Whether the user has read a text of the current call. */
  #hasShown = false;
  /** The last text of the model before a tool call. */
  #lastText = '';
  /** Whether a text of the model was shown that its answer follows as a paragraph. */
  #isBegun = false;
  #steps = 0;
  /** Whether an answer is being corrected that needs nothing looked up. */
  #isClosed = false;
  readonly notes = notesOf(this.#memory);

  constructor(
    prepared: Preparation,
    deadline: QuestionDeadline,
    { limit, options, bus, promptHealth, habits, describe }: LoopRuntime,
    budget: QuestionBudget,
    streaming: boolean,
  ) {
    this.#prepared = prepared;
    this.#deadline = deadline;
    this.#options = options;
    this.#bus = bus;
    this.#limit = limit;
    this.#promptHealth = promptHealth;
    this.#habits = habits;
    this.#calls = new CallRunner({ prepared, deadline, budget, bus, options, memory: this.#memory, describe });
    this.#budget = budget;
    this.#streaming = streaming;
    this.#messages = [prepared.system, ...prepared.messages];
    budget.hold(sizeOf(this.#messages, options.questionBudgetBytes));
  }

  get modelName(): ModelName {
    return this.#prepared.modelName;
  }

  get #asked(): string {
    return this.#prepared.question.turns.at(-1)?.text ?? '';
  }

  readonly context = (): string[] => textsRead(this.#prepared, this.#messages);

  readonly spent = (): Pick<Answer, 'steps' | 'usage'> => ({ steps: this.#steps, usage: this.#usage });

  async revise(messages: readonly LanguageModelV4Message[], withTools: boolean): Promise<boolean> {
    if (this.#steps >= this.#options.maxSteps) return false;
    if ((await this.#limit(this.#prepared.question, this.#deadline.scope)) !== undefined) return false;
    this.#isClosed = !withTools;
    this.#messages.push(...messages);
    return true;
  }

  async *steps(): AsyncGenerator<AgentEvent, void> {
    const { maxSteps } = this.#options;
    for (let step = this.#steps + 1; ; step += 1) {
      this.#steps = beginStep(this.#memory, step);
      // Without tools the model must answer from what it has. A single step keeps them: it could look nothing up
      // otherwise.
      const isLast = step === maxSteps || (step > 1 && !(await this.#mayContinue()));
      const offerTools =
        (!isLast || step === 1) && !this.#budget.isSpent && this.#calls.standstill === undefined && !this.#isClosed;
      const reply = yield* this.#reply(offerTools, isLast);
      if (reply === undefined) continue;
      this.#usage = sumOfUsage(this.#usage, reply.usage);
      this.#budget.hold(reply.bytes);
      const calls = offerTools && reply.finish !== 'length' ? reply.calls : [];
      if (calls.length === 0) {
        if (!isLast && reply.content.length > 0 && this.#repair.isPause(reply)) {
          this.#messages.push({ role: 'assistant', content: [...reply.content] });
          continue;
        }
        const known = {
          offersTools: offerTools,
          hasTables: this.#calls.tables.length > 0,
          wantsQuery: asksForQuery(this.#asked),
          lastText: this.#lastText,
        };
        if (!isLast && this.#repair.asksAgain(reply, known)) {
          this.#isBegun ||= reply.text !== '';
          continue;
        }
        yield* this.#finish(reply, step, reply.calls.length > 0 || reply.finish === 'length' ? 'length' : 'stop');
        return;
      }
      this.#messages.push({ role: 'assistant', content: [...reply.content] });
      this.#messages.push(reply.finish === 'too-many-calls' ? refusal(calls) : yield* this.#calls.run(calls));
      if (reply.text !== '') {
        this.#lastText = reply.text;
        this.#isBegun = true;
      }
      const isAsked = clarificationOf(this.#memory) !== undefined;
      if (!isAsked && !isLast) continue;
      yield* this.#finish({ ...reply, text: '', finish: 'done' }, step, isAsked ? 'stop' : 'length');
      return;
    }
  }

  /** Whether the plugins let the question call further tools; why they do not is noted. */
  async #mayContinue(): Promise<boolean> {
    const note = await this.#limit(this.#prepared.question, this.#deadline.scope);
    if (note !== undefined) notesOf(this.#memory).add(note);
    return note === undefined;
  }

  /** Calls the model; `undefined` when the call failed and is to be made again in another way. */
  async *#reply(offerTools: boolean, isLast: boolean): AsyncGenerator<AgentEvent, ModelAnswer | undefined> {
    this.#hasShown = false;
    try {
      return yield* this.#callModel(offerTools);
    } catch (error) {
      if (isLast || this.#deadline.scope.signal.aborted) throw error;
      const refused = failedGeneration(error);
      if (refused !== undefined && !this.#hasShown) {
        const reply = answerFromText(refused, this.#reading(offerTools));
        if (reply.calls.length > 0) return reply;
      }
      if (!this.#repair.recovers(error, this.#hasShown)) throw error;
      return undefined;
    }
  }

  async *#callModel(offerTools: boolean): AsyncGenerator<AgentEvent, ModelAnswer> {
    const { modelName, definitions, fitted } = this.#prepared;
    const step = this.#deadline.step(this.#options.stepTimeoutMs);
    const call: LanguageModelV4CallOptions & { abortSignal: AbortSignal } = {
      prompt: fitted(this.#repair.prompt(this.#messages, offerTools, this.#calls.standstill)),
      abortSignal: step.signal,
      ...(offerTools && definitions.length > 0 && { tools: definitions }),
    };
    const startedAt = performance.now();
    let answer: ModelAnswer | undefined;
    let failure: unknown;
    try {
      const isStreamed = this.#streaming && this.#repair.canStream;
      const sent = yield* isStreamed ? this.#stream(call) : this.#generate(call);
      const { prompt, tools = [] } = call;
      const reply = { ...sent, usage: completeUsage(sent.usage, { prompt, tools }, sent.bytes) };
      answer = reply;
      if (reply.finish === 'broken') {
        throw Object.assign(new Error(`The answer broke off: ${reply.rawReason}`), { statusCode: 200 });
      }
      this.#repair.received();
      this.#habits.saw(modelName.modelId, reply);
      noteFallback(reply.answeredBy, modelName, this.notes);
      this.#checkPromptSize(call, sent);
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
        const sent = { prompt: call.prompt, tools: call.tools ?? [] };
        const model = answer?.answeredBy ?? modelName;
        this.#bus.emit(modelCalled, { scope, model, ...sent, answer, error: failure, durationMs });
      }
    }
  }

  async *#stream(
    call: LanguageModelV4CallOptions & { abortSignal: AbortSignal },
  ): AsyncGenerator<AgentEvent, ModelAnswer> {
    const deltas = stream(this.#prepared.model, call, this.#reading(call.tools !== undefined));
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
        if (!hasText && this.#isBegun) yield { type: 'text', text: '\n\n' };
        hasText = true;
        this.#hasShown = true;
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
    const reply = await generate(this.#prepared.model, call, this.#reading(call.tools !== undefined));
    if (reply.reasoning !== '') yield { type: 'reasoning', text: reply.reasoning };
    if (reply.text !== '') yield { type: 'text', text: this.#paragraph(reply.text) };
    return reply;
  }

  #paragraph(text: string): string {
    return this.#isBegun ? `\n\n${text}` : text;
  }

  #reading(offersTools: boolean): Reading {
    const { tools } = this.#prepared;
    const canQuery = offersTools && tools.offered.names.includes(QUERY_TOOL);
    return {
      answerBytes: this.#options.answerBytes,
      usedIds: this.#callIds,
      tools: tools.offered,
      expects: {
        thoughts: this.#habits.expects(this.modelName.modelId),
        query: canQuery && this.#calls.tables.length === 0 && !asksForQuery(this.#asked),
      },
    };
  }

  /** Warns when the server has cut the prompt. */
  #checkPromptSize({ prompt, tools }: LanguageModelV4CallOptions, { usage, answeredBy }: ModelAnswer): void {
    const reportedTokens = usage.inputTokens;
    const { modelName, isChosen, tools: toolbox } = this.#prepared;
    const sentBytes = sizeOf(prompt, Number.MAX_SAFE_INTEGER) + (tools === undefined ? 0 : toolbox.definitionBytes);
    const message = promptTruncation(sentBytes, reportedTokens, (answeredBy ?? modelName).modelId);
    if (!isChosen) this.#promptHealth.answered(message);
    // Every call of the question meets the same context.
    if (message === undefined || this.notes.list.some(({ code }) => code === 'prompt_truncated')) return;
    this.notes.add({ code: 'prompt_truncated', message });
    this.#bus.logOf(this.#deadline.scope).warn({ model: modelName, reportedTokens }, message);
  }

  *#finish(reply: ModelAnswer, steps: number, finishReason: Answer['finishReason']): Generator<AgentEvent, void> {
    const asked = clarificationOf(this.#memory);
    let text = asked === undefined ? reply.text : clarificationText(asked);
    if (asked !== undefined) yield { type: 'text', text: this.#paragraph(text) };
    if (text.trim() === '' && finishReason === 'stop' && reply.finish === 'done') {
      text = this.#lastText;
    }
    const hasText = text.trim() !== '';
    if (!hasText) {
      const isSpent = this.#budget.isSpent;
      const isStuck = this.#calls.standstill !== undefined;
      text = fallbackAnswer(noAnswerOf(reply, finishReason, isSpent, isStuck), {
        model: this.#prepared.modelName,
        maxSteps: this.#options.maxSteps,
        lastError: this.#calls.tables.length === 0 ? this.#calls.lastError : undefined,
        hasTables: this.#calls.tables.length > 0,
      });
      yield { type: 'text', text: this.#paragraph(text) };
    }
    const ending = hasText ? filteredEnding(reply, this.#prepared.modelName) : undefined;
    if (ending !== undefined) {
      text += `\n\n${ending}`;
      yield { type: 'text', text: `\n\n${ending}` };
    }
    if (hasText && reply.finish === 'length') noteCut(this.modelName, this.notes);
    noteTables(this.#calls.tables, this.notes);
    const outcome =
      asked !== undefined
        ? 'clarify'
        : outcomeOf({
            declared: declaredOutcome(reply.metadata),
            hasText,
            isWithheld: reply.finish === 'withheld',
            tables: this.#calls.tables,
            lastCallFailed: this.#calls.lastCallFailed,
            awaitsApproval: this.notes.list.some(({ code }) => code === APPROVAL_PENDING),
          });
    const choices = asked?.choices ?? (outcome === 'clarify' ? choicesIn(text) : []);
    const verified = outcome === 'answered' ? verificationOf(this.#memory, this.#calls.tables) : undefined;
    const answer: Answer = {
      text,
      outcome,
      ...(verified !== undefined && { verified }),
      ...(choices.length > 0 && { choices }),
      notes: this.notes.list,
      sql: this.#calls.tables.map(({ sql }) => sql),
      data: this.#calls.tables,
      steps,
      usage: this.#usage,
      pendingActions: this.#calls.pendingActions,
      finishReason,
    };
    yield { type: 'finish', answer };
  }
}
