/**
 * Follows a guide to the letter in an empty folder: writes the files that it shows, runs the commands that it gives, and
 * fails on the first that fails.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { serve } from './serve-command.ts';

type PackageManager = 'npm' | 'pnpm';

export interface Guide {
  readonly page: string;
  /** Commands of the page, and what they must print. */
  readonly outputs: Readonly<Record<string, RegExp>>;
}

/** Where a server listens, as the pages write it. */
const ADDRESS = 'http://localhost:3001';

/** Those that begin in an empty folder, with the package managers to follow each with. */
export const GUIDES: readonly (Guide & { readonly managers: readonly PackageManager[] })[] = [
  {
    page: 'docs/composing-a-build.md',
    managers: ['npm'],
    outputs: {
      'npx atlas hooks': /sql\.check .*sql-guard/,
      'npx atlas validate': /ok +datasource "default"/,
      'npx atlas query "How many orders are there by region?"': /north .*2/,
    },
  },
  {
    page: 'docs/first-server.md',
    managers: ['pnpm'],
    outputs: {
      'npx atlas validate': /ok +auth/,
      'curl -s http://localhost:3001/api/health/ready': /"status":"ok"/,
      "curl -s -o /dev/null -w '%{http_code}' http://localhost:3001/api/v1/me": /^401$/,
      'npx atlas query "How many orders are there by region?"': /north .*2/,
    },
  },
  {
    page: 'docs/writing-a-plugin.md',
    managers: ['npm', 'pnpm'],
    outputs: {
      'npx vitest run': /Tests .*passed/,
      'npx atlas hooks': /sql\.check .*business-hours/,
      'npx atlas query "How many orders by region?"': /north .*2/,
    },
  },
  {
    page: 'docs/writing-a-datasource.md',
    managers: ['npm', 'pnpm'],
    outputs: { 'npx vitest run': /Tests .*passed/, 'npx atlas query "How many orders by region?"': /north .*2/ },
  },
];

/** Folders as the first commands of a guide left them, by these commands. */
const beginnings = new Map<string, string>();

/** Runs the commands with which a guide begins, as far as no other began with them: then its folder is copied. */
function begin(commands: readonly string[], folder: string, run: (command: string) => void): void {
  const upTo = (count: number) => commands.slice(0, count).join('\n');
  const copy = (from: string, to: string) => execFileSync('cp', ['-a', `${from}/.`, to]);
  let done = commands.length;
  while (done > 0 && !beginnings.has(upTo(done))) done -= 1;
  if (done > 0) copy(beginnings.get(upTo(done)) ?? '', folder);
  for (const [index, command] of commands.entries()) {
    if (index < done) continue;
    run(command);
    if (!command.startsWith('npm install ')) continue;
    const kept = mkdtempSync(join(tmpdir(), 'atlas-beginning-'));
    copy(folder, kept);
    beginnings.set(upTo(index + 1), kept);
  }
}

/** Removes what was kept for guides that begin alike. */
export function forgetBeginnings(): void {
  for (const kept of beginnings.values()) rmSync(kept, { recursive: true });
  beginnings.clear();
}

/** `tarball` stands in for the published package. */
export async function followGuide(guide: Guide, tarball: string, manager: PackageManager): Promise<void> {
  // Of one name for all guides, so that Node finds what it has compiled.
  const folder = join(tmpdir(), `atlas-guide-${process.pid}-${manager}`);
  mkdirSync(folder);
  const adapted = (line: string) => {
    const local = line.replace(/install atlas-query$/, `install ${tarball}`);
    return manager === 'npm' ? local : local.replace(/^npm install/, 'pnpm add').replace(/^npx/, 'pnpm exec');
  };
  const outputs = new Map<string, string>();
  let server: ReturnType<typeof serve> | undefined;
  const run = (command: string, url?: string) =>
    execFileSync('sh', ['-c', command.replaceAll(ADDRESS, url ?? ADDRESS)], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, ...(url !== undefined && { SVC_API_URL: url }) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  try {
    const page = readFileSync(guide.page, 'utf8');
    const [first = [], ...others] = page.matchAll(/^```(\w+)(?: (\S+))?\n([\s\S]*?)^```$/gm);
    const [, firstLanguage, firstFile, commands = ''] = first;
    assert.deepEqual([firstLanguage, firstFile], ['sh', undefined], 'a guide begins with commands');
    const beginning = commands.trim().split('\n').map(adapted);
    // pnpm links files of its store, which takes no longer than a copy.
    if (manager === 'npm') begin(beginning, folder, run);
    else for (const command of beginning) run(command);
    for (const [, language, file, text = ''] of others) {
      if (file !== undefined) {
        mkdirSync(dirname(join(folder, file)), { recursive: true });
        writeFileSync(join(folder, file), text);
        continue;
      }
      assert.equal(language, 'sh', `a block of the guide is neither a file nor a command: ${text}`);
      for (const line of text.trim().split('\n')) {
        if (line === 'npx atlas serve') server = serve(adapted(line), folder);
        else outputs.set(line, run(adapted(line), await server?.url));
      }
    }
    for (const [command, expected] of Object.entries(guide.outputs)) {
      assert.match(outputs.get(command) ?? '', expected, `${guide.page}: ${command}`);
    }
  } finally {
    await server?.stop();
  }
  rmSync(folder, { recursive: true, force: true });
}
