/**
 * Builds a project of an outside author from the tarball: the built-in composition with a plugin, a datasource on the
 * kit and a command of the examples. It must compile without `skipLibCheck`, start, and run the command.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const CONFIG = `import { defineConfig } from 'atlas-query';
import { selfHosted } from 'atlas-query/presets/self-hosted';
import { businessHours } from './business-hours.ts';
import { datasourceArchive } from './datasource-archive.ts';
import { listTables } from './list-tables.ts';

const archives = datasourceArchive({ connections: [{ id: 'default', url: 'archive:shop.db' }] });
export default defineConfig({ plugins: [...selfHosted(), businessHours({ from: 0, to: 24 }), archives, listTables()] });
`;

const TSCONFIG = {
  compilerOptions: {
    target: 'es2023',
    module: 'nodenext',
    types: ['node'],
    strict: true,
    skipLibCheck: false,
    erasableSyntaxOnly: true,
    verbatimModuleSyntax: true,
    allowImportingTsExtensions: true,
    noEmit: true,
  },
};

export function buildOutsideProject(tarball: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'atlas-outside-'));
  const run = (command: string, ...args: readonly string[]) =>
    execFileSync(command, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'outside', private: true, type: 'module' }));
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG));
  writeFileSync(join(folder, 'atlas.config.ts'), CONFIG);
  for (const [example, file] of [
    ['own-plugin', 'business-hours.ts'],
    ['own-datasource', 'engine.ts'],
    ['own-datasource', 'datasource-archive.ts'],
    ['own-command', 'list-tables.ts'],
  ] as const) {
    cpSync(join('examples', example, file), join(folder, file));
  }
  run('pnpm', 'add', tarball, 'typescript', '@types/node');
  const shop = `new (await import('node:sqlite')).DatabaseSync('shop.db').exec('CREATE TABLE orders (id INTEGER PRIMARY KEY)')`;
  run('node', '--input-type=module', '--eval', shop);
  run('pnpm', 'exec', 'tsc');
  assert.match(run('pnpm', 'exec', 'atlas', 'boot'), /plugins ready/);
  const atlas = join(folder, 'node_modules/.bin/atlas');
  assert.match(run(atlas, '--help'), /tables/);
  assert.match(run(atlas, 'tables'), /orders/);
  rmSync(folder, { recursive: true, force: true });
}
