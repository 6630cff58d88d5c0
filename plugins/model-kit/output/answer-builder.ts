/** Assembles the answer of a model from its parts, and cuts it when it is too long. */
import type {
  LanguageModelV4FinishReason,
  LanguageModelV4Message,
  LanguageModelV4ToolCall,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider';
import type { ModelName } from '../provider-errors.ts';
import { sizeOf } from '../size.ts';
import { NO_TOOLS, type OfferedTools } from './offered-tools.ts';
import { Repetition } from './repetition.ts';
import { type Delta, type Expectations, TextFilter } from './text-filter.ts';
import { callsInThoughts } from './thoughts.ts';
import { answerInCall, isComplete, type SentCall, type ToolCall, toolCalls } from './tool-call.ts';
import { type ModelUsage, NO_USAGE } from './usage.ts';
import { WholeCharacters } from './whole-characters.ts';
import { writtenQueries } from './written-query.ts';

type AssistantPart = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'][number];

export interface ModelAnswer {
  /** Sent back to the model in the next step: text, reasoning and calls in order, with the provider's metadata. */
  readonly content: readonly AssistantPart[];
  /** Without thoughts, and without calls that were written as text. */
  readonly text: string;
  readonly reasoning: string;
  /** Thoughts ended that had no beginning. */
  readonly hasStrayThoughts: boolean;
  /** A call was written as text that cannot be read. */
  readonly hasUnreadableCall: boolean;
  /** Only the first call when there were too many, to carry the refusal. */
  readonly calls: readonly ToolCall[];
  readonly finish: 'done' | 'length' | 'repeats' | 'withheld' | 'broken' | 'too-many-calls';
  /** The provider interface's finish reason: `stop`, `length`, `tool-calls`, … */
  readonly reason: string;
  /** The provider's own finish reason. */
  readonly rawReason: string;
  readonly usage: ModelUsage;
  /** What the model says of its answer besides. */
  readonly metadata: SharedV4ProviderMetadata | undefined;
  /** Set when a fallback answered. */
  readonly answeredBy: ModelName | undefined;
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

/** Finish reasons of the provider interface; any other means that the model had finished. */
const FINISH = new Map<string, ModelAnswer['finish']>([
  ['length', 'length'],
  ['content-filter', 'withheld'],
  ['error', 'broken'],
  ['interrupted', 'broken'],
]);

/** What the packages of providers do not know: a server that failed in the middle of its answer, a filter. */
const OWN_FINISH: readonly (readonly [RegExp, ModelAnswer['finish']])[] = [
  [
    /^(?:error|failed|abort(?:ed)?|cancell?ed|interrupted|network_error|insufficient_system_resource|engine_overloaded)$/i,
    'broken',
  ],
  [/^(?:sensitive|safety|prohibited_content|blocked)$/i, 'withheld'],
];

/** What servers say that could not read a call of the model. */
const MALFORMED = /malformed|unexpected_tool_call|invalid_tool_call/i;

/** How a provider says that a reply ended. */
type Finish = Pick<LanguageModelV4FinishReason, 'unified' | 'raw'>;

type OpenPart = { type: 'text' | 'reasoning'; text: string; providerOptions?: SharedV4ProviderMetadata };

const optionsFrom = (metadata: SharedV4ProviderMetadata | undefined) =>
  metadata === undefined ? {} : { providerOptions: metadata };

/** How an answer is read. */
export interface Reading {
  /** Longest text and arguments; more is cut off. */
  readonly answerBytes: number;
  /** Ids of the question's calls so far; those of the answer are added. */
  readonly usedIds: Set<string>;
  readonly tools?: OfferedTools;
  readonly expects?: Expectations;
}

/** Assembles an answer from its parts and cuts it when it is too long. */
export class AnswerBuilder {
  readonly #parts: AssistantPart[] = [];
  readonly #open = new Map<string, OpenPart>();
  readonly #calls: ToolCall[] = [];
  readonly #answerBytes: number;
  readonly #usedIds: Set<string>;
  /** Bytes already counted of arguments that arrive in pieces, by call. */
  readonly #argumentBytes = new Map<string, number>();
  readonly #tools: OfferedTools;
  readonly #filter: TextFilter;
  readonly #characters = new WholeCharacters();
  readonly #takenCalls = new Set<string>();
  #textId = '';
  #thoughts = '';
  #hasUnreadableCall = false;
  #sentCalls = 0;
  #announcedCalls = 0;
  #firstAnnounced: LanguageModelV4ToolCall | undefined;
  #bytes = 0;
  #reasoningBytes = 0;
  #text = '';
  #reasoning = '';
  readonly #repetition = new Repetition();
  readonly #expects: Expectations;
  /** The server could not read a call. */
  #isMalformed = false;
  /** A call or its arguments may be incomplete. */
  #hasOpenCall = false;
  #cut: 'length' | 'repeats' | 'too-many-calls' | undefined;
  #finish: ModelAnswer['finish'] = 'broken';
  #reason = 'error';
  #rawReason = '';
  #usage = NO_USAGE;
  #metadata: SharedV4ProviderMetadata | undefined;
  #answeredBy: ModelName | undefined;

  constructor({ answerBytes, usedIds, tools = NO_TOOLS, expects = {} }: Reading, isStreamed: boolean) {
    this.#answerBytes = answerBytes;
    this.#usedIds = usedIds;
    this.#tools = tools;
    this.#filter = new TextFilter(tools, isStreamed, expects);
    this.#expects = expects;
  }

  /** Whether the answer was cut; nothing more is added. */
  get isCut(): boolean {
    return this.#cut !== undefined;
  }

  /** Whether nothing has arrived. */
  get isEmpty(): boolean {
    return this.#bytes === 0 && this.#reasoningBytes === 0 && this.#sentCalls === 0 && this.#announcedCalls === 0;
  }

  /** Adds as much of a text as fits; returns what clients see by now. */
  text(id: string, piece: string, metadata?: SharedV4ProviderMetadata): readonly Delta[] {
    const delta = this.#characters.add(piece);
    const room = this.#answerBytes - this.#bytes;
    const bytes = Buffer.byteLength(delta);
    this.#count(bytes);
    this.#textId = id;
    this.#add('text', id, '', metadata);
    return this.#shown(this.#filter.push(bytes <= room ? delta : beginning(delta, room)));
  }

  #shown(deltas: readonly Delta[]): readonly Delta[] {
    for (const { type, text } of deltas) {
      if (type === 'reasoning') this.#thoughts += text;
      else {
        this.#text += text;
        this.#add('text', this.#textId, text, undefined);
      }
    }
    if (this.#repetition.isIn(this.#text)) this.#cut ??= 'repeats';
    return deltas;
  }

  /** The end of all parts: reads the calls that were written as text; returns the rest of what clients see. */
  finish(): readonly Delta[] {
    const { deltas, calls: held, hasUnreadableCall, isOpen } = this.#filter.end(this.isCut);
    const shown = this.#shown(deltas);
    this.#hasUnreadableCall = (hasUnreadableCall || this.#isMalformed) && this.#calls.length === 0;
    // Servers that read the markup themselves may leave it in the text all the same.
    if (this.isCut || this.#calls.length > 0) return shown;
    this.#hasOpenCall ||= isOpen;
    const queries = held.length === 0 && this.#expects.query === true ? writtenQueries(this.#text) : [];
    const calls = queries.length === 1 ? queries : held;
    const isSilent = calls.length === 0 && this.#text.trim() === '';
    const written = isSilent ? callsInThoughts(`${this.#reasoning}${this.#thoughts}`, this.#tools) : calls;
    for (const { name, args } of written) this.#takeOne({ toolCallId: '', toolName: name, input: args });
    if (this.#calls.length > 0 && !this.isCut) this.#reason = 'tool-calls';
    return shown;
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

  /** Takes a call; returns what clients see of it: nothing, unless it is the answer in the form of a call. */
  call(sent: LanguageModelV4ToolCall): readonly Delta[] {
    const input: unknown = sent.input;
    // What is cut off is not read: a megabyte of brackets takes 30 ms.
    const isTooLong = typeof input === 'string' && input.length > this.#answerBytes;
    const answer = isTooLong || this.#tools.find(sent.toolName) !== undefined ? undefined : answerInCall(sent);
    if (answer !== undefined) return this.text('answer', answer);
    const bytes = typeof input === 'string' ? Buffer.byteLength(input) : sizeOf(input, this.#answerBytes);
    this.#count(Math.max(0, bytes - (this.#argumentBytes.get(sent.toolCallId) ?? 0)));
    this.#argumentBytes.delete(sent.toolCallId);
    this.#countReasoning(metadataBytes(sent.providerMetadata));
    this.#hasOpenCall ||= isTooLong || !isComplete(sent);
    this.#takeOne(sent);
    return [];
  }

  #takeOne(sent: SentCall & Pick<LanguageModelV4ToolCall, 'providerMetadata'>): void {
    if (this.#sentCalls === MAX_CALLS) this.#cut ??= 'too-many-calls';
    this.#sentCalls += 1;
    if (!this.isCut) this.#take(sent);
  }

  #take(sent: SentCall & Pick<LanguageModelV4ToolCall, 'providerMetadata'>): void {
    for (const call of toolCalls(sent, this.#usedIds, this.#tools.find)) {
      const { modelCallId: toolCallId, toolName } = call;
      const args = this.#tools.coerce(toolName, call.args);
      // The same call twice in one step is a slip of the model or of its server.
      const key = `${toolName} ${JSON.stringify(args)}`;
      if (this.#takenCalls.has(key)) continue;
      this.#takenCalls.add(key);
      this.#calls.push({ ...call, args });
      // Arguments that did not parse are not sent back: providers refuse broken JSON in messages.
      const input = typeof args === 'object' && !Array.isArray(args) ? args : {};
      this.#parts.push({ type: 'tool-call', toolCallId, toolName, input, ...optionsFrom(sent.providerMetadata) });
    }
  }

  end({ unified, raw = '' }: Finish, usage?: LanguageModelV4Usage, metadata?: SharedV4ProviderMetadata): void {
    this.#metadata = metadata;
    this.#answeredBy = answeringModel(metadata);
    this.#isMalformed = MALFORMED.test(raw);
    const own = OWN_FINISH.find(([reason]) => reason.test(raw))?.[1];
    this.#finish = this.#isMalformed ? 'done' : (FINISH.get(unified) ?? own ?? 'done');
    this.#reason = unified;
    this.#rawReason = raw;
    this.#usage = usageOf(usage, usesNoTokens(metadata));
  }

  answer(): ModelAnswer {
    const tooMany = this.#cut === 'too-many-calls';
    // Calls of an answer that was cut may be incomplete.
    const isComplete = this.#finish !== 'length' || !this.#hasOpenCall;
    const isWhole = this.#cut === undefined && isComplete;
    const calls = isWhole ? this.#calls : tooMany ? this.#calls.slice(0, 1) : [];
    const firstId = calls[0]?.modelCallId;
    return {
      content: this.#parts.filter((part) =>
        part.type === 'tool-call' ? !tooMany || part.toolCallId === firstId : part.type !== 'text' || part.text !== '',
      ),
      text: this.#cut === 'repeats' ? '' : this.#text,
      reasoning: `${this.#reasoning}${this.#thoughts}`,
      hasStrayThoughts: this.#filter.hasStrayEnd,
      hasUnreadableCall: this.#hasUnreadableCall,
      calls,
      // Some servers say that a limit was met where calls end.
      finish: this.#cut ?? (this.#finish === 'length' && calls.length > 0 ? 'done' : this.#finish),
      reason: this.#cut === undefined ? this.#reason : tooMany ? 'tool-calls' : 'length',
      rawReason: this.#rawReason,
      usage: this.#usage,
      metadata: this.#metadata,
      answeredBy: this.#answeredBy,
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

function usageOf(usage: LanguageModelV4Usage | undefined, isFree: boolean): ModelUsage {
  const [input, output] = [usage?.inputTokens?.total, usage?.outputTokens?.total];
  const [inputTokens, outputTokens] = [tokens(input), tokens(output)];
  return {
    ...NO_USAGE,
    inputTokens,
    outputTokens,
    totalTokens: inputTokens + outputTokens,
    cachedInputTokens: tokens(usage?.inputTokens?.cacheRead),
    // Every call reads something: a provider that reports nothing read, or less than nothing written, does not count.
    isReported: isFree || (inputTokens > 0 && (output === 0 || outputTokens > 0)),
  };
}

/** What a model says that is none of a provider: `providerMetadata: { atlas: { usesTokens: false } }`. */
const usesNoTokens = (metadata: SharedV4ProviderMetadata | undefined): boolean => metadata?.atlas?.usesTokens === false;

/** The model that answered in place of the chosen one: `providerMetadata: { atlas: { provider, modelId } }`. */
function answeringModel(metadata: SharedV4ProviderMetadata | undefined): ModelName | undefined {
  const { provider, modelId } = metadata?.atlas ?? {};
  return typeof provider === 'string' && typeof modelId === 'string' ? { provider, modelId } : undefined;
}

const tokens = (count: unknown) => (Number.isSafeInteger(count) && Number(count) > 0 ? Number(count) : 0);

const metadataBytes = (metadata: SharedV4ProviderMetadata | undefined) =>
  metadata === undefined ? 0 : sizeOf(metadata, MAX_REASONING_BYTES);

/** The beginning of a text in at most `bytes` bytes, without half a character. */
function beginning(text: string, bytes: number): string {
  const cut = Buffer.from(text).subarray(0, Math.max(0, bytes)).toString('utf8');
  return cut.replace(/\uFFFD$/, '');
}
