/** Counts the tokens and the cost of a model call: as the provider reports them, else estimated. */
import { AtlasError } from '../../kernel/index.ts';
import type { ModelCalled } from '../agent/index.ts';
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

/** Of English text and of JSON; other languages have fewer bytes for a token only where a model knows them badly. */
const BYTES_PER_TOKEN = 4;
const TOKENS_OF_PRICES = 1_000_000;

const codeOf = (error: unknown) => (error instanceof AtlasError ? error.code : undefined);
const estimate = (bytes: number) => Math.ceil(bytes / BYTES_PER_TOKEN);

/** `undefined`: the provider refused the call, so that it took none. `textBytes`: of its answer's text, as far as it came. */
export function tokensOf({ scope, answer, error, prompt, tools }: ModelCalled, textBytes: number): Tokens | undefined {
  if (answer?.usage.isReported === true) {
    const { inputTokens, outputTokens, cachedInputTokens } = answer.usage;
    return { inputTokens, outputTokens, cachedInputTokens, estimatedTokens: 0 };
  }
  // A call that was given up on may have been answered, although nothing of the answer came here.
  const isGivenUp = error === undefined || scope.signal.aborted || codeOf(error) === 'provider_timeout';
  if (answer === undefined && textBytes === 0 && !isGivenUp) return undefined;
  const known = answer?.usage ?? { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 };
  const inputTokens = known.inputTokens || estimate(Buffer.byteLength(JSON.stringify({ prompt, tools })));
  const outputTokens = known.outputTokens || estimate(answer?.bytes ?? textBytes);
  const estimatedTokens = inputTokens - known.inputTokens + outputTokens - known.outputTokens;
  return { inputTokens, outputTokens, cachedInputTokens: known.cachedInputTokens, estimatedTokens };
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
