/** Tests what a URL that comes over HTTP may not have. */
import { linkSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { layerFolder } from '../../test/harness/layer-folder.ts';
import { databases } from '../../test/harness/managed-server.ts';
import { SqliteFolder } from '../../test/harness/sqlite.ts';
import { datasourceEngines } from '../datasource-kit/index.ts';
import { type EngineInit, withPassword } from './engines.ts';
import { type AddingServer, addingServer } from './fixtures/server.ts';
import { isAllowedAddress } from './reach.ts';

const db = databases();
const files = new SqliteFolder();
const outside = new SqliteFolder();
const layer = layerFolder({});
let server: AddingServer;
let closed: AddingServer;
beforeAll(async () => {
  files.create('shop.db', 'CREATE TABLE orders (id INTEGER)');
  const secret = outside.create('secret.db', 'CREATE TABLE orders (id INTEGER)');
  symlinkSync(secret, join(files.path, 'link.db'));
  server = await addingServer(layer.dir, await db.url('sqlite'), { filesDirs: [files.path] });
  closed = await addingServer(layer.dir, await db.url('sqlite'), { privateHosts: false });
});
afterAll(async () => {
  await server?.close();
  await closed?.close();
  for (const folder of [files, outside, layer]) folder[Symbol.dispose]();
});

const saved = async (app: AddingServer) => (await app.send('GET', '')).body.connections;

describe('a URL over HTTP', () => {
  it.each([
    ['ftp://a:b@db/x', 'has to begin with'],
    ['nothing', 'has to begin with'],
    ['postgress://a:b@db/x', 'Did you mean "postgres:"?'],
    ['postgres://a:b@db/x?options=-c%20search_path%3Dx', 'its parameter "options"'],
    ['postgres://a:b@db/x?sslrootcert=/etc/passwd', 'its parameter "sslrootcert"'],
    ['postgres://a:b@db/x?SSLKEY=/etc/passwd', 'its parameter "sslkey"'],
    ['postgres://a:b@db/x?sslcert=/none', 'its parameter "sslcert"'],
    ['postgres://a:b@db/x?service=prod', 'a parameter that is not known'],
    ['postgres://a:b@db/x?passfile=/etc/passwd', 'a parameter that is not known'],
    ['postgres://a:b@/x?host=/var/run/postgresql', 'socket'],
    ['postgres://a:b@%2Fvar%2Frun/x', 'socket'],
    ['postgres://a:b@169.254.169.254/x', 'must not use'],
    ['postgres://a:b@[::ffff:169.254.169.254]/x', 'must not use'],
    ['postgres://a:b@db/x?host=169.254.169.254', 'must not use'],
    ['postgres://a:b@0.0.0.0/x', 'must not use'],
    ['postgres://a:b@[fe80::1]/x', 'must not use'],
    ['postgres://a:b@[fd00:ec2::254]/x', 'must not use'],
    ['mysql://a:b@224.0.0.1/x', 'must not use'],
    ['mysql://a:b@db/x?multipleStatements=true', 'a parameter that is not known'],
    ['mysql://a:b@db/x?allowLoadLocalInfile=true', 'a parameter that is not known'],
    ['mysql://a:b@db/x?init_command=DROP', 'a parameter that is not known'],
    ['mysql://a:b@db/x?flags=LOCAL_FILES', 'a parameter that is not known'],
    ['mysql://a:b@db/x?socket=/run/mysqld.sock', 'its parameter "socket"'],
    ['mariadb://a:b@db/x?ssl-ca=/etc/passwd', 'its parameter "ssl-ca"'],
    ['mysql://a:b@%2Frun%2Fmysqld.sock/x', 'socket'],
    ['clickhouse://a:b@169.254.169.254/x', 'must not use'],
    ['clickhouse://a:b@db:8123,169.254.169.254:80/x', 'must not use'],
    ['clickhouse://a:b@db,[fe80::1]/x', 'must not use'],
    ['clickhouses://a:b@db/x?ca_cert=/etc/passwd', 'its parameter "ca_cert"'],
    ['clickhouse://a:b@db/x?keyfile=/etc/passwd', 'its parameter "keyfile"'],
    ['clickhouse://a:b@db/x?readonly=0', 'a parameter that is not known'],
    ['clickhouse://a:b@%2Frun%2Fclickhouse.sock/x', 'socket'],
    ['trino://a@169.254.169.254/x/y', 'must not use'],
    ['trinos://a:b@[fe80::1]/x/y', 'must not use'],
    ['trinos://a:b@db/x/y?ca_cert=/etc/passwd', 'its parameter "ca_cert"'],
    ['trino://a:b@db/x/y', 'passwords over TLS only'],
    ['trino://a@db/x/y?session=1', 'a parameter that is not known'],
    ['bigquery://lake/shop', 'it has no key'],
    ['bigquery://lake/shop?key_file=/etc/passwd', 'its parameter "key_file"'],
    ['bigquery://:x@lake/shop?api_endpoint=http://169.254.169.254', 'its parameter "api_endpoint"'],
    ['bigquery://:x@lake/shop?token_endpoint=http://169.254.169.254', 'its parameter "token_endpoint"'],
    ['bigquery://:x@lake/shop', 'its key is no JSON'],
    ['snowflake://a:b@acme-shop/x/y?host=169.254.169.254', 'must not use'],
    ['snowflake://a@acme-shop/x/y?private_key_file=/etc/passwd', 'its parameter "private_key_file"'],
    ['snowflake://a:b@acme-shop/x/y?ca_cert=/etc/passwd', 'its parameter "ca_cert"'],
    ['snowflake://a:b@acme-shop/x/y?host=db.example&protocol=http', 'without encryption'],
    ['snowflake://a:b@acme-shop/x/y?session=1', 'a parameter that is not known'],
    ['sqlite:../x.db', 'not in a folder'],
    ['sqlite:/etc/passwd', 'not in a folder'],
    ['sqlite:link.db', 'not in a folder'],
    ['sqlite::memory:', 'in-memory'],
    ['sqlite:.', 'not in a folder'],
    ['file:/etc/passwd', 'has to begin with'],
    ['duckdb:/etc/passwd', 'not in a folder'],
    ['duckdb:md:mine', 'it names no local file'],
    ['duckdb:x.db?threads=1', 'it takes no parameters'],
    ['duckdb:https://example.com/x.db', 'it names no local file'],
    ['sqlite:%2e%2e/x.db\0', 'null'],
  ])('%s is refused', async (url, text) => {
    const { status, body } = await server.send('POST', '', { id: 'bad', url });
    expect([status, body.error]).toEqual([422, 'validation_error']);
    expect(body.message).toContain(text);
    expect(JSON.stringify(body)).not.toContain('/etc/passwd');
    expect(await saved(server)).toEqual([]);
  });

  it('that leaves TLS does not get the stored password', async () => {
    const engines = (await server.call(datasourceEngines, undefined, server.scope())).map(({ value }) => value);
    const init = { engines, options: { privateHosts: true } } as unknown as EngineInit;
    const keep = (url: string) => withPassword(url, 'clickhouses://ann:secret@db.example:8443/shop', init);
    expect(keep('clickhouses://ann@db.example:8443/shop')).toContain('ann:secret@');
    expect(() => keep('clickhouse://ann@db.example:8443/shop')).toThrow('its password has to be given again');
  });

  it('opens every file but the internal database, where any may be opened', async () => {
    const url = await db.url('sqlite');
    const own = url.slice('sqlite:'.length);
    await using open = await addingServer(layer.dir, url, { filesDirs: ['.', '/'] });
    expect((await open.send('POST', '', { id: 'shop', url: `sqlite:${join(files.path, 'shop.db')}` })).status).toBe(
      201,
    );
    const [link, hard] = ['soft.db', 'hard.db'].map((name) => join(outside.path, name)) as [string, string];
    symlinkSync(own, link);
    linkSync(own, hard);
    for (const path of [own, `${own}-wal`, link, hard, join(own, '..', basename(own))]) {
      const { status, body } = await open.send('POST', '', { id: 'bad', url: `sqlite:${path}` });
      expect([path, status, body.message]).toEqual([path, 422, expect.stringContaining('the internal database')]);
    }
    expect((await open.send('PUT', '/shop', { url: `sqlite:${own}` })).status).toBe(422);
    // It has no size, so that SQLite takes it for an empty database until it reads.
    const process = await open.send('POST', '', { id: 'process', url: 'sqlite:/proc/version' });
    expect([process.status, process.body.error]).toEqual([400, 'connection_failed']);
    expect((await open.send('GET', '/process')).status).toBe(404);
  });

  it('opens files only where a folder is set, and private hosts only where they are allowed', async () => {
    expect((await server.send('POST', '', { id: 'shop', url: 'sqlite:shop.db' })).status).toBe(201);
    expect((await server.send('DELETE', '/shop')).status).toBe(200);
    for (const url of ['sqlite:shop.db', 'duckdb:x.db', 'postgres://a:b@127.0.0.1/x', 'mysql://a:b@10.0.0.1/x']) {
      const { status, body } = await closed.send('POST', '', { id: 'bad', url });
      expect([url, status, body.error]).toEqual([url, 422, 'validation_error']);
    }
    const named = ['postgres://a:b@localhost:1/x', 'clickhouse://a:b@localhost:1/x', 'trino://a@localhost:1/x/y'];
    for (const url of [...named, 'snowflake://a:b@acme-shop/x/y?host=localhost&port=1']) {
      const byName = await closed.send('POST', '', { id: 'bad', url });
      expect([byName.status, byName.body.error]).toEqual([400, 'connection_failed']);
      expect(byName.body.message).toContain('must not use');
    }
  });

  it('tells nothing of a port that is no database', async () => {
    const told = async (url: string) => (await server.send('POST', '', { id: 'bad', url })).body;
    const refused = await told('postgres://a:b@127.0.0.1:1/x');
    expect(refused).toMatchObject({ error: 'connection_failed' });
    const open = await told(`postgres://a:b@127.0.0.1:${new URL(await listening()).port}/x`);
    expect(open.message).toBe(refused.message);
    expect((await told('mysql://a:b@no-such-host.invalid/x')).message).toBe(refused.message);
  });
});

/** The server itself speaks HTTP on its port. */
async function listening(): Promise<string> {
  const { http } = await import('../http/index.ts');
  return server.get(http).url();
}

it.each([
  ['127.0.0.1', true],
  ['10.1.2.3', true],
  ['100.64.0.1', true],
  ['::1', true],
  ['fd12::1', true],
  ['8.8.8.8', true],
  ['::ffff:10.0.0.1', true],
  ['169.254.169.254', false],
  ['100.100.100.200', false],
  ['168.63.129.16', false],
  ['192.0.0.192', false],
  ['::ffff:a9fe:a9fe', false],
  ['64:ff9b::a9fe:a9fe', false],
  ['2002:a9fe:a9fe::', false],
  ['fe80::1%eth0', false],
  ['::169.254.169.254', false],
  ['ff02::1', false],
  ['::', false],
  ['255.255.255.255', false],
  ['nothing', false],
])('the address %s may be used: %s', (address, isAllowed) => {
  expect(isAllowedAddress(address, true)).toBe(isAllowed);
  if (!isAllowed) expect(isAllowedAddress(address, false)).toBe(false);
});
