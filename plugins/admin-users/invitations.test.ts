import { describe, expect, it } from 'vitest';
import { dialects } from '../../test/harness/internal-databases.ts';
import {
  Client,
  databases,
  idOf,
  organization,
  startServer,
  USERS,
  userOf,
} from '../../test/harness/managed-server.ts';
import { startSmtpReceiver } from '../../test/harness/smtp-receiver.ts';
import { audit } from '../audit/index.ts';
import { deliverEmail } from '../deliver-email/index.ts';

const db = databases();
const INVITATIONS = `${USERS}/invitations`;
const accept = (who: Client, invitationId: string) => organization(who, 'accept-invitation', { invitationId });
const revoke = (by: Client, id: string) => by.send(`${INVITATIONS}/${id}`, { method: 'DELETE' });

describe.each(dialects)('invitations on %s', (dialect) => {
  it('are made, listed, revoked and accepted, with the role that was chosen', async () => {
    await using server = await startServer(await db.url(dialect), { url: 'http://127.0.0.1:1' }, [audit()]);
    const boss = await userOf(server, 'boss@example.com');
    expect((await boss.send(INVITATIONS)).body).toEqual({ invitations: [], total: 0, limit: 50, offset: 0 });
    const invite = (email: string, role?: string) => boss.send(INVITATIONS, { body: { email, role } });
    expect(await invite('ann@example.com')).toMatchObject({ status: 409, body: { error: 'conflict' } });
    const orgId = (await organization(boss, 'create', { name: 'Acme', slug: 'acme' })).body.id;
    await boss.send('/api/v1/admin/roles', { body: { name: 'auditor', rights: ['query', 'admin:audit'] } });

    const made = await invite('ANN@example.com', 'admin');
    expect([made.status, made.body]).toEqual([
      201,
      {
        id: expect.any(String),
        email: 'ann@example.com',
        role: 'admin',
        status: 'pending',
        invitedBy: await idOf(boss),
        createdAt: expect.stringMatching(/Z$/),
        expiresAt: expect.stringMatching(/Z$/),
        acceptUrl: `http://127.0.0.1:1/api/auth/organization/accept-invitation?invitationId=${made.body.id}`,
      },
    ]);
    expect((await invite('ann@example.com')).status).toBe(409);
    expect((await invite('boss@example.com')).status).toBe(409);
    expect((await invite('bob@example.com', 'emperor')).status).toBe(404);
    expect((await invite('nonsense')).status).toBe(422);
    const bobs = (await invite('bob@example.com', 'auditor')).body.id;
    const lost = (await invite('lost@example.com', 'viewer')).body.id;
    const late = (await invite('late@example.com')).body.id;
    await db
      .connect(server.database)('auth_invitation')
      .where({ id: late })
      .update({ expiresAt: '2020-01-01T00:00:00.000Z' });

    expect((await boss.send('/api/v1/admin/roles/auditor', { method: 'DELETE' })).status).toBe(409);
    expect((await revoke(boss, lost)).body).toEqual({ success: true });
    for (const id of [lost, 'nothing']) expect((await revoke(boss, id)).status).toBe(404);
    expect((await boss.send(`${INVITATIONS}?status=canceled`)).body.invitations).toMatchObject([
      { id: lost, acceptUrl: null },
    ]);
    expect((await boss.send(`${INVITATIONS}?status=expired`)).body.invitations).toMatchObject([
      { id: late, status: 'expired' },
    ]);
    expect((await boss.send(`${INVITATIONS}?status=pending&limit=1&offset=1`)).body).toMatchObject({
      total: 2,
      invitations: [{ id: made.body.id }],
    });
    expect((await boss.send(`${INVITATIONS}?search=BOB`)).body.total).toBe(1);

    const [ann, bob] = [await userOf(server, 'ann@example.com'), await userOf(server, 'bob@example.com')];
    for (const id of [bobs, lost, late]) expect((await accept(ann, id)).status).toBeOneOf([400, 403, 404]);
    expect((await accept(ann, made.body.id)).status).toBe(200);
    expect((await accept(bob, bobs)).status).toBe(200);
    for (const path of ['cancel-invitation', 'accept-invitation', 'reject-invitation']) {
      expect([path, (await organization(ann, path, { invitationId: made.body.id })).status]).toEqual([path, 404]);
    }
    expect((await ann.whoami()).body).toMatchObject({ orgId, actor: { role: 'admin' } });
    expect((await bob.whoami()).body.actor.rights).toEqual(['query', 'admin:audit']);
    expect((await ann.send(USERS)).body.total).toBe(3);

    const { changes } = (await boss.send('/api/v1/admin/audit/changes?limit=100')).body;
    expect(changes.map(({ action }: { action: string }) => action).sort()).toEqual([
      ...Array(2).fill('invitation.accepted'),
      ...Array(4).fill('invitation.created'),
      'invitation.revoked',
      'organization.created',
      'role.created',
    ]);
    // Whoever is out of the organization is none of its administrators either.
    expect((await organization(boss, 'remove-member', { memberIdOrEmail: 'ann@example.com' })).status).toBe(200);
    expect((await ann.whoami()).body).toMatchObject({ orgId: null, actor: { role: 'analyst' } });
  });

  it('last a week, whichever way they are made', async () => {
    await using server = await startServer(await db.url(dialect));
    const boss = await userOf(server, 'boss@example.com');
    await organization(boss, 'create', { name: 'Acme', slug: 'acme' });
    await boss.send(INVITATIONS, { body: { email: 'ann@example.com' } });
    await organization(boss, 'invite-member', { email: 'bob@example.com', role: 'member' });
    const { invitations } = (await boss.send(INVITATIONS)).body;
    const days = invitations.map((made: { createdAt: string; expiresAt: string }) =>
      Math.round((Date.parse(made.expiresAt) - Date.parse(made.createdAt)) / 86_400_000),
    );
    expect(days).toEqual([7, 7]);
  });

  it('give nothing that the administrator who invited may not give any more', async () => {
    await using server = await startServer(await db.url(dialect));
    const boss = await userOf(server, 'boss@example.com');
    const ann = await userOf(server, 'ann@example.com');
    await organization(boss, 'create', { name: 'Acme', slug: 'acme' });
    const invited = (by: Client, email: string, role: string) => by.send(INVITATIONS, { body: { email, role } });
    await accept(ann, (await invited(boss, 'ann@example.com', 'admin')).body.id);
    const eve = await userOf(server, 'eve@example.com');
    const id = (await invited(ann, 'eve@example.com', 'admin')).body.id;
    await boss.send(`${USERS}/${await idOf(ann)}/role`, { method: 'PATCH', body: { role: 'analyst' } });
    expect(await accept(eve, id)).toMatchObject({ status: 403, body: { error: 'forbidden' } });
    expect((await eve.whoami()).body).toMatchObject({ orgId: null, actor: { role: 'analyst' } });
    expect((await boss.send(USERS)).body.total).toBe(2);
  });

  it('are seen by those alone who could have made them: any other could sign up with the address', async () => {
    await using server = await startServer(await db.url(dialect), {}, [audit()]);
    const boss = await userOf(server, 'boss@example.com');
    const orgId = (await organization(boss, 'create', { name: 'Acme', slug: 'acme' })).body.id;
    const role = { name: 'hosts', rights: ['query', 'admin:users', 'admin:audit'] };
    expect((await boss.send('/api/v1/admin/roles', { body: role })).status).toBe(201);
    const join = async (email: string, role: string) => {
      const who = await userOf(server, email);
      const { id } = (await boss.send(INVITATIONS, { body: { email, role } })).body;
      expect((await accept(who, id)).status).toBe(200);
      return who;
    };
    const [member, host] = [await join('ann@example.com', 'analyst'), await join('bob@example.com', 'hosts')];
    const pending = await boss.send(INVITATIONS, { body: { email: 'new@example.com', role: 'admin' } });
    const below = await boss.send(INVITATIONS, { body: { email: 'low@example.com', role: 'viewer' } });
    const library = '/api/auth/organization';
    const read = (who: Client, path: string) => who.send(`${library}/${path}`);
    const shown = async (who: Client) => ({
      listed: ((await read(who, 'list-invitations')).body as { email: string }[]).map(({ email }) => email).sort(),
      full: (await read(who, 'get-full-organization')).body.invitations.length,
      admin: (await who.send(`${INVITATIONS}?status=pending`)).body.total,
    });
    expect(await shown(boss)).toEqual({
      listed: ['ann@example.com', 'bob@example.com', 'low@example.com', 'new@example.com'],
      full: 4,
      admin: 2,
    });
    expect(await shown(host)).toEqual({ listed: ['bob@example.com', 'low@example.com'], full: 2, admin: 1 });
    expect((await read(member, 'list-invitations')).status).toBe(403);
    expect((await read(member, 'get-full-organization')).body).toMatchObject({ id: orgId, invitations: [] });
    expect((await read(member, 'get-full-organization')).body.members).toHaveLength(3);
    expect((await revoke(host, pending.body.id)).status).toBe(404);
    expect((await revoke(host, below.body.id)).status).toBe(200);
    // Nor does the audit log tell what accepts one.
    const log = JSON.stringify((await host.send('/api/v1/admin/audit/changes?limit=100')).body);
    expect([log.includes('new@example.com'), log.includes(pending.body.id)]).toEqual([true, false]);
  });

  it('of members make nobody an administrator whom these could not make one', async () => {
    await using server = await startServer(await db.url(dialect));
    const boss = await userOf(server, 'boss@example.com');
    const [ann, eve] = [await userOf(server, 'ann@example.com'), await userOf(server, 'eve@example.com')];
    await boss.send(`${USERS}/${await idOf(eve)}/role`, { method: 'PATCH', body: { role: 'admin' } });
    await organization(eve, 'create', { name: 'Evil', slug: 'evil' });
    const orgId = (await organization(boss, 'create', { name: 'Acme', slug: 'acme' })).body.id;
    const ask = async (by: Client, email: string, role: string) =>
      (await organization(by, 'invite-member', { email, role })).body.id as string;
    expect((await accept(ann, await ask(boss, 'ann@example.com', 'admin'))).status).toBe(200);
    // Governs by membership, and is an analyst: eve is an administrator in an organization of her own.
    expect((await ann.whoami()).body).toMatchObject({ orgId, actor: { role: 'analyst' } });
    const refused = await ask(ann, 'eve@example.com', 'admin');
    expect(await accept(eve, refused)).toMatchObject({ status: 403, body: { error: 'forbidden' } });
    await organization(ann, 'cancel-invitation', { invitationId: refused });
    expect((await accept(eve, await ask(ann, 'eve@example.com', 'member'))).status).toBe(200);
    expect((await eve.whoami()).body).toMatchObject({ orgId, actor: { role: 'analyst' } });
  });
});

it('are mailed where the composition delivers by e-mail, as plain text and not without end', async () => {
  let refuses = false;
  await using smtp = await startSmtpReceiver({
    onRcptTo: (_address, _session, done) => done(refuses ? new Error('No such mailbox.') : null),
  });
  const mail = deliverEmail({ smtpUrl: smtp.url, from: 'Atlas <atlas@example.com>' });
  await using server = await startServer(await db.url('sqlite'), { url: 'https://atlas.test' }, [mail]);
  const boss = await userOf(server, 'boss@example.com');
  const name = 'Acme\r\nBcc: eve@example.com\u202e <b>&amp;</b>';
  await organization(boss, 'create', { name, slug: 'acme' });
  const invite = (email: string) => boss.send(INVITATIONS, { body: { email, role: 'viewer' } });
  const first = await invite('Ann@example.com');
  expect([first.status, first.body]).toMatchObject([201, { email: 'ann@example.com', mailed: true }]);
  const { to, headers, parts, raw } = smtp.received[0] as (typeof smtp.received)[number];
  expect([to, headers.bcc, headers.subject]).toEqual([
    ['ann@example.com'],
    undefined,
    'Invitation to Acme Bcc: eve@example.com <b>&amp;</b> on Atlas',
  ]);
  expect(headers['message-id']).toMatch(/^<[0-9a-f-]{36}@example.com>$/);
  expect(Object.keys(parts)).toEqual(['text/plain']);
  const text = (parts['text/plain'] ?? '').replaceAll('\r\n', '\n');
  expect(text).toContain(
    'boss@example.com invites you to the organization "Acme Bcc: eve@example.com <b>&amp;</b>" on',
  );
  expect(text).toContain(`open this link:\n\n${first.body.acceptUrl}\n`);
  expect(first.body.acceptUrl).toBe(
    `https://atlas.test/api/auth/organization/accept-invitation?invitationId=${first.body.id}`,
  );
  expect(raw).not.toMatch(/^Bcc:/im);

  // One address gets three in a day, whichever way they are asked for.
  await revoke(boss, first.body.id);
  const { id } = (await organization(boss, 'invite-member', { email: 'ann@example.com', role: 'member' })).body;
  for (const _again of [1, 2, 3]) {
    await organization(boss, 'invite-member', { email: 'ann@example.com', role: 'member', resend: true });
  }
  expect(smtp.received.map((one) => one.to)).toEqual(Array(3).fill(['ann@example.com']));
  expect(new Set(smtp.received.map((one) => one.headers['message-id'])).size).toBeGreaterThan(1);
  await revoke(boss, id);
  expect((await invite('ann@example.com')).body).toMatchObject({ status: 'pending', mailed: false });
  // The invitation stands without the mail.
  refuses = true;
  expect((await invite('bob@example.com')).body).toMatchObject({ status: 'pending', mailed: false });
  for (const email of ['a@example.com, b@example.com', 'a@example.com\r\nBcc: b@example.com', 'A <a@example.com>']) {
    expect((await invite(email)).status).toBe(422);
  }
  expect(smtp.received).toHaveLength(3);
});

it('are mailed without a host where no public URL is set, whatever host the request names', async () => {
  await using smtp = await startSmtpReceiver();
  const mail = deliverEmail({ smtpUrl: smtp.url, from: 'Atlas <atlas@example.com>' });
  await using server = await startServer(await db.url('sqlite'), {}, [mail]);
  const boss = await userOf(server, 'boss@example.com');
  await organization(boss, 'create', { name: 'Acme', slug: 'acme' });
  const { body } = await boss.send(INVITATIONS, {
    body: { email: 'ann@example.com' },
    headers: { 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' },
  });
  expect(body.acceptUrl).toBe(`/api/auth/organization/accept-invitation?invitationId=${body.id}`);
  const text = (smtp.received[0]?.parts['text/plain'] ?? '').replaceAll('\r\n', '\n');
  expect(text).toContain(`open this page at the address under which you use Atlas:\n\n${body.acceptUrl}\n`);
  expect(text).toContain('its operator has to set SVC_PUBLIC_URL');
  expect(text).not.toMatch(/evil|https?:/);
});

it('have a page that shows what they are and changes nothing, and lets nothing in', async () => {
  await using server = await startServer(await db.url('sqlite'), {}, [], { publicUrl: 'https://example.com/atlas' });
  const boss = await userOf(server, 'boss@example.com');
  await organization(boss, 'create', { name: `<img src=x onerror="alert('1')">`, slug: 'acme' });
  const { id, acceptUrl } = (await boss.send(INVITATIONS, { body: { email: 'ann@example.com' } })).body;
  expect(acceptUrl).toBe(`https://example.com/atlas/api/auth/organization/accept-invitation?invitationId=${id}`);
  const path = acceptUrl.replace('https://example.com/atlas', '');
  const stranger = new Client(server);
  for (const who of [stranger, boss, await userOf(server, 'ann@example.com')]) {
    const page = await who.send(path);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(Object.fromEntries(page.headers)).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringMatching(
        /^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
      ),
    });
    expect(page.body).toContain('Join &#60;img src=x onerror=&#34;alert(&#39;1&#39;)&#34;&#62;');
    expect(page.body).not.toMatch(/<img| onerror="| (href|src)="/);
  }
  expect((await boss.send(INVITATIONS)).body.invitations).toMatchObject([{ id, status: 'pending' }]);
  await revoke(boss, id);
  for (const gone of [path, path.replace(id, 'x'), path.replace(/=.*/, '='), path.replace(/\?.*/, '')]) {
    const answer = await stranger.send(gone);
    expect([gone, answer.status]).toEqual([gone, gone.endsWith('=') ? 400 : 404]);
  }
  expect((await stranger.send(path)).body).toContain('There is no such invitation');
});
