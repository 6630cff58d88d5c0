import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { healthCheck } from '../../kernel/index.ts';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { authLookup } from '../auth-kit/index.ts';
import { httpSecurity } from '../http/index.ts';
import { authApiKey } from './index.ts';
import { ApiKeys } from './keys.ts';

const CLAIMS = { tenant: 7 };
const open = () =>
  new ApiKeys([
    { key: 'first', role: 'analyst', claims: CLAIMS, name: 'reports' },
    { key: 'schlüssel', role: 'admin', claims: {} },
  ]);

it('find the identity of a key, whose id is a hash of it', () => {
  const keys = open();
  const hash = createHash('sha256').update('atlas:api-key:id:first').digest('hex').slice(0, 16);
  expect(keys.find('first')).toEqual({
    actor: { id: `api-key:${hash}`, label: 'reports', role: 'analyst', mode: 'api-key', claims: { tenant: 7 } },
    orgId: null,
  });
  expect(keys.find('first')).toBe(keys.find('first'));
  expect(keys.find('schlüssel')).toBeUndefined();
  // As a header brings it: one character for each byte.
  expect(keys.find(Buffer.from('schlüssel').toString('latin1'))?.actor).toMatchObject({
    label: 'API key',
    role: 'admin',
    claims: {},
  });
});

it.each(['', 'firs', 'firstx', 'FIRST', ' first'])('find nothing for %j', (key) => {
  expect(open().find(key)).toBeUndefined();
});

it('give identities that cannot be changed', () => {
  const identity = open().find('first');
  for (const part of [identity, identity?.actor, identity?.actor.claims]) expect(Object.isFrozen(part)).toBe(true);
  expect(Object.isFrozen(CLAIMS)).toBe(false);
});

it('refuse the same key twice, without showing it', () => {
  const key = (text: string) => ({ key: text, role: 'viewer' as const, claims: {} });
  expect(() => new ApiKeys([key('a'), key('b'), key('b')])).toThrow(
    expect.objectContaining({
      message: 'API keys 2 and 3 are the same.',
      code: 'configuration_error',
      reason: 'E_API_KEY_TWICE',
      hint: 'Give each its own.',
    }),
  );
});

it('warn below sixteen characters, and say how a client authenticates', async () => {
  const plugin = authApiKey({ keys: [{ key: 'k'.repeat(15) }, { key: 'k'.repeat(16) }, { key: 'k', name: 'ci' }] });
  await using app = await createTestApp({ plugins: [plugin] });
  const message = 'An API key has fewer than 16 characters.';
  const warnings = app.lines.filter(({ level }) => level === 'warn').map(({ fields, message }) => [fields, message]);
  expect(warnings).toEqual([
    [{ key: 1 }, message],
    [{ key: 'ci' }, message],
  ]);
  expect((await app.call(healthCheck, undefined, app.scope())).map(({ value }) => value)).toEqual([
    { component: 'auth', status: 'ok', details: { mode: 'api-key', enabled: true } },
  ]);
  expect((await app.call(httpSecurity, undefined, app.scope())).map(({ value }) => value)).toEqual([
    { name: 'apiKey', scheme: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An API key.' } },
    { name: 'apiKeyAsToken', scheme: { type: 'http', scheme: 'bearer', description: 'An API key.' } },
  ]);
});

it('are looked up by id for work that runs while no client is there', async () => {
  await using app = await createTestApp({ plugins: [authApiKey({ keys: [{ key: 'k'.repeat(16), role: 'viewer' }] })] });
  const { actor } = new ApiKeys([{ key: 'k'.repeat(16), role: 'viewer', claims: {} }]).find('k'.repeat(16)) ?? {};
  const lookUp = (actorId: string | null) => app.callKey(authLookup, 'api-key', { actorId, orgId: null }, app.scope());
  expect(await lookUp(actor?.id ?? '')).toEqual({ state: 'present', identity: { actor, orgId: null } });
  for (const id of ['api-key:0000000000000000', '', null]) {
    expect(await lookUp(id)).toEqual({ state: 'refused', reason: 'The API key is not in use any more.' });
  }
});
