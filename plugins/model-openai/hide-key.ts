/** Removes the API key from errors: some providers repeat the key that they refuse, and errors end in the log. */
const HIDDEN = '***';
const MAX_DEPTH = 8;

export function withoutKey(text: string, apiKey: string | undefined): string {
  return apiKey ? text.replaceAll(apiKey, HIDDEN) : text;
}

/** The same error with the key taken out of its messages and stacks, causes included. */
export function hideKey<E>(error: E, apiKey: string | undefined): E {
  let current: unknown = error;
  for (let depth = 0; apiKey && current instanceof Error && depth < MAX_DEPTH; depth += 1) {
    if (current.message.includes(apiKey)) current.message = withoutKey(current.message, apiKey);
    if (current.stack?.includes(apiKey)) current.stack = withoutKey(current.stack, apiKey);
    current = current.cause;
  }
  return error;
}
