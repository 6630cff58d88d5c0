/** Adds up the tokens of model calls, and estimates those that a provider did not report. */
import type { Usage } from './api.ts';

export interface ModelUsage extends Usage {
  /** Part of the input tokens: read from the provider's cache. */
  readonly cachedInputTokens: number;
  /** False: the provider did not tell both counts; the one that is not known is estimated. */
  readonly isReported: boolean;
  /** Part of the tokens: not reported by the provider. */
  readonly estimatedTokens: number;
}

/** Of English text and of JSON; other languages have fewer bytes for a token only where a model knows them badly. */
const BYTES_PER_TOKEN = 4;

export const NO_USAGE: ModelUsage = {
  inputTokens: 0,
  outputTokens: 0,
  totalTokens: 0,
  cachedInputTokens: 0,
  isReported: false,
  estimatedTokens: 0,
};

export function sumOfUsage(one: Usage, other: Usage): Usage {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    totalTokens: one.totalTokens + other.totalTokens,
    ...((one.estimated === true || other.estimated === true) && { estimated: true }),
  };
}

/** The usage of a call with an estimate for each count that is not known. `sent`: the prompt and the tools. */
export function completeUsage(reported: ModelUsage, sent: object, answerBytes: number): ModelUsage {
  if (reported.isReported) return reported;
  const inputTokens = reported.inputTokens || Math.ceil(jsonBytes(sent) / BYTES_PER_TOKEN);
  const outputTokens = reported.outputTokens || Math.ceil(answerBytes / BYTES_PER_TOKEN);
  const totalTokens = inputTokens + outputTokens;
  const estimatedTokens = totalTokens - reported.inputTokens - reported.outputTokens;
  return { ...reported, inputTokens, outputTokens, totalTokens, estimatedTokens, estimated: true };
}

const jsonBytes = (value: unknown) =>
  Buffer.byteLength(JSON.stringify(value, (_, item: unknown) => (typeof item === 'bigint' ? `${item}` : item)));
