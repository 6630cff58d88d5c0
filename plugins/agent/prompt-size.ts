/** Notices when a server has silently cut the prompt, as Ollama does when its context is too small. */

/** Fewer are not judged: counts of short prompts differ too much. */
const MIN_BYTES = 6_000;
/** Text and JSON take 3 to 5 bytes a token; so many are never reached by a prompt that was read whole. */
const MAX_BYTES_PER_TOKEN = 12;

/** What to warn of when a prompt of `sentBytes` cannot have been read whole; `undefined` when it can. */
export function promptTruncation(sentBytes: number, reportedTokens: number, modelId: string): string | undefined {
  const isCut = reportedTokens > 0 && sentBytes >= MIN_BYTES && sentBytes / reportedTokens > MAX_BYTES_PER_TOKEN;
  return isCut ? truncationMessage(modelId, sentBytes, reportedTokens) : undefined;
}

/** What the reader of an answer, the log and the health report are told. */
function truncationMessage(modelId: string, sentBytes: number, reportedTokens: number): string {
  return (
    `The server of the model "${modelId}" read only ${reportedTokens} tokens of a prompt of about ` +
    `${Math.round(sentBytes / 4)}: it cuts what exceeds its context, so the answer may miss tables, rules or results. ` +
    'Raise the context of the server, for Ollama with OLLAMA_CONTEXT_LENGTH=16384.'
  );
}
