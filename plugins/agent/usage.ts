/** Adds up the tokens of model calls. */
import type { Usage } from './api.ts';

export function sumOfUsage(one: Usage, other: Usage): Usage {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    totalTokens: one.totalTokens + other.totalTokens,
    ...((one.estimated === true || other.estimated === true) && { estimated: true }),
  };
}
