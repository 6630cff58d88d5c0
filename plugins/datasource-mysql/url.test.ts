import { describe, expect, it } from 'vitest';
import { parseMysqlUrl } from './url.ts';

describe('a URL', () => {
  it.each([
    [
      'mysql://ada:s3cret@db.example/shop',
      { user: 'ada', password: 's3cret', host: 'db.example', port: 3306, database: 'shop' },
    ],
    ['mariadb://ada:p%40ss%2F%23@db:3307/my%20shop', { password: 'p@ss/#', port: 3307, database: 'my shop' }],
    ['mysql://ada@[::1]/shop', { host: '::1' }],
    ['mysql://ada@db', { database: undefined }],
    ['mysql://ada@/shop?socket=/run/mysqld/mysqld.sock', { socket: '/run/mysqld/mysqld.sock', tls: undefined }],
    ['mysql://ada@db/shop?charset=utf8mb4&connection_limit=3', { database: 'shop' }],
    ['mysql://ada@db/shop', { plainAllowed: true, tls: { rejectUnauthorized: false } }],
    ['mysql://ada@db/shop?ssl-mode=DISABLED', { tls: undefined }],
    ['mysql://ada@db/shop?ssl=false', { tls: undefined }],
    ['mysql://ada@db/shop?ssl-mode=required', { plainAllowed: false, tls: { rejectUnauthorized: false } }],
    ['mysql://ada@db/shop?sslMode=VERIFY_CA', { tls: { rejectUnauthorized: true, verifyIdentity: false } }],
    ['mysql://ada@db/shop?ssl-mode=VERIFY_IDENTITY', { tls: { rejectUnauthorized: true, verifyIdentity: true } }],
  ])('%s', (url, parts) => {
    expect(parseMysqlUrl(url)).toMatchObject(parts);
  });

  it.each([
    'postgres://ada:hunter2@db/shop',
    'mysql://db/shop',
    'mysql://ada:hunter2#x@db/shop',
    'mysql://ada:hunter2@db/shop?ssl-mode=hunter2',
    'mysql://ada:hunter2@db/shop?multipleStatements=true',
    'mysql://ada:hunter2@db/shop?ssl-ca=/no/such/hunter2.pem&ssl-mode=VERIFY_CA',
    'mysql://ada:hunter2@127.0.0.1/shop?ssl-mode=VERIFY_IDENTITY',
    'mysql://ada:hunter2@[::1]/shop?ssl-mode=VERIFY_IDENTITY',
    'hunter2',
  ])('%j is refused without being repeated', (url) => {
    expect(() => parseMysqlUrl(url)).toThrow(/^The MySQL URL cannot be used: /);
    expect(() => parseMysqlUrl(url)).not.toThrow(/hunter2/);
  });

  it.each([
    ['mysql://ada:hunter2@db:3307/shop?ssl-mode=DISABLED', 'mysql://***@db:3307/shop'],
    ['mariadb://ada:hunter2@[::1]/shop', 'mysql://***@[::1]/shop'],
    ['mysql://ada@/shop?socket=/hunter2/s', 'mysql://***@/shop'],
  ])('%s is shown as %s', (url, masked) => {
    expect(parseMysqlUrl(url).maskedUrl).toBe(masked);
  });
});
