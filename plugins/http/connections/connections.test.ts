import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Type } from '@sinclair/typebox';
import { describe, expect, it } from 'vitest';
import { definePlugin, httpRoutes, type Route, type RouteReply } from '../../../kernel/index.ts';
import { createTestApp } from '../../../test/harness/create-test-app.ts';
import { parseResponse, rawConnection, received, sendRaw } from '../../../test/harness/raw-http.ts';
import { http } from '../index.ts';
import { connectionsWithin } from './descriptors.ts';

/** Beyond `maxConnections`, as `connections.ts` has them. */
const RESERVED = 16;
/** Characters of four bytes, one of which stands across every place where the text may be cut. */
const LARGE_EVENT = `x${'😀'.repeat(100_000)}`;
const GET = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

/** Routes that wait, echo, answer much and stream much; `release` ends all that wait. */
async function start(options: Parameters<typeof http>[0] = {}) {
  const waiting: (() => void)[] = [];
  const begun: string[] = [];
  const route = (path: string, handle: Route['handle'], part: Partial<Route> = {}): Route => ({
    method: 'GET',
    path,
    summary: 'A route.',
    tag: 'Test',
    right: 'public',
    responses: { 200: Type.Unknown() },
    handle: (request, scope) => {
      begun.push(path);
      return handle(request, scope);
    },
    ...part,
  });
  async function* endless() {
    for (;;) yield 'x'.repeat(10_000);
  }
  async function* large() {
    yield LARGE_EVENT;
  }
  async function* events() {
    yield { before: 'a:', json: { n: 1 }, after: '\n' };
    yield { before: 'b:', json: rows, after: '\n' };
    yield { before: 'c:', json: undefined, after: '\n' };
  }
  const rows = Array.from({ length: 30_000 }, (_, id) => ({ id, text: 'x'.repeat(400), none: undefined }));
  const written = { rows: 0, sent: false };
  const counted = rows.map((row) => ({
    toJSON() {
      written.rows += 1;
      return row;
    },
  }));
  const done = () => {
    written.sent = true;
  };
  const routes = [
    route('/plain', () => ({ body: {} })),
    route('/vital', () => ({ body: {} }), { essential: true }),
    route('/wait', () => new Promise<RouteReply>((resolve) => waiting.push(() => resolve({ body: {} })))),
    route('/echo', ({ body }) => ({ body }), { method: 'POST', body: Type.Unknown() }),
    route('/hold', () => new Promise<RouteReply>((resolve) => waiting.push(() => resolve({ body: {} }))), {
      method: 'POST',
      body: Type.Unknown(),
    }),
    route('/rows', () => ({ body: { rows } })),
    route('/events', () => ({ stream: events() })),
    route('/counted', () => ({ body: counted, done })),
    route('/text', () => ({ body: 'é'.repeat(10_000_000), headers: { 'content-type': 'text/csv' } })),
    route('/stream', () => ({ stream: endless() })),
    route('/large', () => ({ stream: large() })),
    route('/late', () => ({ stream: endless(), sendUntil: performance.now() + 300 })),
  ];
  const plugin = definePlugin({
    name: 'test-routes',
    version: '1.0.0',
    type: 'interaction',
    description: 'Routes.',
    setup: (ctx) => ctx.tap(httpRoutes, () => routes),
  });
  const app = await createTestApp({ plugins: [http({ port: 0, gracefulCloseMs: 0, ...options }), plugin()] });
  const { url } = { url: app.get(http).url() };
  const sockets: Socket[] = [];
  const open = async (text = '') => {
    const socket = await rawConnection(url);
    sockets.push(socket);
    if (text !== '') socket.write(text);
    return socket;
  };
  return {
    app,
    url,
    rows,
    written,
    begun,
    waiting,
    open,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await app.close();
    },
  };
}

const closed = (socket: Socket) => new Promise<void>((resolve) => socket.once('close', () => resolve()));
const status = async (url: string) => (await fetch(url, { headers: { connection: 'close' } })).status;

describe('connections', () => {
  it('are half of the descriptors, less what else needs them', () => {
    expect([160, 1_024, 20_000, 10].map((limit) => connectionsWithin(limit))).toEqual([48, 480, 4_096, 8]);
    expect(connectionsWithin()).toBeGreaterThan(0);
  });

  it('that are idle make room for new ones, the oldest first, and running requests go on', async () => {
    await using t = await start({ maxConnections: 4 });
    const running = await t.open(GET('/wait'));
    const answer = received(running, '{}');
    await expect.poll(() => t.waiting.length).toBe(1);
    const oldest = await t.open();
    const isClosed = closed(oldest);
    for (let count = 0; count < 4 + RESERVED + 10; count += 1) await t.open(count % 2 === 0 ? '' : 'POST /ec');
    await isClosed;
    expect(await status(`${t.url}/plain`)).toBe(200);
    t.waiting[0]?.();
    expect(parseResponse(await answer).status).toBe(200);
  });

  it('on which requests run are bounded: others get 503, what is essential is answered', async () => {
    await using t = await start({ maxConnections: 3 });
    const running = await Promise.all([1, 2, 3].map(() => t.open(GET('/wait'))));
    const answers = running.map((socket) => received(socket, '{}'));
    await expect.poll(() => t.waiting.length).toBe(3);
    const refused = await fetch(`${t.url}/plain`);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '2']);
    expect(await refused.json()).toMatchObject({ error: 'overloaded' });
    const body = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
    expect((await fetch(`${t.url}/echo`, body)).status).toBe(503);
    expect(await status(`${t.url}/vital`)).toBe(200);
    for (const release of t.waiting) release();
    for (const answer of answers) expect(parseResponse(await answer).status).toBe(200);
    expect(await status(`${t.url}/plain`)).toBe(200);
    expect(t.app.lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
  });

  it('whose clients do not take their answers keep nobody from asking', async () => {
    await using t = await start({ maxConnections: 1 });
    const deaf = await t.open(GET('/text'));
    deaf.pause();
    await expect.poll(() => t.begun).toEqual(['/text']);
    await expect.poll(() => status(`${t.url}/plain`)).toBe(200);
    expect(deaf.closed).toBe(false);
  });

  it('with requests that wait for their turn are not closed to make room', async () => {
    await using t = await start({ maxConnections: 4 });
    const statuses: number[] = [];
    for (let count = 0; count < 60; count += 1) {
      const socket = await t.open(GET('/wait'));
      void received(socket, '}').then((text) => statuses.push(parseResponse(text).status));
    }
    await expect.poll(() => t.begun.length + statuses.length).toBe(60);
    for (const release of t.waiting) release();
    await expect.poll(() => statuses.length).toBe(60);
    expect(new Set(statuses)).toEqual(new Set([200, 503]));
  });

  it('take the next request of a client as soon as it has the whole answer', async () => {
    await using t = await start();
    // Several large answers, so that there is always another one whose piece is made next.
    const others = Array.from({ length: 8 }, () => fetch(`${t.url}/rows`).then((response) => response.text()));
    const socket = await t.open(GET('/rows'));
    const next = `POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
    let isOver = false;
    const second = new Promise<string>((resolve) => {
      socket.on('data', (bytes: Buffer) => {
        if (isOver) resolve(bytes.toString());
        isOver ||= bytes.subarray(-7).toString() === '\r\n0\r\n\r\n';
        if (isOver) socket.write(`${next}2\r\n{}\r\n0\r\n\r\n`);
      });
      socket.once('close', () => resolve('closed'));
    });
    expect(parseResponse(await second).status).toBe(200);
    await Promise.all(others);
  });

  it('take the requests of one client one after another, and not without end', async () => {
    await using t = await start();
    const socket = await t.open(GET('/wait') + GET('/plain').repeat(3));
    const answers = received(socket, '{}');
    await expect.poll(() => t.waiting.length).toBe(1);
    await sleep(20);
    expect(t.begun).toEqual(['/wait']);
    t.waiting[0]?.();
    await answers;
    await expect.poll(() => t.begun).toEqual(['/wait', '/plain', '/plain', '/plain']);
    const flood = await t.open(GET('/wait').repeat(500));
    await closed(flood);
    expect(t.begun.length).toBeLessThan(10);
    expect(await status(`${t.url}/plain`)).toBe(200);
  });
});

describe('requests that wait for the answers of others', () => {
  const POST = (bytes: number) =>
    `POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${bytes + 2}\r\n\r\n"${'x'.repeat(bytes)}"`;

  it('bring small bodies', async () => {
    await using t = await start();
    const small = await t.open(GET('/wait') + POST(1_000).repeat(3) + GET('/plain'));
    const answers = received(small, '{}');
    await expect.poll(() => t.waiting.length).toBe(1);
    const large = await t.open(GET('/wait') + POST(10_000).repeat(3));
    const chunked = await t.open(
      `${GET('/wait')}POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n`,
    );
    await Promise.all([closed(large), closed(chunked)]);
    t.waiting[0]?.();
    await answers;
    await expect.poll(() => t.begun.filter((path) => path === '/echo').length).toBe(3);
  });

  it('are bounded for all connections', async () => {
    await using t = await start();
    let gone = 0;
    for (let count = 0; count < 30; count += 1) {
      const socket = await t.open(GET('/wait') + GET('/plain').repeat(90));
      socket.once('close', () => (gone += 1));
    }
    await expect.poll(() => gone).toBeGreaterThanOrEqual(7);
    expect(gone).toBeLessThan(12);
    expect(await status(`${t.url}/plain`)).toBe(200);
  });
});

describe('a large answer', () => {
  it('arrives whole, as JSON and as text', async () => {
    await using t = await start();
    const response = await fetch(`${t.url}/rows`);
    const text = await response.text();
    expect(text === JSON.stringify({ rows: t.rows })).toBe(true);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect((await (await fetch(`${t.url}/text`)).text()).length).toBe(10_000_000);
    const head = await fetch(`${t.url}/rows`, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  it('of events around values in JSON arrives unchanged', async () => {
    await using t = await start();
    const text = await (await fetch(`${t.url}/events`)).text();
    expect(text === `a:{"n":1}\nb:${JSON.stringify(t.rows)}\nc:null\n`).toBe(true);
  });

  it('is written as its client takes it, and says when it has been sent or given up', async () => {
    await using t = await start();
    const deaf = await t.open(GET('/counted'));
    deaf.pause();
    // As far as the system takes it.
    await expect.poll(() => t.written.rows, { timeout: 10_000 }).toBeGreaterThan(100);
    await sleep(300);
    expect(t.written).toMatchObject({ sent: false });
    expect(t.written.rows).toBeLessThan(0.9 * t.rows.length);
    deaf.destroy();
    await expect.poll(() => t.written.sent).toBe(true);
  });

  it.each(['/rows', '/text', '/stream'])('that a client does not take closes its connection: %s', async (path) => {
    await using t = await start({ stallTimeoutMs: 400 });
    const deaf = await t.open(GET(path));
    deaf.pause();
    const message = 'A connection was closed: its client takes nothing of the answer.';
    await expect.poll(() => t.app.lines.some((line) => line.message === message), { timeout: 10_000 }).toBe(true);
    expect(await status(`${t.url}/plain`)).toBe(200);
  });

  it('is not held up by what its client sends meanwhile', async () => {
    await using t = await start({ stallTimeoutMs: 400 });
    const deaf = await t.open(GET('/stream'));
    deaf.pause();
    const isClosed = closed(deaf);
    const talking = setInterval(() => deaf.write('G'), 20);
    await isClosed;
    clearInterval(talking);
  });

  it('of one large event arrives unchanged', async () => {
    await using t = await start();
    const response = await fetch(`${t.url}/large`);
    expect((await response.text()) === LARGE_EVENT).toBe(true);
  });

  it('that a client takes slowly arrives whole', async () => {
    await using t = await start({ stallTimeoutMs: 2_000 });
    const response = await fetch(`${t.url}/rows`);
    let pauses = 75;
    let bytes = 0;
    for await (const part of response.body as unknown as AsyncIterable<Uint8Array>) {
      // Each pause is shorter than what is allowed, all together are longer.
      if (pauses-- > 0) await sleep(40);
      bytes += part.length;
    }
    expect(bytes).toBe(JSON.stringify({ rows: t.rows }).length);
  });

  it('ends at its deadline, however much of it is taken', async () => {
    await using t = await start();
    const response = await fetch(`${t.url}/late`);
    await expect(response.text()).rejects.toThrow();
  });

  it('is dropped for those who take nothing when too much waits to be sent', async () => {
    await using t = await start({ maxUnsentBytes: 5_000_000 });
    const clients = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const socket = await t.open(GET('/text'));
        socket.pause();
        return socket;
      }),
    );
    const message = 'A connection was closed: too many answers wait for clients that do not take them.';
    await expect.poll(() => t.app.lines.some((line) => line.message === message), { timeout: 10_000 }).toBe(true);
    expect(clients).toHaveLength(8);
    expect((await (await fetch(`${t.url}/text`)).text()).length).toBe(10_000_000);
  });
});

describe('bodies', () => {
  it('that arrive slowly are bounded: further large ones are refused, short ones read', async () => {
    await using t = await start({ maxReceivedBytes: 1_000_000 });
    const head =
      'POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 400000\r\n\r\n';
    const slow = await Promise.all(Array.from({ length: 6 }, () => t.open(`${head}"${'x'.repeat(300_000)}`)));
    const statuses: number[] = [];
    for (const socket of slow) void received(socket, '}').then((text) => statuses.push(parseResponse(text).status));
    await expect.poll(() => statuses.length).toBeGreaterThanOrEqual(3);
    expect(statuses.every((code) => code === 503 || Number.isNaN(code))).toBe(true);
    const body = '{"a":1}';
    const request = `POST /echo HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    expect(await sendRaw(t.url, request)).toMatchObject({ status: 200, body });
  });

  it('of many empty values are refused while others like them are in memory', async () => {
    await using t = await start({ maxReceivedBytes: 1_000_000 });
    const post = (body: string) =>
      fetch(`${t.url}/hold`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    const large = `[${'{},'.repeat(20_000)}{}]`;
    const first = post(large);
    await expect.poll(() => t.waiting.length).toBe(1);
    const refused = await post(large);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '2']);
    t.waiting[0]?.();
    expect((await first).status).toBe(200);
    const next = post(large);
    await expect.poll(() => t.waiting.length).toBe(2);
    t.waiting[1]?.();
    expect((await next).status).toBe(200);
  });

  it('that nobody reads are thrown away as they come', async () => {
    await using t = await start();
    const size = 30_000_000;
    const socket = await t.open(GET('/wait').replace('\r\n\r\n', `\r\nContent-Length: ${size}\r\n\r\n`));
    const answer = received(socket, '{}');
    await expect.poll(() => t.waiting.length).toBe(1);
    await new Promise((resolve) => socket.write('x'.repeat(size), resolve));
    t.waiting[0]?.();
    expect(parseResponse(await answer).status).toBe(200);
  });

  it('in more than a few thousand tiny parts are cut off, others in parts arrive', async () => {
    await using t = await start();
    const head =
      'POST /echo HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
    const body = (part: string, count: number) =>
      `${head}4\r\n"abc\r\n${`${part.length.toString(16)}\r\n${part}\r\n`.repeat(count)}1\r\n"\r\n0\r\n\r\n`;
    const tiny = await t.open(body('x', 20_000));
    let isGone = false;
    tiny.once('close', () => {
      isGone = true;
    });
    await expect.poll(() => isGone).toBe(true);
    expect(tiny.bytesRead).toBe(0);
    for (const [part, count] of [
      ['x', 1_000],
      ['x'.repeat(100), 5_000],
    ] as const) {
      expect(await sendRaw(t.url, body(part, count))).toMatchObject({ status: 200 });
    }
  });
});
