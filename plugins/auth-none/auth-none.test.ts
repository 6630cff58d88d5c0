import { expect, it } from 'vitest';
import { authAuthorize, authResolve, healthCheck } from '../../kernel/index.ts';
import { createTestApp, testScope } from '../../test/harness/create-test-app.ts';
import { authLookup } from '../auth-kit/index.ts';
import { authNone } from './index.ts';

it('treats every request as an administrator without an id, whatever its headers', async () => {
  await using app = await createTestApp({ plugins: [authNone()], openGates: false });
  for (const headers of [{}, { authorization: 'Bearer wrong' }]) {
    const identity = await app.call(authResolve, { method: 'GET', route: '/', headers, ip: '127.0.0.1' }, testScope());
    expect(identity).toEqual({
      actor: { id: null, label: null, role: 'admin', mode: 'none', claims: {} },
      orgId: null,
    });
  }
});

it('authorizes everything, and shows in the health that authentication is off', async () => {
  await using app = await createTestApp({ plugins: [authNone()], openGates: false });
  expect((await app.call(healthCheck, undefined, app.scope())).map(({ value }) => value)).toEqual([
    { component: 'auth', status: 'ok', details: { mode: 'none', enabled: false } },
  ]);
  for (const right of ['query', 'approve', 'admin', 'self'] as const) {
    expect(await app.call(authAuthorize, { right, operation: 'GET /' }, testScope())).toBeUndefined();
  }
});

it('is the identity of the owner of work that runs later, too', async () => {
  await using app = await createTestApp({ plugins: [authNone()], openGates: false });
  expect(await app.callKey(authLookup, 'none', { actorId: null, orgId: null }, app.scope())).toMatchObject({
    state: 'present',
    identity: { actor: { id: null, role: 'admin', mode: 'none' } },
  });
});
