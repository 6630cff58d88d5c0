/** The AI SDK's own chat takes up answers of other servers: several apps on one internal database. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Chat } from '@ai-sdk/react';
import { Value } from '@sinclair/typebox/value';
import { DefaultChatTransport, type UIMessage } from 'ai';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Actor, definePlugin, type Scope } from '../../../kernel/index.ts';
import { createTestApp } from '../../../test/harness/create-test-app.ts';
import { headerAuth } from '../../../test/harness/header-auth.ts';
import { chosenEngines, type TestEngine } from '../../../test/harness/internal-databases.ts';
import { type AgentEvent, type StatementFacts, wrappedAgent } from '../../agent/index.ts';
import { http } from '../../http/index.ts';
import { internalDb } from '../../internal-db/index.ts';
import { ChatStream, queryApi } from '../../query-api/index.ts';
import { conversations } from '../index.ts';

let url = '';

const SQL = 'SELECT n FROM numbers';
const FACTS: StatementFacts = {
  toolCallId: 'good',
  requested: SQL,
  executed: SQL,
  changes: [],
  tables: ['numbers'],
  connectionId: 'main',
  durationMs: 1,
  rowCount: 1,
  truncated: false,
  notes: [],
  auditId: null,
};

/** Goes so far, waits for the gate, and goes on. */
async function* answer(gate: Promise<unknown>, { signal }: Scope): AsyncGenerator<AgentEvent> {
  yield { type: 'text', text: 'Let me ' };
  yield { type: 'text', text: 'look.' };
  yield { type: 'tool-call', toolCallId: 'good', toolName: 'executeSQL', args: { sql: SQL } };
  yield { type: 'tool-call', toolCallId: 'bad', toolName: 'executeSQL', args: { sql: 'SELECT' } };
  const result = { columns: ['n'], rows: [{ n: 1 }], sql: SQL };
  yield { type: 'tool-result', toolCallId: 'good', toolName: 'executeSQL', result, statement: FACTS };
  const error = 'SELECT is not complete.';
  yield { type: 'tool-result', toolCallId: 'bad', toolName: 'executeSQL', result: { error }, error };
  yield { type: 'text', text: 'It is ' };
  await Promise.race([gate, new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))]);
  yield { type: 'text', text: 'one.\n\n```sql\nSELECT 1\n```\n' };
  yield {
    type: 'finish',
    answer: {
      text: 'It is one.',
      sql: [SQL],
      data: [],
      steps: 2,
      usage: { inputTokens: 3, outputTokens: 4, totalTokens: 7 },
      pendingActions: [],
      finishReason: 'length',
      outcome: 'answered',
      notes: [{ code: 'assumption', message: 'All numbers are meant.' }],
      suggestions: ['And two?'],
      verified: { name: 'numbers', by: 'Ann', at: '2026-01-01', parameters: {} },
    },
  };
}

const auth = headerAuth((header) => ({
  id: header('x-user') || 'ann',
  orgId: header('x-org') || 'acme',
  role: (header('x-role') || 'admin') as Actor['role'],
}));

const servers: AsyncDisposable[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server[Symbol.asyncDispose]()));
});

async function start({ gracefulCloseMs = 200, maxConnections = 100 } = {}) {
  const scopes: Scope[] = [];
  const gate = Promise.withResolvers<void>();
  const clock = { aheadMs: 0 };
  const agent = definePlugin({
    name: 'agent',
    version: '1.0.0',
    type: 'core',
    description: 'Plays its events.',
    setup: (ctx) =>
      wrappedAgent(
        ctx,
        (_, scope) => {
          scopes.push(scope);
          return answer(gate.promise, scope);
        },
        60_000,
      ),
  });
  const app = await createTestApp({
    plugins: [
      http({ port: 0, gracefulCloseMs, maxConnections }),
      auth,
      agent(),
      queryApi({ sqlFor: 'analyst' }),
      internalDb({ url }),
      conversations(),
    ],
    now: () => Date.now() + clock.aheadMs,
    drainMs: 30_000,
  });
  const server = {
    app,
    scopes,
    clock,
    url: app.get(http).url(),
    goOn: () => gate.resolve(),
    call: (method: 'GET' | 'DELETE', path: string, headers: Record<string, string> = {}) =>
      app.inject({ method, url: path, headers }),
    [Symbol.asyncDispose]: () => app.close(),
  };
  servers.push(server);
  return server;
}
type Server = Awaited<ReturnType<typeof start>>;

/** A chat of a browser; `resumable` is what it says of itself. */
function chatOf({ url: base }: Server, id: string, messages: UIMessage[] = [], resumable = true) {
  const transport = new DefaultChatTransport({ api: `${base}/api/chat?stream=ui`, body: { resumable } });
  return new Chat({ id, messages, transport });
}

/** Asks, reads what comes before the gate, and loses the line. */
async function askAndLeave(server: Server, id: string, resumable = true): Promise<UIMessage[]> {
  const chat = chatOf(server, id, [], resumable);
  const asking = chat.sendMessage({ text: 'How many?' });
  await expect.poll(() => JSON.stringify(chat.messages[1]?.parts ?? '')).toContain('It is ');
  const gone = () => server.app.lines.filter(({ message }) => message.startsWith('A client has left')).length;
  const before = gone();
  await chat.stop();
  await asking;
  if (resumable) await expect.poll(gone).toBe(before + 1);
  return chat.messages.slice(0, 1);
}

const textOf = (message: UIMessage | undefined) =>
  (message?.parts ?? []).flatMap((part) => (part.type === 'text' ? part.text : [])).join('|');
const isAborted = ({ scopes }: Server) => scopes[0]?.signal.aborted;

interface Stored {
  readonly messages: { id: string; role: string; status: string }[];
}
async function statusOf(server: Server, id: string): Promise<string | undefined> {
  return (await server.call('GET', `/api/v1/conversations/${id}`)).json<Stored>().messages.at(-1)?.status;
}

describe.each(chosenEngines)('on %s', (engineName, openEngine) => {
  let engine: TestEngine;
  beforeAll(async () => {
    engine = await openEngine();
    url = await engine.fresh();
  }, 60_000);
  afterAll(async () => engine[Symbol.asyncDispose]());

  it('another server takes up an answer that goes on without its client, once, to the same end', async () => {
    const [first, second] = [await start(), await start()];
    const id = randomUUID();
    const whole = chatOf(first, id);
    const asking = whole.sendMessage({ text: 'How many?' });
    await expect.poll(() => textOf(whole.messages[1])).toContain('It is ');
    const other = chatOf(second, id, whole.messages.slice(0, 1));
    const following = other.resumeStream();
    await expect.poll(() => textOf(other.messages[1])).toBe('Let me look.|It is ');
    expect(other.status).toBe('streaming');
    first.goOn();
    await Promise.all([asking, following]);
    expect([other.status, other.error]).toEqual(['ready', undefined]);
    expect(other.messages[1]).toEqual(whole.messages[1]);
    expect(other.messages[1]).toMatchObject({
      metadata: { conversationId: id, usage: { totalTokens: 7 }, notes: [{ code: 'assumption' }] },
      parts: expect.arrayContaining([expect.objectContaining({ type: 'data-verified' })]),
    });
    expect([first.scopes.length, second.scopes.length]).toEqual([1, 0]);
    for (const server of [first, second])
      expect((await server.call('GET', `/api/v1/chat/${id}/stream?stream=ui`)).statusCode).toBe(204);
  });

  it('an answer that came to its end while nobody read it is delivered then, and once', async () => {
    const [first, second] = [await start(), await start()];
    const name = `chat-${randomUUID()}`;
    const asked = await askAndLeave(first, name);
    first.goOn();
    const [{ id = '' } = {}] = (await second.call('GET', '/api/v1/conversations')).json<{
      conversations: { id: string }[];
    }>().conversations;
    await expect.poll(() => statusOf(second, id)).toBe('complete');
    const chat = chatOf(second, name, asked);
    await chat.resumeStream();
    expect([chat.status, textOf(chat.messages[1])]).toEqual([
      'ready',
      'Let me look.|It is one.\n\n```sql\nSELECT 1\n```\n',
    ]);
    await chat.resumeStream();
    expect([chat.status, chat.messages.length]).toEqual(['ready', 2]);
    const unknown = { method: 'GET', url: `/api/chat/${name}/stream` } as const;
    expect((await second.app.inject(unknown)).statusCode).toBe(204);
  });

  it('a client that does not say so ends its answer by leaving', async () => {
    const server = await start();
    const id = randomUUID();
    await askAndLeave(server, id, false);
    await expect.poll(() => isAborted(server)).toBe(true);
    await expect.poll(() => statusOf(server, id)).toBe('interrupted');
    expect((await server.call('GET', `/api/chat/${id}/stream`)).statusCode).toBe(204);
  });

  it('an answer that nobody reads ends after a minute, and what was said is delivered with an error', async () => {
    const [first, second] = [await start(), await start()];
    const id = randomUUID();
    const asked = await askAndLeave(first, id);
    first.clock.aheadMs = 61_000;
    await expect.poll(() => isAborted(first)).toBe(true);
    await expect.poll(() => statusOf(second, id)).toBe('interrupted');
    const chat = chatOf(second, id, asked);
    await chat.resumeStream();
    expect(chat.error?.message).toBe('The answer broke off, and this is what had been said. Ask again.');
    expect(textOf(chat.messages[1])).toBe('Let me look.|It is ');
    expect((await second.call('GET', `/api/chat/${id}/stream`)).statusCode).toBe(204);
  });

  it('a stop on another server ends the answer, with and without its client', async () => {
    const [first, second] = [await start(), await start()];
    const read = chatOf(first, randomUUID());
    const asking = read.sendMessage({ text: 'How many?' });
    await expect.poll(() => textOf(read.messages[1])).toContain('It is ');
    const left = randomUUID();
    await askAndLeave(first, left);
    for (const id of [read.id, left]) {
      expect((await second.call('DELETE', `/api/v1/chat/${id}/stream`)).statusCode).toBe(204);
      expect(await statusOf(second, id)).toBe('interrupted');
      expect((await second.call('GET', `/api/v1/chat/${id}/stream`)).statusCode).toBe(204);
      expect((await second.call('DELETE', `/api/v1/chat/${id}/stream`)).statusCode).toBe(204);
    }
    await asking;
    expect(read.error?.message).toBe('The answer was stopped. Ask again for a whole one.');
    expect(first.scopes.map(({ signal }) => signal.aborted)).toEqual([true, true]);
  });

  it('an answer that ends with its client is not stopped otherwise', async () => {
    const [first, second] = [await start(), await start()];
    const chat = chatOf(first, randomUUID(), [], false);
    const asking = chat.sendMessage({ text: 'How many?' });
    await expect.poll(() => textOf(chat.messages[1])).toContain('It is ');
    const refused = await second.call('DELETE', `/api/v1/chat/${chat.id}/stream`);
    expect([refused.statusCode, refused.json()]).toMatchObject([409, { error: 'conflict' }]);
    first.goOn();
    await asking;
    expect(chat.error).toBeUndefined();
  });

  it('nobody else reads or stops it, nor learns that it exists', async () => {
    const [first, second] = [await start(), await start()];
    const [id, name] = [randomUUID(), `named-${randomUUID()}`];
    await askAndLeave(first, id);
    await askAndLeave(first, name);
    const told = async (method: 'GET' | 'DELETE', path: string, headers: Record<string, string>) => {
      const { statusCode, body } = await second.call(method, `/api/chat/${path}/stream`, headers);
      return [statusCode, body && { ...JSON.parse(body), requestId: '' }];
    };
    for (const [method, missing] of [
      ['GET', [204, '']],
      ['DELETE', [404, { error: 'not_found' }]],
    ] as const) {
      const unknown = await told(method, randomUUID(), {});
      expect(unknown).toMatchObject(missing);
      for (const path of [id, name])
        for (const other of [{ 'x-user': 'bob' }, { 'x-org': 'foreign' }])
          expect(await told(method, path, other)).toEqual(unknown);
    }
    expect(first.scopes.map(({ signal }) => signal.aborted)).toEqual([false, false]);
  });

  it('a reader who sees no SQL sees none of a stream that is taken up', async () => {
    const second = await start();
    for (const [role, isShown] of [
      ['viewer', false],
      ['analyst', true],
    ] as const) {
      const first = await start();
      const id = randomUUID();
      await askAndLeave(first, id);
      const following = second.call('GET', `/api/chat/${id}/stream`, { 'x-role': role });
      first.goOn();
      const { headers, body } = await following;
      expect(headers).toMatchObject({ 'x-vercel-ai-ui-message-stream': 'v1', 'x-conversation-id': id });
      expect(body.includes('SELECT')).toBe(isShown);
      expect(body).toContain('"rows":[{"n":1}]');
      expect(body).toContain('one.');
      expect(body.trimEnd().split('\n\n').slice(-2)).toEqual([
        expect.stringContaining('"finishReason":"length"'),
        'data: [DONE]',
      ]);
      for (const line of body.split('\n\n').filter((text) => text.startsWith('data: {')))
        expect([line, Value.Check(ChatStream.contentSchema.anyOf[1], JSON.parse(line.slice(6)))]).toEqual([line, true]);
    }
  });

  it('an answer without a client is a running request, for which others wait, and a server that stops', async () => {
    const [first, second] = [await start({ gracefulCloseMs: 30_000, maxConnections: 1 }), await start()];
    const id = randomUUID();
    await askAndLeave(first, id);
    expect((await first.call('GET', '/api/v1/conversations')).statusCode).toBe(503);
    const closing = first.app.close();
    await expect.poll(() => first.app.lines).toContainEqual(expect.objectContaining({ fields: { requests: 1 } }));
    first.goOn();
    await closing;
    expect(await statusOf(second, id)).toBe('complete');
  });

  it('a server that stops cuts a stream that was taken up, and it goes on from another one', async () => {
    const [first, second] = [await start(), await start()];
    const id = randomUUID();
    const chat = chatOf(second, id, await askAndLeave(first, id));
    const following = chat.resumeStream();
    await expect.poll(() => textOf(chat.messages[1])).toBe('Let me look.|It is ');
    await second.app.close();
    await following;
    expect(chat.error).toBeInstanceOf(TypeError);
    const again = chatOf(first, id, chat.messages);
    first.goOn();
    await again.resumeStream();
    expect([again.error, textOf(again.messages[1])]).toEqual([undefined, expect.stringContaining('one.')]);
  });

  // Servers on one file have one clock.
  if (engineName !== 'sqlite') {
    it('no running answer is taken for broken off because a clock is wrong', async () => {
      const [right, ahead, behind] = [await start(), await start(), await start()];
      ahead.clock.aheadMs = 600_000;
      behind.clock.aheadMs = -600_000;
      for (const server of [right, ahead, behind]) {
        await expect.poll(() => Math.abs(server.app.get(internalDb).now() - Date.now())).toBeLessThan(10_000);
      }
      for (const server of [right, behind]) {
        const id = randomUUID();
        await askAndLeave(server, id);
        for (const other of [right, ahead, behind]) expect(await statusOf(other, id)).toBe('running');
      }
    });
  }

  it('an answer whose server is gone is delivered so far, with an error, and is asked of nobody again', async () => {
    const server = await start();
    const id = randomUUID();
    const asked = await askAndLeave(server, id);
    const db = server.app.get(internalDb);
    // The process with this number has not begun then.
    const writer = JSON.stringify([hostname(), process.pid, 1]);
    await expect.poll(async () => (await server.call('GET', `/api/v1/conversations/${id}`)).body).toContain('It is ');
    await db.run((knex) => knex('conversation_messages').where({ state: 'running' }).update({ writer }));
    const chat = chatOf(server, id, asked);
    await chat.resumeStream();
    expect(chat.error?.message).toBe('The answer broke off, and this is what had been said. Ask again.');
    expect(textOf(chat.messages[1])).toBe('Let me look.|It is ');
    await chat.resumeStream();
    expect([chat.status, server.scopes.length]).toEqual(['ready', 1]);
  });
});
