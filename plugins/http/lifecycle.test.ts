import { get as httpGet, Agent as KeepAliveAgent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Type } from '@sinclair/typebox';
import { describe, expect, it } from 'vitest';
import {
  AtlasError,
  authAuthorize,
  authResolve,
  definePlugin,
  httpRoutes,
  type Identity,
  type Route,
  type Scope,
} from '../../kernel/index.ts';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { parseResponse, rawConnection, received, sendRaw } from '../../test/harness/raw-http.ts';
import { http, httpRetiring } from './index.ts';

const base = {
  method: 'GET',
  summary: 'A route.',
  tag: 'Test',
  right: 'public',
  responses: { 200: Type.Unknown() },
} as const;

function serving(...routes: Route[]) {
  return definePlugin({
    name: 'test-routes',
    version: '1.0.0',
    type: 'interaction',
    description: 'Routes.',
    setup: (ctx) => ctx.tap(httpRoutes, () => routes),
  })();
}

/** Waits until the work is cancelled, and remembers why. */
function waiting(seen: { reason?: unknown; began?: () => void }): Route {
  return {
    ...base,
    path: '/wait',
    handle: (_request, scope) =>
      new Promise((_, reject) => {
        seen.began?.();
        scope.signal.addEventListener('abort', () => {
          seen.reason = scope.signal.reason;
          reject(scope.signal.reason);
        });
      }),
  };
}

async function until(condition: () => boolean): Promise<void> {
  for (let waited = 0; !condition(); waited += 5) {
    if (waited > 20_000) throw new Error('It did not happen.');
    await sleep(5);
  }
}

describe('a server that is told to stop', () => {
  it('answers once more on connections that are open, has them close, and takes no new ones', async () => {
    const route: Route = { ...base, path: '/hello', handle: () => ({ body: 'hello' }) };
    let reported = false;
    const observer = definePlugin({
      name: 'observer',
      version: '1.0.0',
      type: 'core',
      description: 'Notes that the server retires.',
      setup: (ctx) =>
        ctx.on(httpRetiring, () => {
          reported = true;
        }),
    });
    // Long enough for a request on a machine that does other work.
    const stopping = http({ port: 0, stopDelayMs: 1_000 });
    await using app = await createTestApp({ plugins: [stopping, serving(route), observer()] });
    const url = app.get(http).url();
    const socket = await rawConnection(url);
    const all = received(socket);
    const retired = app.get(http).retire();
    expect(reported).toBe(true);
    const late = await fetch(`${url}/hello`);
    expect([late.status, late.headers.get('connection')]).toEqual([200, 'close']);
    await until(() => app.get(http).address() === undefined);
    socket.write('GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const { status, headers } = parseResponse(await all);
    expect([status, headers.connection]).toEqual([200, 'close']);
    await retired;
    await expect(fetch(`${url}/hello`)).rejects.toThrow();
  });
});

describe('a client that leaves', () => {
  it('cancels the work on its request', async () => {
    const began = Promise.withResolvers<void>();
    const seen: Parameters<typeof waiting>[0] = { began: began.resolve };
    await using app = await createTestApp({ plugins: [http({ port: 0 }), serving(waiting(seen))] });
    const left = new AbortController();
    const pending = fetch(`${app.get(http).url()}/wait`, { signal: left.signal }).catch(() => 'gone');
    await began.promise;
    expect(seen.reason).toBeUndefined();
    left.abort();
    expect(await pending).toBe('gone');
    await until(() => seen.reason !== undefined);
    expect((seen.reason as AtlasError).reason).toBe('E_CLIENT_GONE');
    expect(app.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('logs no failure when many leave before their bodies are complete', async () => {
    const ran: string[] = [];
    const post: Route = { ...base, method: 'POST', path: '/post', body: Type.Unknown(), handle: () => ({ body: ran }) };
    await using app = await createTestApp({ plugins: [http({ port: 0 }), serving(post)] });
    const sockets = await Promise.all(Array.from({ length: 10 }, () => rawConnection(app.get(http).url())));
    const head =
      'POST /post HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n[1,';
    for (const socket of sockets) socket.write(head);
    await sleep(200);
    for (const socket of sockets) socket.resetAndDestroy();
    const ended = () => app.lines.filter(({ message }) => message === 'A request was given up.');
    await until(() => ended().length === sockets.length);
    expect(app.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('is cancelled with many others that leave at once, before the server stops', async () => {
    const begun: AbortSignal[] = [];
    const wait: Route = {
      ...base,
      path: '/wait',
      handle: (_request, { signal }) =>
        new Promise((_, reject) => {
          begun.push(signal);
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
    };
    const app = await createTestApp({ plugins: [http({ port: 0, gracefulCloseMs: 0 }), serving(wait)] });
    const sockets = await Promise.all(Array.from({ length: 30 }, () => rawConnection(app.get(http).url())));
    for (const socket of sockets) socket.write('GET /wait HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await until(() => begun.length === 30);
    for (const socket of sockets) socket.resetAndDestroy();
    await until(() => begun.every(({ aborted }) => aborted));
    await app.close();
    expect(begun).toHaveLength(30);
  });

  it('ends a stream in the middle', async () => {
    let ended = false;
    let scopeOf: Scope | undefined;
    async function* numbers() {
      try {
        for (let n = 0; ; n += 1) {
          yield `${n}\n`;
          await sleep(5);
        }
      } finally {
        ended = true;
      }
    }
    const stream: Route = {
      ...base,
      path: '/stream',
      handle: (_request, scope) => {
        scopeOf = scope;
        return { headers: { 'content-type': 'text/plain' }, stream: numbers() };
      },
    };
    await using app = await createTestApp({ plugins: [http({ port: 0 }), serving(stream)] });
    const response = await fetch(`${app.get(http).url()}/stream`);
    expect(response.headers.get('x-request-id')).toBeTruthy();
    const reader = response.body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toMatch(/^0\n/);
    await reader?.cancel();
    await until(() => ended);
    expect(scopeOf?.signal.aborted).toBe(true);
  });

  it('answers HEAD of a stream that has no end with its headers, and ends the stream', async () => {
    let isDone = false;
    let signal: AbortSignal | undefined;
    async function* silent() {
      yield await new Promise<string>(() => {});
    }
    const headers = { 'content-type': 'text/event-stream' };
    const done = () => {
      isDone = true;
    };
    const handle: Route['handle'] = (_request, scope) => {
      ({ signal } = scope);
      return { headers, stream: silent(), done };
    };
    await using app = await createTestApp({
      plugins: [http({ port: 0 }), serving({ ...base, path: '/stream', handle })],
    });
    const response = await fetch(`${app.get(http).url()}/stream`, { method: 'HEAD' });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    await until(() => isDone);
    // What the handler has begun for the stream.
    expect(signal?.aborted).toBe(true);
  });

  it('does not lose the end of a stream to a client that reads slowly', async () => {
    const piece = 'x'.repeat(64 * 1024);
    async function* pieces() {
      for (let n = 0; n < 100; n += 1) yield piece;
    }
    const stream: Route = { ...base, path: '/stream', handle: () => ({ stream: pieces() }) };
    await using app = await createTestApp({ plugins: [http({ port: 0 }), serving(stream)] });
    const response = await fetch(`${app.get(http).url()}/stream`);
    await sleep(100);
    expect((await response.text()).length).toBe(100 * piece.length);
  });

  it('does not take a finished request on a kept connection for a departure', async () => {
    const aborted: boolean[] = [];
    const scopes: Scope[] = [];
    const plain: Route = {
      ...base,
      path: '/plain',
      handle: (_request, scope) => {
        scopes.push(scope);
        return { body: {} };
      },
    };
    await using app = await createTestApp({ plugins: [http({ port: 0 }), serving(plain)] });
    const agent = new KeepAliveAgent({ keepAlive: true, maxSockets: 1 });
    const get = () =>
      new Promise<void>((resolve, reject) => {
        httpGet(`${app.get(http).url()}/plain`, { agent }, (response) => response.resume().on('end', resolve)).on(
          'error',
          reject,
        );
      });
    await get();
    await get();
    agent.destroy();
    await sleep(50);
    for (const scope of scopes) aborted.push(scope.signal.aborted);
    expect(aborted).toEqual([false, false]);
  });
});

describe('a stream that fails', () => {
  it('cuts the connection, so that half an answer is not taken for a whole one', async () => {
    async function* half() {
      yield 'half';
      await sleep(20);
      throw new Error('broken');
    }
    const stream: Route = { ...base, path: '/stream', handle: () => ({ stream: half() }) };
    await using app = await createTestApp({ plugins: [http({ port: 0 }), serving(stream)] });
    const response = await fetch(`${app.get(http).url()}/stream`);
    await expect(response.text()).rejects.toThrow();
    expect(app.lines).toContainEqual(expect.objectContaining({ level: 'error', message: 'An answer broke off.' }));
  });
});

describe('a stream whose headers HTTP does not take', () => {
  it('is an error of the server, and ends the request', async () => {
    let scope: Scope | undefined;
    async function* whole() {
      yield 'whole';
    }
    const stream: Route = {
      ...base,
      path: '/stream',
      handle(_request, given) {
        scope = given;
        return { headers: { 'x-title': 'two\nlines' }, stream: whole() };
      },
    };
    await using app = await createTestApp({ plugins: [http({ port: 0 }), serving(stream)] });
    const response = await fetch(`${app.get(http).url()}/stream`);
    expect([response.status, response.statusText]).toEqual([500, 'Internal Server Error']);
    expect(await response.json()).toMatchObject({ error: 'internal_error' });
    expect(scope?.actor).toBeDefined();
  });
});

describe('a large answer that cannot be written', () => {
  it('is cut off, and logged', async () => {
    const rows = Array.from({ length: 5_000 }, (_, id) => ({ id, text: 'x'.repeat(100) }));
    const large: Route = { ...base, path: '/large', handle: () => ({ body: { rows, count: 1n } }) };
    await using app = await createTestApp({ plugins: [http({ port: 0 }), serving(large)] });
    const response = await fetch(`${app.get(http).url()}/large`);
    await expect(response.text()).rejects.toThrow();
    expect(app.lines).toContainEqual(expect.objectContaining({ level: 'error', message: 'An answer broke off.' }));
  });
});

describe('a client that leaves while it is authenticated', () => {
  it('keeps no place of those who come after it', async () => {
    const entered: number[] = [];
    const slow = definePlugin({
      name: 'slow-authentication',
      version: '1.0.0',
      type: 'auth',
      description: 'Takes its time.',
      setup(ctx) {
        ctx.tap(authResolve, async (): Promise<Identity> => {
          entered.push(1);
          await sleep(100);
          return { actor: { id: 'u', label: null, role: 'admin', mode: 'test', claims: {} }, orgId: null };
        });
        ctx.tap(authAuthorize, () => {});
      },
    });
    const failing: Route = {
      ...base,
      path: '/failing',
      right: 'query',
      handle: () => {
        throw new AtlasError('There is none.', { code: 'not_found' });
      },
    };
    await using app = await createTestApp({
      plugins: [http({ port: 0, maxConnections: 2 }), slow(), serving(failing)],
    });
    for (let count = 1; count <= 3; count += 1) {
      const socket = await rawConnection(app.get(http).url());
      socket.write('GET /failing HTTP/1.1\r\nHost: localhost\r\n\r\n');
      await expect.poll(() => entered.length).toBe(count);
      socket.destroy();
    }
    await sleep(200);
    expect((await fetch(`${app.get(http).url()}/failing`)).status).toBe(404);
  });
});

it('runs no more requests at once than `maxRunning`', async () => {
  const open: (() => void)[] = [];
  const held: Route = {
    ...base,
    path: '/held',
    handle: () => new Promise((resolve) => open.push(() => resolve({ body: {} }))),
  };
  const health: Route = { ...base, path: '/health', essential: true, handle: () => ({ body: {} }) };
  await using app = await createTestApp({ plugins: [http({ port: 0, maxRunning: 2 }), serving(held, health)] });
  const answers = Array.from({ length: 3 }, () => app.inject({ method: 'GET', url: '/held' }));
  await until(() => open.length === 2);
  // The third has arrived before this one, which does not wait.
  expect((await app.inject({ method: 'GET', url: '/health' })).statusCode).toBe(200);
  expect(open).toHaveLength(2);
  open[0]?.();
  await until(() => open.length === 3);
  for (const finish of open) finish();
  expect((await Promise.all(answers)).map(({ statusCode }) => statusCode)).toEqual([200, 200, 200]);
});

describe('a client that talks over a stream', () => {
  it('gets no second answer written into it', async () => {
    async function* slowly() {
      yield 'one';
      await sleep(2_000);
      yield 'two';
    }
    const stream: Route = { ...base, path: '/stream', handle: () => ({ stream: slowly() }) };
    await using app = await createTestApp({ plugins: [http({ port: 0, gracefulCloseMs: 0 }), serving(stream)] });
    const socket = await rawConnection(app.get(http).url());
    const all = received(socket);
    socket.write('GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await received(socket, 'one');
    socket.write('nonsense\r\n\r\n');
    expect((await all).match(/HTTP\/1\.1/g)).toHaveLength(1);
  });

  it('may expect what the server does not know', async () => {
    const plain: Route = { ...base, path: '/plain', handle: () => ({ body: {} }) };
    await using app = await createTestApp({ plugins: [http({ port: 0 }), serving(plain)] });
    const request = 'GET /plain HTTP/1.1\r\nHost: localhost\r\nExpect: tea\r\nConnection: close\r\n\r\n';
    const response = await sendRaw(app.get(http).url(), request);
    expect([response.status, response.headers['x-request-id']]).toEqual([200, expect.any(String)]);
  });
});

describe('a client that is slow', () => {
  it('gets 408 when its request does not arrive in time, and others are served meanwhile', async () => {
    const plain: Route = { ...base, path: '/plain', method: 'POST', handle: () => ({ body: {} }) };
    await using app = await createTestApp({ plugins: [http({ port: 0, requestTimeoutMs: 200 }), serving(plain)] });
    const url = app.get(http).url();
    const slow = sendRaw(
      url,
      'POST /plain HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{',
    );
    expect((await fetch(`${url}/plain`, { method: 'POST' })).status).toBe(200);
    const response = await slow;
    expect(response.status).toBe(408);
    expect(JSON.parse(response.body)).toMatchObject({ error: 'invalid_request' });
  });
});

describe('stopping', () => {
  it('lets a running request finish, refuses new ones and closes idle connections', async () => {
    let finish = () => {};
    let began = () => {};
    const running = new Promise<void>((resolve) => {
      began = resolve;
    });
    const slow: Route = {
      ...base,
      path: '/slow',
      handle: () => {
        began();
        return new Promise((resolve) => {
          finish = () => resolve({ body: { done: true } });
        });
      },
    };
    const plain: Route = { ...base, path: '/plain', handle: () => ({ body: {} }) };
    const app = await createTestApp({ plugins: [http({ port: 0 }), serving(slow, plain)] });
    const url = app.get(http).url();
    const idle = await rawConnection(url);
    idle.write('GET /plain HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await received(idle, '{}');
    const idleClosed = new Promise((resolve) => idle.once('close', resolve));
    const answer = fetch(`${url}/slow`);
    await running;
    const closed = app.close();
    await idleClosed;
    await expect(fetch(`${url}/slow`)).rejects.toThrow();
    finish();
    expect(await (await answer).json()).toEqual({ done: true });
    await closed;
  });

  it('cancels what does not finish, and ends a stream properly', async () => {
    const seen: { reason?: unknown; began?: () => void } = {};
    const running = new Promise<void>((resolve) => {
      seen.began = resolve;
    });
    const app = await createTestApp({ plugins: [http({ port: 0, gracefulCloseMs: 50 }), serving(waiting(seen))] });
    const answer = fetch(`${app.get(http).url()}/wait`);
    await running;
    await app.close();
    const response = await answer;
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await response.json()).toMatchObject({ error: 'unavailable' });
  });

  it('answers in place of what does not even notice that it is cancelled', async () => {
    let began = () => {};
    const running = new Promise<void>((resolve) => {
      began = resolve;
    });
    const deaf: Route = {
      ...base,
      path: '/deaf',
      handle: () => {
        began();
        return new Promise(() => {});
      },
    };
    const app = await createTestApp({ plugins: [http({ port: 0, gracefulCloseMs: 50 }), serving(deaf)] });
    const answer = fetch(`${app.get(http).url()}/deaf`);
    await running;
    await app.close();
    expect([(await answer).status, await (await answer).json()]).toMatchObject([503, { error: 'unavailable' }]);
  });

  it('ends running requests at once when the process cannot go on', async () => {
    const began = Promise.withResolvers<void>();
    await using app = await createTestApp({
      plugins: [http({ port: 0, gracefulCloseMs: 60_000 }), serving(waiting({ began: began.resolve }))],
    });
    const answer = fetch(`${app.get(http).url()}/wait`);
    await began.promise;
    app.get(http).cancel();
    await app.close();
    expect((await answer).status).toBe(503);
  });

  it('answers a request on a kept connection with 503 while it stops', async () => {
    let finish: (() => void) | undefined;
    const slow: Route = {
      ...base,
      path: '/slow',
      handle: () =>
        new Promise((resolve) => {
          finish = () => resolve({ body: {} });
        }),
    };
    const app = await createTestApp({ plugins: [http({ port: 0 }), serving(slow)] });
    const socket = await rawConnection(app.get(http).url());
    const answers = received(socket);
    socket.write('GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await expect.poll(() => finish).toBeDefined();
    const closed = app.close();
    socket.write('GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await sleep(50);
    // After a timer that is late, what has arrived is read before this goes on.
    await new Promise(setImmediate);
    finish?.();
    const text = await answers;
    await closed;
    const [first, second] = text.split(/(?=HTTP\/1\.1 )/).map(parseResponse);
    expect(first?.status).toBe(200);
    expect(second).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  });
});

describe('starting', () => {
  it('refuses requests without an error in the log', async () => {
    const plain: Route = { ...base, path: '/plain', handle: () => ({ body: {} }) };
    let early: { statusCode: number; body: string } | undefined;
    const asking = definePlugin({
      name: 'asking',
      version: '1.0.0',
      type: 'core',
      description: 'Asks before the app is ready.',
      needs: { server: http },
      setup: (ctx, _options, { server }) =>
        ctx.onReady(async () => {
          early = await server.inject('/plain');
        }),
    })();
    await using app = await createTestApp({ plugins: [http({ port: 0 }), serving(plain), asking] });
    expect(early).toMatchObject({ statusCode: 503, body: expect.stringContaining('Atlas is starting.') });
    expect(app.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('says which port is taken', async () => {
    await using first = await createTestApp({ plugins: [http({ port: 0 })] });
    const { port } = first.get(http).address() ?? { port: 0 };
    await expect(createTestApp({ plugins: [http({ port })] })).rejects.toThrow(
      `Atlas cannot listen on 127.0.0.1:${port}: it is already in use.`,
    );
  });

  it('names both plugins that serve the same path', async () => {
    const plain: Route = { ...base, path: '/plain', handle: () => ({ body: {} }) };
    await expect(createTestApp({ plugins: [http({ port: 0 }), serving(plain, plain)] })).rejects.toThrow(
      'Plugins "test-routes" and "test-routes" both serve GET /plain.',
    );
  });
});

describe('overload', () => {
  it('refuses nobody because the processor is busy with something else', async () => {
    const plain: Route = { ...base, path: '/plain', handle: () => ({ body: {} }) };
    await using app = await createTestApp({ plugins: [http({ port: 0 }), serving(plain)] });
    for (let stretch = 0; stretch < 4; stretch += 1) {
      const busyUntil = performance.now() + 1_100;
      while (performance.now() < busyUntil);
      await sleep(1);
      expect((await app.inject({ method: 'GET', url: '/plain' })).statusCode).toBe(200);
    }
  });
});

describe('the user of a request', () => {
  const identity: Identity = {
    actor: { id: 'ann', label: 'Ann', role: 'analyst', mode: 'test', claims: {} },
    orgId: 'org-1',
  };
  const auth = definePlugin({
    name: 'auth-test',
    version: '1.0.0',
    type: 'auth',
    description: 'Knows one key.',
    setup(ctx) {
      ctx.tap(authResolve, ({ headers }) => (headers.authorization === 'Bearer key' ? identity : undefined));
      ctx.tap(authAuthorize, ({ right, operation }) => {
        if (right === 'admin') {
          throw new AtlasError(`${operation} needs the role admin.`, { code: 'auth_error', reason: 'E_ROLE_TOO_LOW' });
        }
      });
    },
  });
  const who: Route = {
    ...base,
    path: '/who',
    method: 'POST',
    right: 'query',
    body: Type.Object({ a: Type.String() }),
    handle: (_request, scope) => ({ body: { id: scope.actor.id, orgId: scope.orgId } }),
  };
  const admin: Route = { ...base, path: '/admin', right: 'admin', handle: () => ({ body: {} }) };
  const open: Route = { ...base, path: '/open', handle: (_request, scope) => ({ body: { mode: scope.actor.mode } }) };
  const start = () =>
    createTestApp({ plugins: [http({ port: 0 }), auth(), serving(who, admin, open)], openGates: false });
  const headers = { authorization: 'Bearer key' };

  it('is resolved before the body is looked at', async () => {
    await using app = await createTestApp({
      plugins: [http({ port: 0 }), auth(), serving(who, admin, open)],
      openGates: false,
    });
    const nobody = await app.inject({
      method: 'POST',
      url: '/who',
      payload: '{',
      headers: { 'content-type': 'application/json' },
    });
    expect([nobody.statusCode, nobody.headers['www-authenticate']]).toEqual([401, 'Bearer realm="atlas"']);
    expect(nobody.json()).toMatchObject({ error: 'auth_error' });
    const known = await app.inject({ method: 'POST', url: '/who', payload: { a: 'b' }, headers });
    expect(known.json()).toEqual({ id: 'ann', orgId: 'org-1' });
  });

  it('decides on rights, and public routes ask no authorization', async () => {
    await using app = await start();
    const refused = await app.inject({ method: 'GET', url: '/admin', headers });
    expect([refused.statusCode, refused.json()]).toMatchObject([
      403,
      { error: 'auth_error', message: 'GET /admin needs the role admin.' },
    ]);
    expect((await app.inject({ method: 'GET', url: '/open' })).json()).toEqual({ mode: 'unidentified' });
  });

  it.each([
    [false, '127.0.0.1'],
    [true, '203.0.113.9'],
  ])('is authorized with the address they come from (trusted proxy: %s)', async (trustProxy, ip) => {
    const asked: unknown[] = [];
    const listening = definePlugin({
      name: 'listening',
      version: '1.0.0',
      type: 'policy',
      description: 'Notes what is asked.',
      setup: (ctx) => ctx.tap(authAuthorize, (access) => void asked.push(access)),
    });
    const plugins = [http({ port: 0, trustProxy }), auth(), listening(), serving(who)];
    await using app = await createTestApp({ plugins, openGates: false });
    const proxied = { ...headers, 'x-forwarded-for': '203.0.113.9' };
    await app.inject({ method: 'POST', url: '/who', payload: { a: 'b' }, headers: proxied });
    expect(asked).toEqual([{ right: 'query', operation: 'POST /who', ip }]);
  });
});
