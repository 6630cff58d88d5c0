import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authResolve, datasourceList, definePlugin } from '../../kernel/index.ts';
import { emptyFolder } from '../../test/harness/command.ts';
import type { TestApp } from '../../test/harness/create-test-app.ts';
import { chosenEngines, type TestEngine } from '../../test/harness/internal-databases.ts';
import type { OpenAIServer } from '../../test/harness/openai-server.ts';
import { authLookup, present } from '../auth-kit/index.ts';
import { caller, startModel, startScheduled, TASKS } from './fixtures/scheduled-app.ts';

/** A user for each value of the header: `ann`, or `ann@acme` for one within an organization. */
const users = definePlugin({
  name: 'test-users',
  version: '1.0.0',
  type: 'auth',
  description: 'Users by header.',
  setup(ctx) {
    const identityOf = (id: string, orgId: string | null) => ({
      actor: { id, label: id, role: 'viewer', mode: 'header', claims: {} } as const,
      orgId,
    });
    ctx.tap(authResolve, ({ headers }) => {
      const [id = 'ann', orgId = null] = String(headers['x-user'] ?? 'ann').split('@');
      return identityOf(id, orgId);
    });
    ctx.tap(datasourceList, (_none, { orgId }) =>
      orgId === 'acme' ? [{ id: 'acme-only', dbType: 'sqlite', maskedUrl: 'sqlite:acme.db' }] : [],
    );
    ctx.tapKey(authLookup, 'header', ({ actorId, orgId }) => present(identityOf(actorId ?? '', orgId)));
  },
});

let model: OpenAIServer;
beforeAll(async () => {
  model = await startModel();
});
afterAll(() => model.close());

const REQUIRED = { name: 'Orders', question: 'How many orders?', cronExpression: '0 8 * * *' };
const UNKNOWN_ID = '3f2c1b6e-8d4a-4c5b-9e7f-0a1b2c3d4e5f';

describe.each(chosenEngines)('scheduled tasks on %s', (_, engine) => {
  let databases: TestEngine;
  let app: TestApp;
  const as = (user: string) => caller(app, { 'x-user': user });

  beforeAll(async () => {
    databases = await engine();
    app = await startScheduled(await databases.fresh(), model, { plugins: [users()], scheduler: { tasksPerOwner: 3 } });
  });
  afterAll(async () => {
    await app.close();
    await databases[Symbol.asyncDispose]();
  });

  it("ask only their organization's connections, and say nothing of others", async () => {
    const own = await as('zoe@acme').send('POST', '', { ...REQUIRED, connectionId: 'acme-only' });
    expect(own.statusCode).toBe(201);
    const stranger = as('zoe@other');
    const { id } = await stranger.create(REQUIRED);
    for (const [method, path, body] of [
      ['POST', '', REQUIRED],
      ['PUT', `/${id}`, {}],
    ] as const) {
      const [foreign, missing] = await Promise.all(
        ['acme-only', 'nowhere'].map((connectionId) => stranger.send(method, path, { ...body, connectionId })),
      );
      expect([method, foreign?.statusCode]).toEqual([method, 422]);
      const { requestId: _one, ...said } = foreign?.json<Record<string, unknown>>() ?? {};
      const { requestId: _other, ...expected } = missing?.json<Record<string, unknown>>() ?? {};
      expect(said).toEqual(expected);
      expect(said.details).toEqual([{ path: 'connectionId', message: 'must be one of your connections (shop)' }]);
    }
  });

  it('are created with their defaults, and shown', async () => {
    const user = as('defaults');
    const answer = await user.send('POST', '', REQUIRED);
    const task = answer.json<{ id: string }>();
    expect([answer.statusCode, task]).toEqual([
      201,
      {
        ...REQUIRED,
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        ownerId: 'defaults',
        orgId: null,
        timezone: 'UTC',
        deliveryChannel: 'webhook',
        deliverWhen: { mode: 'always' },
        recipients: [],
        connectionId: null,
        approvalMode: 'auto',
        missedRuns: 'run',
        timeoutSeconds: null,
        enabled: true,
        disabledReason: null,
        lastRunAt: null,
        nextRunAt: '2026-01-16T08:00:00.000Z',
        createdAt: '2026-01-15T12:00:00.000Z',
        updatedAt: '2026-01-15T12:00:00.000Z',
      },
    ]);
    expect(await user.get(task.id)).toEqual({ ...task, recentRuns: [] });
    expect((await user.send('GET', '')).json()).toEqual({ tasks: [task], total: 1 });
    expect((await user.send('GET', `/${task.id.toUpperCase()}`)).statusCode).toBe(200);
  });

  it('keep every field', async () => {
    const given = {
      ...REQUIRED,
      cronExpression: ' 30  2 * *\tMON-FRI ',
      timezone: 'Europe/Berlin',
      deliveryChannel: 'email',
      recipients: [
        { type: 'email', address: 'ann@example.com' },
        { type: 'slack', channel: '#reports', teamId: 'T1' },
        { type: 'webhook', url: 'https://example.com/hook', headers: { 'X-Team': 'a', Host: 'evil', Cookie: 'c' } },
      ],
      deliverWhen: { mode: 'threshold', column: 'total', operator: '>=', value: 1.5 },
      connectionId: 'shop',
      approvalMode: 'admin-only',
      missedRuns: 'skip',
      timeoutSeconds: 60,
      enabled: false,
    };
    expect(await as('fields').create(given)).toMatchObject({
      ...given,
      cronExpression: '30 2 * * MON-FRI',
      recipients: [...given.recipients.slice(0, 2), { ...given.recipients[2], headers: { 'x-team': 'a' } }],
      nextRunAt: null,
    });
  });

  it('never show a secret, and keep it when the same URL is sent without', async () => {
    const user = as('hooks');
    const hook = { type: 'webhook', url: 'https://example.com/hook' };
    const task = await user.create({ recipients: [{ ...hook, secret: 'very secret' }] });
    expect(JSON.stringify([task, await user.get(task.id)])).not.toContain('secret":"');
    expect(task.recipients).toEqual([hook]);
    for (const recipients of [[hook], [hook, { ...hook, url: 'https://example.com/other' }]]) {
      const changed = await user.send('PUT', `/${task.id}`, { recipients });
      expect([changed.statusCode, changed.body.includes('ecret')]).toEqual([200, false]);
    }
  });

  it.each([
    [{ name: '' }, 'name', 'must be a text of 1 to 200 characters that is not blank'],
    [{ name: ' \n' }, 'name', expect.stringContaining('not blank')],
    [{ name: 'x'.repeat(201) }, 'name', expect.any(String)],
    [{ name: undefined }, 'name', 'is required'],
    [{ question: '' }, 'question', 'must be a text of 1 to 2,000 characters that is not blank'],
    [{ question: 'x'.repeat(2001) }, 'question', expect.any(String)],
    [{ question: 5 }, 'question', expect.any(String)],
    [{ cronExpression: '' }, 'cronExpression', expect.any(String)],
    [{ cronExpression: '@daily' }, 'cronExpression', expect.stringContaining('must not be a nickname')],
    [{ cronExpression: '0 0 8 * * *' }, 'cronExpression', expect.stringContaining('must not have seconds')],
    [{ cronExpression: '0 0 8 * * * 2030' }, 'cronExpression', expect.stringContaining('must not have seconds')],
    [{ cronExpression: '0 8 * *' }, 'cronExpression', expect.stringContaining('must have five fields')],
    [{ cronExpression: 'every day at 8' }, 'cronExpression', expect.stringContaining('must have five fields')],
    [{ cronExpression: '61 8 * * *' }, 'cronExpression', expect.stringContaining('Invalid value for minute: 61')],
    [{ cronExpression: '0 8 * * MOO' }, 'cronExpression', expect.stringContaining('is not valid')],
    [{ cronExpression: '*/0 8 * * *' }, 'cronExpression', expect.stringContaining('is not valid')],
    [{ cronExpression: '0 8 30 2 *' }, 'cronExpression', expect.stringContaining('never fires')],
    [{ cronExpression: '0 8 31 2,4,6 *' }, 'cronExpression', expect.stringContaining('never fires')],
    [{ cronExpression: '? 8 * * *' }, 'cronExpression', expect.stringContaining('characters')],
    [{ cronExpression: '0 8 * * *', timezone: 'Europe/Berln' }, 'timezone', expect.stringContaining('Europe/Berlin')],
    [{ timezone: '+01:00' }, 'timezone', expect.stringContaining('IANA')],
    [{ timezone: '' }, 'timezone', expect.any(String)],
    [{ deliveryChannel: 'fax' }, 'deliveryChannel', 'must be one of "email", "slack", "webhook"'],
    [{ approvalMode: 'none' }, 'approvalMode', expect.stringContaining('must be one of')],
    [{ missedRuns: 'twice' }, 'missedRuns', expect.stringContaining('must be one of')],
    [{ timeoutSeconds: 0 }, 'timeoutSeconds', expect.any(String)],
    [{ connectionId: '' }, 'connectionId', expect.any(String)],
    [{ connectionId: 'nowhere' }, 'connectionId', expect.stringContaining('must be one of your connections')],
    [{ recipients: {} }, 'recipients', 'must be a list'],
    [{ recipients: [{}] }, 'recipients.0.type', expect.any(String)],
    [{ recipients: [{ type: 'fax' }] }, 'recipients.0.type', expect.stringContaining('must be one of')],
    [{ recipients: [{ type: 'email' }] }, 'recipients.0.address', 'is required for a recipient of type email'],
    [{ recipients: [{ type: 'email', address: 'ann' }] }, 'recipients.0.address', 'must be one e-mail address'],
    [{ recipients: [{ type: 'email', address: 'a@b.c, d@e.f' }] }, 'recipients.0.address', expect.any(String)],
    [{ recipients: [{ type: 'email', address: 'a@b.c\nBcc: d@e.f' }] }, 'recipients.0.address', expect.any(String)],
    [{ recipients: [{ type: 'slack', teamId: 'T' }] }, 'recipients.0.channel', expect.stringContaining('is required')],
    [{ recipients: [{ type: 'webhook' }] }, 'recipients.0.url', expect.stringContaining('is required')],
    [
      { recipients: [{ type: 'email', address: 'a@b.cd', url: 'https://example.com' }] },
      'recipients.0.url',
      expect.stringContaining('is not a field of a recipient of type email'),
    ],
    [
      { recipients: [{ type: 'email', adress: 'a@b.cd' }] },
      'recipients.0.adress',
      'is not a known field (did you mean "address"?)',
    ],
    [
      { recipients: [{ type: 'webhook', url: 'https://example.com', headers: { a: 1 } }] },
      'recipients.0.headers',
      expect.any(String),
    ],
    [{ recipients: Array(51).fill({ type: 'email', address: 'a@b.cd' }) }, 'recipients', 'must have at most 50 items'],
    [{ deliverWhen: { mode: 'sometimes' } }, 'deliverWhen.mode', expect.any(String)],
    [{ deliverWhen: null }, 'deliverWhen', 'must be an object with mode and its fields'],
    [{ deliverWhen: { mode: 'threshold', operator: '>' } }, 'deliverWhen.value', 'is required for a threshold'],
    [{ deliverWhen: { mode: 'threshold', value: 1 } }, 'deliverWhen.operator', 'is required for a threshold'],
    [{ deliverWhen: { mode: 'threshold', operator: '=', value: 1 } }, 'deliverWhen.operator', expect.any(String)],
    [{ deliverWhen: { mode: 'threshold', operator: '>', value: 'x' } }, 'deliverWhen.value', expect.any(String)],
    [{ deliverWhen: { mode: 'changed', column: 'total' } }, 'deliverWhen.column', expect.any(String)],
    [{ deliverWhen: { mode: 'unusual', column: '' } }, 'deliverWhen.column', expect.any(String)],
    [{ deliverWhen: { mode: 'unusual', value: 1 } }, 'deliverWhen.value', 'is a field of threshold only'],
    [{ deliverWhen: { mode: 'always', operator: '>' } }, 'deliverWhen.operator', 'is a field of threshold only'],
    [{ deliverWhen: { mode: 'changed', more: 1 } }, 'deliverWhen.more', expect.any(String)],
    [{ cronExpresion: '0 8 * * *' }, 'cronExpresion', 'is not a known field (did you mean "cronExpression"?)'],
    [{ ownerId: 'eve' }, 'ownerId', expect.stringContaining('is not a known field')],
  ])('refuse %j, new or changed', async (fault, path, message) => {
    const user = as('faults');
    const isMissing = Object.values(fault).includes(undefined);
    const { id } = (await user.send('GET', '')).json<{ tasks: { id: string }[] }>().tasks[0] ?? (await user.create());
    for (const [method, where, body] of [
      ['POST', '', { ...REQUIRED, ...fault }],
      ['PUT', `/${id}`, fault],
    ] as const) {
      if (isMissing && method === 'PUT') continue;
      const answer = await user.send(method, where, body);
      expect([answer.statusCode, answer.json()]).toMatchObject([422, { error: 'validation_error' }]);
      expect(answer.json<{ details: object[] }>().details).toContainEqual({
        path: expect.stringMatching(`^${path}`),
        message,
      });
    }
    expect((await user.get(id)).updatedAt).toBe('2026-01-15T12:00:00.000Z');
  });

  it.each(['http://127.0.0.1/hook', 'http://169.254.169.254/', 'ftp://example.com', 'nowhere', 'http://[::1]:80/'])(
    'do not deliver to %s',
    async (url) => {
      const answer = await as('private').send('POST', '', { ...REQUIRED, recipients: [{ type: 'webhook', url }] });
      const details = [{ path: 'recipients.0.url', message: expect.stringMatching(/^may not be called: .*[^.]$/) }];
      expect([answer.statusCode, answer.json()]).toMatchObject([422, { error: 'validation_error', details }]);
    },
  );

  it.each([
    ['GET', '?limit=0'],
    ['GET', '?limit=101'],
    ['GET', '?limit=x'],
    ['GET', '?offset=-1'],
    ['GET', '?enabled=maybe'],
    ['GET', '/not-a-uuid'],
    ['PUT', '/not-a-uuid'],
    ['DELETE', '/not-a-uuid'],
    ['POST', '/not-a-uuid/run'],
    ['POST', '/not-a-uuid/preview'],
    ['GET', '/not-a-uuid/runs'],
    ['GET', `/${UNKNOWN_ID}/runs?limit=0`],
    ['GET', `/${UNKNOWN_ID}/runs?limit=101`],
  ] as const)('answer 400 to %s %s', async (method, path) => {
    const answer = await as('ann').send(method, path, method === 'PUT' ? {} : undefined);
    expect([answer.statusCode, answer.json()]).toMatchObject([400, { error: 'invalid_request' }]);
  });

  it("are not there for another user, nor in another organization of their owner's", async () => {
    const { id } = await as('owner@acme').create();
    for (const other of ['eve@acme', 'owner@evil', 'owner']) {
      const user = as(other);
      for (const [method, path, body] of [
        ['GET', `/${id}`],
        ['PUT', `/${id}`, { name: 'Mine' }],
        ['DELETE', `/${id}`],
        ['POST', `/${id}/run`],
        ['POST', `/${id}/preview`],
        ['GET', `/${id}/runs`],
      ] as const) {
        const answer = await user.send(method, path, body);
        expect([other, method, answer.statusCode, answer.json()]).toMatchObject([
          other,
          method,
          404,
          { error: 'not_found' },
        ]);
      }
      expect((await user.send('GET', '')).json()).toEqual({ tasks: [], total: 0 });
    }
    expect(await as('owner@acme').get(id)).toMatchObject({ name: 'Orders', enabled: true, orgId: 'acme' });
  });

  it('are disabled by DELETE, as often as it comes, and enabled again', async () => {
    const user = as('delete');
    const { id } = await user.create();
    for (let time = 0; time < 2; time += 1) {
      const answer = await user.send('DELETE', `/${id}`);
      expect([answer.statusCode, answer.body]).toEqual([204, '']);
      expect(await user.get(id)).toMatchObject({ enabled: false, nextRunAt: null, disabledReason: null });
    }
    expect((await user.send('POST', `/${id}/run`)).json()).toMatchObject({ error: 'conflict' });
    expect((await user.send('PUT', `/${id}`, { enabled: true })).json()).toMatchObject({
      enabled: true,
      nextRunAt: '2026-01-16T08:00:00.000Z',
    });
    expect((await user.send('DELETE', `/${UNKNOWN_ID}`)).statusCode).toBe(404);
  });

  it('change in what is given only', async () => {
    const user = as('put');
    const task = await user.create({ timezone: 'Asia/Tokyo', approvalMode: 'manual' });
    expect((await user.send('PUT', `/${task.id}`, {})).json()).toEqual(task);
    const changed = (await user.send('PUT', `/${task.id}`, { cronExpression: '5 * * * *', name: 'New' })).json();
    expect(changed).toEqual({
      ...task,
      name: 'New',
      cronExpression: '5 * * * *',
      nextRunAt: '2026-01-15T12:05:00.000Z',
    });
    expect((await user.send('PUT', `/${task.id}`, { enabled: false })).json()).toMatchObject({ nextRunAt: null });
    expect((await user.send('PUT', `/${task.id}`, { timezone: 'UTC' })).json()).toMatchObject({ nextRunAt: null });
  });

  it('are listed newest first, by page and by state', async () => {
    const user = as('list');
    const ids: string[] = [];
    for (const enabled of [true, false, true]) ids.push((await user.create({ enabled })).id);
    const list = async (query: string) => {
      const { tasks, total } = (await user.send('GET', query)).json<{ tasks: { id: string }[]; total: number }>();
      return { ids: tasks.map(({ id }) => id), total };
    };
    const all = await list('');
    expect({ ...all, ids: [...all.ids].sort() }).toEqual({ ids: [...ids].sort(), total: 3 });
    expect(await list('?limit=1&offset=1')).toEqual({ ids: all.ids.slice(1, 2), total: 3 });
    expect(await list('?enabled=false')).toEqual({ ids: [ids[1]], total: 1 });
    expect(await list('?enabled=true&limit=1')).toMatchObject({ total: 2 });
  });

  it('are at most so many for one user, of which one can always be enabled again', async () => {
    const user = as('limits');
    const created = await Promise.all([1, 2, 3, 4, 5].map(() => user.send('POST', '', REQUIRED)));
    expect(created.map(({ statusCode }) => statusCode).sort()).toEqual([201, 201, 201, 409, 409]);
    const { id } = await user.create({ enabled: false });
    const refused = await user.send('PUT', `/${id}`, { enabled: true });
    expect([refused.statusCode, refused.json()]).toMatchObject([409, { error: 'conflict' }]);
    // Deleted ones stay as disabled ones, and are bounded too.
    for (let count = 4; count < 30; count += 1) await user.create({ enabled: false });
    expect((await user.send('POST', '', { ...REQUIRED, enabled: false })).statusCode).toBe(409);
  });

  it('show what would be delivered, by channel', async () => {
    const user = as('preview');
    const url = 'https://example.com/hook';
    const { id } = await user.create({ recipients: [{ type: 'webhook', url, secret: 'hidden' }] });
    const answer = await user.send('POST', `/${id}/preview`);
    expect([answer.statusCode, answer.json()]).toMatchObject([
      200,
      {
        sample: true,
        previews: [
          {
            channel: 'webhook',
            recipients: [{ type: 'webhook', url }],
            content: { body: { taskId: id, taskName: 'Orders', question: 'How many orders?' } },
          },
        ],
      },
    ]);
    expect(answer.body).not.toContain('hidden');
    await user.send('PUT', `/${id}`, { recipients: [], deliveryChannel: 'slack' });
    const missing = await user.send('POST', `/${id}/preview`);
    expect([missing.statusCode, missing.json()]).toMatchObject([
      404,
      { error: 'not_available', message: expect.stringContaining('No plugin delivers by slack.') },
    ]);
  });
});

describe('where nothing can be scheduled', () => {
  const folder = emptyFolder();
  afterAll(() => folder[Symbol.dispose]());

  it.each(['switched off', 'without a database'])('every endpoint answers not_available: %s', async (which) => {
    const isOff = which === 'switched off';
    const url = isOff ? `sqlite:${folder.path}/atlas.db` : undefined;
    await using app = await startScheduled(url, model, { scheduler: { enabled: !isOff } });
    for (const [method, path] of [
      ['GET', ''],
      ['POST', ''],
      ['GET', '/x'],
      ['PUT', '/x'],
      ['DELETE', '/x'],
      ['POST', '/x/run'],
      ['POST', '/x/preview'],
      ['GET', '/x/runs'],
    ] as const) {
      const answer = await app.inject({ method, url: TASKS + path });
      expect([method, path, answer.statusCode, answer.json()]).toMatchObject([
        method,
        path,
        404,
        { error: 'not_available', message: expect.stringContaining('DATABASE_URL') },
      ]);
    }
  });
});
