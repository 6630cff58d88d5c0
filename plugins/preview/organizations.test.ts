/** Previews of administrators of organizations: none of them shows what belongs to another one. */
import { describe, expect, it } from 'vitest';
import { Issuer, makeKey, sign } from '../../test/harness/token-issuer.ts';
import { internalDb } from '../internal-db/index.ts';
import { type Headers, startPreviewServer, TOTAL } from './fixtures/preview-server.ts';

const PASSWORD = 'correct horse battery';

describe('with managed users', () => {
  async function startManaged(claim: string, env = {}) {
    const t = await startPreviewServer({
      env: { AUTHLIB_SECRET: 's'.repeat(40), SVC_RLS_CLAIM: claim, ...env },
      rows: [['nobody', 5]],
    });
    const post = async (url: string, headers: Headers, payload: object) =>
      (await t.send('POST', url, headers, payload)).json<{ id: string }>();
    const signIn = async (email: string): Promise<Headers> => {
      const { headers } = await t.send('POST', '/api/auth/sign-in/email', {}, { email, password: PASSWORD });
      return { authorization: `Bearer ${String(headers['set-auth-token'])}` };
    };
    return {
      ...t,
      signIn,
      post,
      signUp: async (email: string): Promise<Headers> => {
        await t.send('POST', '/api/auth/sign-up/email', {}, { email, password: PASSWORD, name: email });
        return signIn(email);
      },
      found: async (by: Headers, name: string) =>
        (await post('/api/auth/organization/create', by, { name, slug: name.toLowerCase() })).id,
      invite: async (by: Headers, who: Headers, email: string, role = 'member') => {
        const { id } = await post('/api/auth/organization/invite-member', by, { email, role });
        await post('/api/auth/organization/accept-invitation', who, { invitationId: id });
      },
      idOf: async (who: Headers) => (await t.send('GET', '/api/v1/me', who)).json<{ user: { id: string } }>().user.id,
      update: (email: string, set: object) =>
        t.app.get(internalDb).run((knex) => knex('auth_user').where({ email }).update(set)),
    };
  }

  it('shows what members get, and of another organization nothing', async () => {
    await using t = await startManaged('org_id', { SVC_RLS_CLAIMS: '{"org_id":"nobody"}' });
    const boss = await t.signUp('boss@example.com');
    const platform = await t.preview({ sql: TOTAL, as: { claims: { org_id: 'acme' }, role: 'viewer' } }, boss);
    expect(platform).toMatchObject([403, { error: 'forbidden' }]);
    const ann = await t.signUp('ann@example.com');
    const zoe = await t.signUp('zoe@example.com');
    await t.update('zoe@example.com', { role: 'admin' });
    const [acme, beta] = [await t.found(boss, 'Acme'), await t.found(zoe, 'Beta')];
    await t.invite(boss, ann, 'ann@example.com');
    t.add(acme, 30);
    t.add(beta, 999);
    const [annId, zoeId] = [await t.idOf(ann), await t.idOf(zoe)];
    const preview = (as: object, by = boss) => t.preview({ sql: TOTAL, as }, by);

    const shown = (total: number) => [200, { data: [{ rows: [{ total }] }] }];
    expect(await preview({ userId: annId })).toMatchObject(shown(30));
    expect(await preview({ claims: { org_id: acme, sub: 'somebody' }, role: 'analyst' })).toMatchObject(shown(30));

    const missing = await preview({ userId: '00000000-0000-4000-8000-000000000000' });
    expect(missing).toMatchObject([404, { error: 'not_found' }]);
    const [status, { requestId: _, ...body }] = await preview({ userId: zoeId });
    // Nothing tells whether the other organization has such a user.
    expect([status, body]).toEqual([404, { error: 'not_found', message: missing[1].message }]);
    for (const claims of [
      { org_id: beta },
      { org_id: [acme, beta] },
      { org_id: null },
      { org_id: { $ne: acme } },
      { org_id: 'nobody' },
    ]) {
      expect([claims, ...(await preview({ claims, role: 'viewer' }))]).toMatchObject([
        claims,
        403,
        { error: 'forbidden' },
      ]);
    }
    // Nor do the static claims stand in for those that are not given.
    for (const claims of [{}, { org: beta }, { nested: { org_id: beta } }]) {
      expect([claims, ...(await preview({ claims, role: 'viewer' }))]).toMatchObject([
        claims,
        403,
        { message: expect.stringContaining('missing') },
      ]);
    }
    expect(await preview({ userId: annId }, zoe)).toMatchObject([404, { error: 'not_found' }]);

    const { entries } = (await t.send('GET', '/api/v1/admin/audit', boss)).json<{ entries: object[] }>();
    expect(entries).toContainEqual(
      expect.objectContaining({
        surface: 'preview',
        userId: await t.idOf(boss),
        userLabel: 'boss@example.com as ann@example.com',
        orgId: acme,
      }),
    );
    const others = (await t.send('GET', '/api/v1/admin/audit', zoe)).json<{ entries: object[] }>().entries;
    expect(JSON.stringify(others)).not.toContain('ann@example.com');

    await t.update('ann@example.com', { banned: true });
    expect(await preview({ userId: annId })).toMatchObject([404, { error: 'not_found' }]);
  });

  it('an address that is not theirs opens no rows to administrators of an organization', async () => {
    await using t = await startManaged('email');
    const boss = await t.signUp('boss@example.com');
    const ann = await t.signUp('ann@example.com');
    await t.found(boss, 'Acme');
    await t.invite(boss, ann, 'ann@example.com');
    await t.update('ann@example.com', { emailVerified: true });
    t.add('ann@example.com', 30);
    t.add('zoe@example.com', 999);
    const preview = (as: object) => t.preview({ sql: TOTAL, as }, boss);
    expect(await preview({ userId: await t.idOf(ann) })).toMatchObject([200, { data: [{ rows: [{ total: 30 }] }] }]);
    for (const email of ['ann@example.com', 'zoe@example.com']) {
      expect(await preview({ claims: { email }, role: 'viewer' })).toMatchObject([403, { error: 'forbidden' }]);
    }
  });

  it('a reader who may not ask is refused', async () => {
    await using t = await startManaged('org_id');
    const boss = await t.signUp('boss@example.com');
    const ann = await t.signUp('ann@example.com');
    await t.found(boss, 'Acme');
    const role = await t.post('/api/v1/admin/roles', boss, { name: 'auditor', rights: ['admin:audit'] });
    const { id } = await t.post('/api/v1/admin/users/invitations', boss, { email: 'ann@example.com', role: role.id });
    await t.post('/api/auth/organization/accept-invitation', ann, { invitationId: id });
    const asAnn = { sql: 'SELECT 1 AS n', as: { userId: await t.idOf(ann) } };
    expect(await t.preview(asAnn, boss)).toMatchObject([
      403,
      {
        error: 'forbidden',
        message: expect.stringContaining('The reader is refused: A question needs the right query'),
      },
    ]);
    // Who administers an area administers no readers.
    expect(await t.preview(asAnn, ann)).toMatchObject([403, { error: 'auth_error' }]);
    await t.update('ann@example.com', { passwordChangeRequired: true });
    expect(await t.preview(asAnn, boss)).toMatchObject([403, { error: 'forbidden' }]);
  });
});

it('with tokens: claims may narrow those of the administrator, and never widen them', async () => {
  const key = await makeKey('one');
  const issuer = await Issuer.start(key);
  await using t = await startPreviewServer({
    env: { SVC_AUTH_JWKS_URL: issuer.jwksUrl, SVC_AUTH_ISSUER: 'https://id.example.com/' },
  });
  const by = async (claims: Record<string, unknown>): Promise<Headers> => ({
    authorization: `Bearer ${await sign(key, { role: 'admin', ...claims })}`,
  });
  const preview = async (claims: object, admin: Record<string, unknown>) =>
    t.preview({ sql: TOTAL, as: { claims, role: 'viewer' } }, await by(admin));
  const boss = { org_id: 'one', tenant: ['acme', 'gamma'] };
  expect(await preview({ tenant: 'acme', sub: 'bob' }, boss)).toMatchObject([
    200,
    { data: [{ rows: [{ total: 30 }] }] },
  ]);
  for (const claims of [{ tenant: 'beta' }, { tenant: ['acme', 'beta'] }, { tenant: 'acme', org_id: 'two' }]) {
    expect([claims, ...(await preview(claims, boss))]).toMatchObject([claims, 403, { error: 'forbidden' }]);
  }
  // Nothing says of what tenant this administrator is.
  expect(await preview({ tenant: 'acme' }, { tenant: 'acme' })).toMatchObject([403, { error: 'forbidden' }]);
  expect(await t.preview({ sql: TOTAL, as: { userId: 'ann' } }, await by(boss))).toMatchObject([
    404,
    { error: 'not_available' },
  ]);
  await issuer.stop();
});
