/** Counts the tokens and the cost of a model call, also of one whose answer did not come. */
import { AtlasError } from '../../kernel/index.ts';
import type { ModelCalled } from '../agent/index.ts';
import { completeUsage, NO_USAGE } from '../model-kit/index.ts';
import type { Price, UsageOptions } from './options.ts';

/** What a call, or all calls of a question, took. */
export interface Tokens {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Part of the input tokens: read from the provider's cache. */
  readonly cachedInputTokens: number;
  /** Part of the tokens: not reported by the provider. */
  readonly estimatedTokens: number;
}

const TOKENS_OF_PRICES = 1_000_000;

const codeOf = (error: unknown) => (error instanceof AtlasError ? error.code : undefined);

/** `undefined`: the provider refused the call, so that it took none. `textBytes`: of its answer's text, as far as it came. */
export function tokensOf({ scope, answer, error, prompt, tools }: ModelCalled, textBytes: number): Tokens | undefined {
  // A call that was given up on may have been answered, although nothing of the answer came here.
  const isGivenUp = error === undefined || scope.signal.aborted || codeOf(error) === 'provider_timeout';
  if (answer === undefined && textBytes === 0 && !isGivenUp) return undefined;
  const { inputTokens, outputTokens, cachedInputTokens, estimatedTokens } =
    answer?.usage ?? completeUsage(NO_USAGE, { prompt, tools }, textBytes);
  return { inputTokens, outputTokens, cachedInputTokens, estimatedTokens };
}

/** `undefined`: the model has no price. */
export function costOf(tokens: Tokens, modelId: string, prices: UsageOptions['prices']): number | undefined {
  const price: Price | undefined = Object.hasOwn(prices, modelId) ? prices[modelId] : undefined;
  if (price === undefined) return undefined;
  const { inputTokens, cachedInputTokens, outputTokens } = tokens;
  const { input, output, cachedInput = input } = price;
  const cached = Math.min(cachedInputTokens, inputTokens);
  return ((inputTokens - cached) * input + cached * cachedInput + outputTokens * output) / TOKENS_OF_PRICES;
}
