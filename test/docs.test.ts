/** The documentation matches the code: generated tables are fresh, and everything public stands somewhere. */
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pagesWithBlocks, renew } from '../scripts/docs.ts';
import { generatedTables } from '../scripts/docs-tables.ts';

const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...globSync('{docs,docs/plugins,kernel,plugins/*}/*.md'),
];
const tables = await generatedTables();

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
      const text = readFileSync(path, 'utf8').replace(/```[\s\S]*?```/g, '');
      for (const [, target = ''] of text.matchAll(/\]\(([^)\s#]+)(?:#[^)]*)?\)/g)) {
        if (/^[a-z]+:/.test(target)) continue;
        expect(existsSync(join(dirname(path), target)), `${path} links to ${target}`).toBe(true);
      }
    }
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
