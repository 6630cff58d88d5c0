import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { AtlasError } from '../kernel/index.ts';
import { createLog, type LogLevel, terminalLines } from './log.ts';

/** What one line says, and as it was written. */
function written(fields: object, message = 'A line.', level: LogLevel = 'info') {
  const lines: string[] = [];
  createLog(level, { write: (line) => void lines.push(line) }).error(fields, message);
  const text = lines.join('');
  return { text, line: JSON.parse(text) as Record<string, unknown> };
}

describe('secrets by key', () => {
  it.each([
    'password',
    'Password',
    'user_password',
    'PASSWORD_HASH',
    'secret',
    'clientSecret',
    'token',
    'access_token',
    'Authorization',
    'proxy-authorization',
    'cookie',
    'Set-Cookie',
    'apiKey',
    'api_key',
    'X-API-Key',
    'SVC_API_KEY',
    'privateKey',
    'connectionString',
    'AUTHLIB_SECRET',
  ])('%s, at any depth', (key) => {
    const { text } = written({ [key]: 'hunter2', a: [{ b: { [key]: ['hunter2'] } }], m: new Map([[key, 'hunter2']]) });
    expect(text).not.toContain('hunter2');
    expect(text.match(/\*\*\*/g)).toHaveLength(3);
  });

  it('are not what only sounds like one', () => {
    const fields = { totalTokens: 240, passwordChangeRequired: true, key: 'ci', token: null, tokenizer: 'x' };
    expect(written(fields).line).toMatchObject(fields);
  });
});

describe('secrets by value', () => {
  const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';
  it.each([
    'postgres://bob:hunter2@db/shop',
    'Authorization: Bearer hunter2hunter2',
    `the token ${jwt} is not good`,
    ['sk', 'hunter2hunter2hunter2'].join('-'),
    'host=db password=hunter2',
  ])('%s', (value) => {
    const error = new Error('outer', { cause: new AtlasError('middle', { cause: new Error(value) }) });
    for (const level of ['info', 'debug'] as const) {
      const { text } = written({ value, list: [value], error, [value]: 1, deep: { url: { at: value } } }, value, level);
      expect(text).not.toMatch(/hunter2|c2lnbmF0dXJl/);
    }
  });

  it('of what writes itself', () => {
    const { line } = written({
      url: new URL('https://bob:hunter2@db/x'),
      at: new Date(0),
      bytes: Buffer.from('hunter2'),
    });
    expect(line).toMatchObject({ url: 'https://***@db/x', at: '1970-01-01T00:00:00.000Z', bytes: '[7 bytes]' });
  });
});

describe('errors', () => {
  const error = new AtlasError('No rows.', { cause: new Error('socket hang up', { cause: 'ECONNRESET' }) });

  it('are told with their causes, without a stack', () => {
    const { text, line } = written({ error, stack: error.stack, nested: { errors: [new TypeError('x')] } });
    expect(line).toMatchObject({
      error: 'No rows. Cause: socket hang up Cause: ECONNRESET',
      nested: { errors: ['x'] },
    });
    expect(line).not.toHaveProperty('stack');
    expect(text).not.toMatch(/log\.test\.ts/);
  });

  it('come with their stacks at the level debug', () => {
    const { line } = written({ error, stack: error.stack }, 'x', 'debug');
    expect(line.error).toMatch(/No rows\.\n\s+at [\s\S]*Cause: Error: socket hang up\n\s+at /);
    expect(line.stack).toContain('at ');
  });
});

it('takes what is circular, deep or endless', () => {
  const circle: Record<string, unknown> = { n: 1n };
  circle.self = circle;
  let deep: object = {};
  for (let level = 0; level < 1_000; level += 1) deep = { deep };
  const { text, line } = written({ circle, deep, many: Array(10_000).fill('x'), long: 'y'.repeat(1_000_000) });
  expect(line.circle).toEqual({ n: '1', self: '[circular]' });
  expect(text.length).toBeLessThan(20_000);
});

it('writes a line at its level only, with its time in ISO 8601', () => {
  const lines: string[] = [];
  const log = createLog('warn', { write: (line) => void lines.push(line) });
  log.info({}, 'no');
  log.warn({ a: 1 }, 'yes');
  const line = JSON.parse(lines.join(''));
  expect(line).toMatchObject({ level: 40, a: 1, msg: 'yes' });
  expect(line.time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(terminalLines(false)(lines.join(''))).toMatch(/^\[\d\d:\d\d:\d\d\] WARN: yes/);
});

it('shows an audited statement on a terminal in one short line', () => {
  const audit = {
    id: '1',
    surface: 'http',
    rowCount: 2,
    durationMs: 7,
    error: null,
    sql: `SELECT\n  ${'a, '.repeat(90)}`,
  };
  const line = terminalLines(false)(JSON.stringify({ level: 30, time: 0, plugin: 'audit', msg: 'Asked.', audit }));
  expect(line).toMatch(/INFO: audit: Asked\. \{"surface":"http","rows":2,"ms":7,"sql":"SELECT a, .*…"\}\n$/);
  expect(line.length).toBeLessThan(200);
});

it('is a line for people on a terminal, without control characters', () => {
  const fields = { path: '/a\u009b2J', list: ['b \u202ec'], error: 'It failed.', 'k\u202e': null, none: null };
  const line = JSON.stringify({ level: 40, time: 0, plugin: 'http', msg: 'Slow\u001b[2J.', ...fields });
  expect(terminalLines(false)(line)).toMatch(
    /^\[\d\d:\d\d:00\] WARN: http: Slow\\u001b\[2J\. \{"path":"\/a\\u009b2J","list":\["b \\u202ec"\],"error":"It failed\."\}\n$/,
  );
  const colored = terminalLines(true)(line);
  expect(colored).not.toBe(terminalLines(false)(line));
  expect(stripVTControlCharacters(colored)).toBe(terminalLines(false)(line));
});

it('shows no secret on a terminal', () => {
  const lines: string[] = [];
  const pretty = terminalLines(false);
  const log = createLog('debug', { write: (line) => void lines.push(pretty(line)) });
  const error = new AtlasError('outer', { cause: new Error('postgres://bob:hunter2@db/shop') });
  log.warn({ password: 'hunter2', url: 'postgres://bob:hunter2@db/shop', error }, 'No postgres://bob:hunter2@db/shop.');
  expect(lines.join('')).toMatch(/WARN: No postgres:\/\/\*\*\*@db\/shop\. \{"password":"\*\*\*"/);
  expect(lines.join('')).not.toContain('hunter2');
});
