/** The refusals of authentication and authorization, and the reasons by which the HTTP server tells them apart. */
import { AtlasError } from '../../kernel/index.ts';

/** The reason of an `auth_error` that means "known, but not allowed": answered with 403 instead of 401. */
export const ROLE_TOO_LOW = 'E_ROLE_TOO_LOW';

/** The reason of an `auth_error` about a credential that is not good, in contrast to none at all. */
export const CREDENTIALS_REJECTED = 'E_CREDENTIALS_REJECTED';

/** The refusal of a credential that was recognised and is not good: 401. Neither sentence may hold any part of it. */
export function rejectedCredentials(message: string, hint: string): AtlasError {
  return new AtlasError(message, { code: 'auth_error', reason: CREDENTIALS_REJECTED, hint });
}
