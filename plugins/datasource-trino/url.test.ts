import { describe, expect, it } from 'vitest';
import { TRINO_ENGINE } from './registration.ts';
import { parseTrinoUrl } from './url.ts';

const NO_REACH = { folder: '.', addressesOf: async () => [] };

describe('a URL', () => {
  it.each([
    [
      'trino://ada@db.example/lake/sales',
      { user: 'ada', password: '', host: 'db.example', port: 8080, catalog: 'lake', schema: 'sales', tls: undefined },
    ],
    ['trino://ada@[::1]:9080/Lake/Sales', { host: '::1', port: 9080, catalog: 'lake', schema: 'sales' }],
    ['trino://ada@db:80/lake/my%20schema?source=x', { schema: 'my schema' }],
    ['trinos://ada:p%40ss%2F@db/lake/sales', { password: 'p@ss/', port: 8443, tls: { rejectUnauthorized: true } }],
    ['trino://ada:secret@db/lake/sales?tls=true', { port: 8443, tls: { rejectUnauthorized: true } }],
    ['trino://ada:secret@db:443/lake/sales?SSL=true&verify=false', { port: 443, tls: { rejectUnauthorized: false } }],
  ])('%s', (url, parts) => {
    expect(parseTrinoUrl(url)).toMatchObject(parts);
  });

  it.each([
    ['trino://ada:hunter2@db/lake/sales', 'passwords over TLS only'],
    ['trino://ada:hunter2@db/lake/sales?tls=false', 'passwords over TLS only'],
    ['trinos://ada:hunter2@db/lake/sales?tls=false', 'turns encryption off'],
    ['trinos://ada:hunter2@db/lake', 'a catalog and a schema'],
    ['trinos://ada:hunter2@db', 'a catalog and a schema'],
    ['trinos://ada:hunter2@db/lake/sales/hunter2', 'a catalog and a schema'],
    ['trinos://db/lake/sales', 'names no user'],
    ['trinos://a%3Ab:hunter2@db/lake/sales', 'a colon'],
    ['trinos://%C3%BCna:hunter2@db/lake/sales', 'plain letters'],
    ['trinos://ada:hunter2@db/lake/sales%0D%0Ax', 'plain letters'],
    ['trinos://ada:hunter2@db/lake/sales?session=x', 'not known'],
    ['trinos://ada:hunter2@db/lake/sales?tls=hunter2', 'neither true nor false'],
    ['trinos://ada:hunter2@one,two/lake/sales', 'several hosts'],
    ['trinos://ada:hunter2@%2Ftmp%2Fx/lake/sales', 'URL'],
    ['trinos://ada:hunter2@db:0/lake/sales', 'port'],
    ['trino://ada@0x7f.1/lake/sales', 'host'],
    ['trino://ada@127.0.0.1./lake/sales', 'host'],
    ['trino://ada@１２７.0.0.1/lake/sales', 'host'],
    ['trino://ada@1.2.3.4.5/lake/sales', 'host'],
    ['http://ada:hunter2@db/lake/sales', 'begin with "trino://"'],
    ['hunter2', 'no URL'],
  ])('%j is refused without being repeated', (url, why) => {
    expect(() => parseTrinoUrl(url)).toThrow(/^The Trino URL cannot be used: /);
    expect(() => parseTrinoUrl(url)).toThrow(why);
    expect(() => parseTrinoUrl(url)).not.toThrow(/hunter2/);
  });

  it.each([
    ['trinos://ada:hunter2@db:9443/Lake/sales?verify=false', 'trinos://***@db:9443/lake/sales'],
    ['trino://ada@[::1]/lake/sales', 'trino://***@[::1]:8080/lake/sales'],
  ])('%s is shown as %s', (url, masked) => {
    expect(parseTrinoUrl(url).maskedUrl).toBe(masked);
  });

  it('of people without access to the server names no files', () => {
    for (const name of ['ca_cert', 'client_cert', 'client_cert_key']) {
      const url = `trinos://a:b@db/lake/sales?${name}=/etc/passwd`;
      expect(() => TRINO_ENGINE.locate(url, NO_REACH)).toThrow(name);
    }
    expect(TRINO_ENGINE.locate('trinos://a:b@one:9/lake/sales', NO_REACH)).toEqual({
      host: 'one',
      port: 9,
      user: 'a',
      password: 'b',
      database: 'lake/sales',
    });
  });
});
