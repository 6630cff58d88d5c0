/** Finds the pages of the documentation, and says where each stands on the site and which anchors it has. */
import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** Files of the repository that are pages of the site: those that the package brings. */
export const sourcePages = (): string[] =>
  globSync('{*,docs/*,docs/plugins/*,kernel/README,plugins/*/README,examples/README}.md', { cwd: ROOT }).toSorted();

/** Pages of the folder `docs` stand at the root, others in their own folder. */
export const pathOnSite = (source: string): string => source.replace(/^docs\//, '');

/** A link of one file of the repository to another, as it is between their pages; `undefined` where there is no such page. */
export function linkOnSite(source: string, link: string, pages: ReadonlySet<string>): string | undefined {
  const [path = '', anchor] = link.split('#', 2);
  const target = posix.join(posix.dirname(source), path);
  if (!pages.has(target)) return undefined;
  const relative = posix.relative(posix.dirname(pathOnSite(source)), pathOnSite(target));
  return `${relative.startsWith('.') ? '' : './'}${relative}${anchor === undefined ? '' : `#${anchor}`}`;
}

/** The anchor of a heading, as GitHub makes it from its text. */
export const headingAnchor = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-');

const withoutBlocks = (markdown: string) => markdown.replace(/^```[\s\S]*?^```$/gm, '');

/** The anchors of all headings of a page; of several with one text, the later ones are numbered. */
export function anchorsOf(markdown: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of withoutBlocks(markdown).matchAll(/^#{1,6} (.+)$/gm)) {
    const text = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
    const anchor = headingAnchor(text);
    let free = anchor;
    for (let count = 1; anchors.has(free); count += 1) free = `${anchor}-${count}`;
    anchors.add(free);
  }
  return anchors;
}

/** The heading of a file, which is its name in the menus. */
export function titleOf(source: string): string {
  const heading = /^# (.+)$/m.exec(readFileSync(join(ROOT, source), 'utf8'))?.[1] ?? source;
  return heading.replaceAll('`', '');
}
