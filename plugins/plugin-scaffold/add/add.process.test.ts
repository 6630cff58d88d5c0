import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { installPnpm } from '../../../scripts/pnpm.ts';
import { emptyFolder, type Finished } from '../../../test/harness/command.ts';
import { commandHost } from '../../../test/harness/command-host.ts';
import { startHttpReceiver } from '../../../test/harness/http-receiver.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const PATH = `${join(ROOT, 'node_modules/.bin')}${delimiter}${process.env.PATH}`;

const host = await commandHost();
const { atlas } = host;
afterAll(() => host[Symbol.asyncDispose]());

const PLUGIN = `import { definePlugin } from 'atlas-query';
export const acmeCalendar = definePlugin({
  name: 'acme-calendar', version: '1.2.3', type: 'context', description: 'Knows the calendar.', setup() {},
});\n`;
const CONFIG = `// Ours.
import { defineConfig } from 'atlas-query';
import { authNone } from 'atlas-query/plugins/auth-none';

export default defineConfig({
  plugins: [
    authNone(), // for now
  ],
});\n`;

interface Project extends Disposable {
  readonly path: string;
  write(path: string, text: string): void;
  read(path: string): string;
  /** Paths and contents, without what is installed. */
  files(): Record<string, string>;
  add(what: string, env?: Record<string, string>): Promise<Finished>;
}

/** A folder with a package beside it; nothing is looked up in a registry. */
function project(plugin: string = PLUGIN, manifest: object = {}): Project {
  const folder = emptyFolder();
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder.path, path)), { recursive: true });
    writeFileSync(join(folder.path, path), text);
  };
  write('.npmrc', 'legacy-peer-deps=true\nauto-install-peers=false\nupdate-notifier=false\n');
  write('package.json', '{\n   "name": "ours",\n   "private": true, "type": "module"\n}\n');
  const named = { name: 'acme-calendar', version: '1.2.3', type: 'module', exports: './index.js' };
  write(
    'acme-calendar/package.json',
    JSON.stringify({ ...named, peerDependencies: { 'atlas-query': '^0.1.0' }, ...manifest }),
  );
  write('acme-calendar/index.js', plugin);
  return {
    path: folder.path,
    write,
    read: (path) => readFileSync(join(folder.path, path), 'utf8'),
    files: () =>
      Object.fromEntries(
        readdirSync(folder.path, { withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map(({ name }) => [name, readFileSync(join(folder.path, name), 'utf8')]),
      ),
    add: (what, env) => atlas(['plugin', 'add', what], { cwd: folder.path, env: { PATH, ...env } }),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

/** A program of this name that does what the lines of shell say. */
function program(folder: Project, name: string, script: string): Record<string, string> {
  folder.write(`bin/${name}`, `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder.path, 'bin', name), 0o755);
  return { PATH: `${join(folder.path, 'bin')}${delimiter}${PATH}` };
}

describe('a plugin is added', () => {
  it.each([
    ['npm', 'package-lock.json', ''],
    ['pnpm', 'pnpm-lock.yaml', "lockfileVersion: '9.0'\n"],
  ])('with %s, and once', async (manager, lock, content) => {
    using folder = project();
    using tools = emptyFolder();
    const env = manager === 'pnpm' ? { PATH: `${installPnpm(tools.path)}${delimiter}${PATH}` } : {};
    folder.write('atlas.config.ts', CONFIG);
    if (content !== '') folder.write(lock, content);
    expect(await folder.add('./acme-calendar', env)).toMatchObject({
      code: 0,
      stdout: 'Added acme-calendar 1.2.3 to atlas.config.ts: Knows the calendar.\n',
      stderr: '',
    });
    expect(folder.read('atlas.config.ts')).toBe(
      CONFIG.replace("auth-none';\n", "auth-none';\nimport { acmeCalendar } from 'acme-calendar';\n").replace(
        'for now\n',
        'for now\n    acmeCalendar(),\n',
      ),
    );
    expect(existsSync(join(folder.path, lock))).toBe(true);
    expect(JSON.parse(folder.read('package.json')).dependencies).toHaveProperty('acme-calendar');
    const listed = await atlas(['plugin', 'list', '--json'], { cwd: folder.path });
    expect(JSON.parse(listed.stdout).map(({ name }: { name: string }) => name)).toEqual(['auth-none', 'acme-calendar']);
    const before = folder.files();
    expect(await folder.add('./acme-calendar', env)).toMatchObject({
      code: 0,
      stdout: '"acme-calendar" is in atlas.config.ts already.\n',
    });
    expect(folder.files()).toEqual(before);
  });

  it('where nothing is composed yet, to the built-in composition', async () => {
    using folder = project();
    expect((await folder.add('acme-calendar')).code).toBe(0);
    const listed = JSON.parse((await atlas(['plugin', 'list', '--json'], { cwd: folder.path })).stdout);
    expect(listed.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(['http', 'acme-calendar']));
  });

  it('in a project of CommonJS', async () => {
    using folder = project();
    folder.write('package.json', '{"type":"commonjs"}');
    expect((await folder.add('./acme-calendar')).stdout).toContain('to atlas.config.mts');
    expect(await atlas(['plugin', 'list'], { cwd: folder.path })).toMatchObject({ code: 0, stderr: '' });
  });

  it('from a packed file, and in a newer version', async () => {
    using folder = project();
    const pack = () =>
      new Promise<number | null>((done) =>
        spawn('npm', ['pack', './acme-calendar'], { cwd: folder.path, stdio: 'ignore' }).on('close', done),
      );
    expect(await pack()).toBe(0);
    expect((await folder.add('./acme-calendar-1.2.3.tgz')).stdout).toContain('Added acme-calendar 1.2.3');
    const config = folder.read('atlas.config.ts');
    folder.write('acme-calendar/package.json', folder.read('acme-calendar/package.json').replace('1.2.3', '1.3.0'));
    expect(await pack()).toBe(0);
    expect((await folder.add('./acme-calendar-1.3.0.tgz')).stdout).toBe(
      'Installed acme-calendar 1.3.0; it is in atlas.config.ts already.\n',
    );
    expect(folder.read('atlas.config.ts')).toBe(config);
    expect(JSON.parse(folder.read('node_modules/acme-calendar/package.json')).version).toBe('1.3.0');
  });

  it('to a configuration that is a link, whose mode stays, without steering the terminal', async () => {
    using folder = project(PLUGIN.replace('Knows the', 'Knows \\u001b[2Jthe'));
    folder.write('shared/ours.ts', CONFIG);
    chmodSync(join(folder.path, 'shared/ours.ts'), 0o640);
    symlinkSync('shared/ours.ts', join(folder.path, 'atlas.config.ts'));
    expect((await folder.add('./acme-calendar')).stdout).toContain('Knows \\u001b[2Jthe calendar.');
    expect(folder.read('shared/ours.ts')).toContain('acmeCalendar()');
    expect(lstatSync(join(folder.path, 'atlas.config.ts')).isSymbolicLink()).toBe(true);
    expect(statSync(join(folder.path, 'shared/ours.ts')).mode & 0o777).toBe(0o640);
  });

  it('with yarn, which is told that it is a path', async () => {
    using folder = project();
    folder.write('yarn.lock', '');
    const env = program(
      folder,
      'yarn',
      'mkdir -p node_modules; ln -s ../acme-calendar node_modules/acme-calendar; echo "$@" > said',
    );
    expect((await folder.add('./acme-calendar', env)).code).toBe(0);
    expect(folder.read('said')).toBe(`add acme-calendar@file:${folder.path}/acme-calendar\n`);
  });

  it('and says which options it has to be given', async () => {
    using folder = project(
      PLUGIN.replace('definePlugin }', 'definePlugin, Type }').replace(
        'setup()',
        'options: Type.Object({ region: Type.String(), days: Type.Integer({ default: 1 }) }), setup()',
      ),
    );
    expect((await folder.add('./acme-calendar')).stdout).toContain(
      'Give it its options there before the next start: region.',
    );
  });

  it('of those that a package exports, the one with its name', async () => {
    const other = PLUGIN.replace('acmeCalendar', 'helper')
      .replace("'acme-calendar'", "'acme-helper'")
      .split('\n')
      .slice(1);
    using folder = project(PLUGIN + other.join('\n'));
    expect((await folder.add('./acme-calendar')).code).toBe(0);
    expect(folder.read('atlas.config.ts')).toContain('import { acmeCalendar } from');
  });
});

describe('nothing is changed', () => {
  it.each([
    [
      'by a package for another version',
      { peerDependencies: { 'atlas-query': '^7.0.0' } },
      PLUGIN,
      '"acme-calendar" 1.2.3 works with atlas-query ^7.0.0; this is 0.1.0.',
    ],
    [
      'by a package without a range',
      { peerDependencies: {} },
      PLUGIN,
      '"acme-calendar" is no plugin for Atlas: it has no peer dependency on atlas-query.',
    ],
    [
      'by a range that is none',
      { peerDependencies: { 'atlas-query': 'newest!' } },
      PLUGIN,
      'works with atlas-query newest!; this is 0.1.0.',
    ],
    ['by a package that exports no plugin', {}, 'export const x = 1;', '"acme-calendar" exports no plugin.'],
    [
      'by a package that exports two others',
      {},
      PLUGIN.replace("'acme-calendar'", "'one'") +
        PLUGIN.replace("'acme-calendar'", "'two'").replace('acmeCalendar', 'two').split('\n').slice(1).join('\n'),
      '"acme-calendar" exports several plugins: acmeCalendar, two.',
    ],
    ['by a package that is not built', { exports: './dist/index.js' }, PLUGIN, 'run "npm install" in that folder'],
    [
      'by a package that fails',
      {},
      "throw new Error('no licence');",
      '"acme-calendar" could not be loaded: no licence.',
    ],
  ])('%s', async (_, manifest, source, message) => {
    using folder = project(source, manifest);
    folder.write('atlas.config.ts', CONFIG);
    const before = folder.files();
    const { code, stdout, stderr } = await folder.add('./acme-calendar');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(folder.files()).toEqual(before);
    expect(existsSync(join(folder.path, 'node_modules/acme-calendar'))).toBe(false);
  });

  it.each([
    ['./nothing', 'There is nothing at ./nothing.'],
    ['./atlas.config.ts', './atlas.config.ts is no packed package'],
    ['./empty', './empty is no package: it has no package.json.'],
    ['Not a name', '"Not a name" is neither a package name nor a path.'],
    ['git+ssh://example.com/x', '"git+ssh://example.com/x" is neither a package name nor a path.'],
    ['acme; rm -rf /', '"acme; rm -rf /" is neither a package name nor a path.'],
  ])('by %s', async (what, message) => {
    using folder = project();
    mkdirSync(join(folder.path, 'empty'));
    folder.write('atlas.config.ts', CONFIG);
    const before = folder.files();
    const { code, stderr } = await folder.add(what);
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
    expect(folder.files()).toEqual(before);
  });

  it('by a configuration in which the list of plugins cannot be found', async () => {
    using folder = project();
    folder.write('atlas.config.ts', 'export default make();\n');
    const before = folder.files();
    expect((await folder.add('./acme-calendar')).stderr).toContain('atlas.config.ts cannot be changed');
    expect(folder.files()).toEqual(before);
  });

  it('without a package.json, or between two lock files', async () => {
    using bare = emptyFolder();
    const { stderr } = await atlas(['plugin', 'add', 'x'], { cwd: bare.path });
    expect(stderr).toBe('There is no package.json in this folder, so nothing can be installed. Run: npm init --yes\n');
    using folder = project();
    folder.write('package-lock.json', '{}');
    folder.write('yarn.lock', '');
    expect((await folder.add('./acme-calendar')).stderr).toContain('The folder has the lock files of npm and yarn.');
  });

  it('by a package manager that fails or is not there', async () => {
    using folder = project();
    folder.write('yarn.lock', 'ours');
    folder.write('atlas.config.ts', CONFIG);
    const before = folder.files();
    const failing = program(folder, 'yarn', 'echo broken > yarn.lock; echo "error The disk is full" >&2; exit 3');
    expect((await folder.add('./acme-calendar', failing)).stderr).toContain(
      '"acme-calendar" could not be installed: yarn ended with 3: The disk is full.',
    );
    expect(folder.files()).toEqual(before);
    const missing = await folder.add('./acme-calendar', { PATH: '/nowhere' });
    expect(missing.stderr).toContain('yarn is not installed');
  });

  it('by an interrupt', async () => {
    using folder = project();
    folder.write('yarn.lock', 'ours');
    folder.write('atlas.config.ts', CONFIG);
    const before = folder.files();
    const env = program(folder, 'yarn', 'echo broken > yarn.lock; echo $$ > started; exec sleep 600');
    const child = spawn(process.execPath, [join(ROOT, 'bin/atlas.mjs'), 'plugin', 'add', './acme-calendar'], {
      cwd: folder.path,
      env: { ...process.env, ...env },
      stdio: 'ignore',
    });
    const ended = new Promise<number | null>((done) => child.on('close', done));
    const started = () => Number(folder.files().started);
    await expect.poll(started).toBeGreaterThan(0);
    const manager = started();
    child.kill('SIGINT');
    expect(await ended).toBe(130);
    expect(() => process.kill(manager, 0)).toThrow('ESRCH');
    expect({ ...folder.files(), started: undefined }).toEqual({ ...before, started: undefined });
  });
});

it('a package of the registry is looked up before anything is installed', async () => {
  const versions = { '2.0.0': { name: 'acme-calendar', version: '2.0.0', peerDependencies: { 'atlas-query': '>=9' } } };
  await using registry = await startHttpReceiver(({ url }, response) => {
    if (url !== '/acme-other') return response.writeHead(404).end('{}');
    response.end(JSON.stringify({ name: 'acme-other', 'dist-tags': { latest: '2.0.0' }, versions }));
  });
  using folder = project();
  const env = {
    npm_config_registry: registry.url,
    npm_config_cache: join(folder.path, 'cache'),
    npm_config_fetch_retries: '0',
  };
  expect((await folder.add('acme-other', env)).stderr).toContain('2.0.0 works with atlas-query >=9; this is 0.1.0.');
  expect((await folder.add('acme-unknown', env)).stderr).toContain('There is no package "acme-unknown".');
  expect((await folder.add('acme-other@7', env)).stderr).toContain('There is no package "acme-other@7".');
  expect(existsSync(join(folder.path, 'node_modules'))).toBe(false);
});
