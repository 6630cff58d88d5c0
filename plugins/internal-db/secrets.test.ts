import { randomBytes } from 'node:crypto';
import { compactDecrypt, decodeProtectedHeader } from 'jose';
import { describe, expect, it } from 'vitest';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { internalDb } from './index.ts';
import { secretsOf } from './secrets.ts';

const key = () => randomBytes(32).toString('base64');
const PLAIN = 'postgres://user:geheim-ü@host/db';

const change = async (text: string, purpose: string, secrets: ReturnType<typeof secretsOf>) => {
  for (const [at, character] of [...text].entries()) {
    for (const other of ['A', 'B', 'w', '0', '.'].filter((one) => one !== character)) {
      const changed = `${text.slice(0, at)}${other}${text.slice(at + 1)}`;
      await expect(secrets.open(changed, purpose), changed).rejects.toThrow(/A stored secret cannot be read/);
    }
  }
  for (const wrong of ['', 'v1', PLAIN, text.slice(0, -4), `${text}AAAA`, `${text}=`, `${text}.`, `x${text}`]) {
    await expect(secrets.open(wrong, purpose), wrong).rejects.toThrow(/A stored secret cannot be read/);
  }
};

describe('secrets', () => {
  it('open to what was sealed, each time in another text', async () => {
    const secrets = secretsOf([key()], undefined);
    const sealed = await secrets.seal(PLAIN, 'connection.url');
    expect(sealed).toMatch(/^[\w-]+\.\.[\w-]{16}\.[\w-]+\.[\w-]{22}$/);
    expect(sealed).not.toContain('geheim');
    expect(await secrets.open(sealed, 'connection.url')).toBe(PLAIN);
    expect(await secrets.seal(PLAIN, 'connection.url')).not.toBe(sealed);
    expect(await secrets.open(await secrets.seal('', 'x'), 'x')).toBe('');
  });

  it('are JSON Web Encryption, which other programs read', async () => {
    const given = key();
    const sealed = await secretsOf([given], undefined).seal(PLAIN, 'connection.url');
    const { plaintext, protectedHeader } = await compactDecrypt(sealed, Buffer.from(given, 'base64'));
    expect(Buffer.from(plaintext).toString()).toBe(PLAIN);
    expect(protectedHeader).toEqual({
      alg: 'dir',
      enc: 'A256GCM',
      kid: expect.stringMatching(/^[0-9a-f]{8}$/),
      purpose: 'connection.url',
    });
  });

  it('open for no other purpose, and not once a character was changed, cut or added', async () => {
    const secrets = secretsOf([key()], undefined);
    const sealed = await secrets.seal(PLAIN, 'connection.url');
    await expect(secrets.open(sealed, 'model.key')).rejects.toThrow(/changed, or stored for something else/);
    await change(sealed, 'connection.url', secrets);
  });

  it('are rotated: the first key seals, all open; a missing one is named by its id', async () => {
    const [before, after] = [key(), key()];
    const idOf = (text: string) => decodeProtectedHeader(text).kid;
    const old = await secretsOf([before], undefined).seal(PLAIN, 'x');
    const rotated = secretsOf([after, before], undefined);
    expect(await rotated.open(old, 'x')).toBe(PLAIN);
    const renewed = await rotated.seal(await rotated.open(old, 'x'), 'x');
    expect(idOf(renewed)).not.toBe(idOf(old));
    expect(await secretsOf([after], undefined).open(renewed, 'x')).toBe(PLAIN);
    await expect(secretsOf([after], undefined).open(old, 'x')).rejects.toThrow(
      `key ${idOf(old)}, which is not configured`,
    );
  });

  it('may use a derived key, and go on reading it beside a real one', async () => {
    const secret = 'a secret text of more than 32 characters';
    const old = await secretsOf([], secret).seal(PLAIN, 'x');
    expect(await secretsOf([], secret).open(old, 'x')).toBe(PLAIN);
    expect(await secretsOf([key()], secret).open(old, 'x')).toBe(PLAIN);
    await expect(secretsOf([], `${secret}!`).open(old, 'x')).rejects.toThrow(/not configured/);
  });

  it('are refused without a key, with what to set', async () => {
    await using app = await createTestApp({ plugins: [internalDb()] });
    const error = await app
      .get(internalDb)
      .secrets.seal(PLAIN, 'x')
      .catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'configuration_error', hint: expect.stringContaining('SVC_ENCRYPTION_KEY') });
    expect(String(error)).not.toContain('geheim');
  });

  it.each(['short', 'Z'.repeat(64), `${'Z'.repeat(42)}!=`])(
    'a malformed key stops the start and is not shown',
    async (bad) => {
      const message = await createTestApp({ plugins: [internalDb({ encryptionKeys: [key(), bad] })] }).catch(
        (error: Error) => error.message,
      );
      expect(message).toMatch(/internal-db: option "encryptionKeys.1".*32 bytes in base64/);
      expect(message).not.toContain(bad);
    },
  );
});

describe('secrets of earlier versions', () => {
  const SEALED = 'v1.4bb06f8e.IarI5ezMR2Dfxxys.j2_MNdDtMyNxmek17COgZI1sx5CP2P6OWDoCATKYhkQdMX_6vO_L6n8yOR7143W1FQ';
  const EMPTY = 'v1.4bb06f8e.osVXDX2Qmr7gyv0G.v6C3wb5aUhwa4KaqIdJluw';
  const DERIVED = 'v1.d618d30c.JrCJ7wiqobzloiuf.-0H-P0LxWQuuOwnCTJQvqur69WNiF7MuxuRltjkN-Mf9RmXvWnhVTWvUjtD32aazGg';
  const given = Buffer.alloc(32, 7).toString('base64');

  it('still open, with given and derived keys, and beside a newer key', async () => {
    const secrets = secretsOf([key(), given], 'a secret text of more than 32 characters');
    expect(await secrets.open(SEALED, 'connection.url')).toBe(PLAIN);
    expect(await secrets.open(EMPTY, 'x')).toBe('');
    expect(await secrets.open(DERIVED, 'connection.url')).toBe(PLAIN);
  });

  it('open for no other purpose, and not once a character was changed, cut or added', async () => {
    const secrets = secretsOf([given], undefined);
    await expect(secrets.open(SEALED, 'model.key')).rejects.toThrow(/changed, or stored for something else/);
    await expect(secrets.open(DERIVED, 'connection.url')).rejects.toThrow('key d618d30c, which is not configured');
    await change(SEALED, 'connection.url', secrets);
    await change(EMPTY, 'x', secrets);
  });
});
