/** The AI SDK's own chat against a server: one chat is one conversation, and every chunk is one that the SDK knows. */
import { Chat } from '@ai-sdk/react';
import { Value } from '@sinclair/typebox/value';
import { DefaultChatTransport, type UIMessage, uiMessageChunkSchema } from 'ai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AtlasError, definePlugin, type PluginEntry, type Question, type Scope } from '../../kernel/index.ts';
import { emptyFolder } from '../../test/harness/command.ts';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { type AgentEvent, wrappedAgent } from '../agent/index.ts';
import { conversations } from '../conversations/index.ts';
import { http } from '../http/index.ts';
import { internalDb } from '../internal-db/index.ts';
import { queryApi } from './index.ts';
import { CodeStreamEvent, UiStreamChunk } from './stream-schemas.ts';

type AtlasMessage = UIMessage<{ conversationId?: string; usage?: { totalTokens: number } }>;

interface Stored {
  readonly id: string;
  readonly messages: { id: string; role: string; status: string; content: { parts: UIMessage['parts'] } }[];
}

const folder = emptyFolder();
let database: string;
let used = 0;
beforeAll(() => {
  database = folder.path;
});
afterAll(() => folder[Symbol.dispose]());

/** Answers with the number of the question, after a tool that works and one that fails. */
async function* answer(n: number): AsyncGenerator<AgentEvent> {
  yield { type: 'text', text: 'Let me look.' };
  yield { type: 'tool-call', toolCallId: `good-${n}`, toolName: 'executeSQL', args: { sql: 'SELECT 1' } };
  yield { type: 'tool-call', toolCallId: `bad-${n}`, toolName: 'executeSQL', args: { sql: 'SELECT' } };
  yield { type: 'tool-result', toolCallId: `good-${n}`, toolName: 'executeSQL', result: { rows: [{ n: 1 }] } };
  const error = 'The statement is not complete.';
  yield { type: 'tool-result', toolCallId: `bad-${n}`, toolName: 'executeSQL', result: { error }, error };
  yield { type: 'text', text: `Answer ${n}.` };
  yield {
    type: 'finish',
    answer: {
      text: `Answer ${n}.`,
      sql: [],
      data: [],
      steps: 2,
      usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
      pendingActions: [],
      finishReason: 'stop',
      outcome: 'answered',
      notes: [],
    },
  };
}

/** Reasons before its call and before its answer. */
async function* reasoned(): AsyncGenerator<AgentEvent> {
  yield { type: 'reasoning', text: 'Orders, ' };
  yield { type: 'reasoning', text: 'then.' };
  yield { type: 'tool-call', toolCallId: 'r', toolName: 'executeSQL', args: { sql: 'SELECT 7' } };
  yield { type: 'tool-result', toolCallId: 'r', toolName: 'executeSQL', result: { rows: [{ n: 7 }] } };
  yield { type: 'reasoning', text: 'That is all.' };
  for await (const event of answer(7)) {
    if (event.type === 'finish') {
      yield { type: 'text', text: 'Seven.' };
      yield event;
    }
  }
}

interface ServerOptions {
  readonly stored?: boolean;
  readonly pingEveryMs?: number;
  readonly play?: (n: number, scope: Scope) => AsyncIterable<AgentEvent> | undefined;
}

async function start({ stored = true, pingEveryMs, play = () => undefined }: ServerOptions = {}) {
  const asked: Question[] = [];
  async function* work(question: Question, scope: Scope): AsyncGenerator<AgentEvent> {
    asked.push(question);
    yield* play(asked.length, scope) ?? answer(asked.length);
  }
  const agent = definePlugin({
    name: 'agent',
    version: '1.0.0',
    type: 'core',
    description: 'Plays its events.',
    setup: (ctx) => wrappedAgent(ctx, work, 60_000),
  });
  used += 1;
  const storage: PluginEntry[] = stored
    ? [internalDb({ url: `sqlite:${database}/${used}.db` }), conversations()]
    : [internalDb({}), conversations()];
  const app = await createTestApp({
    plugins: [
      http({ port: 0, gracefulCloseMs: 200 }),
      agent(),
      queryApi(pingEveryMs === undefined ? {} : { pingEveryMs }),
      ...storage,
    ],
  });
  const url = app.get(http).url();
  const read = async <T>(path: string) => (await app.inject({ method: 'GET', url: `/api/v1/${path}` })).json<T>();
  return {
    app,
    asked,
    url,
    list: async () => (await read<{ conversations: Stored[] }>('conversations')).conversations,
    /** As it is once every answer has been stored, which is not awaited. */
    async conversation(id: string | undefined): Promise<Stored> {
      const written = () => read<Stored>(`conversations/${id}`);
      await expect.poll(async () => (await written()).messages.map(({ status }) => status)).not.toContain('running');
      return written();
    },
    [Symbol.asyncDispose]: () => app.close(),
  };
}

/** A chat of a browser. `chunks` is every chunk that has come, checked against the SDK's own schema. */
function chatOf(server: { url: string }, id?: string) {
  const chunks: { type: string; [key: string]: unknown }[] = [];
  const faults: unknown[] = [];
  const watched: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (response.body === null || !response.ok) return response;
    const [shown, checked] = response.body.tee();
    void new Response(checked).text().then(
      async (text) => {
        for (const line of text.split('\n')) {
          if (!line.startsWith('data: ') || line === 'data: [DONE]') continue;
          const chunk = JSON.parse(line.slice('data: '.length));
          const result = await uiMessageChunkSchema().validate?.(chunk);
          if (result?.success !== true) faults.push({ chunk, result });
          // And one that the interface description has.
          if (!Value.Check(UiStreamChunk, chunk)) faults.push({ chunk });
          chunks.push(chunk);
        }
      },
      () => {},
    );
    return new Response(shown, response);
  };
  const transport = new DefaultChatTransport<AtlasMessage>({ api: `${server.url}/api/chat?stream=ui`, fetch: watched });
  const chat = new Chat<AtlasMessage>({ ...(id !== undefined && { id }), transport });
  return { chat, chunks, faults };
}

const textOf = (message: { parts: UIMessage['parts'] } | undefined) =>
  (message?.parts ?? []).flatMap((part) => (part.type === 'text' ? part.text : [])).join(' ');
const summary = ({ messages }: Stored) => messages.map(({ role, content }) => `${role}: ${textOf(content)}`);

describe('the chat of the AI SDK', () => {
  it('makes one conversation of many turns, and names it', async () => {
    await using server = await start();
    const { chat, chunks, faults } = chatOf(server);
    for (const text of ['One?', 'Two?', 'Three?']) await chat.sendMessage({ text });
    expect([chat.status, chat.error]).toEqual(['ready', undefined]);

    const [conversation, ...others] = await server.list();
    expect(others).toEqual([]);
    const stored = await server.conversation(conversation?.id);
    expect(summary(stored)).toEqual([
      'user: One?',
      'assistant: Let me look. Answer 1.',
      'user: Two?',
      'assistant: Let me look. Answer 2.',
      'user: Three?',
      'assistant: Let me look. Answer 3.',
    ]);
    expect(server.asked.map(({ conversationId }) => conversationId)).toEqual(Array(3).fill(conversation?.id));
    const shown = chat.messages.filter(({ role }) => role === 'assistant');
    expect(shown.map(({ metadata }) => metadata)).toEqual(
      Array(3).fill({
        conversationId: conversation?.id,
        outcome: 'answered',
        notes: [],
        usage: expect.objectContaining({ totalTokens: 2 }),
      }),
    );
    expect(shown.map(({ id }) => id)).toEqual(
      stored.messages.filter(({ role }) => role === 'assistant').map(({ id }) => id),
    );
    await expect.poll(() => chunks.filter(({ type }) => type === 'finish').length).toBe(3);
    expect(faults).toEqual([]);
  });

  it('shows a tool that failed as failed, live and from storage', async () => {
    await using server = await start();
    const { chat } = chatOf(server);
    await chat.sendMessage({ text: 'One?' });
    const tools = (message: { parts: UIMessage['parts'] } | undefined) =>
      message?.parts.filter(({ type }) => type.startsWith('tool-')) ?? [];
    const expected = [
      { state: 'output-available', toolCallId: 'good-1', output: { rows: [{ n: 1 }] } },
      { state: 'output-error', toolCallId: 'bad-1', errorText: 'The statement is not complete.' },
    ];
    expect(tools(chat.messages[1])).toMatchObject(expected);
    const stored = await server.conversation((await server.list())[0]?.id);
    expect(tools(stored.messages[1]?.content)).toMatchObject(expected);
  });

  it('shows a result with names that its parser refuses', async () => {
    const output = JSON.parse(
      '{"columns": ["__proto__", "v"], "rows": [{"__proto__": 1, "v": {"constructor": {"prototype": 2}, "columns": ["__proto__"]}}]}',
    );
    await using server = await start({
      play: (n) =>
        (async function* (): AsyncGenerator<AgentEvent> {
          for await (const event of answer(n))
            yield event.type === 'tool-result' && event.error === undefined ? { ...event, result: output } : event;
        })(),
    });
    const { chat, chunks, faults } = chatOf(server);
    await chat.sendMessage({ text: 'One?' });
    expect([chat.status, chat.error]).toEqual(['ready', undefined]);
    await expect.poll(() => chunks.at(-1)?.type).toBe('finish');
    const shown = chat.messages[1]?.parts.find((part) => 'output' in part && part.output !== undefined);
    expect(JSON.parse(JSON.stringify(shown)).output).toEqual({
      columns: ['__proto__ ', 'v'],
      rows: [{ '__proto__ ': 1, v: { 'constructor ': { prototype: 2 }, columns: ['__proto__ '] } }],
    });
    expect(faults).toEqual([]);
  });

  it('shows reasoning apart from the answer, and stores the answer alone', async () => {
    await using server = await start({ play: () => reasoned() });
    const { chat, chunks, faults } = chatOf(server);
    await chat.sendMessage({ text: 'One?' });
    expect(chat.messages[1]?.parts).toMatchObject([
      { type: 'step-start' },
      { type: 'reasoning', text: 'Orders, then.', state: 'done' },
      { type: 'tool-executeSQL', state: 'output-available' },
      { type: 'step-start' },
      { type: 'reasoning', text: 'That is all.' },
      { type: 'text', text: 'Seven.' },
    ]);
    await expect.poll(() => chunks.at(-1)?.type).toBe('finish');
    expect(faults).toEqual([]);
    const stored = await server.conversation((await server.list())[0]?.id);
    expect(JSON.stringify(stored.messages)).not.toContain('Orders, then');
  });

  it('replaces an answer that is asked for again', async () => {
    await using server = await start();
    const { chat, faults } = chatOf(server);
    await chat.sendMessage({ text: 'One?' });
    await chat.sendMessage({ text: 'Two?' });
    await chat.regenerate();
    const [conversation, ...others] = await server.list();
    expect(others).toEqual([]);
    expect(summary(await server.conversation(conversation?.id))).toEqual([
      'user: One?',
      'assistant: Let me look. Answer 1.',
      'user: Two?',
      'assistant: Let me look. Answer 3.',
    ]);
    await chat.regenerate({ messageId: chat.messages[1]?.id as string });
    await chat.sendMessage({ text: 'Three?' });
    expect(summary(await server.conversation(conversation?.id))).toEqual([
      'user: One?',
      'assistant: Let me look. Answer 4.',
      'user: Three?',
      'assistant: Let me look. Answer 5.',
    ]);
    expect(faults).toEqual([]);
  });

  it('adds a question that never came, although an earlier one had its text', async () => {
    await using server = await start();
    const { chat } = chatOf(server);
    await chat.sendMessage({ text: 'One?' });
    await chat.sendMessage({ text: 'Two?' });
    chat.messages = [...chat.messages, { id: 'lost', role: 'user', parts: [{ type: 'text', text: 'One?' }] }];
    await chat.regenerate();
    const [conversation] = await server.list();
    expect(summary(await server.conversation(conversation?.id))).toEqual([
      'user: One?',
      'assistant: Let me look. Answer 1.',
      'user: Two?',
      'assistant: Let me look. Answer 2.',
      'user: One?',
      'assistant: Let me look. Answer 3.',
    ]);
  });

  it('goes on in the same conversation after a stop', async () => {
    await using server = await start({
      play: (n, scope) =>
        n > 1
          ? undefined
          : (async function* (): AsyncGenerator<AgentEvent> {
              yield { type: 'text', text: 'Let me' };
              await new Promise((_, reject) => {
                scope.signal.addEventListener('abort', () => reject(scope.signal.reason));
              });
            })(),
    });
    const { chat } = chatOf(server);
    const asking = chat.sendMessage({ text: 'One?' });
    await expect.poll(() => textOf(chat.messages[1])).toBe('Let me');
    await chat.stop();
    await asking;
    await chat.sendMessage({ text: 'Two?' });
    const [conversation, ...others] = await server.list();
    expect(others).toEqual([]);
    const stored = await server.conversation(conversation?.id);
    expect(stored.messages.map(({ role, status }) => `${role} ${status}`)).toEqual([
      'user complete',
      'assistant interrupted',
      'user complete',
      'assistant complete',
    ]);
    expect(server.asked[1]?.turns.map(({ text }) => text)).toEqual(['One?', 'Let me', 'Two?']);
  });

  it('gives a conversation the id that is a UUID', async () => {
    await using server = await start();
    const id = '3F2C1B6E-8d4a-4c5b-9e7f-0a1b2c3d4e5f';
    const { chat } = chatOf(server, id);
    await chat.sendMessage({ text: 'One?' });
    await chat.sendMessage({ text: 'Two?' });
    expect((await server.list()).map((conversation) => conversation.id)).toEqual([id.toLowerCase()]);
    expect((await server.conversation(id)).messages).toHaveLength(4);
  });

  it('works where nothing is stored', async () => {
    await using server = await start({ stored: false });
    const { chat, chunks, faults } = chatOf(server, 'named');
    await chat.sendMessage({ text: 'One?' });
    await chat.sendMessage({ text: 'Two?' });
    await chat.regenerate();
    expect([chat.status, chat.error]).toEqual(['ready', undefined]);
    expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect(chat.messages[1]?.metadata).not.toHaveProperty('conversationId');
    await expect.poll(() => chunks.filter(({ type }) => type === 'start').length).toBe(3);
    const starts = chunks.filter(({ type }) => type === 'start');
    expect(new Set(starts.map(({ messageId }) => messageId)).size).toBe(3);
    expect(faults).toEqual([]);
  });

  it('ends with an error that the SDK understands', async () => {
    await using server = await start({
      play: () =>
        (async function* (): AsyncGenerator<AgentEvent> {
          yield { type: 'text', text: 'Let me' };
          throw new AtlasError('The provider is down.', { code: 'provider_unreachable' });
        })(),
    });
    const { chat, chunks, faults } = chatOf(server);
    await chat.sendMessage({ text: 'One?' });
    expect([chat.status, chat.error?.message]).toEqual(['error', 'The provider is down.']);
    await expect.poll(() => chunks.at(-1)?.type).toBe('finish');
    expect(faults).toEqual([]);
  });
});

describe('an agent that fails at once', () => {
  it('is told to onError in a sentence, with its status', async () => {
    const hint = 'Set SVC_DATASOURCE_URL.';
    await using server = await start({
      play: () => {
        throw new AtlasError('No datasource is configured.', { code: 'no_datasource', hint });
      },
    });
    const told: Error[] = [];
    const api = `${server.url}/api/chat?stream=ui`;
    const chat = new Chat({ transport: new DefaultChatTransport({ api }), onError: (error) => told.push(error) });
    await chat.sendMessage({ text: 'One?' });
    const message = /^No datasource is configured\. Set SVC_DATASOURCE_URL\. \(no_datasource, request [\w-]{36}\)$/;
    expect(told).toMatchObject([{ message: expect.stringMatching(message), statusCode: 400 }]);
  });

  it('is told with its status, and nothing is left over', async () => {
    await using server = await start({
      play: () => {
        throw new AtlasError('No datasource is configured.', { code: 'no_datasource' });
      },
    });
    const messages = [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'One?' }] }];
    for (const id of [undefined, 'named']) {
      const response = await server.app.inject({ method: 'POST', url: '/api/chat', payload: { id, messages } });
      expect([response.statusCode, response.json()]).toMatchObject([400, { error: 'no_datasource' }]);
    }
  });
});

describe('the default stream', () => {
  it('has the events that the interface description has', async () => {
    await using server = await start({
      play: (n) =>
        n === 1
          ? undefined
          : (async function* (): AsyncGenerator<AgentEvent> {
              yield { type: 'text', text: 'Let me' };
              throw new AtlasError('The provider is down.', { code: 'provider_unreachable' });
            })(),
    });
    const messages = [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'One?' }] }];
    const codes: string[] = [];
    for (const _ of ['a whole answer', 'one that breaks off']) {
      const { body } = await server.app.inject({ method: 'POST', url: '/api/chat', payload: { messages } });
      for (const line of body.trimEnd().split('\n\n')) {
        const [, code = '', json = ''] = /^data: (.):(.*)$/.exec(line) ?? [];
        expect([line, Value.Check(CodeStreamEvent, { code, value: JSON.parse(json) })]).toEqual([line, true]);
        codes.push(code);
      }
    }
    expect(codes.join('')).toBe('099aa0d03d');
    expect(Value.Check(CodeStreamEvent, { code: 'd', value: { finishReason: 'tired' } })).toBe(false);
  });

  it('has no reasoning, and is kept alive meanwhile', async () => {
    await using server = await start({
      pingEveryMs: 20,
      async *play() {
        for (let n = 0; n < 10; n += 1) {
          await new Promise((resolve) => setTimeout(resolve, 10));
          yield { type: 'reasoning', text: 'Hm. ' };
        }
        yield* reasoned();
      },
    });
    const messages = [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'One?' }] }];
    const { body } = await server.app.inject({ method: 'POST', url: '/api/chat', payload: { messages } });
    expect(body).not.toContain('Hm.');
    expect(body.match(/^: ping$/gm)?.length).toBeGreaterThan(1);
    expect(body.match(/^data: ./gm)).toEqual(['data: 9', 'data: a', 'data: 0', 'data: d']);
  });
});
