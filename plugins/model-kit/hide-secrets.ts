/** Removes API keys from errors: some providers repeat the key that they refuse, and errors end in the log. */
const HIDDEN = '***';
const MAX_DEPTH = 8;

export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => (secret === '' ? rest : rest.replaceAll(secret, HIDDEN)), text);
}

/** The same error with the secrets taken out of its messages and stacks, causes included. */
export function hideSecrets<E>(error: E, secrets: readonly string[]): E {
  let current: unknown = error;
  for (let depth = 0; secrets.length > 0 && current instanceof Error && depth < MAX_DEPTH; depth += 1) {
    const { message, stack } = current;
    const [hiddenMessage, hiddenStack] = [message, stack ?? ''].map((text) => withoutSecrets(text, secrets));
    if (hiddenMessage !== message) current.message = hiddenMessage as string;
    if (stack !== undefined && hiddenStack !== stack) current.stack = hiddenStack as string;
    current = current.cause;
  }
  return error;
}
