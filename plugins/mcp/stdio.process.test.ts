/** `atlas mcp` as a process that a client starts: what it writes, and when it ends. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { emptyFolder } from '../../test/harness/command.ts';
import { createSimpleDemo } from '../demo-data/index.ts';
import { demoEnvironment } from './fixtures/demo-environment.ts';

const BIN = join(import.meta.dirname, '../../bin/atlas.mjs');
const folder = emptyFolder();
const env = demoEnvironment(folder.path);
beforeAll(() => createSimpleDemo(join(folder.path, 'shop.db')));
afterAll(() => folder[Symbol.dispose]());

it('standard output carries the protocol alone, and the end of input ends the process with 0', async () => {
  const child = spawn(process.execPath, [BIN, 'mcp'], {
    cwd: folder.path,
    env: { PATH: process.env.PATH, ...env, SVC_LOG_LEVEL: 'debug' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const [out, err]: [string[], string[]] = [[], []];
  child.stdout.setEncoding('utf8').on('data', (text) => out.push(text));
  child.stderr.setEncoding('utf8').on('data', (text) => err.push(text));
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  for (const message of [
    { jsonrpc: '2.0', id: 1, method: 'initialize', params },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 2, method: 'tools/list' },
  ]) {
    child.stdin.write(`${JSON.stringify(message)}\n`);
  }
  child.stdin.write('no message at all\n');
  await expect.poll(() => out.join(''), { timeout: 60_000 }).toContain('query_sql');
  const ended = new Promise((resolve) => child.once('close', resolve));
  child.stdin.end();
  expect(await ended).toBe(0);
  const lines = out.join('').trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).jsonrpc)).toEqual(lines.map(() => '2.0'));
  expect(err.join('')).not.toBe('');
});

it.each([
  ['calls that are piped are answered', '', 'closed', ['1', '2']],
  ['a line of 12 MB ends the process', `${'x'.repeat(12_000_000)}\n`, 'open', ['1']],
])('%s, and the process ends with 0', async (_name, last, end, answered) => {
  const child = spawn(process.execPath, [BIN, 'mcp'], {
    cwd: folder.path,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const out: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (text) => out.push(text));
  child.stdin.on('error', () => {});
  const ended = new Promise((resolve) => child.once('close', resolve));
  const params = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: '1', method: 'initialize', params })}\n`);
  if (end === 'open') await expect.poll(() => out.join(''), { timeout: 60_000 }).toContain('"1"');
  const query = { name: 'query_sql', arguments: { sql: 'select count(*) as n from orders' } };
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: '2', method: 'tools/call', params: query })}\n${last}`);
  if (end === 'closed') child.stdin.end();
  expect(await ended).toBe(0);
  const ids = out
    .join('')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).id);
  expect(ids).toEqual(expect.arrayContaining(answered));
});
