/** Checks the walls: who may import whom, no circles, and how large the kernel may be. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { circles, folderOf, type Import, importsOf, innerImports, sources } from './harness/imports.ts';

const ROOT = join(import.meta.dirname, '..');
const EVERYTHING = '{kernel,plugins,config,bin,scripts,examples,test}/**/*.{ts,tsx}';
const KERNEL_PACKAGES = [
  'tsyringe',
  'reflect-metadata',
  'eventemitter3',
  '@sinclair/typebox',
  '@sinclair/typebox/value',
];
const MAX_KERNEL_LINES = 2_200;
/** Without comments, which a grammar needs for its examples. What does not fit this fallback is asked about or declined. */
const MAX_READER_LINES = 4_650;
/** They measure, attack or prepare inner functions; nothing is built on them. */
const WHITE_BOX = /^test\/(?:bench|fuzz|growth)\//;

function textOf(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

/** A file without its comments. */
function codeOf(file: string): string {
  return textOf(file).replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*$/gm, '');
}

function linesOf(file: string): number {
  return textOf(file).split('\n').length - 1;
}

function offenders(files: readonly string[], allowed: (target: string, file: string) => boolean): string[] {
  return files
    .flatMap((file) => importsOf(file))
    .filter(({ target, file }) => !allowed(target, file))
    .map(shown);
}

const shown = ({ file, target }: Import) => `${file} imports ${target}`;

describe('boundaries', () => {
  it('the check sees imports at all', () => {
    expect(sources('kernel/**/*.ts').flatMap((file) => importsOf(file)).length).toBeGreaterThan(50);
    expect(importsOf('kernel/services.ts').map(({ target }) => target)).toContain('tsyringe');
  });

  it('the kernel imports only itself, Node and its four libraries', () => {
    const bad = offenders(
      sources('kernel/**/*.ts'),
      (target) => target.startsWith('kernel/') || target.startsWith('node:') || KERNEL_PACKAGES.includes(target),
    );
    expect(bad).toEqual([]);
  });

  it('the kernel neither exits, prints, retries nor names a plugin', () => {
    const plugins = globSync('plugins/*', { cwd: ROOT }).map((path) => path.slice('plugins/'.length));
    for (const file of sources('kernel/**/*.ts')) {
      const code = codeOf(file);
      expect(code, file).not.toMatch(/process\.exit|console\.|\bfastify\b|\bretry\(/);
      const named = plugins.filter((name) => name.includes('-') && code.includes(`'${name}'`));
      expect(named, file).toEqual([]);
    }
  });

  it('plugins import nothing of the composition, the executable or the tests', () => {
    const bad = offenders(sources('plugins/**/*.{ts,tsx}'), (target) => !/^(?:config|bin|test|scripts)\//.test(target));
    expect(bad).toEqual([]);
  });

  it('an import of another plugin, or of the kernel, ends in its index.ts', () => {
    const files = globSync(EVERYTHING, { cwd: ROOT, exclude: ['**/node_modules/**'] });
    const outside = files.filter((file) => !WHITE_BOX.test(file) && !file.startsWith('test/kernel/'));
    expect(innerImports(outside.flatMap((file) => importsOf(file))).map(shown)).toEqual([]);
  });

  it.each([
    ['plugins/x/y.ts', "import { Rows } from '../z/rows.ts'"],
    ['plugins/x/y.ts', "import type { Rows } from '../z/rows.ts'"],
    ['plugins/x/y.ts', "export * from '../../kernel/app.ts'"],
    ['plugins/x/room/y.ts', "const rows = await import('../../z/rows.ts')"],
    ['plugins/x/y.ts', "type Rows = import('../z/rows.ts').Rows"],
    ['test/integration/x.test.ts', "import { Rows } from '../../plugins/z/rows.ts'"],
    ['config/env.ts', "import { Rows } from '../plugins/z/rows.ts'"],
  ])('which in %s is not: %s', (file, text) => {
    expect(innerImports(importsOf(file, text))).toHaveLength(1);
  });

  it('no files import each other in a circle, types included, and no folders do', () => {
    const imports = sources('{kernel,plugins,config,bin}/**/*.{ts,tsx}').flatMap((file) => importsOf(file));
    expect(circles(imports)).toEqual([]);
    const folders = imports.map(({ file, target }) => ({ file: folderOf(file), target: folderOf(target) }));
    expect(circles(folders)).toEqual([]);
  });

  it('a circle is found however long it is', () => {
    const arrow = (file: string, target: string) => ({ file, target });
    expect(circles([arrow('a', 'b'), arrow('b', 'c'), arrow('d', 'a'), arrow('c', 'b')])).toEqual([['b', 'c']]);
    expect(circles([arrow('a', 'b'), arrow('b', 'c'), arrow('c', 'a'), arrow('x', 'y'), arrow('a', 'x')])).toEqual([
      ['a', 'b', 'c'],
    ]);
    expect(circles([arrow('a', 'b'), arrow('a', 'c'), arrow('b', 'c')])).toEqual([]);
  });

  it(`the offline reader has at most ${MAX_READER_LINES} lines without its tests and comments`, () => {
    const files = sources('plugins/model-offline/**/*.ts').filter(
      (file) => !/\.(test|fixture|questions)\.ts$/.test(file),
    );
    const all = files.flatMap((file) => textOf(file).trimEnd().split('\n'));
    const lines = all.filter((line) => !/^\s*(?:\/\/|\/?\*)/.test(line));
    expect(lines.length).toBeLessThanOrEqual(MAX_READER_LINES);
  });

  it(`the kernel has at most ${MAX_KERNEL_LINES} lines in all`, () => {
    const lines = sources('kernel/**/*.ts').reduce((sum, file) => sum + linesOf(file), 0);
    expect(lines).toBeLessThanOrEqual(MAX_KERNEL_LINES);
  });

  it('files stay short: 300 lines in the kernel, 400 elsewhere', () => {
    const longer = (pattern: string, most: number) => sources(pattern).filter((file) => linesOf(file) > most);
    expect(longer('kernel/**/*.ts', 300)).toEqual([]);
    expect(longer('{plugins,config,bin,scripts}/**/*.{ts,tsx}', 400)).toEqual([]);
    expect(longer('plugins/*/index.ts', 120)).toEqual([]);
  });

  it('no secret, no escape hatch of the type system', () => {
    for (const file of sources('{kernel,plugins,config,bin}/**/*.{ts,tsx}')) {
      const text = textOf(file);
      expect(text, file).not.toMatch(/@ts-(?:ignore|nocheck)/);
      expect(codeOf(file), file).not.toMatch(/\bas any\b/);
      expect(text, file).not.toMatch(/sk-[A-Za-z0-9]{20,}/);
    }
  });
});
