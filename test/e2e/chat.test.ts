import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atlas, emptyFolder, serve } from '../harness/command.ts';

const folder = emptyFolder();
afterAll(() => folder[Symbol.dispose]());

const ORDERS = `table: orders
dimensions:
  - { name: id, sql: id, type: number, primary_key: true }
  - { name: region, sql: region, type: string, sample_values: [north, south] }
measures:
  - { name: amount, sql: amount, type: sum }
`;
/** No server of these tests has this port. */
const local = { SVC_DATASOURCE_URL: 'sqlite:shop.db', PORT: '1' };
const chat = (input: string, env: Record<string, string> = local) => atlas(['chat'], { cwd: folder.path, env, input });

beforeAll(() => {
  const db = new Sqlite(join(folder.path, 'shop.db'));
  db.exec(`CREATE TABLE orders (id INTEGER PRIMARY KEY, region TEXT, amount REAL);
    INSERT INTO orders VALUES (1, 'north', 10), (2, 'north', 20), (3, 'south', 5)`);
  db.close();
  mkdirSync(join(folder.path, 'semantic', 'entities'), { recursive: true });
  writeFileSync(join(folder.path, 'semantic', 'entities', 'orders.yml'), ORDERS);
});

describe('where no server runs', () => {
  it('query answers with the composition of the folder', async () => {
    const done = await atlas(['query', 'Amount by region', '--json'], { cwd: folder.path, env: local });
    expect(done.code).toBe(0);
    expect(JSON.parse(done.stdout)).toMatchObject({
      outcome: 'answered',
      data: [
        {
          rows: [
            { region: 'north', amount: 30 },
            { region: 'south', amount: 5 },
          ],
        },
      ],
    });
  });

  it('query needs the key of the composition, as with a server', async () => {
    const env = { ...local, SVC_API_KEY: 'right' };
    const config = `import { defineConfig } from 'atlas-query';
      import { readEnv, selfHosted } from 'atlas-query/presets/self-hosted';
      export default defineConfig({ plugins: selfHosted(readEnv({ ...process.env, SVC_API_KEY: 'other' }).env) });`;
    using closed = emptyFolder();
    writeFileSync(join(closed.path, 'atlas.config.ts'), config);
    const database = { SVC_DATASOURCE_URL: `sqlite:${join(folder.path, 'shop.db')}` };
    const refused = await atlas(['query', 'Amount'], { cwd: closed.path, env: { ...env, ...database } });
    expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('auth_error') });
  });

  it('without a database either, says what to do in one line', async () => {
    using empty = emptyFolder();
    for (const args of [['query', 'Amount'], ['chat']]) {
      const done = await atlas(args, { cwd: empty.path, env: { PORT: '1' }, input: 'Amount\n' });
      expect(done).toMatchObject({ code: 1, stdout: '' });
      expect(done.stderr).toMatch(
        /^No server answers at http:\/\/localhost:1, and this folder has no database\. .*SVC_DATASOURCE_URL\.\n$/,
      );
    }
    const named = { cwd: empty.path, env: { SVC_API_URL: 'http://127.0.0.1:1' } };
    expect((await atlas(['query', 'Amount'], named)).stderr).toMatch(/^No server answers at http:\/\/127\.0\.0\.1:1\./);
  });
});

describe('chat', () => {
  it('answers line by line, with SQL, rows, CSV and chart of the last rows', async () => {
    const done = await chat('Amount by region\n\\sql\n\\csv\n\\csv rows.csv\n\\chart\n');
    expect(done).toMatchObject({ code: 0, stderr: '' });
    expect(done.stdout).toMatch(/│ north +│ +30 │/);
    expect(done.stdout.match(/GROUP BY/g)).toHaveLength(2);
    expect(done.stdout).toContain('region,amount\r\nnorth,30\r\nsouth,5\r\n');
    expect(done.stdout).toMatch(/north {2}█+ 30\nsouth {2}█+[▏▎▍▌▋▊▉]? 5\n/);
    expect(readFileSync(join(folder.path, 'rows.csv'), 'utf8')).toBe('region,amount\r\nnorth,30\r\nsouth,5\r\n');
  });

  it('names what is wrong with a line, and goes on', async () => {
    writeFileSync(join(folder.path, 'there.csv'), 'mine');
    const done = await chat('\\csv\n\\chrat\nAmount by region\n\\csv there.csv\n\\csv no/where.csv\n\\quit\nAmount\n');
    expect(done.code).toBe(1);
    expect(done.stderr).toMatch(/There is no answer with rows yet\./);
    expect(done.stderr).toMatch(/There is no command \\chrat; did you mean `chart`\?/);
    expect(done.stderr).toMatch(/there\.csv was not written: it exists\./);
    expect(done.stderr).toMatch(/where\.csv was not written: there is no such folder\./);
    expect(readFileSync(join(folder.path, 'there.csv'), 'utf8')).toBe('mine');
    expect(done.stdout).not.toContain('> Amount\n');
  });

  it('says of another server that it is none of Atlas', async () => {
    const other = createServer((_, response) => response.end('{}'));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    const done = await chat('Amount\n', { SVC_API_URL: url });
    other.close();
    expect(done.code).toBe(1);
    expect(done.stderr).toMatch(/^http:\S+ does not answer as an Atlas server does \(status 200\)\. .*\n$/);
  });

  it('continues one stored conversation on a server, with its key', async () => {
    const env = { ...local, PORT: '0', DATABASE_URL: 'sqlite:atlas.db', SVC_API_KEY: 'k1' };
    await using server = await serve({ cwd: folder.path, env });
    const at = { SVC_API_URL: server.url };
    const done = await chat('Amount by region\nHow many orders?\n\\new\nHow many orders?\n', {
      ...at,
      SVC_API_KEY: 'k1',
    });
    expect(done).toMatchObject({ code: 0, stderr: '' });
    const stored = await fetch(`${server.url}/api/v1/conversations`, { headers: { authorization: 'Bearer k1' } });
    expect(await stored.json()).toMatchObject({ total: 2 });
    const wrong = await chat('Amount\n', { ...at, SVC_API_KEY: 'k2' });
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('auth_error') });
    expect(wrong.stderr).not.toContain('k2');
  });

  it('takes a number for one of the choices, and sends the query of before', async () => {
    const bodies: { messages: { parts: object[] }[] }[] = [];
    await using model = await streams(bodies, [
      'data: 9:{"toolCallId":"1","toolName":"executeSQL","args":{"sql":"SELECT 1 AS a"}}\n\ndata: a:{"toolCallId":"1","result":{"columns":["a"],"rows":[{"a":1}]}}\n\n: ping\n\ndata: 0:"Which\u2028one?\\u001b[2J"\n\ndata: d:{"finishReason":"stop","outcome":"clarify","choices":[{"label":"Gross"},{"label":"Net","description":"after refunds"}]}\n\n',
      'data: 3:{"error":"provider_error","message":"The model broke off."}\n\ndata: d:{"finishReason":"error"}\n\n',
      'data: 0:"cut',
      'data: 0:"Fine."\n\ndata: d:{"finishReason":"stop","outcome":"answered"}\n\n',
    ]);
    const done = await chat('Revenue\n3\n2\nRevenue\nRevenue\n', { SVC_API_URL: model.url });
    expect(done.code).toBe(1);
    expect(done.stdout).toContain('  1. Gross\n  2. Net after refunds\n');
    expect(done.stdout).not.toContain('\u001b');
    expect(done.stdout).toContain('Fine.\n');
    expect(done.stderr).toMatch(/^3 is none of the choices\. .*\nThe model broke off\.\nThe answer broke off: .*\n$/);
    expect(bodies[1]?.messages.at(-1)?.parts).toEqual([{ type: 'text', text: 'Net' }]);
    expect(bodies[1]?.messages.at(-2)?.parts[0]).toMatchObject({
      input: { sql: 'SELECT 1 AS a' },
      output: { columns: ['a'] },
    });
    // What failed was no part of the conversation.
    expect(bodies[3]?.messages).toHaveLength(3);
  });

  it('is ended by a signal, not with 0, although an answer is awaited that never comes', async () => {
    const bodies: object[] = [];
    await using model = await streams(bodies, []);
    const child = spawn(process.execPath, [join(import.meta.dirname, '../../bin/atlas.mjs'), 'chat'], {
      cwd: folder.path,
      env: { ...process.env, SVC_API_URL: model.url },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    child.stdin.write('Revenue\n');
    await expect.poll(() => bodies).toHaveLength(1);
    child.kill('SIGINT');
    const [code] = await once(child, 'exit');
    expect(code).toBe(130);
  });
});

/** A server that answers a chat with the given streams, one after the other, and then never. */
async function streams(bodies: object[], replies: string[]) {
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') return response.end('{}');
    let body = '';
    for await (const piece of request) body += piece;
    bodies.push(JSON.parse(body));
    const reply = replies.shift();
    if (reply === undefined) return;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    // Split anywhere, also within a character.
    const bytes = Buffer.from(reply);
    for (let at = 0; at < bytes.length; at += 7) response.write(bytes.subarray(at, at + 7));
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}
