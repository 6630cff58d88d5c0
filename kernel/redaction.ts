/** Takes secrets out of what observers hear. What is a secret, the host says: `CreateAppOptions.redact`. */
import { AtlasError } from './errors.ts';

/** The text without its secrets; the same text when it holds none. */
export type Redact = (text: string) => string;

/** For a host without rules: any part of a text may be a secret. */
export const hideText: Redact = (text) => (text === '' ? '' : '[hidden]');

/** The same error; one like it without its cause, if a text of either holds a secret. */
export function redactError(error: Error, redact: Redact): Error {
  if (textsOf(error).every((text) => redact(text) === text)) return error;
  const message = redact(error.message);
  if (!(error instanceof AtlasError)) return Object.assign(new Error(message), { name: error.name });
  const { code, reason, hint } = error;
  return new AtlasError(message, { code, reason, hint: hint && redact(hint) });
}

function textsOf(error: unknown, depth = 0): string[] {
  if (!(error instanceof Error) || depth > 5) return [String(error)];
  const hint = error instanceof AtlasError ? [error.hint ?? ''] : [];
  return [error.message, ...hint, ...(error.cause === undefined ? [] : textsOf(error.cause, depth + 1))];
}
