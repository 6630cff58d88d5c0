/** What is stored and read, by direct calls over one database: each test has its own users. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { NOBODY, type Question, type Scope } from '../../kernel/index.ts';
import { createTestApp, type TestApp } from '../../test/harness/create-test-app.ts';
import { chosenEngines, type TestEngine } from '../../test/harness/internal-databases.ts';
import { internalDb } from '../internal-db/index.ts';
import { ownerOf, StoredConversations } from './conversations.ts';
import { conversations } from './index.ts';
import type { ConversationRow, MessageRow, Owner, RatedRow } from './rows.ts';
import { ConversationStore } from './store.ts';

const NOT_FOUND = {
  code: 'not_found',
  message: 'There is no such conversation.',
  hint: 'GET /api/v1/conversations lists yours.',
};
const at = (minute: number) => new Date(Date.UTC(2026, 0, 15, 12, minute)).toISOString();
const someone = (org_id = 'acme'): Owner => ({ user_id: randomUUID(), org_id });

function conversationOf(owner: Owner, more: Partial<ConversationRow> = {}): ConversationRow {
  const common = { title: 'How many?', surface: 'api', connection_id: null, starred: false };
  return { id: randomUUID(), ...owner, ...common, created_at: at(0), updated_at: at(0), ...more };
}

function messageOf(conversation_id: string, position: number, more: Partial<MessageRow> = {}): MessageRow {
  const times = { created_at: at(0), updated_at: at(0) };
  const common = { role: 'user', state: 'complete', writer: null, stream: null, finish: null, ...times } as const;
  const parts = JSON.stringify([{ type: 'text', text: `m${position}` }]);
  return { id: randomUUID(), conversation_id, position, parts, ...common, ...more };
}

describe.each(chosenEngines)('on %s', (_, openEngine) => {
  let engine: TestEngine;
  let app: TestApp;
  let store: ConversationStore;
  beforeAll(async () => {
    engine = await openEngine();
    app = await createTestApp({ plugins: [internalDb({ url: await engine.fresh() }), conversations()] });
  }, 60_000);
  beforeEach(() => {
    store = new ConversationStore(app.get(internalDb));
  });
  afterAll(async () => {
    await app.close();
    await engine[Symbol.asyncDispose]();
  });

  const all = { limit: 10, offset: 0 };
  const ids = ({ rows }: { readonly rows: readonly { readonly id: string }[] }) => rows.map(({ id }) => id);
  const textsOf = ({ rows }: { readonly rows: readonly MessageRow[] }) =>
    rows.map(({ parts }) => JSON.parse(parts)[0]?.text);

  describe('the list', () => {
    it('has the conversations of the owner, the latest first, by pages', async () => {
      const owner = someone();
      const [old, late, later] = [at(1), at(2), at(2)].map((updated_at) => conversationOf(owner, { updated_at }));
      const sorted = [late, later]
        .map((row) => row?.id ?? '')
        .sort()
        .reverse();
      for (const row of [old, late, later]) await store.create(row as ConversationRow, []);
      await store.create(conversationOf({ ...owner, org_id: 'other' }), []);
      await store.create(conversationOf(someone()), []);
      expect(ids(await store.list(owner, all, true))).toEqual([...sorted, old?.id]);
      expect(ids(await store.list(owner, { limit: 2, offset: 0 }, true))).toEqual(sorted);
      const second = await store.list(owner, { limit: 2, offset: 2 }, true);
      expect([ids(second), second.total]).toEqual([[old?.id], 3]);
      expect(await store.list(someone(), all, true)).toEqual({ rows: [], total: 0 });
    });

    it('counts stars, which are given once', async () => {
      const owner = someone();
      const rows = [conversationOf(owner), conversationOf(owner), conversationOf(owner)];
      for (const row of rows) await store.create(row, []);
      const [first = '', second = ''] = rows.map(({ id }) => id);
      const counts = async () => {
        const [starred, plain, every] = await Promise.all([
          store.list(owner, { ...all, starred: true }, true),
          store.list(owner, { ...all, starred: false }, true),
          store.list(owner, all, true),
        ]);
        return [starred, plain, every].map(({ rows, total }) => [rows.length, total]);
      };
      await store.star(owner, first, true);
      await store.star(owner, first, true);
      await store.star(owner, second, true);
      expect(await counts()).toEqual([
        [2, 2],
        [1, 1],
        [3, 3],
      ]);
      await store.star(owner, second, false);
      await store.star(owner, second, false);
      expect(await counts()).toEqual([
        [1, 1],
        [2, 2],
        [3, 3],
      ]);
      await store.delete(owner, second);
      expect(await counts()).toEqual([
        [1, 1],
        [1, 1],
        [2, 2],
      ]);
      await store.delete(owner, first);
      expect(await counts()).toEqual([
        [0, 0],
        [1, 1],
        [1, 1],
      ]);
    });
  });

  it('finds, stars and deletes nothing of another owner', async () => {
    const owner = someone();
    const row = conversationOf(owner, { title: 'Mine' });
    await store.create(row, [messageOf(row.id, 1)]);
    expect(await store.find(owner, row.id)).toMatchObject({ id: row.id, title: 'Mine' });
    for (const other of [someone(), { ...owner, org_id: 'other' }, { ...owner, user_id: 'bob' }]) {
      await expect(store.find(other, row.id)).rejects.toMatchObject(NOT_FOUND);
      await expect(store.star(other, row.id, true)).rejects.toMatchObject(NOT_FOUND);
      await expect(store.delete(other, row.id)).rejects.toMatchObject(NOT_FOUND);
    }
    for (const id of ['x', `${row.id}0`, `0${row.id}`, row.id.replace('-', ''), randomUUID()]) {
      await expect(store.find(owner, id)).rejects.toMatchObject(NOT_FOUND);
    }
    expect((await store.list(owner, { ...all, starred: true }, true)).total).toBe(0);
    await store.delete(owner, row.id);
    expect((await store.messages(row.id, 10, 0)).total).toBe(0);
    await expect(store.find(owner, row.id)).rejects.toMatchObject(NOT_FOUND);
  });

  describe('a conversation with a name of its client', () => {
    const named = (owner: Owner, client_name: string | null, more: Partial<ConversationRow> = {}) => ({
      ...conversationOf(owner, more),
      client_name,
    });

    it('is created once for each owner', async () => {
      const owner = someone();
      const first = named(owner, 'chat');
      expect(await store.findOrCreate(first)).toBe(first.id);
      expect(await store.findOrCreate(named(owner, 'chat'))).toBe(first.id);
      const other = named(owner, 'other');
      expect(await store.findOrCreate(other)).toBe(other.id);
      const foreign = named(someone(), 'chat');
      expect(await store.findOrCreate(foreign)).toBe(foreign.id);
      expect((await store.list(owner, all, true)).total).toBe(2);
    });

    it('goes by its id where it has no name, which belongs to no other user', async () => {
      const owner = someone();
      const row = named(owner, null);
      expect(await store.findOrCreate(row)).toBe(row.id);
      expect(await store.findOrCreate(row)).toBe(row.id);
      expect((await store.list(owner, all, true)).total).toBe(1);
      await expect(store.findOrCreate(named(someone(), null, { id: row.id }))).rejects.toMatchObject(NOT_FOUND);
      await expect(store.findOrCreate(named(someone(), 'chat', { id: row.id }))).rejects.toMatchObject(NOT_FOUND);
    });

    it('is created once by requests at the same time', async () => {
      const owner = someone();
      const found = await Promise.all(Array.from({ length: 6 }, () => store.findOrCreate(named(owner, 'chat'))));
      expect(new Set(found).size).toBe(1);
      expect((await store.list(owner, all, true)).total).toBe(1);
    });
  });

  describe('messages', () => {
    it('are given in order, the newest page first', async () => {
      const row = conversationOf(someone());
      await store.create(
        row,
        [1, 3, 2].map((position) => messageOf(row.id, position)),
      );
      expect(textsOf(await store.messages(row.id, 10, 0))).toEqual(['m1', 'm2', 'm3']);
      expect(textsOf(await store.messages(row.id, 2, 0))).toEqual(['m2', 'm3']);
      const page = await store.messages(row.id, 2, 2);
      expect([textsOf(page), page.total]).toEqual([['m1'], 3]);
      expect(await store.messages(randomUUID(), 2, 0)).toEqual({ rows: [], total: 0 });
    });

    it('are added, and the conversation is the latest then', async () => {
      const owner = someone();
      const [first, second] = [
        conversationOf(owner, { updated_at: at(1) }),
        conversationOf(owner, { updated_at: at(2) }),
      ];
      await store.create(first, []);
      await store.create(second, []);
      await store.append(first.id, [messageOf(first.id, 1)], at(3));
      expect(ids(await store.list(owner, all, true))).toEqual([first.id, second.id]);
      expect(textsOf(await store.messages(first.id, 10, 0))).toEqual(['m1']);
      await expect(store.append(randomUUID(), [messageOf(randomUUID(), 1)], at(3))).rejects.toThrow();
    });

    it('change their state and parts, and nothing else', async () => {
      const row = conversationOf(someone());
      const [one, two] = [messageOf(row.id, 1, { state: 'running', writer: 'w' }), messageOf(row.id, 2)];
      await store.create(row, [one, two]);
      await store.update({ id: one.id, state: 'interrupted', parts: '[]', finish: null, updated_at: at(9) });
      const { rows } = await store.messages(row.id, 10, 0);
      expect(rows[0]).toMatchObject({ id: one.id, state: 'interrupted', parts: '[]', writer: 'w', role: 'user' });
      expect(new Date(rows[0]?.updated_at ?? '').toISOString()).toBe(at(9));
      expect(rows[1]).toMatchObject({ id: two.id, state: 'complete' });
    });

    it('are rewound to the last question of these parts', async () => {
      const row = conversationOf(someone());
      const parts = JSON.stringify([{ type: 'text', text: 'Again?' }]);
      const role = 'assistant' as const;
      await store.create(row, [
        messageOf(row.id, 1, { parts }),
        messageOf(row.id, 2, { role }),
        messageOf(row.id, 3, { parts }),
        messageOf(row.id, 4, { role, parts }),
        messageOf(row.id, 5),
      ]);
      const other = conversationOf(someone());
      await store.create(other, [messageOf(other.id, 9)]);
      expect(await store.rewind(row.id, '[]', 'any')).toBe(false);
      expect(await store.rewind(row.id, parts, 'last')).toBe(false);
      expect(await store.rewind(randomUUID(), parts, 'any')).toBe(false);
      expect((await store.messages(row.id, 10, 0)).total).toBe(5);
      expect(await store.rewind(row.id, parts, 'any')).toBe(true);
      expect((await store.messages(row.id, 10, 0)).rows.map(({ position }) => Number(position))).toEqual([1, 2, 3]);
      expect((await store.messages(other.id, 10, 0)).total).toBe(1);
    });

    it('are read as what was said: the last ones, in order and without tools', async () => {
      const row = conversationOf(someone());
      const tool = { type: 'tool-look', toolCallId: 'c', state: 'input-available', input: { type: 'text' } };
      const parts = JSON.stringify([{ type: 'text', text: 'a' }, tool, { type: 'text', text: 'b' }]);
      await store.create(row, [
        messageOf(row.id, 1),
        messageOf(row.id, 2, { role: 'assistant', parts }),
        messageOf(row.id, 3, { parts: '[]' }),
      ]);
      const texts = (...said: string[]) => said.map((text) => ({ type: 'text', text }));
      expect(await store.said(row.id, 10)).toEqual({
        rows: [
          { role: 'user', position: 1, parts: texts('m1') },
          { role: 'assistant', position: 2, parts: texts('a', 'b') },
          { role: 'user', position: 3, parts: [] },
        ],
        total: 3,
      });
      const last = await store.said(row.id, 2);
      expect([last.rows.map(({ position }) => position), last.total]).toEqual([[2, 3], 3]);
      expect(await store.said(randomUUID(), 2)).toEqual({ rows: [], total: 0 });
    });
  });

  describe('a user who leaves', () => {
    async function leaving() {
      const [ann, boss] = [someone('acme'), someone('acme')];
      const elsewhere = { ...ann, org_id: 'other' };
      const starred = conversationOf(ann);
      await store.create(starred, [messageOf(starred.id, 1)]);
      await store.star(ann, starred.id, true);
      const named = { ...conversationOf(ann), client_name: 'chat' };
      await store.findOrCreate(named);
      await store.create(conversationOf(elsewhere), []);
      await store.create(conversationOf(boss), []);
      const total = async (owner: Owner, stars?: boolean) => {
        const { rows, total } = await store.list(
          owner,
          { ...all, ...(stars !== undefined && { starred: stars }) },
          true,
        );
        return [rows.length, total];
      };
      return { ann, boss, elsewhere, starred, named, total };
    }

    it('takes all conversations along', async () => {
      const { ann, boss, elsewhere, starred, total } = await leaving();
      await store.leave({ user_id: ann.user_id }, undefined);
      expect([await total(ann), await total(elsewhere), await total(boss)]).toEqual([
        [0, 0],
        [0, 0],
        [1, 1],
      ]);
      expect((await store.messages(starred.id, 10, 0)).total).toBe(0);
      const left = app.get(internalDb).run((db) => db('conversation_counts').where({ user_id: ann.user_id }));
      expect(await left).toEqual([]);
    });

    it('takes more along than one batch', async () => {
      const owner = someone();
      await Promise.all(Array.from({ length: 101 }, () => store.create(conversationOf(owner), [])));
      await store.leave({ user_id: owner.user_id }, undefined);
      expect(await store.list(owner, all, true)).toEqual({ rows: [], total: 0 });
    });

    it('leaves them to an heir, without the names of clients', async () => {
      const { ann, boss, elsewhere, named, total } = await leaving();
      await store.leave({ user_id: ann.user_id }, boss.user_id);
      expect([await total(ann), await total(elsewhere)]).toEqual([
        [0, 0],
        [0, 0],
      ]);
      expect([await total(boss), await total(boss, true)]).toEqual([
        [3, 3],
        [1, 1],
      ]);
      expect(await total({ ...boss, org_id: 'other' })).toEqual([1, 1]);
      const fresh = { ...conversationOf(boss), client_name: 'chat' };
      expect(await store.findOrCreate(fresh)).toBe(fresh.id);
      expect(await store.find(boss, named.id)).toMatchObject({ client_name: null });
    });
  });

  describe('a question', () => {
    const NOW = Date.UTC(2026, 0, 15, 12);
    const open = (question: Partial<Question>, owner: Owner, now = NOW) => {
      const stored = new StoredConversations(store, { now: () => now, logOf: (scope: Scope) => scope.log });
      const actor = { id: owner.user_id, label: null, role: 'viewer', mode: 'test', claims: {} } as const;
      const scope = app.scope({ actor, orgId: owner.org_id });
      const asked = { surface: 'api', turns: [{ role: 'user', text: 'How many?' }], ...question } as Question;
      return { stored, scope, opening: stored.open(asked, scope) };
    };

    it('without a conversation begins one', async () => {
      const owner = someone();
      const { opening } = open({ connectionId: 'main', turns: [{ role: 'user', text: 'How\nmany?' }] }, owner);
      const { id, answerId, question, begun, end } = await opening;
      expect(await begun).toBe(true);
      for (const one of [id, answerId])
        expect(one).toMatch(/^019bc186-de00-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(question).toMatchObject({ conversationId: id, turns: [{ text: 'How\nmany?' }] });
      const row = await store.find(owner, id);
      expect(row).toMatchObject({ title: 'How many?', surface: 'api', connection_id: 'main', client_name: null });
      const { rows } = await store.messages(id, 10, 0);
      expect(rows.map(({ role, state, writer }) => [role, state, writer !== null])).toEqual([
        ['user', 'complete', false],
        ['assistant', 'running', true],
      ]);
      expect(rows[1]?.id).toBe(answerId);
      expect(rows.map(({ position }) => Number(position))).toEqual([NOW * 1_000, NOW * 1_000 + 1]);
      expect(await end('complete')).toBe(true);
      expect((await store.messages(id, 10, 0)).rows[1]?.state).toBe('complete');
    });

    it('continues a conversation with its earlier turns, whose newest are behind it', async () => {
      const owner = someone();
      const first = await open({}, owner).opening;
      first.record({ type: 'text', text: 'Three.' });
      await first.end('complete');
      const id = first.id.toUpperCase();
      // The clock of this server is behind.
      const second = await open({ conversationId: id, turns: [{ role: 'user', text: 'And?' }] }, owner, NOW - 5_000)
        .opening;
      expect(second.question.turns).toEqual([
        { role: 'user', text: 'How many?' },
        { role: 'assistant', text: 'Three.' },
        { role: 'user', text: 'And?' },
      ]);
      await second.end('interrupted');
      expect(textsOf(await store.messages(first.id, 10, 0))).toEqual(['How many?', 'Three.', 'And?', undefined]);
      // What the client sends counts, not what is stored.
      const turns = ['Mine?', 'Four.', 'Now?'].map(
        (text, n) => ({ role: n === 1 ? 'assistant' : 'user', text }) as const,
      );
      const third = await open({ conversationId: id, turns }, owner, NOW - 9_000).opening;
      expect(third.question.turns).toEqual(turns);
      await third.end('complete');
      expect(textsOf(await store.messages(first.id, 10, 0)).slice(-2)).toEqual(['Now?', undefined]);
      await expect(open({ conversationId: id }, someone()).opening).rejects.toMatchObject(NOT_FOUND);
    });

    it('is read without earlier answers that said nothing', async () => {
      const owner = someone();
      const first = await open({}, owner).opening;
      await first.end('interrupted');
      const second = await open({ conversationId: first.id, turns: [{ role: 'user', text: 'And?' }] }, owner).opening;
      expect(second.question.turns.map(({ text }) => text)).toEqual(['How many?', 'And?']);
      await second.end('complete');
      expect((await store.list(owner, { ...all, starred: true }, true)).rows).toEqual([]);
    });

    it('waits for the answer before it, which is being stored', async () => {
      const owner = someone();
      const { stored, scope, opening } = open({}, owner);
      const first = await opening;
      await first.begun;
      const storing = Promise.withResolvers<void>();
      store.update = () => storing.promise;
      const ended = first.end('complete');
      const waiting = [
        stored.written(first.id),
        stored.settled(),
        stored.open({ ...first.question, conversationId: first.id }, scope).then(({ begun }) => begun),
      ];
      const order: string[] = [];
      for (const wait of waiting) void wait.then(() => order.push('waited'));
      await stored.written(randomUUID());
      await new Promise((resolve) => setTimeout(resolve, 30));
      order.push('stored');
      storing.resolve();
      expect(await ended).toBe(true);
      await Promise.all(waiting);
      expect(order).toEqual(['stored', 'waited', 'waited', 'waited']);
    });

    it('is refused by a conversation of a thousand messages', async () => {
      const owner = someone();
      const [row, almost] = [conversationOf(owner), conversationOf(owner)];
      const messages = (id: string, count: number) => Array.from({ length: count }, (_, n) => messageOf(id, n));
      await store.create(row, messages(row.id, 1_000));
      await store.create(almost, messages(almost.id, 999));
      await expect(open({ conversationId: row.id }, owner).opening).rejects.toMatchObject({
        code: 'conflict',
        message: 'A conversation has at most 1,000 messages, and this one is full.',
        hint: 'Begin another one: leave out its id.',
      });
      await (await open({ conversationId: almost.id }, owner).opening).end('complete');
    });

    it('without a user or an organization has an empty owner', async () => {
      expect(ownerOf(app.scope({ actor: { ...NOBODY, id: null }, orgId: null }))).toEqual({ user_id: '', org_id: '' });
      const named = ownerOf(app.scope({ actor: { ...NOBODY, id: 'ann' }, orgId: 'acme' }));
      expect(named).toEqual({ user_id: 'ann', org_id: 'acme' });
    });

    it('that is regenerated replaces the answer to it', async () => {
      const owner = someone();
      const first = await open({ conversationName: 'chat' }, owner).opening;
      first.record({ type: 'text', text: 'Three.' });
      await first.end('complete');
      const again = await open({ conversationName: 'chat', regenerates: 'last' }, owner).opening;
      expect([again.id, again.question.turns]).toEqual([first.id, [{ role: 'user', text: 'How many?' }]]);
      again.record({ type: 'text', text: 'Four.' });
      await again.end('complete');
      expect(textsOf(await store.messages(first.id, 10, 0))).toEqual(['How many?', 'Four.']);
      const more = await open({ conversationName: 'chat' }, owner).opening;
      await more.end('complete');
      expect((await store.messages(first.id, 10, 0)).total).toBe(4);
    });

    it('with a UUID as name has it as its id', async () => {
      const owner = someone();
      const name = randomUUID().toUpperCase();
      const { id, end } = await open({ conversationName: name }, owner).opening;
      await end('complete');
      expect(id).toBe(name.toLowerCase());
      expect(await store.find(owner, id)).toMatchObject({ client_name: null });
      const other = await open({ conversationName: `${name}0` }, owner).opening;
      await other.end('complete');
      expect(other.id).not.toContain(name.toLowerCase());
    });

    it('ends with its request, also one that has ended before', async () => {
      const owner = someone();
      const { scope, opening } = open({}, owner);
      const { id } = await opening;
      scope.abort(new Error('The client has left.'));
      await expect.poll(async () => (await store.messages(id, 10, 0)).rows[1]?.state).toBe('interrupted');
      const gone = open({}, owner);
      gone.scope.abort(new Error('The client has left.'));
      const late = await gone.opening;
      await gone.stored.written(late.id);
      await gone.stored.settled();
      expect((await store.messages(late.id, 10, 0)).rows[1]?.state).toBe('interrupted');
    });

    it('is shown as interrupted once its writer is gone', async () => {
      const { stored, opening } = open({}, someone());
      const { id, begun, end } = await opening;
      await begun;
      const [asked, running] = (await store.messages(id, 10, 0)).rows as unknown as [RatedRow, RatedRow];
      expect(stored.shown(asked, true)).toEqual({
        id: asked.id,
        conversationId: id,
        role: 'user',
        content: { parts: [{ type: 'text', text: 'How many?' }] },
        status: 'complete',
        createdAt: asked.created_at,
        feedback: null,
      });
      expect(stored.shown(running, true).status).toBe('running');
      expect(stored.shown({ ...running, writer: null }, true).status).toBe('interrupted');
      expect(stored.shown({ ...running, updated_at: new Date(NOW - 60_000).toISOString() }, true).status).toBe(
        'interrupted',
      );
      expect(stored.shown({ ...running, writer: null, state: 'complete' }, true).status).toBe('complete');
      await end('complete');
    });
  });
});
