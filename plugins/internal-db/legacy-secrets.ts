/**
 * Reads secrets as earlier versions stored them: `v1.<key id>.<nonce>.<ciphertext and tag>` in base64url, AES-256-GCM
 * with version, key id and purpose as authenticated data.
 */
import { createDecipheriv } from 'node:crypto';

const TAG_BYTES = 16;

/** `undefined` for a text in another form. */
export function readLegacySecret(text: string) {
  const [, keyId, nonce = '', sealed = ''] = /^v1\.([0-9a-f]{8})\.([\w-]{16})\.([\w-]+)$/.exec(text) ?? [];
  if (keyId === undefined) return undefined;
  return {
    keyId,
    /** Throws when the text was changed or sealed for another purpose. */
    decrypt(key: Buffer, purpose: string): string {
      const bytes = Buffer.from(sealed, 'base64url');
      // The last character may hold bits that say nothing; only the text that was written is accepted.
      if (bytes.toString('base64url') !== sealed) throw new Error('not the text that was written');
      const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(nonce, 'base64url'), {
        authTagLength: TAG_BYTES,
      })
        .setAAD(Buffer.from(`v1.${keyId}.${purpose}`))
        .setAuthTag(bytes.subarray(-TAG_BYTES));
      return Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()]).toString('utf8');
    },
  };
}
