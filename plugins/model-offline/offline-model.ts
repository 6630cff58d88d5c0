/** Offers the reader as a language model of the AI SDK: first the tool call with the SQL, then the answer from its result. */
import type * as ai from '@ai-sdk/provider';
import { withoutContext } from '../agent/index.ts';
import type { SemanticModel } from '../semantic-layer/index.ts';
import { compileQuery, PlanError } from '../semantic-query/index.ts';
import type { SqlDialect } from '../sql-kit/index.ts';
import { answerText, type ToolResult, withoutPlan } from './answer/answer.ts';
import { readQuestionInTurns } from './conversation.ts';

export interface OfflineModelInput {
  readonly model: SemanticModel;
  /** Dialect of a connection; of the default one for `undefined`. */
  dialectOf(connectionId: string | undefined): SqlDialect | string;
  now(): Date;
}

const TOOL = 'executeSQL';
const USAGE = {
  inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 0, text: 0, reasoning: 0 },
};
/** The text of an answer, or the input of the tool. `outcome`: said where the text is no answer. */
type Step = { readonly text: string; readonly outcome?: 'clarify' | 'declined' } | { readonly input: string };

/** A model for one request. It keeps nothing between calls: the conversation in the prompt says where it stands. */
export function createOfflineModel(input: OfflineModelInput): ai.LanguageModelV4 {
  return {
    specificationVersion: 'v4',
    provider: 'offline',
    modelId: 'offline',
    supportedUrls: {},
    async doGenerate(options) {
      const step = await nextStep(options, input);
      const call = { type: 'tool-call', toolCallId: callId(options), toolName: TOOL } as const;
      const content = 'text' in step ? ({ type: 'text', text: step.text } as const) : { ...call, input: step.input };
      return { content: [content], ...endOf(step), warnings: [] };
    },
    async doStream(options) {
      const parts = streamOf(await nextStep(options, input), callId(options));
      return { stream: ReadableStream.from(parts) as ReadableStream<ai.LanguageModelV4StreamPart> };
    },
  };
}

/** Unique in the conversation: one call at most follows each message. */
const callId = ({ prompt }: ai.LanguageModelV4CallOptions): string => `offline-${prompt.length}`;

function endOf(step: Step) {
  const reason = 'text' in step ? ('stop' as const) : ('tool-calls' as const);
  const outcome = 'text' in step ? step.outcome : undefined;
  const finishReason = { unified: reason, raw: reason };
  const providerMetadata = { atlas: { usesTokens: false, ...(outcome && { outcome }) } };
  return { finishReason, usage: USAGE, providerMetadata };
}

async function nextStep(options: ai.LanguageModelV4CallOptions, input: OfflineModelInput): Promise<Step> {
  options.abortSignal?.throwIfAborted();
  const { history, result } = conversationOf(options.prompt);
  const { notice, entities } = input.model;
  if (entities.length === 0 && notice !== undefined) return { text: notice, outcome: 'declined' };
  const reading = await readQuestionInTurns(history, input.model, { now: input.now() });
  if (reading.kind === 'talk') return { text: reading.text };
  if (reading.kind !== 'plan')
    return { text: withoutPlan(reading, notice), outcome: reading.kind === 'clarify' ? 'clarify' : 'declined' };
  try {
    const { connection } = compileQuery(input.model, reading.plan);
    const compiled = compileQuery(input.model, reading.plan, { dialect: input.dialectOf(connection) });
    if (result) return { text: answerText(reading, compiled, result) };
    const { sql, connection: connectionId } = compiled;
    if (options.tools?.some((tool) => tool.type === 'function' && tool.name === TOOL))
      return { input: JSON.stringify({ sql, ...(connectionId !== undefined && { connectionId }) }) };
    const text = `I can read the question (${reading.understood}), but I am not allowed to run SQL here: the tool ${TOOL} is not offered. Ask where it is.`;
    return { text, outcome: 'declined' };
  } catch (error) {
    if (error instanceof PlanError) return { text: error.message, outcome: 'declined' };
    throw error;
  }
}

/** The user's messages, and the last result of the tool since the last of them. */
function conversationOf(prompt: ai.LanguageModelV4Prompt): { history: string[]; result: ToolResult | undefined } {
  const history: string[] = [];
  let result: ToolResult | undefined;
  for (const message of prompt) {
    if (message.role === 'user') {
      const text = withoutContext(message.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n'));
      // Neighbouring messages of one user arrive as one, with an empty line between them.
      history.push(...text.split(/\n\s*\n/).filter((part) => part.trim() !== ''));
      result = undefined;
    }
    for (const part of message.role === 'tool' ? message.content : [])
      if (part.type === 'tool-result' && part.toolName === TOOL) result = toolResult(part.output);
  }
  return { history, result };
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
  const own: Record<string, unknown> = typeof value === 'object' && value !== null ? { ...value } : {};
  return own.columns === undefined && own.error === undefined && own.result ? asObject(own.result) : own;
}

function* streamOf(step: Step, id: string): Generator<ai.LanguageModelV4StreamPart> {
  yield { type: 'stream-start', warnings: [] };
  if ('text' in step) {
    yield { type: 'text-start', id: 'text' };
    for (const delta of step.text.match(/[\s\S]{1,60}(?:\s|$)|[\s\S]{1,80}/g) ?? [])
      yield { type: 'text-delta', id: 'text', delta };
    yield { type: 'text-end', id: 'text' };
  } else yield { type: 'tool-call', toolCallId: id, toolName: TOOL, input: step.input };
  yield { type: 'finish', ...endOf(step) };
}
