#!/usr/bin/env node
/**
 * Stands in for npm where a page is followed without a registry: packages come from this repository, and this package
 * from its sources. The smoke test follows the same pages with npm and pnpm.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const modules = join(process.cwd(), 'node_modules');

function link(target, path) {
  mkdirSync(dirname(path), { recursive: true });
  if (!existsSync(path)) symlinkSync(target, path);
}

function manifest(change) {
  const path = join(process.cwd(), 'package.json');
  const before = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {};
  writeFileSync(path, JSON.stringify({ ...before, ...change(before) }));
}

/** The package by its sources: Node and Vite follow the link out of `node_modules`, and take off the types. */
function installAtlas() {
  const folder = join(modules, 'atlas-query');
  link(root, join(folder, 'src'));
  const exports = {
    '.': './src/index.ts',
    './plugins/*': './src/plugins/*/index.ts',
    './presets/*': './src/config/presets/*.ts',
    './testing': './src/test/testing.ts',
  };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'atlas-query', type: 'module', exports }));
}

function install(wanted) {
  for (const name of readdirSync(join(root, 'node_modules')))
    link(join(root, 'node_modules', name), join(modules, name));
  installAtlas();
  if (wanted?.startsWith('/')) {
    const { name } = JSON.parse(readFileSync(join(wanted, 'package.json'), 'utf8'));
    link(wanted, join(modules, name));
    manifest(({ dependencies }) => ({ dependencies: { ...dependencies, [name]: `file:${wanted}` } }));
  }
  // What the script `prepare` builds.
  if (!existsSync('src/index.ts')) return;
  mkdirSync('dist', { recursive: true });
  writeFileSync('dist/index.js', "export * from '../src/index.ts';\n");
}

const [command, ...args] = process.argv.slice(2);
if (command === 'init') manifest(() => ({ name: 'ours' }));
else if (command === 'pkg') manifest(() => ({ type: 'module' }));
else if (command === 'install') install(args.at(-1));
else if (command === 'test') {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  process.exitCode = spawnSync(process.execPath, [vitest, 'run'], { stdio: 'inherit' }).status ?? 1;
} else throw new Error(`npm ${command} is not known here`);
