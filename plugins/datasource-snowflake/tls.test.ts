/** Encrypted connections, with a certificate that nobody signed. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { selfSigned } from '../../test/harness/certificate.ts';
import { suiteNeeding } from '../../test/harness/require.ts';
import { answerOf, startAccount } from './fixtures/account.ts';
import { answering, N, using } from './fixtures/asking.ts';

const certificate = selfSigned();
const answer = answering(() => answerOf(N, [['1']]));

suiteNeeding(
  'openssl',
  certificate !== undefined,
  'Install the package "openssl" of the system.',
)('TLS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'snowflake-tls-'));
  const authority = join(folder, 'authority.pem');
  writeFileSync(authority, certificate?.certificate ?? '');
  afterAll(() => rmSync(folder, { recursive: true }));

  it('carries the token, as the authority that the URL names is trusted', async () => {
    await using server = await startAccount({ answer, tls: certificate! });
    const ask = (url: string) => using({ url }, ({ run }) => run());
    const named = server.url.replace('127.0.0.1', 'localhost');
    expect(await ask(`${named}&ca_cert=${encodeURIComponent(authority)}`)).toEqual([{ N: 1 }]);
    expect(await ask(`${server.url}&verify=false`)).toEqual([{ N: 1 }]);
    const before = server.asked.length;
    expect(await ask(named)).toMatchObject({ message: expect.stringContaining('certificate') });
    expect(server.asked).toHaveLength(before);
  });

  it('says that a server without TLS has none', async () => {
    await using server = await startAccount({ answer });
    const outcome = await using({ url: server.url.replace('&protocol=http', '') }, ({ run }) => run());
    expect(outcome).toMatchObject({ message: expect.stringContaining('encrypted connection could not be set up') });
    expect(server.asked).toEqual([]);
  });
});
