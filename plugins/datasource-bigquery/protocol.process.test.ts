/** How an answer is followed, how a job is ended, and what becomes of answers that no BigQuery should give. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { type AnsweredPage, type ApiOptions, startApi } from './fixtures/api.ts';
import { N, SQL, using } from './fixtures/asking.ts';

const one = () => [{ fields: N, rows: [['1']] }];
/** A second is promised; a machine that does other work is given more. */
const SOON = { timeout: 5_000, interval: 10 };

/** Without an end. */
async function* endless(page: AnsweredPage = {}): AsyncGenerator<AnsweredPage> {
  for (;;) {
    await sleep(5);
    yield page;
  }
}

const isRun = ({ url }: { readonly url: string }) => url === 'lake/queries';
const isCancel = ({ url }: { readonly url: string }) => url.includes('/cancel');

it('follows the answer page by page, and waits for a job that runs', async () => {
  await using api = await startApi({
    answer: () => [
      {},
      {},
      { fields: N },
      { fields: N, rows: [['1'], ['2']] },
      { fields: N },
      { fields: N, rows: [['3']] },
    ],
  });
  await using({ url: api.url }, async ({ run }) => expect(await run()).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]));
  expect(api.asked.some(isCancel)).toBe(false);
  expect(api.running()).toEqual([]);
});

it('asks for no page before the one before is taken, and for few rows where few are wanted', async () => {
  let made = 0;
  await using api = await startApi({
    *answer() {
      for (;;) {
        made += 1;
        yield { fields: N, rows: [['1'], ['2']] };
      }
    },
  });
  await using({ url: api.url }, async ({ run }) => {
    const limits = { maxRows: 5, maxBytes: 1_000_000, maxCellBytes: 1_000, timeoutMs: 10_000 };
    expect(await run({ limits })).toHaveLength(5);
    expect(made).toBe(3);
  });
  expect(api.asked.find(isRun)?.body).toMatchObject({ maxResults: 6 });
  // What is done needs no end.
  expect(api.asked.some(isCancel)).toBe(false);
});

it('ends a job within a second when its reader leaves', async () => {
  await using api = await startApi({ answer: () => endless() });
  await using({ url: api.url }, async ({ run }) => {
    const leaving = new AbortController();
    const outcome = run({}, leaving.signal);
    await expect.poll(() => api.running().length).toBe(1);
    leaving.abort();
    expect(await outcome).toMatchObject({ code: 'sql_cancelled' });
    await expect.poll(() => api.running(), SOON).toEqual([]);
  });
  expect(api.asked.find(isCancel)).toMatchObject({ method: 'POST', url: 'lake/jobs/job_1/cancel?location=EU' });
});

it('ends a job whose reader leaves before it is known what it is called', async () => {
  await using api = await startApi({
    answer: () => endless(),
    instead(asked, response) {
      if (!isRun(asked)) return false;
      const answer = response.end.bind(response);
      // The answer comes late.
      response.end = ((...given: Parameters<typeof answer>) => {
        setTimeout(() => answer(...given), 150);
        return response;
      }) as typeof response.end;
      return false;
    },
  });
  await using({ url: api.url }, async ({ run }) => {
    const leaving = new AbortController();
    const outcome = run({}, leaving.signal);
    await expect.poll(() => api.statements.includes(SQL)).toBe(true);
    leaving.abort();
    expect(await outcome).toMatchObject({ code: 'sql_cancelled' });
    await expect.poll(() => api.running(), SOON).toEqual([]);
  });
});

it.each<[what: string, instead: NonNullable<ApiOptions['instead']>]>([
  ['answers nothing', ({ method, url }) => method === 'GET' && url.includes('/queries/')],
  ['says that nothing is ready', () => false],
])('stops at the timeout a server that %s', async (_, instead) => {
  await using api = await startApi({ answer: () => endless(), instead });
  await using({ url: api.url }, async ({ run }) => {
    await run({ limits: { maxRows: 5, maxBytes: 1_000, maxCellBytes: 1_000, timeoutMs: 1 } });
    const limits = { maxRows: 5, maxBytes: 1_000, maxCellBytes: 1_000, timeoutMs: 400 };
    expect(await run({ limits })).toMatchObject({ code: 'sql_timeout' });
    await expect.poll(() => api.running(), SOON).toEqual([]);
  });
  // What has nothing to tell is not asked without pause.
  expect(api.asked.length).toBeLessThan(40);
});

it.each([429, 500, 502, 503, 504])('asks again after a status of %i, and begins no second job', async (status) => {
  let left = 3;
  await using api = await startApi({
    answer: one,
    instead({ url }, response) {
      if (url === '/token' || left === 0) return false;
      left -= 1;
      response.writeHead(status).end('<h1>hunter2</h1>');
      return true;
    },
  });
  await using({ url: api.url }, async ({ run }) => expect(await run()).toEqual([{ n: 1 }]));
});

it('sends what is sent again with the same id of the request', async () => {
  let left = 2;
  await using api = await startApi({
    answer: one,
    instead(asked, response) {
      if (!isRun(asked) || left === 0) return false;
      left -= 1;
      response.writeHead(503).end();
      return true;
    },
  });
  await using({ url: api.url }, async ({ run }) => expect(await run()).toEqual([{ n: 1 }]));
  const ids = api.asked.filter(isRun).map(({ body }) => body.requestId);
  expect(ids).toHaveLength(3);
  expect(new Set(ids).size).toBe(1);
});

it.each([
  [503, 'datasource_unavailable', 'does not answer at the moment'],
  [429, 'overloaded', 'no connection left'],
  [401, 'datasource_unavailable', 'does not let the account in'],
  [403, 'datasource_unavailable', 'does not let the account in'],
  [404, 'datasource_unavailable', 'as BigQuery does'],
  [302, 'datasource_unavailable', 'as BigQuery does'],
])('gives up at a status of %i', async (status, code, message) => {
  await using other = await startApi({ answer: one });
  await using api = await startApi({
    answer: one,
    instead(asked, response) {
      if (!isRun(asked)) return false;
      response.writeHead(status, { location: `http://127.0.0.1:${other.port}/` }).end('<h1>hunter2</h1>');
      return true;
    },
  });
  const outcome = await using({ url: api.url }, ({ run }) => run());
  expect(outcome).toMatchObject({ code, message: expect.stringContaining(message) });
  expect(JSON.stringify(outcome)).not.toMatch(/hunter2|127\.0\.0\.1/);
  expect(api.statements.length).toBeLessThanOrEqual(6);
  expect(other.asked).toEqual([]);
});

const job = { jobReference: { jobId: 'j' }, jobComplete: true };
it.each<[what: string, body: string]>([
  ['is no JSON', '{"jobComplete": ['],
  ['is empty', ''],
  ['is a page of something else', '<html>hunter2</html>'],
  ['is no object', '[1]'],
  ['has no job', '{}'],
  ['does not say whether it is done', '{"jobReference": {"jobId": "j"}}'],
  ['has no columns', JSON.stringify(job)],
  ['has columns without types', JSON.stringify({ ...job, schema: { fields: [{ name: 'n' }] } })],
  ['has rows that are none', JSON.stringify({ ...job, schema: { fields: N }, rows: [1] })],
  ['has no list of rows', JSON.stringify({ ...job, schema: { fields: N }, rows: 'x' })],
  [
    'has rows of another length',
    JSON.stringify({ ...job, schema: { fields: N }, rows: [{ f: [{ v: '1' }, { v: '2' }] }] }),
  ],
])('an answer that %s is an error', async (_, body) => {
  await using api = await startApi({
    answer: one,
    instead(asked, response) {
      if (!isRun(asked)) return false;
      response.end(body);
      return true;
    },
  });
  const outcome = await using({ url: api.url }, ({ run }) => run());
  expect(outcome).toMatchObject({
    code: 'datasource_unavailable',
    message: expect.stringContaining('as BigQuery does'),
  });
  expect(JSON.stringify(outcome)).not.toContain('hunter2');
});

it.each([{ numDmlAffectedRows: '3' }, { statementType: 'DELETE' }, { statementType: 'SCRIPT' }])(
  'tells that what ran was none that reads: %j',
  async (more) => {
    await using api = await startApi({
      answer: one,
      instead(asked, response) {
        if (!isRun(asked)) return false;
        response.end(JSON.stringify({ ...job, schema: { fields: N }, ...more }));
        return true;
      },
    });
    expect(await using({ url: api.url }, ({ run }) => run())).toMatchObject({ code: 'sql_refused' });
  },
);

it('ends what it had begun when the connection failed, and opens another place', async () => {
  let isBroken = true;
  await using api = await startApi({
    answer: () => (isBroken ? endless() : [{ fields: N, rows: [['2']] }]),
    instead({ method, url }, response) {
      if (!isBroken || method !== 'GET' || !url.includes('/queries/')) return false;
      response.write('{');
      setTimeout(() => response.destroy(), 5);
      return true;
    },
  });
  await using({ url: api.url, maxConnections: 1 }, async ({ run }) => {
    expect(await run()).toMatchObject({ code: 'datasource_unavailable', message: expect.stringContaining('ended it') });
    isBroken = false;
    expect(await run()).toEqual([{ n: 2 }]);
    await expect.poll(() => api.running(), SOON).toEqual([]);
  });
  expect(api.asked.some(isCancel)).toBe(true);
});
