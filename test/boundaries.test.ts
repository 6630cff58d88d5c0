/** Who may import whom: the kernel almost nothing, a plugin of the kernel its public surface only. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const KERNEL_PACKAGES = [
  'tsyringe',
  'reflect-metadata',
  'eventemitter3',
  '@sinclair/typebox',
  '@sinclair/typebox/value',
];

interface Import {
  readonly file: string;
  readonly target: string;
}

function sources(pattern: string): string[] {
  return globSync(pattern, { cwd: root }).filter((file) => !/\.(test|fixture)\.ts$|\/fixtures\//.test(file));
}

/** A file without its comments. */
function codeOf(file: string): string {
  return readFileSync(join(root, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*$/gm, '');
}

function importsOf(file: string): Import[] {
  const text = readFileSync(join(root, file), 'utf8');
  const found = text.matchAll(
    /^\s*(?:import|export)\b[^'";]*?\bfrom\s+'([^']+)'|^\s*import\s+'([^']+)'|\bimport\('([^']+)'\)/gm,
  );
  return [...found].map((match) => {
    const specifier = match[1] ?? match[2] ?? match[3] ?? '';
    const target = specifier.startsWith('.') ? normalize(join(dirname(file), specifier)) : specifier;
    return { file, target };
  });
}

function offenders(files: readonly string[], allowed: (target: string, file: string) => boolean): string[] {
  return files
    .flatMap(importsOf)
    .filter(({ target, file }) => !allowed(target, file))
    .map(({ file, target }) => `${file} imports ${target}`);
}

describe('boundaries', () => {
  it('the check sees imports at all', () => {
    expect(sources('kernel/**/*.ts').flatMap(importsOf).length).toBeGreaterThan(50);
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
    const plugins = globSync('plugins/*', { cwd: root }).map((path) => path.slice('plugins/'.length));
    for (const file of sources('kernel/**/*.ts')) {
      const code = codeOf(file);
      expect(code, file).not.toMatch(/process\.exit|console\.|\bfastify\b|\bretry\(/);
      const named = plugins.filter((name) => name.includes('-') && code.includes(`'${name}'`));
      expect(named, file).toEqual([]);
    }
  });

  it('plugins see of the kernel its public surface only, and nothing of bin, config or tests', () => {
    const bad = offenders(sources('plugins/**/*.ts'), (target) => {
      if (target.startsWith('kernel/')) return target === 'kernel/index.ts';
      return !/^(bin|config|scripts|test)\//.test(target);
    });
    expect(bad).toEqual([]);
  });

  it('files stay short: 300 lines in the kernel, 400 elsewhere', () => {
    const lines = (file: string) => readFileSync(join(root, file), 'utf8').split('\n').length - 1;
    const kernel = sources('kernel/**/*.ts').map((file) => ({ file, lines: lines(file) }));
    expect(kernel.filter((entry) => entry.lines > 300)).toEqual([]);
    const long = sources('{bin,plugins,config,scripts}/**/*.ts').filter((file) => lines(file) > 400);
    expect(long).toEqual([]);
    const wiring = sources('plugins/*/index.ts').filter((file) => lines(file) > 120);
    expect(wiring).toEqual([]);
  });

  it('the kernel has at most 2,200 lines in all, types and comments included', () => {
    const total = sources('kernel/**/*.ts').reduce(
      (sum, file) => sum + readFileSync(join(root, file), 'utf8').split('\n').length - 1,
      0,
    );
    expect(total).toBeGreaterThan(1_000);
    expect(total).toBeLessThanOrEqual(2_200);
  });

  it('no secret, no escape hatch of the type system', () => {
    for (const file of sources('{bin,kernel,plugins,config}/**/*.ts')) {
      const text = readFileSync(join(root, file), 'utf8');
      expect(text, file).not.toMatch(/@ts-(?:ignore|nocheck)/);
      expect(codeOf(file), file).not.toMatch(/\bas any\b/);
      expect(text, file).not.toMatch(/sk-[A-Za-z0-9]{20,}/);
    }
  });
});
