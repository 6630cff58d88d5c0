/** Makes the model calls of one question: with their deadline, their usage and what observers are told of them. */
import type { LanguageModelV4CallOptions, LanguageModelV4Message } from '@ai-sdk/provider';
import { messageOf, messagesOf } from '../../kernel/index.ts';
import {
  asksForQuery,
  completeUsage,
  type ModelAnswer,
  providerError,
  QUERY_TOOL,
  type Reading,
  sizeOf,
  type ThoughtHabits,
} from '../model-kit/index.ts';
import type { AgentEvent } from './api.ts';
import { abortError, type QuestionDeadline } from './deadlines.ts';
import { type Bus, modelCalled } from './events.ts';
import { answerFromText, generate, stream } from './model-call.ts';
import type { AnswerNotes } from './notes.ts';
import type { AgentOptions } from './options.ts';
import { noteFallback } from './outcome.ts';
import type { Preparation } from './preparation.ts';
import type { PromptHealth } from './prompt-health.ts';
import { promptTruncation } from './prompt-size.ts';
import type { Repair } from './repair.ts';

type CallOptions = LanguageModelV4CallOptions & { readonly abortSignal: AbortSignal };

export interface ModelCallerInit {
  readonly prepared: Preparation;
  readonly deadline: QuestionDeadline;
  readonly options: AgentOptions;
  readonly bus: Bus;
  readonly promptHealth: PromptHealth;
  readonly habits: ThoughtHabits;
  readonly repair: Repair;
  readonly notes: AnswerNotes;
  readonly streaming: boolean;
}

export interface ModelCall {
  readonly messages: LanguageModelV4Message[];
  readonly offersTools: boolean;
  /** Why no further tool call is made. */
  readonly standstill: string | undefined;
  /** Whether a query has brought something. */
  readonly hasTables: boolean;
  /** Whether the text of the call follows another one as a paragraph. */
  readonly isBegun: boolean;
  /** Of another answer to what was sent before, of which the user sees nothing. */
  readonly temperature?: number;
}

export class ModelCaller {
  readonly #init: ModelCallerInit;
  readonly #callIds = new Set<string>();
  /** Whether the user has read a text of the last call. */
  hasShown = false;

  constructor(init: ModelCallerInit) {
    this.#init = init;
  }

  /** Reads a text as the answer to a call that the server has refused because of what it could not read. */
  refused(text: string, asked: ModelCall): ModelAnswer {
    return answerFromText(text, this.#reading(asked, asked.offersTools));
  }

  async *call(asked: ModelCall): AsyncGenerator<AgentEvent, ModelAnswer> {
    const { prepared, deadline, options, bus, habits, repair, notes, streaming } = this.#init;
    const { modelName, definitions, fitted } = prepared;
    const { offersTools, temperature } = asked;
    this.hasShown = false;
    const step = deadline.step(options.stepTimeoutMs);
    const call: CallOptions = {
      prompt: fitted(repair.prompt(asked.messages, offersTools, asked.standstill)),
      abortSignal: step.signal,
      ...(offersTools && definitions.length > 0 && { tools: definitions }),
      ...(temperature !== undefined && { temperature }),
    };
    const startedAt = performance.now();
    let answer: ModelAnswer | undefined;
    let failure: unknown;
    try {
      const isStreamed = streaming && repair.canStream && temperature === undefined;
      const sent = yield* isStreamed ? this.#stream(call, asked) : this.#generate(call, asked);
      const { prompt, tools = [] } = call;
      const reply = { ...sent, usage: completeUsage(sent.usage, { prompt, tools }, sent.bytes) };
      answer = reply;
      if (reply.finish === 'broken') {
        throw Object.assign(new Error(`The answer broke off: ${reply.rawReason}`), { statusCode: 200 });
      }
      repair.received();
      habits.saw(modelName.modelId, reply);
      noteFallback(reply.answeredBy, modelName, notes);
      this.#checkPromptSize(call, sent);
      return reply;
    } catch (error) {
      failure = step.signal.aborted ? abortError(step.signal) : providerError(error, modelName);
      if (failure !== error && !step.signal.aborted) {
        bus.logOf(deadline.scope).error({ model: modelName, error: messagesOf(error) }, messageOf(failure));
      }
      throw failure;
    } finally {
      step.end(answer === undefined || answer.isCut);
      if (bus.hasListeners(modelCalled)) {
        const { scope } = deadline;
        const durationMs = performance.now() - startedAt;
        const sent = { prompt: call.prompt, tools: call.tools ?? [] };
        const model = answer?.answeredBy ?? modelName;
        bus.emit(modelCalled, { scope, model, ...sent, answer, error: failure, durationMs });
      }
    }
  }

  async *#stream(call: CallOptions, asked: ModelCall): AsyncGenerator<AgentEvent, ModelAnswer> {
    const deltas = stream(this.#init.prepared.model, call, this.#reading(asked, call.tools !== undefined));
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
        if (!hasText && asked.isBegun) yield { type: 'text', text: '\n\n' };
        hasText = true;
        this.hasShown = true;
        yield value;
      }
    } finally {
      await deltas.return(undefined as never);
    }
  }

  /** Calls without streaming; reasoning and text are one event each. */
  async *#generate(call: CallOptions, asked: ModelCall): AsyncGenerator<AgentEvent, ModelAnswer> {
    const reply = await generate(this.#init.prepared.model, call, this.#reading(asked, call.tools !== undefined));
    if (reply.reasoning !== '') yield { type: 'reasoning', text: reply.reasoning };
    if (reply.text !== '') yield { type: 'text', text: asked.isBegun ? `\n\n${reply.text}` : reply.text };
    return reply;
  }

  #reading({ hasTables }: ModelCall, offersTools: boolean): Reading {
    const { prepared, options, habits } = this.#init;
    const { tools, question, modelName } = prepared;
    const canQuery = offersTools && tools.offered.names.includes(QUERY_TOOL);
    return {
      answerBytes: options.answerBytes,
      usedIds: this.#callIds,
      tools: tools.offered,
      expects: {
        thoughts: habits.expects(modelName.modelId),
        query: canQuery && !hasTables && !asksForQuery(question.turns.at(-1)?.text ?? ''),
      },
    };
  }

  /** Warns when the server has cut the prompt. */
  #checkPromptSize({ prompt, tools }: LanguageModelV4CallOptions, { usage, answeredBy }: ModelAnswer): void {
    const { prepared, promptHealth, notes, bus, deadline } = this.#init;
    const reportedTokens = usage.inputTokens;
    const { modelName, isChosen, tools: toolbox } = prepared;
    const sentBytes = sizeOf(prompt, Number.MAX_SAFE_INTEGER) + (tools === undefined ? 0 : toolbox.definitionBytes);
    const message = promptTruncation(sentBytes, reportedTokens, (answeredBy ?? modelName).modelId);
    if (!isChosen) promptHealth.answered(message);
    // Every call of the question meets the same context.
    if (message === undefined || notes.list.some(({ code }) => code === 'prompt_truncated')) return;
    notes.add({ code: 'prompt_truncated', message });
    bus.logOf(deadline.scope).warn({ model: modelName, reportedTokens }, message);
  }
}
