import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { SnowflakeDriver } from './driver.ts';
import { snowflakeOptions } from './fixtures/asking.ts';
import { SNOWFLAKE_ENGINE } from './registration.ts';
import { parseSnowflakeUrl } from './url.ts';

const NO_REACH = { folder: '.', addressesOf: async () => [] };
const folder = mkdtempSync(join(tmpdir(), 'snowflake-url-'));
const keyFile = join(folder, 'key.p8');
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
writeFileSync(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }));
afterAll(() => rmSync(folder, { recursive: true }));

describe('a URL', () => {
  it.each<[url: string, parts: object]>([
    [
      'snowflake://ada:tok@acme-shop/lake/sales?warehouse=small&role=reader',
      {
        account: 'ACME-SHOP',
        user: 'ADA',
        secret: 'tok',
        tokenType: 'PROGRAMMATIC_ACCESS_TOKEN',
        host: 'acme-shop.snowflakecomputing.com',
        port: 443,
        tls: { rejectUnauthorized: true },
        database: 'LAKE',
        schema: 'SALES',
        warehouse: 'SMALL',
        role: 'READER',
      },
    ],
    [
      'snowflake://ada:tok@xy12345.eu-central-1/lake/sales',
      {
        account: 'XY12345',
        host: 'xy12345.eu-central-1.snowflakecomputing.com',
        warehouse: undefined,
        role: undefined,
      },
    ],
    [
      'snowflake://ada:tok@Acme-My_Shop.snowflakecomputing.com/lake/sales',
      { account: 'ACME-MY_SHOP', host: 'acme-my-shop.snowflakecomputing.com' },
    ],
    [
      'snowflake://%22ada%20l%22:tok@acme-shop/%22My%20Lake%22/%22a%22%22b%22?role=%22Reader%22',
      { user: 'ada l', database: 'My Lake', schema: 'a"b', role: 'Reader' },
    ],
    ['snowflake://ada:tok@acme-shop/lake/sales?authenticator=OAUTH', { tokenType: 'OAUTH', secret: 'tok' }],
    [
      'snowflake://ada:tok@acme-shop/lake/sales?host=shop.privatelink.example&port=8443',
      { host: 'shop.privatelink.example', port: 8443 },
    ],
    [
      'snowflake://ada:tok@acme-shop/lake/sales?host=127.0.0.1&port=80&protocol=http',
      { host: '127.0.0.1', tls: undefined },
    ],
    ['snowflake://ada:tok@acme-shop/lake/sales?host=[::1]&protocol=http', { host: '::1', port: 80, tls: undefined }],
    ['snowflake://ada@acme-shop/lake/sales', { secret: '' }],
  ])('%s', (url, parts) => {
    expect(parseSnowflakeUrl(url)).toMatchObject(parts);
  });

  it('names the file of a key, which what stands for a password opens', () => {
    const parsed = parseSnowflakeUrl(
      `snowflake://ada:open@acme-shop/lake/sales?private_key_file=${encodeURIComponent(keyFile)}`,
    );
    expect(parsed).toMatchObject({ tokenType: 'KEYPAIR_JWT', secret: 'open' });
    expect(parsed.keyFile).toContain('BEGIN PRIVATE KEY');
  });

  it.each([
    ['snowflake://ada:hunter2@acme-shop/lake', 'a database and a schema'],
    ['snowflake://ada:hunter2@acme-shop', 'a database and a schema'],
    ['snowflake://ada:hunter2@acme-shop/lake/sales/hunter2', 'a database and a schema'],
    ['snowflake://acme-shop/lake/sales', 'names no user'],
    ['snowflake://ada:hunter2@/lake/sales', 'names no account'],
    ['snowflake://ada:hunter2@one,two/lake/sales', 'several hosts'],
    ['snowflake://ada:hunter2@-x/lake/sales', 'names no account'],
    ['snowflake://ada:hunter2@acme-shop:443/lake/sales', 'write "port=443"'],
    ['snowflake://ada:hunter2@acme-shop/la%22ke/sales', 'none of Snowflake'],
    ['snowflake://ada:hunter2@acme-shop/lake/sa%0Ales', 'none of Snowflake'],
    ['snowflake://ada:hunter2@acme-shop/lake/sales?role=', 'none of Snowflake'],
    ['snowflake://ada:hunter2@acme-shop/lake/sales?authenticator=externalbrowser', '"authenticator" is none of'],
    ['snowflake://ada:hunter2@acme-shop/lake/sales?authenticator=constructor', '"authenticator" is none of'],
    ['snowflake://ada:hunter2%0D%0Ax@acme-shop/lake/sales', 'plain letters'],
    ['snowflake://ada:hunter2@acme-shop/lake/sales?session_parameters=x', 'not known'],
    ['snowflake://ada:hunter2@acme-shop/lake/sales?protocol=http', 'without encryption'],
    ['snowflake://ada:hunter2@acme-shop/lake/sales?host=db.example&protocol=http', 'without encryption'],
    ['snowflake://ada:hunter2@acme-shop/lake/sales?host=169.254.169.254&protocol=http', 'without encryption'],
    ['snowflake://ada:hunter2@acme-shop/lake/sales?protocol=ftp', 'without encryption'],
    ['snowflake://ada:hunter2@acme-shop/lake/sales?host=0x7f.1', '"host"'],
    ['snowflake://ada:hunter2@acme-shop/lake/sales?host=a.example/path', '"host"'],
    ['snowflake://ada:hunter2@acme-shop/lake/sales?host=x@a.example', '"host"'],
    ['snowflake://ada:hunter2@acme-shop/lake/sales?host=a.example:80', '"host"'],
    ['snowflake://ada:hunter2@acme-shop/lake/sales?host=', '"host"'],
    ['snowflake://ada:hunter2@acme-shop/lake/sales?host=%2Frun%2Fx', 'socket'],
    ['snowflake://ada:hunter2@acme-shop/lake/sales?port=0', '"port"'],
    ['snowflake://ada:hunter2@acme-shop/lake/sales?port=70000', '"port"'],
    ['snowflake://ada:hunter2@acme-shop/lake/sales?verify=hunter2', 'neither true nor false'],
    ['snowflake://ada:hunter2@acme-shop/lake/sales?private_key_file=/none/hunter2', 'cannot be read'],
    [
      `snowflake://ada:hunter2@acme-shop/lake/sales?authenticator=oauth&private_key_file=${encodeURIComponent(keyFile)}`,
      'another way to log in',
    ],
    ['https://ada:hunter2@acme-shop/lake/sales', 'begin with "snowflake://"'],
    ['hunter2', 'no URL'],
  ])('%j is refused without being repeated', (url, why) => {
    expect(() => parseSnowflakeUrl(url)).toThrow(/^The Snowflake URL cannot be used: /);
    expect(() => parseSnowflakeUrl(url)).toThrow(why);
    expect(() => parseSnowflakeUrl(url)).not.toThrow(/hunter2/);
  });

  it('is shown with account, database and schema', () => {
    const { maskedUrl } = parseSnowflakeUrl('snowflake://ada:hunter2@acme-shop/lake/sales?host=inner.example&role=x');
    expect(maskedUrl).toBe('snowflake://***@acme-shop/LAKE/SALES');
  });

  it('opens nothing without a token or a key', () => {
    const open = () => new SnowflakeDriver(snowflakeOptions({ url: 'snowflake://ada@acme-shop/lake/sales' }));
    expect(open).toThrow('neither a token');
  });

  it('of people without access to the server names no files', () => {
    for (const name of ['private_key_file', 'ca_cert']) {
      const url = `snowflake://a:b@acme-shop/lake/sales?${name}=/etc/passwd`;
      expect(() => SNOWFLAKE_ENGINE.locate(url, NO_REACH)).toThrow(name);
    }
    expect(SNOWFLAKE_ENGINE.locate('snowflake://a:b@acme-shop/lake/sales?host=one.example&port=9', NO_REACH)).toEqual({
      host: 'one.example',
      port: 9,
      user: 'A PROGRAMMATIC_ACCESS_TOKEN',
      password: 'b',
      database: 'LAKE/SALES',
    });
  });

  it('are of one user only where they log in the same way, so that no key is kept and sent as a token', () => {
    const located = (query: string) =>
      SNOWFLAKE_ENGINE.locate(`snowflake://ada:x@acme-shop/lake/sales?${query}`, NO_REACH);
    const key = located('authenticator=snowflake_jwt');
    expect(located('role=x&authenticator=SNOWFLAKE_JWT')).toEqual(key);
    for (const other of ['authenticator=oauth', 'role=x']) expect(located(other)).not.toEqual(key);
  });
});
