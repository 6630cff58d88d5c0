/** Finds what a built site must not have: links that lead nowhere, and what the policy of its server would refuse. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Scripts and styles in the page, and in the texts from which scripts make parts of it. */
const INLINE = [
  /<script(?![^>]* src=)[^>]*>/,
  /<style/,
  /<[a-z][^<>]* style=\\?"[^<>]*>/,
  /<[a-z][^<>]* on[a-z]+=\\?"/,
];

/** One line for each fault of the site in `folder`, which is served at `base`. */
export function siteFaults(folder: string, base: string): string[] {
  const files = new Set(globSync('**/*.*', { cwd: folder }));
  const pages = [...files].filter((path) => path.endsWith('.html'));
  const texts = new Map(pages.map((path) => [path, readFileSync(join(folder, path), 'utf8')]));
  const anchors = new Map(
    pages.map((path) => [
      path,
      new Set(Array.from((texts.get(path) ?? '').matchAll(/ id="([^"]+)"/g), ([, id]) => id)),
    ]),
  );
  const faults: string[] = [];
  for (const [path, html] of texts) {
    for (const [, name, link = ''] of html.matchAll(/<(?!a )[^>]* (src|href)="([^"]+)"/g)) {
      if (!link.startsWith(base) && !link.startsWith('data:'))
        faults.push(`${path}: ${name} ${link} is not of this site`);
    }
    for (const [, link = ''] of html.matchAll(/ (?:href|src)="([^"]+)"/g)) {
      const { origin, pathname, hash } = new URL(link, `http://site${base}${path}`);
      if (origin !== 'http://site') continue;
      const target = pathname.startsWith(base) ? decodeURI(pathname.slice(base.length)) || 'index.html' : pathname;
      const isThere = files.has(target) && (hash === '' || anchors.get(target)?.has(decodeURIComponent(hash.slice(1))));
      if (!isThere) faults.push(`${path}: the link ${link} leads nowhere`);
    }
  }
  for (const path of [...files].filter((name) => /\.(?:html|md\..*\.js)$/.test(name))) {
    const text = texts.get(path) ?? readFileSync(join(folder, path), 'utf8');
    for (const pattern of INLINE) {
      const found = pattern.exec(text)?.[0];
      if (found !== undefined) faults.push(`${path}: ${found} would be refused by the policy of the server`);
    }
  }
  return faults;
}
