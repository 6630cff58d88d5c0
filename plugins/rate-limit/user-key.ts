/** Names the user that requests are counted by. */
import { createHash } from 'node:crypto';

/** Longer ids are counted by their hash, so that no key takes more room than this. */
const MAX_KEY_CHARACTERS = 128;

export function userKey(id: string): string {
  return id.length <= MAX_KEY_CHARACTERS ? id : createHash('sha256').update(id).digest('base64');
}
