/** Credentials as HTTP carries them, for the plugins that say who asks. */
import { AtlasError, type Credentials } from '../../kernel/index.ts';
import { CREDENTIALS_REJECTED } from './errors.ts';

/** Longer credentials are refused before anything looks into them. */
const MAX_CREDENTIAL_BYTES = 8_192;

/** The refusal of a credential that was recognised and is not good: 401. Neither sentence may hold any part of it. */
export function rejectedCredentials(message: string, hint: string): AtlasError {
  return new AtlasError(message, { code: 'auth_error', reason: CREDENTIALS_REJECTED, hint });
}

/**
 * The value of a header with a credential, `undefined` without one. Throws the refusal for one that is too long; several
 * of a name have been refused before.
 */
export function credentialHeader(headers: Credentials['headers'], name: string): string | undefined {
  const value = headers[name];
  if (typeof value !== 'string') return undefined;
  if (value.length <= MAX_CREDENTIAL_BYTES) return value;
  throw rejectedCredentials('The credentials are too long.', `Send at most ${MAX_CREDENTIAL_BYTES} bytes.`);
}

/** What follows `Bearer` in the Authorization header; `undefined` when there is nothing, or another scheme. */
export function bearerToken(headers: Credentials['headers']): string | undefined {
  return /^bearer +(\S.*)$/is.exec(credentialHeader(headers, 'authorization') ?? '')?.[1];
}
