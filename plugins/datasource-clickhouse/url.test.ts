import { describe, expect, it } from 'vitest';
import { CLICKHOUSE_ENGINE } from './registration.ts';
import { assertRemoteClickhouseUrl, parseClickhouseUrl } from './url.ts';

const NO_REACH = { folder: '.', addressesOf: async () => [] };

describe('a URL', () => {
  it.each([
    [
      'clickhouse://ada:s3cret@db.example/shop',
      {
        user: 'ada',
        password: 's3cret',
        replicas: [{ host: 'db.example', port: 8123 }],
        database: 'shop',
        tls: undefined,
        cluster: undefined,
      },
    ],
    ['clickhouse://db', { user: 'default', password: '', database: 'default' }],
    ['clickhouse:///', { replicas: [{ host: 'localhost', port: 8123 }] }],
    ['clickhouse://ada:p%40ss%2F%23%2C@db:9123/my%20shop', { password: 'p@ss/#,', database: 'my shop' }],
    ['clickhouse://ada@[::1]:9123/shop', { replicas: [{ host: '::1', port: 9123 }] }],
    [
      'clickhouse://ada@one:8123,two,[::1]:1/shop?cluster=main',
      {
        replicas: [
          { host: 'one', port: 8123 },
          { host: 'two', port: 8123 },
          { host: '::1', port: 1 },
        ],
        database: 'shop',
        cluster: 'main',
      },
    ],
    ['clickhouses://ada@db/shop', { replicas: [{ host: 'db', port: 8443 }], tls: { rejectUnauthorized: true } }],
    ['clickhouse://ada@db/shop?secure=true', { replicas: [{ host: 'db', port: 8443 }] }],
    ['clickhouse://ada@db:1/shop?secure=1&verify=false', { tls: { rejectUnauthorized: false } }],
    ['clickhouse://ada@db/shop?ssl=true&skip_verify=true', { tls: { rejectUnauthorized: false } }],
    ['clickhouse://ada@db/shop?secure=false', { tls: undefined }],
    ['clickhouse://ada@db/shop?compress=lz4&connect_timeout=3&client_name=x', { tls: undefined }],
  ])('%s', (url, parts) => {
    expect(parseClickhouseUrl(url)).toMatchObject(parts);
  });

  it.each([
    'postgres://ada:hunter2@db/shop',
    'http://ada:hunter2@db:8123/shop',
    'clickhouse://ada:hunter2#x@db/shop',
    'clickhouse://ada:hunter2@db:0/shop',
    'clickhouse://ada:hunter2@db:99999/shop',
    'clickhouse://ada:hunter2@one,,two/shop',
    'clickhouse://ada:hunter2@one,two:x/shop',
    `clickhouse://ada:hunter2@${Array.from({ length: 40 }, (_, n) => `h${n}`).join(',')}/shop`,
    'clickhouse://ada:hunter2@db/shop?readonly=0',
    'clickhouse://ada:hunter2@db/shop?max_memory_usage=1',
    'clickhouse://ada:hunter2@db/shop?secure=hunter2',
    'clickhouses://ada:hunter2@db/shop?secure=false',
    `clickhouse://ada:hunter2@db/shop?cluster=a'%20hunter2`,
    'clickhouses://ada:hunter2@db/shop?ca_cert=/no/such/hunter2.pem',
    'clickhouse://ada:hunter2@%2Ftmp%2Fx/shop',
    'hunter2',
  ])('%j is refused without being repeated', (url) => {
    expect(() => parseClickhouseUrl(url)).toThrow(/^The ClickHouse URL cannot be used: /);
    expect(() => parseClickhouseUrl(url)).not.toThrow(/hunter2/);
  });

  it.each([
    ['clickhouse://ada:hunter2@db:9123/shop?cluster=main', 'clickhouse://***@db:9123/shop'],
    ['clickhouse://ada:hunter2@one:1,[::1],three/shop', 'clickhouse://***@one:1,[::1],three/shop'],
    ['clickhouse://db/shop?secure=true', 'clickhouses://db/shop'],
    ['clickhouse://db', 'clickhouse://db/'],
  ])('%s is shown as %s', (url, masked) => {
    expect(parseClickhouseUrl(url).maskedUrl).toBe(masked);
  });

  it('of people without access to the server names no files, and tells all of its hosts', () => {
    for (const name of ['ca_cert', 'ca_certs', 'client_cert', 'certfile', 'client_cert_key', 'keyfile']) {
      expect(() => assertRemoteClickhouseUrl(`clickhouses://a@db,two/x?${name}=/etc/passwd`)).toThrow(name);
    }
    expect(CLICKHOUSE_ENGINE.locate('clickhouse://a:b@one,two:9/x', NO_REACH)).toEqual({
      host: 'one',
      port: 8123,
      user: 'a',
      password: 'b',
      database: 'x',
      others: [{ host: 'two', port: 9 }],
    });
  });
});
