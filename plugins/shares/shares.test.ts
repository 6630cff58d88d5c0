/** Shared answers through the whole path: what readers of one organization see, what others do not, and what ends a share. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Actor } from '../../kernel/index.ts';
import { BY_TENANT, Clinic } from '../../test/fixtures/clinic.ts';
import type { InjectedRequest } from '../../test/harness/create-test-app.ts';
import { headerAuth } from '../../test/harness/header-auth.ts';
import { engines, type TestEngine } from '../../test/harness/internal-databases.ts';
import { type OpenAIServer, type Step, startOpenAIServer } from '../../test/harness/openai-server.ts';
import { callSql } from '../../test/harness/scripted-agent.ts';
import { agent } from '../agent/index.ts';
import { audit } from '../audit/index.ts';
import { organizationDelete, userDelete } from '../auth-managed/index.ts';
import { authRoles } from '../auth-roles/index.ts';
import { conversations } from '../conversations/index.ts';
import { http } from '../http/index.ts';
import { internalDb } from '../internal-db/index.ts';
import { modelOpenai } from '../model-openai/index.ts';
import { queryApi } from '../query-api/index.ts';
import { sqlLimits } from '../sql-limits/index.ts';
import { shares } from './index.ts';
import { ShareStore } from './store.ts';

/** `name@organization/tenant`, with the role that the name begins with. */
const auth = headerAuth((header) => {
  const [, id = '', role, org, tenant] = /^((\w+)\.\w+)@(\w*)\/(\d)$/.exec(header('x-user')) ?? [];
  return { id, role: role as Actor['role'], claims: { tenant: Number(tenant) }, orgId: org || null };
});

interface Reply {
  readonly status: number;
  readonly body: Record<string, never> & { readonly [key: string]: unknown };
}

const NOW = '2026-01-15T12:00:00.000Z';
const OWNER = 'viewer.ann@acme/1';
const PEER = 'viewer.zoe@acme/9';
const ADMIN = 'admin.joe@acme/1';
const OUTSIDER = 'admin.eve@globex/1';

describe.each(engines)('on %s', (_, startEngine) => {
  let engine: TestEngine;
  let provider: OpenAIServer;
  let clinic: Clinic;
  let steps: Step[] = [];

  const open = async (asked = agent(), answers = queryApi()) =>
    Clinic.open(BY_TENANT, [
      http({ port: 0, publicUrl: 'https://atlas.example/base/' }),
      internalDb({ url: await engine.fresh() }),
      auth,
      authRoles(),
      audit(),
      sqlLimits(),
      modelOpenai({ provider: 'openai-compatible', baseUrl: provider.url, maxRetries: 0 }),
      asked,
      conversations(),
      answers,
      shares(),
    ]);
  beforeAll(async () => {
    engine = await startEngine();
    provider = await startOpenAIServer({ respond: () => steps.shift() ?? { text: 'Ann and Bob are patients.' } });
    clinic = await open();
  }, 60_000);
  afterAll(async () => {
    await clinic?.[Symbol.asyncDispose]();
    await provider?.close();
    await engine?.[Symbol.asyncDispose]();
  });

  async function send(user: string, method: InjectedRequest['method'], url: string, payload?: object): Promise<Reply> {
    const headers = { 'x-user': user };
    const reply = await clinic.app.inject({ method, url, headers, ...(payload !== undefined && { payload }) });
    return { status: reply.statusCode, body: reply.body === '' ? ({} as Reply['body']) : reply.json() };
  }
  async function asked(user: string, ...script: Step[]): Promise<{ conversationId: string; messageId: string }> {
    steps = [...script];
    const { body } = await send(user, 'POST', '/api/v1/query', { question: 'Who are our patients?' });
    const conversationId = String(body.conversationId);
    const detail = await send(user, 'GET', `/api/v1/conversations/${conversationId}`);
    const messages = detail.body.messages as unknown as { id: string }[];
    return { conversationId, messageId: messages.at(-1)?.id ?? '' };
  }
  const SQL = 'SELECT name, phone FROM patients ORDER BY id';
  async function shared(user = OWNER): Promise<{ id: string; url: string; conversationId: string }> {
    const ref = await asked(user, callSql(SQL), callSql('SELECT count(*) AS n FROM visits'));
    const { status, body } = await send(user, 'POST', '/api/v1/shares', ref);
    expect(status).toBe(201);
    return { ...(body as unknown as { id: string; url: string }), conversationId: ref.conversationId };
  }
  const rowsIn = ({ body }: Reply) => (body.data as unknown as { rows: unknown[] }[]).map(({ rows }) => rows);
  const left = () => clinic.app.get(internalDb).run((db) => db('shares').select('id'));

  it('shows question and statements, and runs them as each reader', async () => {
    const { id, url } = await shared();
    expect(url).toBe(`https://atlas.example/base/s/${id}`);
    const shown = { id, url, question: 'Who are our patients?', sql: [SQL, 'SELECT count(*) AS n FROM visits'] };
    const createdAt = NOW;
    expect(await send(OWNER, 'GET', `/api/v1/shares/${id.toUpperCase()}`)).toEqual({
      status: 200,
      body: { ...shown, isOwn: true, createdAt },
    });
    const seen = await send(PEER, 'GET', `/api/v1/shares/${id}`);
    expect(seen).toEqual({ status: 200, body: { ...shown, isOwn: false, createdAt } });
    expect(JSON.stringify(seen)).not.toMatch(/Ann|Bob|"555/);

    const own = await send(OWNER, 'POST', `/api/v1/shares/${id}/run`);
    expect(rowsIn(own)).toEqual([
      [
        { name: 'Ann', phone: '555-*' },
        { name: 'Bob', phone: '555-*' },
      ],
      [{ n: 3 }],
    ]);
    const other = await send(PEER, 'POST', `/api/v1/shares/${id}/run`);
    expect(other.body).toMatchObject({ question: 'Who are our patients?', complete: true });
    expect(rowsIn(other)).toEqual([
      [
        { name: 'Zoe9', phone: '999-*' },
        { name: 'Yan9', phone: '999-*' },
      ],
      [{ n: 2 }],
    ]);
    expect(JSON.stringify(other)).not.toMatch(/Ann|Bob|"555/);
    const entries = await send(ADMIN, 'GET', '/api/v1/admin/audit?surface=share&limit=4');
    expect(entries.body.entries).toMatchObject([{}, {}, {}, {}].fill({ surface: 'share' }));
  });

  it('is one share of an answer, and refuses an answer that ran nothing', async () => {
    const ref = await asked(OWNER, callSql(SQL));
    const first = await send(OWNER, 'POST', '/api/v1/shares', ref);
    expect(await send(OWNER, 'POST', '/api/v1/shares', ref)).toEqual(first);
    const plain = await asked(OWNER, callSql('SELECT name FROM nowhere'));
    expect(await send(OWNER, 'POST', '/api/v1/shares', plain)).toMatchObject({
      status: 400,
      body: { error: 'invalid_request' },
    });
  });

  it('has no row for a reader who may see none, and nothing without a user', async () => {
    const { id } = await shared();
    const refused = await send('viewer.tim@acme/0', 'POST', `/api/v1/shares/${id}/run`);
    expect(rowsIn(refused)).toEqual([[], [{ n: 0 }]]);
    const nobody = await clinic.app.inject({ method: 'POST', url: `/api/v1/shares/${id}/run` });
    expect(nobody.statusCode).toBeGreaterThanOrEqual(400);
  });

  it("shares one's own answers only", async () => {
    const ref = await asked(OWNER, callSql(SQL));
    const other = await asked(OWNER, callSql(SQL));
    const messages = (await send(OWNER, 'GET', `/api/v1/conversations/${ref.conversationId}`)).body.messages;
    const question = (messages as unknown as { id: string }[])[0]?.id;
    const before = await left();
    for (const [user, body, status] of [
      [PEER, ref, 404],
      [ADMIN, ref, 404],
      ['viewer.ann@globex/1', ref, 404],
      ['viewer.ann@/1', ref, 404],
      [OWNER, { ...ref, messageId: other.messageId }, 404],
      [OWNER, { ...ref, messageId: question }, 404],
      [OWNER, { ...ref, messageId: crypto.randomUUID() }, 404],
      [OWNER, { ...ref, messageId: "' OR 1=1" }, 422],
      [OWNER, { conversationId: ref.conversationId }, 422],
      [OWNER, {}, 422],
    ] as const) {
      expect([user, body, (await send(user, 'POST', '/api/v1/shares', body)).status]).toEqual([user, body, status]);
    }
    expect(await left()).toEqual(before);
  });

  it('is not there for another organization, as one that does not exist', async () => {
    const { id } = await shared();
    const missing = crypto.randomUUID();
    for (const user of [OUTSIDER, 'admin.joe@/1']) {
      for (const [method, path] of [
        ['GET', ''],
        ['POST', '/run'],
        ['DELETE', ''],
      ] as const) {
        const [a, b] = [
          await send(user, method, `/api/v1/shares/${id}${path}`),
          await send(user, method, `/api/v1/shares/${missing}${path}`),
        ].map(({ status, body }) => ({ status, body: { ...body, requestId: '' } }));
        expect(a?.status).toBe(404);
        expect(a).toEqual(b);
      }
    }
    expect((await send(OWNER, 'GET', `/api/v1/shares/${id}`)).status).toBe(200);
    expect((await send(OWNER, 'GET', '/api/v1/shares/no-uuid')).status).toBe(400);
  });

  it('is withdrawn by its owner, or by an administrator of the organization, which the log tells', async () => {
    const [first, second] = [await shared(), await shared()];
    expect(await send(PEER, 'DELETE', `/api/v1/shares/${first.id}`)).toMatchObject({
      status: 403,
      body: { error: 'forbidden' },
    });
    expect((await send(OWNER, 'DELETE', `/api/v1/shares/${first.id}`)).status).toBe(204);
    expect((await send(OWNER, 'POST', `/api/v1/shares/${first.id}/run`)).status).toBe(404);
    expect((await send(ADMIN, 'DELETE', `/api/v1/shares/${second.id}`)).status).toBe(204);
    const { body } = await send(ADMIN, 'GET', '/api/v1/admin/audit/changes?limit=5');
    expect(body.changes).toMatchObject([{ action: 'share.deleted', targetId: second.id, targetLabel: 'viewer.ann' }]);
  });

  it('ends with its conversation, its answer, its user and its organization', async () => {
    const gone = async (id: string) => {
      expect((await send(PEER, 'GET', `/api/v1/shares/${id}`)).status).toBe(404);
      expect((await left()).map((row: { id: string }) => row.id)).not.toContain(id);
    };
    const first = await shared();
    await send(OWNER, 'DELETE', `/api/v1/conversations/${first.conversationId}`);
    await gone(first.id);

    const conversationId = crypto.randomUUID();
    const chat = { id: conversationId, messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'Who?' }] }] };
    steps = [callSql(SQL)];
    await send(OWNER, 'POST', '/api/v1/chat', chat).catch(() => {});
    const detail = await send(OWNER, 'GET', `/api/v1/conversations/${conversationId}`);
    const messageId = (detail.body.messages as unknown as { id: string }[]).at(-1)?.id;
    const again = await send(OWNER, 'POST', '/api/v1/shares', { conversationId, messageId });
    expect(again.status).toBe(201);
    await send(OWNER, 'POST', '/api/v1/chat', { ...chat, trigger: 'regenerate-message' }).catch(() => {});
    await gone(String(again.body.id));

    const second = await shared('viewer.una@acme/1');
    const third = await shared('viewer.vic@acme/1');
    const { app } = clinic;
    await app.call(userDelete, { userId: 'viewer.una', actorId: null }, app.scope());
    await gone(second.id);
    expect((await send(PEER, 'GET', `/api/v1/shares/${third.id}`)).status).toBe(200);
    await app.call(organizationDelete, { orgId: 'acme', actorId: null }, app.scope());
    await gone(third.id);
  });

  describe('with little memory, and SQL for administrators', () => {
    /** Each row is one of 30 KB. */
    const WIDE = `SELECT replace(hex(a.id || '${'x'.repeat(10_000)}'), '7', 'xx') AS wide FROM patients a, visits b, visits c`;
    const BYTES = 1024 ** 2;
    let whole: Clinic;
    beforeAll(async () => {
      whole = clinic;
      const small = agent({ questionBudgetBytes: BYTES, processBudgetBytes: BYTES });
      clinic = await open(small, queryApi({ sqlFor: 'admin' }));
    });
    afterAll(async () => {
      await clinic[Symbol.asyncDispose]();
      clinic = whole;
    });

    it('holds the memory of rows only until they are sent', async () => {
      const share = await send(OWNER, 'POST', '/api/v1/shares', await asked(OWNER, callSql(`${WIDE}, visits d`)));
      for (let run = 0; run < 5; run += 1) {
        const { status, body } = await send(OWNER, 'POST', `/api/v1/shares/${share.body.id}/run`);
        // What does not fit is left out, and said to be.
        expect([run, status, body.data]).toMatchObject([run, 200, [{ truncated: true, sql: '', executedSql: '' }]]);
      }
    });

    it('tells of a failure no SQL, and frees the memory of what ran before', async () => {
      const ref = await asked(OWNER, callSql(WIDE), callSql('SELECT floor FROM wards'));
      const { id } = (await send(OWNER, 'POST', '/api/v1/shares', ref)).body as unknown as { id: string };
      clinic.databases.create('clinic.db', 'DROP TABLE wards');
      for (const [user, shown] of [
        [OWNER, 'The shared answer cannot be run for you. Ask whoever shared it.'],
        [OWNER, 'The shared answer cannot be run for you. Ask whoever shared it.'],
        [ADMIN, expect.stringContaining('wards')],
        [ADMIN, expect.stringContaining('wards')],
      ]) {
        const { status, body } = await send(user, 'POST', `/api/v1/shares/${id}/run`);
        expect([user, status, body]).toMatchObject([user, 400, { error: 'sql_failed', message: shown }]);
        expect(JSON.stringify(body).includes('wards')).toBe(user === ADMIN);
      }
    });
  });

  it('is not found for an answer that has been deleted meanwhile', async () => {
    const ref = { conversationId: crypto.randomUUID(), messageId: crypto.randomUUID() };
    const added = new ShareStore(clinic.app.get(internalDb)).add(ref, { orgId: 'acme', userId: 'ann' }, NOW);
    await expect(added).rejects.toMatchObject({ code: 'not_found' });
  });
});
