import { describe, expect, it } from 'vitest';
import { AtlasError, datasourceList, definePlugin, type PluginEntry, type Question } from '../../kernel/index.ts';
import { emptyFolder } from '../../test/harness/command.ts';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { type AgentEvent, type Ask, agent as agentRef, agentWrap, wrappedAgent } from '../agent/index.ts';
import { http } from '../http/index.ts';
import { internalDb } from '../internal-db/index.ts';
import { queryApi } from '../query-api/index.ts';
import { conversations } from './index.ts';
import { recordedAgent } from './recorded-agent.ts';

const base = { version: '1.0.0', type: 'core', description: 'For tests.' } as const;

const SAID: AgentEvent = { type: 'text', text: 'Let me look.' };
const FINISH: AgentEvent = {
  type: 'finish',
  answer: {
    text: 'Let me look.',
    sql: [],
    data: [],
    steps: 1,
    usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
    pendingActions: [],
    finishReason: 'stop',
    outcome: 'answered',
    notes: [],
  },
};

/** An agent that refuses connections which it does not know, as the real one does, and otherwise does `work`. */
function agentOf(work: () => AsyncIterable<AgentEvent>): PluginEntry {
  const ask: Ask = async function* ({ connectionId }) {
    if (connectionId === 'nowhere') throw new AtlasError('There is no such connection.', { code: 'invalid_request' });
    yield* work();
  };
  return definePlugin({
    ...base,
    name: 'agent',
    setup(ctx) {
      ctx.tap(datasourceList, () => [{ id: 'main', dbType: 'sqlite' as const, maskedUrl: 'sqlite:x' }]);
      return wrappedAgent(ctx, ask, 60_000);
    },
  })();
}

async function start(work: () => AsyncIterable<AgentEvent>, ...storage: PluginEntry[]) {
  const folder = emptyFolder();
  const url = `sqlite:${folder.path}/atlas.db`;
  const recording = storage.length > 0 ? storage : [internalDb({ url }), conversations()];
  const app = await createTestApp({ plugins: [http({ listen: false }), agentOf(work), queryApi(), ...recording] });
  const post = (url: string, payload: object) => app.inject({ method: 'POST', url, payload });
  const chat = (body: object = {}, url = '/api/chat') =>
    post(url, { messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'How many?' }] }], ...body });
  const stored = async () => {
    const list = await app.inject({ method: 'GET', url: '/api/v1/conversations' });
    const [first] = list.json<{ conversations: { id: string }[] }>().conversations;
    if (first === undefined) return undefined;
    const found = await app.inject({ method: 'GET', url: `/api/v1/conversations/${first.id}` });
    const { id, messages } = found.json<{ id: string; messages: { status: string; id: string }[] }>();
    return { id, answerId: messages[1]?.id, states: messages.map(({ status }) => status) };
  };
  async function close(): Promise<void> {
    await app.close();
    folder[Symbol.dispose]();
  }
  return { app, post, chat, stored, [Symbol.asyncDispose]: close };
}

async function* whole(): AsyncGenerator<AgentEvent> {
  yield SAID;
  yield FINISH;
}

async function* broken(): AsyncGenerator<AgentEvent> {
  yield SAID;
  throw new AtlasError('The provider is gone.', { code: 'provider_error' });
}

describe('a question of any surface', () => {
  it('is recorded without the surface doing anything for it', async () => {
    await using server = await start(whole);
    const asked: Question = { surface: 'mcp', turns: [{ role: 'user', text: 'How many?' }] };
    const { conversationId } = await server.app.get(agentRef).answer(asked, server.app.scope());
    expect(conversationId).toMatch(/^[0-9a-f-]{36}$/);
    const row = await server.app
      .get(internalDb)
      .run((db) => db('conversations').where({ id: conversationId }).first('surface'));
    expect(row).toEqual({ surface: 'mcp' });
  });

  it('begins its stream with the ids of answer and conversation', async () => {
    await using server = await start(whole);
    const { headers, body } = await server.chat({}, '/api/chat?stream=ui');
    const { id, answerId, states } = (await server.stored()) ?? {};
    expect(headers['x-conversation-id']).toBe(id);
    expect(states).toEqual(['complete', 'complete']);
    const [first = ''] = body.split('\n');
    expect(JSON.parse(first.slice('data: '.length))).toEqual({
      type: 'start',
      messageId: answerId,
      messageMetadata: { conversationId: id },
    });
  });

  it('is stored as interrupted when its answer breaks off, streamed or not', async () => {
    for (const path of ['/api/chat', '/api/v1/query']) {
      await using server = await start(broken);
      const answer = path === '/api/chat' ? await server.chat() : await server.post(path, { question: 'How many?' });
      expect(answer.body).toContain('The provider is gone.');
      await expect.poll(async () => (await server.stored())?.states).toEqual(['complete', 'interrupted']);
    }
  });

  it('to a connection that does not exist is refused, and leaves no conversation', async () => {
    await using server = await start(whole);
    const query = await server.post('/api/v1/query', { question: 'How many?', connectionId: 'nowhere' });
    const chat = await server.chat({ connectionId: 'nowhere', id: 'named' });
    expect([query.statusCode, chat.statusCode]).toEqual([400, 400]);
    expect(await server.stored()).toBeUndefined();
    await server.post('/api/v1/query', { question: 'How many?', connectionId: 'main' });
    expect((await server.stored())?.states).toEqual(['complete', 'complete']);
  });
});

describe('a chat whose conversation cannot be looked up', () => {
  it.each([
    ['is away', () => Promise.reject(new AtlasError('It is away.', { code: 'unavailable' }))],
    ['hangs', () => new Promise<never>(() => {})],
  ])('is answered while the database %s, and names no conversation', async (_, open) => {
    const recording = definePlugin({
      ...base,
      name: 'recording',
      setup(ctx) {
        ctx.tap(agentWrap, () => [(ask) => recordedAgent({ open }, ask)]);
      },
    });
    await using server = await start(whole, recording());
    const { statusCode, headers, body } = await server.chat({ id: 'named' });
    expect([statusCode, headers['x-conversation-id']]).toEqual([200, undefined]);
    expect(body).toContain('data: 0:"Let me look."');
  });
});

describe('the agent inside', () => {
  const asked: Question = { surface: 'mcp', turns: [{ role: 'user', text: 'How many?' }] };
  const opened = (begun: Promise<boolean>) => ({
    open: async (question: Question) => ({
      id: 'conversation',
      answerId: 'answer',
      question,
      begun,
      record: () => {},
      end: async () => true,
    }),
  });

  it('has ended before the answer waits for being stored', async () => {
    const storing = Promise.withResolvers<boolean>();
    const ended = Promise.withResolvers<void>();
    const ask = recordedAgent(opened(storing.promise), async function* () {
      try {
        yield FINISH;
      } finally {
        ended.resolve();
      }
    });
    await using app = await createTestApp({ plugins: [] });
    const next = ask(asked, app.scope(), false)[Symbol.asyncIterator]().next();
    await ended.promise;
    storing.resolve(true);
    expect(await next).toMatchObject({ value: { answer: { conversationId: 'conversation' } } });
  });

  it('is cancelled when its caller leaves before the first event', async () => {
    const cancelled = Promise.withResolvers<void>();
    const ask = recordedAgent(opened(Promise.resolve(true)), async function* (_, { signal }) {
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      cancelled.resolve();
      yield FINISH;
    });
    await using app = await createTestApp({ plugins: [] });
    for await (const { type } of ask(asked, app.scope(), true)) {
      expect(type).toBe('start');
      break;
    }
    await cancelled.promise;
  });
});
