import { describe, expect, it } from 'vitest';
import { dialects } from '../../test/harness/internal-databases.ts';
import { Client, databases, PASSWORD, startServer, userOf } from '../../test/harness/managed-server.ts';
import { audit } from '../audit/index.ts';

const db = databases();
const HOUR = 3_600_000;

describe.each(dialects)('a life on %s', (dialect) => {
  it('goes from sign-up to sign-out, with a cookie and with a token', async () => {
    await using server = await startServer(await db.url(dialect));
    const browser = new Client(server);

    const signedUp = await browser.signUp('Ann@Example.com');
    expect(signedUp.status).toBe(200);
    expect(signedUp.body).toMatchObject({ token: null, user: { email: 'ann@example.com', role: 'admin' } });
    expect(browser.cookies.size).toBe(0);
    expect((await browser.whoami()).status).toBe(401);

    const signedIn = await browser.signIn('ANN@example.com');
    expect(signedIn.status).toBe(200);
    expect(signedIn.body.token).toMatch(/^[A-Za-z0-9]{32}$/);
    const cookie = signedIn.headers.getSetCookie().find((line) => line.startsWith('authlib.session_token='));
    expect(cookie).toMatch(/Max-Age=604800/);
    expect(cookie).toMatch(/HttpOnly/);
    expect(cookie).toMatch(/SameSite=Lax/);
    expect(cookie).not.toMatch(/Secure|Domain/);

    const me = await browser.whoami();
    expect(me.status).toBe(200);
    expect(me.body.actor).toMatchObject({
      id: signedUp.body.user.id,
      label: 'ann@example.com',
      role: 'admin',
      mode: 'managed',
    });
    expect(me.body.actor.claims).not.toHaveProperty('email');
    expect((await browser.send('/api/v1/admin/only')).status).toBe(200);

    const script = new Client(server, signedIn.body.token);
    const asScript = await script.whoami();
    expect(asScript.body.actor.id).toBe(signedUp.body.user.id);
    expect(asScript.headers.getSetCookie()).toEqual([]);
    const signed = new Client(server, signedIn.headers.get('set-auth-token') ?? '');
    expect((await signed.whoami()).status).toBe(200);

    const session = await browser.send('/api/auth/get-session');
    expect(session.body.user.email).toBe('ann@example.com');
    expect(session.body.user).not.toHaveProperty('password');

    const stolen = new Client(server);
    for (const [name, value] of browser.cookies) stolen.cookies.set(name, value);
    expect((await browser.send('/api/auth/sign-out', { method: 'POST' })).status).toBe(200);
    expect(browser.cookies.size).toBe(0);
    expect((await browser.send('/api/auth/get-session')).body).toBeNull();
    // The session is over, not only forgotten by the browser, and the signed cache of it with it.
    expect((await stolen.whoami()).status).toBe(401);
    expect((await script.whoami()).status).toBe(401);
  });

  it('signs out a client that sends a token', async () => {
    await using server = await startServer(await db.url(dialect));
    const browser = await userOf(server, 'ann@example.com');
    const { token } = (await browser.signIn('ann@example.com')).body;
    const script = new Client(server, token);
    expect((await script.send('/api/auth/sign-out', { method: 'POST' })).status).toBe(200);
    const refused = await script.whoami();
    expect(refused.status).toBe(401);
    expect(refused.body).toMatchObject({ error: 'auth_error', requestId: expect.any(String) });
    expect(refused.headers.get('www-authenticate')).toBeTruthy();
  });

  it('renews a session after a day and ends it after seven', async () => {
    const url = await db.url(dialect);
    await using server = await startServer(url);
    const database = db.connect(url);
    const browser = await userOf(server, 'ann@example.com');
    const shift = async (ageMs: number) => {
      const at = (time: number) => (dialect === 'sqlite' ? new Date(time).toISOString() : new Date(time));
      const expiresAt = at(Date.now() + 7 * 24 * HOUR - ageMs);
      await database('auth_session').update({
        createdAt: at(Date.now() - ageMs),
        updatedAt: at(Date.now() - ageMs),
        expiresAt,
      });
      browser.cookies.delete('authlib.session_data');
    };
    const expiresIn = async () =>
      new Date((await database('auth_session').first('expiresAt')).expiresAt).getTime() - Date.now();

    await shift(23 * HOUR);
    const young = await browser.whoami();
    expect(young.headers.getSetCookie().some((line) => line.startsWith('authlib.session_token='))).toBe(false);
    expect(await expiresIn()).toBeLessThan(6.2 * 24 * HOUR);

    await shift(25 * HOUR);
    const renewed = await browser.whoami();
    expect(renewed.status).toBe(200);
    expect(renewed.headers.getSetCookie().some((line) => /^authlib\.session_token=.*Max-Age=604800/.test(line))).toBe(
      true,
    );
    expect(await expiresIn()).toBeGreaterThan(6.9 * 24 * HOUR);

    await shift(7 * 24 * HOUR + 1_000);
    expect((await browser.whoami()).status).toBe(401);
    expect(await database('auth_session').first('id')).toBeUndefined();
  });

  it('accepts a session on another server, also after a restart', async () => {
    const url = await db.url(dialect);
    const first = await startServer(url);
    const browser = await userOf(first, 'ann@example.com');
    await using second = await startServer(url);
    const elsewhere = new Client(second);
    for (const [name, value] of browser.cookies) elsewhere.cookies.set(name, value);
    expect((await elsewhere.whoami()).body.actor.label).toBe('ann@example.com');
    await first.close();
    expect((await elsewhere.whoami()).status).toBe(200);
  });

  it('deletes expired sessions', async () => {
    const url = await db.url(dialect);
    const first = await startServer(url);
    await userOf(first, 'ann@example.com');
    const kept = await userOf(first, 'bob@example.com');
    await first.close();
    const database = db.connect(url);
    const { userId } = await database('auth_session').orderBy('createdAt').first('userId');
    const past = new Date(Date.now() - 1_000);
    const expiresAt = dialect === 'sqlite' ? past.toISOString() : past;
    await database('auth_session').where({ userId }).update({ expiresAt });
    await using second = await startServer(url);
    await expect.poll(async () => (await database('auth_session').select('userId')).length).toBe(1);
    const bob = new Client(second);
    for (const [name, value] of kept.cookies) bob.cookies.set(name, value);
    expect((await bob.whoami()).body.actor.label).toBe('bob@example.com');
  });

  it('lists and ends sessions', async () => {
    await using server = await startServer(await db.url(dialect));
    const laptop = await userOf(server, 'ann@example.com');
    const phone = new Client(server);
    await phone.signIn('ann@example.com');
    const sessions = await laptop.send('/api/auth/list-sessions');
    expect(sessions.body).toHaveLength(2);
    expect(sessions.body[0].ipAddress).toBe('127.0.0.1');
    expect((await laptop.send('/api/auth/revoke-other-sessions', { body: {} })).status).toBe(200);
    expect((await phone.whoami()).status).toBe(401);
    expect((await laptop.whoami()).status).toBe(200);
    expect((await phone.send('/api/auth/list-sessions')).status).toBe(401);
    expect((await laptop.send('/api/auth/update-user', { body: { name: 'Ann B.' } })).status).toBe(200);
    expect((await laptop.send('/api/auth/get-session')).body.user.name).toBe('Ann B.');
  });

  it('changes a password and ends the other sessions', async () => {
    await using server = await startServer(await db.url(dialect), {}, [audit()]);
    const laptop = await userOf(server, 'ann@example.com');
    const phone = new Client(server);
    await phone.signIn('ann@example.com');
    const change = (currentPassword: string, newPassword: string) =>
      laptop.send('/api/v1/admin/me/password', { body: { currentPassword, newPassword } });

    expect((await laptop.send('/api/v1/admin/me/password-status')).body).toEqual({ passwordChangeRequired: false });
    expect(await change('not it at all', 'another password')).toMatchObject({
      status: 401,
      body: { error: 'auth_error' },
    });
    expect(await change(PASSWORD, 'short')).toMatchObject({ status: 422, body: { error: 'validation_error' } });
    expect(await change(PASSWORD, 'x'.repeat(129))).toMatchObject({ status: 422 });
    expect(await change(PASSWORD, PASSWORD)).toMatchObject({ status: 422 });
    expect((await phone.whoami()).status).toBe(200);
    expect(await change(PASSWORD, 'another password')).toMatchObject({ status: 200, body: { success: true } });
    expect((await phone.whoami()).status).toBe(401);
    expect((await laptop.whoami()).status).toBe(200);
    expect((await phone.signIn('ann@example.com')).status).toBe(401);
    expect((await phone.signIn('ann@example.com', 'another password')).status).toBe(200);
    expect((await new Client(server).send('/api/v1/admin/me/password-status')).status).toBe(401);
    const { changes } = (await laptop.send('/api/v1/admin/audit/changes?action=user.password_changed')).body;
    expect(changes).toMatchObject([{ targetLabel: 'ann@example.com', before: null, after: null }]);
  });
});
