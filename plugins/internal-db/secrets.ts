/**
 * Secrets at rest: AES-256-GCM, written `v1.<key id>.<nonce>.<ciphertext and tag>` in base64url. The key id is the
 * first 8 hexadecimal digits of the key's SHA-256, so that keys can be rotated: the first encrypts, all decrypt.
 */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { AtlasError } from '../../kernel/index.ts';
import type { InternalDb } from './api.ts';

const ALGORITHM = 'aes-256-gcm';
const VERSION = 'v1';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Part of what a key is derived from; another one gives other keys. */
const DERIVATION = 'atlas stored secrets v1';

interface Key {
  readonly id: string;
  readonly bytes: Buffer;
}

function keyOf(bytes: Buffer): Key {
  return { id: createHash('sha256').update(bytes).digest('hex').slice(0, 8), bytes };
}

/** The rest of a text is bound to its beginning and to what it is for. */
function bound(keyId: string, purpose: string): Buffer {
  return Buffer.from(`${VERSION}.${keyId}.${purpose}`);
}

function unreadable(why: string, hint: string, cause?: unknown): AtlasError {
  return new AtlasError(`A stored secret cannot be read: ${why}.`, {
    code: 'configuration_error',
    reason: 'E_SECRET_UNREADABLE',
    hint,
    cause,
  });
}

const CHANGED = 'it was changed, or stored for something else';
const ENTER_AGAIN = 'Enter the secret again, or restore the database from a backup.';

/** `encryptionKeys`: 32 bytes in base64 each. `deriveFrom`: a secret text whose key ranks last. */
export function secretsOf(encryptionKeys: readonly string[], deriveFrom: string | undefined): InternalDb['secrets'] {
  const keys = encryptionKeys.map((text) => keyOf(Buffer.from(text, 'base64')));
  if (deriveFrom !== undefined) keys.push(keyOf(Buffer.from(hkdfSync('sha256', deriveFrom, '', DERIVATION, 32))));

  return {
    seal(plain, purpose) {
      const [key] = keys;
      if (key === undefined) {
        throw new AtlasError('A secret cannot be stored, because there is no key to encrypt it with.', {
          code: 'configuration_error',
          reason: 'E_SECRET_KEY_MISSING',
          hint: 'Set SVC_ENCRYPTION_KEY to what "openssl rand -base64 32" prints, or AUTHLIB_SECRET, and start again.',
        });
      }
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, key.bytes, nonce).setAAD(bound(key.id, purpose));
      const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return [VERSION, key.id, nonce.toString('base64url'), sealed.toString('base64url')].join('.');
    },

    open(text, purpose) {
      const [, id, nonceText = '', sealedText = ''] = /^v1\.([0-9a-f]{8})\.([\w-]{16})\.([\w-]+)$/.exec(text) ?? [];
      if (id === undefined) throw unreadable('it is not in a form that Atlas writes', ENTER_AGAIN);
      const key = keys.find((known) => known.id === id);
      if (key === undefined) {
        throw unreadable(
          `it was encrypted with the key ${id}, which is not configured`,
          'Add the earlier key to SVC_ENCRYPTION_KEY, after the present one, and start again.',
        );
      }
      const sealed = Buffer.from(sealedText, 'base64url');
      // The last character may hold bits that say nothing; only the text that was written is accepted.
      if (sealed.toString('base64url') !== sealedText) throw unreadable(CHANGED, ENTER_AGAIN);
      try {
        const decipher = createDecipheriv(ALGORITHM, key.bytes, Buffer.from(nonceText, 'base64url'), {
          authTagLength: TAG_BYTES,
        })
          .setAAD(bound(key.id, purpose))
          .setAuthTag(sealed.subarray(-TAG_BYTES));
        return Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()]).toString('utf8');
      } catch (error) {
        throw unreadable(CHANGED, ENTER_AGAIN, error);
      }
    },
  };
}
