import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { internalDb } from './index.ts';
import { secretsOf } from './secrets.ts';

const key = () => randomBytes(32).toString('base64');
const PLAIN = 'postgres://user:geheim-ü@host/db';

describe('secrets', () => {
  it('open to what was sealed, each time in another text', () => {
    const secrets = secretsOf([key()], undefined);
    const sealed = secrets.seal(PLAIN, 'connection.url');
    expect(sealed).toMatch(/^v1\.[0-9a-f]{8}\.[\w-]{16}\.[\w-]+$/);
    expect(sealed).not.toContain('geheim');
    expect(secrets.open(sealed, 'connection.url')).toBe(PLAIN);
    expect(secrets.seal(PLAIN, 'connection.url')).not.toBe(sealed);
    expect(secrets.open(secrets.seal('', 'x'), 'x')).toBe('');
  });

  it('open for no other purpose, and not once a character was changed, cut or added', () => {
    const secrets = secretsOf([key()], undefined);
    const sealed = secrets.seal(PLAIN, 'connection.url');
    expect(() => secrets.open(sealed, 'model.key')).toThrow(/changed, or stored for something else/);
    const parts = sealed.split('.');
    for (const [at, character] of [...sealed].entries()) {
      for (const other of ['A', 'B', 'w', '0', '.'].filter((one) => one !== character)) {
        const changed = `${sealed.slice(0, at)}${other}${sealed.slice(at + 1)}`;
        expect(() => secrets.open(changed, 'connection.url'), changed).toThrow(/A stored secret cannot be read/);
      }
    }
    for (const text of [
      '',
      'v1',
      PLAIN,
      sealed.slice(0, -4),
      `${sealed}AAAA`,
      sealed.replace('v1', 'v2'),
      `${sealed}=`,
    ]) {
      expect(() => secrets.open(text, 'connection.url'), text).toThrow(/A stored secret cannot be read/);
    }
    const short = [...parts.slice(0, 3), 'AAAA'].join('.');
    expect(() => secrets.open(short, 'connection.url')).toThrow(/cannot be read/);
  });

  it('are rotated: the first key seals, all open; a missing one is named by its id', () => {
    const [before, after] = [key(), key()];
    const old = secretsOf([before], undefined).seal(PLAIN, 'x');
    const rotated = secretsOf([after, before], undefined);
    expect(rotated.open(old, 'x')).toBe(PLAIN);
    const renewed = rotated.seal(rotated.open(old, 'x'), 'x');
    expect(renewed.split('.')[1]).not.toBe(old.split('.')[1]);
    expect(secretsOf([after], undefined).open(renewed, 'x')).toBe(PLAIN);
    expect(() => secretsOf([after], undefined).open(old, 'x')).toThrow(
      `key ${old.split('.')[1]}, which is not configured`,
    );
  });

  it('may use a derived key, and go on reading it beside a real one', () => {
    const secret = 'a secret text of more than 32 characters';
    const old = secretsOf([], secret).seal(PLAIN, 'x');
    expect(secretsOf([], secret).open(old, 'x')).toBe(PLAIN);
    expect(secretsOf([key()], secret).open(old, 'x')).toBe(PLAIN);
    expect(() => secretsOf([], `${secret}!`).open(old, 'x')).toThrow(/not configured/);
  });

  it('are refused without a key, with what to set', async () => {
    await using app = await createTestApp({ plugins: [internalDb()] });
    const error = (() => {
      try {
        return app.get(internalDb).secrets.seal(PLAIN, 'x');
      } catch (caught) {
        return caught;
      }
    })();
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
