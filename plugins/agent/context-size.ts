/** Divides the context of a small model between instructions, tools, conversation and results. */
import type { LanguageModelV4FunctionTool, LanguageModelV4Message } from '@ai-sdk/provider';
import type { ChatTurn, Question } from '../../kernel/index.ts';

/** Fewer than tokenizers find in English and JSON, so that the estimate is on the safe side. */
const BYTES_PER_TOKEN = 3;
/** Shares of the context. What the whole prompt leaves is for the answer. */
const PROMPT_SHARE = 0.88;
const FIRST_PROMPT_SHARE = 0.6;
const TOOLS_SHARE = 0.3;
const QUESTION_SHARE = 0.2;
const HISTORY_SHARE = 0.1;
const RESULT_SHARE = 0.1;
/** Less is of no use to a model. */
const MIN_CONTEXT_BYTES = 1_024;
const MIN_RESULT_BYTES = 512;

/** Sizes in bytes of what goes to a model. */
export interface PromptSizes {
  readonly questionBytes: number;
  readonly historyBytes: number;
  readonly resultBytes: number;
  /** Present where the model's context is small. */
  readonly small?: { readonly promptBytes: number; readonly firstPromptBytes: number; readonly toolsBytes: number };
}

/** The configured sizes, or smaller ones for a model that reads `contextTokens` at once. */
export function promptSizes(
  options: { readonly questionBytes: number; readonly historyBytes: number; readonly resultBudgetBytes: number },
  contextTokens: number | undefined,
): PromptSizes {
  const { questionBytes, historyBytes, resultBudgetBytes: resultBytes } = options;
  if (contextTokens === undefined) return { questionBytes, historyBytes, resultBytes };
  const share = (of: number) => Math.floor(contextTokens * BYTES_PER_TOKEN * of);
  return {
    questionBytes: Math.min(questionBytes, share(QUESTION_SHARE)),
    historyBytes: Math.min(historyBytes, share(HISTORY_SHARE)),
    resultBytes: Math.max(MIN_RESULT_BYTES, Math.min(resultBytes, share(RESULT_SHARE))),
    small: {
      promptBytes: share(PROMPT_SHARE),
      firstPromptBytes: share(FIRST_PROMPT_SHARE),
      toolsBytes: share(TOOLS_SHARE),
    },
  };
}

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

/**
 * The tools that fit into `maxBytes`: all of them, else without the descriptions of their fields, else without the
 * largest. One tool always stays.
 */
export function toolsWithin(tools: LanguageModelV4FunctionTool[], maxBytes: number): LanguageModelV4FunctionTool[] {
  let offered = tools;
  for (;;) {
    if (offered.length < 2 || bytesOf(offered) <= maxBytes) return offered;
    const brief = offered.map((tool) => ({ ...tool, inputSchema: withoutDescriptions(tool.inputSchema) }));
    if (bytesOf(brief) <= maxBytes) return brief;
    const sizes = offered.map(bytesOf);
    const largest = sizes.indexOf(Math.max(...sizes));
    offered = offered.filter((_, index) => index !== largest);
  }
}

/** A property may itself be named `description`; its schema is an object. */
function withoutDescriptions<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map(withoutDescriptions) as T;
  if (typeof schema !== 'object' || schema === null) return schema;
  const kept = Object.entries(schema).filter(([key, value]) => key !== 'description' || typeof value !== 'string');
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutDescriptions(value)])) as T;
}

/** The question with the room for context and results in the prompt of a small model. */
export function withRoom(
  question: Question,
  { small, historyBytes, resultBytes }: PromptSizes,
  rules: string,
  tools: readonly LanguageModelV4FunctionTool[],
): Question {
  if (small === undefined) return question;
  const asked = Buffer.byteLength(question.turns.at(-1)?.text ?? '');
  const taken =
    Buffer.byteLength(rules) + bytesOf(tools) + asked + Math.min(historyBytes, bytesOfTurns(question.turns));
  const contextBytes = Math.max(MIN_CONTEXT_BYTES, small.firstPromptBytes - taken);
  return { ...question, room: { contextBytes, resultBytes } };
}

const bytesOfTurns = (turns: readonly ChatTurn[]) =>
  turns.slice(0, -1).reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);

const LEFT_OUT = { error: 'This earlier result was left out, because the model has no room for it any more.' };

/**
 * The messages in at most `maxBytes`, as far as that is possible: the oldest results are left out first, then the
 * conversation before the question, then the oldest steps. The question and the last step stay. `question` is its place;
 * each step is a message of the assistant and what follows it.
 */
export function messagesWithin(
  messages: readonly LanguageModelV4Message[],
  question: number,
  maxBytes: number,
): LanguageModelV4Message[] {
  let excess = messages.reduce((sum, message) => sum + bytesOf(message), 0) - maxBytes;
  const last = messages.findLastIndex(({ role }) => role === 'tool');
  const kept = messages.map((message, index) => {
    if (excess <= 0 || message.role !== 'tool' || index === last) return message;
    const shortened = withoutResults(message);
    excess -= bytesOf(message) - bytesOf(shortened);
    return shortened;
  });
  const lastStep = kept.findLastIndex(({ role }, index) => role === 'assistant' && index > question);
  /** Where the messages from `start` on, up to `end`, still have to begin, with one of the role. */
  const begin = (start: number, end: number, role: LanguageModelV4Message['role']): number => {
    let at = start;
    for (; at < end && (excess > 0 || (at > start && kept[at]?.role !== role)); at += 1) excess -= bytesOf(kept[at]);
    return at;
  };
  const history = begin(1, question, 'user');
  const steps = begin(question + 1, lastStep, 'assistant');
  return [...kept.slice(0, 1), ...kept.slice(history, question + 1), ...kept.slice(steps)];
}

type ToolMessage = Extract<LanguageModelV4Message, { role: 'tool' }>;

function withoutResults(message: ToolMessage): ToolMessage {
  const content = message.content.map((part) =>
    part.type === 'tool-result' ? { ...part, output: { type: 'json' as const, value: LEFT_OUT } } : part,
  );
  return { ...message, content };
}
