/** Adds to a bundle the license texts of the packages whose code is in it, which their licenses ask to be given along. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const PATH = 'assets/third-party-notices.txt';

/** The folder of the package that a module is part of. */
function packageFolder(id: string): string | undefined {
  return /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1];
}

function noticeOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const [file] = globSync('{LICENSE,LICENCE,license}*', { cwd: folder });
  return `${name} ${version} (${license})\n\n${file === undefined ? '' : readFileSync(join(folder, file), 'utf8').trim()}`;
}

type Bundled = Readonly<
  Record<string, { readonly type: 'asset' } | { readonly type: 'chunk'; readonly moduleIds: readonly string[] }>
>;
interface Emitting {
  emitFile(file: { readonly type: 'asset'; readonly fileName: string; readonly source: string }): string;
}

/** A plugin of Vite, of any version in use here. */
export const bundledNotices = () => ({
  name: 'third-party-notices',
  generateBundle(this: Emitting, _options: unknown, bundled: Bundled): void {
    const modules = Object.values(bundled).flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
    const folders = new Set(modules.map(packageFolder).filter((folder) => folder !== undefined));
    const notices = [...folders].toSorted().map(noticeOf);
    this.emitFile({ type: 'asset', fileName: PATH, source: notices.join(`\n\n${'-'.repeat(80)}\n\n`) });
  },
});
