/** Counts the tokens of a model call, and estimates those that its provider did not report. */

export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly totalTokens: number;
  /** Set when a part of it is estimated. */
  readonly estimated?: boolean;
  /** Part of the input tokens: read from the provider's cache. */
  readonly cachedInputTokens: number;
  /** False: the provider did not tell both counts; the one that is not known is estimated. */
  readonly isReported: boolean;
  /** Part of the tokens: not reported by the provider. */
  readonly estimatedTokens: number;
}

/** For English text and JSON; other languages have fewer bytes for a token only where a model knows them badly. */
const BYTES_PER_TOKEN = 4;

export const NO_USAGE: ModelUsage = {
  inputTokens: 0,
  outputTokens: 0,
  totalTokens: 0,
  cachedInputTokens: 0,
  isReported: false,
  estimatedTokens: 0,
};

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
