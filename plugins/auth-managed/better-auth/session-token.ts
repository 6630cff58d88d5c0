/** Hashes session tokens, so that the database's content does not help to sign in. */
import { createHash } from 'node:crypto';

/** As it is stored. A token has 190 random bits, so there is nothing to slow down. */
export function hashedToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}
