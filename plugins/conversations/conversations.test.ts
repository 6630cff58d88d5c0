import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { AtlasError, definePlugin, type Question, type Scope } from '../../kernel/index.ts';
import { emptyFolder } from '../../test/harness/command.ts';
import { createTestApp, type InjectedRequest } from '../../test/harness/create-test-app.ts';
import { headerAuth } from '../../test/harness/header-auth.ts';
import { chosenEngines, type TestEngine } from '../../test/harness/internal-databases.ts';
import { type AgentEvent, wrappedAgent } from '../agent/index.ts';
import { organizationDelete, userDelete } from '../auth-managed/index.ts';
import { http } from '../http/index.ts';
import { type InternalDb, internalDb } from '../internal-db/index.ts';
import { queryApi } from '../query-api/index.ts';
import { conversations } from './index.ts';

// On a busy machine storing takes longer than a stream waits for it; that wait is tested with the recorded agent.
vi.mock('./naming-wait.ts', () => ({ NAMING_MS: 30_000 }));

const ROWS = Array.from({ length: 80 }, (_, n) => ({ n }));

const EVENTS: AgentEvent[] = [
  { type: 'text', text: 'Let me look.' },
  { type: 'tool-call', toolCallId: 'c1', toolName: 'executeSQL', args: { sql: 'SELECT n FROM t' } },
  { type: 'tool-result', toolCallId: 'c1', toolName: 'executeSQL', result: { columns: ['n'], rows: ROWS } },
  { type: 'text', text: 'There are ' },
  { type: 'text', text: '80\0.' },
  {
    type: 'finish',
    answer: {
      text: 'There are 80.',
      sql: ['SELECT n FROM t'],
      data: [],
      steps: 2,
      usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
      pendingActions: [],
      finishReason: 'stop',
      outcome: 'answered',
      notes: [],
    },
  },
];

/** The user whom the header names. */
const auth = headerAuth((header) => {
  const [id = '', orgId = null] = header('x-user').split('@');
  return { id: id || null, role: 'analyst', orgId };
});

interface Stored {
  readonly id: string;
  readonly messages: { role: string; status: string; content: { parts: Record<string, unknown>[] } }[];
  readonly [key: string]: unknown;
}

async function start(
  url: string | undefined,
  play: (asked: Question, scope: Scope) => AsyncIterable<AgentEvent> | undefined = () => undefined,
  options: Parameters<typeof conversations>[0] = {},
) {
  const asked: Question[] = [];
  async function* events(question: Question, scope: Scope): AsyncGenerator<AgentEvent> {
    asked.push(question);
    yield* play(question, scope) ?? EVENTS;
  }
  const agent = definePlugin({
    name: 'agent',
    version: '1.0.0',
    type: 'core',
    description: 'Plays its events.',
    setup: (ctx) => wrappedAgent(ctx, events, 60_000),
  });
  const app = await createTestApp({
    plugins: [
      http({ port: 0, gracefulCloseMs: 500 }),
      auth,
      internalDb({ url }),
      agent(),
      conversations(options),
      queryApi(),
    ],
  });
  const as = (user: string) => (method: InjectedRequest['method'], url: string, payload?: object) =>
    app.inject({ method, url, headers: { 'x-user': user }, ...(payload !== undefined && { payload }) });
  return { app, asked, as, url: app.get(http).url(), [Symbol.asyncDispose]: () => app.close() };
}

describe.each(chosenEngines)('on %s', (_, open) => {
  let engine: TestEngine;
  beforeAll(async () => {
    engine = await open();
  }, 60_000);
  afterAll(async () => engine[Symbol.asyncDispose]());

  it('stores question and answer with all their parts', async () => {
    await using server = await start(await engine.fresh());
    const ann = server.as('ann');
    const { conversationId } = (
      await ann('POST', '/api/v1/query', { question: `How many?\n${'word '.repeat(40)}` })
    ).json<{
      conversationId: string;
    }>();
    const found = await ann('GET', `/api/v1/conversations/${conversationId.toUpperCase()}`);
    expect(found.statusCode).toBe(200);
    const { messages, ...conversation } = found.json<Stored>();
    expect(conversation).toEqual({
      total: 2,
      limit: 200,
      offset: 0,
      id: conversationId,
      userId: 'ann',
      title: expect.stringMatching(/^How many\? (word )+word…$/),
      surface: 'api',
      connectionId: null,
      starred: false,
      createdAt: '2026-01-15T12:00:00.000Z',
      updatedAt: '2026-01-15T12:00:00.000Z',
    });
    expect(messages.map(({ role, status }) => [role, status])).toEqual([
      ['user', 'complete'],
      ['assistant', 'complete'],
    ]);
    const tool = {
      type: 'tool-executeSQL',
      toolCallId: 'c1',
      state: 'output-available',
      input: { sql: 'SELECT n FROM t' },
    };
    expect(messages[1]?.content).toEqual({
      parts: [
        { type: 'text', text: 'Let me look.' },
        { ...tool, output: { columns: ['n'], rows: ROWS.slice(0, 50), truncated: true } },
        { type: 'text', text: expect.stringMatching(/^There are 80/) },
      ],
    });
  });

  it('keeps the id that a client gives a conversation, for its owner only', async () => {
    await using server = await start(await engine.fresh());
    const text = (said: string) => ({ id: 'm', role: 'user', parts: [{ type: 'text', text: said }] });
    const chat = async (user: string, id: string, more: object = {}) => {
      const asked = { id, messages: [text('How many?')], ...more };
      const { statusCode, body } = await server.as(user)('POST', '/api/chat?stream=ui', asked);
      // The stream names its conversation although the headers could not wait for it.
      return /"conversationId":"([^"]+)"/.exec(body)?.[1] ?? statusCode;
    };
    const total = async (user: string) =>
      (await server.as(user)('GET', '/api/v1/conversations')).json<{ total: number }>().total;

    const [first, ...more] = await Promise.all(Array.from({ length: 8 }, () => chat('ann', 'my chat')));
    expect(more).toEqual(Array(7).fill(first));
    expect(await chat('ann', 'my chat')).toBe(first);
    expect(await total('ann')).toBe(1);
    const others = [await chat('ben', 'my chat'), await chat('ann@acme', 'my chat'), await chat('ann', 'My chat')];
    expect(new Set([first, ...others]).size).toBe(4);
    expect([await total('ben'), await total('ann')]).toEqual([1, 2]);

    // The id itself, which belongs to Ann, is no name that anybody else could take.
    expect(await chat('ann', String(first))).toBe(first);
    expect([await chat('ben', String(first)), await chat('ann@acme', String(first))]).toEqual([404, 404]);
    expect(await chat('ben', 'my chat', { conversationId: first })).toBe(404);
    expect(await chat('ann', 'another name', { conversationId: first })).toBe(first);
    const stored = (await server.as('ann')('GET', `/api/v1/conversations/${first}`)).json<Stored>();
    expect(stored.messages).toHaveLength(2 * 11);

    expect(await chat('ann', 'x'.repeat(201))).toBe(422);
    expect(await chat('ann', '')).not.toBe(await chat('ann', ''));
  });

  it('replaces an answer that is regenerated, with the history before it', async () => {
    await using server = await start(await engine.fresh());
    const ann = server.as('ann');
    const ask = (said: string, trigger: string) =>
      ann('POST', '/api/chat', {
        id: 'chat',
        trigger,
        messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: said }] }],
      });
    await ask('One?', 'submit-message');
    const { headers } = await ask('Two?', 'submit-message');
    await ask('Two?', 'regenerate-message');
    await ask('Never asked?', 'regenerate-message');
    const answer = 'Let me look.\n\nThere are 80\0.';
    expect(server.asked.map(({ turns }) => turns.map(({ text }) => text))).toEqual([
      ['One?'],
      ['One?', answer, 'Two?'],
      ['One?', answer, 'Two?'],
      ['One?', answer, 'Two?', answer, 'Never asked?'],
    ]);
    const { messages } = (await ann('GET', `/api/v1/conversations/${headers['x-conversation-id']}`)).json<Stored>();
    expect(messages.map(({ role }) => role)).toEqual(Array(3).fill(['user', 'assistant']).flat());
  });

  it('continues from storage when only the id is sent, and from the messages when they are', async () => {
    await using server = await start(await engine.fresh());
    const ann = server.as('ann');
    const chat = async (texts: string[], conversationId?: string) => {
      const messages = texts.map((text, index) => ({
        id: `${index}`,
        role: index % 2 === 0 ? 'user' : 'assistant',
        parts: [{ type: 'text', text }],
      }));
      const answer = await ann('POST', '/api/chat', { messages, ...(conversationId && { conversationId }) });
      expect(answer.statusCode).toBe(200);
      return answer.headers['x-conversation-id'] as string;
    };
    const id = await chat(['How many orders?']);
    expect(await chat(['And in March?'], id)).toBe(id);
    expect(await chat(['How many orders?', '80.', 'And in May?'], id.toUpperCase())).toBe(id);
    await ann('POST', '/api/v1/query', { question: 'And in June?', conversationId: id });
    expect(server.asked.map(({ turns }) => turns.map(({ text }) => text))).toEqual([
      ['How many orders?'],
      ['How many orders?', expect.stringContaining('There are 80'), 'And in March?'],
      ['How many orders?', '80.', 'And in May?'],
      [
        'How many orders?',
        expect.anything(),
        'And in March?',
        expect.anything(),
        'And in May?',
        expect.anything(),
        'And in June?',
      ],
    ]);
    const { messages } = (await ann('GET', `/api/v1/conversations/${id}`)).json<Stored>();
    expect(messages.filter(({ role }) => role === 'user').map(({ content }) => content.parts[0]?.text)).toEqual([
      'How many orders?',
      'And in March?',
      'And in May?',
      'And in June?',
    ]);
  });

  it('shows users their own conversations, of the active organization', async () => {
    await using server = await start(await engine.fresh());
    const ask = async (user: string) =>
      (await server.as(user)('POST', '/api/v1/query', { question: user || 'nobody' })).json<{
        conversationId: string;
      }>().conversationId;
    const id = await ask('ann');
    await ask('bob');
    await ask('ann@acme');
    await ask('');
    for (const user of ['ann', 'bob', 'ann@acme', '']) {
      const { conversations, total } = (await server.as(user)('GET', '/api/v1/conversations')).json<{
        conversations: Stored[];
        total: number;
      }>();
      expect([conversations.map(({ title }) => title), total]).toEqual([[user || 'nobody'], 1]);
    }
    for (const user of ['bob', 'ann@acme', '']) {
      const other = server.as(user);
      const answers = [
        await other('GET', `/api/v1/conversations/${id}`),
        await other('DELETE', `/api/v1/conversations/${id}`),
        await other('PATCH', `/api/v1/conversations/${id}/star`, { starred: true }),
        await other('POST', '/api/v1/query', { question: 'Mine now?', conversationId: id }),
        await other('POST', '/api/chat', {
          messages: [{ id: '1', role: 'user', parts: [{ type: 'text', text: 'Mine?' }] }],
          conversationId: id,
        }),
      ];
      for (const answer of answers) {
        expect([answer.statusCode, answer.json<{ error: string }>().error]).toEqual([404, 'not_found']);
      }
    }
  });

  it('pages, stars, counts and deletes', async () => {
    await using server = await start(await engine.fresh());
    const ann = server.as('ann');
    const ids: string[] = [];
    for (const question of ['one', 'two', 'three']) {
      ids.push((await ann('POST', '/api/v1/query', { question })).json<{ conversationId: string }>().conversationId);
    }
    const list = async (query = '') => {
      const page = (await ann('GET', `/api/v1/conversations${query}`)).json<{
        conversations: Stored[];
        total: number;
      }>();
      return [page.conversations.length, page.total];
    };
    const star = (id: string | undefined, starred: boolean) =>
      ann('PATCH', `/api/v1/conversations/${id}/star`, { starred });
    expect(await list('?limit=2')).toEqual([2, 3]);
    expect(await list('?limit=2&offset=2')).toEqual([1, 3]);
    expect((await star(ids[0], true)).json()).toEqual({ id: ids[0], starred: true });
    await star(ids[0], true);
    await star(ids[1], true);
    await star(ids[1], false);
    expect(await list('?starred=true')).toEqual([1, 1]);
    expect(await list('?starred=false')).toEqual([2, 2]);
    const gone = await ann('DELETE', `/api/v1/conversations/${ids[0]}`);
    expect([gone.statusCode, gone.body]).toEqual([204, '']);
    expect((await ann('DELETE', `/api/v1/conversations/${ids[0]}`)).statusCode).toBe(404);
    expect(await list('?starred=true')).toEqual([0, 0]);
    expect(await list()).toEqual([2, 2]);
  });

  it('pages the messages of one, the newest first of all', async () => {
    await using server = await start(await engine.fresh());
    const ann = server.as('ann');
    const asked = await ann('POST', '/api/v1/query', { question: 'one' });
    const { conversationId } = asked.json<{ conversationId: string }>();
    for (const question of ['two', 'three']) await ann('POST', '/api/v1/query', { question, conversationId });
    const page = async (query: string) => {
      const { messages, total } = (await ann('GET', `/api/v1/conversations/${conversationId}${query}`)).json<Stored>();
      const questions = messages.filter(({ role }) => role === 'user').map(({ content }) => content.parts[0]?.text);
      return [messages.length, questions, total];
    };
    expect(await page('')).toEqual([6, ['one', 'two', 'three'], 6]);
    expect(await page('?limit=3')).toEqual([3, ['three'], 6]);
    expect(await page('?limit=3&offset=3')).toEqual([3, ['one', 'two'], 6]);
    expect(await page('?limit=3&offset=6')).toEqual([0, [], 6]);
    expect(await page('?offset=9007199254740991')).toEqual([0, [], 6]);
    // However large the messages are, a page is not: of the newest there is always one.
    await server.app
      .get(internalDb)
      .run((db) =>
        db('conversation_messages').update({ parts: JSON.stringify([{ type: 'text', text: 'x'.repeat(3_000_000) }]) }),
      );
    expect((await page('?limit=1000'))[0]).toBe(2);
    expect((await page('?offset=2'))[0]).toBe(2);
  });

  it.each([
    ['GET', '/00000000-0000-4000-8000-000000000000?limit=0', undefined, 400],
    ['GET', '/00000000-0000-4000-8000-000000000000?limit=1001', undefined, 400],
    ['GET', '/00000000-0000-4000-8000-000000000000?offset=-1', undefined, 400],
    ['GET', '/00000000-0000-4000-8000-000000000000?offset=1e99', undefined, 400],
    ['GET', '?limit=0', undefined, 400],
    ['GET', '?limit=101', undefined, 400],
    ['GET', '?offset=-1', undefined, 400],
    ['GET', '?starred=maybe', undefined, 400],
    ['GET', '/not-an-id', undefined, 400],
    ['DELETE', '/00000000-0000-4000-8000-000000000000', undefined, 404],
    ['PATCH', '/00000000-0000-4000-8000-000000000000/star', { starred: true }, 404],
    ['PATCH', '/00000000-0000-4000-8000-000000000000/star', { starred: 'yes' }, 422],
  ] as const)('%s %s %j is %i', async (method, path, payload, status) => {
    await using server = await start(await engine.fresh());
    expect((await server.as('ann')(method, `/api/v1/conversations${path}`, payload)).statusCode).toBe(status);
  });

  it('keeps the text up to where an answer breaks off', async () => {
    const url = await engine.fresh();
    await using server = await start(url, async function* ({ turns }, { signal }) {
      yield { type: 'text', text: 'So far ' } as const;
      if (turns.at(-1)?.text === 'fail') throw new AtlasError('The provider is gone.', { code: 'provider_error' });
      yield { type: 'tool-call', toolCallId: 'c1', toolName: 'executeSQL', args: { sql: 'SELECT 1' } } as const;
      await sleep(60_000, undefined, { signal });
    });
    const ann = server.as('ann');
    const failed = await ann('POST', '/api/v1/query', { question: 'fail' });
    expect(failed.statusCode).toBe(502);
    const latest = async () => {
      const [conversation] = (await ann('GET', '/api/v1/conversations')).json<{ conversations: Stored[] }>()
        .conversations;
      const { messages } = (await ann('GET', `/api/v1/conversations/${conversation?.id}`)).json<Stored>();
      return [messages[0]?.content.parts[0]?.text, messages[1]?.status, messages[1]?.content.parts[0]?.text];
    };
    expect(await latest()).toEqual(['fail', 'interrupted', 'So far ']);
    await ann(
      'DELETE',
      `/api/v1/conversations/${(await ann('GET', '/api/v1/conversations')).json<{ conversations: Stored[] }>().conversations[0]?.id}`,
    );

    const leaving = new AbortController();
    const response = await fetch(`${server.url}/api/chat`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-user': 'ann' },
      body: JSON.stringify({ messages: [{ id: '1', role: 'user', parts: [{ type: 'text', text: 'hang' }] }] }),
      signal: leaving.signal,
    });
    await response.body?.getReader().read();
    await expect.poll(latest).toEqual(['hang', 'running', 'So far ']);
    // A second server in the same process stands for one on this host that is still at work.
    await using second = await start(url);
    const { conversations: seen } = (await second.as('ann')('GET', '/api/v1/conversations')).json<{
      conversations: Stored[];
    }>();
    const shown = await second.as('ann')('GET', `/api/v1/conversations/${seen[0]?.id}`);
    expect(shown.json<Stored>().messages[1]?.status).toBe('running');
    leaving.abort();
    await expect.poll(latest).toEqual(['hang', 'interrupted', 'So far ']);
  });
});

it('stores the whole answer although the database was unavailable in the middle of it', async () => {
  using folder = emptyFolder();
  const path = join(folder.path, 'atlas.db');
  const away = `${path}.away`;
  let server: Awaited<ReturnType<typeof start>> | undefined;
  const failures = () => server?.app.lines.filter(({ level }) => level === 'error') ?? [];
  const database = () => server?.app.get(internalDb) as InternalDb;
  await using started = await start(`sqlite:${path}`, async function* () {
    yield { type: 'text', text: 'So far ' } as const;
    const stored = () => database().run((db) => db('conversation_messages').pluck('id'));
    await vi.waitFor(async () => expect(await stored()).toHaveLength(2), 10_000);
    const writing = vi.spyOn(database(), 'write');
    renameSync(path, away);
    const refused = () => writing.mock.settledResults.filter(({ type }) => type === 'rejected');
    await vi.waitFor(() => expect(refused().length).toBeGreaterThan(2), 10_000);
    renameSync(away, path);
    yield* EVENTS.slice(-3);
  });
  server = started;
  const ann = server.as('ann');
  const answer = await ann('POST', '/api/v1/query', { question: 'How many?' });
  const { conversationId } = answer.json<{ conversationId: string }>();
  const { messages } = (await ann('GET', `/api/v1/conversations/${conversationId}`)).json<Stored>();
  expect(messages[1]).toMatchObject({
    status: 'complete',
    content: { parts: [{ type: 'text', text: 'So far There are 80\0.' }] },
  });
  expect(failures()).toHaveLength(1);
});

describe.each([
  ['delete', []],
  ['transfer', ['two', 'one', 'boss']],
] as const)('conversations of a user who is deleted: %s', (deletedUsers, titles) => {
  it.each(chosenEngines)(
    'on %s',
    async (_, open) => {
      await using engine = await open();
      await using server = await start(await engine.fresh(), undefined, { deletedUsers });
      const ids: string[] = [];
      for (const question of ['one', 'two']) {
        const asked = await server.as('ann@acme')('POST', '/api/v1/query', { question });
        ids.push(asked.json<{ conversationId: string }>().conversationId);
      }
      await server.as('ann@acme')('PATCH', `/api/v1/conversations/${ids[0]}/star`, { starred: true });
      await server.as('ann')('POST', '/api/v1/query', { question: 'alone' });
      await server.as('bob@acme')('POST', '/api/v1/query', { question: 'bob' });
      await server.as('boss@acme')('POST', '/api/v1/query', { question: 'boss' });
      const deleted = server.app.call(userDelete, { userId: 'ann', actorId: 'boss' }, server.app.scope());
      await deleted;
      const list = async (user: string, query = '') => {
        const answer = await server.as(user)('GET', `/api/v1/conversations${query}`);
        const page = answer.json<{ conversations: Stored[]; total: number }>();
        return [page.conversations.map(({ title }) => title).sort(), page.total];
      };
      expect(await list('ann@acme')).toEqual([[], 0]);
      expect(await list('ann')).toEqual([[], 0]);
      expect(await list('bob@acme')).toEqual([['bob'], 1]);
      const left = deletedUsers === 'delete' ? ['boss'] : [...titles].sort();
      expect(await list('boss@acme')).toEqual([left, left.length]);
      const stars = deletedUsers === 'delete' ? [[], 0] : [['one'], 1];
      expect(await list('boss@acme', '?starred=true')).toEqual(stars);
      const messages = server.app.get(internalDb).run((db) => db('conversation_messages').count({ n: '*' }).first());
      expect(Number(((await messages) as { n: unknown }).n)).toBe(deletedUsers === 'delete' ? 4 : 10);
    },
    60_000,
  );
});

describe('the conversations of an organization are deleted with it', () => {
  it.each(chosenEngines)(
    'on %s',
    async (_, open) => {
      await using engine = await open();
      await using server = await start(await engine.fresh());
      for (const user of ['ann@acme', 'bob@acme', 'ann@evil', 'ann']) {
        await server.as(user)('POST', '/api/v1/query', { question: 'one' });
      }
      await server.app.call(organizationDelete, { orgId: 'acme', actorId: 'boss' }, server.app.scope());
      const totals = [];
      for (const user of ['ann@acme', 'bob@acme', 'ann@evil', 'ann']) {
        totals.push((await server.as(user)('GET', '/api/v1/conversations')).json<{ total: number }>().total);
      }
      expect(totals).toEqual([0, 0, 1, 1]);
    },
    60_000,
  );
});

it('answers not_available without an internal database, and stores nothing', async () => {
  await using server = await start(undefined);
  const ann = server.as('ann');
  for (const [method, path] of [
    ['GET', ''],
    ['GET', '/not-an-id'],
    ['PATCH', '/00000000-0000-4000-8000-000000000000/star'],
    ['DELETE', '/00000000-0000-4000-8000-000000000000'],
  ] as const) {
    const answer = await ann(method, `/api/v1/conversations${path}`);
    expect([answer.statusCode, answer.json<{ error: string }>().error]).toEqual([404, 'not_available']);
  }
  const answer = await ann('POST', '/api/v1/query', { question: 'How many?' });
  expect([answer.statusCode, 'conversationId' in answer.json<object>()]).toEqual([200, false]);
});
