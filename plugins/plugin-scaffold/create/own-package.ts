/** Reads what the running package says of itself, and where it was installed from. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';

export interface OwnPackage {
  readonly folder: string;
  /** Whether it runs from a clone of the repository, and not from an installed package. */
  readonly isClone: boolean;
  readonly name: string;
  readonly version: string;
  readonly engines: { readonly node: string };
  readonly devDependencies: Readonly<Record<string, string>>;
}

export function ownPackage(): OwnPackage {
  const path = createRequire(import.meta.url).resolve('atlas-query/package.json');
  return { folder: dirname(path), isClone: import.meta.url.endsWith('.ts'), ...JSON.parse(readFileSync(path, 'utf8')) };
}

type Manifest = Readonly<Record<string, unknown>>;

function manifestIn(folder: string): Manifest | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  } catch {
    return undefined;
  }
}

function foldersAbove(folder: string): string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...foldersAbove(above)];
}

const LOCAL = /^(?:file:|link:|\.{0,2}\/)/;
const ELSEWHERE = /^(?:https?:|git\+|git:|github:)/;

/**
 * How `target` can depend on the package that runs, where the project got it from a file or an address and not from the
 * registry; `undefined` otherwise.
 */
export function localPackage(cwd: string, target: string, { name, folder: own }: OwnPackage): string | undefined {
  for (const folder of [...foldersAbove(cwd), ...foldersAbove(dirname(own))]) {
    const manifest = manifestIn(folder);
    for (const kind of ['dependencies', 'devDependencies', 'optionalDependencies']) {
      const spec = (manifest?.[kind] as Manifest | undefined)?.[name];
      if (typeof spec !== 'string') continue;
      if (ELSEWHERE.test(spec)) return spec;
      if (!LOCAL.test(spec)) return undefined;
      const path = resolve(folder, spec.replace(/^(?:file|link):(?:\/\/(?=\/))?/, ''));
      return `file:${relative(target, path).replaceAll('\\', '/')}`;
    }
  }
  return undefined;
}
