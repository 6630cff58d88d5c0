import { describe, expect, it } from 'vitest';
import { parsePostgresUrl } from './postgres-url.ts';

describe('a URL', () => {
  it.each([
    [
      'postgres://ada:s3cret@db.example/shop',
      { user: 'ada', password: 's3cret', host: 'db.example', port: 5432, database: 'shop' },
    ],
    ['postgresql://ada:p%40ss%2F%23%25@db:6543/my%20shop', { password: 'p@ss/#%', port: 6543, database: 'my shop' }],
    ['postgres://ada:p@ss@db/shop', { user: 'ada', password: 'p@ss', host: 'db' }],
    ['postgres://ada@[::1]:5433/shop', { host: '::1', port: 5433, password: '' }],
    ['postgres://ada@db', { database: 'ada' }],
    ['postgres://ada@/shop', { host: 'localhost', database: 'shop' }],
    [
      'postgres://ada:x@/shop?host=/var/run/postgresql',
      { host: '/var/run/postgresql', database: 'shop', tls: undefined },
    ],
    [
      'postgres:///shop?host=/run/pg&user=ada&password=x&port=5555',
      { host: '/run/pg', user: 'ada', password: 'x', port: 5555 },
    ],
    ['postgresql://ada@%2Fvar%2Frun%2Fpostgresql/shop', { host: '/var/run/postgresql' }],
    [' postgres://ada@db/shop?schema=sales&connect_timeout=3&pgbouncer=true ', { schema: 'sales' }],
    ['postgres://ada@db/shop?schema=Sales', { schema: 'Sales' }],
    ['postgres://ada@db/shop?schema=', { schema: undefined }],
    ['postgres://ada@db/shop?currentSchema=Sales', { schema: 'sales' }],
    ['postgres://ada@db/shop?search_path=%22Sales%20%22%22q%22', { schema: 'Sales "q' }],
    ['postgres://ada@db/shop?options=-c%20search_path%3Dsales', { schema: 'sales' }],
    ['postgres://ada@db/shop?options=--search_path%3Dgrößen', { schema: 'größen' }],
    ['postgres://ada@db/shop?options=-csearch_path%3Dsales', { schema: 'sales' }],
    ['postgres://ada@db/shop?application_name=bi', { applicationName: 'bi' }],
  ])('%s', (url, parts) => {
    expect(parsePostgresUrl(url)).toMatchObject(parts);
  });

  it.each([
    ['', { plainAllowed: true, tls: { rejectUnauthorized: false } }],
    ['?sslmode=disable', { plainAllowed: false, tls: undefined }],
    ['?ssl=false', { tls: undefined }],
    ['?sslmode=prefer', { plainAllowed: true, tls: { rejectUnauthorized: false } }],
    ['?sslmode=require', { plainAllowed: false, tls: { rejectUnauthorized: false } }],
    ['?ssl=true', { plainAllowed: false, tls: { rejectUnauthorized: false } }],
    [
      '?sslmode=require&sslrootcert=system',
      { tls: { rejectUnauthorized: true, checkServerIdentity: expect.any(Function) } },
    ],
    ['?sslmode=verify-ca', { tls: { rejectUnauthorized: true, checkServerIdentity: expect.any(Function) } }],
    ['?sslmode=verify-full&channel_binding=require', { channelBinding: true, plainAllowed: false }],
  ])('encrypts as "%s" says', (query, parts) => {
    expect(parsePostgresUrl(`postgres://ada@db/shop${query}`)).toMatchObject(parts);
  });
  it('verifies the host name in the mode verify-full alone', () => {
    const { tls } = parsePostgresUrl('postgres://ada@db/shop?sslmode=verify-full');
    expect(tls).toEqual({ rejectUnauthorized: true });
  });

  it.each([
    'db.example/shop',
    'mysql://ada:hunter2@db/shop',
    'postgres://db/shop',
    'postgres://ada:hunter2%zz@db/shop',
    'postgres://ada:hunter2#x@db/shop',
    'postgres://ada:hunter2@db:99999/shop',
    'postgres://ada:hunter2@db:0/shop',
    'postgres://ada:hunter2@one,two/shop',
    'postgres://ada:hunter2@db/shop?sslmod=verify-full',
    'postgres://ada:hunter2@db/shop?sslmode=hunter2',
    'postgres://ada:hunter2@db/shop?sslrootcert=/no/such/hunter2.pem&sslmode=require',
    'postgres://ada:hunter2@db/shop%00',
    'postgres://ada:hunter2@db/shop?search_path=sales,public',
    'postgres://ada:hunter2@db/shop?options=-c%20search_path%3Dsales%20-c%20role%3Dpostgres',
    'postgres://ada:hunter2@db/shop?options=-c%20statement_timeout%3D0',
    'postgres://ada:hunter2@db/shop?currentSchema=a%20b',
    '',
  ])('%j is refused without being repeated', (url) => {
    expect(() => parsePostgresUrl(url)).toThrow(/^The PostgreSQL URL cannot be used: /);
    expect(() => parsePostgresUrl(url)).not.toThrow(/hunter2/);
  });

  it.each([
    ['postgres://ada:hunter2@db:6543/shop?sslpassword=hunter2&user=hunter2', 'postgres://***@db:6543/shop'],
    ['postgresql://ada:hunter2@[::1]/shop', 'postgres://***@[::1]/shop'],
    ['postgres://ada@/shop?host=/hunter2', 'postgres://***@/shop'],
    ['postgres:///shop?user=hunter2&password=hunter2', 'postgres://localhost/shop'],
  ])('%s is shown as %s', (url, masked) => {
    expect(parsePostgresUrl(url).maskedUrl).toBe(masked);
  });
});
