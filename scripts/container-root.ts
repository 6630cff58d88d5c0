/**
 * Assembles the root file system of the container image in a folder, without a daemon or a registry:
 * `npm run container:root -- FOLDER [--without-system] [PACKAGE…]`, with the names of optional packages, `*` for any.
 * Prints the name of the package that is in it, and its hash as npm writes it.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, matchesGlob, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { productionPackages } from './production-packages.ts';

const ROOT = resolve(import.meta.dirname, '..');
const WITH_THEIR_CHILDREN = { recursive: true } as const;
/** Where the distroless image has Node. */
const NODE = 'nodejs/bin/node';
/** Folders that the system fills; the distroless image has them. */
const OF_SYSTEM = ['tmp', 'proc', 'dev'];
/** For temporary files of every user. */
const SHARED_FOLDER = 0o1777;

/** Unpacks the packed package, and puts what it needs beside it, in the versions of the lock file. */
function installPackage(target: string, optional: readonly string[]): void {
  const folder = mkdtempSync(join(tmpdir(), 'atlas-root-'));
  try {
    const packed = execFileSync('npm', ['pack', '--json', '--pack-destination', folder], {
      cwd: ROOT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    mkdirSync(target, WITH_THEIR_CHILDREN);
    const { filename, integrity } = JSON.parse(packed)[0];
    console.log(`${filename} ${integrity}`);
    execFileSync('tar', ['-xzf', join(folder, filename), '-C', target, '--strip-components=1', '--no-same-owner']);
  } finally {
    rmSync(folder, { recursive: true });
  }
  for (const { path } of productionPackages(ROOT, optional)) {
    const from = join(ROOT, path);
    // Packages inside a package stand in the list themselves, as far as they are needed.
    const filter = (source: string) => source !== join(from, 'node_modules');
    cpSync(from, join(target, path), { ...WITH_THEIR_CHILDREN, filter });
  }
  cpSync(join(ROOT, 'operations/container/health.mjs'), join(target, 'health.mjs'));
}

/** Copies the running Node with the libraries that it is linked to, and makes the folders of a system. */
function copySystem(target: string): void {
  for (const path of OF_SYSTEM) mkdirSync(join(target, path), WITH_THEIR_CHILDREN);
  chmodSync(join(target, 'tmp'), SHARED_FOLDER);
  const libraries = execFileSync('ldd', [process.execPath], { encoding: 'utf8' });
  const paths = [...libraries.matchAll(/(?:=> |^\s+)(\/\S+)/gm)].map(([, path = '']) => path);
  const copies = [...paths.map((path) => [path, path] as const), [process.execPath, NODE] as const];
  for (const [from, to] of copies) {
    mkdirSync(dirname(join(target, to)), WITH_THEIR_CHILDREN);
    copyFileSync(from, join(target, to));
  }
}

/** The names of optional packages that one of the patterns matches. Throws for a pattern that matches none. */
function optionalPackages(patterns: readonly string[]): string[] {
  const { peerDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  return patterns.flatMap((pattern) => {
    const names = Object.keys(peerDependencies).filter((name) => matchesGlob(name, pattern));
    if (names.length === 0) throw new Error(`"${pattern}" is no optional package: docs/configuration.md lists them.`);
    return names;
  });
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'without-system': { type: 'boolean', default: false } },
});
const [folder, ...patterns] = positionals;
if (folder === undefined) throw new Error('Give the folder of the root file system.');
const target = resolve(folder);
mkdirSync(join(target, 'srv/atlas'), WITH_THEIR_CHILDREN);
installPackage(join(target, 'app'), optionalPackages(patterns));
if (!values['without-system']) copySystem(target);
