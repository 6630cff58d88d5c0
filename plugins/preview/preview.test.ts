import { describe, expect, it } from 'vitest';
import { authAuthorize, authResolve, definePlugin, type PluginEntry, Type } from '../../kernel/index.ts';
import { startOpenAIServer } from '../../test/harness/openai-server.ts';
import { defineAction } from '../actions/index.ts';
import { authApiKey } from '../auth-api-key/index.ts';
import { authRoles } from '../auth-roles/index.ts';
import { rowSecurity } from '../row-security/index.ts';
import { startPreviewServer, TOTAL } from './fixtures/preview-server.ts';

const keyOf = (name: string) => `key-of-${name}-${'x'.repeat(20)}`;
const as = (name: string) => ({ 'x-api-key': keyOf(name) });
const ADMIN = as('admin');

const KEYS = [
  { key: keyOf('admin'), name: 'admin', role: 'admin', claims: {} },
  { key: keyOf('analyst'), name: 'analyst', role: 'analyst', claims: { tenant: 'acme' } },
  { key: keyOf('viewer'), name: 'viewer', role: 'viewer', claims: { tenant: 'beta' } },
] as const;

/** Brings an action that needs no approval, and counts how often it ran. */
const ticketDesk = definePlugin({
  name: 'action-ticket',
  version: '1.0.0',
  type: 'action',
  description: 'Opens tickets.',
  setup(ctx) {
    const desk = { runs: 0 };
    defineAction(ctx, {
      type: 'ticket',
      tool: 'openTicket',
      description: 'Opens a ticket for the support team.',
      input: Type.Object({ title: Type.String() }),
      approval: 'auto',
      reversible: true,
      describe: ({ title }) => ({ target: 'support', summary: title }),
      run() {
        desk.runs += 1;
      },
    });
    return desk;
  },
});

const replaced = (entries: PluginEntry[], ...others: PluginEntry[]) =>
  entries.map((entry) => others.find(({ definition }) => definition === entry.definition) ?? entry);

const startKeys = (env = {}, more: PluginEntry[] = []) =>
  startPreviewServer({
    env: { SVC_API_KEY: 'unused-unused-unused', ...env },
    plugins: (entries) => [
      ...replaced(
        entries,
        authApiKey({ keys: [...KEYS] }),
        rowSecurity({ column: 'tenant', claim: 'tenant', unmaskRoles: ['admin'] }),
      ),
      ...more,
    ],
  });

const claims = (tenant: unknown, role = 'viewer') => ({ claims: { tenant }, role });

describe('a statement', () => {
  it('shows the rows and masks of a reader with the given claims and role', async () => {
    await using t = await startKeys();
    expect(await t.preview({ sql: TOTAL, as: claims('acme') }, ADMIN)).toEqual([
      200,
      {
        answer: '',
        outcome: 'answered',
        notes: [{ code: 'policy_applied', message: expect.stringContaining('Row security') }],
        sql: [TOTAL],
        data: [
          expect.objectContaining({ rows: [{ total: 30 }], sql: TOTAL, executedSql: expect.stringContaining('?') }),
        ],
        steps: 0,
        usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
        pendingActions: [],
      },
    ]);
    const emails = { sql: 'SELECT email FROM orders', connectionId: 'default' };
    const of = async (reader: object) => (await t.preview({ ...emails, as: reader }, ADMIN))[1];
    expect(await of(claims('beta'))).toMatchObject({ data: [{ rows: [{ email: '***' }] }] });
    expect(await of(claims('beta', 'admin'))).toMatchObject({ data: [{ rows: [{ email: 'beta@example.com' }] }] });
    expect(await of(claims(['acme', 'beta']))).toMatchObject({ data: [{ rowCount: 3 }] });
  });

  it('shows no SQL to a reader who may not see it', async () => {
    await using t = await startKeys({ SVC_SQL_FOR: 'analyst' });
    const [, viewed] = await t.preview({ sql: TOTAL, as: claims('acme') }, ADMIN);
    expect(viewed).toMatchObject({ sql: [], data: [{ rows: [{ total: 30 }], sql: '', executedSql: '' }] });
    const [, analysed] = await t.preview({ sql: TOTAL, as: claims('acme', 'analyst') }, ADMIN);
    expect(analysed).toMatchObject({ sql: [TOTAL], data: [{ sql: TOTAL }] });
  });

  it('is asked as another user of the organization, who has the claims of that user', async () => {
    await using t = await startKeys();
    const { user } = (await t.send('GET', '/api/v1/me', as('viewer'))).json<{ user: { id: string } }>();
    const answer = await t.preview({ sql: TOTAL, as: { userId: user.id } }, ADMIN);
    expect(answer).toMatchObject([200, { data: [{ rows: [{ total: 999 }] }] }]);
    expect(await t.preview({ sql: TOTAL, as: { userId: 'api-key:0000000000000000' } }, ADMIN)).toMatchObject([
      404,
      { error: 'not_found' },
    ]);
  });

  const REFUSED = [
    [{ sql: TOTAL, as: { claims: {}, role: 'viewer' } }, 403, 'forbidden'],
    [{ sql: TOTAL, as: claims({ or: 1 }) }, 403, 'forbidden'],
    [{ sql: 'DELETE FROM orders', as: claims('acme') }, 400, 'sql_refused'],
    [{ sql: TOTAL, as: claims('acme'), connectionId: 'nowhere' }, 400, 'invalid_request'],
    [{ sql: TOTAL, question: 'How many orders?', as: claims('acme') }, 422, 'validation_error'],
    [{ as: claims('acme') }, 422, 'validation_error'],
    [{ sql: TOTAL }, 422, 'validation_error'],
    [{ sql: TOTAL, as: {} }, 422, 'validation_error'],
    [{ sql: TOTAL, as: { userId: 'ann', role: 'admin' } }, 422, 'validation_error'],
    [{ sql: TOTAL, as: { claims: {} } }, 422, 'validation_error'],
    [{ sql: TOTAL, as: claims('acme', 'owner') }, 422, 'validation_error'],
    [{ sql: TOTAL, as: { ...claims('acme'), orgId: 'beta' } }, 422, 'validation_error'],
    [{ sql: TOTAL, as: claims('acme'), surface: 'cli' }, 422, 'validation_error'],
    [{ sql: ' ', as: claims('acme') }, 422, 'validation_error'],
  ] as const;

  it('is refused as the reader would be, and where the request is not valid', async () => {
    await using t = await startKeys();
    for (const [body, status, error] of REFUSED) {
      const answer = await t.preview(body, ADMIN);
      expect([body, ...answer]).toMatchObject([body, status, { error, message: expect.any(String) }]);
    }
  });

  it('is for administrators only', async () => {
    await using t = await startKeys();
    const body = { sql: TOTAL, as: claims('acme') };
    for (const name of ['analyst', 'viewer']) {
      expect(await t.preview(body, as(name))).toMatchObject([403, { error: 'auth_error' }]);
    }
    expect(await t.preview(body)).toMatchObject([401, { error: 'auth_error' }]);
    expect(await t.stored('audit_log')).toEqual([]);
  });

  it('that an approval rule matches is refused, and puts nothing before approvers', async () => {
    await using t = await startKeys();
    const rule = { name: 'Plans', ruleType: 'table', pattern: 'plans' };
    await t.send('POST', '/api/v1/admin/approval/rules', ADMIN, rule);
    const sql = 'SELECT count(*) AS n FROM plans';
    const refusal = [400, { error: 'sql_refused', message: expect.stringContaining('approval rule "Plans"') }];
    expect(await t.preview({ sql, as: claims('acme') }, ADMIN)).toMatchObject(refusal);
    expect(await t.stored('actions')).toEqual([]);
    // Nor does it find what the reader has put there.
    await t.send('POST', '/api/v1/sql', as('analyst'), { sql });
    const [{ id, requested_by: userId } = {}] = await t.stored('actions');
    const [, { message }] = await t.preview({ sql, as: { userId } }, ADMIN);
    expect(message).toMatch(/approval rule "Plans"/);
    expect(message).not.toContain(id);
  });

  it('is audited with the administrator and the reader', async () => {
    await using t = await startKeys();
    await t.preview({ sql: TOTAL, as: claims('acme') }, ADMIN);
    await t.preview({ sql: TOTAL, as: { claims: {}, role: 'viewer' } }, ADMIN);
    const { user } = (await t.send('GET', '/api/v1/me', ADMIN)).json<{ user: { id: string } }>();
    const listed = async () =>
      (await t.send('GET', '/api/v1/admin/audit?surface=preview', ADMIN)).json<{ entries: object[] }>().entries;
    // A refusal is written beside the answer.
    await expect.poll(listed).toHaveLength(2);
    const entries = await listed();
    const entry = { sql: TOTAL, userId: user.id, userLabel: 'admin as viewer with given claims', authMode: 'api-key' };
    for (const success of [true, false]) {
      expect(entries).toContainEqual(expect.objectContaining({ ...entry, success }));
    }
    const { changes } = (await t.send('GET', '/api/v1/admin/audit/changes', ADMIN)).json<{ changes: object[] }>();
    expect(changes).toContainEqual(
      expect.objectContaining({
        action: 'preview.asked',
        userId: user.id,
        targetLabel: 'viewer with given claims',
        after: { asked: 'sql', role: 'viewer', claims: { tenant: 'acme' } },
      }),
    );
  });

  it('needs a role that is not above the own one, whatever admits the caller', async () => {
    const open = definePlugin({
      name: 'auth-open',
      version: '1.0.0',
      type: 'auth',
      description: 'Lets an analyst do everything.',
      setup(ctx) {
        const actor = { id: 'ann', label: null, role: 'analyst', mode: 'open', claims: {} } as const;
        ctx.tap(authResolve, () => ({ actor, orgId: null }), { stage: 'pre' });
        ctx.tap(authAuthorize, () => {});
      },
    });
    await using t = await startPreviewServer({
      env: { SVC_API_KEY: 'unused-unused-unused' },
      plugins: (entries) => [...entries.filter(({ definition }) => definition !== authRoles.definition), open()],
    });
    expect(await t.preview({ sql: TOTAL, as: claims('acme', 'admin') })).toMatchObject([403, { error: 'forbidden' }]);
    expect(await t.preview({ sql: TOTAL, as: claims('acme', 'analyst') })).toMatchObject([200, {}]);
    expect(await t.preview({ sql: TOTAL, as: { userId: 'ann' } })).toMatchObject([404, { error: 'not_available' }]);
  });

  it('can be asked where nobody authenticates, and from no foreign page', async () => {
    await using t = await startPreviewServer({ env: {} });
    const body = { sql: TOTAL, as: claims('beta') };
    expect(await t.preview(body)).toMatchObject([200, { data: [{ rows: [{ total: 999 }] }] }]);
    expect(await t.preview(body, { origin: 'https://evil.example' })).toMatchObject([403, { error: 'forbidden' }]);
    expect(await t.preview({ ...body, as: { userId: 'anybody' } })).toMatchObject([404, { error: 'not_found' }]);
    expect((await t.stored('audit_log')).map(({ user_label }) => user_label)).toContain(
      'anonymous as viewer with given claims',
    );
  });
});

describe('a question', () => {
  it('is answered from the rows of the reader, and no conversation is recorded', async () => {
    await using t = await startKeys();
    const question = 'How many orders are there?';
    for (const [tenant, count] of [
      ['acme', 2],
      ['beta', 1],
    ] as const) {
      const [status, body] = await t.preview({ question, as: claims(tenant) }, ADMIN);
      expect([status, body.outcome, Object.values((body.data as { rows: object[] }[])[0]?.rows[0] ?? {})]).toEqual([
        200,
        'answered',
        [count],
      ]);
      expect(body).not.toHaveProperty('conversationId');
    }
    expect(await t.preview({ question, as: { claims: {}, role: 'viewer' } }, ADMIN)).toMatchObject([
      403,
      { error: 'forbidden', message: expect.stringContaining('the claim "tenant" is missing') },
    ]);
    expect(await t.stored('conversations')).toEqual([]);
    expect(await t.stored('conversation_messages')).toEqual([]);
  });

  it('asks for no action, and its tokens are the administrator’s', async () => {
    const usage = { input: 100, output: 10 };
    await using model = await startOpenAIServer({
      script: [
        { toolCall: { name: 'openTicket', args: { title: 'Help' } }, usage },
        { toolCall: { name: 'executeSQL', args: { sql: TOTAL } }, usage },
        { text: 'The total is 30.', usage },
      ],
    });
    await using t = await startKeys(
      { SVC_PROVIDER: 'openai-compatible', OPENAI_BASE_URL: model.url, SVC_MODEL: 'scripted' },
      [ticketDesk()],
    );
    const { user } = (await t.send('GET', '/api/v1/me', as('analyst'))).json<{ user: { id: string } }>();
    const question = 'Open a ticket, and what is the total?';
    expect(await t.preview({ question, as: { userId: user.id } }, ADMIN)).toMatchObject([
      200,
      { answer: 'The total is 30.', data: [{ rows: [{ total: 30 }] }] },
    ]);
    expect(model.requests[1]?.toolResults.join()).toContain('in a preview no action is');
    expect(t.app.get(ticketDesk).runs).toBe(0);
    expect(await t.stored('actions')).toEqual([]);
    const admin = (await t.send('GET', '/api/v1/me', ADMIN)).json<{ user: { id: string } }>().user;
    const rows = await t.stored('usage_questions');
    expect(rows).toMatchObject([{ user_id: admin.id, surface: 'preview', input_tokens: 300 }]);
    expect(await t.stored('conversations')).toEqual([]);
  });
});
