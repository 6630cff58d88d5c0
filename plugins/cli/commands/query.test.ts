import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { query } from './query.ts';

/** `atlas query` against a server that answers with `reply`. */
async function run(
  reply: object | string,
  options: Record<string, boolean> = {},
  envOf: (url: URL) => Record<string, string> = ({ origin }) => ({ SVC_API_URL: origin }),
  status = 200,
) {
  const server = createServer((_, response) => {
    const text = typeof reply === 'string' ? reply : JSON.stringify(reply);
    response.writeHead(status, { 'content-type': 'application/json' }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const env: Record<string, string> = envOf(new URL(`http://127.0.0.1:${port}`));
  const signal = new AbortController().signal;
  try {
    const code = await query(undefined as never).run({
      args: ['How many?'],
      options,
      env,
      cwd: '.',
      stdout,
      stderr,
      signal,
    });
    stdout.end();
    stderr.end();
    return { code, stdout: await text(stdout), stderr: await text(stderr) };
  } finally {
    server.close();
  }
}

const REPLY = { answer: 'Two.', sql: [], data: [], steps: 1, usage: { totalTokens: 0 } };
const NOTES = [{ code: 'truncated', message: 'The result is\u001b incomplete.' }];

test('a server that answers in place of the database that is named says so', async () => {
  const reply = { ...REPLY, outcome: 'answered' };
  const asked = (more: object) => run(reply, {}, ({ port }) => ({ PORT: port, ...more }));
  const { stdout, stderr } = await asked({ SVC_DATASOURCE_URL: 'sqlite:other.db' });
  expect(stdout).toBe('Two.\n');
  expect(stderr).toMatch(
    /^The server at http:\/\/localhost:\d+ answers from its own database\. To ask that of SVC_DATASOURCE_URL, stop it or set another PORT\.\n$/,
  );
  expect(await asked({})).toMatchObject({ stdout: 'Two.\n', stderr: '' });
});

test.each([
  ['answered', 0],
  ['failed', 1],
  ['clarify', 2],
  ['declined', 3],
  [undefined, 0],
])('the exit code of the outcome %s is %i', async (outcome, code) => {
  expect(await run({ ...REPLY, outcome, notes: [] })).toEqual({ code, stdout: 'Two.\n', stderr: '' });
});

test('notes are printed beside the answer, and nothing beside JSON', async () => {
  const reply = { ...REPLY, outcome: 'answered', notes: NOTES };
  expect(await run(reply)).toEqual({
    code: 0,
    stdout: 'Two.\n',
    stderr: 'Note: The result is\\u001b incomplete.\n',
  });
  const json = await run({ ...reply, outcome: 'failed' }, { json: true });
  expect([json.code, JSON.parse(json.stdout), json.stderr]).toEqual([1, { ...reply, outcome: 'failed' }, '']);
});

test.each([
  ['an empty object', {}, 200],
  ['a list', [], 200],
  ['HTML', '<html>Welcome</html>', 200],
  ['null', 'null', 200],
  ['no rows', { ...REPLY, data: [{ columns: 'a' }] }, 200],
  ['the error of a proxy', '<html>Bad gateway</html>', 502],
  ['the error of another server', { message: 'Route not found', error: 'Not Found', statusCode: 404 }, 404],
  ['an error in another form', { error: { message: 'no' } }, 400],
])('a server that answers with %s is none of Atlas', async (_, reply, status) => {
  await expect(run(reply, {}, undefined, status)).rejects.toThrow(
    new RegExp(`^http://127\\.0\\.0\\.1:\\d+ does not answer as an Atlas server does \\(status ${status}\\)\\.$`),
  );
});

test('an error of Atlas is told in its own words', async () => {
  const error = { error: 'not_available', message: 'There is no such thing.', requestId: 'r1' };
  await expect(run(error, {}, undefined, 404)).rejects.toThrow('There is no such thing. (not_available, request r1)');
});
