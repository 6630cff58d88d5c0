/** Writes the package.json of a new plugin. */
import type { OwnPackage } from './own-package.ts';

interface PackageFileInit {
  readonly name: string;
  /** The other files, by path. */
  readonly files: ReadonlyMap<string, string>;
  readonly own: OwnPackage;
  /** Where the running package comes from, unless it is the registry. */
  readonly local: string | undefined;
}

export function packageFile({ name, files, own, local }: PackageFileInit): string {
  const { version, engines, devDependencies } = own;
  const range = `^${version}`;
  // The first sentence of the README.
  const description = /\n\n([^.:]+: [^.]+)\./.exec(files.get('README.md') ?? '')?.[1]?.replace(/\s+/g, ' ');
  const hasData = [...files.keys()].some((path) => path.startsWith('data/'));
  const tools = ['@types/node', 'typescript', 'vitest'].map((tool) => [tool, devDependencies[tool]]);
  const content = {
    name,
    version: '0.1.0',
    description: `${description}.`,
    keywords: ['atlas-query', 'atlas-query-plugin'],
    type: 'module',
    engines: { node: engines.node },
    exports: {
      '.': { types: './dist/index.d.ts', default: './dist/index.js' },
      './package.json': './package.json',
    },
    files: ['dist', ...(hasData ? ['data'] : [])],
    scripts: {
      build: 'tsc -p tsconfig.build.json',
      prepare: 'tsc -p tsconfig.build.json',
      test: 'tsc && vitest run',
    },
    peerDependencies: { [own.name]: range },
    devDependencies: Object.fromEntries(
      [...tools, [own.name, local ?? range]].sort(([a = ''], [b = '']) => (a < b ? -1 : 1)),
    ),
  };
  return `${JSON.stringify(content, undefined, 2)}\n`;
}
