/** How an answer is followed, how a query is ended, and what becomes of answers that no coordinator should give. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { N, pagesOf, SQL, using } from './fixtures/asking.ts';
import { type AnsweredPage, type CoordinatorOptions, startCoordinator } from './fixtures/coordinator.ts';

const one = pagesOf(() => [{ columns: N, data: [[1]] }]);
/** A second is promised; a machine that does other work is given more. */
const SOON = { timeout: 5_000, interval: 10 };

/** Without an end. */
async function* endless(page: AnsweredPage = {}): AsyncGenerator<AnsweredPage> {
  for (;;) {
    await sleep(5);
    yield page;
  }
}

it('follows the answer page by page, whatever a page leaves out', async () => {
  await using server = await startCoordinator({
    answer: pagesOf(() => [{}, {}, { columns: N }, { columns: N, data: [[1], [2]] }, {}, { columns: N, data: [[3]] }]),
  });
  await using({ url: server.url }, async ({ run }) => expect(await run()).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]));
  expect(server.asked.some(({ method }) => method === 'DELETE')).toBe(false);
  expect(server.running()).toEqual([]);
});

it('asks for no page before the one before is taken, and ends a query whose rows are enough', async () => {
  let made = 0;
  await using server = await startCoordinator({
    answer: pagesOf(function* () {
      for (;;) {
        made += 1;
        yield { columns: N, data: [[1], [2]] };
      }
    }),
  });
  await using({ url: server.url }, async ({ run }) => {
    const limits = { maxRows: 5, maxBytes: 1_000_000, maxCellBytes: 1_000, timeoutMs: 10_000 };
    expect(await run({ limits })).toHaveLength(5);
    expect(made).toBe(3);
    await expect.poll(() => server.running(), SOON).toEqual([]);
  });
  expect(server.asked.at(-1)?.method).toBe('DELETE');
});

it('ends a query within a second when its reader leaves', async () => {
  await using server = await startCoordinator({ answer: pagesOf(() => endless()) });
  await using({ url: server.url }, async ({ run }) => {
    const leaving = new AbortController();
    const outcome = run({}, leaving.signal);
    await expect.poll(() => server.statements.includes(SQL)).toBe(true);
    leaving.abort();
    expect(await outcome).toMatchObject({ code: 'sql_cancelled' });
    await expect.poll(() => server.running(), SOON).toEqual([]);
  });
});

it('ends a query whose reader leaves before the coordinator has said what it is called', async () => {
  await using server = await startCoordinator({
    answer: pagesOf(() => endless()),
    instead(asked, response) {
      if (asked.sql !== SQL || asked.headers['x-again'] !== undefined) return false;
      const answer = response.end.bind(response);
      // The answer comes late.
      response.end = ((...given: Parameters<typeof answer>) => {
        setTimeout(() => answer(...given), 150);
        return response;
      }) as typeof response.end;
      return false;
    },
  });
  await using({ url: server.url }, async ({ run }) => {
    const leaving = new AbortController();
    const outcome = run({}, leaving.signal);
    await expect.poll(() => server.statements.includes(SQL)).toBe(true);
    leaving.abort();
    expect(await outcome).toMatchObject({ code: 'sql_cancelled' });
    await expect.poll(() => server.running(), SOON).toEqual([]);
  });
});

it.each<[what: string, instead: CoordinatorOptions['instead']]>([
  ['answers nothing', ({ method, url }) => method === 'GET' && url.includes('/executing/')],
  ['says that nothing is ready', () => false],
])('stops at the timeout a server that %s', async (_, instead) => {
  await using server = await startCoordinator({ answer: pagesOf(() => endless()), instead: instead! });
  await using({ url: server.url }, async ({ run }) => {
    const limits = { maxRows: 5, maxBytes: 1_000, maxCellBytes: 1_000, timeoutMs: 300 };
    expect(await run({ limits })).toMatchObject({ code: 'sql_timeout' });
    await expect.poll(() => server.running(), SOON).toEqual([]);
  });
  // What has nothing to tell is not asked without pause.
  expect(server.asked.length).toBeLessThan(60);
});

it.each([429, 502, 503, 504])('asks again after a status of %i, at the beginning and in the middle', async (status) => {
  let left = 5;
  await using server = await startCoordinator({
    answer: one,
    instead(asked, response) {
      if (asked.url === '/v1/info' || left === 0) return false;
      left -= 1;
      response.writeHead(status).end('<h1>hunter2</h1>');
      return true;
    },
  });
  await using({ url: server.url }, async ({ run }) => expect(await run()).toEqual([{ n: 1 }]));
});

it.each([
  [503, 'datasource_unavailable', 'behind its gateway'],
  [429, 'overloaded', 'no connection left'],
  [401, 'datasource_unavailable', 'user and password'],
  [403, 'datasource_unavailable', 'does not let the user in'],
  [404, 'datasource_unavailable', 'ended it'],
  [500, 'datasource_unavailable', 'as Trino does'],
  [302, 'datasource_unavailable', 'as Trino does'],
])('gives up at a status of %i', async (status, code, message) => {
  await using other = await startCoordinator({ answer: one });
  await using server = await startCoordinator({
    answer: one,
    instead({ sql }, response) {
      if (sql === '') return false;
      response.writeHead(status, { location: `http://127.0.0.1:${other.port}/v1/statement` }).end('<h1>hunter2</h1>');
      return true;
    },
  });
  const outcome = await using({ url: server.url }, ({ run }) => run());
  expect(outcome).toMatchObject({ code, message: expect.stringContaining(message) });
  expect(JSON.stringify(outcome)).not.toMatch(/hunter2|127\.0\.0\.1/);
  expect(server.statements.length).toBeLessThanOrEqual(8);
  expect(other.asked).toEqual([]);
});

it.each([
  ['another server', (_: number, other: number) => `http://127.0.0.1:${other}/v1/statement/executing/q/y0/1`],
  ['another host', (own: number) => `http://169.254.169.254:${own}/v1/statement/executing/q/y0/1`],
  ['another scheme', (own: number) => `https://127.0.0.1:${own}/v1/statement/executing/q/y0/1`],
  ['another user', (own: number) => `http://x:y@127.0.0.1:${own}/v1/statement/executing/q/y0/1`],
  ['another page', (own: number) => `http://127.0.0.1:${own}/ui/login`],
  ['a way out of its folder', (own: number) => `http://127.0.0.1:${own}/v1/statement/../../ui/login`],
  ['a file', () => 'file:///etc/passwd'],
  ['no address', () => 'hunter2'],
])('does not go on at %s', async (_, uriOf) => {
  await using other = await startCoordinator({ answer: one });
  await using server = await startCoordinator({
    answer: one,
    instead({ sql }, response) {
      if (sql !== SQL) return false;
      response.end(JSON.stringify({ id: 'q', nextUri: uriOf(server.port, other.port), stats: {} }));
      return true;
    },
  });
  const outcome = await using({ url: server.url }, ({ run }) => run());
  expect(outcome).toMatchObject({
    code: 'datasource_unavailable',
    message: expect.stringContaining('another address'),
  });
  expect(other.asked).toEqual([]);
  expect(server.asked.some(({ url }) => url.includes('/ui/'))).toBe(false);
});

it.each<[what: string, body: string]>([
  ['is no JSON', '{"id": "q", "columns": ['],
  ['is empty', ''],
  ['is a page of something else', '<html>hunter2</html>'],
  ['is no object', '[1]'],
  ['has no id', '{}'],
  ['has no columns', '{"id": "q", "stats": {}}'],
  ['has columns without types', '{"id": "q", "columns": [{"name": "n"}]}'],
  ['has rows that are none', '{"id": "q", "columns": [{"name": "n", "type": "bigint"}], "data": [1]}'],
  ['has rows without columns', '{"id": "q", "data": [[1]]}'],
  ['has rows of another length', '{"id": "q", "columns": [{"name": "n", "type": "bigint"}], "data": [[1, 2]]}'],
])('an answer that %s is an error', async (_, body) => {
  await using server = await startCoordinator({
    answer: one,
    instead({ sql }, response) {
      if (sql !== SQL) return false;
      response.end(body);
      return true;
    },
  });
  const outcome = await using({ url: server.url }, ({ run }) => run());
  expect(outcome).toMatchObject({ code: 'datasource_unavailable', message: expect.stringContaining('as Trino does') });
  expect(JSON.stringify(outcome)).not.toContain('hunter2');
});

it('runs nothing that writes, whatever the coordinator makes of it', async () => {
  await using server = await startCoordinator({ answer: pagesOf(() => [{ updateType: 'CREATE TABLE' }]) });
  expect(await using({ url: server.url }, ({ run }) => run())).toMatchObject({ code: 'sql_refused' });
});

it('gives up a page without end', async () => {
  let sentBytes = 0;
  await using server = await startCoordinator({
    answer: one,
    instead({ sql }, response) {
      if (sql !== SQL) return false;
      response.write('{"id": "q", "columns": [{"name": "n", "type": "varchar"}], "data": [["');
      const block = Buffer.alloc(1024 * 1024, 'x');
      const more = () => {
        while (!response.destroyed && sentBytes < 200 * block.length) {
          sentBytes += block.length;
          if (!response.write(block)) return;
        }
      };
      response.on('drain', more);
      more();
      return true;
    },
  });
  const outcome = await using({ url: server.url }, ({ run }) => run());
  expect(outcome).toMatchObject({ code: 'sql_failed', message: 'A part of the result is larger than 8 MB.' });
  expect(sentBytes).toBeLessThan(100 * 1024 * 1024);
});

it('tells of a connection that ends in the middle', async () => {
  await using server = await startCoordinator({
    answer: pagesOf(() => endless({ columns: N, data: [[1]] })),
    instead({ url }, response) {
      if (!url.includes('/executing/')) return false;
      response.write('{"id": ');
      setTimeout(() => response.destroy(), 10);
      return true;
    },
  });
  const outcome = await using({ url: server.url }, ({ run }) => run());
  expect(outcome).toMatchObject({ code: 'datasource_unavailable', message: expect.stringContaining('ended it') });
});

it('asks once more where a connection that idled is closed in the moment in which it is used', async () => {
  let isClosing = false;
  await using server = await startCoordinator({
    answer: one,
    instead(_, response) {
      if (!isClosing) return false;
      isClosing = false;
      response.socket?.resetAndDestroy();
      return true;
    },
  });
  await using({ url: server.url, maxConnections: 1 }, async ({ run }) => {
    expect(await run()).toEqual([{ n: 1 }]);
    isClosing = true;
    expect(await run()).toEqual([{ n: 1 }]);
  });
});

it('ends on the cluster what it had begun when the connection failed, and opens another place', async () => {
  let isBroken = true;
  await using server = await startCoordinator({
    answer: pagesOf(() => (isBroken ? endless({ columns: N, data: [[1]] }) : [{ columns: N, data: [[2]] }])),
    instead({ method, url }, response) {
      if (!isBroken || method !== 'GET' || !url.includes('/executing/')) return false;
      response.write('{');
      setTimeout(() => response.destroy(), 5);
      return true;
    },
  });
  await using({ url: server.url, maxConnections: 1 }, async ({ run }) => {
    expect(await run()).toMatchObject({ code: 'datasource_unavailable' });
    isBroken = false;
    expect(await run()).toEqual([{ n: 2 }]);
    await expect.poll(() => server.running(), SOON).toEqual([]);
  });
  expect(server.asked.some(({ method }) => method === 'DELETE')).toBe(true);
});

it('reads no endless answer to what it asks for itself', async () => {
  const page = { columns: [{ name: 'x', type: 'varchar' }], data: [['x'.repeat(16 * 1024 * 1024)]] };
  let made = 0;
  await using server = await startCoordinator({
    answer: function* () {
      for (;;) {
        made += 1;
        yield page;
      }
    },
  });
  await using({ url: server.url }, async ({ database }) => {
    expect(await database.health()).toMatchObject({ status: 'error' });
  });
  expect(made).toBeLessThan(8);
});

it('gives up a server that takes connections and says nothing', async () => {
  const silent = createServer();
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  const { port } = silent.address() as AddressInfo;
  const outcome = await using({ url: `trino://ada@127.0.0.1:${port}/lake/shop`, connectTimeoutMs: 100 }, ({ run }) =>
    run(),
  );
  expect(outcome).toMatchObject({
    code: 'datasource_unavailable',
    message: expect.stringContaining('does not answer'),
  });
  silent.close();
});

it('says that a cluster is starting', async () => {
  await using server = await startCoordinator({
    answer: one,
    instead({ url }, response) {
      if (url !== '/v1/info') return false;
      response.end('{"nodeVersion": {"version": "476"}, "starting": true}');
      return true;
    },
  });
  const outcome = await using({ url: server.url }, ({ run }) => run());
  expect(outcome).toMatchObject({ code: 'datasource_unavailable', message: 'Trino: the cluster is not ready.' });
});
