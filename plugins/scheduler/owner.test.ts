/** As whom a task runs, in every authentication mode. */
import { afterAll, describe, expect, it } from 'vitest';
import {
  type Actor,
  authResolve,
  definePlugin,
  type PluginEntry,
  sqlAfter,
  sqlCheck,
  sqlSettled,
} from '../../kernel/index.ts';
import { type TestApp, testScope } from '../../test/harness/create-test-app.ts';
import { dialects } from '../../test/harness/internal-databases.ts';
import {
  type Client,
  databases,
  invite,
  organization,
  SECRET,
  setRole,
  USERS,
  userOf,
} from '../../test/harness/managed-server.ts';
import { Issuer, makeKey, sign } from '../../test/harness/token-issuer.ts';
import { adminUsers } from '../admin-users/index.ts';
import { authApiKey } from '../auth-api-key/index.ts';
import { authByot } from '../auth-byot/index.ts';
import { authManaged } from '../auth-managed/index.ts';
import { authNone } from '../auth-none/index.ts';
import { authRoles } from '../auth-roles/index.ts';
import { http } from '../http/index.ts';
import { internalDb } from '../internal-db/index.ts';
import {
  type Clock,
  caller,
  clockAt,
  haveEnded,
  NOON,
  type ScheduledOptions,
  startModel,
  startScheduled,
  TASKS,
  until,
} from './fixtures/scheduled-app.ts';

const db = databases();
const DAY_MS = 86_400_000;

/** Lets statements through, and keeps who ran them. */
const witness = definePlugin({
  name: 'test-witness',
  version: '1.0.0',
  type: 'policy',
  description: 'Keeps who ran statements.',
  setup(ctx): { actor: Actor; orgId: string | null; surface: string }[] {
    const seen: { actor: Actor; orgId: string | null; surface: string }[] = [];
    ctx.tap(sqlCheck, () => {}, { seals: true });
    ctx.tap(sqlAfter, () => {});
    ctx.tap(sqlSettled, ({ request }, { actor, orgId }) => void seen.push({ actor, orgId, surface: request.surface }));
    return seen;
  },
});

const model = await startModel();
afterAll(() => model.close());

const start = (url: string, clock: Clock, auth: readonly PluginEntry[], options: ScheduledOptions = {}) =>
  startScheduled(url, model, { ...options, clock, openGates: false, plugins: [...auth, witness()] });

/** Lets the next daily run come, and gives it. */
async function nextRun(app: TestApp, clock: Clock, runs: () => Promise<{ status: string; error: string | null }[]>) {
  const { length } = await runs();
  clock.now += DAY_MS;
  const [run] = await until(runs, (all) => haveEnded(length + 1)(all));
  return { run, ran: app.get(witness).at(-1) };
}

describe.each(dialects)('a task of a user on %s', (dialect) => {
  async function startManaged() {
    const clock: Clock = { now: Date.now() };
    const app = await start(await db.url(dialect), clock, [authRoles(), authManaged({ secret: SECRET }), adminUsers()]);
    const url = app.get(http).url();
    const boss = await userOf({ url }, 'boss@example.com');
    const ann = await userOf({ url }, 'ann@example.com');
    const id = (await boss.send(`${USERS}?search=ann`)).body.users[0].id as string;
    const create = async (client: Client) => {
      const body = { name: 'Orders', question: 'How many orders?', cronExpression: '0 8 * * *' };
      const { body: task } = await client.send(TASKS, { body });
      const read = async () => (await client.send(`${TASKS}/${task.id}`)).body;
      return { task, read, runs: async () => (await client.send(`${TASKS}/${task.id}/runs`)).body.runs };
    };
    return { app, clock, boss, ann, id, create, [Symbol.asyncDispose]: () => app.close() };
  }

  it('runs with the role of the moment, and stops once the user is banned', async () => {
    await using t = await startManaged();
    const { task, read, runs } = await t.create(t.ann);
    expect(task).toMatchObject({ ownerId: t.id, orgId: null });
    expect(await nextRun(t.app, t.clock, runs)).toMatchObject({
      run: { status: 'success' },
      ran: { actor: { id: t.id, role: 'analyst', mode: 'managed', claims: { sub: t.id } }, surface: 'schedule' },
    });
    await setRole(t.boss, t.id, 'viewer');
    expect((await nextRun(t.app, t.clock, runs)).ran?.actor).toMatchObject({
      role: 'viewer',
      claims: { role: 'viewer' },
    });

    await t.boss.send(`${USERS}/${t.id}/ban`, { body: {} });
    expect(await t.ann.send(TASKS)).toMatchObject({ status: 401 });
    t.clock.now += DAY_MS;
    const stopped = () => t.app.get(internalDb).run((knex) => knex('scheduled_tasks').where({ id: task.id }).first());
    expect(await until(stopped, ({ enabled }) => !enabled)).toMatchObject({
      next_run_at: null,
      disabled_reason: 'The user is banned.',
    });
    await t.boss.send(`${USERS}/${t.id}/unban`, { method: 'POST' });
    await t.ann.signIn('ann@example.com');
    expect(await read()).toMatchObject({ enabled: false, disabledReason: 'The user is banned.' });
    expect((await runs())[0]).toMatchObject({ status: 'skipped', error: 'The user is banned.' });
    await t.ann.send(`${TASKS}/${task.id}`, { method: 'PUT', body: { enabled: true } });
    expect(await read()).toMatchObject({ enabled: true, disabledReason: null });
    expect((await nextRun(t.app, t.clock, runs)).run).toMatchObject({ status: 'success' });
  });

  it('runs with a custom role of the moment, and is deleted with its organization', async () => {
    await using t = await startManaged();
    const { body: acme } = await organization(t.boss, 'create', { name: 'Acme', slug: 'acme' });
    await invite(t.boss, t.ann, 'ann@example.com');
    const { task, runs } = await t.create(t.ann);
    const roles = t.app.get(authManaged).roles;
    const scope = testScope({
      actor: { id: 'root', label: null, role: 'admin', mode: 'test', claims: {} },
      orgId: acme.id,
    });
    await roles.create(scope, { name: 'asker', rights: ['query'] });
    await t.app.get(authManaged).users.setRole(scope, t.id, 'asker');
    const { run, ran } = await nextRun(t.app, t.clock, runs);
    expect([run?.status, ran?.actor.rights]).toEqual(['success', ['query']]);
    await roles.update(scope, 'asker', { rights: ['approve'] });
    t.clock.now += DAY_MS;
    const failed = () =>
      t.app.get(internalDb).run((knex) => knex('scheduled_runs').where({ status: 'failed' }).first());
    expect((await until(failed, (row) => row !== undefined)).error).toContain('needs the right query');
    await organization(t.boss, 'delete', { organizationId: acme.id });
    const left = t.app.get(internalDb).run((knex) => knex('scheduled_tasks').where({ id: task.id }));
    expect(await left).toEqual([]);
  });

  it('runs within its organization, and stops once the user has left it', async () => {
    await using t = await startManaged();
    const { body: acme } = await organization(t.boss, 'create', { name: 'Acme', slug: 'acme' });
    await invite(t.boss, t.ann, 'ann@example.com');
    await organization(t.ann, 'set-active', { organizationId: acme.id });
    const { task, runs } = await t.create(t.ann);
    expect(task).toMatchObject({ orgId: acme.id });
    expect((await nextRun(t.app, t.clock, runs)).ran).toMatchObject({
      orgId: acme.id,
      actor: { claims: { org_id: acme.id } },
    });
    await organization(t.boss, 'remove-member', { memberIdOrEmail: 'ann@example.com' });
    t.clock.now += DAY_MS;
    const row = () => t.app.get(internalDb).run((knex) => knex('scheduled_tasks').where({ id: task.id }).first());
    expect(await until(row, ({ enabled }) => !enabled)).toMatchObject({
      disabled_reason: 'The user does not belong to the organization any more.',
    });
  });
});

describe('a task', () => {
  it('of an API key runs with the present role and claims of the key, and stops without it', async () => {
    const url = await db.url('sqlite');
    const clock = clockAt('2026-01-15T12:00:00Z');
    const keys = (role: 'viewer' | 'admin', tenant: number) => [
      authRoles(),
      authApiKey({ keys: [{ key: 'k'.repeat(20), role, claims: { tenant } }, { key: 'x'.repeat(20) }] }),
    ];
    const headers = { 'x-api-key': 'k'.repeat(20) };
    const first = await start(url, clock, keys('admin', 1));
    const { id } = await caller(first, headers).create();
    expect(await nextRun(first, clock, () => caller(first, headers).runs(id))).toMatchObject({
      ran: { actor: { role: 'admin', claims: { tenant: 1 } } },
    });
    await first.close();
    const second = await start(url, clock, keys('viewer', 2));
    expect(await nextRun(second, clock, () => caller(second, headers).runs(id))).toMatchObject({
      ran: { actor: { role: 'viewer', claims: { tenant: 2 } } },
    });
    expect((await caller(second, { 'x-api-key': 'x'.repeat(20) }).send('GET', `/${id}`)).statusCode).toBe(404);
    await second.close();
    clock.now += DAY_MS;
    await using third = await start(url, clock, [authRoles(), authApiKey({ keys: [{ key: 'y'.repeat(20) }] })]);
    const row = () => third.get(internalDb).run((knex) => knex('scheduled_tasks').where({ id }).first());
    expect(await until(row, ({ enabled }) => !enabled)).toMatchObject({
      disabled_reason: 'The API key is not in use any more.',
    });
    expect(third.get(witness)).toEqual([]);
  });

  it('without authentication runs as the anonymous administrator', async () => {
    const clock = clockAt('2026-01-15T12:00:00Z');
    await using app = await start(await db.url('sqlite'), clock, [authNone()]);
    const { id, ownerId } = await caller(app).create();
    expect(ownerId).toBeNull();
    expect(await nextRun(app, clock, () => caller(app).runs(id))).toMatchObject({
      ran: { actor: { id: null, role: 'admin', mode: 'none' } },
    });
  });

  describe('of a user whose token brings the claims', async () => {
    const key = await makeKey('k-1');
    const issuer = await Issuer.start(key);
    afterAll(() => issuer.stop());
    const auth = [authRoles(), authByot({ jwksUrl: issuer.jwksUrl, issuer: 'https://id.example.com/' })];
    const headersOf = async (claims: object, clock: Clock) => {
      const seconds = clock.now / 1_000;
      return { authorization: `Bearer ${await sign(key, { ...claims, iat: seconds, exp: seconds + 3_600 })}` };
    };

    it('runs with those it was last saved with, encrypted, and only for some days', async () => {
      const clock = { now: NOON };
      await using app = await start(await db.url('sqlite'), clock, auth, { scheduler: { storedIdentityDays: 3 } });
      const as = async (claims: object) => caller(app, await headersOf(claims, clock));
      const old = { role: 'analyst', tenant: 'first-tenant', org_id: 'acme' };
      const { id } = await (await as(old)).create();
      const row = () => app.get(internalDb).run((knex) => knex('scheduled_tasks').where({ id }).first());
      expect(JSON.stringify(await row())).not.toContain('first-tenant');
      const runs = async () => (await as(old)).runs(id);
      expect(await nextRun(app, clock, runs)).toMatchObject({
        ran: { actor: { id: 'ann', role: 'analyst', claims: { tenant: 'first-tenant' } }, orgId: 'acme' },
      });
      const renewed = { ...old, role: 'viewer', tenant: 'second' };
      await (await as(renewed)).send('PUT', `/${id}`, { name: 'Renewed' });
      expect(await nextRun(app, clock, runs)).toMatchObject({
        ran: { actor: { role: 'viewer', claims: { tenant: 'second' } } },
      });
      clock.now += 3 * DAY_MS;
      expect(await until(row, ({ enabled }) => !enabled)).toMatchObject({
        disabled_reason: expect.stringContaining('older than 3 days'),
      });
      await (await as(renewed)).send('PUT', `/${id}`, { enabled: true });
      expect(await nextRun(app, clock, runs)).toMatchObject({ run: { status: 'success' } });
    });

    it('cannot be made where claims are not to be stored', async () => {
      const clock = { now: NOON };
      await using app = await start(await db.url('sqlite'), clock, auth, { scheduler: { storedIdentityDays: 0 } });
      const user = caller(app, await headersOf({}, clock));
      expect(await user.create()).toMatchObject({ error: 'forbidden' });
    });
  });

  it('of a mode that cannot look users up, nor says so, is refused', async () => {
    const foreign = definePlugin({
      name: 'test-foreign',
      version: '1.0.0',
      type: 'auth',
      description: 'A mode of its own.',
      setup(ctx) {
        const actor = { id: 'ann', label: null, role: 'admin', mode: 'foreign', claims: {} } as const;
        ctx.tap(authResolve, () => ({ actor, orgId: null }));
      },
    });
    await using app = await start(await db.url('sqlite'), { now: NOON }, [authRoles(), foreign()]);
    expect(await caller(app).create()).toMatchObject({
      error: 'forbidden',
      message: expect.stringContaining('authentication mode "foreign"'),
    });
  });
});
