/**
 * Builds the documentation site with VitePress, for the web console or, with `--out FOLDER`, for any server of files:
 * `npm run build:docs -- [--out FOLDER] [--base /docs/0.2.0/] [--version 0.1.0=https://…/0.1.0/]…`. Fails on a dead link.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { constants } from 'node:zlib';
import { compressFiles } from './brotli-files.ts';
import { NAVIGATION } from './docs-site/navigation.ts';
import { pathOnSite, sourcePages } from './docs-site/pages.ts';
import { siteFaults } from './docs-site/site-faults.ts';

const ROOT = join(import.meta.dirname, '..');
const SITE = join(ROOT, 'scripts/docs-site');
/** What VitePress builds from: the pages as they are laid out on the site, and its settings. */
const SOURCES = join(SITE, `.build-${process.pid}`);
process.on('exit', () => rmSync(SOURCES, { recursive: true, force: true }));
const LOCK = join(SITE, 'package-lock.json');
/** The lock file of what is installed. */
const INSTALLED = join(SITE, 'node_modules/.installed.json');
/** A file that VitePress makes for every site. */
const SITE_MARK = 'hashmap.json';
/** Where a generated table begins and ends. */
const COMMENT = /^<!-- .* -->\n/gm;

const { values } = parseArgs({
  options: {
    base: { type: 'string', default: '/docs/' },
    out: { type: 'string' },
    version: { type: 'string', multiple: true, default: [] },
  },
});
function fail(...reasons: readonly string[]): never {
  console.error(`The documentation was not built: ${reasons.join('\n')}`);
  process.exit(1);
}

if (!/^\/(?:.*\/)?$/.test(values.base)) fail('--base begins and ends with a slash, such as /docs/0.2.0/.');
const output = resolve(values.out ?? join(ROOT, 'dist/plugins/web-console/docs'));
if (values.out !== undefined && globSync('*', { cwd: output }).length > 0 && !existsSync(join(output, SITE_MARK)))
  fail(`the folder ${values.out} has files that are no site, and would be replaced. Name another, or empty it.`);

function installVitePress(): void {
  const lock = readFileSync(LOCK, 'utf8');
  const isInstalled = () => globSync(INSTALLED).some((path) => readFileSync(path, 'utf8') === lock);
  if (isInstalled()) return;
  // In a folder of its own: another process may be building with what is installed, or install the same.
  for (const name of ['package.json', 'package-lock.json']) write(name, readFileSync(join(SITE, name)));
  // "npm pack --json --dry-run" would have this command do the same.
  const flags = ['--no-audit', '--no-fund', '--prefer-offline', '--no-json', '--no-dry-run', '--silent'];
  const { status } = spawnSync('npm', ['ci', ...flags], { cwd: SOURCES, stdio: ['ignore', 2, 2] });
  if (status !== 0) {
    rmSync(SOURCES, { recursive: true });
    fail('the packages of scripts/docs-site could not be installed. Check the network and run it again.');
  }
  if (isInstalled()) return;
  write('node_modules/.installed.json', lock);
  rmSync(join(SITE, 'node_modules'), { recursive: true, force: true });
  renameSync(join(SOURCES, 'node_modules'), join(SITE, 'node_modules'));
}

function startPage(): string {
  const { description } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const features = NAVIGATION.map(({ title, summary, pages: [first = ''] }) => ({
    title,
    details: summary,
    link: `/${pathOnSite(first)}`,
  }));
  // JSON is YAML.
  return `---\n${JSON.stringify({ layout: 'home', hero: { name: 'Atlas', tagline: description }, features })}\n---\n`;
}

function write(path: string, content: string | Buffer): void {
  const file = join(SOURCES, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

function writeSources(): void {
  for (const source of sourcePages()) {
    write(`pages/${pathOnSite(source)}`, readFileSync(join(ROOT, source), 'utf8').replace(COMMENT, ''));
  }
  for (const image of globSync('docs/*.{png,svg}', { cwd: ROOT })) {
    write(`pages/${pathOnSite(image)}`, readFileSync(join(ROOT, image)));
  }
  write('pages/index.md', startPage());
  write('.vitepress/config.ts', "export { default } from '../../config.ts';\n");
  write('.vitepress/theme/index.ts', "export { default } from '../../../theme.ts';\n");
}

/** The site in `folder`, and what is wrong with it. */
function build(folder: string): string[] {
  const vitepress = join(SITE, 'node_modules/vitepress/bin/vitepress.js');
  const args = [vitepress, 'build', SOURCES, '--base', values.base, '--outDir', folder, '--logLevel', 'warn'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: SITE,
    encoding: 'utf8',
    env: { ...process.env, ATLAS_DOCS_VERSIONS: values.version.join(' ') },
  });
  return status === 0 ? siteFaults(folder, values.base) : [stdout, stderr];
}

installVitePress();
writeSources();
/** Becomes the output once it is whole. */
const prepared = `${output}.${process.pid}`;
const faults = build(prepared);
rmSync(SOURCES, { recursive: true });
if (faults.length > 0) {
  rmSync(prepared, { recursive: true, force: true });
  fail(...faults);
}
if (values.out === undefined) compressFiles(prepared, '**/*.{css,html,js,json,svg,txt}', constants.BROTLI_MAX_QUALITY);
rmSync(output, { recursive: true, force: true });
renameSync(prepared, output);
