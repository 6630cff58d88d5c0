/** The documentation matches the code: generated tables are fresh, and everything public stands somewhere. */
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pagesWithBlocks, renew } from '../scripts/docs.ts';
import { NAVIGATION } from '../scripts/docs-site/navigation.ts';
import { anchorsOf, sourcePages } from '../scripts/docs-site/pages.ts';
import { generatedTables } from '../scripts/docs-tables.ts';
import { OPTIONAL_PACKAGES } from '../scripts/optional-packages.ts';

const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...globSync('{docs,docs/plugins,kernel,plugins/*,examples}/*.md'),
];
const tables = await generatedTables();

/** Links between files, and within one, with their anchors. */
function links(path: string): { target: string; anchor: string | undefined }[] {
  const text = readFileSync(path, 'utf8').replace(/```[\s\S]*?```/g, '');
  return Array.from(text.matchAll(/\]\((?![a-z]+:)([^)\s#]*)(?:#([^)]*))?\)/g), ([, target = '', anchor]) => ({
    target,
    anchor,
  }));
}

const relativeLinks = (path: string) => links(path).flatMap(({ target }) => (target === '' ? [] : [target]));

describe('documentation', () => {
  it.each(pagesWithBlocks(pages))('the tables of %s are fresh; if not, run "npm run docs"', (path) => {
    const page = readFileSync(path, 'utf8');
    expect(page).toBe(renew(page, tables));
  });

  it('every generated table stands on a page', () => {
    const all = pagesWithBlocks(pages)
      .map((path) => readFileSync(path, 'utf8'))
      .join('\n');
    for (const name of Object.keys(tables)) expect(all, name).toContain(`<!-- generated: ${name} -->`);
  });

  it('every plugin has a README with a heading of its name', () => {
    for (const folder of globSync('plugins/*/index.ts').map(dirname)) {
      const path = join(folder, 'README.md');
      expect(existsSync(path), path).toBe(true);
      expect(readFileSync(path, 'utf8'), path).toMatch(new RegExp(`^# \`?${folder.slice('plugins/'.length)}`));
    }
  });

  it('every plugin of the server stands in the list of plugins, with its options', () => {
    const listed = readFileSync('docs/plugins.md', 'utf8');
    for (const path of globSync('plugins/*/index.ts')) {
      const name = path.split('/')[1] ?? '';
      const text = readFileSync(path, 'utf8');
      const isOfServer = text.includes('definePlugin(') && /^ {2}type: '(?!command')/m.test(text);
      if (isOfServer) expect(listed, name).toContain(`### ${name}\n`);
    }
  });

  it('links lead somewhere', () => {
    for (const path of pages) {
      for (const target of relativeLinks(path)) {
        expect(existsSync(join(dirname(path), target)), `${path} links to ${target}`).toBe(true);
      }
    }
  });

  it('links to a part of a page lead to a heading', () => {
    const anchors = new Map(pages.map((path) => [path, anchorsOf(readFileSync(path, 'utf8'))]));
    const dead = pages.flatMap((path) =>
      links(path)
        .filter(({ anchor }) => anchor !== undefined)
        .map(({ target, anchor = '' }) => ({ to: target === '' ? path : join(dirname(path), target), anchor }))
        .filter(({ to, anchor }) => anchors.get(to)?.has(anchor) !== true)
        .map(({ to, anchor }) => `${path} links to ${to}#${anchor}`),
    );
    expect(dead).toEqual([]);
  });

  it('every page of the folder docs stands once in the menus of its site, with an existing file', () => {
    const listed = NAVIGATION.flatMap(({ pages: section }) => section);
    expect(listed.filter((path) => path.startsWith('docs/')).toSorted()).toEqual(globSync('docs/**/*.md').toSorted());
    expect(listed.filter((path) => !sourcePages().includes(path))).toEqual([]);
  });

  it('links of the packed pages lead to packed files', () => {
    const packed = execFileSync('npm', ['pack', '--dry-run', '--ignore-scripts', '--json'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const files: string[] = JSON.parse(packed)[0].files.map(({ path }: { path: string }) => path);
    const folders = files.map((path) => `${dirname(path)}/`);
    const dead = files
      .filter((path) => path.endsWith('.md'))
      .flatMap((path) => relativeLinks(path).map((target) => ({ path, target, full: join(dirname(path), target) })))
      .filter(({ full }) => !files.includes(full) && !folders.some((folder) => folder.startsWith(`${full}/`)));
    expect(dead.map(({ path, target }) => `${path} links to ${target}`)).toEqual([]);
  });

  it.each([
    ['docs/writing-a-plugin.md', 'examples/own-plugin'],
    ['docs/writing-a-datasource.md', 'examples/own-datasource'],
  ])('%s shows %s as it is', (page, folder) => {
    const guide = readFileSync(page, 'utf8');
    for (const file of readdirSync(folder)) {
      const shown = guide.split(`\`\`\`ts ${file}\n`)[1]?.split('```\n')[0];
      expect(shown, file).toBe(readFileSync(join(folder, file), 'utf8'));
    }
  });

  it('every optional package has a command that installs it, single sign-on the same on its page', () => {
    const { peerDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
    const named = OPTIONAL_PACKAGES.flatMap(({ packages }) => packages.map((name) => name.replace(/@[^@]*$/, '')));
    expect([...new Set(named)].sort()).toEqual(Object.keys(peerDependencies).sort());
    const signOn = OPTIONAL_PACKAGES.find(({ use }) => use.includes('sign-on'))?.packages.join(' ');
    expect(readFileSync('docs/single-sign-on.md', 'utf8')).toContain(`npm i ${signOn}\n`);
  });

  it('the changelog names the version of the package', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(readFileSync('CHANGELOG.md', 'utf8')).toContain(`## ${version}`);
  });

  it('names no registry, no path of a machine', () => {
    for (const path of pages) {
      expect(readFileSync(path, 'utf8'), path).not.toMatch(/registry\.npmjs|deb\.debian|\/work\/|\/root\/|\/home\//);
    }
  });
});
