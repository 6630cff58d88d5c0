/** `atlas upgrade --check`: says what the newest version changes, out of its changelog. It installs nothing. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { AtlasError, type CliCommand, type CliRun } from '../../../kernel/index.ts';
import type { Cli } from '../api.ts';
import { wrongUse } from '../option-checks.ts';
import { printableText } from '../render.ts';

const PACKAGE = 'atlas-query';
const NEWEST = `${PACKAGE}@latest`;
const TIMEOUT_MS = 60_000;
/** Without a network, npm would try again for minutes. */
const ONCE = ['--fetch-retries=0', '--fetch-timeout=20000'];
const VERSION = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/;

const execute = promisify(execFile);

interface Release {
  readonly version: string;
  /** Markdown, without the heading. */
  readonly text: string;
}

/** The releases of a changelog, in its order; what is not released yet is left out. */
export function releasesOf(changelog: string): Release[] {
  return changelog
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [, heading = '', text = ''] = /^\[?(\S+?)\]?(?:\s.*)?\n([\s\S]*)$/.exec(section) ?? [];
      return { version: heading, text: text.trim() };
    })
    .filter(({ version }) => VERSION.test(version));
}

/** What npm or tar prints. */
async function output(run: CliRun, program: string, args: readonly string[]): Promise<string> {
  const { stdout } = await execute(program, args, {
    cwd: run.cwd,
    env: run.env as NodeJS.ProcessEnv,
    signal: run.signal,
    timeout: TIMEOUT_MS,
  });
  return stdout;
}

/** Why the registry was not read, in a few words: npm's own reason is a page long. */
function reasonOf(error: unknown): string {
  const { code, stderr, killed } = error as { code?: unknown; stderr?: string; killed?: boolean };
  if (code === 'ENOENT') return 'npm is not installed here';
  if (killed === true) return 'npm did not answer in time';
  const found = /npm (?:error|ERR!) code (\w+)/.exec(stderr ?? '')?.[1];
  return found === undefined ? 'npm failed' : `npm says ${found}`;
}

async function lookedUp<T>(run: CliRun, version: string, look: () => Promise<T>): Promise<T> {
  try {
    return await look();
  } catch (error) {
    run.signal.throwIfAborted();
    throw new AtlasError(
      `This is ${PACKAGE} ${version}; the newest version could not be looked up: ${reasonOf(error)}.`,
      {
        reason: 'E_UPGRADE_LOOKUP',
        hint: 'Check the network and the registry of npm.',
        cause: error,
      },
    );
  }
}

/** The changelog of the newest version, out of the package that npm downloads with the registry of this machine. */
async function newestChangelog(run: CliRun): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'atlas-upgrade-'));
  try {
    const packed = await output(run, 'npm', [
      'pack',
      NEWEST,
      '--loglevel=error',
      '--pack-destination',
      folder,
      ...ONCE,
    ]);
    return await output(run, 'tar', ['-xzOf', join(folder, packed.trim()), 'package/CHANGELOG.md']);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export const upgrade = ({ version }: Cli): CliCommand => ({
  name: 'upgrade',
  summary: 'say what the newest version changes; it installs nothing',
  options: [{ flags: '--check', description: 'look the newest version up and print its changes since this one' }],
  examples: ['atlas upgrade --check'],
  exitCodes: { 0: 'this is the newest version', 1: 'it could not be looked up', 2: 'there is a newer one' },
  run: async (run) => {
    if (run.options.check !== true) {
      throw wrongUse('Atlas does not replace itself.', `Give --check, or install it: npm i ${NEWEST}`);
    }
    const { gt, lte } = await import('semver');
    const view = () => output(run, 'npm', ['view', NEWEST, 'version', '--loglevel=error', '--prefer-online', ...ONCE]);
    const newest = (await lookedUp(run, version, view)).trim();
    if (!VERSION.test(newest) || !gt(newest, version)) {
      run.stdout.write(`${PACKAGE} ${version} is the newest version.\n`);
      return 0;
    }
    const changelog = await lookedUp(run, version, () => newestChangelog(run));
    const changes = releasesOf(changelog).filter(
      (release) => gt(release.version, version) && lte(release.version, newest),
    );
    run.stdout.write(`${PACKAGE} ${newest} is the newest version; this is ${version}.\n`);
    for (const release of changes) run.stdout.write(printableText(`\n## ${release.version}\n\n${release.text}\n`));
    run.stdout.write(`\nInstall it: npm i ${PACKAGE}@${newest}\n`);
    return 2;
  },
});
