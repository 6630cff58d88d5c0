/** One call of the model, streamed or not, gathered into what the loop needs next. */
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
import { untilAborted } from './deadlines.ts';
import type { Usage } from './api.ts';
import { sizeOf } from './size.ts';
import { type ToolCall, toolCall } from './tools/tool-call.ts';

type AssistantPart = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'][number];

export interface ModelAnswer {
  /** Goes back to the model in the next step: text, reasoning and calls in their order, with the provider's marks. */
  readonly content: readonly AssistantPart[];
  readonly text: string;
  /** Of too many calls only the first, so that something can be told about them. */
  readonly calls: readonly ToolCall[];
  readonly finish: 'done' | 'length' | 'withheld' | 'broken' | 'too-many-calls';
  /** The provider interface's own word for it: `stop`, `length`, `tool-calls`, … */
  readonly reason: string;
  readonly usage: Usage;
  /** What all of it takes in memory. */
  readonly bytes: number;
  /** It was cut here, so that the model may still be at work. */
  readonly isCut: boolean;
}

/** More calls than this in one step are refused together. */
export const MOST_CALLS = 64;
/** Pieces of text and of reasoning in one step. */
const MOST_PARTS = 1_024;
/** Reasoning and the provider's marks of one step: sealed reasoning is long. */
const LONGEST_REASONING_BYTES = 512 * 1024;
/** How long a stream whose parts are all there is read before others have their turn. */
const LONGEST_TURN_MS = 10;

/** The provider interface's reasons; those not named here mean that the model had finished. */
const FINISH = new Map<string, ModelAnswer['finish']>([
  ['length', 'length'],
  ['content-filter', 'withheld'],
  ['error', 'broken'],
  ['interrupted', 'broken'],
]);

type OpenPart = { type: 'text' | 'reasoning'; text: string; providerOptions?: SharedV4ProviderMetadata };

const marks = (metadata: SharedV4ProviderMetadata | undefined) =>
  metadata === undefined ? {} : { providerOptions: metadata };

/** Puts an answer together from its pieces, and cuts it where it is too long. */
class Assembly {
  readonly #parts: AssistantPart[] = [];
  readonly #open = new Map<string, OpenPart>();
  readonly #calls: ToolCall[] = [];
  readonly #answerBytes: number;
  readonly #usedIds: Set<string>;
  /** Of arguments that arrive in pieces: what is counted already. */
  readonly #argumentBytes = new Map<string, number>();
  #announcedCalls = 0;
  #firstAnnounced: LanguageModelV4ToolCall | undefined;
  #bytes = 0;
  #reasoningBytes = 0;
  #text = '';
  #cut: 'length' | 'too-many-calls' | undefined;
  #finish: ModelAnswer['finish'] = 'broken';
  #reason = 'error';
  #usage: Usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };

  /** `usedIds`: those of the calls so far of the same question, which grow by those of this answer. */
  constructor(answerBytes: number, usedIds: Set<string>) {
    this.#answerBytes = answerBytes;
    this.#usedIds = usedIds;
  }

  /** Nothing more is taken. */
  get isCut(): boolean {
    return this.#cut !== undefined;
  }

  /** Adds what still fits of a text and returns it. */
  text(id: string, delta: string, metadata?: SharedV4ProviderMetadata): string {
    const room = this.#answerBytes - this.#bytes;
    const bytes = Buffer.byteLength(delta);
    this.#count(bytes);
    const fitting = bytes <= room ? delta : beginning(delta, room);
    this.#text += fitting;
    this.#add('text', id, fitting, metadata);
    return fitting;
  }

  reasoning(id: string, delta: string, metadata?: SharedV4ProviderMetadata): void {
    this.#countReasoning(Buffer.byteLength(delta));
    if (!this.isCut) this.#add('reasoning', id, delta, metadata);
  }

  /** A call on its way: counted now, so that too many are refused at once. */
  announceCall(toolCallId: string, toolName: string): void {
    this.#announcedCalls += 1;
    this.#firstAnnounced ??= { type: 'tool-call', toolCallId, toolName, input: '{}' };
    if (this.#announcedCalls <= MOST_CALLS || this.isCut) return;
    this.#cut = 'too-many-calls';
    if (this.#calls.length === 0) this.#take(this.#firstAnnounced);
  }

  /** Arguments on their way: counted now, so that those without end are given up. */
  argumentDelta(id: string, delta: string): void {
    const bytes = Buffer.byteLength(delta);
    if (bytes === 0) return;
    this.#argumentBytes.set(id, (this.#argumentBytes.get(id) ?? 0) + bytes);
    this.#count(bytes);
  }

  call(sent: LanguageModelV4ToolCall): void {
    if (this.#calls.length === MOST_CALLS) this.#cut ??= 'too-many-calls';
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
    // Arguments that did not parse are not sent back: providers refuse a history that holds broken JSON.
    const own = typeof args === 'object' ? args : {};
    this.#parts.push({ type: 'tool-call', toolCallId, toolName, input: own, ...marks(sent.providerMetadata) });
  }

  end(finish: string, usage: LanguageModelV4Usage | undefined): void {
    const [inputTokens, outputTokens] = [tokens(usage?.inputTokens?.total), tokens(usage?.outputTokens?.total)];
    this.#finish = FINISH.get(finish) ?? 'done';
    this.#reason = finish;
    this.#usage = { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens };
  }

  answer(): ModelAnswer {
    const tooMany = this.#cut === 'too-many-calls';
    // A call behind the cut may be half of what was meant.
    const calls = this.#cut === 'length' ? [] : tooMany ? this.#calls.slice(0, 1) : this.#calls;
    const firstId = calls[0]?.modelCallId;
    return {
      content: this.#parts.filter((part) =>
        part.type === 'tool-call' ? !tooMany || part.toolCallId === firstId : part.type !== 'text' || part.text !== '',
      ),
      text: this.#text,
      calls,
      finish: this.#cut ?? this.#finish,
      reason: this.#cut === undefined ? this.#reason : tooMany ? 'tool-calls' : 'length',
      usage: this.#usage,
      bytes: this.#bytes + this.#reasoningBytes,
      isCut: this.isCut,
    };
  }

  #add(type: OpenPart['type'], id: string, delta: string, metadata: SharedV4ProviderMetadata | undefined): void {
    const key = `${type} ${id}`;
    let part = this.#open.get(key);
    if (part === undefined) {
      if (this.#open.size === MOST_PARTS) {
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
    if (this.#reasoningBytes > LONGEST_REASONING_BYTES) this.#cut ??= 'length';
  }
}

const tokens = (count: unknown) => (Number.isSafeInteger(count) && Number(count) > 0 ? Number(count) : 0);

const metadataBytes = (metadata: SharedV4ProviderMetadata | undefined) =>
  metadata === undefined ? 0 : sizeOf(metadata, LONGEST_REASONING_BYTES);

/** As much of a text as `bytes` hold, without half of a character. */
function beginning(text: string, bytes: number): string {
  const cut = Buffer.from(text).subarray(0, Math.max(0, bytes)).toString('utf8');
  return cut.replace(/\uFFFD$/, '');
}

/** Calls without streaming. Rejects with what the model throws, or at the abort of the call's signal. */
export async function generate(
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions & { abortSignal: AbortSignal },
  answerBytes: number,
  usedIds: Set<string>,
): Promise<ModelAnswer> {
  const { content, finishReason, usage } = await untilAborted(model.doGenerate(options), options.abortSignal);
  const assembly = new Assembly(answerBytes, usedIds);
  assembly.end(finishReason.unified, usage);
  for (const [index, part] of content.entries()) {
    if (part.type === 'text') assembly.text(`${index}`, part.text, part.providerMetadata);
    else if (part.type === 'reasoning') assembly.reasoning(`${index}`, part.text, part.providerMetadata);
    else if (part.type === 'tool-call' && part.providerExecuted !== true) assembly.call(part);
    if (assembly.isCut) break;
  }
  return assembly.answer();
}

/** Calls with streaming: text as it comes, in the end the whole. Leaving it leaves the model's stream. */
export async function* stream(
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions & { abortSignal: AbortSignal },
  answerBytes: number,
  usedIds: Set<string>,
): AsyncGenerator<string, ModelAnswer> {
  const { abortSignal } = options;
  const reader = (await streamOf(model, options)).getReader();
  const assembly = new Assembly(answerBytes, usedIds);
  let turnAt = performance.now();
  try {
    for (;;) {
      const { done, value } = await untilAborted(reader.read(), abortSignal);
      if (done) return assembly.answer();
      const text = take(assembly, value);
      if (text !== '') yield text;
      if (assembly.isCut) return assembly.answer();
      if (performance.now() - turnAt < LONGEST_TURN_MS) continue;
      await nextTurn();
      turnAt = performance.now();
    }
  } finally {
    // Whoever leaves early aborts the call as well; this only tells the stream that nobody reads on.
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
    // A stream that comes all the same, from a model that takes no notice, has no reader.
    called.then(
      ({ stream }) => void stream.cancel().catch(() => {}),
      () => {},
    );
    throw error;
  }
}

/** Takes one part of a stream in; returns the text that the client is to see. Throws the error that a part carries. */
function take(assembly: Assembly, part: LanguageModelV4StreamPart): string {
  switch (part.type) {
    case 'text-start':
    case 'text-end':
      return assembly.text(part.id, '', part.providerMetadata);
    case 'text-delta':
      return assembly.text(part.id, part.delta, part.providerMetadata);
    case 'reasoning-start':
    case 'reasoning-end':
      assembly.reasoning(part.id, '', part.providerMetadata);
      return '';
    case 'reasoning-delta':
      assembly.reasoning(part.id, part.delta, part.providerMetadata);
      return '';
    case 'tool-input-start':
      if (part.providerExecuted !== true) assembly.announceCall(part.id, part.toolName);
      return '';
    case 'tool-input-delta':
      assembly.argumentDelta(part.id, part.delta);
      return '';
    case 'tool-call':
      if (part.providerExecuted !== true) assembly.call(part);
      return '';
    case 'finish':
      assembly.end(part.finishReason.unified, part.usage);
      return '';
    case 'error':
      throw part.error;
    default:
      return '';
  }
}
