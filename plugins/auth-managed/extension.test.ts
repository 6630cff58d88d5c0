import { createAuthEndpoint } from 'better-auth/api';
import { expect, it } from 'vitest';
import { AtlasError, authAuthorize, definePlugin, Type } from '../../kernel/index.ts';
import { Client, databases, startServer, userOf } from '../../test/harness/managed-server.ts';
import { authExtend, type ExtensionEndpoint, type LibraryHost, signInBefore } from './index.ts';

const db = databases();

/** Counts how often the library is loaded for it. */
function extending(loaded: LibraryHost[]) {
  const Scim = Type.Unknown({ contentMediaType: 'application/scim+json' });
  const base = { right: 'public', summary: 'Test', reply: Type.Unknown() } as const;
  const endpoints: ExtensionEndpoint[] = [
    { ...base, method: 'GET', path: '/hello/:name', params: Type.Object({ name: Type.String() }) },
    {
      ...base,
      method: 'POST',
      path: '/broken',
      body: Type.Unknown(),
      reply: Scim,
      isProtocol: true,
      errors: ['conflict'],
    },
    {
      ...base,
      method: 'PUT',
      path: '/own',
      body: Type.Object({ name: Type.String() }),
      handle: async (request, _scope, ask) => {
        const { body } = await ask({ ...request, body: { name: 'changed' } });
        return { body: { asked: body } };
      },
    },
  ];
  return definePlugin({
    name: 'extending',
    version: '1.0.0',
    type: 'auth',
    description: 'Brings endpoints.',
    setup(ctx) {
      ctx.tap(authExtend, () => [
        {
          endpoints,
          load: async (host) => {
            loaded.push(host);
            return {
              read: async (_table, row) => row,
              plugins: [
                {
                  id: 'hello',
                  onResponse: async (given) => {
                    const headers = { 'content-type': 'application/scim+json' };
                    return {
                      response: given.status === 409 ? new Response(given.body, { status: 409, headers }) : given,
                    };
                  },
                  endpoints: {
                    hello: createAuthEndpoint('/hello/:name', { method: 'GET' }, async (c) =>
                      c.json({ to: c.params.name }),
                    ),
                    own: createAuthEndpoint('/own', { method: 'PUT' }, async (c) => c.json(c.body)),
                    broken: createAuthEndpoint('/broken', { method: 'POST' }, async (c) => {
                      c.setStatus(409);
                      return { detail: 'taken' };
                    }),
                  },
                },
              ],
            };
          },
        },
      ]);
      ctx.tap(signInBefore, ({ email, by }) => {
        if (!email.endsWith('@closed.test')) return;
        throw new AtlasError(`Not by ${by}.`, { code: 'forbidden', libraryCode: 'CLOSED' });
      });
      ctx.tap(authAuthorize, ({ operation, ip }) => {
        if (operation !== 'GET /api/auth/get-session' || ip !== '127.0.0.1') return;
        throw new AtlasError('Not from here.', { code: 'ip_not_allowed' });
      });
    },
  })();
}

it('mounts endpoints of other plugins, whose library is loaded at the first request', async () => {
  const loaded: LibraryHost[] = [];
  await using server = await startServer(await db.url('sqlite'), {}, [extending(loaded)]);
  const client = new Client(server);
  expect(loaded).toHaveLength(0);
  expect((await client.send('/api/auth/hello/ann')).body).toEqual({ to: 'ann' });
  expect((await client.send('/api/auth/own', { method: 'PUT', body: { name: 'given' } })).body).toEqual({
    asked: { name: 'changed' },
  });
  expect((await client.send('/api/auth/own', { method: 'PUT', body: {} })).status).toBe(422);
  const refused = await client.send('/api/auth/broken', { body: { any: 1 } });
  expect([refused.status, refused.body]).toEqual([409, { detail: 'taken' }]);
  expect(refused.headers.get('content-type')).toContain('application/scim+json');
  expect(loaded).toHaveLength(1);
});

it('asks other plugins before a sign-in and a sign-up by password', async () => {
  await using server = await startServer(await db.url('sqlite'), {}, [extending([])]);
  const client = new Client(server);
  for (const refused of [await client.signIn('Ann@closed.test'), await client.signUp('ann@closed.test')]) {
    expect([refused.status, refused.body]).toMatchObject([
      403,
      { error: 'forbidden', code: 'CLOSED', message: 'Not by password.' },
    ]);
  }
  expect((await client.signUp('ann@open.test')).status).toBe(200);
});

it('authorizes who asks for the session that they have', async () => {
  await using server = await startServer(await db.url('sqlite'), {}, [extending([])]);
  const ann = await userOf(server, 'ann@open.test');
  expect(await ann.send('/api/auth/get-session')).toMatchObject({ status: 403, body: { error: 'ip_not_allowed' } });
  expect((await new Client(server).send('/api/auth/get-session')).body).toBeNull();
  expect((await ann.send('/api/auth/sign-out', { body: {} })).status).toBe(200);
});
