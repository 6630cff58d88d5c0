/**
 * The package has the same bytes wherever it is packed. The root file system of the container image, which is made of it,
 * answers a question, without a shell, and stops when it is told to.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSimpleDemo } from '../../plugins/demo-data/index.ts';
import { packClone } from '../../scripts/pack-clone.ts';
import { productionPackages } from '../../scripts/production-packages.ts';
import { emptyFolder } from '../harness/command.ts';
import { freePort } from '../harness/port.ts';

const ROOT = join(import.meta.dirname, '../..');
const MOST_COMPRESSED_MB = 130;
const MOST_NOTICES_BYTES = 250_000;
const USER = '65532:65532';
/** Nothing runs when it is stopped. */
const STOP_MS = 10_000;

const AS_NOBODY = `--userspec=${USER}`;

/** Makes the root read-only but for /tmp, as the manifests do, and becomes the process in it. */
const ENTER = `set -e
root=$1; shift
mount --bind "$root" "$root"
mount --rbind /dev "$root/dev"
mount -t proc proc "$root/proc"
mount -t tmpfs tmpfs "$root/tmp"
mount -o remount,bind,ro "$root"
exec chroot "$@"`;

const isRoot = process.getuid?.() === 0;
const NAMESPACES = ['unshare', '--mount', '--pid', '--fork', '--kill-child'];
const entered = (root: string, ...before: string[]) => ['/bin/sh', '-c', ENTER, 'sh', root, ...before, root];
/**
 * Ways into a root file system, the strictest first. A plain chroot is none: without /proc a process of SQLite cannot
 * measure its memory, and ends.
 */
const WAYS: readonly { readonly namespaces: readonly string[]; command(root: string): string[] }[] = [
  ...(isRoot
    ? [{ namespaces: NAMESPACES, command: (root: string) => [...NAMESPACES, ...entered(root, AS_NOBODY)] }]
    : []),
  {
    namespaces: [...NAMESPACES, '--user', '--map-root-user'],
    command: (root) => [...NAMESPACES, '--user', '--map-root-user', ...entered(root)],
  },
];

const folder = emptyFolder();
const root = join(folder.path, 'root');
const ENV = { PATH: process.env.PATH ?? '', NODE_ENV: 'production', SVC_LOG_LEVEL: 'error' };
const works = (command: readonly string[], program: readonly string[]) =>
  spawnSync(command[0] ?? '', [...command.slice(1), ...program], { env: ENV, encoding: 'utf8' }).status === 0;

const way =
  process.platform === 'linux'
    ? WAYS.find(({ namespaces }) => works(namespaces, ['mount', '-t', 'tmpfs', 'none', '/mnt']))
    : undefined;

const NEEDED = 'Run the tests on Linux as root, or allow unprivileged user namespaces.';
if (way === undefined) process.stderr.write(`The root file system is made and looked into, not started. ${NEEDED}\n`);

describe('the root file system of the container image', () => {
  const command = way?.command(root) ?? [];
  /** Name and hash of the package in it. */
  let packed = '';

  beforeAll(() => {
    packed = execFileSync(process.execPath, ['scripts/container-root.ts', root, 'pg-boss', '@opentelemetry/*'], {
      cwd: ROOT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    createSimpleDemo(join(root, 'srv/atlas/shop.db'));
  }, 600_000);
  afterAll(() => folder[Symbol.dispose]());

  it('is of the package that has the same bytes in another folder and at another time', () => {
    // `.ci/run` has packed it for the smoke test.
    const other = process.env.ATLAS_PACKAGE ?? packClone(folder.path);
    const hash = createHash('sha512').update(readFileSync(other)).digest('base64');
    expect(packed.trim()).toBe(`${basename(other)} sha512-${hash}`);
  }, 600_000);

  it('has the notices of all that the package brings', () => {
    const notices = readFileSync(join(root, 'app/THIRD-PARTY-NOTICES'), 'utf8');
    for (const { name, version } of productionPackages(ROOT)) expect(notices).toContain(`${name} ${version} (`);
    expect(notices).toContain('Permission is hereby granted');
    expect(notices.length).toBeLessThan(MOST_NOTICES_BYTES);
  });

  it('has neither shell nor package manager, and what Containerfile and manifests name', () => {
    expect(
      globSync('{bin,usr/bin,app/node_modules}/{sh,bash,busybox,npm,corepack,typescript,vitest}', { cwd: root }),
    ).toEqual([]);
    const containerfile = readFileSync(join(ROOT, 'operations/container/Containerfile'), 'utf8');
    const compose = readFileSync(join(ROOT, 'operations/compose.yml'), 'utf8');
    for (const path of ['/nodejs/bin/node', '/app/health.mjs']) {
      expect(existsSync(join(root, path)), path).toBe(true);
      expect(containerfile).toContain(`"${path}"`);
      expect(compose).toContain(path);
    }
    const [, program = ''] = /^ENTRYPOINT .*"(\/app\/[^"]+)"\]$/m.exec(containerfile) ?? [];
    expect(existsSync(join(root, program)), program).toBe(true);
    expect(containerfile).toContain(`\nUSER ${USER}\n`);
    expect(containerfile).toContain(`node:${process.versions.node.split('.')[0]}-`);
  });

  it(`is at most ${MOST_COMPRESSED_MB} MB when it is compressed`, () => {
    const bytes = execFileSync('sh', ['-c', 'tar -C "$1" -c . | gzip | wc -c', 'sh', root], { encoding: 'utf8' });
    const megabytes = Math.ceil(Number(bytes) / 1e6);
    process.stderr.write(`Compressed, the root file system takes ${megabytes} MB.\n`);
    expect(megabytes).toBeLessThanOrEqual(MOST_COMPRESSED_MB);
  });

  if (way === undefined) return;
  it('answers the question of the demo, has metrics and the web console, and ends with 0 after SIGTERM', async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const health = () =>
      spawnSync(process.execPath, [join(root, 'app/health.mjs')], { env: { PORT: String(port) } }).status;
    expect(health()).toBe(1);
    const env = {
      ...ENV,
      PORT: String(port),
      SVC_DATASOURCE_URL: 'sqlite:/srv/atlas/shop.db',
      DATABASE_URL: 'sqlite:/tmp/atlas.db',
      SVC_SEMANTIC_DIR: '/app/semantic',
      SVC_METRICS_ENABLED: 'true',
    };
    const [file = '', ...args] = [...command, '/nodejs/bin/node', '/app/bin/atlas.mjs', 'serve'];
    const server = spawn(file, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = new Promise<number | null>((resolve) => server.on('close', resolve));
    let output = '';
    for (const stream of [server.stdout, server.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk;
      });
    }
    try {
      await expect.poll(health, { timeout: 60_000, interval: 500 }).toBe(0);
      const response = await fetch(`${url}/api/v1/query`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ question: 'What was the revenue by region in 2025?' }),
      });
      const answer = (await response.json()) as { data: { rows: unknown[] }[] };
      expect(response.status, JSON.stringify(answer)).toBe(200);
      expect(answer.data[0]?.rows ?? [], `${JSON.stringify(answer)}\n${output}`).toHaveLength(3);
      expect(await (await fetch(`${url}/api/v1/metrics`)).text()).toContain('http_server_active_requests');
      expect((await fetch(url, { headers: { accept: 'text/html' } })).status).toBe(200);

      // The first process of its namespace, and a child of the one that was started here.
      const pid = server.pid ?? 0;
      const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ');
      process.kill(Number(child), 'SIGTERM');
      const late = setTimeout(STOP_MS, 'still runs', { ref: false });
      expect(await Promise.race([ended, late]), output).toBe(0);
      expect(output).toContain('Atlas is listening on');
    } finally {
      server.kill('SIGKILL');
    }
  });
});
