import { createHmac } from 'node:crypto';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { AtlasError, override } from '../../kernel/index.ts';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { type Agent, type Answer, agent } from '../agent/index.ts';
import { http } from '../http/index.ts';
import { openapi } from '../openapi/index.ts';
import { outbound } from '../outbound/index.ts';
import { callbacksOf, receiving } from './fixtures/callbacks.ts';
import { webhookInteraction } from './index.ts';

type Options = Parameters<typeof webhookInteraction>[0];
type Channel = Options['channels'][number];

const MOUNT = '/api/plugins/webhook-interaction/webhook';
const SECRET = 'tr1cky-secret-of-the-channel';
const NOW_SECONDS = Date.parse('2026-01-15T12:00:00Z') / 1000;

const ANSWER = {
  answer: 'There are 2 orders.',
  sql: ['SELECT 1', 'SELECT count(*) AS n FROM orders'],
  data: [
    { columns: ['one'], rows: [{ one: 1 }] },
    { columns: ['n'], rows: [{ n: 2 }] },
  ],
};
const TABLE = { answer: ANSWER.answer, sql: ANSWER.sql, columns: ['n'], rows: [{ n: 2 }] };

const plain = (channel: Partial<Channel> = {}) =>
  ({ channelId: 'Sales', authType: 'api-key', secret: SECRET, ...channel }) as Channel;
const signed = (channel: Partial<Channel> = {}) => plain({ channelId: 'signed', authType: 'hmac', ...channel });
const sign = (text: string, secret = SECRET) => createHmac('sha256', secret).update(text).digest('hex');

async function start(channels: Channel[], options: Partial<Options> = {}, allowPrivate: string[] = []) {
  const asked: string[] = [];
  const app = await createTestApp({
    plugins: [
      http({ port: 0 }),
      outbound({ allowPrivate }),
      webhookInteraction({
        channels,
        executeQuery: async (query) => {
          asked.push(query);
          return ANSWER;
        },
        ...options,
      }),
    ],
  });
  const send = async (channelId: string, payload: string | object, headers: Record<string, string> = {}) => {
    const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
    const response = await app.inject({
      method: 'POST',
      url: `${MOUNT}/${channelId}`,
      payload: text,
      headers: { 'content-type': 'application/json', ...headers },
    });
    return { status: response.statusCode, headers: response.headers, body: response.json<Record<string, unknown>>() };
  };
  return { app, asked, send, [Symbol.asyncDispose]: () => app.close() };
}

const withSecret = { 'x-webhook-secret': SECRET };
const question = { query: 'How many orders?' };

describe('an answer at once', () => {
  it('is an object on a channel with the format json', async () => {
    await using t = await start([plain()]);
    const { status, body } = await t.send('Sales', question, withSecret);
    expect([status, body]).toEqual([200, { success: true, result: TABLE }]);
    expect(t.asked).toEqual(['How many orders?']);
  });

  it('is a text on a channel with the format text', async () => {
    await using t = await start([plain({ responseFormat: 'text' })]);
    const { status, body } = await t.send('Sales', question, withSecret);
    expect([status, body]).toEqual([200, { success: true, result: 'There are 2 orders.' }]);
  });

  it('has no rows where no statement ran', async () => {
    await using t = await start([plain()], { executeQuery: async () => ({ answer: 'Hello.' }) });
    const { body } = await t.send('Sales', question, withSecret);
    expect(body.result).toEqual({ answer: 'Hello.', sql: [], columns: [], rows: [] });
  });

  it.each([
    ['an error', () => Promise.reject(new Error('postgres://u:pw@h/db'))],
    [
      'an error that is thrown',
      () => {
        throw new Error('postgres://u:pw@h/db');
      },
    ],
    ['a failure of the provider', () => Promise.reject(new AtlasError('No.', { code: 'provider_rate_limit' }))],
  ])('is 500 with the standard body after %s', async (_, executeQuery) => {
    await using t = await start([plain()], { executeQuery });
    const { status, body } = await t.send('Sales', question, { ...withSecret, 'x-request-id': 'r1' });
    expect([status, body]).toEqual([500, { error: 'internal_error', message: expect.any(String), requestId: 'r1' }]);
    expect(JSON.stringify(body)).not.toContain('postgres');
  });
});

it.each([
  ['forbidden', 403],
  ['budget_exhausted', 429],
  ['overloaded', 503],
])('a refusal by the agent keeps its status: %s', async (code, expected) => {
  const executeQuery = () => Promise.reject(new AtlasError('No.', { code, retryAfterSeconds: 7 }));
  await using t = await start([plain()], { executeQuery });
  const { status, body, headers } = await t.send('Sales', question, withSecret);
  expect([status, body.error, headers['retry-after']]).toEqual([expected, code, '7']);
});

describe('credentials', () => {
  it.each(['sales', 'SALES', 'Sales2', '%20', '__proto__'])(
    'of the channel %s, which does not exist: 404',
    async (id) => {
      await using t = await start([plain()]);
      for (const payload of ['{"query":', '{"query":"q"}']) {
        const { status, body } = await t.send(id, payload, withSecret);
        expect([status, body.error]).toEqual([404, 'not_found']);
      }
    },
  );

  it.each([
    {},
    { 'x-webhook-secret': '' },
    { 'x-webhook-secret': SECRET.toUpperCase() },
    { 'x-webhook-secret': `${SECRET}x` },
    { 'x-webhook-secret': SECRET.slice(0, -1) },
    { authorization: `Bearer ${SECRET}` },
    { 'x-webhook-signature': sign('{"query":"q"}') },
  ])('that are wrong on a channel with a key: 401, whatever the body: %j', async (headers) => {
    await using t = await start([plain()]);
    for (const payload of ['{"query":"q"}', '{"query":', '[]', '', 'x'.repeat(400_000)]) {
      const { status, body, headers: answered } = await t.send('Sales', payload, headers as Record<string, string>);
      expect([status, body.error]).toEqual([401, 'auth_error']);
      expect(answered).toHaveProperty('www-authenticate');
      expect(JSON.stringify(body)).not.toContain(SECRET);
    }
    expect(t.asked).toEqual([]);
  });

  const text = '{ "query": "How many?" }';
  it.each([
    ['of another body', sign('{"query":"How many?"}')],
    ['with another secret', sign(text, 'other')],
    ['with a prefix', `sha256=${sign(text)}`],
    ['cut off', sign(text).slice(2)],
    ['too long', `${sign(text)}00`],
    ['in base64', createHmac('sha256', SECRET).update(text).digest('base64')],
    ['empty', ''],
    ['not hex', 'z'.repeat(64)],
  ])('with a signature %s: 401', async (_, signature) => {
    await using t = await start([signed()]);
    for (const payload of [text, '{"query":']) {
      const { status, body } = await t.send('signed', payload, { ...withSecret, 'x-webhook-signature': signature });
      expect([status, body.error]).toEqual([401, 'auth_error']);
    }
    expect(t.asked).toEqual([]);
  });

  it('with the signature of the bytes: the answer, in any letter case', async () => {
    await using t = await start([signed()]);
    for (const signature of [sign(text), sign(text).toUpperCase()]) {
      expect(await t.send('signed', text, { 'x-webhook-signature': signature })).toMatchObject({ status: 200 });
    }
    expect(t.asked).toEqual(['How many?', 'How many?']);
  });

  it('with a good signature over a bad body: 400', async () => {
    await using t = await start([signed()]);
    for (const payload of ['{"query":', '', 'null', '"x"']) {
      const { status, body } = await t.send('signed', payload, { 'x-webhook-signature': sign(payload) });
      expect([payload, status, body.error]).toEqual([payload, 400, 'invalid_request']);
    }
  });

  it('are in no line of the log', async () => {
    await using t = await start([plain(), signed()], { executeQuery: () => Promise.reject(new Error('x')) });
    await t.send('Sales', question, withSecret);
    await t.send('Sales', question, { 'x-webhook-secret': `${SECRET}wrong` });
    expect(JSON.stringify(t.app.lines)).not.toContain(SECRET);
  });
});

describe('a replay window', () => {
  const text = JSON.stringify(question);
  const headersAt = (seconds: number | string, signature = sign(`${seconds}.${text}`)) => ({
    'x-webhook-timestamp': String(seconds),
    'x-webhook-signature': signature,
  });
  const channel = signed({ replayWindowSeconds: 300 });

  it('takes a request once', async () => {
    await using t = await start([channel]);
    expect((await t.send('signed', text, headersAt(NOW_SECONDS))).status).toBe(200);
    for (const headers of [
      headersAt(NOW_SECONDS),
      headersAt(NOW_SECONDS, sign(`${NOW_SECONDS}.${text}`).toUpperCase()),
    ]) {
      expect(await t.send('signed', text, headers)).toMatchObject({ status: 401, body: { error: 'auth_error' } });
    }
    expect((await t.send('signed', text, headersAt(NOW_SECONDS - 300))).status).toBe(200);
    expect((await t.send('signed', text, headersAt(NOW_SECONDS + 300))).status).toBe(200);
    expect(t.asked).toHaveLength(3);
  });

  it.each([
    ['none', { 'x-webhook-signature': sign(text) }],
    ['one that is too old', headersAt(NOW_SECONDS - 301)],
    ['one that is too new', headersAt(NOW_SECONDS + 301)],
    ['one in milliseconds', headersAt(NOW_SECONDS * 1000)],
    ['no number', headersAt('2026-01-15T12:00:00Z')],
    ['one that is not signed', headersAt(NOW_SECONDS, sign(text))],
    ['another one than was signed', headersAt(NOW_SECONDS, sign(`${NOW_SECONDS + 1}.${text}`))],
  ])('wants a timestamp: %s is 401', async (_, headers) => {
    await using t = await start([channel]);
    expect((await t.send('signed', text, headers as Record<string, string>)).status).toBe(401);
    expect(t.asked).toEqual([]);
  });

  it('leaves a refused request its signature', async () => {
    const gate = Promise.withResolvers<typeof ANSWER>();
    const begun = Promise.withResolvers<void>();
    await using t = await start([{ ...channel, maxConcurrent: 1 }], {
      executeQuery: () => {
        begun.resolve();
        return gate.promise;
      },
    });
    const first = t.send('signed', text, headersAt(NOW_SECONDS));
    await begun.promise;
    const second = headersAt(NOW_SECONDS + 1);
    expect((await t.send('signed', text, second)).status).toBe(503);
    gate.resolve(ANSWER);
    expect((await first).status).toBe(200);
    expect((await t.send('signed', text, second)).status).toBe(200);
    expect((await t.send('signed', text, second)).status).toBe(401);
  });
});

describe('a body', () => {
  const texts = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 'v']));
  it.each([
    ['no query', {}],
    ['an empty query', { query: '' }],
    ['spaces', { query: ' \n\t' }],
    ['a number', { query: 5 }],
    ['null', { query: null }],
    ['a query that is too long', { query: 'x'.repeat(65_537) }],
    ['no object', [question]],
    ['a context that is a list', { ...question, context: ['a'] }],
    ['a context of numbers', { ...question, context: { a: 1 } }],
    ['a context of objects', { ...question, context: { a: {} } }],
    ['a context of null', { ...question, context: null }],
    ['a large context', { ...question, context: texts(101) }],
    ['a callback that is no text', { ...question, callbackUrl: 5 }],
    ['an empty callback', { ...question, callbackUrl: '' }],
    ['a null character', { query: 'a\u0000' }],
    ['invalid JSON', '{"query":"q"'],
    ['a key twice removed from Object', '{"query":"q","__proto__":{"a":"b"}}'],
    ['nothing', ''],
  ])('with %s is 400', async (_, payload) => {
    await using t = await start([plain()]);
    const { status, body } = await t.send('Sales', payload, withSecret);
    expect([status, body.error, typeof body.message]).toEqual([400, 'invalid_request', 'string']);
    expect(t.asked).toEqual([]);
  });

  it('that is larger than the limit is 413, of another type 415', async () => {
    await using t = await start([plain()], { bodyLimitBytes: 1_024 });
    expect((await t.send('Sales', { query: 'x'.repeat(1_024) }, withSecret)).status).toBe(413);
    const form = { ...withSecret, 'content-type': 'application/x-www-form-urlencoded' };
    expect((await t.send('Sales', 'query=q', form)).status).toBe(415);
  });

  it('may carry a context of texts, and fields of the sender', async () => {
    await using t = await start([plain()]);
    const payload = { ...question, context: texts(100), event: { id: 1 } };
    expect((await t.send('Sales', payload, withSecret)).status).toBe(200);
    expect(t.asked).toEqual([question.query]);
  });
});

describe('limits of a channel', () => {
  it('refuse more requests a minute than it may make, and count no others', async () => {
    await using t = await start([plain({ requestsPerMinute: 2 }), plain({ channelId: 'other' })]);
    for (let wrong = 0; wrong < 5; wrong += 1) await t.send('Sales', question);
    expect((await t.send('Sales', question, withSecret)).status).toBe(200);
    expect((await t.send('Sales', '{', withSecret)).status).toBe(400);
    const { status, headers, body } = await t.send('Sales', question, withSecret);
    expect([status, body.error]).toEqual([429, 'rate_limited']);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect((await t.send('other', question, withSecret)).status).toBe(200);
  });

  it('refuse more requests at a time, until one has ended', async () => {
    const gates = [Promise.withResolvers<typeof ANSWER>(), Promise.withResolvers<typeof ANSWER>()];
    let begun = 0;
    await using t = await start([plain({ maxConcurrent: 2 })], {
      executeQuery: () => gates[begun++]?.promise ?? Promise.resolve(ANSWER),
    });
    const running = gates.map(() => t.send('Sales', question, withSecret));
    while (begun < 2) await new Promise(setImmediate);
    const { status, headers, body } = await t.send('Sales', question, withSecret);
    expect([status, body.error, headers['retry-after']]).toEqual([503, 'overloaded', '1']);
    gates[0]?.resolve(ANSWER);
    gates[1]?.reject(new Error('x'));
    expect((await Promise.all(running)).map((answer) => answer.status).sort()).toEqual([200, 500]);
    expect((await t.send('Sales', question, withSecret)).status).toBe(200);
  });
});

describe('a callback, without the internal database', () => {
  it.each(['the channel', 'the body'])('of %s gets the answer later', async (place) => {
    await using receiver = await receiving();
    const own = place === 'the channel' ? { callbackUrl: `${receiver.url}/a?token=t0ken` } : {};
    const given = place === 'the channel' ? {} : { callbackUrl: `${receiver.url}/a?token=t0ken` };
    await using t = await start([plain(own)], {}, [receiver.host]);
    const { status, body } = await t.send('Sales', { ...question, ...given }, withSecret);
    expect([status, body]).toEqual([202, { accepted: true, requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) }]);
    const [callback] = await callbacksOf(receiver, 1);
    expect(callback).toMatchObject({
      method: 'POST',
      url: '/a?token=t0ken',
      headers: { 'content-type': 'application/json' },
    });
    expect(callback?.body).toEqual({ requestId: body.requestId, success: true, result: TABLE });
    expect(JSON.stringify(t.app.lines)).not.toContain('t0ken');
  });

  it('of the body wins over that of the channel, and keeps the format', async () => {
    await using receiver = await receiving();
    const channel = plain({ callbackUrl: 'https://nowhere.invalid/', responseFormat: 'text' });
    await using t = await start([channel], {}, [receiver.host]);
    await t.send('Sales', { ...question, callbackUrl: `${receiver.url}/hook` }, withSecret);
    expect((await callbacksOf(receiver, 1))[0]?.body).toMatchObject({ success: true, result: 'There are 2 orders.' });
  });

  it('gets the failure of a query', async () => {
    await using receiver = await receiving();
    const executeQuery = () => Promise.reject(new Error('postgres://u:pw@h/db'));
    await using t = await start([plain()], { executeQuery }, [receiver.host]);
    const { body } = await t.send('Sales', { ...question, callbackUrl: `${receiver.url}/hook` }, withSecret);
    const [callback] = await callbacksOf(receiver, 1);
    expect(callback?.body).toEqual({ requestId: body.requestId, success: false, error: expect.any(String) });
    expect(callback?.body.error).not.toContain('postgres');
  });

  it.each([500, 400, 302])('is sent once, also when it is answered with %i', async (answer) => {
    await using receiver = await receiving(answer);
    await using t = await start([plain()], {}, [receiver.host]);
    await t.send('Sales', { ...question, callbackUrl: `${receiver.url}/?token=t0ken` }, withSecret);
    await t.send('Sales', { query: 'second', callbackUrl: `${receiver.url}/hook` }, withSecret);
    await callbacksOf(receiver, 2);
    const logged = () => JSON.stringify(t.app.lines);
    await expect.poll(() => logged().match(/it is not sent again/g)).toHaveLength(2);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(receiver.received).toHaveLength(2);
    expect(logged()).not.toContain('t0ken');
  });

  it('that cannot be reached is only logged', async () => {
    const gone = await receiving();
    const { host } = gone;
    await gone[Symbol.asyncDispose]();
    await using t = await start([plain()], {}, [host]);
    expect((await t.send('Sales', { ...question, callbackUrl: `http://${host}/` }, withSecret)).status).toBe(202);
    while (!t.app.lines.some(({ level }) => level === 'warn')) await new Promise(setImmediate);
    expect(t.app.lines.find(({ level }) => level === 'warn')?.message).toBe(
      'The answer to a webhook was not delivered.',
    );
  });

  it.each([
    'http://127.0.0.1:9/',
    'http://localhost/',
    'http://[::1]/',
    'http://[::ffff:10.0.0.1]/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://10.0.0.1/',
    'http://192.168.1.1/',
    'http://172.16.0.1/',
    'http://100.64.0.1/',
    'http://0.0.0.0/',
    'http://example.com@127.0.0.1/',
    'http://127.0.0.1./',
    'ftp://example.com/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    '//example.com/',
    'example.com',
    'http://',
    'not a url',
  ])('to %s is 400 before anything is asked or sent', async (callbackUrl) => {
    await using t = await start([plain()]);
    const { status, body } = await t.send('Sales', { ...question, callbackUrl }, withSecret);
    expect([status, body.error]).toEqual([400, 'invalid_request']);
    expect(t.asked).toEqual([]);
  });

  it('of a channel to a private address is 400', async () => {
    await using t = await start([plain({ callbackUrl: 'http://10.0.0.1/' })]);
    expect((await t.send('Sales', question, withSecret)).status).toBe(400);
    expect(t.asked).toEqual([]);
  });

  it('waits for a limited time and in a limited number', async () => {
    await using receiver = await receiving();
    const gate = Promise.withResolvers<typeof ANSWER>();
    await using t = await start(
      [plain({ maxQueued: 3 }), plain({ channelId: 'other' })],
      { executeQuery: () => gate.promise, queueConcurrency: 1 },
      [receiver.host],
    );
    const ask = (id = 'Sales') => t.send(id, { ...question, callbackUrl: `${receiver.url}/hook` }, withSecret);
    const statuses = [];
    for (let n = 0; n < 4; n += 1) statuses.push((await ask()).status);
    expect(statuses).toEqual([202, 202, 202, 503]);
    expect((await ask('other')).status).toBe(202);
    gate.resolve(ANSWER);
    await callbacksOf(receiver, 4);
    expect((await ask()).status).toBe(202);
    await callbacksOf(receiver, 5);
  });
});

describe('the agent', () => {
  it('is asked as the channel, with the surface webhook', async () => {
    const asked: unknown[] = [];
    const answer: Answer = {
      text: 'Two.',
      outcome: 'answered',
      notes: [],
      sql: ['SELECT 2 AS n'],
      data: [
        {
          ...{ sql: 'SELECT 2 AS n', connectionId: 'default', columns: ['n'], rows: [{ n: 2 }], truncated: false },
          about: { explanation: { text: 'Why.', filters: [] }, readings: { text: 'By a 1, by b 2.', others: [] } },
        },
      ],
      steps: 1,
      usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
      pendingActions: [],
      finishReason: 'stop',
    };
    const fake: Agent = {
      runStatement: () => Promise.reject(new Error('not asked')),
      requestTimeoutMs: 60_000,
      ask: async function* () {},
      answer: async (question, { actor, orgId }) => {
        asked.push({ question, actor, orgId });
        return answer;
      },
    };
    const runAs = { role: 'analyst', orgId: 'acme', claims: { tenant: 7 } } as const;
    await using app = await createTestApp({
      plugins: [
        http({ port: 0 }),
        outbound(),
        webhookInteraction({ channels: [plain(), plain({ channelId: 'own', runAs, connectionId: 'crm' })] }),
      ],
      overrides: [override(agent, fake)],
    });
    for (const id of ['Sales', 'own']) {
      const response = await app.inject({
        method: 'POST',
        url: `${MOUNT}/${id}`,
        payload: { ...question, context: { a: 'b' } },
        headers: withSecret,
      });
      expect(response.json()).toEqual({
        success: true,
        result: {
          ...{ answer: 'Two.', sql: ['SELECT 2 AS n'], columns: ['n'], rows: [{ n: 2 }] },
          explanation: { text: 'Why.', filters: [] },
          readings: { text: 'By a 1, by b 2.', others: [] },
        },
      });
    }
    const turns = [{ role: 'user', text: question.query }];
    expect(asked).toEqual([
      {
        question: { turns, surface: 'webhook' },
        actor: { id: 'webhook:Sales', label: 'webhook Sales', role: 'viewer', mode: 'webhook', claims: {} },
        orgId: null,
      },
      {
        question: { turns, surface: 'webhook', connectionId: 'crm' },
        actor: { id: 'webhook:own', label: 'webhook own', role: 'analyst', mode: 'webhook', claims: { tenant: 7 } },
        orgId: 'acme',
      },
    ]);
  });
});

describe('the start', () => {
  it.each([
    ['two channels of an id', [plain(), signed({ channelId: 'Sales' })], 'Two webhook channels have the id "Sales".'],
    ['a key that no header carries', [plain({ secret: ' pädlock ' })], 'cannot be sent in a header'],
    ['a replay window without signatures', [plain({ replayWindowSeconds: 60 })], 'has a replay window'],
    ['no channel', [], 'channels'],
    ['an unknown way to authenticate', [plain({ authType: 'basic' as 'hmac' })], 'authType'],
    ['no secret', [plain({ secret: '' })], 'secret'],
    ['a channel with a slash', [plain({ channelId: 'a/b' })], 'channelId'],
    ['a callback by mail', [plain({ callbackUrl: 'mailto:a@example.com' })], 'callbackUrl'],
  ])('refuses %s', async (_, channels, message) => {
    const failure = await start(channels).catch((error: Error) => error);
    expect((failure as Error).message).toContain(message);
    expect((failure as Error).message).not.toMatch(/p.dlock|tr1cky/);
  });

  it('refuses channels that nothing could answer', async () => {
    const plugins = [http({ port: 0 }), outbound(), webhookInteraction({ channels: [plain()] })];
    await expect(createTestApp({ plugins })).rejects.toThrow('nothing that could answer');
  });
});

it('stands in the description of the interface, with its headers and statuses', async () => {
  await using app = await createTestApp({
    plugins: [
      http({ port: 0 }),
      openapi(),
      outbound(),
      webhookInteraction({ channels: [plain()], executeQuery: async () => ANSWER }),
    ],
  });
  const document = (await app.inject({ method: 'GET', url: '/api/v1/openapi.json' })).json<Record<string, unknown>>();
  expect((await new Validator().validate(structuredClone(document))).errors ?? []).toEqual([]);
  const { post } = (document.paths as Record<string, Record<string, Record<string, unknown>>>)[
    `${MOUNT}/{channelId}`
  ] as { post: { security: object[]; responses: object } };
  expect(post.security).toEqual([{ webhookSecret: [] }, { webhookSignature: [] }]);
  expect(Object.keys(post.responses).map(Number)).toEqual([200, 202, 400, 401, 403, 404, 413, 415, 429, 500, 503]);
  expect(document).toHaveProperty('components.securitySchemes.webhookSecret.name', 'X-Webhook-Secret');
});
