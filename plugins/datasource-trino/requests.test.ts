/** What is sent to a coordinator, as whom, and over which addresses. */
import { expect, it } from 'vitest';
import { AtlasError, datasourceExecute } from '../../kernel/index.ts';
import { createTestApp } from '../../test/testing.ts';
import { SYSTEM_ACTOR } from '../auth-kit/index.ts';
import { cachedOf, type Reach } from '../datasource-kit/index.ts';
import { resultCache } from '../result-cache/index.ts';
import { N, pagesOf, SQL, using } from './fixtures/asking.ts';
import { startCoordinator } from './fixtures/coordinator.ts';
import { datasourceTrino } from './index.ts';

const one = pagesOf(() => [{ columns: N, data: [[1]] }]);

it('sends who asks, where, how long it may take and which request it is, and no password', async () => {
  await using server = await startCoordinator({ answer: one });
  await using({ url: server.url, timeZone: 'Europe/Vienna', clientTags: ['bi', 'atlas'] }, async ({ run }) => {
    expect(await run()).toEqual([{ n: 1 }]);
    expect(await run()).toEqual([{ n: 1 }]);
  });
  // A statement that passed once is not checked again.
  expect(server.statements).toEqual([`EXPLAIN (TYPE IO, FORMAT JSON) ${SQL}`, SQL, SQL]);
  const { headers } = server.asked.findLast(({ method }) => method === 'POST')!;
  expect(headers).toMatchObject({
    'x-trino-user': 'ada',
    'x-trino-source': 'atlas',
    'x-trino-catalog': 'lake',
    'x-trino-schema': 'shop',
    'x-trino-trace-token': 'entry-1',
    'x-trino-time-zone': 'Europe/Vienna',
    'x-trino-client-tags': 'bi,atlas',
    'x-trino-client-capabilities': 'PARAMETRIC_DATETIME',
  });
  const [, leftMs] =
    /^query_max_run_time=(\d+)ms,query_max_execution_time=\1ms$/.exec(String(headers['x-trino-session'])) ?? [];
  expect(Number(leftMs)).toBeGreaterThan(25_000);
  expect(server.asked.some((asked) => 'authorization' in asked.headers)).toBe(false);
});

it('connects to checked addresses alone', async () => {
  await using server = await startCoordinator({ answer: one });
  const looked: string[] = [];
  const reach: Reach = {
    folder: '.',
    async addressesOf(host) {
      looked.push(host);
      if (host === 'secret.invalid') throw new AtlasError('The host must not be used.', { code: 'validation_error' });
      return ['127.0.0.1'];
    },
  };
  const at = (host: string) => `trino://ada@${host}:${server.port}/lake/shop`;
  await using({ url: at('db.invalid') }, async ({ run }) => expect(await run()).toEqual([{ n: 1 }]), reach);
  await using(
    { url: at('secret.invalid') },
    async ({ run }) => expect(await run()).toMatchObject({ code: 'validation_error' }),
    reach,
  );
  expect(looked).toEqual(['db.invalid', 'secret.invalid']);
});

it('says that it is well when a statement runs, and not when the login is not let in', async () => {
  let isRefused = false;
  await using server = await startCoordinator({
    answer: pagesOf(() => [{ columns: N, data: [[1]] }]),
    instead({ method }, response) {
      if (!isRefused || method !== 'POST') return false;
      response.writeHead(401).end();
      return true;
    },
  });
  await using({ url: server.url }, async ({ database }) => {
    expect(await database.health()).toMatchObject({ status: 'ok' });
    isRefused = true;
    expect(await database.health()).toMatchObject({ status: 'error', message: expect.stringContaining('password') });
  });
});

it.each([true, false])(
  'where statements run as the user who asks (%s), no result is kept for others',
  async (impersonate) => {
    await using server = await startCoordinator({ answer: one });
    await using app = await createTestApp({
      plugins: [
        datasourceTrino({ connections: [{ id: 'default', url: server.url, impersonate }] }),
        resultCache({ ttlMs: 60_000 }),
      ],
    });
    const connection = { id: 'default', dbType: 'trino', maskedUrl: '' };
    const statement = {
      connection,
      requested: SQL,
      sql: SQL,
      params: [],
      surface: 'test',
      tables: ['t'],
      functions: [],
    };
    const ask = (label: string) => {
      const actor = { id: label, label, role: 'analyst', mode: 'test', claims: {} } as const;
      return app.callKey(datasourceExecute, 'default', statement, app.scope({ actor }), 10_000);
    };
    await ask('una');
    const isCached = (await Promise.all(['una', 'bob'].map(ask))).map((result) => cachedOf(result) !== undefined);
    expect(isCached).toEqual([!impersonate, !impersonate]);
  },
);

it('runs statements as the user who asks, and everything else as the login', async () => {
  await using server = await startCoordinator({ answer: one });
  await using app = await createTestApp({
    plugins: [datasourceTrino({ connections: [{ id: 'default', url: server.url, impersonate: true }] })],
  });
  const connection = { id: 'default', dbType: 'trino', maskedUrl: '' };
  const statement = { connection, requested: SQL, sql: SQL, params: [], surface: 'test', tables: ['t'] };
  const ask = (label: string | null) => {
    const actor = { id: 'u1', label, role: 'analyst', mode: 'test', claims: {} } as const;
    return app.callKey(datasourceExecute, 'default', statement, app.scope({ actor }), 10_000);
  };
  for (const label of ['una@example.com', 'bob']) expect((await ask(label)).rows).toEqual([{ n: 1 }]);
  const users = server.asked.filter(({ method }) => method === 'POST').map(({ headers }) => headers['x-trino-user']);
  // What one of them may read is checked for the other again.
  expect(users).toEqual(['una@example.com', 'una@example.com', 'bob', 'bob']);
  for (const label of [null, '', ' una', 'Ünä', 'a\r\nx-trino-role: admin', 'x'.repeat(300)]) {
    await expect(ask(label)).rejects.toMatchObject({ code: 'sql_refused', reason: 'E_TRINO_USER' });
  }
  const itself = app.callKey(datasourceExecute, 'default', statement, app.scope({ actor: SYSTEM_ACTOR }), 10_000);
  await expect(itself).rejects.toMatchObject({ code: 'sql_refused', reason: 'E_TRINO_USER' });
  expect(server.statements).toHaveLength(4);
});
