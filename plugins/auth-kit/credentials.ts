/** Reads credentials out of HTTP headers, for the plugins that authenticate requests. */
import type { Credentials } from '../../kernel/index.ts';
import { rejectedCredentials } from './errors.ts';

/** Longer credentials are refused before anything looks into them. */
const MAX_CREDENTIAL_BYTES = 8_192;

/**
 * The value of a header with a credential, `undefined` without one. Throws the refusal for one that is too long; several
 * of a name have been refused before.
 */
function credentialHeader(headers: Credentials['headers'], name: string): string | undefined {
  const value = headers[name];
  if (typeof value !== 'string') return undefined;
  if (value.length <= MAX_CREDENTIAL_BYTES) return value;
  throw rejectedCredentials('The credentials are too long.', `Send at most ${MAX_CREDENTIAL_BYTES} bytes.`);
}

/** What follows `Bearer` in the Authorization header; `undefined` when there is nothing, or another scheme. */
export function bearerToken(headers: Credentials['headers']): string | undefined {
  return /^bearer +(\S.*)$/is.exec(credentialHeader(headers, 'authorization') ?? '')?.[1];
}

/** The value of the X-API-Key header. */
export function apiKey(headers: Credentials['headers']): string | undefined {
  return credentialHeader(headers, 'x-api-key');
}
