/** Says why a question has no answer, and what to change, when the model gave none. */
import type { ModelAnswer, ModelName } from '../model-kit/index.ts';

type NoAnswer =
  /** The model returned nothing, also when asked once more. */
  | 'empty'
  /** Its calls were written as text that cannot be read. */
  | 'unreadable'
  /** Its own token limit ended its last reply. */
  | 'tokens'
  /** It wrote the same words over and over. */
  | 'repeats'
  /** The model calls of one question were used up. */
  | 'steps'
  /** Further calls brought nothing new, and no answer came without them. */
  | 'stuck'
  | 'withheld'
  /** The memory of one question was used up. */
  | 'spent';

export interface NoAnswerFacts {
  readonly model: ModelName;
  readonly maxSteps: number;
  /** What the last failed call said, where no call succeeded. */
  readonly lastError: string | undefined;
  readonly hasTables: boolean;
}

/** Why a reply without text is no answer. */
export function noAnswerOf(
  { finish, hasUnreadableCall }: ModelAnswer,
  finishReason: 'stop' | 'length',
  isSpent: boolean,
  isStuck: boolean,
): NoAnswer {
  if (isSpent) return 'spent';
  if (hasUnreadableCall) return 'unreadable';
  if (finish === 'withheld') return 'withheld';
  if (finish === 'length') return 'tokens';
  if (finish === 'repeats') return 'repeats';
  if (finishReason === 'stop') return 'empty';
  return isStuck ? 'stuck' : 'steps';
}

/** What a provider calls the end of a text by its filter; a refusal of the model itself says so in its text. */
const FILTERED = /filter|safety|sensitive|recitation|block|prohibited|spii|guardrail/i;

/** What follows a text that the filter of its provider has cut; `undefined` for any other. */
export function filteredEnding({ finish, rawReason }: ModelAnswer, { provider }: ModelName): string | undefined {
  const isFiltered = finish === 'withheld' && FILTERED.test(rawReason);
  return isFiltered ? `The content filter of the provider "${provider}" ended the answer here.` : undefined;
}

export function fallbackAnswer(reason: NoAnswer, facts: NoAnswerFacts): string {
  const { lastError, hasTables } = facts;
  if (lastError !== undefined && reason !== 'withheld') return `The question could not be answered: ${lastError}`;
  const sentence = SENTENCES[reason](facts);
  return hasTables ? `${sentence} What was looked up so far is in the table.` : sentence;
}

const SENTENCES: Readonly<Record<NoAnswer, (facts: NoAnswerFacts) => string>> = {
  empty: ({ model }) =>
    `The model "${model.modelId}" ended without an answer twice. Reasoning models do so when their output limit or ` +
    'context is too small, others when their server does not support tools: raise the limits, or choose another model.',
  unreadable: ({ model }) =>
    `The model "${model.modelId}" writes its tool calls in a form that cannot be read. Start its server with the parser ` +
    'of its tool calls (vLLM: --enable-auto-tool-choice --tool-call-parser, llama.cpp: --jinja), or choose a model with tool calling.',
  tokens: ({ model }) =>
    `No answer was reached: the output limit or the context of the model "${model.modelId}" ended its reply. Raise its ` +
    'limits (for Ollama OLLAMA_CONTEXT_LENGTH), or ask a narrower question.',
  repeats: ({ model }) =>
    `The model "${model.modelId}" repeated the same words over and over instead of an answer. Raise the context of its ` +
    'server, set another temperature, or use a more capable model.',
  steps: ({ maxSteps }) =>
    `No answer was reached within the ${maxSteps} model calls of one question. Ask for less at once, or use a more capable model.`,
  stuck: ({ model }) =>
    `The model "${model.modelId}" made the same tool call again and again instead of an answer. Use a more capable model.`,
  withheld: ({ model }) =>
    `The model declined to answer this question: the content filter of the provider "${model.provider}" withheld the ` +
    'answer. Word the question differently, or relax the filter at the provider.',
  spent: () => 'The results of this question are more than one question may hold. Ask for totals, or for fewer rows.',
};
