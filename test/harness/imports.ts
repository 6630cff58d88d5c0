/** Reads the imports of the project's files, and finds those that cross a wall or form a circle. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** `target` is a path from the root of the project, or the name of a package. */
export interface Import {
  readonly file: string;
  readonly target: string;
}

/** The files of a pattern that are neither tests nor fixtures, nor of a package that is installed there. */
export function sources(pattern: string): string[] {
  return globSync(pattern, { cwd: ROOT, exclude: ['**/node_modules/**'] }).filter((file) => !isTest(file));
}

function isTest(file: string): boolean {
  return /\.(test|fixture)\.tsx?$|\/fixtures\//.test(file);
}

const IMPORT = /^\s*(?:import|export)\b[^'";]*?\bfrom\s+'([^']+)'|^\s*import\s+'([^']+)'|\bimport\('([^']+)'\)/gm;

/** Type imports and `import()` included. */
export function importsOf(file: string, text = readFileSync(join(ROOT, file), 'utf8')): Import[] {
  return Array.from(text.matchAll(IMPORT), ([, from, bare, dynamic]) => {
    const specifier = from ?? bare ?? dynamic ?? '';
    return { file, target: specifier.startsWith('.') ? normalize(join(dirname(file), specifier)) : specifier };
  });
}

/** The plugin or kit that a file belongs to; `undefined` for files elsewhere. */
function pluginOf(path: string): string | undefined {
  return /^plugins\/([^/]+)\//.exec(path)?.[1];
}

/** Imports of another plugin's or of the kernel's inner files. */
export function innerImports(imports: readonly Import[]): Import[] {
  return imports.filter(({ file, target }) => {
    if (target.startsWith('kernel/')) return !file.startsWith('kernel/') && target !== 'kernel/index.ts';
    const plugin = pluginOf(target);
    return plugin !== undefined && plugin !== pluginOf(file) && target !== `plugins/${plugin}/index.ts`;
  });
}

/** The folder that an import leaves or enters: a plugin, or the first part of the path. */
export function folderOf(path: string): string {
  const plugin = pluginOf(path);
  return plugin === undefined ? (path.split('/')[0] ?? path) : `plugins/${plugin}`;
}

/** Groups of names that reach each other through the arrows, each sorted: Tarjan's strongly connected components. */
export function circles(arrows: readonly Import[]): string[][] {
  const targets = new Map<string, Set<string>>();
  for (const { file, target } of arrows) {
    if (file === target) continue;
    const known = targets.get(file) ?? new Set();
    targets.set(file, known.add(target));
  }
  const found: string[][] = [];
  const indexes = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const visit = (name: string): number => {
    const index = indexes.size;
    indexes.set(name, index);
    let low = index;
    stack.push(name);
    for (const target of targets.get(name) ?? []) {
      if (!indexes.has(target)) low = Math.min(low, visit(target));
      else if (stack.includes(target)) low = Math.min(low, lowest.get(target) ?? indexes.get(target) ?? low);
      lowest.set(name, low);
    }
    lowest.set(name, low);
    if (low !== index) return low;
    const group = stack.splice(stack.indexOf(name));
    if (group.length > 1) found.push(group.sort());
    return low;
  };
  for (const name of targets.keys()) if (!indexes.has(name)) visit(name);
  return found;
}
