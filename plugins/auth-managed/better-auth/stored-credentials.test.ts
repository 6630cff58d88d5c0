import { describe, expect, it } from 'vitest';
import { dialects } from '../../../test/harness/internal-databases.ts';
import { Client, databases, startServer, userOf } from '../../../test/harness/managed-server.ts';

const db = databases();

const TABLES = ['user', 'session', 'account', 'verification', 'organization', 'member', 'invitation'];

describe.each(dialects)('what %s holds', (dialect) => {
  it('cannot be used to sign in', async () => {
    const url = await db.url(dialect);
    await using server = await startServer(url);
    const ann = await userOf(server, 'ann@example.com');
    const { token } = (await ann.signIn('ann@example.com')).body;
    const script = new Client(server, token);
    expect((await script.whoami()).status).toBe(200);
    await script.send('/api/auth/update-user', { body: { name: 'Ann B.' } });
    const database = db.connect(url);
    const dump = JSON.stringify(await Promise.all(TABLES.map((table) => database(`auth_${table}`).select('*'))));
    const cookie = ann.cookies.get('authlib.session_token') ?? '';
    for (const secret of [token, cookie, cookie.split('.')[0]]) expect(dump).not.toContain(secret);
    const rows = await database('auth_session').select('id', 'token');
    expect(rows).toHaveLength(2);
    for (const stolen of rows.flatMap(({ id, token: stored }) => [id, stored])) {
      const thief = new Client(server, stolen);
      expect((await thief.whoami()).status).toBe(401);
      expect((await thief.send('/api/auth/get-session')).body).toBeNull();
      thief.token = undefined;
      thief.cookies.set('authlib.session_token', stolen);
      expect((await thief.whoami()).status).toBe(401);
    }
  });

  it('ends the sessions that are listed, and no others', async () => {
    await using server = await startServer(await db.url(dialect));
    const laptop = await userOf(server, 'ann@example.com');
    const phone = new Client(server);
    await phone.signIn('ann@example.com');
    const eve = await userOf(server, 'eve@example.com');
    const sessions = (await laptop.send('/api/auth/list-sessions')).body;
    const own = (await laptop.send('/api/auth/get-session')).body.session;
    const other = sessions.find(({ id }: { id: string }) => id !== own.id);
    const revoke = (client: Client, token: string) => client.send('/api/auth/revoke-session', { body: { token } });
    expect((await revoke(eve, other.token)).body).toEqual({ status: true });
    expect((await phone.whoami()).status).toBe(200);
    expect((await revoke(laptop, other.token)).body).toEqual({ status: true });
    expect([(await phone.whoami()).status, (await laptop.whoami()).status]).toEqual([401, 200]);
    // A script that has signed in itself knows the token.
    const { token } = (await phone.signIn('ann@example.com')).body;
    await revoke(laptop, token);
    expect((await phone.whoami()).status).toBe(401);
    const elsewhere = new Client(server);
    await elsewhere.signIn('ann@example.com');
    await laptop.send('/api/auth/revoke-other-sessions', { body: {} });
    expect([(await elsewhere.whoami()).status, (await laptop.whoami()).status]).toEqual([401, 200]);
    expect((await eve.whoami()).status).toBe(200);
    await revoke(laptop, own.token);
    expect((await laptop.whoami()).status).toBe(401);
  });

  it('keeps sessions from before tokens were hashed, and deletes the tokens of providers', async () => {
    const url = await db.url(dialect);
    const before = await startServer(url);
    const { token } = (await (await userOf(before, 'ann@example.com')).signIn('ann@example.com')).body;
    await before.close();
    const database = db.connect(url);
    await database('auth_session')
      .delete()
      .whereNot({ token: (await hashes(database))[1] });
    await database('auth_session').update({ token });
    await database('auth_account').update({ accessToken: 'a', refreshToken: 'b', idToken: 'c' });
    await database('atlas_migrations').where({ plugin: 'auth-managed', name: '0002-no-stored-credentials' }).delete();
    await using server = await startServer(url);
    expect((await new Client(server, token).whoami()).body.actor.label).toBe('ann@example.com');
    expect(await hashes(database)).not.toContain(token);
    expect(await database('auth_account').select('accessToken', 'refreshToken', 'idToken')).toEqual([
      { accessToken: null, refreshToken: null, idToken: null },
    ]);
  });
});

async function hashes(database: ReturnType<typeof db.connect>): Promise<string[]> {
  return database('auth_session').orderBy('createdAt').pluck('token');
}
