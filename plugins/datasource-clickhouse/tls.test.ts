/** Encrypted connections, with a certificate that nobody signed. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { selfSigned } from '../../test/harness/certificate.ts';
import { suiteNeeding } from '../../test/harness/require.ts';
import { type Reach, ServerDatabase } from '../datasource-kit/index.ts';
import { ClickhouseDriver } from './driver.ts';
import { type OddServer, oddServer } from './fixtures/odd-server.ts';
import { clickhouseOptions } from './fixtures/options.ts';

const certificate = selfSigned();

suiteNeeding(
  'openssl',
  certificate !== undefined,
  'Install the package "openssl" of the system.',
)('TLS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'clickhouse-tls-'));
  const authority = join(folder, 'authority.pem');
  writeFileSync(authority, certificate?.certificate ?? '');
  afterAll(() => rmSync(folder, { recursive: true }));

  const open = () =>
    oddServer((response) => response.end('{"meta":[{"name":"n","type":"UInt8"}]}\n{"row":[1]}\n'), certificate);

  async function ask({ port }: OddServer, host: string, query: string, reach?: Reach): Promise<unknown> {
    const options = clickhouseOptions({ url: `clickhouses://ada:hunter2@${host}:${port}/shop?${query}` });
    const database = new ServerDatabase(new ClickhouseDriver(options, reach), options);
    const sql = 'SELECT n FROM t';
    const statement = { connection: database.info, requested: sql, sql, params: [], surface: 'test', tables: ['t'] };
    try {
      return await database.execute(statement).then(
        ({ rows }) => rows,
        (error: Error) => error.message,
      );
    } finally {
      await database.close();
    }
  }

  it('trusts the authority that the URL names, for the host of the certificate', async () => {
    await using server = await open();
    const trusting = `ca_cert=${encodeURIComponent(authority)}`;
    expect(await ask(server, 'localhost', trusting)).toEqual([{ n: 1 }]);
    expect(await ask(server, '127.0.0.1', trusting)).toMatch(/certificate is not trusted|encrypted connection/);
    expect(await ask(server, '127.0.0.1', 'verify=false')).toEqual([{ n: 1 }]);
    expect(await ask(server, 'localhost', '')).toContain('certificate is not trusted');
  });

  it('takes the name of the host for the certificate, and the checked address for the connection', async () => {
    await using server = await open();
    const reach: Reach = { folder: '.', addressesOf: async () => ['127.0.0.1'] };
    const trusting = `ca_cert=${encodeURIComponent(authority)}`;
    expect(await ask(server, 'localhost', trusting, reach)).toEqual([{ n: 1 }]);
    expect(await ask(server, 'elsewhere.invalid', trusting, reach)).toMatch(/certificate is not trusted|encrypted/);
  });

  it('says that a server without TLS has none', async () => {
    await using plain = await oddServer((response) => response.end());
    expect(await ask(plain, 'localhost', '')).toContain('encrypted connection could not be set up');
  });
});
