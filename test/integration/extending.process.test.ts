/** Applies every diff of `docs/extending.md` to a copy of the repository and uses what they add. */
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSimpleDemo } from '../../plugins/demo-data/index.ts';
import { atlas, emptyFolder, serve } from '../harness/command.ts';
import { blocksOf } from '../harness/doc-blocks.ts';
import { startOpenAIServer } from '../harness/openai-server.ts';

const root = join(import.meta.dirname, '../..');
const PARTS = ['bin', 'config', 'kernel', 'plugins', 'index.ts', 'package.json'];
const SECRET = 'a-secret-that-only-the-proxy-knows';

const copy = emptyFolder();
const bin = join(copy.path, 'bin/atlas.mjs');
const cwd = join(copy.path, 'work');
afterAll(() => copy[Symbol.dispose]());

/** Writes new files, and adds lines to old ones behind the line that the diff shows before them. */
function apply(diff: string): void {
  for (const [, path = '', hunks = ''] of diff.matchAll(/^--- .*\n\+\+\+ b\/(.*)\n((?:[ +].*\n|\+\n)*)/gm)) {
    const file = join(copy.path, path);
    if (!hunks.startsWith(' ')) {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, hunks.replace(/^\+/gm, ''));
      continue;
    }
    for (const [, before = '', added = ''] of hunks.matchAll(/^ (.*\n)((?:\+.*\n)+)/gm)) {
      const text = readFileSync(file, 'utf8');
      expect(text.split(before).length, `${path} holds the line once: ${before}`).toBe(2);
      writeFileSync(file, text.replace(before, `${before}${added.replace(/^\+/gm, '')}`));
    }
  }
}

beforeAll(() => {
  for (const part of PARTS) cpSync(join(root, part), join(copy.path, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy.path, 'node_modules'));
  mkdirSync(cwd);
  for (const { language, text } of blocksOf('docs/extending.md')) if (language === 'diff') apply(text);
});

it('an environment variable is read, and checked by the schema of its option', async () => {
  const run = (value: string) => atlas(['boot'], { bin, cwd, env: { SVC_REQUEST_TIMEOUT_MS: value, PORT: '0' } });
  expect(await run('5000')).toMatchObject({ code: 0 });
  const { code, stderr } = await run('5');
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining('SVC_REQUEST_TIMEOUT_MS is invalid: expected an integer of at least 100.'),
  ]);
});

it('a route answers, to whom the new authentication mode lets in', async () => {
  await using server = await serve({ bin, cwd, env: { SVC_AUTH_PROXY_SECRET: SECRET } });
  const get = (headers: Record<string, string>) => fetch(`${server.url}/api/v1/time`, { headers });
  expect((await get({ 'x-remote-user': 'ann' })).status).toBe(401);
  const answer = await get({ 'x-remote-user': 'ann', 'x-proxy-secret': SECRET });
  expect([answer.status, await answer.json()]).toEqual([200, { now: expect.stringMatching(/^\d{4}-/) }]);
});

it('the authentication mode without its variable stops the start', async () => {
  const { code, stderr } = await atlas(['serve'], { bin, cwd, env: { SVC_AUTH_MODE: 'proxy' } });
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining('The authentication mode is proxy; set SVC_AUTH_PROXY_SECRET too.'),
  ]);
});

it('the agent calls a new tool', async () => {
  createSimpleDemo(join(cwd, 'shop.db'));
  await using model = await startOpenAIServer({
    respond: ({ toolResults: [result] }) =>
      result === undefined
        ? { toolCall: { name: 'dollars_to_euros', args: { dollars: 100 } } }
        : { text: `It is ${result}.` },
  });
  await using server = await serve({
    bin,
    cwd,
    env: {
      SVC_PROVIDER: 'openai-compatible',
      OPENAI_BASE_URL: model.url,
      SVC_MODEL: 'scripted',
      SVC_DATASOURCE_URL: 'sqlite:shop.db',
      SVC_SEMANTIC_DIR: join(root, 'semantic'),
    },
  });
  const asked = await atlas(['query', '100 dollars in euros?', '--quiet'], {
    bin,
    cwd,
    env: { SVC_API_URL: server.url },
  });
  expect(asked.stdout).toContain('"euros":90');
});
