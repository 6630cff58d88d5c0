import { describe, expect, it, test } from 'vitest';
import { PostgresDriver } from './driver.ts';
import { readFlavorUrl } from './flavor-url.ts';
import { POSTGRES_ENGINE } from './registration.ts';

describe('a URL', () => {
  it.each([
    ['postgres://a:b@db/shop', 'postgres://a:b@db/shop', undefined, 5432],
    ['postgresql://a:b@db/shop?sslmode=require', 'postgres://a:b@db/shop?sslmode=require', undefined, 5432],
    ['postgres://a:b@db/shop?flavor=citus&schema=s', 'postgres://a:b@db/shop?schema=s', 'citus', 5432],
    ['postgres://a:b@/shop?host=%2Ftmp&flavor=timescaledb', 'postgres://a:b@/shop?host=%2Ftmp', 'timescaledb', 5432],
    ['cockroachdb://a:b@db/shop', 'postgres://a:b@db/shop', 'cockroachdb', 26257],
    ['Redshift://a:b@db/shop', 'postgres://a:b@db/shop', 'redshift', 5439],
    ['redshift://a:b@db/shop?flavor=postgresql', 'postgres://a:b@db/shop', 'postgresql', 5439],
    ['mysql://a:b@db/shop?flavor=citus', 'mysql://a:b@db/shop?flavor=citus', 'citus', 5432],
  ])('%s', (text, url, flavor, port) => {
    const read = readFlavorUrl(text);
    expect([read.url, read.flavor?.name, read.port]).toEqual([url, flavor, port]);
  });

  it('of an engine that is not known stops the start, without repeating itself', () => {
    expect(() => readFlavorUrl('postgres://a:hunter2@db/shop?flavor=oracle')).toThrow(/^The "flavor" of/);
  });
});

test('a connection says which dialect its statements are checked by, and hides the password', () => {
  const driver = new PostgresDriver({ id: 'shop', url: 'cockroachdb://a:hunter2@db/shop' } as never);
  expect(driver.info).toMatchObject({ dbType: 'cockroachdb', maskedUrl: 'postgres://***@db/shop' });
});

test('connections that are added later have the same schemes and ports, and reach no socket', () => {
  const locate = (url: string) => POSTGRES_ENGINE.locate(url, {} as never);
  expect(locate('materialize://a:b@db/shop')).toMatchObject({ host: 'db', port: 6875 });
  expect(POSTGRES_ENGINE.schemes).toContain('yugabytedb');
  expect(() => locate('citus://a:b@/shop?host=/tmp')).toThrow(/socket/);
});
