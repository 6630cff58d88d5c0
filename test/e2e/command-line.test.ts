/**
 * The command line as a user meets it, in an empty folder: a process of its own where its exit, its signals, its log or the
 * loading of a configuration are looked at, and otherwise in the process of the test.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSimpleDemo } from '../../plugins/demo-data/index.ts';
import { atlas, emptyFolder, serve } from '../harness/command.ts';
import { atlasHere } from '../harness/command-here.ts';
import { databaseProcesses } from '../harness/database-processes.ts';

const root = join(import.meta.dirname, '../..');

function shop(folder: string): Record<string, string> {
  createSimpleDemo(join(folder, 'shop.db'));
  return { SVC_DATASOURCE_URL: 'sqlite:shop.db', SVC_SEMANTIC_DIR: join(root, 'semantic') };
}

describe('atlas', () => {
  it('prints help, for every command too, and its version', async () => {
    using folder = emptyFolder();
    const help = await atlasHere(['--help'], { cwd: folder.path });
    expect(help.code).toBe(0);
    const commands = [...help.stdout.matchAll(/^ {2}([a-z]+) /gm)].map(([, name = '']) => name);
    expect(commands).toEqual(expect.arrayContaining(['serve', 'demo', 'query', 'hooks', 'boot']));
    for (const command of commands.filter((name) => name !== 'help')) {
      const shown = await atlasHere([command, '--help'], { cwd: folder.path });
      expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining(`Usage: atlas ${command}`) });
    }
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect((await atlasHere(['--version'], { cwd: folder.path })).stdout.trim()).toBe(version);
  });

  it('answers wrong use with one sentence and exit code 1', async () => {
    using folder = emptyFolder();
    const misspelt = await atlasHere(['qeury', 'x'], { cwd: folder.path });
    expect(misspelt).toMatchObject({ code: 1, stderr: expect.stringContaining('Did you mean query?') });
    const both = await atlasHere(['query', 'x', '--json', '--csv'], { cwd: folder.path });
    expect(both).toMatchObject({ code: 1, stderr: '--json and --csv exclude each other. Give one of them.\n' });
    const alone = await atlasHere(['query', 'x'], { cwd: folder.path, env: { SVC_API_URL: 'http://127.0.0.1:1' } });
    expect(alone.code).toBe(1);
    expect(alone.stderr).toContain('No server answers at http://127.0.0.1:1.');
  });

  it('says in one sentence where a folder is gone or may not be used', async () => {
    using folder = emptyFolder();
    writeFileSync(join(folder.path, '.atlas'), '');
    expect(await atlasHere(['demo', '--once'], { cwd: folder.path })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^The demo database cannot be written to \.atlas in this folder: .+\. Run .+\n$/),
    });
    const script = 'cd "$1" && rmdir "$1" && exec "$2" "$3" boot';
    const gone = mkdtempSync(join(folder.path, 'gone-'));
    const args = ['-c', script, 'sh', gone, process.execPath, join(root, 'bin/atlas.mjs')];
    const { status, stderr } = spawnSync('/bin/sh', args, { encoding: 'utf8' });
    expect([status, stderr]).toEqual([1, 'The working directory has been removed. Change to another folder.\n']);
  });

  it('demo --once answers with text, SQL and rows, and leaves only .atlas behind', async () => {
    using folder = emptyFolder();
    const { code, stdout, stderr } = await atlas(['demo', '--once'], { cwd: folder.path });
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(stdout).toMatch(/Europe/);
    expect(stdout).toMatch(/SELECT[\s\S]*GROUP BY customers\.region/);
    expect(stdout).toMatch(/│ Europe +│ +401,073\.08 USD │/);
    const asked = await atlasHere(['demo', '--once', 'How many customers are there?'], { cwd: folder.path });
    expect(asked.stdout).toMatch(/│ +1000 │/);
  });

  it('demo and init need no model: keys without a choice do not stop them', async () => {
    using folder = emptyFolder();
    const env = { OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k' };
    const { code, stdout, stderr } = await atlas(['demo', '--once'], { cwd: folder.path, env });
    expect(stderr).toMatch(
      /^The offline model answers, as no other can be set up: OPENAI_API_KEY and ANTHROPIC_API_KEY/,
    );
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/Europe/)]);
    const chosen = await atlasHere(['demo', '--once'], { cwd: folder.path, env: { ...env, SVC_PROVIDER: 'nobody' } });
    expect([chosen.code, chosen.stderr]).toEqual([1, expect.stringContaining('SVC_PROVIDER is invalid')]);
    const init = { ...env, SVC_DATASOURCE_URL: 'sqlite:.atlas/demo.db', SVC_SEMANTIC_DIR: './layer' };
    expect(await atlasHere(['init'], { cwd: folder.path, env: init })).toMatchObject({ code: 0 });
  });

  it('demo goes on serving; query draws tables, CSV, JSON and bare answers', async () => {
    using folder = emptyFolder();
    await using server = await serve({ cwd: folder.path }, ['demo']);
    const query = (...args: string[]) =>
      atlasHere(['query', 'Orders by status', ...args], { cwd: folder.path, env: { SVC_API_URL: server.url } });
    expect((await query()).stdout).toMatch(/│ completed +│ +4244 │/);
    expect((await query('--csv')).stdout.split('\r\n')).toContain('completed,4244');
    expect(JSON.parse((await query('--json')).stdout)).toMatchObject({
      sql: [expect.stringContaining('GROUP BY')],
      steps: 2,
    });
    expect((await query('--quiet')).stdout).toMatch(/completed: 4,244/);
    const wrong = await query('--connection', 'lake');
    expect(wrong).toMatchObject({ code: expect.any(Number) });
    expect(wrong.stdout + wrong.stderr).toContain('lake');
  });

  it('serve prints one line, warns about an unknown variable, serves, and stops on SIGTERM with code 0', async () => {
    using folder = emptyFolder();
    const database = `sqlite:${join(folder.path, 'atlas.db')}`;
    const env = { ...shop(folder.path), DATABASE_URL: database, SVC_ROW_LIMITS: '5' };
    await using server = await serve({ cwd: folder.path, env });
    expect(server.stderr()).toContain('SVC_ROW_LIMITS is not a variable of Atlas; did you mean SVC_ROW_LIMIT?');
    expect((await fetch(`${server.url}/api/health`)).status).toBe(200);
    expect(await server.stop()).toBe(0);
    const lines = server.stderr().trim().split('\n');
    const logged = lines.map((line) => JSON.parse(line) as { msg: string; time: unknown });
    for (const { time } of logged) expect(time).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(logged).toContainEqual(
      expect.objectContaining({ msg: expect.stringMatching(/^Migrations/), applied: expect.any(Number) }),
    );
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(500);
    expect(logged.filter(({ msg }) => /stop|in flight/.test(msg))).toMatchObject([
      { msg: 'Atlas is stopping.' },
      { msg: 'No new requests are taken; waiting for those in flight.', requests: 0 },
      { msg: 'Atlas has stopped.' },
    ]);
  });

  it('serve cancels a statement that runs when it is stopped', async () => {
    using folder = emptyFolder();
    writeFileSync(join(folder.path, 'atlas.config.ts'), slowConfig(join(root, 'semantic')));
    createSimpleDemo(join(folder.path, 'shop.db'));
    await using server = await serve({ cwd: folder.path });
    const asked = fetch(`${server.url}/slow`).then((answer) => answer.json());
    await expect.poll(() => databaseProcesses(server.pid)).not.toEqual([]);
    expect(await server.stop()).toBe(0);
    // The statement itself may take a minute.
    expect(await asked).toMatchObject({ error: 'unavailable', message: expect.stringContaining('Atlas is stopping') });
  });

  it.each([
    [{ PORT: 'eighty' }, 'PORT is invalid: expected an integer from 0 to 65535.', atlas],
    [{ SVC_AUTH_MODE: 'managed' }, 'The authentication mode is managed; set AUTHLIB_SECRET too.', atlasHere],
    [{ SVC_DEPLOY_MODE: 'cloud' }, 'SVC_DEPLOY_MODE is invalid: expected one of self-hosted, hosted.', atlasHere],
  ] as const)('serve with %o exits 1 with one readable message', async (env, message, run) => {
    using folder = emptyFolder();
    const { code, stderr } = await run(['serve'], { cwd: folder.path, env: { ...env } });
    expect(code).toBe(1);
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/ at .*\(|node:internal/);
  });

  it('serve reports every fault of atlas.config.ts at once', async () => {
    using folder = emptyFolder();
    writeFileSync(
      join(folder.path, 'atlas.config.ts'),
      `import { defineConfig } from 'atlas-query';
       import { queryApi } from 'atlas-query/plugins/query-api';
       import { sqlLimits } from 'atlas-query/plugins/sql-limits';
       export default defineConfig({ plugins: [queryApi(), sqlLimits({ maxRow: 5 } as never)] });`,
    );
    const { code, stderr } = await atlas(['serve'], { cwd: folder.path });
    expect(code).toBe(1);
    expect(stderr).toContain('query-api: needs the plugin "agent"');
    expect(stderr).toContain('Add agent() to the plugins in atlas.config.ts.');
    expect(stderr).toContain('sql-limits: option "maxRow": unexpected property');
    expect(stderr).not.toMatch(/node:internal/);
  });

  it('hooks and boot show the composition', async () => {
    using folder = emptyFolder();
    const env = { ...shop(folder.path), SVC_LOG_LEVEL: 'error' };
    const hooks = await atlasHere(['hooks'], { cwd: folder.path, env });
    expect(hooks.stdout).toMatch(/│ sql\.check +│ series, gate +│ +1 │ sql-guard/);
    expect(hooks.stdout).toMatch(/datasource\.execute +│ keyed +│ +1 │ datasource-sqlite \(default\)/);
    const boot = await atlasHere(['boot', '--trace'], { cwd: folder.path, env: { ...env, PORT: '0' } });
    expect(boot.stdout).toMatch(/http 1\.0\.0 +setup +[\d.]+ ms +ready +[\d.]+ ms/);
    expect(boot.stdout).toMatch(/ready after [\d.]+ ms/);
  });
});

describe('examples', () => {
  /** An example stands in its own project, which has installed the package's dependencies. */
  function copy(name: string, folder: string): void {
    cpSync(join(root, 'examples', name), folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  }

  it.each(['two-databases', 'own-plugin'])('%s boots', async (name) => {
    using folder = emptyFolder();
    copy(name, folder.path);
    const booted = await atlas(['boot'], {
      cwd: folder.path,
      env: { PORT: '0', SVC_SEMANTIC_DIR: join(root, 'semantic') },
    });
    expect(booted.stderr).not.toContain('Atlas cannot start');
    expect(booted).toMatchObject({ code: 0, stdout: expect.stringMatching(/\d+ plugins ready/) });
  });

  it('own-command adds its command to the help and runs it over the composition', async () => {
    using folder = emptyFolder();
    copy('own-command', folder.path);
    const run = { cwd: folder.path, env: shop(folder.path) };
    expect((await atlas(['--help'], run)).stdout).toMatch(/^ {2}tables +list the tables of every connected database$/m);
    expect((await atlas(['tables', '--help'], run)).stdout).toContain('Usage: atlas tables');
    const listed = await atlas(['tables'], run);
    expect(listed).toMatchObject({ code: 0, stderr: '' });
    expect(listed.stdout.split('\n')).toEqual(expect.arrayContaining(['default customers', 'default orders']));
    const booted = await atlas(['boot', '--trace'], run);
    expect(booted).toMatchObject({ code: 0, stdout: expect.stringMatching(/ready after [\d.]+ ms/) });
    expect(booted.stderr).not.toContain('Atlas cannot start');
    expect(booted.stdout).not.toContain('list-tables');
    expect((await atlas(['tabels'], run)).stderr).toContain('Did you mean tables?');
  });

  it('a configuration that cannot be loaded leaves the other commands usable', async () => {
    using folder = emptyFolder();
    writeFileSync(join(folder.path, 'atlas.config.ts'), "throw new Error('no licence');");
    const help = await atlas(['--help'], { cwd: folder.path });
    expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining('serve') });
    expect(help.stderr).toMatch(
      /^The commands of the configuration are not available: The configuration .*no licence\.?\n$/,
    );
    expect((await atlasHere(['query', '--help'], { cwd: folder.path })).stderr).toBe('');
  });

  it('names the plugins of two commands with the same name', async () => {
    using folder = emptyFolder();
    copy('own-command', folder.path);
    const file = join(folder.path, 'list-tables.ts');
    writeFileSync(file, readFileSync(file, 'utf8').replace("name: 'tables'", "name: 'query <text>'"));
    expect(await atlas(['--help'], { cwd: folder.path })).toEqual({
      code: 1,
      stdout: '',
      stderr: 'The plugins "cli" and "list-tables" both bring the command "query". Rename one of them.\n',
    });
  });
});

/** A route that runs a statement without end. */
function slowConfig(semanticDir: string): string {
  return `import { defineConfig, definePlugin, httpRoutes } from 'atlas-query';
import { Type } from '${join(root, 'node_modules/@sinclair/typebox/build/esm/index.mjs')}';
import { authNone } from 'atlas-query/plugins/auth-none';
import { datasourceSqlite } from 'atlas-query/plugins/datasource-sqlite';
import { http } from 'atlas-query/plugins/http';
import { semanticLayer } from 'atlas-query/plugins/semantic-layer';
import { sqlGuard } from 'atlas-query/plugins/sql-guard';
import { sqlLimits } from 'atlas-query/plugins/sql-limits';
const sql = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000000000) SELECT COUNT(*) FROM n';
const slow = definePlugin({
  name: 'slow', version: '1.0.0', type: 'interaction', description: 'Runs a statement without end.',
  setup(ctx) {
    ctx.tap(httpRoutes, () => [{
      method: 'GET', path: '/slow', summary: 'Slow.', tag: 'Test', right: 'public', responses: { 200: Type.Any() },
      handle: async (_request, scope) => ({ body: (await ctx.runSql({ sql, surface: 'api' }, scope)).result }),
    }]);
  },
});
export default defineConfig({ plugins: [
  http({ port: 0 }), authNone(), semanticLayer({ dir: '${semanticDir}' }), sqlLimits({ timeoutMs: 60000 }), sqlGuard(),
  datasourceSqlite({ connections: [{ id: 'default', url: 'sqlite:shop.db' }] }), slow(),
] });
`;
}
