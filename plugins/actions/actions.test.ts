/** The life of an action over HTTP, on both internal databases and in every authentication mode. */
import { describe, expect, it } from 'vitest';
import { actionRequest, actionReview, definePlugin } from '../../kernel/index.ts';
import { type Dialect, dialects } from '../../test/harness/internal-databases.ts';
import {
  Client,
  databases,
  invite,
  organization,
  PASSWORD,
  SECRET,
  setRole,
  userOf,
} from '../../test/harness/managed-server.ts';
import { Issuer, makeKey, sign } from '../../test/harness/token-issuer.ts';
import { adminUsers } from '../admin-users/index.ts';
import { authApiKey } from '../auth-api-key/index.ts';
import { authByot } from '../auth-byot/index.ts';
import { authManaged } from '../auth-managed/index.ts';
import { authNone } from '../auth-none/index.ts';
import { authRoles } from '../auth-roles/index.ts';
import { internalDb } from '../internal-db/index.ts';
import { rowSecurity } from '../row-security/index.ts';
import { semanticLayer } from '../semantic-layer/index.ts';
import { sqlGuard } from '../sql-guard/index.ts';
import { type ActionServerOptions, approve, askTicket, startActions } from './fixtures/action-server.ts';
import { actions as actions_ } from './index.ts';

const db = databases();
const managed = () => [authRoles(), authManaged({ secret: SECRET }), adminUsers()];
const idOf = async (client: Client): Promise<string> => (await client.send('/api/auth/get-session')).body.user.id;
const start = async (dialect: Dialect, options: Omit<ActionServerOptions, 'database'>) =>
  startActions({ ...options, database: await db.url(dialect) });
const admins = '/api/v1/admin/actions';
const mine = '/api/v1/actions';

describe.each(dialects)('actions on %s', (dialect) => {
  it('await approval, are approved once, and tell what happened to whom it concerns', async () => {
    await using server = await start(dialect, {
      plugins: managed(),
      publicUrl: 'https://api.example.com/',
    });
    const boss = await userOf(server, 'boss@example.com');
    const ann = await userOf(server, 'ann@example.com');
    const vic = await userOf(server, 'vic@example.com');
    await setRole(boss, await idOf(vic), 'viewer');

    const asked = await vic.send('/api/v1/query', { body: { question: 'ticket {"title":"Printer"}' } });
    const { id } = asked.body.pendingActions[0];
    const summary = 'Open the ticket "Printer".';
    expect(asked.body).toMatchObject({
      pendingActions: [
        {
          id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          type: 'ticket',
          target: 'support',
          summary,
          approveUrl: `https://api.example.com/api/v1/actions/${id}/approve`,
          denyUrl: `https://api.example.com/api/v1/actions/${id}/deny`,
        },
      ],
      notes: [{ code: 'action_pending', message: `Not done yet, awaits approval: ${summary}` }],
    });
    const [, told] = server.model.requests;
    expect(told?.toolResults[0]).toMatch(/"status":"pending".*Nothing was done: it awaits approval/);
    expect(told?.instructions).toContain('never say or suggest that it was done');
    expect(server.desk.runs).toEqual([]);

    const pending = {
      id,
      action_type: 'ticket',
      target: 'support',
      summary,
      status: 'pending',
      requested_by: await idOf(vic),
      created_at: '2026-01-15T12:00:00.000Z',
      expires_at: '2026-01-22T12:00:00.000Z',
      resolved_by: null,
      resolved_at: null,
      executed_at: null,
      payload: { title: 'Printer' },
      result: null,
      error: null,
      reason: null,
    };
    expect((await vic.send(mine)).body).toEqual({ actions: [expect.objectContaining(pending)] });
    expect((await vic.send(`${mine}/${id}`)).body).toMatchObject(pending);
    for (const other of [ann, boss]) {
      expect((await other.send(mine)).body).toEqual({ actions: [] });
      expect((await other.send(`${mine}/${id}`)).status).toBe(404);
    }
    expect((await boss.send(admins)).body).toMatchObject({ actions: [pending], total: 1, limit: 50, offset: 0 });
    expect((await ann.send(admins)).status).toBe(403);

    const refused = await approve(vic, id);
    expect([refused.status, refused.body.error]).toEqual([403, 'auth_error']);
    expect((await vic.send(`${mine}/${id}/deny`, { method: 'POST' })).status).toBe(403);
    const approved = await approve(ann, id);
    const executed = {
      ...pending,
      status: 'executed',
      resolved_by: await idOf(ann),
      resolved_at: '2026-01-15T12:00:00.000Z',
      executed_at: '2026-01-15T12:00:00.000Z',
      result: { number: 1 },
    };
    expect([approved.status, approved.body]).toEqual([200, expect.objectContaining(executed)]);
    expect(server.desk.runs).toEqual([{ ticket: { title: 'Printer' }, key: id, actorId: await idOf(vic) }]);
    for (const path of ['approve', 'deny']) {
      const late = await boss.send(`${mine}/${id}/${path}`, { method: 'POST' });
      expect([late.status, late.body.error]).toEqual([409, 'conflict']);
    }
    const { body: seen } = await vic.send(`${mine}/${id}`);
    expect(seen).toMatchObject({
      ...executed,
      history: [
        { move: 'requested', actor_id: await idOf(vic), actor_label: 'vic@example.com', surface: 'api' },
        { move: 'approved', actor_id: await idOf(ann), surface: 'api', note: `sha256 ${seen.payload_hash}` },
        { move: 'executed', actor_id: await idOf(ann) },
      ],
    });
    expect((await vic.send(mine)).body).toEqual({ actions: [] });
    expect((await vic.send(`${mine}?status=executed`)).body.actions).toMatchObject([executed]);
    const { body: inbox } = await boss.send(`${admins}?status=executed`);
    expect(inbox.actions[0].history.map(({ ip }: { ip: string }) => ip)).toEqual([
      '127.0.0.1',
      '127.0.0.1',
      '127.0.0.1',
    ]);
    const { body: audited } = await boss.send(`/api/v1/admin/audit?user=${await idOf(ann)}`);
    expect(audited.entries.map(({ sql }: { sql: string }) => sql).sort()).toEqual([
      `action approved from 127.0.0.1: ticket to support (${id}): ${summary}`,
      `action executed from 127.0.0.1: ticket to support (${id}): ${summary}`,
    ]);
    expect((await boss.send('/api/v1/admin/audit/stats')).body.totalQueries).toBe(0);
  });

  it('have exactly one winner among fifty who approve and deny', async () => {
    await using server = await start(dialect, { plugins: managed() });
    const boss = await userOf(server, 'boss@example.com');
    const ann = await userOf(server, 'ann@example.com');
    const { id } = await askTicket(ann, { title: 'Race' });
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        (index % 3 === 0 ? ann : boss).send(`${mine}/${id}/${index % 2 === 0 ? 'approve' : 'deny'}`, {
          method: 'POST',
        }),
      ),
    );
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    expect(answers.filter(({ status, body }) => status === 409 && body.error === 'conflict')).toHaveLength(49);
    expect(server.desk.runs).toHaveLength(won[0]?.body.status === 'executed' ? 1 : 0);
    const { body } = await ann.send(`${mine}/${id}`);
    expect(body.status).toBe(won[0]?.body.status);
    expect(body.history).toHaveLength(body.status === 'executed' ? 3 : 2);
  });

  it('for administrators are approved by another administrator', async () => {
    await using server = await start(dialect, { plugins: managed(), actions: { approval: { ticket: 'admin-only' } } });
    const boss = await userOf(server, 'boss@example.com');
    const eve = await userOf(server, 'eve@example.com');
    const ann = await userOf(server, 'ann@example.com');
    await setRole(boss, await idOf(eve), 'admin');
    const { id } = await askTicket(boss, { title: 'Keys' });
    const analyst = await approve(ann, id);
    expect([analyst.status, analyst.body.error]).toEqual([403, 'auth_error']);
    const own = await approve(boss, id);
    expect([own.status, own.body.error]).toEqual([403, 'forbidden']);
    expect((await boss.send(`${mine}/${id}`)).body.status).toBe('pending');
    expect((await approve(eve, id)).body).toMatchObject({ status: 'executed', resolved_by: await idOf(eve) });

    const withdrawn = await askTicket(boss, { title: 'Other keys' });
    expect((await ann.send(`${mine}/${withdrawn.id}/deny`, { body: { reason: 'no' } })).status).toBe(403);
    const denied = await boss.send(`${mine}/${withdrawn.id}/deny`, {
      body: { reason: ' Not\nneeded: password=hunter2 ' },
    });
    expect(denied.body).toMatchObject({ status: 'denied', reason: 'Not needed: password=***', executed_at: null });
    expect(server.desk.runs).toHaveLength(1);
  });

  it('belong to an organization, and are not found by members of another', async () => {
    await using server = await start(dialect, { plugins: managed() });
    const boss = await userOf(server, 'boss@example.com');
    const ann = await userOf(server, 'ann@example.com');
    const { body: acme } = await organization(boss, 'create', { name: 'Acme', slug: 'acme' });
    const other = await askTicket(ann, { title: 'Of no organization' });
    expect((await boss.send(admins)).body).toMatchObject({ actions: [], total: 0 });
    for (const path of ['approve', 'deny']) {
      expect((await boss.send(`${mine}/${other.id}/${path}`, { method: 'POST' })).status).toBe(404);
    }
    await invite(boss, ann, 'ann@example.com', 'member');
    await organization(ann, 'set-active', { organizationSlug: 'acme' });
    const { id } = await askTicket(ann, { title: 'Of Acme' });
    expect((await ann.send(mine)).body.actions).toMatchObject([{ id }]);
    expect((await ann.send(`${mine}/${other.id}`)).status).toBe(404);
    expect((await boss.send(admins)).body.actions).toMatchObject([{ id, requested_by_label: 'ann@example.com' }]);
    expect((await approve(boss, id)).body.status).toBe('executed');
    const last = await askTicket(ann, { title: 'The last one of Acme' });
    expect((await organization(boss, 'delete', { organizationId: acme.id })).status).toBe(200);
    const ended = server.app.get(internalDb).run((knex) => knex('actions').where({ id: last.id }).first());
    expect(await ended).toMatchObject({ status: 'denied', reason: 'The organization was deleted.' });
  });

  it('are denied when their time is over, and when their requester is deleted', async () => {
    const database = await db.url(dialect);
    let id = '';
    {
      await using server = await startActions({ database, plugins: managed() });
      const boss = await userOf(server, 'boss@example.com');
      const ann = await userOf(server, 'ann@example.com');
      ({ id } = await askTicket(boss, { title: 'Slow' }));
      const left = await askTicket(ann, { title: 'Left' });
      await boss.send(`/api/v1/admin/users/${await idOf(ann)}`, { method: 'DELETE' });
      expect((await boss.send(`${admins}?status=denied`)).body.actions).toMatchObject([
        { id: left.id, reason: "The requester's account was deleted.", resolved_by: null },
      ]);
    }
    await using later = await startActions({ database, plugins: managed(), now: new Date('2026-01-22T12:00:00Z') });
    const boss = new Client(later);
    await boss.signIn('boss@example.com', PASSWORD);
    const late = await approve(boss, id);
    expect([late.status, late.body.error]).toEqual([409, 'conflict']);
    expect(late.body.message).toContain('not approved in time');
    expect((await boss.send(`${mine}/${id}`)).body).toMatchObject({
      status: 'denied',
      reason: 'It was not approved in time.',
      resolved_by: null,
      history: [{ move: 'requested' }, { move: 'expired', auth_mode: 'system' }],
    });
    expect((await boss.send(mine)).body.actions).toEqual([]);
    expect(later.desk.runs).toEqual([]);
    await later.app.close();
    await using last = await startActions({ database, plugins: managed(), now: new Date('2027-01-23T12:00:00Z') });
    expect(last.app.lines.filter(({ level }) => level === 'error')).toEqual([]);
    await expect.poll(() => db.connect(database)('actions').select()).toEqual([]);
    expect(await db.connect(database)('action_history').select()).toEqual([]);
  });

  it('end as failed with a bounded error, or with a bounded result, and never show a secret', async () => {
    const encryptionKeys = [Buffer.alloc(32, 7).toString('base64')];
    const database = await db.url(dialect);
    await using server = await startActions({
      database,
      plugins: [authNone()],
      encryptionKeys,
      actions: { timeoutMs: 1_000 },
    });
    const client = new Client(server);
    const ask = async (handle: (typeof server.desk)['handle'], headers?: Record<string, string>) => {
      server.desk.handle = handle;
      const { id } = await askTicket(client, { title: `T ${server.desk.runs.length}`, ...(headers && { headers }) });
      const { status, body } = await approve(client, id);
      expect(status).toBe(200);
      return body;
    };
    const thrown = await ask(() => Promise.reject(new Error(`smtp://bob:hunter2@mail is down ${'x'.repeat(9_000)}`)));
    expect(thrown).toMatchObject({ status: 'failed', result: null, error: expect.stringMatching(/is down/) });
    expect(thrown.error.length).toBeLessThanOrEqual(1_000);
    const deaf = await ask(() => new Promise(() => {}));
    expect(deaf).toMatchObject({ status: 'failed', error: expect.stringMatching(/did not end within 1000 ms/) });
    const huge = await ask(() => ({ text: 'y'.repeat(200_000) }));
    expect(huge).toMatchObject({ status: 'executed', result: { truncated: true } });
    expect((await ask(() => 10n)).result).toBe('10');
    expect((await ask(() => undefined)).result).toBe(null);
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    expect((await ask(() => circle)).status).toBe('executed');

    const secret = await ask(() => ({ ok: true, authToken: 'hunter2' }), {
      Authorization: 'Bearer hunter2hunter2',
      'X-Page': '2',
    });
    expect(secret).toMatchObject({
      payload: { headers: { Authorization: '***', 'X-Page': '2' } },
      result: { ok: true, authToken: '***' },
    });
    expect(server.desk.runs.at(-1)?.ticket.headers).toEqual({ Authorization: 'Bearer hunter2hunter2', 'X-Page': '2' });
    const { conversations } = (await client.send('/api/v1/conversations')).body;
    const answers = await Promise.all(
      conversations.map(
        async ({ id }: { id: string }) => (await client.send(`/api/v1/conversations/${id}`)).body.messages[1],
      ),
    );
    expect(JSON.stringify(answers)).toContain('"Authorization":"***"');
    expect(JSON.stringify(answers)).not.toContain('hunter2');
    for (const path of [`${mine}?status=executed`, `${admins}?status=executed`, `${mine}?status=failed`]) {
      expect(JSON.stringify((await client.send(path)).body)).not.toContain('hunter2');
    }
    const stored = await db.connect(database)('actions').select();
    expect(stored).toHaveLength(7);
    expect(JSON.stringify(stored)).not.toContain('hunter2');
  });

  it('run at once where their mode is auto, and only then', async () => {
    await using server = await start(dialect, { plugins: [authNone()], actions: { approval: { ticket: 'auto' } } });
    const client = new Client(server);
    const { body } = await client.send('/api/v1/query', { body: { question: 'ticket {"title":"Now"}' } });
    expect(body.pendingActions).toEqual([]);
    expect(server.desk.runs).toHaveLength(1);
    expect(server.model.requests.at(-1)?.toolResults[0]).toContain('"status":"executed"');
    const { actions } = (await client.send(`${mine}?status=executed`)).body;
    expect(actions).toMatchObject([
      { approval_mode: 'auto', result: { number: 1 }, requested_by: null, resolved_by: null },
    ]);
    expect((await client.send(`${mine}/${actions[0].id}`)).body.history).toMatchObject([
      { move: 'requested', auth_mode: 'none' },
      { move: 'approved', auth_mode: 'system' },
      { move: 'executed', auth_mode: 'system' },
    ]);
    server.desk.handle = () => Promise.reject(new Error('no paper'));
    await client.send('/api/v1/query', { body: { question: 'ticket {"title":"Again"}' } });
    expect(server.model.requests.at(-1)?.toolResults[0]).toContain('The action failed: no paper');

    server.desk.handle = () => 1;
    const api = server.app.get(actions_);
    const scope = server.app.scope();
    api.restrict(scope, 'manual');
    api.restrict(scope, 'auto');
    const wish = { type: 'ticket', payload: { title: 'Scheduled' }, surface: 'schedule' };
    expect(await api.request(wish, scope.part().part())).toMatchObject({ status: 'pending', approval: 'manual' });
    expect(await api.request(wish, server.app.scope())).toMatchObject({ status: 'executed', result: 1 });
    await expect(api.request({ ...wish, payload: { title: 7 } }, scope)).rejects.toMatchObject({
      code: 'invalid_request',
    });
    await expect(api.request({ ...wish, type: 'tickets' }, scope)).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(api.request({ ...wish, payload: { title: 'x'.repeat(300_000) } }, scope)).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });

  it('are taken up at once by the next server when a stop cuts them short', async () => {
    const database = await db.url(dialect);
    const first = await startActions({ database, plugins: [authNone()] });
    const { id } = await askTicket(new Client(first), { title: 'Long' });
    first.desk.handle = (_, { scope }) =>
      new Promise((_resolve, reject) => scope.signal.addEventListener('abort', () => reject(scope.signal.reason)));
    const approving = approve(new Client(first), id).catch(() => 'cut off');
    await expect.poll(() => first.desk.runs).toHaveLength(1);
    await Promise.resolve(first[Symbol.asyncDispose]()).catch(() => {});
    await approving;
    await using second = await startActions({ database, plugins: [authNone()] });
    const client = new Client(second);
    await expect.poll(async () => (await client.send(`${mine}/${id}`)).body.status).toBe('executed');
    expect((await client.send(`${mine}/${id}`)).body.history.map(({ move }: { move: string }) => move)).toEqual([
      'requested',
      'approved',
      'resumed',
      'executed',
    ]);
    expect([first.desk.runs[0]?.key, second.desk.runs[0]?.key]).toEqual([id, id]);
  });

  it('run only with the payload that was approved', async () => {
    const database = await db.url(dialect);
    await using server = await startActions({ database, plugins: [authNone()] });
    const client = new Client(server);
    const { id } = await askTicket(client, { title: 'Small' });
    await db.connect(database)('actions').where({ id }).update({ payload: '{"title":"Large"}' });
    expect((await approve(client, id)).body).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('changed'),
    });
    expect(server.desk.runs).toEqual([]);
  });
});

describe('actions', () => {
  it("without authentication are everybody's, but for those that need another administrator", async () => {
    await using server = await start('sqlite', { plugins: [authNone()] });
    const client = new Client(server);
    const first = await askTicket(client, { title: 'One' });
    expect(first.approveUrl).toBe(`${server.url}/api/v1/actions/${first.id}/approve`);
    expect((await client.send(mine)).body.actions).toMatchObject([{ id: first.id, requested_by: null }]);
    const answer = await fetch(first.approveUrl, { method: 'POST' });
    expect([answer.status, await answer.json()]).toMatchObject([200, { status: 'executed', resolved_by: null }]);
    const second = await askTicket(client, { title: 'Two' });
    const denied = await fetch(second.denyUrl, { method: 'POST' });
    expect([denied.status, await denied.json()]).toMatchObject([200, { status: 'denied', reason: null }]);
    const api = server.app.get(actions_);
    const third = await api.request(
      { type: 'ticket', payload: { title: 'Three' }, surface: 'api', approval: 'admin-only' },
      server.app.scope(),
    );
    const own = await approve(client, third.id);
    expect([own.status, own.body.error]).toEqual([403, 'forbidden']);
    await fetch(`${server.url}/api/v1/actions/${third.id}/deny`, { method: 'POST' });
    const resolved = await approve(client, third.id);
    expect([resolved.status, resolved.body.error]).toEqual([409, 'conflict']);
  });

  it('of an API key are approved by its role', async () => {
    const keys = [
      { key: 'viewer-key-of-tests', role: 'viewer' as const },
      { key: 'analyst-key-of-tests', role: 'analyst' as const },
      { key: 'admin-key-of-tests', role: 'admin' as const },
    ];
    await using server = await start('sqlite', { plugins: [authRoles(), authApiKey({ keys })] });
    const [viewer, analyst, admin] = keys.map(({ key }) => new Client(server, key)) as [Client, Client, Client];
    expect((await new Client(server).send(mine)).status).toBe(401);
    const { id } = await askTicket(viewer, { title: 'Of a viewer' });
    expect((await approve(viewer, id)).status).toBe(403);
    expect((await analyst.send(admins)).status).toBe(403);
    expect((await admin.send(admins)).body.total).toBe(1);
    expect((await analyst.send(`${mine}/${id}`)).status).toBe(404);
    expect((await approve(analyst, id)).body).toMatchObject({ status: 'executed' });
    const own = await askTicket(analyst, { title: 'Of an analyst' });
    expect((await approve(analyst, own.id)).body).toMatchObject({ status: 'executed' });
  });

  it('of a bearer token belong to the organization of its claim', async () => {
    const key = await makeKey('k');
    const issuer = await Issuer.start(key);
    try {
      const options = { jwksUrl: issuer.jwksUrl, issuer: 'https://id.example.com/', audience: 'atlas' };
      await using server = await start('sqlite', { plugins: [authRoles(), authByot(options)] });
      const client = async (sub: string, role: string, org_id?: string) =>
        new Client(server, await sign(key, { sub, role, ...(org_id !== undefined && { org_id }) }));
      const { id } = await askTicket(await client('ann', 'viewer', 'acme'), { title: 'Of Acme' });
      expect((await approve(await client('bob', 'admin', 'other'), id)).status).toBe(404);
      expect((await approve(await client('bob', 'admin'), id)).status).toBe(404);
      expect((await (await client('bob', 'admin', 'acme')).send(admins)).body.actions).toMatchObject([
        { id, requested_by: 'ann' },
      ]);
      expect((await approve(await client('bob', 'analyst', 'acme'), id)).body.resolved_by).toBe('bob');
    } finally {
      await issuer.stop();
    }
  });

  it('of tenants that only row security tells apart are closed to others', async () => {
    const key = await makeKey('k');
    const issuer = await Issuer.start(key);
    try {
      const options = { jwksUrl: issuer.jwksUrl, issuer: 'https://id.example.com/', audience: 'atlas' };
      const rows = rowSecurity({ column: 'tenant', claim: 'tenant' });
      await using server = await start('sqlite', {
        plugins: [authRoles(), authByot(options), semanticLayer(), sqlGuard(), rows],
      });
      const client = async (sub: string, tenant: string) =>
        new Client(server, await sign(key, { sub, role: 'admin', tenant }));
      const ann = await client('ann', 'one');
      const bob = await client('bob', 'two');
      const { id } = await askTicket(ann, { title: 'Of one' });
      for (const refused of [await bob.send(admins), await approve(bob, id)]) {
        expect([refused.status, refused.body.error]).toEqual([403, 'forbidden']);
      }
      expect((await approve(ann, id)).body.status).toBe('executed');
    } finally {
      await issuer.stop();
    }
  });

  it('take what the interface says, and refuse the rest', async () => {
    await using server = await start('sqlite', { plugins: [authNone()] });
    const client = new Client(server);
    const { id } = await askTicket(client, { title: 'One' });
    const unknown = '01890a5d-ac96-774b-bcce-b302099a8057';
    const requests: [path: string, status: number, body?: unknown][] = [
      [`${mine}?status=waiting`, 400],
      [`${mine}?limit=0`, 400],
      [`${mine}?limit=101`, 400],
      [`${mine}?limit=x`, 400],
      [`${mine}?limit=100&status=failed`, 200],
      [`${admins}?offset=-1`, 400],
      [`${admins}?limit=1&offset=1`, 200],
      [`${mine}/7`, 400],
      [`${mine}/${unknown}`, 404],
      [`${mine}/${id.toUpperCase()}`, 200],
      [`${mine}/7/approve`, 400, {}],
      [`${mine}/${unknown}/approve`, 404, {}],
      [`${mine}/${unknown}/deny`, 404, {}],
      [`${mine}/${id}/deny`, 422, { reason: 'x'.repeat(1_001) }],
      [`${mine}/${id}/deny`, 422, { reason: 7 }],
      [`${mine}/${id}/deny`, 400, '{'],
      [`${mine}/${id}/deny`, 422, '[]'],
    ];
    for (const [path, status, body] of requests) {
      const answer = await client.send(path, body === undefined ? {} : { body });
      expect([path, answer.status]).toEqual([path, status]);
    }
    for (const [title, expected] of [
      ['Two', 'executed'],
      ['Three', 'executed'],
    ] as const) {
      const next = await askTicket(client, { title });
      expect((await approve(client, next.id)).body.status).toBe(expected);
    }
    const { body } = await client.send(`${mine}?status=executed&limit=1`);
    expect(body.actions).toMatchObject([{ payload: { title: 'Three' } }]);
    const { body: document } = await client.send('/api/v1/openapi.json');
    const statuses = Object.keys(document.paths['/api/v1/actions/{id}/approve'].post.responses);
    expect(statuses).toEqual(expect.arrayContaining(['200', '400', '404', '409', '503']));
  });

  it('are asked for once however often the model repeats itself', async () => {
    await using server = await start('sqlite', { plugins: [authNone()] });
    const client = new Client(server);
    const { body } = await client.send('/api/v1/query', { body: { question: 'twice {"title":"One"}' } });
    expect(body.pendingActions).toHaveLength(1);
    expect((await client.send(admins)).body.total).toBe(1);
  });

  it('stand in both chat streams with their links, and without secrets', async () => {
    await using server = await start('sqlite', { plugins: [authNone()] });
    const client = new Client(server);
    const text = 'ticket {"title":"Chat","headers":{"Authorization":"Bearer hunter2hunter2"}}';
    const messages = [{ id: '1', role: 'user', parts: [{ type: 'text', text }] }];
    for (const path of ['/api/v1/chat', '/api/v1/chat?stream=ui']) {
      const stream = String((await client.send(path, { body: { messages } })).body);
      const [, id] = /api\/v1\/actions\/([0-9a-f-]{36})\/approve/.exec(stream) ?? [];
      expect((await client.send(`${mine}/${id}`)).body).toMatchObject({ status: 'pending' });
      const links = `"approveUrl":"${server.url}/api/v1/actions/${id}/approve","denyUrl":"${server.url}/api/v1/actions/${id}/deny"`;
      // The tool's result, and the end of the stream.
      expect(stream.split(links)).toHaveLength(3);
      expect(stream).toContain('"Authorization":"***"');
      expect(stream).not.toContain('hunter2');
    }
  });

  it('are stored, shown and performed as another plugin has completed them', async () => {
    const completing = definePlugin({
      name: 'completing',
      version: '1.0.0',
      type: 'policy',
      description: 'Completes titles.',
      setup: (ctx) =>
        ctx.tap(actionRequest, (request) => ({ ...request, payload: { title: 'Whole' }, summary: 'Open "Whole".' })),
    });
    await using server = await start('sqlite', { plugins: [authNone(), completing()] });
    const client = new Client(server);
    const { id } = await askTicket(client, { title: 'Half' });
    expect((await approve(client, id)).body).toMatchObject({
      status: 'executed',
      summary: 'Open "Whole".',
      payload: { title: 'Whole' },
    });
    expect(server.desk.runs).toMatchObject([{ ticket: { title: 'Whole' }, key: id }]);
  });

  it('are denied when another plugin denies them, and never run because another lets them', async () => {
    for (const [decision, status] of [
      ['deny', 'denied'],
      ['run', 'failed'],
    ] as const) {
      const reviewer = definePlugin({
        name: 'reviewer',
        version: '1.0.0',
        type: 'policy',
        description: 'Decides about actions.',
        setup: (ctx) => ctx.tap(actionReview, () => ({ decision, reason: 'Not on Sundays.' })),
      });
      await using server = await start('sqlite', { plugins: [authNone(), reviewer()] });
      const client = new Client(server);
      const { body } = await client.send('/api/v1/query', { body: { question: 'ticket {"title":"One"}' } });
      expect(body.pendingActions).toEqual([]);
      expect(server.model.requests.at(-1)?.toolResults[0]).toContain(
        `The action ${decision === 'deny' ? 'was denied' : 'failed'}`,
      );
      expect((await client.send(`${admins}?status=${status}`)).body.actions).toMatchObject([
        { reason: decision === 'deny' ? 'Not on Sundays.' : null, history: [{ move: 'requested' }, { move: status }] },
      ]);
      expect(server.desk.runs).toEqual([]);
    }
  });

  it.each([
    [
      { approval: { tickets: 'auto' } },
      /names the type of action "tickets", which no plugin brings; did you mean `ticket`\?/,
    ],
  ] as const)('do not start with the options %j', async (options, message) => {
    await expect(start('sqlite', { plugins: [authNone()], actions: options })).rejects.toThrow(message);
  });

  it.each([
    ['without an internal database', true, /internal database/],
    ['that are not enabled', false, /not enabled/],
  ])('%s are not available', async (_, enabled, message) => {
    const database = enabled ? undefined : await db.url('sqlite');
    await using server = await startActions({ database, plugins: [authNone()], actions: { enabled } });
    const client = new Client(server);
    for (const [path, method] of [
      [mine, 'GET'],
      [admins, 'GET'],
      [`${mine}/x`, 'GET'],
      [`${mine}/x/approve`, 'POST'],
      [`${mine}/x/deny`, 'POST'],
    ] as const) {
      const { status, body } = await client.send(path, { method });
      expect([path, status, body.error, body.message]).toEqual([
        path,
        404,
        'not_available',
        expect.stringMatching(message),
      ]);
    }
    await client.send('/api/v1/query', { body: { question: 'ticket {"title":"Never"}' } });
    expect(server.model.requests[0]?.tools).not.toContain('openTicket');
  });
});
