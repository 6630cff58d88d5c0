import { request as httpRequest } from 'node:http';
import { Type } from '@sinclair/typebox';
import { describe, expect, it } from 'vitest';
import { AtlasError, type AtlasErrorInit, definePlugin, httpRoutes, type Route } from '../../kernel/index.ts';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { sendRaw } from '../../test/harness/raw-http.ts';
import { errorCodes } from './errors.ts';
import { http } from './index.ts';

const Any = Type.Unknown();
const route = (part: Pick<Route, 'path' | 'handle'> & Partial<Route>): Route => ({
  method: 'GET',
  summary: 'A route.',
  tag: 'Test',
  right: 'public',
  responses: { 200: Any },
  ...part,
});

const fail = (message: string, init: AtlasErrorInit): never => {
  throw new AtlasError(message, init);
};

const ROUTES: Route[] = [
  route({ path: '/plain', handle: () => ({ body: { ok: true } }) }),
  route({ path: '/text', handle: () => ({ body: 'hello', headers: { 'content-type': 'text/plain; charset=utf-8' } }) }),
  route({ path: '/json-text', handle: () => ({ body: 'hello' }) }),
  route({ path: '/nothing', method: 'DELETE', handle: () => ({ status: 204 }) }),
  route({
    path: '/echo',
    method: 'POST',
    body: Type.Object({
      question: Type.String({ minLength: 1 }),
      id: Type.Optional(Type.String({ format: 'uuid' })),
      channel: Type.String({ default: 'webhook' }),
      kind: Type.Optional(Type.Union([Type.Literal('a'), Type.Literal('b')])),
    }),
    handle: ({ body }) => ({ body }),
  }),
  route({ path: '/command', method: 'POST', handle: ({ body }) => ({ body: { body: body ?? null } }) }),
  route({
    path: '/signed',
    method: 'POST',
    rawBody: true,
    handle: ({ rawBody }) => ({ body: { bytes: rawBody?.toString() ?? null } }),
  }),
  route({
    path: '/bytes-first/:key',
    method: 'POST',
    rawBody: 'first',
    body: Type.Object({ a: Type.Integer() }),
    ready: ({ params, headers }) => {
      if (headers['x-key'] !== params.key) fail('No.', { code: 'auth_error' });
    },
    handle: (request) => {
      if (request.rawBody?.includes('wrong') === true) fail('No.', { code: 'forbidden' });
      return { body: { bytes: request.rawBody?.toString() ?? null, body: request.body } };
    },
  }),
  route({
    path: '/items/:id',
    params: Type.Object({ id: Type.String({ format: 'uuid' }) }),
    query: Type.Object({
      limit: Type.Integer({ default: 20, minimum: 1, maximum: 100 }),
      starred: Type.Optional(Type.Boolean()),
    }),
    handle: ({ params, query }) => ({ body: { params, query } }),
  }),
  route({ path: '/own', right: 'query', handle: () => ({ body: {} }) }),
  route({ path: '/kept', right: 'query', handle: () => ({ headers: { 'cache-control': 'private' }, body: {} }) }),
  route({ path: '/boom', handle: () => Promise.reject(new Error('secret postgres://u:p@h/db')) }),
  route({
    path: '/fails/:code',
    handle: ({ params }) => fail('No.', { code: params.code ?? '', hint: 'Do this.', retryAfterSeconds: 1.2 }),
  }),
  route({ path: '/too-low', handle: () => fail('Only admins.', { code: 'auth_error', reason: 'E_ROLE_TOO_LOW' }) }),
];

const routes = definePlugin({
  name: 'test-routes',
  version: '1.0.0',
  type: 'interaction',
  description: 'Routes.',
  setup: (ctx) => ctx.tap(httpRoutes, () => ROUTES),
});

const start = (options: Parameters<typeof http>[0] = {}) =>
  createTestApp({ plugins: [http({ port: 0, ...options }), routes()] });

const UUID = '3f2c1b6e-8d4a-4c5b-9e7f-0a1b2c3d4e5f';
const post = (url: string, payload: string | object, contentType = 'application/json') => ({
  method: 'POST' as const,
  url,
  payload,
  headers: { 'content-type': contentType },
});

describe('answers', () => {
  it('sends JSON, text and nothing', async () => {
    await using app = await start();
    const json = await app.inject({ method: 'GET', url: '/plain' });
    expect([json.statusCode, json.headers['content-type'], json.json()]).toEqual([
      200,
      'application/json; charset=utf-8',
      { ok: true },
    ]);
    const text = await app.inject({ method: 'GET', url: '/text' });
    expect([text.headers['content-type'], text.body]).toEqual(['text/plain; charset=utf-8', 'hello']);
    expect((await app.inject({ method: 'GET', url: '/json-text' })).body).toBe('"hello"');
    const nothing = await app.inject({ method: 'DELETE', url: '/nothing' });
    expect([nothing.statusCode, nothing.body]).toEqual([204, '']);
  });

  it('answers HEAD like GET without the body', async () => {
    await using app = await start();
    const response = await app.inject({ method: 'HEAD', url: '/plain' });
    expect([response.statusCode, response.body, response.headers['content-length']]).toEqual([200, '', '11']);
  });

  it('keeps the raw bytes where the route asks for them', async () => {
    await using app = await start();
    const body = '{ "a":  1 }';
    expect((await app.inject(post('/signed', body))).json()).toEqual({ bytes: body });
  });

  it('gives the handler the bytes before they are read as JSON, where the route asks for it', async () => {
    await using app = await start();
    const ask = async (payload: string) => {
      const request = post('/bytes-first/k', payload);
      const answer = await app.inject({ ...request, headers: { ...request.headers, 'x-key': 'k' } });
      return [answer.statusCode, answer.json<{ error?: string }>().error ?? answer.json()];
    };
    expect(await ask('{ "a": 1 }')).toEqual([200, { bytes: '{ "a": 1 }', body: { a: 1 } }]);
    for (const payload of ['{"a":', '{"a":1', '']) expect(await ask(payload)).toEqual([400, 'invalid_request']);
    for (const payload of ['{"a":"x"}', '[]', '{"b":"\\u0000"}']) {
      expect(await ask(payload)).toEqual([422, 'validation_error']);
    }
    expect(await ask('{"wrong":')).toEqual([403, 'forbidden']);
  });

  it('asks a route whether it serves a request before its body is read', async () => {
    await using app = await start();
    for (const payload of ['{"a":1}', '{"a":', 'x'.repeat(2_000_000)]) {
      expect((await app.inject(post('/bytes-first/k', payload))).statusCode).toBe(401);
    }
    expect((await app.inject(post('/bytes-first/k', 'a=1', 'text/plain'))).statusCode).toBe(401);
  });

  it('accepts a command without a body, with and without a content type', async () => {
    await using app = await start();
    expect((await app.inject({ method: 'POST', url: '/command' })).json()).toEqual({ body: null });
    expect((await app.inject(post('/command', ''))).json()).toEqual({ body: null });
  });
});

describe('request ids', () => {
  it.each(['abc', 'A.b_c-1', 'x'.repeat(128)])('keeps the inbound token %s', async (id) => {
    await using app = await start();
    const response = await app.inject({ method: 'GET', url: '/plain', headers: { 'x-request-id': id } });
    expect(response.headers['x-request-id']).toBe(id);
  });

  it.each(['', 'a b', 'a/b', 'ä', 'x'.repeat(129), '"><script>'])('replaces the inbound text %j', async (id) => {
    await using app = await start();
    const response = await app.inject({ method: 'GET', url: '/plain', headers: { 'x-request-id': id } });
    expect(response.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('is in every error, header and body alike', async () => {
    await using app = await start();
    for (const request of [
      { method: 'GET' as const, url: '/nowhere' },
      post('/echo', '{'),
      post('/echo', 'x', 'text/plain'),
      post('/echo', { question: 1 }),
      { method: 'GET' as const, url: '/boom' },
      { method: 'GET' as const, url: '/%zz' },
    ]) {
      const response = await app.inject({
        ...request,
        headers: { ...('headers' in request && request.headers), 'x-request-id': 'id-1' },
      });
      expect(response.statusCode).toBeGreaterThanOrEqual(400);
      expect(response.headers['x-request-id']).toBe('id-1');
      expect(response.json<{ requestId: string }>().requestId).toBe('id-1');
    }
  });
});

describe('wrong input', () => {
  const cases: [string, ReturnType<typeof post>, number, string][] = [
    ['malformed JSON', post('/echo', '{"question": '), 400, 'invalid_request'],
    ['an empty body', post('/echo', ''), 400, 'invalid_request'],
    [
      'a body that is not UTF-8',
      post('/echo', Buffer.from([0x22, 0xff, 0x22]) as unknown as string),
      400,
      'invalid_request',
    ],
    ['a poisoned prototype', post('/echo', '{"question":"a","__proto__":{"x":1}}'), 400, 'invalid_request'],
    ['a missing key', post('/echo', {}), 422, 'validation_error'],
    ['a wrong type', post('/echo', { question: 5 }), 422, 'validation_error'],
    ['a bad UUID', post('/echo', { question: 'a', id: 'nope' }), 422, 'validation_error'],
    ['an array', post('/echo', '[]'), 422, 'validation_error'],
    ['null', post('/echo', 'null'), 422, 'validation_error'],
    ['a bare string', post('/echo', '"a"'), 422, 'validation_error'],
    ['plain text', post('/echo', 'question=a', 'text/plain'), 415, 'unsupported_media_type'],
    ['a form', post('/echo', 'question=a', 'application/x-www-form-urlencoded'), 415, 'unsupported_media_type'],
    ['an unreadable content type', post('/echo', '{}', 'nonsense'), 415, 'unsupported_media_type'],
    ['another character set', post('/echo', '{}', 'application/json; charset=utf-16'), 415, 'unsupported_media_type'],
  ];
  it.each(cases)('%s', async (_name, request, status, code) => {
    await using app = await start();
    const response = await app.inject(request);
    expect([response.statusCode, response.json<{ error: string }>().error]).toEqual([status, code]);
  });

  it.each([
    ['GET', '/fails/%E0%A4%A', 400, 'The address of the request is not a valid URL.'],
    ['OPTIONS', '/%zz', 400, 'The address of the request is not a valid URL.'],
    ['GET', `/fails/${'x'.repeat(2_001)}`, 400, 'A part of the path is too long.'],
    ['GET', `/nowhere/${'x'.repeat(2_001)}`, 404, 'There is nothing at GET /nowhere/'],
    ['GET', '/plain?a=%zz', 200, ''],
  ] as const)('%s %s is %i', async (method, url, status, message) => {
    await using app = await start();
    const { statusCode, headers, body } = await app.inject({ method, url });
    expect([statusCode, headers['x-request-id']]).toEqual([status, expect.any(String)]);
    expect(body).toContain(message);
  });

  it('takes JSON under its other names', async () => {
    await using app = await start();
    for (const type of [
      'application/json; charset=utf-8',
      'application/json;charset=UTF-8',
      'application/problem+json',
      'APPLICATION/JSON',
    ]) {
      expect((await app.inject(post('/echo', '{"question":"a"}', type))).statusCode).toBe(200);
    }
    expect((await app.inject(post('/echo', '\ufeff{"question":"ä"}'))).json()).toMatchObject({ question: 'ä' });
  });

  it.each([
    ['/own', 'no-store'],
    ['/kept', 'private'],
    ['/plain', undefined],
  ])('what caches may do with %s: %s', async (url, expected) => {
    await using app = await start();
    const { statusCode, headers } = await app.inject({ method: 'GET', url });
    expect([statusCode, headers['cache-control']]).toEqual([200, expected]);
  });

  it('takes no body for what it is, whatever its type', async () => {
    await using app = await start();
    const url = app.get(http).url();
    const nothing = (path: string, type: string) =>
      fetch(`${url}${path}`, { method: 'POST', body: '', headers: { 'content-type': type } });
    for (const type of ['application/x-www-form-urlencoded', 'text/plain;charset=UTF-8', 'nonsense']) {
      const [free, needed] = [await nothing('/command', type), await nothing('/echo', type)];
      expect([type, free.status, needed.status]).toEqual([type, 200, 400]);
    }
  });

  it('refuses a body without a content type, and a compressed one', async () => {
    await using app = await start();
    const url = app.get(http).url();
    const plain = await sendRaw(
      url,
      'POST /echo HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}',
    );
    expect([plain.status, JSON.parse(plain.body).error]).toEqual([415, 'unsupported_media_type']);
    const packed = await fetch(`${url}/echo`, {
      method: 'POST',
      body: 'x',
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    });
    expect([packed.status, ((await packed.json()) as { error: string }).error]).toEqual([
      415,
      'unsupported_media_type',
    ]);
  });

  it('lists every fault of a body by its path', async () => {
    await using app = await start();
    const body = (await app.inject(post('/echo', { id: 'x', kind: 'c' }))).json<{
      message: string;
      details: unknown[];
    }>();
    expect(body.details).toEqual([
      { path: 'question', message: 'is required' },
      { path: 'id', message: 'must be a valid uuid' },
      { path: 'kind', message: 'must be one of "a", "b"' },
    ]);
    expect(body.message).toBe('The request body is not valid: question is required.');
  });

  it('fills in defaults and ignores unknown keys', async () => {
    await using app = await start();
    expect((await app.inject(post('/echo', { question: 'a', trigger: 'submit' }))).json()).toEqual({
      question: 'a',
      trigger: 'submit',
      channel: 'webhook',
    });
  });

  it('reads parameters strictly', async () => {
    await using app = await start();
    const get = (url: string) => app.inject({ method: 'GET', url });
    expect((await get(`/items/${UUID}?limit=5&starred=true&other=1`)).json()).toEqual({
      params: { id: UUID },
      query: { limit: 5, starred: true },
    });
    expect((await get(`/items/${UUID}`)).json()).toMatchObject({ query: { limit: 20 } });
    for (const query of [
      'limit=0',
      'limit=101',
      'limit=5.5',
      'limit=1e1',
      'limit=',
      'limit=abc',
      'limit=1&limit=2',
      'starred=yes',
    ]) {
      const response = await get(`/items/${UUID}?${query}`);
      expect([query, response.statusCode, response.json<{ error: string }>().error]).toEqual([
        query,
        400,
        'invalid_request',
      ]);
    }
    for (const id of ['1', 'x'.repeat(300), '%00']) {
      const response = await get(`/items/${id}`);
      expect([id, response.statusCode, response.json<{ error: string }>().error]).toEqual([id, 400, 'invalid_request']);
    }
  });

  it('knows no other routes, and says which methods a path has', async () => {
    await using app = await start();
    const unknown = await app.inject(post('/nowhere', 'x', 'text/plain'));
    expect([unknown.statusCode, unknown.json<{ error: string }>().error]).toEqual([404, 'not_found']);
  });

  it.each([
    ['GET', '/echo?x=1', 'POST, OPTIONS', 'GET /echo is not served. Use POST.'],
    ['HEAD', '/echo', 'POST, OPTIONS', undefined],
    ['DELETE', '/plain', 'GET, HEAD, OPTIONS', 'DELETE /plain is not served. Use GET.'],
    ['PATCH', `/items/${UUID}`, 'GET, HEAD, OPTIONS', `PATCH /items/${UUID} is not served. Use GET.`],
    ['POST', '/%70lain', 'GET, HEAD, OPTIONS', 'POST /%70lain is not served. Use GET.'],
  ] as const)('%s %s is 405 with the methods that are served', async (method, url, allow, message) => {
    await using app = await start();
    const wrong = await app.inject({ method, url });
    expect([wrong.statusCode, wrong.headers.allow]).toEqual([405, allow]);
    if (message === undefined) return;
    const requestId = wrong.headers['x-request-id'];
    expect(wrong.json()).toEqual({ error: 'method_not_allowed', message, requestId });
  });

  it('does not take a part of a path, or one part too many, for a known path', async () => {
    await using app = await start();
    for (const url of ['/items', '/items/', '/items/a/b', '/echo/', '//echo', '/ECHO']) {
      expect([url, (await app.inject({ method: 'DELETE', url })).statusCode]).toEqual([url, 404]);
    }
  });

  it('answers OPTIONS with the methods of a path, and knows what is none', async () => {
    await using app = await start();
    const known = await app.inject({ method: 'OPTIONS', url: '/plain' });
    expect([known.statusCode, known.headers.allow]).toEqual([204, 'GET, HEAD, OPTIONS']);
    expect((await app.inject({ method: 'OPTIONS', url: '/nowhere' })).statusCode).toBe(404);
    const headers = { origin: 'http://localhost', 'access-control-request-method': 'POST' };
    expect((await app.inject({ method: 'OPTIONS', url: '/nowhere', headers })).statusCode).toBe(204);
  });
});

describe('the shape of a body', () => {
  const keys = (count: number) => Array.from({ length: count }, (_, index) => `"k${index}":","`).join();
  const status = async (payload: string) => {
    await using app = await start();
    return (await app.inject(post('/command', payload))).statusCode;
  };

  it.each([
    ['an object with too many keys', `{"a":[{${keys(1_001)}}]}`, 422],
    ['as many keys as may be', `{"a":[{${keys(1_000)}},{${keys(1_000)}}]}`, 200],
    ['a long list', `[${'[],'.repeat(100_000)}1]`, 200],
    ['commas and brackets in a text', `{"a":"${'{,[\\\\\\"'.repeat(2_000)}"}`, 200],
    ['many texts that end in a backslash', `[${'"a\\\\",'.repeat(2_000)}"{"]`, 200],
    ['nesting that is too deep', `${'[{"a":'.repeat(51)}1${'}]'.repeat(51)}`, 422],
    ['nesting as deep as may be', `${'[{"a":'.repeat(50)}1${'}]'.repeat(50)}`, 200],
    ['a null character at the end of much', `[${'[],'.repeat(100_000)}"\\u0000"]`, 422],
    ['an escaped backslash before four zeros', '["\\\\u0000"]', 200],
    ['a text without an end', `{"a":"${'x,'.repeat(2_000)}`, 400],
  ])('%s', async (_, payload, expected) => {
    expect(await status(payload)).toBe(expected);
  });
});

describe('body size', () => {
  const limit = 1_024;
  const sized = (bytes: number) => {
    const frame = '{"question":""}'.length;
    return `{"question":"${'x'.repeat(bytes - frame)}"}`;
  };

  it('takes a body of exactly the limit and refuses one byte more, with and without a length', async () => {
    await using app = await start({ bodyLimitBytes: limit });
    const url = `${app.get(http).url()}/echo`;
    const headers = { 'content-type': 'application/json' };
    for (const [bytes, status] of [
      [limit, 200],
      [limit + 1, 413],
    ] as const) {
      expect((await fetch(url, { method: 'POST', headers, body: sized(bytes) })).status).toBe(status);
      const body = new Blob([sized(bytes)]).stream();
      const chunked = await fetch(url, { method: 'POST', headers, body, duplex: 'half' } as RequestInit);
      expect(chunked.status).toBe(status);
      if (status === 413)
        expect(await chunked.json()).toMatchObject({
          message: expect.stringContaining(`${limit}`.replace(/\B(?=(\d{3})+$)/g, ',')),
        });
    }
  });

  it('answers 413 while megabytes are still on their way, and keeps the connection', async () => {
    await using app = await start();
    const body = sized(8 * 1024 * 1024);
    for (let round = 0; round < 5; round += 1) {
      const [status, text] = await new Promise<[number, string]>((resolve, reject) => {
        const request = httpRequest(
          `${app.get(http).url()}/echo`,
          { method: 'POST', headers: { 'content-type': 'application/json', 'content-length': body.length } },
          (response) => {
            let received = '';
            response.on('data', (chunk) => {
              received += chunk;
            });
            response.on('end', () => resolve([response.statusCode ?? 0, received]));
          },
        );
        request.on('error', reject);
        request.end(body);
      });
      expect([status, JSON.parse(text).error]).toEqual([413, 'payload_too_large']);
    }
  });
});

describe('errors', () => {
  it('answers each code with its status, the hint, and when to try again', async () => {
    await using app = await start();
    for (const [code, { status }] of Object.entries(errorCodes)) {
      const response = await app.inject({ method: 'GET', url: `/fails/${code}` });
      expect([code, response.statusCode]).toEqual([code, status]);
      expect(response.headers['retry-after']).toBe('2');
      expect(response.json()).toMatchObject({ error: code, retryAfterSeconds: 1.2 });
      if (code !== 'internal_error') expect(response.json()).toMatchObject({ message: 'No. Do this.' });
    }
  });

  it('hides what is not meant for clients, and logs it with the request id', async () => {
    await using app = await start();
    const response = await app.inject({ method: 'GET', url: '/boom', headers: { 'x-request-id': 'r-1' } });
    expect(response.statusCode).toBe(500);
    expect(response.json()).toEqual({
      error: 'internal_error',
      message: 'Something went wrong inside Atlas. Try again; if it stays, tell the operator the request id r-1.',
      requestId: 'r-1',
    });
    expect(app.lines.filter(({ level }) => level === 'error')).toEqual([
      expect.objectContaining({
        fields: expect.objectContaining({ requestId: 'r-1', error: 'secret postgres://u:p@h/db' }),
      }),
    ]);
  });

  it('answers a code that no client knows with internal_error', async () => {
    await using app = await start();
    const response = await app.inject({ method: 'GET', url: '/fails/E_ODD' });
    expect([response.statusCode, response.json<{ error: string }>().error]).toEqual([500, 'internal_error']);
    expect(response.body).not.toContain('No.');
  });

  it('answers a role that is too low with 403, without asking for credentials', async () => {
    await using app = await start();
    const response = await app.inject({ method: 'GET', url: '/too-low' });
    expect([response.statusCode, response.json<{ error: string }>().error]).toEqual([403, 'auth_error']);
    expect(response.headers['www-authenticate']).toBeUndefined();
    expect((await app.inject({ method: 'GET', url: '/fails/auth_error' })).headers['www-authenticate']).toMatch(
      /^Bearer/,
    );
  });

  it('answers what is not HTTP in the same form', async () => {
    await using app = await start();
    const url = app.get(http).url();
    for (const [request, status] of [
      ['nonsense\r\n\r\n', 400],
      [`GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
      ['GET / HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
      ['GET / HTTP/1.1\r\nHost: localhost\r\nhost: b\r\nConnection: close\r\n\r\n', 400],
    ] as const) {
      const response = await sendRaw(url, request);
      expect(response.status).toBe(status);
      const body = JSON.parse(response.body);
      expect(body).toMatchObject({ error: 'invalid_request', requestId: response.headers['x-request-id'] });
    }
    // A request from the time before there was a Host header.
    expect((await sendRaw(url, 'GET /nowhere HTTP/1.0\r\n\r\n')).status).toBe(404);
  });
});
