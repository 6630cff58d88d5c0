/** Checks a token: signature, issuer, audience and times. */
import { errors, type JWTPayload, type JWTVerifyGetKey, type JWTVerifyOptions, jwtVerify } from 'jose';
import { AtlasError, type Logger, messageOf } from '../../kernel/index.ts';
import { rejectedCredentials } from '../auth-kit/index.ts';
import type { ByotOptions } from './options.ts';

/** Asymmetric ones only: with a shared secret, everyone who can check a token could make one. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
const HINT = 'Send a current token of your identity provider as Authorization: Bearer TOKEN.';

/** No user id has one, and some databases refuse it. */
const CONTROL_CHARACTER = /\p{Cc}/u;

/** Whether a bearer token has the form of a JWT: header, claims and signature. */
export function looksLikeJwt(token: string): boolean {
  return token.split('.').length === 3;
}

/** What is wrong, without anything of the token: its own texts could say what they like. */
function rejection(error: errors.JOSEError): AtlasError {
  const refuse = (message: string) => rejectedCredentials(message, HINT);
  if (error instanceof errors.JWTExpired) return refuse('The token has expired.');
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === 'nbf' && error.reason === 'check_failed') return refuse('The token is not valid yet.');
    return refuse(
      `The claim "${error.claim}" of the token is ${error.reason === 'missing' ? 'missing' : 'not valid'}.`,
    );
  }
  if (error instanceof errors.JWKSNoMatchingKey)
    return refuse('The token is signed with a key that the issuer does not have.');
  if (error instanceof errors.JWSSignatureVerificationFailed) return refuse('The signature of the token is not valid.');
  if (error instanceof errors.JOSEAlgNotAllowed)
    return refuse('The token is signed with an algorithm that is not allowed.');
  return refuse('The token is not a valid JWT.');
}

/** Without a key id several keys may fit: the token is good when one of them has signed it. */
async function verifyWithAny(token: string, keys: errors.JWKSMultipleMatchingKeys, options: JWTVerifyOptions) {
  for await (const key of keys) {
    try {
      return await jwtVerify(token, key, options);
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error;
    }
  }
  throw new errors.JWSSignatureVerificationFailed();
}

export type Verify = (token: string, log: Logger) => Promise<JWTPayload & { readonly sub: string }>;

/**
 * The claims of a good token. Throws `auth_error` for one that is not, and `unavailable` when it cannot be checked.
 * `now`: milliseconds since the epoch.
 */
export function verifier(keys: JWTVerifyGetKey, options: ByotOptions, now: () => number): Verify {
  const { issuer, audience, clockToleranceSeconds } = options;
  const rules = {
    algorithms: ALGORITHMS,
    issuer,
    ...(audience !== undefined && { audience: typeof audience === 'string' ? audience : [...audience] }),
    clockTolerance: clockToleranceSeconds,
    requiredClaims: ['exp', 'sub'],
  };
  return async (token, log) => {
    const currentDate = new Date(now());
    const checks = { ...rules, currentDate };
    try {
      const verified = await jwtVerify(token, keys, checks).catch((error: unknown) => {
        if (error instanceof errors.JWKSMultipleMatchingKeys) return verifyWithAny(token, error, checks);
        throw error;
      });
      const { sub, iat } = verified.payload;
      // The library looks at the time of issue only when it limits the age.
      if (iat !== undefined && iat > currentDate.getTime() / 1000 + clockToleranceSeconds) {
        throw rejectedCredentials('The claim "iat" of the token lies in the future.', HINT);
      }
      if (typeof sub === 'string' && sub.trim() !== '' && !CONTROL_CHARACTER.test(sub)) {
        return { ...verified.payload, sub };
      }
      throw rejectedCredentials('The claim "sub" of the token is not valid.', HINT);
    } catch (error) {
      if (error instanceof AtlasError) throw error;
      if (error instanceof errors.JOSEError && !(error instanceof errors.JWKSInvalid)) throw rejection(error);
      // Not the token's fault: a key of the issuer that is broken or too weak.
      log.warn({ error: messageOf(error) }, 'A token could not be checked.');
      throw new AtlasError('The token cannot be checked: the key of the identity provider for it cannot be used.', {
        code: 'unavailable',
        reason: 'E_JWKS_UNUSABLE',
        retryAfterSeconds: 60,
        hint: 'Tell the operator of Atlas.',
      });
    }
  };
}
