import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { layerFolder } from '../../test/harness/layer-folder.ts';
import { serviceKey } from './fixtures/api.ts';
import { BIGQUERY_ENGINE } from './registration.ts';
import { parseBigqueryUrl } from './url.ts';

const NO_REACH = { folder: '.', addressesOf: async () => [] };
const folder = layerFolder({});
afterAll(() => folder[Symbol.dispose]());

const file = (content: object | string) => {
  const path = join(folder.dir, `key${Math.random()}.json`);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return encodeURIComponent(path);
};
const base64 = (content: object) => Buffer.from(JSON.stringify(content)).toString('base64');
const KEY = { type: 'service_account', client_email: 'a@lake.iam.gserviceaccount.com', private_key: 'hunter2' };
const ELSEWHERE = { ...KEY, token_uri: 'http://169.254.169.254/', universe_domain: 'evil.example' };

describe('a URL', () => {
  it.each([
    [
      'bigquery://my-project-1/sales',
      { project: 'my-project-1', dataset: 'sales', key: undefined, tokenEndpoint: undefined },
    ],
    [
      'bigquery://lake/Sales_1?location=europe-west3&maxBytesBilled=1000',
      { dataset: 'Sales_1', location: 'europe-west3', maxBytesBilled: '1000' },
    ],
    [`bigquery://:${encodeURIComponent(base64(KEY))}@lake/sales`, { key: { email: KEY.client_email, key: 'hunter2' } }],
    [
      `bigquery://:${encodeURIComponent(JSON.stringify(KEY))}@lake/sales`,
      { key: { email: KEY.client_email, key: 'hunter2' } },
    ],
    [`bigquery://lake/sales?key_file=${file(ELSEWHERE)}`, { key: { email: KEY.client_email, key: 'hunter2' } }],
    [
      'bigquery://lake/sales?api_endpoint=https://bigquery-x.p.googleapis.com',
      { api: new URL('https://bigquery-x.p.googleapis.com') },
    ],
  ])('%s', (url, parts) => {
    expect(parseBigqueryUrl(url)).toMatchObject(parts);
  });

  it.each([
    ['bigquery://lake', 'a dataset'],
    ['bigquery://lake/sales/hunter2', 'a dataset'],
    ['bigquery://lake/sa-les', 'a dataset'],
    ['bigquery:///sales', 'the id of a project'],
    ['bigquery://LAKE_1/sales', 'the id of a project'],
    ['bigquery://lake:443/sales', 'a port'],
    ['bigquery://hunter2@lake/sales', 'names a user'],
    ['bigquery://:hunter2@lake/sales', 'no JSON'],
    [`bigquery://:${base64({ ...KEY, type: 'external_account' })}@lake/sales`, 'not that of a service account'],
    [`bigquery://:${base64({ ...KEY, private_key: 1 })}@lake/sales`, 'not that of a service account'],
    [`bigquery://:${base64(KEY)}@lake/sales?key_file=/x`, 'names the file of one'],
    ['bigquery://lake/sales?key_file=/nothing/hunter2', 'cannot be read'],
    [`bigquery://lake/sales?key_file=${file('hunter2')}`, 'no JSON'],
    [
      `bigquery://lake/sales?key_file=${file({ type: 'authorized_user', refresh_token: 'hunter2' })}`,
      'not that of a service account',
    ],
    ['bigquery://lake/sales?location=hunter2%0A', 'no location'],
    ['bigquery://lake/sales?maxBytesBilled=0', 'no number of bytes'],
    ['bigquery://lake/sales?maxBytesBilled=1e9', 'no number of bytes'],
    ['bigquery://lake/sales?api_endpoint=hunter2', 'no https:// address'],
    ['bigquery://lake/sales?api_endpoint=http://bigquery.example.com', 'no https:// address'],
    ['bigquery://lake/sales?token_endpoint=http://127.0.0.1.example.com', 'no https:// address'],
    ['bigquery://lake/sales?api_endpoint=file:///etc/passwd', 'no https:// address'],
    ['bigquery://lake/sales?token_endpoint=https://a:hunter2@b/', 'no https:// address'],
    ['bigquery://lake/sales?dryRun=hunter2', 'not known'],
    ['http://lake/sales', 'begin with "bigquery://"'],
    ['hunter2', 'no URL'],
  ])('%j is refused without being repeated', (url, why) => {
    expect(() => parseBigqueryUrl(url)).toThrow(/^The BigQuery URL cannot be used: /);
    expect(() => parseBigqueryUrl(url)).toThrow(why);
    expect(() => parseBigqueryUrl(url)).not.toThrow(/hunter2/);
  });

  it('is shown without its key', () => {
    expect(parseBigqueryUrl(`bigquery://:${serviceKey()}@lake/sales?location=EU`).maskedUrl).toBe(
      'bigquery://lake/sales',
    );
  });

  it('of people without access to the server brings its key, and names no file and no server', () => {
    for (const name of ['key_file', 'api_endpoint', 'token_endpoint']) {
      const url = `bigquery://:${serviceKey()}@lake/sales?${name}=https://x`;
      expect(() => BIGQUERY_ENGINE.locate(url, NO_REACH)).toThrow(name);
    }
    expect(() => BIGQUERY_ENGINE.locate('bigquery://lake/sales', NO_REACH)).toThrow('it has no key');
    const key = base64(ELSEWHERE);
    expect(BIGQUERY_ENGINE.locate(`bigquery://:${key}@lake/sales`, NO_REACH)).toEqual({
      host: 'bigquery.googleapis.com',
      port: 443,
      user: '',
      password: key,
      database: 'lake/sales',
    });
  });
});
