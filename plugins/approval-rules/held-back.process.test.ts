import { afterAll, describe, expect, it } from 'vitest';
import { dialects } from '../../test/harness/internal-databases.ts';
import { Client, databases, idOf, invite, organization, userOf } from '../../test/harness/managed-server.ts';
import { SqliteFolder } from '../../test/harness/sqlite.ts';
import { datasourceSqlite } from '../datasource-sqlite/index.ts';
import { addRule, ask, RULES, SCRIPT, startRules } from './fixtures/rule-server.ts';

const db = databases();
const folder = new SqliteFolder();
afterAll(() => folder[Symbol.dispose]());
const shop = () =>
  datasourceSqlite({ connections: [{ id: 'shop', url: `sqlite:${folder.create(`${Math.random()}.db`, SCRIPT)}` }] });

describe.each(dialects)('a statement that a rule holds back, on %s', (dialect) => {
  it('awaits approval, runs as its requester once approved, and shows its rows to the requester alone', async () => {
    await using server = await startRules({ database: await db.url(dialect), datasource: shop() });
    const { app } = server;
    const boss = await userOf(app, 'boss@example.com');
    const ann = await userOf(app, 'ann@example.com');
    await organization(boss, 'create', { name: 'Acme', slug: 'acme' });
    await invite(boss, ann, 'ann@example.com');
    expect((await ask(ann, 'SELECT email FROM customers')).body).toMatchObject({ outcome: 'answered', data: [{}] });

    const id = await addRule(boss, { name: 'People', ruleType: 'table', pattern: 'customers' });
    const held = (await ask(ann, 'SELECT email FROM customers')).body;
    expect(held).toMatchObject({
      outcome: 'failed',
      sql: [],
      data: [],
      pendingActions: [{ type: 'sql', target: 'shop' }],
    });
    expect(held.answer).toMatch(/needs approval and was not run.*approval rule \\?"People/);
    expect(held.notes).toContainEqual({
      code: 'approval_pending',
      message: expect.stringContaining(held.pendingActions[0].id),
    });
    const [pending] = held.pendingActions;
    // The same statement, in other clothes, is the same action.
    const again = (await ask(ann, 'select  EMAIL from "customers" -- please')).body;
    expect(again.pendingActions).toEqual([expect.objectContaining({ type: 'sql' })]);
    expect((await ask(ann, 'SELECT  email FROM customers /* x */')).body.pendingActions[0].id).toBe(pending.id);
    const others = (await ask(ann, 'SELECT total FROM orders')).body;
    expect([others.outcome, others.data[0].rows.length]).toEqual(['answered', 3]);

    const inbox = (await boss.send('/api/v1/admin/actions')).body;
    expect(inbox.actions.map((action: { id: string }) => action.id)).toContain(pending.id);
    expect((await ann.send(`/api/v1/actions/${pending.id}/approve`, { method: 'POST' })).status).toBe(403);
    const approved = await boss.send(`/api/v1/actions/${pending.id}/approve`, { method: 'POST' });
    expect(approved.body).toMatchObject({
      status: 'executed',
      result: { rowCount: 2, columns: ['email'], truncated: false },
    });
    expect(JSON.stringify(approved.body)).not.toContain('ann@example.com"}');
    expect(approved.body.result.rows).toBeUndefined();
    const executed = (await boss.send('/api/v1/admin/actions?status=executed')).body.actions;
    expect(executed).toMatchObject([{ id: pending.id, result: { rowCount: 2 } }]);
    expect(executed[0].result.rows).toBeUndefined();
    const mine = (await ann.send(`/api/v1/actions/${pending.id}`)).body;
    expect(mine.result.rows).toEqual([{ email: 'ann@example.com' }, { email: 'bob@example.com' }]);
    expect((await boss.send(`/api/v1/actions/${pending.id}`)).status).toBe(404);
    const { entries } = (await boss.send('/api/v1/admin/audit?success=true')).body;
    expect(entries).toContainEqual(
      expect.objectContaining({ surface: 'approval', userId: await idOf(ann), rowCount: 2, connectionId: 'shop' }),
    );

    // Approved once is not approved for ever.
    expect((await ask(ann, 'SELECT email FROM customers')).body.pendingActions[0].id).not.toBe(pending.id);
    await boss.send(`${RULES}/${id}`, { method: 'PUT', body: { enabled: false } });
    expect((await ask(ann, 'SELECT email FROM customers')).body.outcome).toBe('answered');
  });

  it('is one action however often it is asked for at once', async () => {
    await using server = await startRules({ database: await db.url(dialect), datasource: shop() });
    const boss = await userOf(server.app, 'boss@example.com');
    await addRule(boss, { ruleType: 'table', pattern: 'orders' });
    const asked = await Promise.all(Array.from({ length: 8 }, () => ask(boss, 'SELECT max(total) AS t FROM orders')));
    expect(new Set(asked.map(({ body }) => body.pendingActions[0].id)).size).toBe(1);
    expect((await boss.send('/api/v1/actions')).body.actions).toHaveLength(1);
    // Their own `admin-only` action is not theirs to approve.
    const id: string = asked[0]?.body.pendingActions[0].id;
    expect((await boss.send(`/api/v1/actions/${id}/approve`, { method: 'POST' })).status).toBe(403);
  });

  it('is held back by a rule of another server within seconds', async () => {
    const database = await db.url(dialect);
    await using one = await startRules({ database, datasource: shop() });
    await using two = await startRules({ database, datasource: shop() });
    const boss = await userOf(one.app, 'boss@example.com');
    const there = new Client(two.app, (await boss.signIn('boss@example.com')).body.token);
    expect((await ask(there, 'SELECT id FROM orders')).body.outcome).toBe('answered');
    const id = await addRule(boss, { ruleType: 'table', pattern: 'orders' });
    const outcome = async () => (await ask(there, 'SELECT id FROM orders')).body.outcome;
    await expect.poll(outcome, { timeout: 10_000, interval: 500 }).toBe('failed');
    await boss.send(`${RULES}/${id}`, { method: 'DELETE' });
    await expect.poll(outcome, { timeout: 10_000, interval: 500 }).toBe('answered');
    const { changes } = (await boss.send('/api/v1/admin/audit/changes')).body;
    expect(changes).toHaveLength(2);
    const change = (fields: object) => expect.objectContaining({ targetId: id, targetLabel: 'A rule', ...fields });
    expect(changes).toContainEqual(
      change({ action: 'approval_rule.created', before: null, after: expect.objectContaining({ pattern: 'orders' }) }),
    );
    expect(changes).toContainEqual(
      change({ action: 'approval_rule.deleted', before: expect.objectContaining({ enabled: true }), after: null }),
    );
  });

  it('of another organization is not held back by this one’s rules', async () => {
    await using server = await startRules({ database: await db.url(dialect), datasource: shop() });
    const { app } = server;
    const boss = await userOf(app, 'boss@example.com');
    const other = await userOf(app, 'other@example.com');
    await organization(boss, 'create', { name: 'Acme', slug: 'acme' });
    await organization(other, 'create', { name: 'Umbrella', slug: 'umbrella' });
    await addRule(boss, { ruleType: 'datasource', pattern: 'shop' });
    expect((await ask(boss, 'SELECT 1 AS one')).body.pendingActions).toHaveLength(1);
    const { id } = (await ask(boss, 'SELECT 1 AS one')).body.pendingActions[0];
    expect((await ask(other, 'SELECT 1 AS one')).body.outcome).toBe('answered');
    expect((await other.send(`/api/v1/actions/${id}/approve`, { method: 'POST' })).status).toBe(404);
    expect((await boss.send('/api/v1/admin/actions')).body.total).toBe(1);
    expect((await other.send('/api/v1/actions')).body.actions).toEqual([]);
  });
});

describe('an approved statement', () => {
  it('does not run for a requester who has been removed', async () => {
    await using server = await startRules({ database: await db.url('sqlite'), datasource: shop() });
    const { app } = server;
    const boss = await userOf(app, 'boss@example.com');
    const ann = await userOf(app, 'ann@example.com');
    await organization(boss, 'create', { name: 'Acme', slug: 'acme' });
    await invite(boss, ann, 'ann@example.com');
    await addRule(boss, { ruleType: 'column', pattern: 'customers.email' });
    const [pending] = (await ask(ann, 'SELECT email FROM customers')).body.pendingActions;
    await organization(boss, 'remove-member', { memberIdOrEmail: 'ann@example.com' });
    const { body } = await boss.send(`/api/v1/actions/${pending.id}/approve`, { method: 'POST' });
    expect(body).toMatchObject({
      status: 'failed',
      result: null,
      error: expect.stringContaining('cannot run as its requester'),
    });
  });

  it('is not there where actions are off: the statement is refused, with what to do', async () => {
    await using server = await startRules({
      database: await db.url('sqlite'),
      datasource: shop(),
      actions: { enabled: false },
    });
    const boss = await userOf(server.app, 'boss@example.com');
    await addRule(boss, { ruleType: 'table', pattern: 'customers' });
    const { body } = await ask(boss, 'SELECT id FROM customers');
    expect([body.outcome, body.pendingActions]).toEqual(['failed', undefined]);
    expect(body.answer).toContain('SVC_ACTIONS_ENABLED=true');
  });
});
