/** Notices when a server has silently cut the prompt, as Ollama does when its context is too small. */
import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';

/** Fewer are not judged: counts of short prompts differ too much. */
const MIN_BYTES = 4_000;
/** Text and JSON take 3 to 5 bytes a token; so many are never reached by a prompt that was read whole. */
const MAX_BYTES_PER_TOKEN = 12;

/** Whether a prompt of `sentBytes` cannot have been read whole when it is reported to have `reportedTokens`. */
export function isPromptTruncated(sentBytes: number, reportedTokens: number): boolean {
  return reportedTokens > 0 && sentBytes >= MIN_BYTES && sentBytes / reportedTokens > MAX_BYTES_PER_TOKEN;
}

/**
 * What to warn of when a prompt was cut; `undefined` when it was not. `roughBytes` saves the exact measure where it is
 * not needed.
 */
export function promptTruncation(
  { prompt, tools = [] }: LanguageModelV4CallOptions,
  roughBytes: number,
  reportedTokens: number,
  modelId: string,
): string | undefined {
  if (!isPromptTruncated(roughBytes, reportedTokens)) return undefined;
  const bytes = jsonBytes(prompt) + jsonBytes(tools);
  return isPromptTruncated(bytes, reportedTokens) ? truncationMessage(modelId, bytes, reportedTokens) : undefined;
}

export const jsonBytes = (value: unknown) =>
  Buffer.byteLength(JSON.stringify(value, (_, item: unknown) => (typeof item === 'bigint' ? `${item}` : item)));

/** What the reader of an answer, the log and the health report are told. */
function truncationMessage(modelId: string, sentBytes: number, reportedTokens: number): string {
  return (
    `The server of the model "${modelId}" read only ${reportedTokens} tokens of a prompt of about ` +
    `${Math.round(sentBytes / 4)}: it cuts what exceeds its context, so the answer may miss tables, rules or results. ` +
    'Raise the context of the server, for Ollama with OLLAMA_CONTEXT_LENGTH=16384.'
  );
}
