/**
 * Creates a plugin of each type in a project that has installed the tarball, installs and tests each untouched, adds them
 * all, and serves the composition.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serve } from './serve-command.ts';

const TYPES = ['context', 'sandbox', 'action', 'interaction', 'datasource'];

/** With pnpm; the tutorials are followed with npm. */
export async function createPlugins(tarball: string): Promise<void> {
  const project = mkdtempSync(join(tmpdir(), 'atlas-created-'));
  // What `pnpm exec atlas` starts; the guides start it that way.
  const atlas = join(project, 'node_modules/.bin/atlas');
  const run = (command: string, cwd = project) =>
    execFileSync('sh', ['-c', command], {
      cwd,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'ours', private: true, type: 'module' }));
  run(`pnpm add ${tarball}`);
  for (const type of TYPES) {
    run(`${atlas} plugin create acme-${type} --type ${type}`);
    const folder = join(project, `acme-${type}`);
    run('pnpm install', folder);
    assert.match(run('pnpm test', folder), /Tests .*passed/);
  }
  for (const type of TYPES) run(`${atlas} plugin add ./acme-${type}`);
  const config = readFileSync(join(project, 'atlas.config.ts'), 'utf8');
  for (const type of TYPES) assert.match(config, new RegExp(`from 'acme-${type}'`));

  const server = serve(`${atlas} serve`, project);
  try {
    const url = await server.url;
    const health = (await (await fetch(`${url}/api/health`)).json()) as {
      checks: { explore: object };
      sources: Record<string, { status: string }>;
    };
    assert.deepEqual(health.checks.explore, { status: 'ok', backend: 'acme-sandbox', isolated: false });
    assert.equal(health.sources['json-files']?.status, 'ok');
    const refused = await fetch(`${url}/api/plugins/acme-interaction/answer.csv`);
    assert.equal(refused.status, 400, await refused.text());
  } finally {
    await server.stop();
  }
  rmSync(project, { recursive: true, force: true });
}
