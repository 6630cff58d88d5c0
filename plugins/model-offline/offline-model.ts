/** Offers the reader as a language model of the AI SDK: first the tool call with the SQL, then the answer from its result. */
import type * as ai from '@ai-sdk/provider';
import { type Recognition, type ReaderStep as Step, withoutContext } from '../agent/index.ts';
import { LANGUAGES, languageOfTurns } from '../language-kit/index.ts';
import type { SemanticModel } from '../semantic-layer/index.ts';
import { compileQuery, DEFAULT_CONDITION_HINT, PlanError } from '../semantic-query/index.ts';
import type { SqlDialect } from '../sql-kit/index.ts';
import { answerText, type ToolResult, withoutPlan } from './answer/answer.ts';
import { readQuestionInTurns } from './conversation.ts';
import type { FoundValue } from './plan/lookups.ts';

export interface OfflineModelInput {
  readonly model: SemanticModel;
  /** Dialect of a connection; of the default one for `undefined`. */
  dialectOf(connectionId: string | undefined): SqlDialect;
  now(): Date;
  /** Where a plugin has recognized the question. */
  readonly recognized?: Recognition | undefined;
}

const TOOL = 'executeSQL';
const USAGE = {
  inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 0, text: 0, reasoning: 0 },
};
const FIND = 'findValues';

/** A model for one request. It keeps nothing between calls: the conversation in the prompt says where it stands. */
export function createOfflineModel(input: OfflineModelInput): ai.LanguageModelV4 {
  return {
    specificationVersion: 'v4',
    provider: 'offline',
    modelId: 'offline',
    supportedUrls: {},
    async doGenerate(options) {
      const step = await nextStep(options, input);
      return { content: contentOf(step, options), ...endOf(step), warnings: [] };
    },
    async doStream(options) {
      const step = await nextStep(options, input);
      const parts = streamOf(step, contentOf(step, options));
      return { stream: ReadableStream.from(parts) as ReadableStream<ai.LanguageModelV4StreamPart> };
    },
  };
}

type Content = ai.LanguageModelV4Text | ai.LanguageModelV4ToolCall;
/** The ids of calls are unique in the conversation. */
const contentOf = (step: Step, { prompt }: ai.LanguageModelV4CallOptions): Content[] =>
  'text' in step
    ? [{ type: 'text', text: step.text }]
    : step.calls.map((call, at) => ({ type: 'tool-call', toolCallId: `offline-${prompt.length}-${at}`, ...call }));

function endOf(step: Step) {
  const reason = 'text' in step ? ('stop' as const) : ('tool-calls' as const);
  const outcome = 'text' in step ? step.outcome : undefined;
  const finishReason = { unified: reason, raw: reason };
  const providerMetadata = { atlas: { usesTokens: false, ...(outcome && { outcome }) } };
  return { finishReason, usage: USAGE, providerMetadata };
}

const nextStep = async (options: ai.LanguageModelV4CallOptions, input: OfflineModelInput): Promise<Step> =>
  input.recognized?.(options, () => ownStep(options, input)) ?? ownStep(options, input);

async function ownStep(options: ai.LanguageModelV4CallOptions, input: OfflineModelInput): Promise<Step> {
  options.abortSignal?.throwIfAborted();
  const { history, results, values, hasLooked } = conversationOf(options.prompt);
  const isOffered = (name: string) => options.tools?.some((tool) => tool.type === 'function' && tool.name === name);
  const { notice, entities } = input.model;
  if (entities.length === 0 && notice !== undefined) return { text: notice, outcome: 'declined' };
  const reading = await readQuestionInTurns(history, input.model, { now: input.now(), values });
  if (reading.kind === 'talk') return { text: reading.text };
  const language =
    reading.kind === 'unclear' ? languageOfTurns(history.map((text) => ({ role: 'user', text }))) : undefined;
  if (language !== undefined) return { text: LANGUAGES[language].englishOnly, outcome: 'declined' };
  if (reading.kind === 'unclear' && reading.lookups.length > 0 && !hasLooked && isOffered(FIND))
    return { calls: reading.lookups.map((one) => ({ toolName: FIND, input: JSON.stringify(one) })) };
  if (reading.kind !== 'plan')
    return { text: withoutPlan(reading, notice), outcome: reading.kind === 'clarify' ? 'clarify' : 'declined' };
  try {
    const { connection } = compileQuery(input.model, reading.plan);
    const compiled = compileQuery(input.model, reading.plan, { dialect: input.dialectOf(connection) });
    const result = results.at(-1);
    const isToldOfDefaults = results.length === 1 && isAboutDefaults(results[0]!);
    if (result && !isToldOfDefaults) return { text: answerText(reading, compiled, result) };
    const { sql, connection: connectionId } = compiled;
    const asked = JSON.stringify({ sql, ...(connectionId !== undefined && { connectionId }) });
    if (isOffered(TOOL)) return { calls: [{ toolName: TOOL, input: asked }] };
    const text = `I can read the question (${reading.understood}), but I am not allowed to run SQL here: the tool ${TOOL} is not offered. Ask where it is.`;
    return { text, outcome: 'declined' };
  } catch (error) {
    if (error instanceof PlanError) return { text: error.message, outcome: 'declined' };
    throw error;
  }
}

/** Whether a query only left out default conditions: it was asked for as it is, and the answer notes it. */
const isAboutDefaults = ({ error, hint }: ToolResult) =>
  error !== undefined &&
  hint?.includes(DEFAULT_CONDITION_HINT) === true &&
  hint.replaceAll(DEFAULT_CONDITION_HINT, '').trim() === '';

/** The user's messages, and since the last of them the results of the tool and the values that were found. */
function conversationOf(prompt: ai.LanguageModelV4Prompt) {
  const history: string[] = [];
  let results: ToolResult[] = [];
  let values: FoundValue[] = [];
  const columns = new Map<string, string>();
  for (const message of prompt) {
    if (message.role === 'user') {
      const text = withoutContext(message.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n'));
      // Neighbouring messages of one user arrive as one, with an empty line between them.
      history.push(...text.split(/\n\s*\n/).filter((part) => part.trim() !== ''));
      [results, values] = [[], []];
      columns.clear();
    }
    for (const part of message.role === 'assistant' ? message.content : [])
      if (part.type === 'tool-call' && part.toolName === FIND)
        columns.set(part.toolCallId, String(asObject(part.input).column));
    for (const part of message.role === 'tool' ? message.content : []) {
      if (part.type !== 'tool-result') continue;
      if (part.toolName === TOOL) results.push(toolResult(part.output));
      const { values: found } = part.toolName === FIND ? (toolResult(part.output) as { values?: unknown }) : {};
      const column = columns.get(part.toolCallId) ?? '';
      for (const value of Array.isArray(found) ? found : []) values.push({ column, value: String(value) });
    }
  }
  return { history, results, values, hasLooked: columns.size > 0 };
}

function toolResult(output: { readonly type: string; readonly value?: unknown; readonly reason?: string }): ToolResult {
  if (output.type === 'execution-denied') return { error: output.reason ?? 'Running SQL was denied.' };
  const { value } = output;
  const text = Array.isArray(value) ? value.map((part) => part?.text ?? '').join('') : value;
  if (typeof text !== 'string') return asObject(text);
  try {
    return asObject(JSON.parse(text));
  } catch {
    return { error: text };
  }
}

/** The result, which some agents wrap in an object. */
function asObject(value: unknown): Record<string, unknown> {
  if (typeof value === 'string') return asObject(JSON.parse(value));
  const own: Record<string, unknown> = typeof value === 'object' && value !== null ? { ...value } : {};
  return own.columns === undefined && own.error === undefined && own.result ? asObject(own.result) : own;
}

function* streamOf(step: Step, content: readonly Content[]): Generator<ai.LanguageModelV4StreamPart> {
  yield { type: 'stream-start', warnings: [] };
  if ('text' in step) {
    yield { type: 'text-start', id: 'text' };
    for (const delta of step.text.match(/[\s\S]{1,60}(?:\s|$)|[\s\S]{1,80}/g) ?? [])
      yield { type: 'text-delta', id: 'text', delta };
    yield { type: 'text-end', id: 'text' };
  } else for (const part of content) if (part.type === 'tool-call') yield part;
  yield { type: 'finish', ...endOf(step) };
}
