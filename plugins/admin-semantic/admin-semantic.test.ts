import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../../test/harness/create-test-app.ts';
import { dialects } from '../../test/harness/internal-databases.ts';
import { layerFolder } from '../../test/harness/layer-folder.ts';
import { Client, databases, organization, startServer, userOf } from '../../test/harness/managed-server.ts';
import { Issuer, makeKey, NOW, sign } from '../../test/harness/token-issuer.ts';
import { audit } from '../audit/index.ts';
import { authApiKey } from '../auth-api-key/index.ts';
import { authByot } from '../auth-byot/index.ts';
import { authNone } from '../auth-none/index.ts';
import { authRoles } from '../auth-roles/index.ts';
import { http } from '../http/index.ts';
import { rowSecurity } from '../row-security/index.ts';
import { semanticLayer } from '../semantic-layer/index.ts';
import { sqlGuard } from '../sql-guard/index.ts';
import { adminSemantic } from './index.ts';

const db = databases();
const URL = '/api/v1/admin/semantic/org/import';
const SHARED = { 'entities/orders.yml': 'table: orders\n' };
const ONE = { files: [{ path: 'entities/visits.yml', content: 'table: visits\n' }] };

const importer = (dir: string) => [semanticLayer({ dir, checkIntervalMs: 60_000 }), adminSemantic()];
const namesOf = async (app: TestApp, orgId: string | null) =>
  (await app.get(semanticLayer).modelFor(orgId)).entities.map(({ name }) => name).sort();

describe.each(dialects)('an import into an organization, on %s', (dialect) => {
  it('writes its layer only, and stands in its audit log', async () => {
    using folder = layerFolder(SHARED);
    await using server = await startServer(await db.url(dialect), {}, [...importer(folder.dir), audit()]);
    const boss = await userOf(server, 'boss@example.com');
    const ann = await userOf(server, 'ann@example.com');
    const id = (await organization(boss, 'create', { name: 'Acme', slug: 'acme' })).body.id as string;

    const { status, body } = await boss.send(URL, { body: ONE });
    expect([status, body]).toEqual([
      200,
      {
        orgId: id,
        imported: 1,
        changed: 1,
        copiedSharedLayer: true,
        entities: 2,
        metrics: 0,
        glossaryTerms: 0,
        problems: 0,
      },
    ]);
    expect((await boss.send(URL, { body: ONE })).body).toMatchObject({ changed: 0, copiedSharedLayer: false });
    expect(await namesOf(server, id)).toEqual(['orders', 'visits']);
    expect([await namesOf(server, null), await namesOf(server, 'other')]).toEqual([['orders'], ['orders']]);

    // The second time nothing changed.
    const { changes } = (await boss.send('/api/v1/admin/audit/changes?action=semantic_layer.imported')).body;
    expect(changes).toMatchObject([
      {
        ...{ orgId: id, userLabel: 'boss@example.com', targetType: 'semantic_layer', targetId: id, before: null },
        after: { files: 1, changed: 1, paths: ['entities/visits.yml'] },
      },
    ]);
    expect((await ann.send(URL, { body: ONE })).status).toBe(403);
    expect((await new Client(server).send(URL, { body: ONE })).status).toBe(401);
    const script = new Client(server, (await new Client(server).signIn('boss@example.com')).body.token);
    expect((await script.send(URL, { body: ONE })).body).toMatchObject({ orgId: id });
  });
});

describe('an import without organizations', () => {
  it.each([
    ['none', [authNone()], {}],
    [
      'api-key',
      [authRoles(), authApiKey({ keys: [{ key: 'a key of some length', role: 'admin' }] })],
      { authorization: 'Bearer a key of some length' },
    ],
  ] as const)('goes into the shared layer, in mode %s', async (_, auth, headers) => {
    using folder = layerFolder(SHARED);
    await using app = await createTestApp({
      plugins: [http({ port: 0 }), ...auth, ...importer(folder.dir)],
      openGates: false,
    });
    const send = (payload: object) => app.inject({ method: 'POST', url: URL, headers: { ...headers }, payload });
    const answer = await send(ONE);
    expect([answer.statusCode, answer.json()]).toEqual([200, expect.objectContaining({ orgId: null, changed: 1 })]);
    expect(await namesOf(app, null)).toEqual(['orders', 'visits']);
    expect(existsSync(join(folder.dir, '.orgs'))).toBe(false);

    const file = (path: string, content = 'table: x\n') => ({ files: [...ONE.files, { path, content }] });
    for (const [body, status, text] of [
      [{}, 422, 'files'],
      [{ files: [] }, 422, 'files'],
      [{ ...ONE, more: 1 }, 422, 'more'],
      [{ files: [{ path: 'entities/a.yml', text: '' }] }, 422, 'content'],
      [file('../../etc/evil.yml'), 422, '../../etc/evil.yml'],
      [file('entities/a.yml', 'tabel: x\n'), 422, 'entities/a.yml:1:1'],
      [{ ...ONE, connection: 'wherehouse' }, 422, 'There is no connection'],
    ] as const) {
      const refused = await send(body);
      expect([refused.statusCode, refused.json<{ error: string }>().error]).toEqual([status, 'validation_error']);
      expect(refused.body).toContain(text);
    }
    expect(existsSync(join(folder.dir, 'entities/a.yml'))).toBe(false);
  });

  it('is refused to a token that names no organization while row security keeps tenants apart', async () => {
    using folder = layerFolder(SHARED);
    const key = await makeKey('k-1');
    const issuer = await Issuer.start(key);
    try {
      const byot = { jwksUrl: issuer.jwksUrl, issuer: 'https://id.example.com/', audience: 'atlas' };
      await using app = await createTestApp({
        now: NOW,
        plugins: [
          ...[http({ port: 0 }), authRoles(), authByot(byot), ...importer(folder.dir)],
          ...[sqlGuard(), rowSecurity({ column: 'tenant', claim: 'tenant' })],
        ],
      });
      const send = async (claims: object) => {
        const headers = { authorization: `Bearer ${await sign(key, { role: 'admin', tenant: 't', ...claims })}` };
        return (await app.inject({ method: 'POST', url: URL, headers, payload: ONE })).statusCode;
      };
      expect([await send({}), await send({ org_id: 'acme' }), await send({ org_id: '../acme' })]).toEqual([
        403, 200, 404,
      ]);
      expect([await namesOf(app, null), await namesOf(app, 'acme')]).toEqual([['orders'], ['orders', 'visits']]);
    } finally {
      await issuer.stop();
    }
  });
});
