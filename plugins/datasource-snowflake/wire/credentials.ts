/** Makes what stands in `Authorization`: a token as it is, or one that a private key signs, for less than an hour. */
import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import type { SnowflakeTarget } from '../url.ts';
import { UnusableKey } from './fault.ts';

/** Snowflake takes no token that is older than an hour. */
const LIFE_SECONDS = 3_540;
const RENEWED_AFTER_MS = 3_000_000;

export class Credentials {
  readonly #target: SnowflakeTarget;
  #signed: { readonly token: string; readonly until: number } | undefined;

  constructor(target: SnowflakeTarget) {
    this.#target = target;
  }

  /** Throws `UnusableKey`. */
  async headers(): Promise<Record<string, string>> {
    const { tokenType, secret } = this.#target;
    const token = tokenType === 'KEYPAIR_JWT' ? await this.#sign() : secret;
    return { authorization: `Bearer ${token}`, 'x-snowflake-authorization-token-type': tokenType };
  }

  async #sign(): Promise<string> {
    if (this.#signed !== undefined && this.#signed.until > performance.now()) return this.#signed.token;
    const key = privateKey(this.#target);
    const { account, user } = this.#target;
    const digest = createHash('sha256').update(createPublicKey(key).export({ type: 'spki', format: 'der' }));
    const { SignJWT } = await import('jose');
    const now = Math.floor(Date.now() / 1000);
    const token = await new SignJWT()
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
      .setIssuer(`${account}.${user}.SHA256:${digest.digest('base64')}`)
      .setSubject(`${account}.${user}`)
      .setIssuedAt(now)
      .setExpirationTime(now + LIFE_SECONDS)
      .sign(key);
    this.#signed = { token, until: performance.now() + RENEWED_AFTER_MS };
    return token;
  }
}

/** Of the file, which the secret may open, or the secret itself: in PEM, or the base64 of PKCS #8 alone. */
function privateKey({ secret, keyFile }: SnowflakeTarget): KeyObject {
  try {
    const key =
      keyFile !== undefined
        ? createPrivateKey({ key: keyFile, ...(secret !== '' && { passphrase: secret }) })
        : createPrivateKey(
            secret.includes('-----') ? secret : { key: Buffer.from(secret, 'base64'), format: 'der', type: 'pkcs8' },
          );
    if (key.asymmetricKeyType === 'rsa') return key;
  } catch {
    // The reason may hold a part of the key.
  }
  throw new UnusableKey();
}
