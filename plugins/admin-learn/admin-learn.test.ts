/** Proposals over HTTP: what an administrator of an organization sees, applies and dismisses, and others do not. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startAdminServer } from '../../test/harness/admin-server.ts';
import { startShop } from '../../test/harness/shop-server.ts';

const PATH = '/api/v1/admin/learn/proposals';
const TAKINGS = '"takings" for orders.revenue';

const CASES = `cases:
  - id: takings
    question: Takings by status
    sql: SELECT status, SUM(total) FROM orders GROUP BY status
  - id: regions
    question: Revenue by region
    sql: SELECT region, SUM(total) FROM orders GROUP BY region
  - id: broken
    question: Revenue
    sql: SELECT nothing FROM orders
`;

let shop: Awaited<ReturnType<typeof startShop>>;
beforeAll(async () => {
  shop = await startShop();
  // The people of the two organizations have words of their own.
  for (const [org, word] of Object.entries({ acme: 'Takings', evil: 'Losses' })) {
    for (const user of ['bob', 'cyd', 'dan'].map((name) => `${name}@${org}`)) {
      const { conversationId } = await shop.ask(user, `${word} by region`);
      await shop.ask(user, 'Revenue by region', conversationId);
      shop.nextDay();
    }
  }
}, 60_000);
afterAll(() => shop[Symbol.asyncDispose]());

interface Shown {
  readonly id: string;
  readonly kind: string;
  readonly summary: string;
  readonly support: object;
}
const list = async (user: string) => (await shop.send(user, 'GET', PATH)).body.proposals as Shown[];
const summaries = async (user: string) => (await list(user)).map(({ summary }) => summary);
const find = async (user: string, summary: string) =>
  (await list(user)).find((one) => one.summary === summary)?.id ?? '';
const changes = async (user: string) =>
  (await shop.send(user, 'GET', '/api/v1/admin/audit/changes')).body.changes.map(
    ({ action, targetLabel }: { action: string; targetLabel: string }) => `${action} ${targetLabel}`,
  );

describe('the proposals of an organization', () => {
  it('come from its own people, with counts and the change of the file', async () => {
    expect(await summaries('admin@acme')).toEqual([TAKINGS, 'Sum total of orders by region']);
    expect(await summaries('admin@evil')).toEqual(['"losses" for orders.revenue', 'Sum total of orders by region']);
    expect((await list('admin@acme'))[0]).toMatchObject({
      kind: 'synonym',
      entity: 'orders',
      file: 'entities/orders.yml',
      seen: 3,
      support: { statements: 3, people: 3, days: 3 },
      diff: expect.stringContaining('\n+  - { name: revenue, type: sum, sql: total, synonyms: [takings] }\n'),
    });
    expect(await list('admin@nobody')).toEqual([]);
    // The words of one organization alone are none for the layer that all share.
    expect(await summaries('admin')).toEqual(['Sum total of orders by region']);
  });

  it('are for administrators of the semantic layer', async () => {
    const id = await find('admin@acme', TAKINGS);
    for (const [method, path] of [
      ['GET', ''],
      ['POST', `/${id}/evaluation`],
      ['POST', `/${id}/apply`],
      ['POST', `/${id}/dismiss`],
    ] as const)
      expect((await shop.send('bob@acme', method, PATH + path)).status).toBe(403);
  });

  it('are not found by others', async () => {
    const id = await find('admin@acme', TAKINGS);
    for (const user of ['admin@evil', 'admin'])
      for (const move of ['evaluation', 'apply', 'dismiss'])
        expect(await shop.send(user, 'POST', `${PATH}/${id}/${move}`)).toMatchObject({
          status: 404,
          body: { message: expect.stringMatching(/^There is no such proposal, or not any more\. GET /) },
        });
  });

  describe('are evaluated', () => {
    const evaluate = async (user: string, id: string) => shop.send(user, 'POST', `${PATH}/${id}/evaluation`);

    it('by the cases of the organization, as its administrator, and change nothing', async () => {
      const id = await find('admin@acme', TAKINGS);
      expect(await evaluate('admin@acme', id)).toMatchObject({
        status: 400,
        body: { message: expect.stringMatching(/There are no cases in .*eval\/cases\/\.orgs\/acme\. Write questions/) },
      });
      // The cases of the shared layer are none of an organization.
      shop.write('eval/cases/shop.yml', CASES);
      expect((await evaluate('admin@acme', id)).status).toBe(400);
      shop.write('eval/cases/.orgs/acme/own.yml', CASES);
      expect(await evaluate('admin@acme', id)).toEqual({
        ...{ status: 200, text: expect.any(String) },
        body: {
          ...{ cases: 3, notAsked: 0, before: 1, after: 2 },
          changed: [
            {
              ...{ id: 'takings', question: 'Takings by status' },
              ...{ before: 'refused', after: 'passed', reason: null },
            },
          ],
          unjudged: [
            {
              id: 'broken',
              question: 'Revenue',
              reason: expect.stringContaining('The expected statement does not run'),
            },
          ],
        },
      });
      expect(await list('admin@acme')).toContainEqual(expect.objectContaining({ id }));
      expect(existsSync(join(shop.folder, 'semantic/.orgs/acme'))).toBe(false);
    });

    it('without a conversation, audited, and without being learned from', async () => {
      const conversations = (await shop.send('admin@acme', 'GET', '/api/v1/conversations')).body;
      expect(conversations.total).toBe(0);
      const { entries } = (await shop.send('admin@acme', 'GET', '/api/v1/admin/audit?surface=evaluation')).body;
      expect(entries.length).toBeGreaterThan(3);
      expect(new Set(entries.map(({ userId }: { userId: string }) => userId))).toEqual(new Set(['admin@acme']));
      for (const { support } of await list('admin@acme'))
        expect(support).toEqual({ statements: 3, people: 3, days: 3 });
    });

    it('by nobody who may not ask', async () => {
      const id = await find('editor@acme', TAKINGS);
      expect(await evaluate('editor@acme', id)).toMatchObject({ status: 403 });
    });

    it('by those of the shared layer where no organization is active', async () => {
      const [id = ''] = (await list('admin')).map((one) => one.id);
      expect((await evaluate('admin', id)).body).toMatchObject({ cases: 3, before: 1, after: 1, changed: [] });
    });

    it('one at a time in an organization', async () => {
      const id = await find('admin@acme', TAKINGS);
      const both = await Promise.all([evaluate('admin@acme', id), evaluate('admin@acme', id)]);
      expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
      expect(both.find(({ status }) => status === 409)?.body.message).toBe(
        'A proposal is being evaluated already. Try again when that has ended.',
      );
    });
  });

  it('are taken from the list when one is dismissed, with an entry of the audit log', async () => {
    const summary = 'Sum total of orders by region';
    const id = await find('admin@acme', summary);
    expect(await shop.send('admin@acme', 'POST', `${PATH}/${id}/dismiss`)).toMatchObject({ body: { success: true } });
    expect(await summaries('admin@acme')).toEqual([TAKINGS]);
    expect(await summaries('admin@evil')).toContain(summary);
    expect(await changes('admin@acme')).toEqual([`learn_proposal.dismissed ${summary}`]);
  });

  it('are written into its own layer, with the version before and an entry of the audit log', async () => {
    const before = shop.read('entities/orders.yml');
    const id = await find('admin@acme', TAKINGS);
    const applied = await shop.send('admin@acme', 'POST', `${PATH}/${id}/apply`);
    expect(applied).toMatchObject({ status: 200, body: { file: 'entities/orders.yml' } });
    expect(shop.read('.orgs/acme/entities/orders.yml')).toContain('synonyms: [takings]');
    expect(shop.read('entities/orders.yml')).toBe(before);
    expect(await changes('admin@acme')).toContain('semantic_file.updated entities/orders.yml');
    const versions = await shop.send('admin@acme', 'GET', '/api/v1/admin/semantic/versions?file=entities/orders.yml');
    expect(versions.body.versions[0]).toMatchObject({ replacedBy: 'admin@acme' });
    expect(await summaries('admin@acme')).toEqual([]);
    expect((await shop.ask('bob@acme', 'Takings by status')).outcome).toBe('answered');
    expect((await shop.ask('bob@evil', 'Takings by status')).outcome).toBe('declined');
    expect((await shop.send('admin@acme', 'POST', `${PATH}/${id}/apply`)).status).toBe(404);
  });
});

it('without an internal database says what to set', async () => {
  await using server = await startAdminServer({ mode: 'none' });
  for (const [method, path] of [
    ['GET', PATH],
    ['POST', `${PATH}/0123/evaluation`],
    ['POST', `${PATH}/0123/apply`],
    ['POST', `${PATH}/0123/dismiss`],
  ] as const) {
    const { status, body } = await server.send('anonymous', method, path);
    expect([status, body.error, body.message]).toEqual([404, 'not_available', expect.stringContaining('DATABASE_URL')]);
  }
  expect(existsSync(join(server.folder, 'semantic', '.orgs'))).toBe(false);
});
