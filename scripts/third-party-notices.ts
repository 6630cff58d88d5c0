/** Collects the license texts of the packages that Atlas is installed with, each text once. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ProductionPackage, productionPackages } from './production-packages.ts';

const ROOT = join(import.meta.dirname, '..');
const LINE = '-'.repeat(80);
const HEADER = `Atlas is installed with these packages of others, under their own licenses. Those whose code is
part of the web console or the documentation are named in assets/third-party-notices.txt of its pages.`;

/** Texts of the license files, and of notices that the license wants to be kept. */
function textsOf({ path, license }: ProductionPackage, root: string): string {
  const files = globSync('{LICENSE,LICENCE,License,license,COPYING,NOTICE}*', {
    cwd: join(root, path),
    withFileTypes: true,
  });
  const texts = files
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8').replaceAll('\r\n', '\n').trim())
    .toSorted();
  return texts.length === 0 ? `No license file; its package.json says: ${license ?? 'nothing'}.` : texts.join('\n\n');
}

/** The file THIRD-PARTY-NOTICES of the package. */
export function thirdPartyNotices(root = ROOT): string {
  const byText = Map.groupBy(productionPackages(root), (item) => textsOf(item, root));
  const sections = [...byText].map(([text, packages]) => {
    const names = packages.map(({ name, version, license }) => `${name} ${version} (${license ?? 'no license named'})`);
    return `${[...new Set(names)].join('\n')}\n\n${text}`;
  });
  return `${[HEADER, ...sections].join(`\n\n${LINE}\n\n`)}\n`;
}
