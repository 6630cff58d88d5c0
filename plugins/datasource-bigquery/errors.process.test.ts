/** Every kind of error of the API, and what a person is told of it. */
import { describe, expect, it } from 'vitest';
import { startApi } from './fixtures/api.ts';
import { N, SQL, using } from './fixtures/asking.ts';

const faults: [code: number, reason: string, text: string, code: string, message: string][] = [
  [400, 'invalidQuery', 'Syntax error: Unexpected identifier "FORM" at [1:8]', 'sql_failed', 'wrong near "FORM".'],
  [400, 'invalidQuery', 'Syntax error: Unexpected keyword WHERE at [1:8]', 'sql_failed', 'wrong near "WHERE".'],
  [400, 'invalidQuery', "Syntax error: Unexpected string literal 'hunter2' at [1:8]", 'sql_failed', 'is wrong.'],
  [400, 'invalidQuery', 'Unrecognized name: m; Did you mean hunter2? at [1:8]', 'sql_failed', 'Unrecognized name: m.'],
  [400, 'invalidQuery', 'Function not found: nothing; at [1:8]', 'sql_failed', 'Function not found: nothing.'],
  [
    400,
    'invalidQuery',
    'No matching signature for operator = for argument types: INT64, STRING hunter2',
    'sql_failed',
    'No matching signature for operator =.',
  ],
  [400, 'invalidQuery', 'Bad int64 value: hunter2', 'sql_failed', 'fails, at its types or at a value that it meets.'],
  [400, 'invalidQuery', 'division by zero: hunter2 / 0', 'sql_failed', 'BigQuery: division by zero.'],
  [400, 'invalidQuery', 'hunter2', 'sql_failed', 'fails, at its types or at a value that it meets.'],
  [
    404,
    'notFound',
    'Not found: Table lake:shop.t was not found in location EU hunter2',
    'sql_failed',
    'Not found: Table lake:shop.t.',
  ],
  [
    400,
    'invalidQuery',
    "Cannot query over table 'lake.shop.t' without a filter over column(s) 'day' that can be used for partition elimination",
    'sql_failed',
    'without a filter over column(s)',
  ],
  [403, 'accessDenied', 'Access Denied: Table hunter2', 'sql_failed', 'no right to it'],
  [
    400,
    'bytesBilledLimitExceeded',
    'Query exceeded limit for bytes billed: 1. hunter2',
    'sql_failed',
    'maxBytesBilled',
  ],
  [
    400,
    'resourcesExceeded',
    'Resources exceeded during query execution: hunter2',
    'sql_failed',
    'more than it may use',
  ],
  [403, 'responseTooLarge', 'Response too large to return. hunter2', 'sql_failed', 'more than it may use'],
  [400, 'stopped', 'Job execution was cancelled: Job timed out after 1s', 'sql_timeout', 'did not finish'],
  [400, 'stopped', 'Job execution was cancelled: User requested cancellation', 'datasource_unavailable', 'ended it'],
  [403, 'quotaExceeded', 'Quota exceeded: hunter2', 'overloaded', 'no connection left'],
  [403, 'rateLimitExceeded', 'Exceeded rate limits: hunter2', 'overloaded', 'no connection left'],
  [503, 'backendError', 'hunter2', 'datasource_unavailable', 'does not answer at the moment'],
  [500, 'internalError', 'hunter2', 'datasource_unavailable', 'does not answer at the moment'],
  [401, 'authError', 'hunter2', 'datasource_unavailable', 'does not let the account in'],
  [403, 'billingNotEnabled', 'hunter2', 'sql_failed', 'BigQuery: billing not enabled.'],
  [400, 'hunter2', 'hunter2', 'sql_failed', 'BigQuery: unknown.'],
];

describe('an error', () => {
  it.each(faults)('%i %s: %s', async (code, reason, text, kind, message) => {
    const error = { code, reason, message: text };
    for (const pages of [[{ error }], [{ fields: N, rows: [['1']] }, { error }]]) {
      await using api = await startApi({ answer: () => pages });
      const outcome = await using({ url: api.url }, ({ run }) => run());
      expect(outcome).toMatchObject({ code: kind, message: expect.stringContaining(message) });
      expect(JSON.stringify(outcome)).not.toMatch(/hunter2|127\.0\.0\.1/);
    }
    await using api = await startApi({ answer: () => [], dryRun: () => ({ error }) });
    const outcome = await using({ url: api.url }, ({ run }) => run());
    expect(outcome).toMatchObject({ code: kind, message: expect.stringContaining(message) });
    expect(api.statements).toEqual([]);
  });

  it('of a job that is done and failed is told like any other', async () => {
    await using api = await startApi({
      answer: () => [],
      instead({ url, body }, response) {
        if (url !== 'lake/queries') return false;
        const errors = [{ reason: 'invalidQuery', message: 'Bad int64 value: hunter2' }];
        response.end(JSON.stringify({ jobReference: { jobId: 'j' }, jobComplete: true, errors, sql: body.query }));
        return true;
      },
    });
    const outcome = await using({ url: api.url }, ({ run }) => run({ sql: SQL }));
    expect(outcome).toMatchObject({ code: 'sql_failed', message: expect.stringContaining('at a value that it meets') });
  });
});

describe('without access', () => {
  it.each<[what: string, status: number, body: object, message: string]>([
    ['the key is not accepted', 400, { error: 'invalid_grant', error_description: 'hunter2' }, 'no access token'],
    ['the answer has no token', 200, {}, 'no access token'],
  ])('where %s', async (_, status, body, message) => {
    await using api = await startApi({
      answer: () => [],
      instead({ url }, response) {
        if (url !== '/token') return false;
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
        return true;
      },
    });
    const outcome = await using({ url: api.url }, ({ run }) => run());
    expect(outcome).toMatchObject({ code: 'datasource_unavailable', message: expect.stringContaining(message) });
    expect(JSON.stringify(outcome)).not.toMatch(/hunter2|PRIVATE|lake\.iam/);
    expect(api.asked).toEqual([]);
  });

  it('to the dataset it says so', async () => {
    await using api = await startApi({ answer: () => [] });
    const outcome = await using({ url: api.url.replace('lake/shop', 'lake/gone') }, ({ run }) => run());
    expect(outcome).toMatchObject({
      code: 'datasource_unavailable',
      message: expect.stringContaining('no such project or dataset'),
    });
  });
});
