/** What is sent to an account, as whom, and over which addresses. */
import { createHash, createPublicKey, generateKeyPairSync, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jwtVerify } from 'jose';
import { afterAll, describe, expect, it } from 'vitest';
import { AtlasError } from '../../kernel/index.ts';
import type { Reach } from '../datasource-kit/index.ts';
import { answerOf, startAccount } from './fixtures/account.ts';
import { answering, N, SQL, using } from './fixtures/asking.ts';

const answer = answering(() => answerOf(N, [['1']]));
const ROWS = [{ N: 1 }];

it('sends who asks, where, how long it may take and which request it is', async () => {
  await using server = await startAccount({ answer });
  const url = `${server.url}&warehouse=small&role=%22Reader%22`;
  await using({ url, timeZone: 'Europe/Vienna' }, async ({ run }) => {
    expect(await run()).toEqual(ROWS);
    expect(await run()).toEqual(ROWS);
  });
  // A statement that passed once is not checked again.
  expect(server.statements).toEqual(['SELECT 1', `EXPLAIN USING JSON ${SQL}`, SQL, SQL]);
  const { url: path, headers, body } = server.asked.findLast((asked) => asked.body !== undefined)!;
  expect(path).toMatch(/^\/api\/v2\/statements\?async=true&requestId=[0-9a-f-]{36}$/);
  expect(headers).toMatchObject({
    authorization: 'Bearer pat-hunter2',
    'x-snowflake-authorization-token-type': 'PROGRAMMATIC_ACCESS_TOKEN',
    accept: 'application/json',
    'content-type': 'application/json',
    'user-agent': 'atlas/1.0',
  });
  expect(body).toEqual({
    statement: SQL,
    timeout: 30,
    database: 'LAKE',
    schema: 'SHOP',
    warehouse: 'SMALL',
    role: 'Reader',
    parameters: {
      MULTI_STATEMENT_COUNT: '1',
      BINARY_OUTPUT_FORMAT: 'HEX',
      QUERY_TAG: 'atlas:entry-1',
      TIMEZONE: 'Europe/Vienna',
      ROWS_PER_RESULTSET: '1001',
    },
  });
});

describe('the login', () => {
  const folder = mkdtempSync(join(tmpdir(), 'snowflake-key-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const saved = (text: string | Buffer) => {
    const path = join(folder, randomUUID());
    writeFileSync(path, text);
    return encodeURIComponent(path);
  };
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  const encrypted = privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'open' });
  const der = privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64');

  it.each<[what: string, secret: string, query: string]>([
    ['a file', '', `private_key_file=${saved(pem)}`],
    ['an encrypted file', 'open', `private_key_file=${saved(encrypted)}`],
    ['PEM in the URL', encodeURIComponent(pem), 'authenticator=snowflake_jwt'],
    ['base64 in the URL', encodeURIComponent(der), 'authenticator=SNOWFLAKE_JWT'],
  ])('signs with the key of %s', async (_, secret, query) => {
    await using server = await startAccount({ answer });
    const url = `${server.url.replace('pat-hunter2', secret)}&${query}`.replace('acme-shop', 'xy12345.eu-central-1');
    expect(await using({ url }, ({ run }) => run())).toEqual(ROWS);
    const tokens = new Set(server.asked.map(({ headers }) => String(headers.authorization).replace('Bearer ', '')));
    // One for as long as it lasts.
    expect(tokens.size).toBe(1);
    const digest = createHash('sha256').update(createPublicKey(privateKey).export({ type: 'spki', format: 'der' }));
    const { payload, protectedHeader } = await jwtVerify([...tokens][0]!, publicKey);
    expect(protectedHeader.alg).toBe('RS256');
    expect(payload).toMatchObject({ iss: `XY12345.ADA.SHA256:${digest.digest('base64')}`, sub: 'XY12345.ADA' });
    const seconds = (payload.exp ?? 0) - (payload.iat ?? 0);
    expect(seconds).toBeGreaterThan(3_000);
    expect(seconds).toBeLessThan(3_600);
    expect(server.asked[0]?.headers['x-snowflake-authorization-token-type']).toBe('KEYPAIR_JWT');
  });

  it.each<[what: string, secret: string, query: string]>([
    ['a file that is no key', '', `private_key_file=${saved('hunter2')}`],
    ['a file that the secret does not open', 'hunter2', `private_key_file=${saved(encrypted)}`],
    [
      'a key of another kind',
      '',
      `private_key_file=${saved(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }))}`,
    ],
    ['no key', 'hunter2', 'authenticator=snowflake_jwt'],
  ])('says that it cannot read %s, and nothing of it', async (_, secret, query) => {
    await using server = await startAccount({ answer });
    const outcome = await using({ url: `${server.url.replace('pat-hunter2', secret)}&${query}` }, ({ run }) => run());
    expect(outcome).toMatchObject({ code: 'datasource_unavailable', message: expect.stringContaining('private key') });
    expect(JSON.stringify(outcome)).not.toMatch(/hunter2|PRIVATE/);
    expect(server.asked).toEqual([]);
  });

  it('sends an OAuth token as one', async () => {
    await using server = await startAccount({ answer });
    await using({ url: `${server.url}&authenticator=oauth` }, ({ run }) => run());
    expect(server.asked[0]?.headers).toMatchObject({ 'x-snowflake-authorization-token-type': 'OAUTH' });
  });
});

it('connects to checked addresses alone', async () => {
  await using server = await startAccount({ answer });
  const looked: string[] = [];
  const reach: Reach = {
    folder: '.',
    async addressesOf(host) {
      looked.push(host);
      if (host === 'secret.invalid') throw new AtlasError('The host must not be used.', { code: 'validation_error' });
      return ['127.0.0.1'];
    },
  };
  await using(
    { url: server.url.replace('host=127.0.0.1', 'host=localhost') },
    async ({ run }) => expect(await run()).toEqual(ROWS),
    reach,
  );
  const other = server.url.replace('host=127.0.0.1', 'host=secret.invalid').replace('&protocol=http', '');
  await using(
    { url: other },
    async ({ run }) => expect(await run()).toMatchObject({ code: 'validation_error' }),
    reach,
  );
  expect(looked).toEqual(['localhost', 'secret.invalid']);
});

it('says that it is well when a statement runs, and not when the login is not let in', async () => {
  let isRefused = false;
  await using server = await startAccount({
    answer,
    instead(_, response) {
      if (!isRefused) return false;
      response.writeHead(401).end('{"code": "390303", "message": "Invalid OAuth access token. hunter2"}');
      return true;
    },
  });
  await using({ url: server.url }, async ({ database }) => {
    expect(await database.health()).toMatchObject({ status: 'ok' });
    isRefused = true;
    const health = await database.health();
    expect(health).toMatchObject({ status: 'error', message: expect.stringContaining('does not accept the login') });
    expect(JSON.stringify(health)).not.toContain('hunter2');
  });
});
