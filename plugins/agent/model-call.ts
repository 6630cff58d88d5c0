/** Calls the model, streamed or not, and assembles its answer. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolCall,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider';
import type { Outcome, Usage } from './api.ts';
import { untilAborted } from './deadlines.ts';
import { declaredOutcome } from './outcome.ts';
import { sizeOf } from './size.ts';
import { type ToolCall, toolCall } from './tools/tool-call.ts';

type AssistantPart = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'][number];

/** A piece of an answer as it arrives. */
export interface ModelDelta {
  readonly type: 'text' | 'reasoning';
  readonly text: string;
}

export interface ModelAnswer {
  /** Sent back to the model in the next step: text, reasoning and calls in order, with the provider's metadata. */
  readonly content: readonly AssistantPart[];
  readonly text: string;
  readonly reasoning: string;
  /** Only the first call when there were too many, to carry the refusal. */
  readonly calls: readonly ToolCall[];
  readonly finish: 'done' | 'length' | 'withheld' | 'broken' | 'too-many-calls';
  /** The provider interface's finish reason: `stop`, `length`, `tool-calls`, … */
  readonly reason: string;
  readonly usage: Usage;
  /** How the question ended, where the model says so itself. */
  readonly outcome: Outcome | undefined;
  /** Memory of the whole answer. */
  readonly bytes: number;
  /** The answer was cut, so the model may still be generating. */
  readonly isCut: boolean;
}

/** Largest number of calls in one step; more are refused together. */
export const MAX_CALLS = 64;
/** Largest number of text and reasoning parts in one step. */
const MAX_PARTS = 1_024;
/** Limit of reasoning and provider metadata in one step: encrypted reasoning is long. */
const MAX_REASONING_BYTES = 512 * 1024;
/** Time for which buffered parts are read before yielding to the event loop. */
const TIME_SLICE_MS = 10;

/** Finish reasons of the provider interface; any other means that the model had finished. */
const FINISH = new Map<string, ModelAnswer['finish']>([
  ['length', 'length'],
  ['content-filter', 'withheld'],
  ['error', 'broken'],
  ['interrupted', 'broken'],
]);

type OpenPart = { type: 'text' | 'reasoning'; text: string; providerOptions?: SharedV4ProviderMetadata };

const optionsFrom = (metadata: SharedV4ProviderMetadata | undefined) =>
  metadata === undefined ? {} : { providerOptions: metadata };

/** Assembles an answer from its parts and cuts it when it is too long. */
class AnswerBuilder {
  readonly #parts: AssistantPart[] = [];
  readonly #open = new Map<string, OpenPart>();
  readonly #calls: ToolCall[] = [];
  readonly #answerBytes: number;
  readonly #usedIds: Set<string>;
  /** Bytes already counted of arguments that arrive in pieces, by call. */
  readonly #argumentBytes = new Map<string, number>();
  #announcedCalls = 0;
  #firstAnnounced: LanguageModelV4ToolCall | undefined;
  #bytes = 0;
  #reasoningBytes = 0;
  #text = '';
  #reasoning = '';
  #cut: 'length' | 'too-many-calls' | undefined;
  #finish: ModelAnswer['finish'] = 'broken';
  #reason = 'error';
  #usage: Usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
  #outcome: Outcome | undefined;

  /** `usedIds`: ids of the question's calls so far; those of this answer are added. */
  constructor(answerBytes: number, usedIds: Set<string>) {
    this.#answerBytes = answerBytes;
    this.#usedIds = usedIds;
  }

  /** Whether the answer was cut; nothing more is added. */
  get isCut(): boolean {
    return this.#cut !== undefined;
  }

  /** Adds as much of a text as fits and returns it. */
  text(id: string, delta: string, metadata?: SharedV4ProviderMetadata): string {
    const room = this.#answerBytes - this.#bytes;
    const bytes = Buffer.byteLength(delta);
    this.#count(bytes);
    const fitting = bytes <= room ? delta : beginning(delta, room);
    this.#text += fitting;
    this.#add('text', id, fitting, metadata);
    return fitting;
  }

  /** Adds reasoning, and returns it unless there is too much of it. */
  reasoning(id: string, delta: string, metadata?: SharedV4ProviderMetadata): string {
    this.#countReasoning(Buffer.byteLength(delta));
    if (this.isCut) return '';
    this.#reasoning += delta;
    this.#add('reasoning', id, delta, metadata);
    return delta;
  }

  /** Counts a call whose arguments are still to come, so that too many calls are refused early. */
  announceCall(toolCallId: string, toolName: string): void {
    this.#announcedCalls += 1;
    this.#firstAnnounced ??= { type: 'tool-call', toolCallId, toolName, input: '{}' };
    if (this.#announcedCalls <= MAX_CALLS || this.isCut) return;
    this.#cut = 'too-many-calls';
    if (this.#calls.length === 0) this.#take(this.#firstAnnounced);
  }

  /** Counts a piece of arguments, so that endless arguments are cut early. */
  argumentDelta(id: string, delta: string): void {
    const bytes = Buffer.byteLength(delta);
    if (bytes === 0) return;
    this.#argumentBytes.set(id, (this.#argumentBytes.get(id) ?? 0) + bytes);
    this.#count(bytes);
  }

  call(sent: LanguageModelV4ToolCall): void {
    if (this.#calls.length === MAX_CALLS) this.#cut ??= 'too-many-calls';
    const input: unknown = sent.input;
    const bytes = typeof input === 'string' ? Buffer.byteLength(input) : sizeOf(input, this.#answerBytes);
    this.#count(Math.max(0, bytes - (this.#argumentBytes.get(sent.toolCallId) ?? 0)));
    this.#argumentBytes.delete(sent.toolCallId);
    this.#countReasoning(metadataBytes(sent.providerMetadata));
    if (!this.isCut) this.#take(sent);
  }

  #take(sent: LanguageModelV4ToolCall): void {
    const call = toolCall(sent, this.#usedIds);
    this.#calls.push(call);
    const { modelCallId: toolCallId, toolName, args } = call;
    // Arguments that did not parse are not sent back: providers refuse broken JSON in messages.
    const own = typeof args === 'object' ? args : {};
    this.#parts.push({ type: 'tool-call', toolCallId, toolName, input: own, ...optionsFrom(sent.providerMetadata) });
  }

  end(finish: string, usage: LanguageModelV4Usage | undefined, metadata: SharedV4ProviderMetadata | undefined): void {
    this.#outcome = declaredOutcome(metadata);
    const [inputTokens, outputTokens] = [tokens(usage?.inputTokens?.total), tokens(usage?.outputTokens?.total)];
    this.#finish = FINISH.get(finish) ?? 'done';
    this.#reason = finish;
    this.#usage = { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens };
  }

  answer(): ModelAnswer {
    const tooMany = this.#cut === 'too-many-calls';
    // Calls of an answer that was cut may be incomplete.
    const calls = this.#cut === 'length' ? [] : tooMany ? this.#calls.slice(0, 1) : this.#calls;
    const firstId = calls[0]?.modelCallId;
    return {
      content: this.#parts.filter((part) =>
        part.type === 'tool-call' ? !tooMany || part.toolCallId === firstId : part.type !== 'text' || part.text !== '',
      ),
      text: this.#text,
      reasoning: this.#reasoning,
      calls,
      finish: this.#cut ?? this.#finish,
      reason: this.#cut === undefined ? this.#reason : tooMany ? 'tool-calls' : 'length',
      usage: this.#usage,
      outcome: this.#outcome,
      bytes: this.#bytes + this.#reasoningBytes,
      isCut: this.isCut,
    };
  }

  #add(type: OpenPart['type'], id: string, delta: string, metadata: SharedV4ProviderMetadata | undefined): void {
    const key = `${type} ${id}`;
    let part = this.#open.get(key);
    if (part === undefined) {
      if (this.#open.size === MAX_PARTS) {
        this.#cut ??= 'length';
        return;
      }
      part = { type, text: '' };
      this.#open.set(key, part);
      this.#parts.push(part);
    }
    part.text += delta;
    if (metadata === undefined) return;
    this.#countReasoning(metadataBytes(metadata) - metadataBytes(part.providerOptions));
    part.providerOptions = metadata;
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#answerBytes) this.#cut ??= 'length';
  }

  #countReasoning(bytes: number): void {
    this.#reasoningBytes += bytes;
    if (this.#reasoningBytes > MAX_REASONING_BYTES) this.#cut ??= 'length';
  }
}

const tokens = (count: unknown) => (Number.isSafeInteger(count) && Number(count) > 0 ? Number(count) : 0);

const metadataBytes = (metadata: SharedV4ProviderMetadata | undefined) =>
  metadata === undefined ? 0 : sizeOf(metadata, MAX_REASONING_BYTES);

/** The beginning of a text in at most `bytes` bytes, without half a character. */
function beginning(text: string, bytes: number): string {
  const cut = Buffer.from(text).subarray(0, Math.max(0, bytes)).toString('utf8');
  return cut.replace(/\uFFFD$/, '');
}

/** Calls the model without streaming. Rejects with the model's error, or when the signal is aborted. */
export async function generate(
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions & { abortSignal: AbortSignal },
  answerBytes: number,
  usedIds: Set<string>,
): Promise<ModelAnswer> {
  const { content, finishReason, usage, providerMetadata } = await untilAborted(
    model.doGenerate(options),
    options.abortSignal,
  );
  const builder = new AnswerBuilder(answerBytes, usedIds);
  builder.end(finishReason.unified, usage, providerMetadata);
  for (const [index, part] of content.entries()) {
    if (part.type === 'text') builder.text(`${index}`, part.text, part.providerMetadata);
    else if (part.type === 'reasoning') builder.reasoning(`${index}`, part.text, part.providerMetadata);
    else if (part.type === 'tool-call' && part.providerExecuted !== true) builder.call(part);
    if (builder.isCut) break;
  }
  return builder.answer();
}

/** Calls the model with streaming: yields text and reasoning, returns the whole answer. Leaving it cancels the stream. */
export async function* stream(
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions & { abortSignal: AbortSignal },
  answerBytes: number,
  usedIds: Set<string>,
): AsyncGenerator<ModelDelta, ModelAnswer> {
  const { abortSignal } = options;
  const reader = (await streamOf(model, options)).getReader();
  const builder = new AnswerBuilder(answerBytes, usedIds);
  let turnAt = performance.now();
  try {
    for (;;) {
      const { done, value } = await untilAborted(reader.read(), abortSignal);
      if (done) return builder.answer();
      const delta = addPart(builder, value);
      if (delta !== undefined && delta.text !== '') yield delta;
      if (builder.isCut) return builder.answer();
      if (performance.now() - turnAt < TIME_SLICE_MS) continue;
      await nextTurn();
      turnAt = performance.now();
    }
  } finally {
    // Cancels only the reading; the caller aborts the call itself.
    reader.cancel().catch(() => {});
  }
}

async function streamOf(
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions & { abortSignal: AbortSignal },
): Promise<ReadableStream<LanguageModelV4StreamPart>> {
  const called = model.doStream(options);
  try {
    return (await untilAborted(called, options.abortSignal)).stream;
  } catch (error) {
    // A model that ignores the abort may still return a stream, which must not be left open.
    called.then(
      ({ stream }) => void stream.cancel().catch(() => {}),
      () => {},
    );
    throw error;
  }
}

/** Adds one part of a stream; returns what clients see of it. Throws the error of an error part. */
function addPart(builder: AnswerBuilder, part: LanguageModelV4StreamPart): ModelDelta | undefined {
  switch (part.type) {
    case 'text-start':
    case 'text-end':
      builder.text(part.id, '', part.providerMetadata);
      return;
    case 'text-delta':
      return { type: 'text', text: builder.text(part.id, part.delta, part.providerMetadata) };
    case 'reasoning-start':
    case 'reasoning-end':
      builder.reasoning(part.id, '', part.providerMetadata);
      return;
    case 'reasoning-delta':
      return { type: 'reasoning', text: builder.reasoning(part.id, part.delta, part.providerMetadata) };
    case 'tool-input-start':
      if (part.providerExecuted !== true) builder.announceCall(part.id, part.toolName);
      return;
    case 'tool-input-delta':
      builder.argumentDelta(part.id, part.delta);
      return;
    case 'tool-call':
      if (part.providerExecuted !== true) builder.call(part);
      return;
    case 'finish':
      builder.end(part.finishReason.unified, part.usage, part.providerMetadata);
      return;
    case 'error':
      throw part.error;
  }
}
