/** Keeps the configured keys as hashes, and finds the one that a request presents. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { AtlasError, type Identity } from '../../kernel/index.ts';
import type { ApiKeyOptions } from './options.ts';

/** Makes the hash in an actor's id another one than that of the comparison. */
const ID_DOMAIN = 'atlas:api-key:id:';
const ID_DIGITS = 16;

interface KnownKey {
  readonly digest: Buffer;
  readonly identity: Identity;
}

function sha256(...parts: readonly (string | Buffer)[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

export class ApiKeys {
  readonly #known: readonly KnownKey[];

  /** Throws `configuration_error` when two keys are the same: it would be unclear whose request it was. */
  constructor(keys: ApiKeyOptions['keys']) {
    this.#known = keys.map(({ name, key, role, claims }, index) => {
      const first = keys.findIndex((other) => other.key === key);
      if (first !== index) {
        throw new AtlasError(`API keys ${first + 1} and ${index + 1} are the same.`, {
          code: 'configuration_error',
          reason: 'E_API_KEY_TWICE',
          hint: 'Give each its own.',
        });
      }
      const id = `api-key:${sha256(ID_DOMAIN, key).toString('hex').slice(0, ID_DIGITS)}`;
      const actor = { id, label: name ?? 'API key', role, mode: 'api-key', claims: Object.freeze({ ...claims }) };
      return { digest: sha256(key), identity: Object.freeze({ actor: Object.freeze(actor), orgId: null }) };
    });
  }

  /** Who bears the key. Every known key is compared, in constant time, so that the time tells nothing. */
  find(presented: string): Identity | undefined {
    // A header's text holds one character for each byte that came.
    const digest = sha256(Buffer.from(presented, 'latin1'));
    let found: Identity | undefined;
    for (const known of this.#known) if (timingSafeEqual(known.digest, digest)) found = known.identity;
    return found;
  }

  /** The identity that an actor's id names. */
  byId(id: string | null): Identity | undefined {
    return this.#known.find(({ identity }) => identity.actor.id === id)?.identity;
  }
}
