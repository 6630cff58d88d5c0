/** Encrypted connections, with a certificate that nobody signed: only over these a password is sent. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { selfSigned } from '../../test/harness/certificate.ts';
import { suiteNeeding } from '../../test/harness/require.ts';
import { N, pagesOf, using } from './fixtures/asking.ts';
import { startCoordinator } from './fixtures/coordinator.ts';

const certificate = selfSigned();
const answer = pagesOf(() => [{ columns: N, data: [[1]] }]);

suiteNeeding(
  'openssl',
  certificate !== undefined,
  'Install the package "openssl" of the system.',
)('TLS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'trino-tls-'));
  const authority = join(folder, 'authority.pem');
  writeFileSync(authority, certificate?.certificate ?? '');
  afterAll(() => rmSync(folder, { recursive: true }));

  it('carries user and password, as the authority that the URL names is trusted', async () => {
    await using server = await startCoordinator({ answer, tls: certificate! });
    const at = (host: string, query: string) => `trinos://ada:p%40ss@${host}:${server.port}/lake/shop?${query}`;
    const trusting = `ca_cert=${encodeURIComponent(authority)}`;
    const ask = (url: string) => using({ url }, ({ run }) => run());
    expect(await ask(at('localhost', trusting))).toEqual([{ n: 1 }]);
    const authorization = `Basic ${Buffer.from('ada:p@ss').toString('base64')}`;
    expect(new Set(server.asked.map(({ headers }) => headers.authorization))).toEqual(new Set([authorization]));
    expect(await ask(at('127.0.0.1', 'verify=false'))).toEqual([{ n: 1 }]);
    expect(await ask(at('localhost', ''))).toMatchObject({ message: expect.stringContaining('certificate') });
  });

  it('says that a server without TLS has none', async () => {
    await using server = await startCoordinator({ answer });
    const outcome = await using({ url: `trinos://ada@127.0.0.1:${server.port}/lake/shop` }, ({ run }) => run());
    expect(outcome).toMatchObject({ message: expect.stringContaining('encrypted connection could not be set up') });
    expect(server.asked).toEqual([]);
  });
});
