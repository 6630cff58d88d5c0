/** `atlas download` against a server that runs. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Actor } from '../../../kernel/index.ts';
import { Clinic } from '../../../test/fixtures/clinic.ts';
import { emptyFolder } from '../../../test/harness/command.ts';
import { headerAuth } from '../../../test/harness/header-auth.ts';
import { type OpenAIServer, startOpenAIServer } from '../../../test/harness/openai-server.ts';
import { callSql } from '../../../test/harness/scripted-agent.ts';
import { agent } from '../../agent/index.ts';
import { authLookup, present } from '../../auth-kit/index.ts';
import { authRoles } from '../../auth-roles/index.ts';
import { conversations } from '../../conversations/index.ts';
import { exports } from '../../exports/index.ts';
import { http } from '../../http/index.ts';
import { internalDb } from '../../internal-db/index.ts';
import { jobs } from '../../jobs/index.ts';
import { modelOpenai } from '../../model-openai/index.ts';
import { queryApi } from '../../query-api/index.ts';
import { sqlLimits } from '../../sql-limits/index.ts';
import { downloadRows } from './download.ts';

const KEY = 'key-of-an-analyst';
const actor: Actor = { id: 'ada', label: 'ada', role: 'analyst', mode: 'key', claims: { tenant: 1 } };
const auth = headerAuth(
  (header) => ({ ...actor, ...(header('authorization') !== `Bearer ${KEY}` && { role: 'viewer', id: 'nobody' }) }),
  (ctx) => ctx.tapKey(authLookup, 'key', () => present({ actor, orgId: null })),
);

const SQL = 'SELECT name, floor FROM wards ORDER BY name';
const folder = emptyFolder();
let provider: OpenAIServer;
let clinic: Clinic;
beforeAll(async () => {
  const steps = [callSql(SQL)];
  provider = await startOpenAIServer({ respond: () => steps.shift() ?? { text: 'Three wards.' } });
  clinic = await Clinic.open({ column: 'tenant_id', claim: 'tenant', exempt: ['wards', 'notes'] }, [
    http({ port: 0 }),
    internalDb({ url: `sqlite:${join(folder.path, 'atlas.db')}` }),
    jobs({ pollMs: 100 }),
    auth,
    authRoles(),
    sqlLimits({ maxRows: 1 }),
    modelOpenai({ provider: 'openai-compatible', baseUrl: provider.url, maxRetries: 0 }),
    agent(),
    conversations(),
    queryApi(),
    exports({ url: `file:${join(folder.path, 'exports')}`, minFreeBytes: 0 }),
  ]);
});
afterAll(async () => {
  await clinic?.[Symbol.asyncDispose]();
  await provider?.close();
  folder[Symbol.dispose]();
});

async function run(
  args: readonly string[],
  options: Record<string, string>,
  key = KEY,
  url = clinic.app.get(http).url(),
) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const env = { SVC_API_URL: url, SVC_API_KEY: key };
  const { signal } = new AbortController();
  const code = await downloadRows().run({ args, options, env, cwd: folder.path, stdout, stderr, signal });
  stderr.end();
  return { code, stderr: await text(stderr) };
}

it('saves all rows of a statement, and of the answer to a question', async () => {
  const csv = await run([], { sql: SQL, out: 'wards.csv' });
  expect(csv).toMatchObject({ code: 0, stderr: expect.stringContaining('3 rows, ') });
  expect(readFileSync(join(folder.path, 'wards.csv'), 'utf8')).toBe('name,floor\r\nA,1\r\nB,2\r\nC,3\r\n');
  await run(['Which wards are there?'], { out: 'wards.PARQUET' });
  expect(readFileSync(join(folder.path, 'wards.PARQUET')).subarray(0, 4).toString()).toBe('PAR1');
});

it.each<[string, readonly string[], Record<string, string>, RegExp]>([
  ['neither question nor statement', [], { out: 'x.csv' }, /^Give either a question or --sql/],
  ['both', ['Which?'], { sql: SQL, out: 'x.csv' }, /^Give either a question or --sql/],
  ['no format', [], { sql: SQL, out: 'x.txt' }, /^The format is not known/],
  ['a folder that is not there', [], { sql: SQL, out: 'no/x.csv' }, /^no\/x\.csv cannot be written: no such file/],
  ['what is refused', [], { sql: 'DELETE FROM wards', out: 'x.csv' }, /sql_refused/],
])('says what is wrong with %s', async (_, args, options, message) => {
  await expect(run(args, options)).rejects.toThrow(message);
  expect(existsSync(join(folder.path, 'x.csv'))).toBe(false);
});

it('is refused what its key is not for', async () => {
  await expect(run([], { sql: SQL, out: 'x.csv' }, 'other')).rejects.toThrow(/auth_error/);
});

it('leaves no part of a file whose connection breaks off', async () => {
  const finished = { id: crypto.randomUUID(), status: 'finished', rows: 3, bytes: 100, error: null, url: '/file' };
  const server = createServer((request, response) => {
    if (request.method === 'POST') {
      response.writeHead(202, { 'content-type': 'application/json' }).end(JSON.stringify(finished));
    } else {
      response.writeHead(200, { 'content-length': '100' }).write('name,floor', () => response.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const saved = run([], { sql: SQL, out: 'part.csv' }, KEY, `http://127.0.0.1:${port}`);
    await expect(saved).rejects.toThrow(/^The connection to the server broke off/);
    expect(readdirSync(folder.path).filter((name) => name.startsWith('part'))).toEqual([]);
  } finally {
    server.close();
  }
});
