import { describe, expect, it } from 'vitest';
import { dialects } from '../../test/harness/internal-databases.ts';
import {
  Client,
  databases,
  idOf,
  PASSWORD,
  setRole,
  startServer,
  USERS,
  userOf,
} from '../../test/harness/managed-server.ts';
import { changes } from '../changes/index.ts';
import { sharedLimits } from '../shared-limits/index.ts';

describe.each(dialects)('several servers on one database on %s', (dialect) => {
  const { url, connect } = databases();
  const start = (database: string) => startServer(database, {}, [changes({ pollMs: 100 })]);

  /** The same browser at another server. */
  function at(server: { url: string }, client: Client): Client {
    const other = new Client(server);
    for (const [name, value] of client.cookies) other.cookies.set(name, value);
    return other;
  }

  it('a new role, a ban and the end of a session count on all, though the browser brings what it knew', async () => {
    const database = await url(dialect);
    await using one = await start(database);
    await using two = await start(database);
    const admin = await userOf(one, 'admin@example.com');
    const [ann, bob, eve] = [
      await userOf(one, 'ann@example.com'),
      await userOf(one, 'bob@example.com'),
      await userOf(two, 'eve@example.com'),
    ];
    const [annThere, bobThere, eveThere] = [at(two, ann), at(two, bob), at(one, eve)];
    /** What the browser has cached now, whenever it asks later. */
    const cached = await Promise.all(
      [annThere, bobThere, eveThere].map(async (client) => {
        expect((await client.whoami()).body.actor.role).toBe('analyst');
        return new Map(client.cookies);
      }),
    );
    const asksAgain = (client: Client, index: number) => async () => {
      client.cookies.clear();
      for (const [name, value] of cached[index] ?? []) client.cookies.set(name, value);
      const { status, body } = await client.whoami();
      return status === 200 ? body.actor.role : status;
    };
    expect((await setRole(admin, await idOf(ann), 'viewer')).status).toBe(200);
    expect((await admin.send(`${USERS}/${await idOf(bob)}/ban`, { body: { reason: 'No.' } })).status).toBe(200);
    expect((await eve.send('/api/auth/sign-out', { body: {} })).status).toBe(200);
    await expect.poll(asksAgain(annThere, 0)).toBe('viewer');
    await expect.poll(asksAgain(bobThere, 1)).toBe(401);
    await expect.poll(asksAgain(eveThere, 2)).toBe(401);

    // A server that starts only now knows, too.
    await using three = await start(database);
    expect(await asksAgain(at(three, annThere), 0)()).toBe('viewer');
    expect(await asksAgain(at(three, bobThere), 1)()).toBe(401);
  });

  it('what a browser caches from one is believed by the others again after a change', async () => {
    const database = await url(dialect);
    await using one = await start(database);
    await using two = await start(database);
    const admin = await userOf(one, 'admin@example.com');
    const ann = await userOf(one, 'ann@example.com');
    await setRole(admin, await idOf(ann), 'viewer');
    const dataOf = (client: Client) => client.cookies.get('authlib.session_data');
    const isBelieved = async (client: Client) => {
      const before = dataOf(client);
      await client.whoami();
      return before !== undefined && dataOf(client) === before;
    };
    await expect.poll(() => isBelieved(ann), { interval: 500 }).toBe(true);
    const there = at(two, ann);
    await expect.poll(() => isBelieved(there), { interval: 500 }).toBe(true);
    expect(await isBelieved(at(one, there))).toBe(true);
  });

  it('a change is committed with what other servers are told of it, or not at all', async () => {
    const database = await url(dialect);
    await using one = await start(database);
    const admin = await userOf(one, 'admin@example.com');
    const ann = await userOf(one, 'ann@example.com');
    const id = await idOf(ann);
    const client = connect(database);
    const changesOf = async () => [
      (await setRole(admin, id, 'viewer')).status,
      (await admin.send(`${USERS}/${id}/ban`, { body: { reason: 'No.' } })).status,
      (await admin.send(`${USERS}/${id}/revoke`, { body: {} })).status,
      (await ann.send('/api/auth/revoke-other-sessions', { body: {} })).status,
      (await ann.send('/api/auth/sign-out', { body: {} })).status,
    ];
    await client.schema.renameTable('atlas_changes', 'away');
    const refused = await changesOf();
    expect(refused.map((status) => status >= 500)).toEqual(refused.map(() => true));
    await client.schema.renameTable('away', 'atlas_changes');
    expect((await ann.whoami()).body.actor.role).toBe('analyst');
    expect((await setRole(admin, id, 'viewer')).status).toBe(200);
  });
});

describe('wrong passwords at several servers on PostgreSQL', () => {
  const { url } = databases();

  it('are counted together, from each address apart, and a right one counts for all', async () => {
    const database = await url('postgres');
    const start = () => startServer(database, {}, [sharedLimits()], { trustProxy: true });
    await using one = await start();
    await using two = await start();
    await new Client(one).signUp('ann@example.com');
    const tries = (server: { url: string }, password: string, ip = '192.0.2.1') =>
      new Client(server).signIn('ann@example.com', password, { 'x-forwarded-for': ip });
    // At once, so that nothing depends on how long they take.
    const statuses = await Promise.all(
      Array.from(
        { length: 30 },
        async (_, index) => (await tries(index % 2 === 0 ? one : two, 'wrong password')).status,
      ),
    );
    // Ten, and one more for each wait that ends meanwhile; two servers that counted apart would try twenty.
    const tried = statuses.filter((status) => status === 401).length;
    expect([tried >= 10, tried < 15]).toEqual([true, true]);
    expect(statuses.filter((status) => status === 429)).toHaveLength(30 - tried);
    // Who has signed up at one server is known at the other, and not held up by what others do elsewhere.
    expect((await tries(two, PASSWORD, '127.0.0.1')).status).toBe(200);
    expect((await tries(one, PASSWORD, '192.0.2.2')).status).toBe(200);
  });
});
