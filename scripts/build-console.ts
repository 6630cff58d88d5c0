/**
 * Builds the pages of the web console into `dist`, where its plugin finds them, compressed with Brotli.
 * `--if-changed`: only where the sources are not those of the last build.
 */
import { createHash } from 'node:crypto';
import { globSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants } from 'node:zlib';
import { compressFiles } from './brotli-files.ts';
import { bundledNotices } from './bundled-notices.ts';

const ROOT = join(import.meta.dirname, '..');
const PLUGINS = join(ROOT, 'plugins');
const SOURCES = join(PLUGINS, 'web-console/app');
const OUTPUT = join(ROOT, 'dist/plugins/web-console/public');
/** Becomes the output once it is whole: what a server or another build reads meanwhile is the one before. */
const PREPARED = `${OUTPUT}.${process.pid}`;
const STAMP = 'sources.sha256';

/** Given while a clone is installed. */
const isOptional = process.argv.includes('--if-changed');
/** The best makes the files 7 % smaller than 9 does, and takes 3.3 s instead of 0.5 s: worth it for the package alone. */
const BROTLI_QUALITY = isOptional ? 9 : constants.BROTLI_MAX_QUALITY;

/** Hashes everything that goes into the build: the sources, the packages, and its scripts. */
function sourceHash(): string {
  const hash = createHash('sha256');
  const files = globSync(['web-console/app/**/*', '{chart,text}-kit/*.ts'], {
    cwd: PLUGINS,
    withFileTypes: true,
  }).filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).toSorted();
  const scripts = ['brotli-files.ts', 'build-console.ts', 'bundled-notices.ts'];
  const others = ['package-lock.json', ...scripts.map((name) => `scripts/${name}`)];
  for (const path of [...paths, ...others.map((name) => join(ROOT, name))]) {
    hash.update(`${path.slice(ROOT.length)}\0`).update(readFileSync(path));
  }
  return hash.digest('hex');
}

function isBuilt(hash: string): boolean {
  try {
    return readFileSync(join(OUTPUT, STAMP), 'utf8') === hash;
  } catch {
    return false;
  }
}

async function build(hash: string): Promise<void> {
  // The libraries have a slower form for development, which a test would choose.
  process.env.NODE_ENV = 'production';
  const { build: bundle } = await import('vite');
  const { default: react } = await import('@vitejs/plugin-react');
  await bundle({
    configFile: false,
    root: SOURCES,
    logLevel: 'warn',
    publicDir: false,
    plugins: [react(), bundledNotices()],
    build: {
      outDir: PREPARED,
      emptyOutDir: true,
      target: 'es2023',
      // Under the policy of the pages, inline data is for images alone.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      chunkSizeWarningLimit: 2_000,
      // What the first page needs is one file: over HTTP/1 a browser asks for six at a time, and each round costs a slow line 150 ms.
      rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'initial', tags: ['$initial'] }] } } },
    },
  });
  compressFiles(PREPARED, 'assets/*', BROTLI_QUALITY);
  writeFileSync(join(PREPARED, STAMP), hash);
  rmSync(OUTPUT, { recursive: true, force: true });
  try {
    renameSync(PREPARED, OUTPUT);
  } catch (error) {
    // Another process has built the same in the meantime.
    if (!isBuilt(hash)) throw error;
    rmSync(PREPARED, { recursive: true, force: true });
  }
}

const hash = sourceHash();
if (!isOptional || !isBuilt(hash)) {
  try {
    await build(hash);
  } catch (error) {
    rmSync(PREPARED, { recursive: true, force: true });
    console.error(`The web console was not built: ${error instanceof Error ? error.message : String(error)}`);
    console.error('Atlas runs without it; npm run build:console tries again.');
    process.exitCode = 1;
  }
}
