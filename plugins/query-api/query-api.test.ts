import { setTimeout as sleep } from 'node:timers/promises';
import { AbstractChat, type ChatState, type ChatStatus, DefaultChatTransport, type UIMessage } from 'ai';
import { describe, expect, it } from 'vitest';
import {
  AtlasError,
  override,
  type PendingAction,
  type Question,
  type Scope,
  type SqlStatement,
} from '../../kernel/index.ts';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { type Agent, type AgentEvent, type Answer, agent } from '../agent/index.ts';
import { http } from '../http/index.ts';
import { queryApi } from './index.ts';

const ANSWER: Answer = {
  text: 'There are 2 orders.',
  outcome: 'answered',
  notes: [{ code: 'policy_applied', message: 'Row security limits the results.' }],
  sql: ['SELECT count(*) AS n FROM orders'],
  data: [
    {
      sql: 'SELECT …',
      connectionId: 'default',
      columns: ['n'],
      rows: [{ n: 2 }],
      truncated: false,
      ran: { statement: { sql: 'SELECT … WHERE tenant = ?' } as SqlStatement, durationMs: 1.23456 },
    },
  ],
  steps: 2,
  usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 },
  pendingActions: [],
  finishReason: 'stop',
};

const EVENTS: AgentEvent[] = [
  { type: 'text', text: 'Let me look.\n' },
  { type: 'tool-call', toolCallId: 'c1', toolName: 'executeSQL', args: { sql: 'SELECT 1' } },
  { type: 'tool-result', toolCallId: 'c1', toolName: 'executeSQL', result: { columns: ['n'], rows: [{ n: 2 }] } },
  { type: 'text', text: 'There are ' },
  { type: 'text', text: '2 orders.' },
  { type: 'finish', answer: ANSWER },
];

interface Script {
  readonly requestTimeoutMs: number;
  /** What it was asked, in order. */
  readonly asked: Question[];
  events(scope: Scope): AsyncIterable<AgentEvent>;
  answer?: (question: Question, scope: Scope) => Promise<Answer>;
}

async function* play(events: readonly AgentEvent[]): AsyncGenerator<AgentEvent> {
  yield* events;
}

async function start(script: Partial<Script> = {}, options: Parameters<typeof queryApi>[0] = {}) {
  const asked: Question[] = [];
  const fake: Agent = {
    runStatement: () => Promise.reject(new Error('not asked')),
    requestTimeoutMs: script.requestTimeoutMs ?? 60_000,
    ask: (question, scope) => {
      asked.push(question);
      return (script.events ?? (() => play(EVENTS)))(scope);
    },
    answer: async (question, scope) => {
      asked.push(question);
      return script.answer === undefined ? ANSWER : script.answer(question, scope);
    },
  };
  const app = await createTestApp({
    plugins: [http({ port: 0, gracefulCloseMs: 200 }), queryApi(options)],
    overrides: [override(agent, fake)],
  });
  const post = (url: string, payload: object) => app.inject({ method: 'POST', url, payload });
  return { app, asked, post, url: app.get(http).url(), [Symbol.asyncDispose]: () => app.close() };
}

const UUID = '3F2C1B6E-8d4a-4c5b-9e7f-0a1b2c3d4e5f';
const user = (text: string, id = 'm1') => ({ id, role: 'user', parts: [{ type: 'text', text }] });
const chatPaths = ['/api/chat', '/api/v1/chat'];

async function until(condition: () => boolean): Promise<void> {
  for (let waited = 0; !condition(); waited += 5) {
    if (waited > 5_000) throw new Error('It did not happen.');
    await sleep(5);
  }
}

describe('POST /api/v1/query', () => {
  it('answers with text, SQL, rows, steps and usage', async () => {
    await using t = await start();
    const response = await t.post('/api/v1/query', { question: 'How many orders?' });
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual({
      answer: 'There are 2 orders.',
      outcome: 'answered',
      notes: ANSWER.notes,
      sql: ['SELECT count(*) AS n FROM orders'],
      data: [
        {
          columns: ['n'],
          rows: [{ n: 2 }],
          rowCount: 1,
          truncated: false,
          sql: 'SELECT …',
          executedSql: 'SELECT … WHERE tenant = ?',
          connectionId: 'default',
          durationMs: 1.235,
        },
      ],
      steps: 2,
      usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 },
    });
    expect(t.asked).toEqual([{ turns: [{ role: 'user', text: 'How many orders?' }], surface: 'api' }]);
  });

  it('passes on connection and conversation, and shows pending actions', async () => {
    const action: PendingAction = {
      id: 'a',
      type: 'email',
      target: 't',
      summary: 's',
      approveUrl: '/a',
      denyUrl: '/d',
    };
    await using t = await start({ answer: async () => ({ ...ANSWER, pendingActions: [action] }) });
    const response = await t.post('/api/v1/query', { question: 'q', connectionId: 'sales', conversationId: UUID });
    expect(response.json()).toMatchObject({ pendingActions: [action] });
    expect(t.asked).toMatchObject([{ connectionId: 'sales', conversationId: UUID }]);
  });

  it.each([
    [{}, 'question'],
    [{ question: '' }, 'question'],
    [{ question: ' \n ' }, 'question'],
    [{ question: 5 }, 'question'],
    [{ question: null }, 'question'],
    [{ question: 'q', conversationId: 'not-a-uuid' }, 'conversationId'],
    [{ question: 'q', connectionId: '' }, 'connectionId'],
  ])('refuses %j', async (body, path) => {
    await using t = await start();
    const response = await t.post('/api/v1/query', body);
    expect(response.statusCode).toBe(422);
    expect(response.json()).toMatchObject({
      error: 'validation_error',
      details: [{ path, message: expect.any(String) }],
    });
    expect(t.asked).toEqual([]);
  });

  it.each([
    [{ question: 'q', conectionId: 'sales' }, 'conectionId', 'is not a known field (did you mean "connectionId"?)'],
    [{ qustion: 'q' }, 'qustion', 'is not a known field (did you mean "question"?)'],
    [
      { question: 'q', stream: true },
      'stream',
      'is not a known field (known: question, conversationId, connectionId, fresh)',
    ],
    [{ question: 'q', ['x'.repeat(100_000)]: 1 }, 'x'.repeat(199), expect.stringMatching(/^is not a known field/)],
  ])('names a field that there is not, and the one that was meant: %#', async (body, path, message) => {
    await using t = await start();
    const response = await t.post('/api/v1/query', body);
    expect([response.statusCode, response.json()]).toMatchObject([
      422,
      { message: expect.stringContaining(`${path} is not a known field`) },
    ]);
    expect(response.json<{ details: object[] }>().details[0]).toEqual({ path, message });
    expect(response.body.length).toBeLessThan(2_000);
  });

  it('is not asked of a chat, whose clients send fields of their own', async () => {
    await using t = await start();
    const body = { messages: [user('q')], trigger: 'submit-message', messageId: null, conectionId: 'x', tools: [] };
    expect((await t.post('/api/chat', body)).statusCode).toBe(200);
    expect(t.asked[0]).not.toHaveProperty('connectionId');
  });

  it.each([
    ['no_datasource', 400],
    ['configuration_error', 400],
    ['provider_model_not_found', 400],
    ['provider_auth_error', 502],
    ['provider_rate_limit', 429],
    ['provider_timeout', 504],
    ['provider_unreachable', 502],
    ['provider_error', 502],
  ])('answers %s with %i, streaming or not', async (code, status) => {
    const error = new AtlasError('It did not work.', { code, hint: 'Try this.' });
    await using t = await start({
      answer: () => Promise.reject(error),
      // biome-ignore lint/correctness/useYield: fails before its first event
      events: async function* () {
        throw error;
      },
    });
    const responses = [
      await t.post('/api/v1/query', { question: 'q' }),
      await t.post('/api/chat', { messages: [user('q')] }),
      await t.post('/api/v1/chat?stream=ui', { messages: [user('q')] }),
    ];
    for (const response of responses) {
      expect([response.statusCode, response.json()]).toMatchObject([
        status,
        { error: code, message: 'It did not work. Try this.', requestId: response.headers['x-request-id'] },
      ]);
    }
  });
});

describe('the chat stream', () => {
  it.each(chatPaths)('of %s has one event a line', async (path) => {
    await using t = await start();
    const response = await t.post(path, { messages: [user('How many orders?')] });
    expect(response.statusCode).toBe(200);
    expect(response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      'x-request-id': expect.any(String),
    });
    expect(response.headers['x-conversation-id']).toBeUndefined();
    expect(response.body).toBe(
      [
        'data: 0:"Let me look.\\n"',
        'data: 9:{"toolCallId":"c1","toolName":"executeSQL","args":{"sql":"SELECT 1"}}',
        'data: a:{"toolCallId":"c1","result":{"columns":["n"],"rows":[{"n":2}]}}',
        'data: 0:"There are "',
        'data: 0:"2 orders."',
        'data: d:{"finishReason":"stop","usage":{"inputTokens":10,"outputTokens":5,"totalTokens":15},"steps":2,"outcome":"answered","notes":[{"code":"policy_applied","message":"Row security limits the results."}]}',
        '',
      ].join('\n\n'),
    );
    expect(t.asked).toMatchObject([{ surface: 'web', turns: [{ role: 'user', text: 'How many orders?' }] }]);
  });

  it('reports a failure in the middle as an event and logs what it hides', async () => {
    await using t = await start({
      events: async function* () {
        yield { type: 'text', text: 'Let me' };
        throw new Error('secret');
      },
    });
    const response = await t.post('/api/chat', { messages: [user('q')] });
    const lines = response.body.trimEnd().split('\n\n');
    expect([response.statusCode, lines[0], lines[2]]).toEqual([
      200,
      'data: 0:"Let me"',
      'data: d:{"finishReason":"error"}',
    ]);
    expect(JSON.parse(lines[1]?.slice('data: 3:'.length) ?? '')).toEqual({
      error: 'internal_error',
      message: expect.stringContaining('Something went wrong'),
      requestId: response.headers['x-request-id'],
    });
    expect(t.app.lines).toContainEqual(
      expect.objectContaining({ level: 'error', fields: expect.objectContaining({ error: 'secret' }) }),
    );
  });

  it('keeps the connection alive while nothing happens, before and after the first event', async () => {
    await using t = await start(
      {
        events: async function* () {
          await sleep(500);
          yield { type: 'text', text: 'a' };
          await sleep(500);
          yield { type: 'finish', answer: ANSWER };
        },
      },
      { pingEveryMs: 25 },
    );
    const { body } = await t.post('/api/chat', { messages: [user('q')] });
    const [before = '', after = ''] = body.split('data: 0:"a"\n\n');
    expect(before).toMatch(/^(: ping\n\n){2,}$/);
    expect(after).toMatch(/^(: ping\n\n){2,}data: d:/);
  });

  it.each(['/api/chat', '/api/chat?stream=ui'])('sends headers although no event comes: %s', async (path) => {
    for (const isNamed of [false, true]) {
      await using t = await start({
        events: async function* () {
          if (isNamed) yield { type: 'start', messageId: 'm', conversationId: UUID };
          await new Promise(() => {});
        },
      });
      const body = JSON.stringify({ messages: [user('q')] });
      const response = await fetch(t.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      expect([response.status, response.headers.get('content-type')]).toEqual([
        200,
        'text/event-stream; charset=utf-8',
      ]);
      expect(response.headers.get('x-conversation-id')).toBe(isNamed ? UUID : null);
      const text = response.text();
      // The error of a server that stops ends the stream, also where the agent takes no notice.
      await t.app.close();
      expect(await text).toMatch(
        path.endsWith('ui') ? /"type":"error"/ : /data: 3:\{"error":"unavailable".*\n\ndata: d:/,
      );
    }
  });

  it('closes the connection at the deadline of the question although the client still reads', async () => {
    await using t = await start({
      requestTimeoutMs: -4_900,
      events: async function* () {
        for (;;) {
          yield { type: 'text', text: 'x'.repeat(10_000) };
          await sleep(1);
        }
      },
    });
    const body = JSON.stringify({ messages: [user('q')] });
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${t.url}/api/chat`, { method: 'POST', headers, body });
    await expect(response.text()).rejects.toThrow();
  });

  it('reports a failure after pings as an event', async () => {
    await using t = await start(
      {
        // biome-ignore lint/correctness/useYield: fails before its first event
        events: async function* () {
          await sleep(80);
          throw new AtlasError('Too slow.', { code: 'provider_timeout' });
        },
      },
      { pingEveryMs: 20 },
    );
    const response = await t.post('/api/chat', { messages: [user('q')] });
    expect(response.statusCode).toBe(200);
    expect(response.body).toContain('data: 3:{"error":"provider_timeout","message":"Too slow."');
    expect(response.body).toMatch(/data: d:\{"finishReason":"error"\}\n\n$/);
  });

  it('ends the agent when the client leaves, waiting or speaking', async () => {
    for (const first of [true, false]) {
      let cancelled: unknown;
      let ended = false;
      await using t = await start({
        events: async function* (scope) {
          try {
            if (first) yield { type: 'text', text: 'a' };
            await new Promise((_, reject) => {
              scope.signal.addEventListener('abort', () => {
                cancelled = scope.signal.reason;
                reject(scope.signal.reason);
              });
            });
          } finally {
            ended = true;
          }
        },
      });
      const left = new AbortController();
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify({ messages: [user('q')] });
      const response = fetch(`${t.url}/api/chat`, { method: 'POST', headers, body, signal: left.signal });
      if (first) await (await response).body?.getReader().read();
      else await until(() => t.asked.length === 1);
      left.abort();
      await response.catch(() => {});
      await until(() => ended);
      expect(cancelled).toMatchObject({ reason: 'E_CLIENT_GONE' });
      expect(t.app.lines.filter(({ level }) => level === 'error')).toEqual([]);
    }
  });

  it('ends with an error event when the server stops', async () => {
    const t = await start({
      events: async function* (scope) {
        yield { type: 'text', text: 'a' };
        await new Promise((_, reject) => {
          scope.signal.addEventListener('abort', () => reject(scope.signal.reason));
        });
      },
    });
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ messages: [user('q')] });
    const response = await fetch(`${t.url}/api/chat`, { method: 'POST', headers, body });
    await t.app.close();
    const text = await response.text();
    expect(text).toContain('data: 3:{"error":"unavailable"');
    expect(text).toMatch(/data: d:\{"finishReason":"error"\}\n\n$/);
  });
});

describe('messages', () => {
  const refused: [string, unknown, string][] = [
    ['no messages', undefined, 'messages'],
    ['an empty list', [], 'messages'],
    ['not a list', 'hello', 'messages'],
    [
      'a system message',
      [{ id: '1', role: 'system', parts: [{ type: 'text', text: 'x' }] }, user('q')],
      'messages.0.role',
    ],
    ['a tool message', [{ id: '1', role: 'tool', parts: [] }, user('q')], 'messages.0.role'],
    ['no id', [{ role: 'user', parts: [{ type: 'text', text: 'q' }] }], 'messages.0.id'],
    ['no parts', [{ id: '1', role: 'user' }], 'messages.0.parts'],
    ['a part without text', [{ id: '1', role: 'user', parts: [{ type: 'text' }] }], 'messages.0.parts.0.text'],
    [
      'a text that is a number',
      [{ id: '1', role: 'user', parts: [{ type: 'text', text: 1 }] }],
      'messages.0.parts.0.text',
    ],
    ['a file', [{ id: '1', role: 'user', parts: [{ type: 'file', url: 'data:,' }] }], 'messages.0.parts.0.type'],
    ['no text at all', [{ id: '1', role: 'user', parts: [] }], 'messages.0.parts'],
    ['only spaces', [user('  ')], 'messages.0.parts'],
    ['an assistant at the end', [user('q'), { id: '2', role: 'assistant', parts: [] }], 'messages.1.role'],
    ['null for a message', [null], 'messages.0'],
  ];
  it.each(refused)('refuses %s', async (_name, messages, path) => {
    await using t = await start();
    for (const url of chatPaths) {
      const response = await t.post(url, { messages });
      expect(response.statusCode).toBe(422);
      expect(response.json<{ error: string; details: { path: string }[] }>()).toMatchObject({
        error: 'validation_error',
      });
      expect(response.json<{ details: { path: string }[] }>().details[0]?.path).toBe(path);
    }
    expect(t.asked).toEqual([]);
  });

  it('refuses a bad conversation id with 422 and an unknown stream with 400', async () => {
    await using t = await start();
    const messages = [user('q')];
    expect((await t.post('/api/chat', { messages, conversationId: 'x' })).statusCode).toBe(422);
    const response = await t.post('/api/chat?stream=xml', { messages });
    expect([response.statusCode, response.json()]).toMatchObject([400, { error: 'invalid_request' }]);
  });

  it('takes the text of a conversation and leaves out the rest', async () => {
    await using t = await start();
    const assistant = {
      id: '2',
      role: 'assistant',
      parts: [
        { type: 'step-start' },
        { type: 'text', text: 'Let me look.', state: 'done' },
        { type: 'tool-executeSQL', toolCallId: 'c', state: 'output-available', input: {}, output: {} },
        { type: 'data-chart', data: {} },
        { type: 'text', text: 'Two.' },
      ],
    };
    const onlyTools = { id: '3', role: 'assistant', parts: [{ type: 'tool-explore', toolCallId: 'd' }] };
    const messages = [user('How many?'), assistant, onlyTools, user('And now?', 'm4')];
    expect((await t.post('/api/chat', { messages, id: 'chat', trigger: 'submit-message' })).statusCode).toBe(200);
    expect(t.asked[0]?.turns).toEqual([
      { role: 'user', text: 'How many?' },
      { role: 'assistant', text: 'Let me look.\n\nTwo.' },
      { role: 'user', text: 'And now?' },
    ]);
  });
});

/** The state that `useChat` keeps, without a view. */
class PlainState implements ChatState<UIMessage> {
  status: ChatStatus = 'ready';
  error: Error | undefined;
  messages: UIMessage[] = [];
  pushMessage = (message: UIMessage) => {
    this.messages = [...this.messages, message];
  };
  popMessage = () => {
    this.messages = this.messages.slice(0, -1);
  };
  replaceMessage = (index: number, message: UIMessage) => {
    this.messages = this.messages.with(index, structuredClone(message));
  };
  snapshot = <T>(value: T): T => structuredClone(value);
}

class PlainChat extends AbstractChat<UIMessage> {
  constructor(api: string) {
    super({ transport: new DefaultChatTransport({ api }), state: new PlainState() });
  }
}

describe("the AI SDK's chat", () => {
  it('works against ?stream=ui unchanged, over several turns', async () => {
    await using t = await start();
    const chat = new PlainChat(`${t.url}/api/chat?stream=ui`);
    await chat.sendMessage({ text: 'How many orders?' });
    expect([chat.status, chat.error]).toEqual(['ready', undefined]);
    expect(chat.messages[1]).toMatchObject({
      role: 'assistant',
      parts: [
        { type: 'step-start' },
        { type: 'text', text: 'Let me look.\n', state: 'done' },
        {
          type: 'tool-executeSQL',
          toolCallId: 'c1',
          state: 'output-available',
          input: { sql: 'SELECT 1' },
          output: { columns: ['n'], rows: [{ n: 2 }] },
        },
        { type: 'step-start' },
        { type: 'text', text: 'There are 2 orders.', state: 'done' },
        { type: 'data-outcome', data: { outcome: 'answered', notes: ANSWER.notes } },
      ],
    });
    await chat.sendMessage({ text: 'And by region?' });
    expect(chat.status).toBe('ready');
    expect(t.asked[1]?.turns.map(({ role, text }) => `${role}: ${text}`)).toEqual([
      'user: How many orders?',
      'assistant: Let me look.\n\n\nThere are 2 orders.',
      'user: And by region?',
    ]);
    await chat.regenerate();
    expect([chat.status, t.asked.length]).toEqual(['ready', 3]);
  });

  it('sees a failure in the middle, and one before the start', async () => {
    let early = false;
    await using t = await start({
      events: async function* () {
        if (!early) yield { type: 'text', text: 'Let me' };
        throw new AtlasError('The provider is down.', { code: 'provider_unreachable' });
      },
    });
    const chat = new PlainChat(`${t.url}/api/v1/chat?stream=ui`);
    await chat.sendMessage({ text: 'q' });
    expect([chat.status, chat.error?.message]).toEqual(['error', 'The provider is down.']);
    early = true;
    await chat.sendMessage({ text: 'q' });
    expect(chat.error?.message).toContain('provider_unreachable');
  });

  it('ends with [DONE] after a failure, as the SDK wants it', async () => {
    await using t = await start({
      events: async function* () {
        yield { type: 'text', text: 'Let me' };
        throw new AtlasError('The provider is down.', { code: 'provider_unreachable' });
      },
    });
    const { body } = await t.post('/api/chat?stream=ui', { messages: [user('q')] });
    expect(body.split('\n\n').slice(-5)).toEqual([
      'data: {"type":"finish-step"}',
      'data: {"type":"error","errorText":"The provider is down."}',
      'data: {"type":"finish","finishReason":"error"}',
      'data: [DONE]',
      '',
    ]);
  });

  it('is named by its header', async () => {
    await using t = await start();
    const response = await t.post('/api/chat?stream=ui', { messages: [user('q')] });
    expect(response.headers['x-vercel-ai-ui-message-stream']).toBe('v1');
    expect(response.body).toMatch(/data: \[DONE\]\n\n$/);
  });
});
