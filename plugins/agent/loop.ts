/**
 * The tool loop: ask the model, run the tools that it calls, tell it the results, until it answers. One loop serves
 * streaming and not, directly over the AI SDK's provider interface.
 */
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4ToolResultOutput,
} from '@ai-sdk/provider';
import {
  AtlasError,
  messageOf,
  type PendingAction,
  type Question,
  type Scope,
  type ToolOutcome,
  type ToolTable,
} from '../../kernel/index.ts';
import { abortError, QuestionTime, untilAborted } from './deadlines.ts';
import type { AgentEvent, Answer, Usage } from './events.ts';
import { generate, type ModelAnswer, stream } from './model-call.ts';
import type { AgentOptions } from './options.ts';
import { type ModelName, providerError } from './provider-errors.ts';
import { argumentsOf, type Toolbox, type ToolCall } from './tools.ts';

/** What a question needs before its first step. */
interface Preparation {
  readonly question: Question;
  readonly model: LanguageModelV4;
  readonly modelName: ModelName;
  readonly tools: Toolbox;
  readonly system: string;
  readonly conversation: readonly LanguageModelV4Message[];
}

export type Prepare = (question: Question, scope: Scope) => Promise<Preparation>;

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
} as const;

/** Works on one question until the answer; see `Agent`. `streaming` chooses how the model is called. */
export async function* work(
  prepare: Prepare,
  asked: Question,
  parent: Scope,
  options: AgentOptions,
  streaming: boolean,
): AsyncGenerator<AgentEvent, void> {
  const time = new QuestionTime(parent, options.requestTimeoutMs);
  let conversation: Conversation | undefined;
  try {
    const ready = await untilAborted(prepare(asked, time.scope), time.scope.signal);
    conversation = new Conversation(ready, time, options, streaming);
    yield* conversation.run();
  } catch (error) {
    if (time.scope.signal.aborted) throw abortError(time.scope.signal);
    throw error;
  } finally {
    time.end(conversation?.finished !== true);
  }
}

/** One question on its way through the steps. */
class Conversation {
  readonly #ready: Preparation;
  readonly #time: QuestionTime;
  readonly #options: AgentOptions;
  readonly #streaming: boolean;
  readonly #messages: LanguageModelV4Message[];
  readonly #memory = new Map<string, unknown>();
  readonly #tables: ToolTable[] = [];
  readonly #pendingActions: PendingAction[] = [];
  #usage: Usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
  /** What the model said last before it called a tool. */
  #saidBefore = '';
  /** The answer is complete: nothing is left to be cancelled. */
  finished = false;

  constructor(ready: Preparation, time: QuestionTime, options: AgentOptions, streaming: boolean) {
    this.#ready = ready;
    this.#time = time;
    this.#options = options;
    this.#streaming = streaming;
    this.#messages = [{ role: 'system', content: ready.system }, ...ready.conversation];
  }

  async *run(): AsyncGenerator<AgentEvent, void> {
    const { maxSteps } = this.#options;
    for (let step = 1; ; step += 1) {
      // Without tools the model has to answer with what it has. A single step keeps them, or it could look nothing up.
      const offerTools = step < maxSteps || step === 1;
      const said = yield* this.#callModel(offerTools);
      this.#count(said.usage);
      const calls = offerTools && said.finish !== 'length' ? said.calls : [];
      if (calls.length === 0) {
        yield* this.#finish(said, step, said.calls.length > 0 || said.finish === 'length' ? 'length' : 'stop');
        return;
      }
      this.#messages.push({ role: 'assistant', content: [...said.content] });
      yield* this.#runTools(calls);
      if (said.text !== '') this.#saidBefore = said.text;
      if (step === maxSteps) {
        yield* this.#finish({ ...said, text: '', finish: 'length' }, step, 'length');
        return;
      }
    }
  }

  async *#callModel(offerTools: boolean): AsyncGenerator<AgentEvent, ModelAnswer> {
    const { model, modelName, tools } = this.#ready;
    const step = this.#time.step(this.#options.stepTimeoutMs);
    const call: LanguageModelV4CallOptions & { abortSignal: AbortSignal } = {
      prompt: offerTools ? this.#messages : this.#lastPrompt(),
      abortSignal: step.signal,
      ...(offerTools && tools.definitions.length > 0 && { tools: tools.definitions }),
    };
    let complete = false;
    try {
      const said = this.#streaming ? yield* this.#stream(call) : await generate(model, call, this.#options.answerBytes);
      complete = said.finish !== 'length';
      if (said.finish === 'broken') {
        throw new AtlasError(`The answer of the model provider "${modelName.provider}" broke off.`, {
          code: 'provider_error',
          reason: 'E_MODEL_BROKE_OFF',
          hint: 'Ask again.',
        });
      }
      return said;
    } catch (error) {
      if (step.signal.aborted) throw abortError(step.signal);
      const failure = providerError(error, modelName);
      if (failure !== error) {
        const { requestId, log } = this.#time.scope;
        log.error({ requestId, model: modelName, error: messageOf(error) }, failure.message);
      }
      throw failure;
    } finally {
      step.end(!complete);
    }
  }

  async *#stream(
    call: LanguageModelV4CallOptions & { abortSignal: AbortSignal },
  ): AsyncGenerator<AgentEvent, ModelAnswer> {
    const events = stream(this.#ready.model, call, this.#options.answerBytes);
    let spoke = false;
    try {
      for (;;) {
        const { done, value } = await events.next();
        if (done) return value;
        if (value.type === 'call') {
          yield callEvent(value.call);
          continue;
        }
        // What is said before and after a tool call are two paragraphs.
        if (!spoke && this.#saidBefore !== '') yield { type: 'text', text: '\n\n' };
        spoke = true;
        yield value;
      }
    } finally {
      await events.return(undefined as never);
    }
  }

  #lastPrompt(): LanguageModelV4Message[] {
    const [, ...rest] = this.#messages;
    return [{ role: 'system', content: `${this.#ready.system}\n\n${LAST_STEP}` }, ...rest];
  }

  /** Runs the calls of one step and tells client and model the results, in the order of the calls. */
  async *#runTools(calls: readonly ToolCall[]): AsyncGenerator<AgentEvent, void> {
    const results: Extract<LanguageModelV4Message, { role: 'tool' }>['content'] = [];
    for (let start = 0; start < calls.length; start += PARALLEL_CALLS) {
      const group = calls.slice(start, start + PARALLEL_CALLS);
      const running = group.map((call, index) => this.#runTool(call, start + index));
      for (const outcome of running) outcome.catch(() => {});
      for (const [index, call] of group.entries()) {
        const { toolCallId, toolName } = call;
        const outcome = (await running[index]) as ToolOutcome;
        if (outcome.table !== undefined) this.#tables.push(outcome.table);
        if (outcome.pendingAction !== undefined) this.#pendingActions.push(outcome.pendingAction);
        yield { type: 'tool-result', toolCallId, toolName, result: outcome.forClient ?? outcome.forModel };
        results.push({ type: 'tool-result', toolCallId, toolName, output: forModel(outcome) });
      }
    }
    this.#messages.push({ role: 'tool', content: results });
  }

  #runTool(call: ToolCall, index: number): Promise<ToolOutcome> {
    if (index >= CALLS_PER_STEP) {
      const error = `Not run: more than ${CALLS_PER_STEP} calls in one step.`;
      return Promise.resolve({ forModel: { error, hint: 'Make fewer calls, each for more.' } });
    }
    const { scope } = this.#time;
    const { question, tools } = this.#ready;
    return untilAborted(tools.run(call, { scope, question, memory: this.#memory }), scope.signal);
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
      text = WITHOUT_WORDS[finishReason === 'length' || said.finish === 'broken' ? 'length' : said.finish];
      if (this.#streaming) yield { type: 'text', text: this.#saidBefore === '' ? text : `\n\n${text}` };
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
    this.finished = true;
    yield { type: 'finish', answer };
  }
}

/** A result as the model reads it: rows and file text carry the mark that the instructions explain. */
function forModel({ forModel: value }: ToolOutcome): LanguageModelV4ToolResultOutput {
  const data = typeof value === 'object' && value !== null && !Array.isArray(value) ? value : { value };
  return { type: 'json', value: ('error' in data ? data : { untrustedData: true, ...data }) as never };
}

const callEvent = (call: ToolCall): AgentEvent => ({
  type: 'tool-call',
  toolCallId: call.toolCallId,
  toolName: call.toolName,
  args: argumentsOf(call),
});
