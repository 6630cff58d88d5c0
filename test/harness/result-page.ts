/** Builds a part of the web console into a temporary folder and serves it alone, under the policy of its pages. */
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { build, type Plugin } from 'vite';
import { PAGE_HEADERS } from '../../plugins/web-console/index.ts';
import { emptyFolder } from './command.ts';

const APP = join(import.meta.dirname, '../../plugins/web-console/app');
const ENTRY = 'virtual:built-page';
/** `showResult` renders with the given properties. */
const RESULT_VIEW = `
import '/styles/tokens.css';
import '/styles/base.css';
import { createElement, lazy, StrictMode, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
const Result = lazy(async () => ({ default: (await import('/result/result.tsx')).Result }));
const root = createRoot(document.getElementById('console'));
globalThis.showResult = (props) => root.render(createElement(StrictMode, null, createElement(Suspense, null, createElement(Result, props))));
`;

const entryOf = (script: string): Plugin => ({
  name: 'built-page',
  resolveId: (id) => (id === ENTRY ? `\0${ENTRY}` : undefined),
  load: (id) => (id === `\0${ENTRY}` ? script : undefined),
});

const TYPES: Readonly<Record<string, string>> = { '.js': 'text/javascript', '.css': 'text/css' };

export interface BuiltPage extends AsyncDisposable {
  readonly url: string;
  /** Paths of the built files. */
  readonly folder: string;
}

/** As for the package: the test runner has set another environment, with which React brings its checks for development. */
async function buildInto(folder: string, script: string): Promise<void> {
  const { NODE_ENV } = process.env;
  process.env.NODE_ENV = 'production';
  try {
    await build({
      configFile: false,
      root: APP,
      logLevel: 'warn',
      publicDir: false,
      plugins: [react(), entryOf(script)],
      build: {
        outDir: folder,
        emptyOutDir: false,
        target: 'es2023',
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        chunkSizeWarningLimit: 2_000,
        rolldownOptions: { input: { entry: ENTRY }, output: { entryFileNames: 'assets/[name].js' } },
      },
    });
  } finally {
    process.env.NODE_ENV = NODE_ENV;
  }
}

export const startResultPage = (): Promise<BuiltPage> => startBuiltPage(RESULT_VIEW);

/** `script`: a module, whose imports begin at the console's sources; it finds an element with the id `console`. */
export async function startBuiltPage(script: string): Promise<BuiltPage> {
  const output = emptyFolder();
  await buildInto(output.path, script);
  const names = readdirSync(join(output.path, 'assets'));
  const styles = names.filter((name) => name.endsWith('.css'));
  const links = styles.map((name) => `<link rel="stylesheet" href="/assets/${name}">`).join('');
  const page = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Result</title><link rel="icon" href="data:,">${links}<main><h1>Result</h1><div id="console"></div></main><script type="module" src="/assets/entry.js"></script></html>`;
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
  const files = new Map(
    names.map((name) => [
      `/assets/${name}`,
      brotliCompressSync(readFileSync(join(output.path, 'assets', name)), { params }),
    ]),
  );
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    if (!path.startsWith('/assets/')) {
      response.writeHead(200, { ...PAGE_HEADERS, 'content-type': 'text/html; charset=utf-8' }).end(page);
      return;
    }
    const type = TYPES[extname(path)] ?? 'application/octet-stream';
    response.writeHead(200, { 'content-type': `${type}; charset=utf-8`, 'content-encoding': 'br' });
    response.end(files.get(path));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    folder: output.path,
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => server.close(resolve));
      output[Symbol.dispose]();
    },
  };
}
