/** Names versions of a file by its content. */
import { createHash } from 'node:crypto';

/** What has another version has another content. */
export const versionOf = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex').slice(0, 32);
