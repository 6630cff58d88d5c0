/**
 * Encrypts secrets at rest as JSON Web Encryption (RFC 7516): AES-256-GCM, the key named in the header by the first 8
 * hexadecimal digits of its SHA-256, so that keys can be rotated: the first encrypts, all decrypt.
 */
import { createHash, hkdfSync } from 'node:crypto';
import { AtlasError } from '../../kernel/index.ts';
import type { InternalDb } from './api.ts';
import { readLegacySecret } from './legacy-secrets.ts';

const ALGORITHM = { alg: 'dir', enc: 'A256GCM' } as const;
/** Part of what a key is derived from; another one gives other keys. */
const DERIVATION = 'atlas stored secrets v1';

interface Key {
  readonly id: string;
  readonly bytes: Buffer;
}

/** An encrypted text of which it is known which key it needs. */
interface SealedSecret {
  readonly keyId: string;
  /** Throws or rejects when the text was changed or sealed for another purpose. */
  decrypt(key: Buffer, purpose: string): string | Promise<string>;
}

function keyOf(bytes: Buffer): Key {
  return { id: createHash('sha256').update(bytes).digest('hex').slice(0, 8), bytes };
}

function unreadable(why: string, hint: string, cause?: unknown): AtlasError {
  return new AtlasError(`A stored secret cannot be read: ${why}.`, {
    code: 'configuration_error',
    reason: 'E_SECRET_UNREADABLE',
    hint,
    cause,
  });
}

const ENTER_AGAIN = 'Enter the secret again, or restore the database from a backup.';

/** The last character of base64url may hold bits that say nothing; only the text that was written is accepted. */
const isCanonical = (part: string) => Buffer.from(part, 'base64url').toString('base64url') === part;

/** Loaded on use: most servers store no secret. */
const loadJose = () => import('jose');

/** `undefined` for a text in another form. */
async function readSecret(text: string): Promise<SealedSecret | undefined> {
  if (!text.split('.').every(isCanonical)) return undefined;
  const { compactDecrypt, decodeProtectedHeader } = await loadJose();
  let keyId: unknown;
  try {
    keyId = decodeProtectedHeader(text).kid;
  } catch {
    return undefined;
  }
  if (typeof keyId !== 'string' || !/^[0-9a-f]{8}$/.test(keyId)) return undefined;
  return {
    keyId,
    async decrypt(key, purpose) {
      const { plaintext, protectedHeader } = await compactDecrypt(text, key, {
        keyManagementAlgorithms: [ALGORITHM.alg],
        contentEncryptionAlgorithms: [ALGORITHM.enc],
      });
      if (protectedHeader.purpose !== purpose) throw new Error('stored for another purpose');
      return Buffer.from(plaintext).toString('utf8');
    },
  };
}

/** `encryptionKeys`: 32 bytes in base64 each. `deriveFrom`: a secret text whose key ranks last. */
export function secretsOf(encryptionKeys: readonly string[], deriveFrom: string | undefined): InternalDb['secrets'] {
  const keys = encryptionKeys.map((text) => keyOf(Buffer.from(text, 'base64')));
  if (deriveFrom !== undefined) keys.push(keyOf(Buffer.from(hkdfSync('sha256', deriveFrom, '', DERIVATION, 32))));

  return {
    keyIds: keys.map(({ id }) => id),

    async seal(plain, purpose) {
      const [key] = keys;
      if (key === undefined) {
        throw new AtlasError('A secret cannot be stored, because there is no key to encrypt it with.', {
          code: 'configuration_error',
          reason: 'E_SECRET_KEY_MISSING',
          hint: 'Set SVC_ENCRYPTION_KEY to what "openssl rand -base64 32" prints, or AUTHLIB_SECRET, and start again.',
        });
      }
      const { CompactEncrypt } = await loadJose();
      return new CompactEncrypt(Buffer.from(plain))
        .setProtectedHeader({ ...ALGORITHM, kid: key.id, purpose })
        .encrypt(key.bytes);
    },

    async open(text, purpose) {
      const sealed: SealedSecret | undefined = readLegacySecret(text) ?? (await readSecret(text));
      if (sealed === undefined) throw unreadable('it is not in a form that Atlas writes', ENTER_AGAIN);
      const key = keys.find(({ id }) => id === sealed.keyId);
      if (key === undefined) {
        throw unreadable(
          `it was encrypted with the key ${sealed.keyId}, which is not configured`,
          'Add the earlier key to SVC_ENCRYPTION_KEY, after the present one, and start again.',
        );
      }
      try {
        return await sealed.decrypt(key.bytes, purpose);
      } catch (error) {
        throw unreadable('it was changed, or stored for something else', ENTER_AGAIN, error);
      }
    },
  };
}

const SEALED = /eyJ[\w-]+\.\.[\w-]+\.[\w-]+\.[\w-]+|v1\.[0-9a-f]{8}\.[\w-]{16}\.[\w-]+/g;

/** Ids of the keys that the sealed secrets in a text need. */
export async function keyIdsIn(text: string): Promise<string[]> {
  const ids: string[] = [];
  for (const [sealed] of text.matchAll(SEALED)) {
    const secret = readLegacySecret(sealed) ?? (await readSecret(sealed));
    if (secret !== undefined) ids.push(secret.keyId);
  }
  return ids;
}
