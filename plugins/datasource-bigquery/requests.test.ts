/** What is sent to the API, with which token, and over which addresses. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { AtlasError } from '../../kernel/index.ts';
import { layerFolder } from '../../test/harness/layer-folder.ts';
import type { Reach } from '../datasource-kit/index.ts';
import { serviceKey, startApi } from './fixtures/api.ts';
import { N, SQL, using } from './fixtures/asking.ts';

const one = () => [{ fields: N, rows: [['1']] }];

it('sends where, how much, how long and for whom, and asks first what it would do', async () => {
  let tokens = 0;
  await using api = await startApi({
    answer: one,
    instead({ url }) {
      if (url === '/token') tokens += 1;
      return false;
    },
  });
  await using({ url: `${api.url}&maxBytesBilled=5000`, timeZone: 'Europe/Vienna' }, async ({ run }) => {
    expect(await run()).toEqual([{ n: 1 }]);
    expect(await run()).toEqual([{ n: 1 }]);
  });
  // A statement that passed once is not checked again, and a token is kept.
  expect(api.dryRuns).toEqual([SQL]);
  expect(api.statements).toEqual([SQL, SQL]);
  expect(tokens).toBe(1);
  const dry = api.asked.find(({ url }) => url === 'lake/jobs')!;
  expect(dry.body.configuration).toMatchObject({
    dryRun: true,
    labels: { source: 'atlas', entry: 'entry-1' },
    query: {
      query: SQL,
      useLegacySql: false,
      useQueryCache: false,
      defaultDataset: { projectId: 'lake', datasetId: 'shop' },
      connectionProperties: [{ key: 'time_zone', value: 'Europe/Vienna' }],
    },
  });
  expect(dry.body.jobReference).toEqual({ projectId: 'lake', location: 'EU' });
  const { body, headers } = api.asked.find(({ url }) => url === 'lake/queries')!;
  expect(body).toMatchObject({
    query: SQL,
    useLegacySql: false,
    location: 'EU',
    maximumBytesBilled: '5000',
    formatOptions: { useInt64Timestamp: true },
    labels: { source: 'atlas', entry: 'entry-1' },
    maxResults: expect.any(Number),
    requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
  expect(Number(body.jobTimeoutMs)).toBeGreaterThan(20_000);
  expect(headers).toMatchObject({ authorization: 'Bearer ya29.recorded', 'user-agent': 'atlas' });
  expect(JSON.stringify(api.asked)).not.toMatch(/PRIVATE KEY|private_key/);
});

it('takes the location of the URL before that of the dataset', async () => {
  await using api = await startApi({ answer: one });
  await using({ url: `${api.url}&location=US` }, async ({ run }) => expect(await run()).toEqual([{ n: 1 }]));
  expect(api.asked.find(({ url }) => url === 'lake/queries')?.body.location).toBe('US');
});

it('connects to checked addresses alone', async () => {
  await using api = await startApi({ answer: one });
  const looked: string[] = [];
  const reach: Reach = {
    folder: '.',
    async addressesOf(host) {
      looked.push(host);
      if (host === 'secret.localhost') throw new AtlasError('The host must not be used.', { code: 'validation_error' });
      return ['127.0.0.1'];
    },
  };
  const at = (host: string) => api.url.replace('api_endpoint=http://127.0.0.1', `api_endpoint=http://${host}`);
  await using({ url: at('db.localhost') }, async ({ run }) => expect(await run()).toEqual([{ n: 1 }]), reach);
  await using(
    { url: at('secret.localhost') },
    async ({ run }) => expect(await run()).toMatchObject({ code: 'validation_error' }),
    reach,
  );
  expect(looked).toEqual(['db.localhost', 'secret.localhost']);
});

it('says that it is well when the dataset can be seen, and not when the account is not let in', async () => {
  let isRefused = false;
  await using api = await startApi({
    answer: one,
    instead(_, response) {
      if (!isRefused) return false;
      response.writeHead(403).end();
      return true;
    },
  });
  await using({ url: api.url }, async ({ database }) => {
    expect(await database.health()).toMatchObject({ status: 'ok' });
    isRefused = true;
    expect(await database.health()).toMatchObject({
      status: 'error',
      message: expect.stringContaining('let the account'),
    });
  });
  expect(api.statements).toEqual([]);
});

it('asks with the credentials of the place where the URL has no key, and says so where there are none', async () => {
  await using api = await startApi({ answer: one });
  using folder = layerFolder({});
  const file = join(folder.dir, 'key.json');
  writeFileSync(file, Buffer.from(serviceKey(), 'base64'));
  const url = api.url.replace(`:${serviceKey()}@`, '');
  vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', file);
  // Loading the package takes long where the machine is busy.
  const patient = { url, connectTimeoutMs: 60_000 };
  await using(patient, async ({ run }) => expect(await run()).toEqual([{ n: 1 }]));
  vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', undefined);
  // Neither a folder of settings nor a server that tells of the machine.
  vi.stubEnv('HOME', folder.dir);
  vi.stubEnv('METADATA_SERVER_DETECTION', 'none');
  const outcome = await using(patient, ({ run }) => run());
  vi.unstubAllEnvs();
  expect(outcome).toMatchObject({
    code: 'datasource_unavailable',
    message: expect.stringContaining('there are no Google credentials here'),
  });
});
