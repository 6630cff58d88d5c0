/** Exports through the whole path: who may have which file, what ends one, and what is in it. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Actor, definePlugin, sqlAfter } from '../../kernel/index.ts';
import { BY_TENANT, Clinic } from '../../test/fixtures/clinic.ts';
import { emptyFolder } from '../../test/harness/command.ts';
import type { InjectedRequest } from '../../test/harness/create-test-app.ts';
import { headerAuth } from '../../test/harness/header-auth.ts';
import { chosenEngines, type TestEngine } from '../../test/harness/internal-databases.ts';
import { type OpenAIServer, type Step, startOpenAIServer } from '../../test/harness/openai-server.ts';
import { callSql } from '../../test/harness/scripted-agent.ts';
import { agent } from '../agent/index.ts';
import { audit } from '../audit/index.ts';
import { authLookup, present, refused } from '../auth-kit/index.ts';
import { organizationDelete, userDelete } from '../auth-managed/index.ts';
import { authRoles } from '../auth-roles/index.ts';
import { conversations } from '../conversations/index.ts';
import { http } from '../http/index.ts';
import { internalDb } from '../internal-db/index.ts';
import { jobs } from '../jobs/index.ts';
import { modelOpenai } from '../model-openai/index.ts';
import { queryApi } from '../query-api/index.ts';
import { sqlLimits } from '../sql-limits/index.ts';
import { readBack } from './fixtures/parquet-of.ts';
import { exports } from './index.ts';

/** By user: role, organization and claims, as they are at present. */
const users = new Map<string, Pick<Actor, 'role'> & { readonly org: string; readonly tenant: number }>();
const actorOf = (id: string) => {
  const { role = 'viewer', tenant, org } = users.get(id) ?? {};
  const actor: Actor = { id, label: id, role: role as Actor['role'], mode: 'header', claims: { tenant } };
  return { actor, orgId: org ?? null };
};
const auth = () =>
  headerAuth(
    (header) => {
      const { actor, orgId } = actorOf(header('x-user'));
      return { ...actor, orgId };
    },
    (ctx) =>
      ctx.tapKey(authLookup, 'header', ({ actorId }) =>
        users.has(actorId ?? '') ? present(actorOf(actorId ?? '')) : refused('There is no such user.'),
      ),
  );

interface Reply {
  readonly status: number;
  readonly body: { readonly id: string; readonly status: string; readonly url: string } & Readonly<
    Record<string, unknown>
  >;
}

describe.each(chosenEngines)('on %s', (_, startEngine) => {
  let engine: TestEngine;
  let provider: OpenAIServer;
  let clinic: Clinic;
  let steps: Step[] = [];
  let masks = false;
  const files = emptyFolder();
  const clock = { now: Date.parse('2026-01-15T12:00:00Z') };

  /** A plugin that somebody has written to change rows. */
  const masking = definePlugin({
    name: 'test-masking',
    version: '1.0.0',
    type: 'policy',
    description: 'Masks rows once they are read.',
    setup: (ctx) =>
      ctx.tap(sqlAfter, (reply) => {
        if (!masks) return undefined;
        const rows = reply.result.rows.map((row) => ({ ...row, name: '***' }));
        return { ...reply, result: { ...reply.result, rows } };
      }),
  });

  beforeAll(async () => {
    engine = await startEngine();
    provider = await startOpenAIServer({ respond: () => steps.shift() ?? { text: 'Ann and Bob.' } });
    clinic = await Clinic.open(
      BY_TENANT,
      [
        http({ port: 0, publicUrl: 'https://atlas.example/' }),
        internalDb({ url: await engine.fresh() }),
        jobs({ pollMs: 100 }),
        auth(),
        authRoles(),
        audit(),
        sqlLimits({ maxRows: 1 }),
        masking(),
        modelOpenai({ provider: 'openai-compatible', baseUrl: provider.url, maxRetries: 0 }),
        agent(),
        conversations(),
        queryApi({ sqlFor: 'analyst' }),
        exports({ url: `file:${files.path}`, perUser: 2, perOrganization: 3, minFreeBytes: 0 }),
      ],
      () => clock.now,
    );
  }, 60_000);
  afterAll(async () => {
    await clinic?.[Symbol.asyncDispose]();
    await provider?.close();
    await engine?.[Symbol.asyncDispose]();
    files[Symbol.dispose]();
  });
  beforeEach(() => {
    masks = false;
    users.clear();
    users.set('ann', { role: 'viewer', org: 'acme', tenant: 1 });
    users.set('ada', { role: 'analyst', org: 'acme', tenant: 1 });
    users.set('zoe', { role: 'analyst', org: 'globex', tenant: 9 });
  });

  async function raw(user: string, method: InjectedRequest['method'], url: string, payload?: object) {
    const headers = { 'x-user': user };
    const path = url.replace('https://atlas.example', '');
    return clinic.app.inject({ method, url: path, headers, ...(payload !== undefined && { payload }) });
  }
  async function send(...given: Parameters<typeof raw>): Promise<Reply> {
    const { statusCode: status, body, json } = await raw(...given);
    return { status, body: body.startsWith('{') ? json() : ({ text: body } as unknown as Reply['body']) };
  }
  const begin = (user: string, sql: string, format = 'csv') => send(user, 'POST', '/api/v1/exports', { sql, format });
  const ended = (user: string, { body }: Reply) =>
    vi.waitFor(async () => {
      const reply = await send(user, 'GET', `/api/v1/exports/${body.id}`);
      expect(['finished', 'failed']).toContain(reply.body.status);
      return reply.body;
    }, 20_000);
  const remove = async (user: string) => {
    const { exports: all } = (await send(user, 'GET', '/api/v1/exports')).body as unknown as {
      exports: { id: string }[];
    };
    for (const { id } of all) expect((await send(user, 'DELETE', `/api/v1/exports/${id}`)).status).toBe(204);
  };

  const PATIENTS = 'SELECT id, name, phone FROM patients ORDER BY id';

  it('writes all rows that the user may see, past the limit of rows, into a private file', async () => {
    const begun = await begin('ada', PATIENTS);
    expect([begun.status, begun.body]).toMatchObject([
      202,
      { status: 'waiting', format: 'csv', sql: PATIENTS, rows: 0 },
    ]);
    expect(begun.body).not.toHaveProperty('url');
    const done = await ended('ada', begun);
    expect(done).toMatchObject({ status: 'finished', rows: 2, error: null, connectionId: 'default' });
    expect(done.url).toMatch(
      /^https:\/\/atlas\.example\/api\/v1\/exports\/[^/]+\/file\?expires=\d+&signature=[0-9a-f]{64}$/,
    );
    const file = await raw('ada', 'GET', done.url);
    expect([file.statusCode, file.body, file.headers]).toMatchObject([
      200,
      'id,name,phone\r\n1,Ann,555-*\r\n2,Bob,555-*\r\n',
      { 'content-type': 'application/octet-stream', 'content-length': String(done.bytes), 'cache-control': 'no-store' },
    ]);
    const [name = '', ...others] = readdirSync(files.path);
    expect([others, statSync(join(files.path, name)).mode & 0o777]).toEqual([[], 0o600]);
    const { rows } = (await clinic.app
      .get(internalDb)
      .run((db) =>
        db
          .raw("SELECT surface, row_count FROM audit_log WHERE surface = 'export'")
          .then((found) => ({ rows: found.rows ?? found })),
      )) as { rows: object[] };
    expect(rows).toEqual([expect.objectContaining({ surface: 'export', row_count: 2 })]);
    await remove('ada');
    expect(readdirSync(files.path)).toEqual([]);
  });

  it('keeps spreadsheets from running cells, and columns of Parquet as they are', async () => {
    const sql = "SELECT '=1+1' AS formula, '-12.5000000000000000001' AS number, fee FROM visits WHERE id = 10";
    const csv = await ended('ada', await begin('ada', sql));
    expect((await raw('ada', 'GET', csv.url)).body).toBe("formula,number,fee\r\n'=1+1,-12.5000000000000000001,50\r\n");
    const parquet = await ended('ada', await begin('ada', sql, 'parquet'));
    const name = readdirSync(files.path).find((file) => file.endsWith('.parquet'));
    expect(await readBack(join(files.path, String(name)))).toMatchObject({
      types: { formula: 'VARCHAR', number: 'VARCHAR', fee: 'BIGINT' },
      rows: [{ formula: '=1+1', number: '-12.5000000000000000001', fee: '50' }],
    });
    const file = await raw('ada', 'GET', parquet.url);
    expect([file.statusCode, file.body.slice(0, 4)]).toEqual([200, 'PAR1']);
    await remove('ada');
  });

  it('hands a file to its user alone, by a link that is signed and not yet void', async () => {
    const { url, id } = await ended('ada', await begin('ada', PATIENTS));
    users.set('peer', { role: 'admin', org: 'acme', tenant: 1 });
    users.set('elsewhere', { role: 'admin', org: 'globex', tenant: 1 });
    for (const other of ['peer', 'elsewhere', 'zoe']) {
      expect((await send(other, 'GET', url)).status).toBe(404);
      expect((await send(other, 'GET', `/api/v1/exports/${id}`)).status).toBe(404);
      expect((await send(other, 'DELETE', `/api/v1/exports/${id}`)).status).toBe(404);
      expect((await send(other, 'GET', '/api/v1/exports')).body).toEqual({ exports: [] });
    }
    const expired = url.replace(/expires=(\d)/, 'expires=9$1');
    const forged = url.replace(/signature=(.)/, (_all, first: string) => `signature=${first === '0' ? '1' : '0'}`);
    for (const link of [expired, forged]) {
      expect(await send('ada', 'GET', link)).toMatchObject({ status: 403, body: { error: 'forbidden' } });
    }
    expect((await send('ada', 'GET', url.replace(/\?.*/, ''))).status).toBe(400);
    clock.now += 3_600_001;
    expect(await send('ada', 'GET', url)).toMatchObject({ status: 403 });
    const { url: renewed } = (await send('ada', 'GET', `/api/v1/exports/${id}`)).body;
    expect((await raw('ada', 'GET', renewed)).statusCode).toBe(200);
    await remove('ada');
  });

  it.each<[string, () => void, number]>([
    ['claims', () => users.set('ada', { role: 'analyst', org: 'acme', tenant: 9 }), 403],
    ['claims that are gone', () => users.set('ada', { role: 'analyst', org: 'acme', tenant: undefined as never }), 403],
    ['organization', () => users.set('ada', { role: 'analyst', org: 'globex', tenant: 1 }), 404],
    ['right to run statements', () => users.set('ada', { role: 'viewer', org: 'acme', tenant: 1 }), 403],
  ])('does not hand out a file once the user has other %s', async (_what, change, status) => {
    const { url } = await ended('ada', await begin('ada', PATIENTS));
    change();
    expect((await send('ada', 'GET', url)).status).toBe(status);
    users.set('ada', { role: 'analyst', org: 'acme', tenant: 1 });
    expect((await raw('ada', 'GET', url)).statusCode).toBe(200);
    await remove('ada');
  });

  it('refuses at once what may not run, and says why', async () => {
    expect(await begin('ada', 'SELECT diagnosis FROM patients')).toMatchObject({
      status: 400,
      body: { error: 'sql_refused' },
    });
    expect(await begin('ada', 'DELETE FROM patients')).toMatchObject({ status: 400, body: { error: 'sql_refused' } });
    // Of a viewer, a statement of an answer is exported, and none of their own.
    expect(await begin('ann', PATIENTS)).toMatchObject({ status: 403, body: { error: 'auth_error' } });
    const unknown = await send('ada', 'POST', '/api/v1/exports', {
      sql: PATIENTS,
      connectionId: 'other',
      format: 'csv',
    });
    expect(unknown).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    for (const body of [
      { format: 'csv' },
      { format: 'xls', sql: PATIENTS },
      { format: 'csv', sql: PATIENTS, messageId: crypto.randomUUID() },
    ]) {
      expect((await send('ada', 'POST', '/api/v1/exports', body)).status).toBe(422);
    }
    const failed = await ended('ada', await begin('ada', "SELECT json_extract(name, '$') FROM patients"));
    expect(failed).toMatchObject({ status: 'failed', error: expect.stringMatching(/\.$/) });
    expect(failed).not.toHaveProperty('url');
    expect(readdirSync(files.path)).toEqual([]);
    await remove('ada');
  });

  it('refuses rows that a plugin would change once they are read', async () => {
    masks = true;
    const done = await ended('ada', await begin('ada', PATIENTS));
    expect(done).toMatchObject({ status: 'failed', error: expect.stringContaining('cannot be looked at') });
    expect(readdirSync(files.path)).toEqual([]);
    await remove('ada');
  });

  it('exports the statement of an answer, which names the way when the limit has cut it', async () => {
    steps = [callSql(PATIENTS)];
    const answer = (await send('ann', 'POST', '/api/v1/query', { question: 'Who are our patients?' })).body;
    expect(answer.notes).toContainEqual({
      code: 'export_available',
      message: expect.stringContaining('/api/v1/exports'),
    });
    const detail = (await send('ann', 'GET', `/api/v1/conversations/${answer.conversationId}`)).body as unknown as {
      messages: { id: string }[];
    };
    const ref = { conversationId: answer.conversationId, messageId: detail.messages.at(-1)?.id, format: 'csv' };
    const begun = await send('ann', 'POST', '/api/v1/exports', ref);
    // Below analyst, nobody sees SQL here.
    expect([begun.status, begun.body]).toMatchObject([202, { sql: null }]);
    const { url } = await ended('ann', begun);
    expect((await raw('ann', 'GET', url)).body).toContain('2,Bob,555-*');
    for (const [user, body, status] of [
      ['ada', ref, 404],
      ['ann', { ...ref, statement: 1 }, 422],
      ['ann', { ...ref, messageId: undefined }, 422],
    ] as const) {
      expect((await send(user, 'POST', '/api/v1/exports', body)).status).toBe(status);
    }
    await remove('ann');
  });

  it('bounds how many a user and an organization have at a time', async () => {
    const slow =
      'WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 300000000) SELECT count(*) FROM c';
    users.set('abe', { role: 'analyst', org: 'acme', tenant: 1 });
    const statuses = [];
    for (const user of ['ada', 'ada', 'ada', 'abe', 'abe', 'zoe']) statuses.push((await begin(user, slow)).status);
    expect(statuses).toEqual([202, 202, 409, 202, 409, 202]);
    // A deletion stops what runs.
    for (const user of ['ada', 'abe', 'zoe']) await remove(user);
    await vi.waitFor(() => expect(clinic.app.get(jobs).describe().running).toBe(0), 20_000);
    expect(readdirSync(files.path)).toEqual([]);
  });

  it('deletes the files of an organization and of a user with them', async () => {
    const begun = [await begin('ada', PATIENTS), await begin('zoe', PATIENTS)];
    await ended('ada', begun[0] as Reply);
    await ended('zoe', begun[1] as Reply);
    const scope = clinic.app.scope();
    await clinic.app.call(organizationDelete, { orgId: 'acme' } as never, scope);
    expect(readdirSync(files.path)).toHaveLength(1);
    await clinic.app.call(userDelete, { userId: 'zoe', actorId: 'ada' } as never, scope);
    expect(readdirSync(files.path)).toEqual([]);
    expect((await send('ada', 'GET', '/api/v1/exports')).body).toEqual({ exports: [] });
  });
});
