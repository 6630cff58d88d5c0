/** One call of the model, streamed or not, gathered into what the loop needs next. */
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
import type { Usage } from './events.ts';
import { type ToolCall, toolCall } from './tools.ts';

type AssistantPart = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'][number];

export interface ModelAnswer {
  /** Goes back to the model in the next step: text, reasoning and calls in their order, with the provider's marks. */
  readonly content: readonly AssistantPart[];
  readonly text: string;
  readonly calls: readonly ToolCall[];
  readonly finish: 'done' | 'length' | 'withheld' | 'broken';
  /** The provider interface's own word for it: `stop`, `length`, `tool-calls`, … */
  readonly reason: string;
  readonly usage: Usage;
}

/** The provider interface's reasons; those not named here mean that the model had finished. */
const FINISH: Readonly<Record<string, ModelAnswer['finish']>> = {
  length: 'length',
  'content-filter': 'withheld',
  error: 'broken',
  interrupted: 'broken',
};

export type ModelEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'call'; readonly call: ToolCall };

type OpenPart = { type: 'text' | 'reasoning'; text: string; providerOptions?: SharedV4ProviderMetadata };

const marks = (metadata: SharedV4ProviderMetadata | undefined) =>
  metadata === undefined ? {} : { providerOptions: metadata };

/** Puts an answer together from its pieces, and cuts it at `answerBytes`. */
class Assembly {
  readonly #parts: AssistantPart[] = [];
  readonly #open = new Map<string, OpenPart>();
  readonly #calls: ToolCall[] = [];
  readonly #answerBytes: number;
  readonly #usedIds: Set<string>;
  #bytes = 0;
  #text = '';
  finish: ModelAnswer['finish'] = 'broken';
  #reason = 'error';
  usage: Usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };

  /** `usedIds`: those of the calls so far of the same question, which grow by those of this answer. */
  constructor(answerBytes: number, usedIds: Set<string>) {
    this.#answerBytes = answerBytes;
    this.#usedIds = usedIds;
  }

  /** Takes what still fits of `text` and returns it; `undefined` when the answer is full. */
  fit(text: string): string | undefined {
    const room = this.#answerBytes - this.#bytes;
    const bytes = Buffer.byteLength(text);
    this.#bytes += bytes;
    if (bytes <= room) return text;
    this.finish = 'length';
    return room <= 0
      ? undefined
      : Buffer.from(text)
          .subarray(0, room)
          .toString('utf8')
          .replace(/\uFFFD$/, '');
  }

  get full(): boolean {
    return this.#bytes > this.#answerBytes;
  }

  add(type: OpenPart['type'], id: string, delta: string, metadata?: SharedV4ProviderMetadata): void {
    const key = `${type} ${id}`;
    let part = this.#open.get(key);
    if (part === undefined) {
      part = { type, text: '' };
      this.#open.set(key, part);
      this.#parts.push(part);
    }
    part.text += delta;
    if (metadata !== undefined) part.providerOptions = metadata;
    if (type === 'text') this.#text += delta;
  }

  call(sent: LanguageModelV4ToolCall): ToolCall {
    const call = toolCall(sent, this.#usedIds);
    this.#calls.push(call);
    const { modelCallId: toolCallId, toolName, args } = call;
    // Arguments that did not parse are not sent back: providers refuse a history that holds broken JSON.
    const input = typeof args === 'object' ? args : {};
    this.#parts.push({ type: 'tool-call', toolCallId, toolName, input, ...marks(sent.providerMetadata) });
    return call;
  }

  end(finish: string, usage: LanguageModelV4Usage): void {
    const inputTokens = usage.inputTokens.total ?? 0;
    const outputTokens = usage.outputTokens.total ?? 0;
    this.finish = FINISH[finish] ?? 'done';
    this.#reason = finish;
    this.usage = { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens };
  }

  answer(): ModelAnswer {
    const content = this.#parts.filter((part) => part.type !== 'text' || part.text !== '');
    // A call behind the cut may be half of what was meant.
    const calls = this.full ? [] : this.#calls;
    const reason = this.finish === 'length' ? 'length' : this.#reason;
    return { content, text: this.#text, calls, finish: this.finish, reason, usage: this.usage };
  }
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
    if (part.type === 'text') assembly.add('text', `${index}`, assembly.fit(part.text) ?? '', part.providerMetadata);
    else if (part.type === 'reasoning') assembly.add('reasoning', `${index}`, part.text, part.providerMetadata);
    else if (part.type === 'tool-call' && part.providerExecuted !== true) assembly.call(part);
  }
  return assembly.answer();
}

/** Calls with streaming: text and calls as they come, in the end the whole. Leaving it leaves the model's stream. */
export async function* stream(
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions & { abortSignal: AbortSignal },
  answerBytes: number,
  usedIds: Set<string>,
): AsyncGenerator<ModelEvent, ModelAnswer> {
  const { abortSignal } = options;
  const { stream } = await untilAborted(model.doStream(options), abortSignal);
  const reader = stream.getReader();
  const assembly = new Assembly(answerBytes, usedIds);
  try {
    for (;;) {
      const { done, value } = await untilAborted(reader.read(), abortSignal);
      if (done) return assembly.answer();
      const event = take(assembly, value);
      if (event !== undefined) yield event;
      if (assembly.full) return assembly.answer();
    }
  } finally {
    // Whoever leaves early aborts the call as well; this only tells the stream that nobody reads on.
    reader.cancel().catch(() => {});
  }
}

/** Takes one part of a stream in; returns what the client is to see of it. Throws the error that a part carries. */
function take(assembly: Assembly, part: LanguageModelV4StreamPart): ModelEvent | undefined {
  switch (part.type) {
    case 'text-start':
    case 'text-end':
      assembly.add('text', part.id, '', part.providerMetadata);
      return undefined;
    case 'text-delta': {
      const text = assembly.fit(part.delta);
      if (text === undefined || text === '') return undefined;
      assembly.add('text', part.id, text, part.providerMetadata);
      return { type: 'text', text };
    }
    case 'reasoning-start':
    case 'reasoning-end':
      assembly.add('reasoning', part.id, '', part.providerMetadata);
      return undefined;
    case 'reasoning-delta':
      assembly.add('reasoning', part.id, part.delta, part.providerMetadata);
      return undefined;
    case 'tool-input-delta':
      assembly.fit(part.delta);
      return undefined;
    case 'tool-call':
      if (part.providerExecuted === true) return undefined;
      return { type: 'call', call: assembly.call(part) };
    case 'finish':
      assembly.end(part.finishReason.unified, part.usage);
      return undefined;
    case 'error':
      throw part.error;
    default:
      return undefined;
  }
}
