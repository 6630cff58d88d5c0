/**
 * Runs the tool loop: calls the model, runs the tools it asks for and returns their results to it, until it answers.
 * One loop serves streaming and non-streaming calls, directly over the AI SDK's provider interface.
 */
import type { LanguageModelV4Message } from '@ai-sdk/provider';
import type { Awaitable, Question, Scope } from '../../kernel/index.ts';
import {
  asksForQuery,
  failedGeneration,
  type ModelAnswer,
  type ModelName,
  QUERY_TOOL,
  sizeOf,
  type ThoughtHabits,
  type ToolCall,
} from '../model-kit/index.ts';
import type { SqlDialect } from '../sql-kit/index.ts';
import type { ReviewedRun } from './answer-review.ts';
import type { AgentEvent, Answer, AnswerNote, Usage } from './api.ts';
import type { QuestionBudget } from './budget.ts';
import { choicesIn, clarificationOf, clarificationText } from './clarification.ts';
import type { QuestionDeadline } from './deadlines.ts';
import type { Bus } from './events.ts';
import { fallbackAnswer, filteredEnding, noAnswerOf } from './fallback-answer.ts';
import { type ModelCall, ModelCaller } from './model-caller.ts';
import { notesOf } from './notes.ts';
import type { AgentOptions } from './options.ts';
import { declaredOutcome, noteCut, noteTables, outcomeOf } from './outcome.ts';
import { APPROVAL_PENDING } from './pending-approval.ts';
import type { Preparation } from './preparation.ts';
import type { PromptHealth } from './prompt-health.ts';
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
  dialectOf(connectionId: string | undefined, scope: Scope): Promise<SqlDialect | undefined>;
  readonly options: AgentOptions;
  readonly bus: Bus;
  readonly promptHealth: PromptHealth;
  readonly habits: ThoughtHabits;
  readonly describe: DescribeTable;
}

/** High enough for other statements, and low enough for sound ones. */
const CANDIDATE_TEMPERATURE = 0.7;

/** The steps of one question. */
export class QuestionRun implements ReviewedRun {
  readonly #prepared: Preparation;
  readonly #deadline: QuestionDeadline;
  readonly #options: AgentOptions;
  readonly #limit: LoopRuntime['limit'];
  readonly #budget: QuestionBudget;
  readonly #messages: LanguageModelV4Message[];
  readonly #memory = new Map<string, unknown>();
  #usage: Usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
  readonly #calls: CallRunner;
  readonly #model: ModelCaller;
  readonly #repair = new Repair();
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
    { limit, dialectOf, options, bus, promptHealth, habits, describe }: LoopRuntime,
    budget: QuestionBudget,
    streaming: boolean,
  ) {
    this.#prepared = prepared;
    this.#deadline = deadline;
    this.#options = options;
    this.#limit = limit;
    const retry = {
      again: () => this.#again(),
      dialectOf: (connectionId?: string) => dialectOf(connectionId, deadline.scope),
    };
    this.#calls = new CallRunner({
      ...{ prepared, deadline, budget, bus, options, memory: this.#memory, describe },
      ...(options.candidates > 1 && !prepared.isOffline && { retry }),
    });
    this.#budget = budget;
    const { notes } = this;
    const calling = { prepared, deadline, options, bus, promptHealth, habits, notes, streaming };
    this.#model = new ModelCaller({ ...calling, repair: this.#repair });
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
    for (;;) {
      const step = beginStep(this.#memory, this.#steps + 1);
      this.#steps = step;
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
      yield* this.#finish({ ...reply, text: '', finish: 'done' }, this.#steps, isAsked ? 'stop' : 'length');
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
    const call = this.#callOf(offerTools);
    try {
      return yield* this.#model.call(call);
    } catch (error) {
      if (isLast || this.#deadline.scope.signal.aborted) throw error;
      const refused = failedGeneration(error);
      if (refused !== undefined && !this.#model.hasShown) {
        const reply = this.#model.refused(refused, call);
        if (reply.calls.length > 0) return reply;
      }
      if (!this.#repair.recovers(error, this.#model.hasShown)) throw error;
      return undefined;
    }
  }

  #callOf(offersTools: boolean): ModelCall {
    const { standstill, tables } = this.#calls;
    return {
      messages: this.#messages,
      offersTools,
      standstill,
      hasTables: tables.length > 0,
      isBegun: this.#isBegun,
    };
  }

  /** Asks the model once more for the step whose calls are running, for another statement. */
  async #again(): Promise<{ readonly call: ToolCall | undefined } | undefined> {
    const { scope } = this.#deadline;
    // The last step is for the answer.
    if (this.#steps + 1 >= this.#options.maxSteps || this.#budget.isSpent) return undefined;
    if ((await this.#limit(this.#prepared.question, scope)) !== undefined) return undefined;
    this.#steps += 1;
    const messages = this.#messages.slice(0, -1);
    const events = this.#model.call({ ...this.#callOf(true), messages, temperature: CANDIDATE_TEMPERATURE });
    try {
      for (;;) {
        const { done, value } = await events.next();
        if (!done) continue;
        this.#usage = sumOfUsage(this.#usage, value.usage);
        const [call, ...others] = value.calls;
        return { call: call?.toolName === QUERY_TOOL && others.length === 0 ? call : undefined };
      }
    } catch (error) {
      if (scope.signal.aborted) throw error;
      return undefined;
    }
  }

  #paragraph(text: string): string {
    return this.#isBegun ? `\n\n${text}` : text;
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
