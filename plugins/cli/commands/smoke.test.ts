/** Tests `atlas smoke` against servers that are well, that refuse the key, that lie, and that are away. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { emptyFolder, type RunningServer, serve } from '../../../test/harness/command.ts';
import { atlasHere } from '../../../test/harness/command-here.ts';
import { createSimpleDemo } from '../../demo-data/index.ts';

const folder = emptyFolder();
let server: RunningServer;
beforeAll(async () => {
  await createSimpleDemo(join(folder.path, 'shop.db'));
  const env = {
    SVC_DATASOURCE_URL: 'sqlite:shop.db',
    DATABASE_URL: 'sqlite:internal.db',
    SVC_SEMANTIC_DIR: join(import.meta.dirname, '../../../semantic'),
    SVC_API_KEY: 'the-key',
    SVC_MCP_ENABLED: 'true',
  };
  server = await serve({ cwd: folder.path, env });
});
afterAll(async () => {
  await server.stop();
  folder[Symbol.dispose]();
});

async function smoke(env: Readonly<Record<string, string>>, ...flags: string[]) {
  const { code, stdout, stderr } = await atlasHere(['smoke', '--json', ...flags], { cwd: folder.path, env });
  expect(stderr).toBe('');
  const { status, checks } = JSON.parse(stdout) as {
    status: string;
    checks: { check: string; status: string; message?: string; durationMs: number }[];
  };
  expect(status).toBe(code === 0 ? 'passed' : 'failed');
  return { code, checks, failed: checks.filter((check) => check.status === 'failed') };
}

it('passes on a server that is well, with the key and the address of the environment', async () => {
  const { code, checks } = await smoke({ SVC_API_URL: server.url, SVC_API_KEY: 'the-key' });
  expect([code, checks.map(({ check, status }) => `${check} ${status}`)]).toEqual([
    0,
    ['health', 'openapi', 'authentication', 'query', 'chat', 'conversations', 'mcp'].map((check) => `${check} passed`),
  ]);
  const options = { cwd: folder.path, env: {} };
  const drawn = await atlasHere(['smoke', '--target', server.url, '--api-key', 'the-key', '--verbose'], options);
  expect(drawn).toMatchObject({ code: 0, stderr: '' });
  expect(drawn.stdout).toMatch(/│ authentication │ passed +│ +\d+ │ a wrong key and no key are refused \(api-key\)/);
  expect(drawn.stdout).toMatch(/All is well at http:\S+: 7 passed\.\n$/);
});

it('fails with a wrong key, and says what to do', async () => {
  const { code, failed } = await smoke({}, '--target', server.url, '--api-key', 'wrong');
  expect([code, failed.map(({ check }) => check)]).toEqual([1, ['query', 'chat', 'conversations', 'mcp']]);
  expect(failed[0]?.message).toMatch(/^status 401 instead of 200: .*; give a key with --api-key or SVC_API_KEY$/);
});

it('fails on a server that is away, that hangs, or that is another', async () => {
  const away = await smoke({}, '--target', 'http://127.0.0.1:1');
  expect([away.code, away.failed]).toEqual([1, [expect.objectContaining({ check: 'health' })]]);
  const other = createServer((request, response) => {
    if (request.url?.includes('openapi')) return;
    response.end(request.url?.includes('health') ? '{"status":"ok","checks":{"auth":{"mode":"api-key"}}}' : '<html>');
  });
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  try {
    const target = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    const { code, failed } = await smoke({}, '--target', target, '--timeout', '1000');
    expect([code, failed.map(({ check, message }) => `${check}: ${message}`)]).toEqual([
      1,
      [
        'openapi: no answer within 1000 ms',
        'authentication: a wrong key gets status 200 instead of 401',
        'query: the reply is not a JSON object',
        'chat: the stream has no text',
        'conversations: the reply is not a JSON object',
        'mcp: the reply is not a JSON object',
      ],
    ]);
  } finally {
    other.closeAllConnections();
    other.close();
  }
});

it('says of a server that answers with an empty object what each check misses', async () => {
  const other = createServer((_, response) => response.end('{}'));
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  try {
    const { failed } = await smoke({}, '--target', `http://127.0.0.1:${(other.address() as AddressInfo).port}`);
    expect(failed).toHaveLength(7);
    for (const { message } of failed) expect(message).not.toMatch(/Cannot read|undefined/);
  } finally {
    other.close();
  }
});

it.each([
  [['--target', 'localhost:3001'], '--target is invalid: expected an http or https URL'],
  [['--target', 'http://ann:geheim@localhost'], '--target holds a user name or a password, which is not sent.'],
  [['--api-key', 'a\nb'], 'The key has characters that no header can carry.'],
])('%j is wrong use', async (flags, message) => {
  const { code, stdout, stderr } = await atlasHere(['smoke', ...flags], { cwd: folder.path });
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain(message);
  expect(stderr).not.toContain('geheim');
});
