/** Offers the reader as a language model of the AI SDK: first the tool call with the SQL, then the answer from its result. */
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FinishReason,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
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
const USAGE: LanguageModelV4Usage = {
  inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 0, text: 0, reasoning: 0 },
};

type Step = { readonly text: string } | { readonly call: { readonly sql: string; readonly connectionId?: string } };

/** A model for one request. It keeps nothing between calls: the conversation in the prompt says where it stands. */
export function createOfflineModel(input: OfflineModelInput): LanguageModelV4 {
  return {
    specificationVersion: 'v4',
    provider: 'offline',
    modelId: 'offline',
    supportedUrls: {},
    async doGenerate(options) {
      const step = await nextStep(options, input);
      const content =
        'text' in step
          ? ({ type: 'text', text: step.text } as const)
          : ({
              type: 'tool-call',
              toolCallId: callId(options.prompt),
              toolName: TOOL,
              input: JSON.stringify(step.call),
            } as const);
      return { content: [content], finishReason: finishOf(step), usage: USAGE, warnings: [] };
    },
    async doStream(options) {
      const step = await nextStep(options, input);
      return { stream: ReadableStream.from(streamOf(step, options)) as ReadableStream<LanguageModelV4StreamPart> };
    },
  };
}

async function nextStep(options: LanguageModelV4CallOptions, input: OfflineModelInput): Promise<Step> {
  options.abortSignal?.throwIfAborted();
  const { history, results } = conversationOf(options.prompt);
  const { notice, entities } = input.model;
  if (entities.length === 0 && notice !== undefined) return { text: notice };
  const reading = await readQuestionInTurns(history, input.model, { now: input.now() });
  if (reading.kind !== 'plan') return { text: withoutPlan(reading, notice) };
  try {
    const { connection } = compileQuery(input.model, reading.plan);
    const compiled = compileQuery(input.model, reading.plan, { dialect: input.dialectOf(connection) });
    const result = results.at(-1);
    if (result) return { text: answerText(reading, compiled, result) };
    if (options.tools?.some((tool) => tool.type === 'function' && tool.name === TOOL))
      return {
        call: { sql: compiled.sql, ...(compiled.connection !== undefined && { connectionId: compiled.connection }) },
      };
    return {
      text: `I can read the question (${reading.understood}), but I am not allowed to run SQL here: the tool ${TOOL} is not offered. Ask where it is.`,
    };
  } catch (error) {
    if (error instanceof PlanError) return { text: error.message };
    throw error;
  }
}

/** The user's messages, and the results of the tool since the last of them. */
function conversationOf(prompt: LanguageModelV4Prompt): { history: string[]; results: ToolResult[] } {
  const history: string[] = [];
  let results: ToolResult[] = [];
  for (const message of prompt) {
    if (message.role === 'user') {
      const text = message.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
      // Neighbouring messages of one user arrive as one, with an empty line between them.
      history.push(
        ...withoutContext(text)
          .split(/\n\s*\n/)
          .filter((part) => part.trim() !== ''),
      );
      results = [];
    }
    for (const part of message.role === 'tool' ? message.content : [])
      if (part.type === 'tool-result' && part.toolName === TOOL) results.push(toolResult(part.output));
  }
  return { history, results };
}

type ToolOutput = Extract<
  Extract<LanguageModelV4Prompt[number], { role: 'tool' }>['content'][number],
  { type: 'tool-result' }
>['output'];

function toolResult(output: ToolOutput): ToolResult {
  switch (output.type) {
    case 'json':
    case 'error-json': {
      const value = asObject(output.value);
      const inner = asObject(value.result);
      return value.columns === undefined && value.error === undefined && Object.keys(inner).length > 0 ? inner : value;
    }
    case 'text':
      return parsed(output.value);
    case 'error-text':
      return { error: output.value };
    case 'execution-denied':
      return { error: output.reason ?? 'Running SQL was denied.' };
    case 'content':
      return parsed(output.value.map((part) => (part.type === 'text' ? part.text : '')).join(''));
  }
}

const asObject = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};

function parsed(text: string): ToolResult {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return { error: text };
  }
}

const finishOf = (step: Step): LanguageModelV4FinishReason =>
  'text' in step ? { unified: 'stop', raw: 'stop' } : { unified: 'tool-calls', raw: 'tool-calls' };

/** Unique in the conversation: one call at most follows each message. */
const callId = (prompt: LanguageModelV4Prompt): string => `offline-${prompt.length}`;

function* streamOf(step: Step, { prompt }: LanguageModelV4CallOptions): Generator<LanguageModelV4StreamPart> {
  yield { type: 'stream-start', warnings: [] };
  if ('call' in step) {
    const id = callId(prompt);
    const input = JSON.stringify(step.call);
    yield { type: 'tool-input-start', id, toolName: TOOL };
    yield { type: 'tool-input-delta', id, delta: input };
    yield { type: 'tool-input-end', id };
    yield { type: 'tool-call', toolCallId: id, toolName: TOOL, input };
  } else {
    yield { type: 'text-start', id: 'text' };
    for (const delta of step.text.match(/[\s\S]{1,60}(?:\s|$)|[\s\S]{1,80}/g) ?? [])
      yield { type: 'text-delta', id: 'text', delta };
    yield { type: 'text-end', id: 'text' };
  }
  yield { type: 'finish', usage: USAGE, finishReason: finishOf(step) };
}
