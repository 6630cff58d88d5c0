/** How an answer is followed, how a statement is ended, and what becomes of answers that no account should give. */
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { type Answered, answerOf, startAccount } from './fixtures/account.ts';
import { answering, N, SQL, using } from './fixtures/asking.ts';

const one = answering(() => answerOf(N, [['1']]));
/** Never ends by itself. */
const endless = answering(({ signal }) => once(signal, 'abort').then(() => answerOf(N)));
/** A second is promised; a machine that does other work is given more. */
const SOON = { timeout: 5_000, interval: 10 };
const isCancel = ({ url }: { readonly url: string }) => url.endsWith('/cancel');

it('follows the answer partition by partition', async () => {
  const parts: Answered = answerOf(N, [['1'], ['2']], [['3'], [null]], [['5']]);
  await using server = await startAccount({ answer: answering(() => parts) });
  const rows = await using({ url: server.url }, ({ run }) => run());
  expect(rows).toEqual([1, 2, 3, null, 5].map((n) => ({ N: n })));
  expect(server.asked.slice(-2).map(({ url }) => url.replace(/^.*\?/, ''))).toEqual(['partition=1', 'partition=2']);
  expect(server.asked.some(isCancel)).toBe(false);
  expect(server.running()).toEqual([]);
});

it('asks for no partition before the one before is taken, and for none when the rows are enough', async () => {
  const asked: number[] = [];
  const many: Answered = {
    rowType: N,
    rowCounts: [2, 2, 2, 2],
    partition(number) {
      asked.push(number);
      return [['1'], ['2']];
    },
  };
  await using server = await startAccount({ answer: answering(() => many) });
  await using({ url: server.url }, async ({ run }) => {
    const limits = { maxRows: 3, maxBytes: 1_000_000, maxCellBytes: 1_000, timeoutMs: 10_000 };
    expect(await run({ limits })).toHaveLength(3);
  });
  expect(asked).toEqual([0, 1]);
  expect(server.asked.findLast(({ body }) => body !== undefined)?.body?.parameters.ROWS_PER_RESULTSET).toBe('4');
});

it('ends a statement within a second when its reader leaves', async () => {
  await using server = await startAccount({ answer: endless });
  await using({ url: server.url }, async ({ run }) => {
    const leaving = new AbortController();
    const outcome = run({}, leaving.signal);
    await expect.poll(() => server.statements.includes(SQL)).toBe(true);
    leaving.abort();
    expect(await outcome).toMatchObject({ code: 'sql_cancelled' });
    await expect.poll(() => server.running(), SOON).toEqual([]);
  });
  expect(server.asked.some(isCancel)).toBe(true);
});

it('ends a statement whose reader leaves before the account has said what it is called', async () => {
  await using server = await startAccount({
    answer: endless,
    instead(asked, response) {
      if (asked.body?.statement !== SQL) return false;
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

it.each(['answers nothing', 'says that it still runs'])('stops at the timeout a server that %s', async (what) => {
  let isSilent = false;
  await using server = await startAccount({
    answer: endless,
    instead: ({ method }) => isSilent && method === 'GET' && what === 'answers nothing',
  });
  await using({ url: server.url }, async ({ run }) => {
    const limits = { maxRows: 5, maxBytes: 1_000, maxCellBytes: 1_000, timeoutMs: 300 };
    const outcome = run({ limits });
    await expect.poll(() => server.statements.includes(SQL)).toBe(true);
    isSilent = true;
    expect(await outcome).toMatchObject({ code: 'sql_timeout' });
    await expect.poll(() => server.running(), SOON).toEqual([]);
  });
  // What has nothing to tell is not asked without pause.
  expect(server.asked.length).toBeLessThan(40);
});

it.each([429, 502, 503, 504])('asks again after a status of %i, and runs nothing twice', async (status) => {
  const left = new Map<string, number>();
  await using server = await startAccount({
    answer: one,
    instead({ url, method }, response) {
      const what = method + url.replace(/&retry=true$/, '');
      const times = left.get(what) ?? (url.includes('requestId') ? 2 : 1);
      left.set(what, times - 1);
      if (times <= 0) return false;
      response.writeHead(status).end('<h1>hunter2</h1>');
      return true;
    },
  });
  await using({ url: server.url, connectTimeoutMs: 20_000 }, async ({ run }) =>
    expect(await run()).toEqual([{ N: 1 }]),
  );
  const posts = server.asked.filter(({ body }) => body?.statement === SQL).map(({ url }) => new URL(url, 'http://x'));
  expect(new Set(posts.map(({ searchParams }) => searchParams.get('requestId'))).size).toBe(1);
  expect(posts.map(({ searchParams }) => searchParams.get('retry'))).toEqual([null, 'true', 'true']);
  expect(server.statements.filter((sql) => sql === SQL)).toHaveLength(1);
});

it('runs nothing twice whose answer was lost', async () => {
  let isLost = false;
  await using server = await startAccount({
    answer: one,
    instead({ body }, response) {
      if (body?.statement !== SQL || isLost) return false;
      isLost = true;
      // It has begun, and nobody was told.
      response.writeHead = (() =>
        response.socket?.resetAndDestroy() && response) as unknown as typeof response.writeHead;
      return false;
    },
  });
  await using({ url: server.url }, async ({ run }) => expect(await run()).toEqual([{ N: 1 }]));
  expect(isLost).toBe(true);
  expect(server.statements.filter((sql) => sql === SQL)).toHaveLength(1);
});

it.each([
  [500, 'datasource_unavailable', 'does not answer'],
  [401, 'datasource_unavailable', 'does not accept the login'],
  [403, 'datasource_unavailable', 'does not let the login in'],
  [404, 'datasource_unavailable', 'as Snowflake does'],
  [302, 'datasource_unavailable', 'as Snowflake does'],
  [400, 'datasource_unavailable', 'as Snowflake does'],
])('gives up at a status of %i', async (status, code, message) => {
  await using other = await startAccount({ answer: one });
  await using server = await startAccount({
    answer: one,
    instead({ body }, response) {
      if (body?.statement !== SQL) return false;
      response
        .writeHead(status, { location: `http://127.0.0.1:${other.port}/api/v2/statements` })
        .end('<h1>hunter2</h1>');
      return true;
    },
  });
  const outcome = await using({ url: server.url }, ({ run }) => run());
  expect(outcome).toMatchObject({ code, message: expect.stringContaining(message) });
  expect(JSON.stringify(outcome)).not.toMatch(/hunter2|127\.0\.0\.1/);
  expect(other.asked).toEqual([]);
});

it.each(['../../x', 'http://169.254.169.254/', '', 'x'.repeat(36), '00000000-0000-0000-0000-00000000000/'])(
  'does not go on at the handle %j',
  async (statementHandle) => {
    await using server = await startAccount({
      answer: one,
      instead({ body }, response) {
        if (body?.statement !== SQL) return false;
        response.writeHead(202).end(JSON.stringify({ statementHandle, statementStatusUrl: 'http://169.254.169.254/' }));
        return true;
      },
    });
    const outcome = await using({ url: server.url }, ({ run }) => run());
    expect(outcome).toMatchObject({ message: expect.stringContaining('as Snowflake does') });
    expect(server.asked.at(-1)?.body?.statement).toBe(SQL);
  },
);

const META = { resultSetMetaData: { rowType: N, partitionInfo: [{ rowCount: 1 }] } };
it.each<[what: string, body: string]>([
  ['is no JSON', '{"resultSetMetaData": '],
  ['is empty', ''],
  ['is a page of something else', '<html>hunter2</html>'],
  ['is no object', '[1]'],
  ['has no columns', '{"data": [["1"]]}'],
  ['has columns without types', JSON.stringify({ resultSetMetaData: { rowType: [{ name: 'N' }] }, data: [] })],
  ['has rows that are none', JSON.stringify({ ...META, data: [1] })],
  ['has rows of another length', JSON.stringify({ ...META, data: [['1', '2']] })],
])('an answer that %s is an error', async (_, body) => {
  let begun = false;
  await using server = await startAccount({
    answer: one,
    instead(asked, response) {
      begun ||= asked.body?.statement === SQL;
      if (!begun || asked.method !== 'GET') return false;
      response.end(body);
      return true;
    },
  });
  const outcome = await using({ url: server.url }, ({ run }) => run());
  expect(outcome).toMatchObject({
    code: 'datasource_unavailable',
    message: expect.stringContaining('as Snowflake does'),
  });
  expect(JSON.stringify(outcome)).not.toContain('hunter2');
});

it('runs nothing that writes, whatever the account makes of it', async () => {
  const written = {
    ...answerOf([{ name: 'number of rows inserted', type: 'fixed' }], [['1']]),
    stats: { numRowsInserted: 1 },
  };
  await using server = await startAccount({ answer: answering(() => written) });
  expect(await using({ url: server.url }, ({ run }) => run())).toMatchObject({ code: 'sql_refused' });
});

it('gives up an answer without end, packed or not', async () => {
  for (const part of [0, 1]) {
    const large = 'x'.repeat(40 * 1024 * 1024);
    const answer = answering(() => ({
      rowType: [{ name: 'N', type: 'text' }],
      rowCounts: [1, 1],
      partition: (number) => [[number === part ? large : '1']],
    }));
    await using server = await startAccount({ answer });
    const outcome = await using({ url: server.url }, ({ run }) => run());
    expect(outcome).toMatchObject({ code: 'sql_failed', message: 'A part of the result is larger than 32 MB.' });
  }
});

it('tells of a connection that ends in the middle of a partition', async () => {
  await using server = await startAccount({
    answer: answering(() => answerOf(N, [['1']], [['2']])),
    instead({ url }, response) {
      if (!url.includes('partition=1')) return false;
      response.write('{"data": [["1"],');
      setTimeout(() => response.destroy(), 10);
      return true;
    },
  });
  const outcome = await using({ url: server.url }, ({ run }) => run());
  expect(outcome).toMatchObject({ code: 'datasource_unavailable', message: expect.stringContaining('ended it') });
});
