/** Starts examples and asks them, as the users that they are written for would. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildServer } from '../../examples/embedded/server.ts';
import { createSimpleDemo } from '../../plugins/demo-data/index.ts';
import { emptyFolder, serve } from '../harness/command.ts';

const ROOT = join(import.meta.dirname, '../..');
const folder = emptyFolder();
const databaseUrl = `sqlite:${join(folder.path, 'shop.db')}`;
const semanticDir = join(ROOT, 'semantic');
const env = { SVC_DATASOURCE_URL: databaseUrl, SVC_SEMANTIC_DIR: semanticDir };

beforeAll(() => createSimpleDemo(join(folder.path, 'shop.db')));
afterAll(() => folder[Symbol.dispose]());

it('embedded: answers each user of another application with the rows of that user', async () => {
  const server = await buildServer({ databaseUrl, semanticDir });
  const ask = (token: string) =>
    server.inject({
      method: 'POST',
      url: '/ask',
      headers: { authorization: `Bearer ${token}` },
      payload: { question: 'How many customers are there?' },
    });
  try {
    const [ana, ben, nobody] = await Promise.all(['token-of-ana', 'token-of-ben', 'guessed'].map(ask));
    const db = new Sqlite(join(folder.path, 'shop.db'));
    const count = db.prepare('SELECT count(*) FROM customers WHERE region = ?').pluck();
    const [europe, asia] = ['Europe', 'Asia Pacific'].map((region) => Number(count.get(region)));
    db.close();
    expect(ana?.json()).toMatchObject({ answer: expect.stringContaining(`${europe}`), rows: [{ count: europe }] });
    expect(ben?.json()).toMatchObject({ rows: [{ count: asia }] });
    expect(asia).not.toBe(europe);
    expect(nobody?.statusCode).toBe(401);
  } finally {
    await server.close();
  }
});

it('mcp-only: serves MCP over standard input and output, and over HTTP nothing else', async () => {
  using copy = emptyFolder();
  cpSync(join(ROOT, 'examples/mcp-only'), copy.path, { recursive: true });
  const client = new Client({ name: 'test', version: '1.0.0' });
  const args = [join(ROOT, 'bin/atlas.mjs'), 'mcp'];
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, cwd: copy.path, env, stderr: 'ignore' }),
  );
  const answer = await client.callTool({ name: 'ask', arguments: { question: 'How many orders are there?' } });
  expect(JSON.stringify(answer.content)).toContain('5,000');
  await client.close();
  await using server = await serve({ cwd: copy.path, env }, ['mcp', '--transport', 'sse', '--port', '0']);
  expect((await fetch(`${server.url}/api/v1/query`, { method: 'POST' })).status).toBe(404);
  expect((await fetch(`${server.url}/mcp`, { method: 'GET' })).status).not.toBe(404);
});
