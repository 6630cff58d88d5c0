import { describe, expect, it } from 'vitest';
import type { PluginEntry } from '../../kernel/index.ts';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { databases } from '../../test/harness/managed-server.ts';
import { authApiKey } from '../auth-api-key/index.ts';
import { authNone } from '../auth-none/index.ts';
import { authRoles } from '../auth-roles/index.ts';
import { http } from '../http/index.ts';
import { internalDb } from '../internal-db/index.ts';
import { outbound } from '../outbound/index.ts';
import { adminSso } from './index.ts';

const db = databases();
const KEY = 'a-key-of-an-administrator';
const SSO = '/api/v1/admin/sso';
const SCIM = '/api/v1/admin/scim';

const MODES: [string, PluginEntry[]][] = [
  ['none', [authNone()]],
  ['api-key', [authRoles(), authApiKey({ keys: [{ key: KEY, role: 'admin' }] })]],
];

describe.each(MODES)('without accounts, in mode %s', (_mode, auth) => {
  const start = (url?: string) =>
    createTestApp({
      plugins: [http({ port: 0 }), internalDb(url === undefined ? {} : { url }), outbound(), ...auth, adminSso()],
      openGates: false,
    });
  type App = Awaited<ReturnType<typeof start>>;
  const call = async (app: App, method: 'GET' | 'PUT' | 'POST' | 'DELETE', url: string, payload?: object) => {
    const sent = { method, url, headers: { 'x-api-key': KEY }, ...(payload !== undefined && { payload }) };
    const { statusCode, body } = await app.inject(sent);
    return [statusCode, JSON.parse(body)];
  };

  it('there is nothing to enforce and nobody to provision', async () => {
    await using app = await start(await db.url('sqlite'));
    expect(await call(app, 'GET', `${SSO}/enforcement`)).toEqual([200, { enforced: false, orgId: null }]);
    expect(await call(app, 'GET', SCIM)).toEqual([
      200,
      { connections: [], syncStatus: { connections: 0, provisionedUsers: 0, lastSyncAt: null } },
    ]);
    expect(await call(app, 'PUT', `${SSO}/enforcement`, { enforced: true })).toMatchObject([
      409,
      { error: 'conflict' },
    ]);
    expect(await call(app, 'PUT', `${SSO}/enforcement`, { enforced: false })).toEqual([
      200,
      { enforced: false, orgId: null },
    ]);
    for (const [method, path] of [
      ['GET', `${SSO}/providers`],
      ['POST', `${SSO}/providers`],
      ['GET', `${SSO}/providers/x`],
      ['DELETE', `${SSO}/providers/x`],
      ['POST', `${SCIM}/connections`],
      ['DELETE', `${SCIM}/connections/x`],
    ] as const) {
      expect([path, await call(app, method, path)]).toMatchObject([path, [404, { error: 'not_available' }]]);
    }
  });

  it('nothing is available without an internal database', async () => {
    await using app = await start();
    for (const path of [`${SSO}/enforcement`, SCIM, `${SSO}/providers`]) {
      expect(await call(app, 'GET', path)).toMatchObject([404, { error: 'not_available' }]);
    }
    expect(await call(app, 'PUT', `${SSO}/enforcement`, { nonsense: 1 })).toMatchObject([
      404,
      { error: 'not_available' },
    ]);
  });
});
