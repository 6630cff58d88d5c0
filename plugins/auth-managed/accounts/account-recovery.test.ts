import { describe, expect, it } from 'vitest';
import { AtlasError, definePlugin } from '../../../kernel/index.ts';
import { type Dialect, dialects } from '../../../test/harness/internal-databases.ts';
import {
  Client,
  databases,
  idOf,
  invite,
  organization,
  PASSWORD,
  startServer,
  USERS,
  userOf,
} from '../../../test/harness/managed-server.ts';
import { type SmtpReceiver, startSmtpReceiver } from '../../../test/harness/smtp-receiver.ts';
import { audit } from '../../audit/index.ts';
import { deliverEmail } from '../../deliver-email/index.ts';
import { signInBefore, userChange } from '../index.ts';

const db = databases();
const NEW = 'battery staple horse';
const PUBLIC = 'https://example.com/atlas';

async function start(dialect: Dialect, options: Parameters<typeof startServer>[1] = {}, more = [audit()]) {
  const smtp = await startSmtpReceiver();
  const clock = { now: Date.UTC(2026, 0, 15, 12) };
  const url = await db.url(dialect);
  const email = deliverEmail({ smtpUrl: smtp.url, from: 'atlas@example.com' });
  const server = await startServer(url, options, [email, ...more], { publicUrl: PUBLIC }, () => clock.now);
  return {
    smtp,
    server,
    clock,
    rows: db.connect(url),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await smtp[Symbol.asyncDispose]();
    },
  };
}

/** The text of the last of so many mails, and the token of its link. */
async function mailed(smtp: SmtpReceiver, count: number) {
  await expect.poll(() => smtp.received.length).toBe(count);
  const mail = smtp.received.at(-1);
  const text = (mail?.parts['text/plain'] ?? '').replaceAll('\r\n', '\n');
  return { to: mail?.to, text, token: /\?token=(\S+)/.exec(text)?.[1] ?? '' };
}

const request = (who: Client, email: string, headers = {}) =>
  who.send('/api/auth/request-password-reset', { body: { email }, headers });
const reset = (who: Client, token: string, newPassword = NEW) =>
  who.send('/api/auth/reset-password', { body: { token, newPassword } });
const changeEmail = (who: Client, newEmail: string, password = PASSWORD) =>
  who.send('/api/auth/change-email', { body: { newEmail, password } });
const confirm = (who: Client, token: string) => who.send('/api/auth/confirm-email', { body: { token } });
const invalid = { status: 400, body: { error: 'invalid_request', code: 'INVALID_TOKEN' } };

describe.each(dialects)('a new password by mail, on %s', (dialect) => {
  it('is set once, ends all sessions, and is recorded', async () => {
    await using setup = await start(dialect);
    const { server, smtp } = setup;
    const boss = await userOf(server, 'boss@example.com');
    await organization(boss, 'create', { name: 'Acme', slug: 'acme' });
    const ann = await userOf(server, 'ann@example.com');
    await invite(boss, ann, 'ann@example.com');
    const phone = new Client(server, (await new Client(server).signIn('ann@example.com')).body.token);
    const stranger = new Client(server);
    // Whatever host the request names, the link has the configured one.
    expect((await request(stranger, 'Ann@Example.com', { 'x-forwarded-host': 'evil.example' })).status).toBe(200);
    const { to, text, token } = await mailed(smtp, 2);
    expect(to).toEqual(['ann@example.com']);
    expect(text).toContain(`open this link:\n\n${PUBLIC}/api/auth/reset-password?token=${token}\n`);
    expect(text).not.toContain('evil');

    const page = await stranger.send(`/api/auth/reset-password?token=${token}`);
    expect([page.status, page.headers.get('referrer-policy')]).toEqual([200, 'no-referrer']);
    expect(page.body).toContain('ann@example.com');
    // Opening it has changed nothing.
    for (const client of [ann, phone]) expect((await client.whoami()).status).toBe(200);
    expect((await reset(stranger, token, 'short')).status).toBe(422);
    expect((await reset(stranger, token)).body).toEqual({ status: true });
    for (const client of [ann, phone]) expect((await client.whoami()).status).toBe(401);
    expect((await new Client(server).signIn('ann@example.com')).status).toBe(401);
    expect((await new Client(server).signIn('ann@example.com', NEW)).status).toBe(200);
    expect(await reset(stranger, token, PASSWORD)).toMatchObject(invalid);
    expect((await stranger.send(`/api/auth/reset-password?token=${token}`)).status).toBe(404);
    const { changes } = (await boss.send('/api/v1/admin/audit/changes?action=user.password_reset')).body;
    expect(changes).toMatchObject([{ userLabel: 'ann@example.com', targetLabel: 'ann@example.com' }]);
    expect(JSON.stringify(changes)).not.toContain(token);
  });

  it('is set by one of two who use the link at once', async () => {
    await using setup = await start(dialect);
    const { server, smtp } = setup;
    await userOf(server, 'boss@example.com');
    await request(new Client(server), 'boss@example.com');
    const { token } = await mailed(smtp, 1);
    const answers = await Promise.all(
      ['first password', 'second password'].map((password) => reset(new Client(server), token, password)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
  });

  it('replaces none where another one has been set, and none of another user', async () => {
    await using setup = await start(dialect);
    const { server, smtp, clock } = setup;
    const boss = await userOf(server, 'boss@example.com');
    const stranger = new Client(server);
    await request(stranger, 'boss@example.com');
    const { token } = await mailed(smtp, 1);
    const [claims = '', signature = ''] = token.split('.');
    const [userId, email, expiresAt] = JSON.parse(Buffer.from(claims, 'base64url').toString());
    const forged = (...given: unknown[]) => `${Buffer.from(JSON.stringify(given)).toString('base64url')}.${signature}`;
    const ann = await userOf(server, 'ann@example.com');
    for (const wrong of [
      forged(await idOf(ann), email, expiresAt),
      forged(userId, email, expiresAt + 1),
      forged(userId, 'ann@example.com', expiresAt),
      `${claims}.${'A'.repeat(43)}`,
      claims,
      'x.y',
      '.',
      `${token}A`,
    ]) {
      expect([wrong, await reset(stranger, wrong)]).toMatchObject([wrong, invalid]);
    }
    // It is good for one thing only.
    expect(await confirm(stranger, token)).toMatchObject(invalid);
    clock.now += 3_600_000;
    expect(await reset(stranger, token)).toMatchObject(invalid);
    await request(stranger, 'boss@example.com');
    const late = (await mailed(smtp, 2)).token;
    const body = { currentPassword: PASSWORD, newPassword: 'another password' };
    expect((await boss.send('/api/v1/admin/me/password', { body })).status).toBe(200);
    expect(await reset(stranger, late)).toMatchObject(invalid);
  });

  it('is a first one for who signed in without, and is the change that a password has to have', async () => {
    await using setup = await start(dialect);
    const { server, smtp, rows } = setup;
    const boss = await userOf(server, 'boss@example.com');
    await rows('auth_user').update({ passwordChangeRequired: true });
    await rows('auth_account').delete();
    await request(boss, 'boss@example.com');
    const { token } = await mailed(smtp, 1);
    const answers = await Promise.all([reset(new Client(server), token), reset(new Client(server), token)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    const again = new Client(server);
    expect((await again.signIn('boss@example.com', NEW)).status).toBe(200);
    expect((await again.whoami()).status).toBe(200);
  });
});

describe.each(dialects)('a new address by mail, on %s', (dialect) => {
  it('is the one of the account once it is confirmed, and the old one is told', async () => {
    await using setup = await start(dialect);
    const { server, smtp } = setup;
    const boss = await userOf(server, 'boss@example.com');
    const ann = await userOf(server, 'ann@example.com');
    expect((await changeEmail(ann, 'new@example.com', 'wrong password')).status).toBe(401);
    expect((await changeEmail(new Client(server), 'new@example.com')).status).toBe(401);
    expect((await changeEmail(ann, 'New@Example.com')).status).toBe(200);
    const { to, text, token } = await mailed(smtp, 1);
    expect(to).toEqual(['new@example.com']);
    expect(text).toContain(`${PUBLIC}/api/auth/confirm-email?token=${token}\n`);
    const page = await new Client(server).send(`/api/auth/confirm-email?token=${token}`);
    expect([page.status, page.body]).toEqual([200, expect.stringContaining('new@example.com')]);
    expect((await ann.whoami()).body.actor.label).toBe('ann@example.com');

    await request(ann, 'ann@example.com');
    const old = (await mailed(smtp, 2)).token;
    expect((await confirm(new Client(server), token)).body).toEqual({ status: true });
    expect(await mailed(smtp, 3)).toMatchObject({ to: ['ann@example.com'], text: expect.stringContaining('new@') });
    const { actor } = (await ann.whoami()).body;
    expect([actor.label, actor.claims.email]).toEqual(['new@example.com', 'new@example.com']);
    expect((await new Client(server).signIn('ann@example.com')).status).toBe(401);
    expect((await new Client(server).signIn('new@example.com')).status).toBe(200);
    // What had been mailed to the old address is worth nothing any more.
    for (const used of [token, old]) {
      expect(await confirm(new Client(server), used)).toMatchObject(invalid);
      expect(await reset(new Client(server), used)).toMatchObject(invalid);
    }
    expect((await boss.send(`${USERS}?search=new@`)).body.total).toBe(1);
    const { changes } = (await boss.send('/api/v1/admin/audit/changes?action=user.email_changed')).body;
    expect(changes).toMatchObject([{ before: { email: 'ann@example.com' }, after: { email: 'new@example.com' } }]);

    // Nor when the account has its old address again.
    expect((await changeEmail(ann, 'ann@example.com')).status).toBe(200);
    expect((await confirm(ann, (await mailed(smtp, 4)).token)).status).toBe(200);
    for (const used of [token, old]) {
      expect(await confirm(new Client(server), used)).toMatchObject(invalid);
      expect(await reset(new Client(server), used)).toMatchObject(invalid);
    }
  });

  it('is not one that another account has, and the request does not tell', async () => {
    await using setup = await start(dialect);
    const { server, smtp } = setup;
    const ann = await userOf(server, 'ann@example.com');
    const [free, taken] = [await changeEmail(ann, 'new@example.com'), await changeEmail(ann, 'ann@example.com')];
    expect([taken.status, taken.body]).toEqual([free.status, free.body]);
    const { token } = await mailed(smtp, 1);
    await userOf(server, 'new@example.com');
    expect(await confirm(ann, token)).toMatchObject({ status: 409, body: { error: 'conflict' } });
    expect((await ann.whoami()).body.actor.label).toBe('ann@example.com');
  });
});

it('answers the same for every address, and mails to those that have an account and are not banned', async () => {
  await using setup = await start('sqlite');
  const { server, smtp } = setup;
  const boss = await userOf(server, 'boss@example.com');
  const eve = await userOf(server, 'eve@example.com');
  await boss.send(`${USERS}/${await idOf(eve)}/ban`, { body: {} });
  const stranger = new Client(server);
  const answers = [];
  for (const email of ['nobody@example.com', 'eve@example.com', 'boss@example.com']) {
    const { status, body, headers } = await request(stranger, email);
    const named = [...headers].filter(([name]) => !['date', 'x-request-id'].includes(name));
    answers.push({ status, body, headers: named });
  }
  expect(answers[1]).toEqual(answers[0]);
  expect(answers[2]).toEqual(answers[0]);
  expect(answers[0]?.status).toBe(200);
  expect((await mailed(smtp, 1)).to).toEqual(['boss@example.com']);
});

it('asks for so many links only, and mails fewer', async () => {
  await using setup = await start('sqlite');
  const { server, smtp } = setup;
  await userOf(server, 'boss@example.com');
  const statuses: number[] = [];
  for (let time = 0; time < 12; time += 1)
    statuses.push((await request(new Client(server), 'boss@example.com')).status);
  expect(statuses).toEqual([...Array(10).fill(200), 429, 429]);
  await server.close();
  expect(smtp.received).toHaveLength(5);
});

it('mails why to a user who may not have a password, and keeps an address that others manage', async () => {
  let isSingleSignOn = false;
  const refusing = definePlugin({
    name: 'test-refusing',
    version: '1.0.0',
    type: 'policy',
    description: 'Refuses passwords, and to have the address of a user changed.',
    setup(ctx) {
      ctx.tap(signInBefore, ({ by }) => {
        if (by === 'password' && isSingleSignOn) throw refused('Your organization requires single sign-on.');
      });
      ctx.tap(userChange, ({ change }) => {
        if (change === 'email') throw refused('This user is managed elsewhere.');
      });
    },
  });
  const refused = (message: string) => new AtlasError(message, { code: 'forbidden' });
  await using setup = await start('sqlite', {}, [audit(), refusing()]);
  const ann = await userOf(setup.server, 'ann@example.com');
  expect(await changeEmail(ann, 'new@example.com')).toMatchObject({
    status: 403,
    body: { message: expect.stringContaining('This user is managed elsewhere.') },
  });
  expect(setup.smtp.received).toEqual([]);
  isSingleSignOn = true;
  expect((await request(new Client(setup.server), 'ann@example.com')).status).toBe(200);
  const { text, token } = await mailed(setup.smtp, 1);
  expect([text, token]).toEqual([expect.stringContaining('Your organization requires single sign-on.'), '']);
});

it('does not let the address of SVC_ADMIN_EMAIL become free', async () => {
  await using setup = await start('sqlite', { adminEmail: 'boss@example.com' });
  const boss = await userOf(setup.server, 'boss@example.com');
  expect(await changeEmail(boss, 'new@example.com')).toMatchObject({ status: 403, body: { error: 'forbidden' } });
});

it('is closed to pages of other origins, and says so where no mail can be sent', async () => {
  await using setup = await start('sqlite');
  const origin = { origin: 'https://evil.example' };
  expect((await request(new Client(setup.server), 'ann@example.com', origin)).status).toBe(403);
  await using silent = await startServer(await db.url('sqlite'));
  const boss = await userOf(silent, 'boss@example.com');
  for (const answer of [
    await request(new Client(silent), 'boss@example.com'),
    await reset(new Client(silent), 'x'),
    await changeEmail(boss, 'new@example.com'),
    await confirm(boss, 'x'),
  ]) {
    expect(answer).toMatchObject({ status: 404, body: { error: 'not_available' } });
    expect(answer.body.message).toContain('SVC_SMTP_URL');
  }
  const page = await boss.send('/api/auth/request-password-reset');
  expect([page.status, page.body]).toEqual([404, expect.stringContaining('sends no e-mail')]);
});
