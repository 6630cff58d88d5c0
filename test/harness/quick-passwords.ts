/**
 * Makes passwords cheap to hash: tests sign up hundreds of users, and with the real cost that took most of their time.
 * A test about that cost calls `vi.unmock('better-auth/crypto')`. Vitest loads this file before each test file.
 */
import { randomBytes, scryptSync } from 'node:crypto';
import { vi } from 'vitest';

const KEY_BYTES = 16;

vi.mock('better-auth/crypto', async (original) => {
  const real = await original<typeof import('better-auth/crypto')>();
  const keyOf = (password: string, salt: string) =>
    scryptSync(password.normalize('NFKC'), salt, KEY_BYTES, { N: 2 }).toString('hex');
  return {
    ...real,
    hashPassword: async (password: string) => {
      const salt = randomBytes(KEY_BYTES).toString('hex');
      return `${salt}:${keyOf(password, salt)}`;
    },
    // A server in a process of its own may have made the hash.
    verifyPassword: async ({ hash, password }: { hash: string; password: string }) => {
      const [salt = '', key = ''] = hash.split(':');
      if (key.length !== 2 * KEY_BYTES) return real.verifyPassword({ hash, password });
      return key === keyOf(password, salt);
    },
  };
});
