import { describe, expect, it, vi } from 'vitest';
import { dialects } from '../../test/harness/internal-databases.ts';
import { Client, databases, PASSWORD, startServer, userOf } from '../../test/harness/managed-server.ts';
import { Passwords } from './passwords/password-hashing.ts';

const db = databases();
const TOKEN_COOKIE = 'authlib.session_token';

describe.each(dialects)('hostile requests on %s', (dialect) => {
  it('refuses cookies and tokens that were changed or invented', async () => {
    await using server = await startServer(await db.url(dialect));
    const browser = await userOf(server, 'ann@example.com');
    const good = new Map(browser.cookies);
    const cookie = good.get(TOKEN_COOKIE) ?? '';
    const signature = cookie.slice(cookie.indexOf('.') + 1);
    const flipped = (text: string) => (text.startsWith('A') ? 'B' : 'A') + text.slice(1);

    for (const value of [
      flipped(cookie),
      `${cookie.split('.')[0]}.${flipped(signature)}`,
      cookie.split('.')[0] ?? '',
      `${'a'.repeat(32)}.${signature}`,
      'nonsense',
      '%00',
      'x'.repeat(4_000),
    ]) {
      const tampered = new Client(server);
      tampered.cookies.set(TOKEN_COOKIE, value);
      // The cache that goes with the good session must not help.
      tampered.cookies.set('authlib.session_data', good.get('authlib.session_data') ?? '');
      expect(await tampered.whoami(), value.slice(0, 80)).toMatchObject({ status: 401, body: { error: 'auth_error' } });
      expect((await tampered.send('/api/auth/get-session')).body).toBeNull();
      expect((await tampered.send('/api/auth/list-sessions')).status).toBe(401);
    }
    const cache = JSON.parse(Buffer.from(good.get('authlib.session_data') ?? '', 'base64url').toString());
    cache.session.user.role = 'admin';
    cache.session.user.id = 'somebody-else';
    const forged = new Client(server);
    forged.cookies.set(TOKEN_COOKIE, cookie);
    forged.cookies.set('authlib.session_data', Buffer.from(JSON.stringify(cache)).toString('base64url'));
    expect((await forged.whoami()).body.actor.label).toBe('ann@example.com');

    const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    for (const broken of [
      '%%%',
      'a b',
      'A',
      encoded(null),
      encoded({}),
      encoded({ ...cache, signature: 5 }),
      encoded({ ...cache, signature: '%%' }),
      encoded({ ...cache, session: null }),
    ]) {
      for (const name of ['authlib.session_data', 'authlib.session_data.0']) {
        const odd = new Client(server);
        odd.cookies.set(TOKEN_COOKIE, cookie);
        odd.cookies.set(name, broken);
        expect((await odd.whoami()).status, `${name}=${broken}`).toBe(200);
        expect((await odd.send('/api/auth/get-session')).status, `${name}=${broken}`).toBe(200);
      }
    }

    for (const token of [
      'a'.repeat(32),
      `${'a'.repeat(32)}.${'b'.repeat(44)}`,
      'short',
      'a b c',
      "' or 1=1 --",
      '.',
      '..',
    ]) {
      expect((await new Client(server, token).whoami()).status, token).toBe(401);
    }
    // A good cookie does not make up for a bad token.
    expect((await browser.send('/api/v1/whoami', { headers: { authorization: 'Bearer nonsense' } })).status).toBe(401);
    expect(
      (await browser.send('/api/v1/whoami', { headers: { authorization: `Bearer ${'a'.repeat(32)}` } })).status,
    ).toBe(401);
    expect((await browser.whoami()).status).toBe(200);
  });

  it('refuses requests from foreign pages, on every route', async () => {
    await using server = await startServer(await db.url(dialect), { trustedOrigins: ['https://app.example.com'] });
    const browser = await userOf(server, 'ann@example.com');
    const { token } = (await browser.signIn('ann@example.com')).body;
    const own = new URL(server.url).origin;
    const credentials = { email: 'eve@example.com', password: PASSWORD };
    const requests: [string, string, object][] = [
      ['POST', '/api/v1/change', {}],
      ['DELETE', '/api/v1/change', {}],
      ['POST', '/api/v1/admin/me/password', { currentPassword: PASSWORD, newPassword: 'another password' }],
      ['POST', '/api/auth/update-user', { name: 'Eve' }],
      ['POST', '/api/auth/organization/create', { name: 'Eve', slug: 'eve' }],
      ['POST', '/api/auth/sign-in/email', credentials],
      ['POST', '/api/auth/sign-up/email', { ...credentials, name: 'Eve' }],
      ['POST', '/api/auth/sign-out', {}],
    ];
    for (const [method, path, body] of requests) {
      for (const headers of [
        { origin: 'https://evil.example' },
        { origin: 'null' },
        { origin: 'https://app.example.com.evil.example' },
        { origin: 'http://app.example.com' },
        { referer: 'https://evil.example/page' },
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
        { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
      ] as Record<string, string>[]) {
        const answer = await browser.send(path, { method, body, headers });
        expect(answer, `${method} ${path} ${JSON.stringify(headers)}`).toMatchObject({
          status: 403,
          body: { error: 'forbidden', requestId: expect.any(String) },
        });
      }
    }
    expect((await browser.whoami()).status).toBe(200);
    const change = (headers: Record<string, string>) => browser.send('/api/v1/change', { method: 'POST', headers });
    for (const headers of [
      {},
      { origin: own },
      { origin: 'https://app.example.com' },
      { referer: `${own}/page` },
      { 'sec-fetch-site': 'same-origin' },
    ] as Record<string, string>[]) {
      expect((await change(headers)).status, JSON.stringify(headers)).toBe(200);
    }
    expect((await browser.send('/api/v1/whoami', { headers: { origin: 'https://evil.example' } })).status).toBe(200);
    const script = new Client(server, token);
    expect(
      (await script.send('/api/v1/change', { method: 'POST', headers: { origin: 'https://evil.example' } })).status,
    ).toBe(200);
  });

  it('gives every sign-in a new session', async () => {
    await using server = await startServer(await db.url(dialect));
    const eve = await userOf(server, 'eve@example.com');
    const planted = eve.cookies.get(TOKEN_COOKIE) ?? '';
    const victim = new Client(server);
    await victim.signUp('ann@example.com');
    victim.cookies.set(TOKEN_COOKIE, planted);
    expect((await victim.signIn('ann@example.com')).status).toBe(200);
    expect(victim.cookies.get(TOKEN_COOKIE)).not.toBe(planted);
    expect((await victim.whoami()).body.actor.label).toBe('ann@example.com');
    expect((await eve.whoami()).body.actor.label).toBe('eve@example.com');
    const again = await victim.signIn('ann@example.com');
    const third = await victim.signIn('ann@example.com');
    expect(again.body.token).not.toBe(third.body.token);
  });

  it('does not tell whether an address has an account', async () => {
    await using server = await startServer(await db.url(dialect), { adminEmail: 'boss@example.com', production: true });
    const client = new Client(server);
    await client.signUp('boss@example.com');
    await client.signUp('ann@example.com');
    const bare = ({ status, headers, body }: Awaited<ReturnType<Client['send']>>) => {
      const { requestId, user, ...rest } = body;
      const names = [...headers.keys()].filter((name) => name !== 'x-request-id').sort();
      const { id, createdAt, updatedAt, email, ...others } = user ?? {};
      return { status, names, rest, others, keys: Object.keys(user ?? {}).sort() };
    };
    const wrong = await client.signIn('ann@example.com', 'wrong password');
    const unknown = await client.signIn('nobody@example.com', 'wrong password');
    expect(wrong.status).toBe(401);
    expect(bare(wrong)).toEqual(bare(unknown));

    // Nearly all of the time is the hash, which must not be saved.
    const hashed = vi.spyOn(Passwords.prototype, 'hash');
    const verified = vi.spyOn(Passwords.prototype, 'verify');
    const hashesOf = async (work: () => Promise<unknown>) => {
      const before = hashed.mock.calls.length + verified.mock.calls.length;
      await work();
      return hashed.mock.calls.length + verified.mock.calls.length - before;
    };
    expect(await hashesOf(() => client.signIn('ann@example.com', 'wrong password'))).toBe(1);
    expect(await hashesOf(() => client.signIn('nobody@example.com', 'wrong password'))).toBe(1);
    expect(await hashesOf(() => client.signUp('ann@example.com'))).toBe(1);
    expect(await hashesOf(() => client.signUp('other@example.com'))).toBe(1);
    vi.restoreAllMocks();

    const taken = await client.signUp('ann@example.com');
    const fresh = await client.signUp('new@example.com');
    expect(fresh.status).toBe(200);
    expect(bare(taken)).toEqual(bare(fresh));
    expect(taken.body.user.id).toHaveLength(fresh.body.user.id.length);
    // Signing up again neither changes the password nor opens a session.
    await client.signUp('ann@example.com', 'a quite different one');
    expect((await client.signIn('ann@example.com', 'a quite different one')).status).toBe(401);
    expect((await client.signIn('ann@example.com')).status).toBe(200);
    const boss = await client.signUp('BOSS@example.com', 'a quite different one');
    expect(boss.body.user.role).toBe('admin');
    expect((await client.signIn('boss@example.com', 'a quite different one')).status).toBe(401);
  });

  it('does not let users choose their own rights', async () => {
    const url = await db.url(dialect);
    await using server = await startServer(url);
    const client = new Client(server);
    await client.signUp('first@example.com');
    for (const extra of [
      { role: 'admin' },
      { banned: false },
      { emailVerified: true },
      { passwordChangeRequired: false },
      { adminByOrganization: false },
      { id: 'mine' },
      { createdAt: '2000-01-01T00:00:00Z' },
      { __proto__x: { role: 'admin' } },
    ]) {
      expect(await client.signUp('eve@example.com', PASSWORD, extra)).toMatchObject({
        status: 422,
        body: { error: 'validation_error', details: [expect.anything()] },
      });
    }
    const eve = await userOf(server, 'eve@example.com');
    expect((await eve.whoami()).body.actor.role).toBe('analyst');
    expect((await eve.send('/api/auth/update-user', { body: { role: 'admin' } })).status).toBe(422);
    expect(await eve.send('/api/v1/admin/only')).toMatchObject({ status: 403, body: { error: 'auth_error' } });
    for (const path of [
      'set-role',
      'create-user',
      'impersonate-user',
      'ban-user',
      'set-user-password',
      'remove-user',
      'update-user',
    ]) {
      expect((await eve.send(`/api/auth/admin/${path}`, { body: { userId: 'x', role: 'admin' } })).status, path).toBe(
        404,
      );
    }
    expect((await eve.send('/api/auth/admin/list-users')).status).toBe(404);
    for (const path of [
      'change-password',
      'change-email',
      'delete-user',
      'set-password',
      'reset-password',
      'request-password-reset',
      'get-access-token',
      'update-session',
    ]) {
      expect((await eve.send(`/api/auth/${path}`, { body: {} })).status, path).toBe(404);
    }
    expect(await db.connect(url)('auth_user').where({ role: 'admin' }).select('email')).toEqual([
      { email: 'first@example.com' },
    ]);
  });

  it('survives strange addresses, passwords and bodies', async () => {
    const url = await db.url(dialect);
    await using server = await startServer(url);
    const client = new Client(server);
    const count = async () => Number((await db.connect(url)('auth_user').count({ n: '*' }))[0]?.n);
    for (const email of [
      "a'or'1'='1@example.com; drop table auth_user;--",
      'no address',
      'a@b',
      '',
      `${'a'.repeat(300)}@example.com`,
      'a\u0000b@example.com',
      'a b@example.com',
    ]) {
      const answer = await client.signUp(email);
      expect(answer, email).toMatchObject({
        status: 422,
        body: { error: 'validation_error', requestId: expect.any(String) },
      });
      expect((await client.signIn(email)).status, email).toBeOneOf([401, 422]);
    }
    for (const email of [{ $ne: null }, ['a@example.com'], 1, null, true]) {
      expect((await client.send('/api/auth/sign-in/email', { body: { email, password: PASSWORD } })).status).toBe(422);
      expect(
        (await client.send('/api/auth/sign-in/email', { body: { email: 'a@example.com', password: email } })).status,
      ).toBe(422);
    }
    expect(await count()).toBe(0);
    expect((await client.signUp("o'brien@example.com")).status).toBe(200);
    expect((await client.signIn("O'Brien@example.com")).status).toBe(200);
    const unicode = await client.signUp('üser@exämple.com');
    expect(unicode.status).toBeOneOf([200, 422]);

    const long = 'x'.repeat(10_000);
    expect(await client.signUp('ann@example.com', long)).toMatchObject({ status: 422 });
    expect(await client.signIn('ann@example.com', long)).toMatchObject({ status: 422 });
    expect(await client.signUp('ann@example.com', 'x'.repeat(129))).toMatchObject({ status: 422 });
    expect(await client.signUp('ann@example.com', 'seven77')).toMatchObject({ status: 422 });
    expect((await client.signUp('ann@example.com', `${'ü'.repeat(127)}!`)).status).toBe(200);
    expect((await client.signIn('ann@example.com', `${'ü'.repeat(127)}!`)).status).toBe(200);
    expect((await client.signUp('bob@example.com', 'eight888')).status).toBe(200);

    const junk = { email: 'ann@example.com', password: PASSWORD, junk: 'x'.repeat(66_000) };
    expect(await client.send('/api/auth/sign-in/email', { body: junk })).toMatchObject({
      status: 413,
      body: { error: 'payload_too_large' },
    });
    expect(await client.send('/api/auth/sign-in/email', { body: '{"email":' })).toMatchObject({
      status: 400,
      body: { error: 'invalid_request' },
    });
    expect(await client.send('/api/auth/sign-in/email', { method: 'POST' })).toMatchObject({ status: 400 });
    expect(
      await client.send('/api/auth/sign-in/email', {
        body: 'email=ann%40example.com&password=x',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      }),
    ).toMatchObject({ status: 415 });
    expect(await client.send('/api/auth/sign-in/social', { body: { provider: 'google' } })).toMatchObject({
      status: 404,
    });
    expect(await client.send('/api/auth/unknown', { body: {} })).toMatchObject({
      status: 404,
      body: { error: 'not_found' },
    });
    for (const [method, path, allow] of [
      ['GET', 'sign-in/email', 'POST, OPTIONS'],
      ['DELETE', 'sign-out', 'POST, OPTIONS'],
      ['POST', 'get-session', 'GET, HEAD, OPTIONS'],
      ['PUT', 'organization/create', 'POST, OPTIONS'],
      ['PATCH', 'organization/list', 'GET, HEAD, OPTIONS'],
    ] as const) {
      const { status, headers, body } = await client.send(`/api/auth/${path}`, { method });
      expect([path, status, headers.get('allow'), body]).toEqual([
        path,
        405,
        allow,
        expect.objectContaining({ error: 'method_not_allowed', requestId: expect.any(String) }),
      ]);
    }
  });

  it('never redirects to a foreign address', async () => {
    await using server = await startServer(await db.url(dialect));
    const client = new Client(server);
    await client.signUp('ann@example.com');
    const go = (callbackURL: string) =>
      client.send('/api/auth/sign-in/email', { body: { email: 'ann@example.com', password: PASSWORD, callbackURL } });
    for (const target of ['https://evil.example/', '//evil.example', '/\\evil.example', 'javascript:alert(1)']) {
      expect(await go(target), target).toMatchObject({ status: 403, body: { error: 'forbidden' } });
    }
    expect((await go('/dashboard')).status).toBe(200);
    const url = server.database;
    const sessions = async () => (await db.connect(url)('auth_session').select('id')).length;
    const before = await sessions();
    for (const callbackURL of ['/straße', '/日本', '/a\r\nset-cookie: a=b', '/a b']) {
      const refused = { status: 400, body: { error: 'invalid_request', requestId: expect.any(String) } };
      expect(await go(callbackURL), callbackURL).toMatchObject(refused);
      expect(await client.signUp('new@example.com', PASSWORD, { callbackURL })).toMatchObject(refused);
      expect(await client.send('/api/auth/sign-out', { body: { callbackURL } })).toMatchObject(refused);
    }
    expect(await sessions()).toBe(before);
    expect(await db.connect(url)('auth_user').select('email')).toEqual([{ email: 'ann@example.com' }]);
  });

  it('gives errors of the library its code beside ours', async () => {
    await using server = await startServer(await db.url(dialect));
    const client = await userOf(server, 'ann@example.com');
    const post = (path: string, body: object) => client.send(`/api/auth${path}`, { body });
    for (const [answer, status, error, code] of [
      [await client.signIn('ann@example.com', 'wrong password'), 401, 'auth_error', 'INVALID_EMAIL_OR_PASSWORD'],
      [await client.signUp('bob@example.com', 'short'), 422, 'validation_error', 'PASSWORD_TOO_SHORT'],
      [await client.signUp('bob@example.com', 'x'.repeat(129)), 422, 'validation_error', 'PASSWORD_TOO_LONG'],
      [await post('/organization/delete', { organizationId: 'x' }), 403, 'forbidden', expect.stringMatching(/MEMBER/)],
      [await post('/organization/accept-invitation', { invitationId: 'x' }), 404, 'not_found', 'INVITATION_NOT_FOUND'],
    ] as const) {
      expect(answer).toMatchObject({ status, body: { error, code, requestId: expect.any(String) } });
    }
  });

  it('creates one account from many concurrent sign-ups', async () => {
    const url = await db.url(dialect);
    await using server = await startServer(url);
    await new Client(server).signUp('first@example.com');
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => new Client(server).signUp('ann@example.com', `${PASSWORD} ${index}`)),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(new Set(answers.map(({ body }) => Object.keys(body.user).sort().join())).size).toBe(1);
    const signIns = [];
    for (let index = 0; index < 8; index += 1) {
      signIns.push((await new Client(server).signIn('ann@example.com', `${PASSWORD} ${index}`)).status);
    }
    expect(signIns.filter((status) => status === 200)).toHaveLength(1);
    expect(await db.connect(url)('auth_account').count({ n: '*' })).toEqual([{ n: dialect === 'sqlite' ? 2 : '2' }]);
  });

  it('slows down guessing, whether the account exists or not', async () => {
    await using server = await startServer(await db.url(dialect));
    const client = new Client(server);
    await client.signUp('ann@example.com');
    for (const email of ['ann@example.com', 'nobody@example.com']) {
      const tries = [];
      for (let index = 0; index < 12; index += 1) tries.push(await client.signIn(email, `wrong password ${index}`));
      expect(tries.slice(0, 10).map(({ status }) => status)).toEqual(Array(10).fill(401));
      expect(tries.at(-1)).toMatchObject({ status: 429, body: { error: 'rate_limited', retryAfterSeconds: 1 } });
      expect(tries.at(-1)?.headers.get('retry-after')).toBe('1');
    }
    // The right password has to wait, too, or the answer would tell that it is right.
    expect((await client.signIn('ann@example.com')).status).toBe(429);
    await client.signUp('bob@example.com');
    expect((await client.signIn('bob@example.com')).status).toBe(200);
  });
});

it('sets secure cookies behind https and shares them between subdomains', async () => {
  await using server = await startServer(await db.url('sqlite'), {
    url: 'https://api.example.com',
    corsOrigins: ['https://app.example.com'],
    trustedOrigins: ['https://app.example.com'],
  });
  const client = new Client(server);
  await client.signUp('ann@example.com');
  const { headers } = await client.signIn('ann@example.com', PASSWORD, { origin: 'https://app.example.com' });
  const cookies = headers.getSetCookie();
  expect(cookies).not.toHaveLength(0);
  for (const cookie of cookies) {
    expect(cookie).toMatch(/^authlib\./);
    expect(cookie).toMatch(/Domain=example\.com/);
    expect(cookie).toMatch(/Secure/);
    expect(cookie).toMatch(/HttpOnly/);
  }
  expect((await client.whoami()).status).toBe(200);
});
