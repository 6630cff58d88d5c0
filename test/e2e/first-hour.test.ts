/** What a newcomer meets: each wrong step says what is wrong and what to do. */
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterAll, describe, expect, it } from 'vitest';
import { atlas, emptyFolder, type RunningServer, serve } from '../harness/command.ts';
import { commandHost } from '../harness/command-host.ts';

const root = join(import.meta.dirname, '../..');
const host = await commandHost();
afterAll(() => host[Symbol.asyncDispose]());

function films(folder: string): void {
  const db = new Sqlite(join(folder, 'films.db'));
  db.exec('CREATE TABLE films (id INTEGER PRIMARY KEY, title TEXT); INSERT INTO films (title) VALUES (1), (2), (3)');
  db.close();
}

async function ask(server: RunningServer, question: string): Promise<string> {
  const reply = await fetch(`${server.url}/api/v1/query`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ question }),
  });
  const { answer, message } = (await reply.json()) as { answer?: string; message?: string };
  return answer ?? message ?? '';
}

async function healthOf(server: RunningServer, component: string) {
  const report = (await (await fetch(`${server.url}/api/health`)).json()) as {
    checks: Record<string, { status: string; message?: string }>;
  };
  return report.checks[component];
}

/** Standard error that is no terminal: lines of the log, and nothing else. */
function log(server: RunningServer): { level: number; msg: string }[] {
  const lines = server.stderr().split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line));
}

/** Waits for a text on standard error. */
async function warned(server: RunningServer, text: string | RegExp): Promise<void> {
  await expect.poll(() => server.stderr(), { timeout: 15_000 }).toMatch(text);
}

describe('a layer', () => {
  it("that is another database's is told at the start, in health and in the answer", async () => {
    using folder = emptyFolder();
    films(folder.path);
    cpSync(join(root, 'semantic'), join(folder.path, 'semantic'), { recursive: true });
    await using server = await serve({ cwd: folder.path, env: { SVC_DATASOURCE_URL: 'sqlite:films.db' } });
    const notice =
      /does not fit the database: there are no tables customers, order_items, orders.*npx atlas-query init/;
    expect(await ask(server, 'How many customers are there?')).toMatch(notice);
    expect(await ask(server, 'hi')).toMatch(notice);
    await warned(server, /does not fit the database/);
    expect(server.stderr().match(/does not fit the database/g)).toHaveLength(1);
    expect(await healthOf(server, 'semanticLayer')).toMatchObject({
      status: 'error',
      // Anybody reads health; the log and the terminal name the tables.
      message: expect.stringMatching(
        /does not fit the database: 3 tables of it .* the log names .*npx atlas-query init/,
      ),
    });
  });

  it('that comes to fit is used without a restart', async () => {
    using folder = emptyFolder();
    films(folder.path);
    mkdirSync(join(folder.path, 'semantic/entities'), { recursive: true });
    writeFileSync(join(folder.path, 'semantic/entities/film.yml'), 'table: film\nname: films\n');
    await using server = await serve({ cwd: folder.path, env: { SVC_DATASOURCE_URL: 'sqlite:films.db' } });
    expect(await ask(server, 'How many films?')).toContain('there is no table film');
    writeFileSync(join(folder.path, 'semantic/entities/film.yml'), 'table: films\n');
    await expect.poll(() => healthOf(server, 'semanticLayer'), { timeout: 10_000 }).toMatchObject({ status: 'ok' });
    expect(await ask(server, 'How many films?')).toContain('3');
  });

  it('that is not there is told, whatever is asked', async () => {
    using folder = emptyFolder();
    films(folder.path);
    await using server = await serve({ cwd: folder.path, env: { SVC_DATASOURCE_URL: 'sqlite:films.db' } });
    for (const question of ['How many orders?', 'hi', 'which tables are there?']) {
      expect(await ask(server, question)).toMatch(
        /^There is no semantic layer in `\.\/semantic`; .*npx atlas-query init/,
      );
    }
    await warned(server, 'There is no semantic layer');
    expect(server.stderr().match(/There is no semantic layer/g)).toHaveLength(1);
    expect(await healthOf(server, 'semanticLayer')).toMatchObject({ status: 'not_configured' });
  });
});

describe('a start that cannot answer', () => {
  it.each([
    [
      { SVC_DATASOURCE_URL: 'sqlite:nowhere.db' },
      'datasource "default": Connection failed: the database file "nowhere.db" does not exist. Correct the path',
      'datasource',
    ],
    [
      { SVC_PROVIDER: 'openai' },
      'provider: The model provider "openai" needs an API key. Set OPENAI_API_KEY',
      'provider',
    ],
    [
      { SVC_PROVIDER: 'openai-compatible', OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' },
      'SVC_MODEL is not set',
      'datasource',
    ],
    [{}, 'There is no database to ask; set SVC_DATASOURCE_URL', 'datasource'],
  ])('%o says why', async (env, text, component) => {
    using folder = emptyFolder();
    await using server = await serve({ cwd: folder.path, env: env as Record<string, string> });
    const isSaid = () => log(server).some(({ level, msg }) => level === 40 && msg.includes(text));
    await expect.poll(isSaid, { timeout: 15_000 }).toBe(true);
    expect((await healthOf(server, component))?.status).toMatch(/^(error|not_configured)$/);
  });
});

describe('.env', () => {
  it('is read from the working directory, and the environment wins', async () => {
    using folder = emptyFolder();
    films(folder.path);
    writeFileSync(join(folder.path, '.env'), 'SVC_DATASOURCE_URL="sqlite:films.db"\nSVC_PROVIDER=nobody\n');
    await using server = await serve({ cwd: folder.path, env: { SVC_PROVIDER: 'offline' } });
    await expect.poll(() => healthOf(server, 'datasource')).toMatchObject({ status: 'ok' });
  });

  it('that is wrong stops the start and keeps its secret', async () => {
    using folder = emptyFolder();
    writeFileSync(join(folder.path, '.env'), '# the key\nSVC_API_KEY hunter2\n');
    const { code, stdout, stderr } = await host.atlas(['serve'], { cwd: folder.path });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/\.env, line 2 cannot be read\. Write NAME=value/);
    expect(stderr).not.toContain('hunter2');
  });
});

describe('the command line', () => {
  it('demo takes another port when its own is in use, and says which', async () => {
    using folder = emptyFolder();
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as { port: number };
    await using server = await serve({ cwd: folder.path, env: { PORT: String(port) } }, ['demo']);
    expect(server.stderr()).toMatch(
      `Port ${port} is in use by another program; the demo takes ${new URL(server.url).port}.`,
    );
    expect(await ask(server, 'How many customers are there?')).toContain('1,000');
    other.close();
  });

  it('boot leaves the port alone', async () => {
    using folder = emptyFolder();
    await using server = await serve({ cwd: folder.path });
    const booted = await host.atlas(['boot'], { cwd: folder.path, env: { PORT: new URL(server.url).port } });
    expect(booted).toMatchObject({ code: 0, stdout: expect.stringContaining('plugins ready') });
  });

  it.each([
    ['qeury', '--help'],
    ['--help', 'qeury'],
    ['help', 'qeury'],
  ])('%s %s is wrong use', async (...words) => {
    using folder = emptyFolder();
    const { code, stdout, stderr } = await host.atlas(words, { cwd: folder.path });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('Did you mean query?');
  });

  it.each(['htp://user:hunter2@shop', 'http://user:hunter2@127.0.0.1:1', 'hunter2 @'])(
    'query keeps the password of SVC_API_URL=%s',
    async (url) => {
      using folder = emptyFolder();
      const { code, stderr } = await host.atlas(['query', 'x'], { cwd: folder.path, env: { SVC_API_URL: url } });
      expect(code).toBe(1);
      expect(stderr).toMatch(/^SVC_API_URL /);
      expect(stderr).not.toContain('hunter2');
    },
  );

  it.each([
    ['atlas.config.ts', 'const port: number = 1;\nexport default { plugins: [ ) };\n', 'line 2, column 29'],
    ['atlas.config.mjs', 'export default {\n  plugins: [\n};\n', 'line 3, column 1'],
    ['atlas.config.ts', 'export default { plugins: [ ', 'line 1, column 29'],
    ['atlas.config.mjs', 'export default {\n  plugins: [ ', 'line 2'],
    ['atlas.config.ts', "const name = 'x;\nexport default {};\n", 'line 1, column 14'],
    ['atlas.config.ts', 'let a;\nconst name = `x;\nexport default {};\n', 'line 2'],
    ['atlas.config.ts', '\nexport default { plugins: [htpp()] };\n', 'line 2, column 2\\d'],
  ])('names the place of an error in %s: %j', async (name, text, place) => {
    using folder = emptyFolder();
    writeFileSync(join(folder.path, name), text);
    const { code, stderr } = await host.atlas(['serve'], { cwd: folder.path });
    expect(code).toBe(1);
    expect(stderr).toMatch(new RegExp(`${name} could not be loaded: ${place}: .`));
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  it('serve without an HTTP server says what to add', async () => {
    using folder = emptyFolder();
    writeFileSync(join(folder.path, 'atlas.config.ts'), 'export default { plugins: [] };\n');
    const { code, stderr } = await host.atlas(['serve'], { cwd: folder.path });
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/has no plugin "http".* Add http\(\) and .*queryApi\(\)/),
    ]);
  });

  it('query asks the port that serve takes', async () => {
    using folder = emptyFolder();
    const nobody = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => nobody.once('listening', resolve));
    const { port } = nobody.address() as { port: number };
    await new Promise((resolve) => nobody.close(resolve));
    const { stderr } = await host.atlas(['query', 'x'], { cwd: folder.path, env: { PORT: String(port) } });
    expect(stderr).toContain(`http://localhost:${port}`);
  });

  it('init says that a file is where its folder must be', async () => {
    using folder = emptyFolder();
    films(folder.path);
    writeFileSync(join(folder.path, 'notes'), '');
    const env = { SVC_DATASOURCE_URL: 'sqlite:films.db', SVC_SEMANTIC_DIR: 'notes' };
    const { code, stderr } = await host.atlas(['init'], { cwd: folder.path, env });
    expect([code, stderr]).toEqual([
      1,
      'The layer cannot be written to notes: a file is where a folder must be. Choose another folder with SVC_SEMANTIC_DIR.\n',
    ]);
  });

  it('names the plugin that was probably meant', async () => {
    using folder = emptyFolder();
    const text = "import { http } from 'atlas-query/plugins/htpp';\nexport default { plugins: [http()] };\n";
    writeFileSync(join(folder.path, 'atlas.config.ts'), text);
    const { code, stderr } = await host.atlas(['serve'], { cwd: folder.path });
    expect(code).toBe(1);
    expect(stderr).toMatch(/could not be loaded: There is no plugin "htpp"; did you mean `http`\?\n$/);
  });

  it.each([
    ["throw new Error('cannot connect to postgres://u:s3cr3t@h/x')", 'cannot connect to postgres://'],
    ["throw new TypeError('no', { cause: new Error('postgres://u:s3cr3t@h/x') })", 'could not be loaded: '],
    ["await 0; throw 'password=s3cr3t is not right'", 'is not right'],
    ["setTimeout(() => { throw new Error('postgres://u:s3cr3t@h/x gone') }); await new Promise(() => {})", 'gone'],
  ])('shows no password when atlas.config.ts says: %s', async (text, kept) => {
    using folder = emptyFolder();
    writeFileSync(join(folder.path, 'atlas.config.ts'), `${text};\nexport default {};\n`);
    // An error that nobody catches ends the process.
    const run = text.includes('setTimeout') ? atlas : host.atlas;
    const commands = await Promise.all(['serve', 'boot'].map((name) => run([name], { cwd: folder.path })));
    for (const { code, stdout, stderr } of commands) {
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toContain(kept);
      expect(stderr).not.toMatch(/s3cr3t|^\s+at /m);
    }
  });
});

/** A Node that is too old to run Atlas itself, so that `bin/atlas.mjs` starts the one of the clone. */
const oldNode = (process.env.PATH ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'node'))
  .find((path) => existsSync(path) && /^v(20|21)\./.test(String(spawnSync(path, ['--version']).stdout)));

describe.skipIf(oldNode === undefined)('started with an older Node', () => {
  /** Resolves to the exit code once the server and all it started are gone. */
  async function stopped(signal: NodeJS.Signals, times: number, whom: 'group' | 'process'): Promise<number | null> {
    using folder = emptyFolder();
    const child = spawn(oldNode ?? '', [join(root, 'bin/atlas.mjs'), 'serve'], {
      cwd: folder.path,
      env: { PATH: process.env.PATH, PORT: '0' },
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const pid = child.pid ?? 0;
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    await new Promise((resolve) => child.stdout.once('data', resolve));
    for (let time = 0; time < times; time += 1) process.kill(whom === 'group' ? -pid : pid, signal);
    const code = await ended;
    await expect.poll(() => isAlive(-pid), { timeout: 10_000 }).toBe(false);
    return code;
  }

  function isAlive(pid: number): boolean {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  }

  it.each([
    ['SIGINT', 1, 'group'],
    ['SIGINT', 2, 'group'],
    ['SIGTERM', 1, 'process'],
    ['SIGTERM', 2, 'group'],
  ] as const)('%s, %i times, to the %s, ends the server with code 0', async (signal, times, whom) => {
    expect(await stopped(signal, times, whom)).toBe(0);
  });

  it('leaves no server behind when it is killed', async () => {
    expect(await stopped('SIGKILL', 1, 'process')).toBe(null);
  });
});
