/** Every code block of `docs/http-api.md`: what can be run is run, and what is said to come out of it does. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSimpleDemo } from '../../plugins/demo-data/index.ts';
import { type BuiltInServer, startBuiltIn } from '../harness/built-in-server.ts';
import { suiteNeeding } from '../harness/require.ts';
import { findTool } from '../harness/tools.ts';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/http-api.md'), 'utf8');
const blocks = [...page.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language = '', text = '']) => ({
  language,
  text,
}));
const OUTPUTS = ['json', 'text'];

/** Each program with what the page shows as its output: the block that follows. */
const programs = blocks.flatMap(({ language, text }, index) => {
  const shown = blocks[index + 1];
  return OUTPUTS.includes(language) || shown === undefined ? [] : [{ language, text, shown }];
});

/** Where the packages of this repository are found. */
let folder: string;
let server: BuiltInServer;
beforeAll(async () => {
  folder = mkdtempSync(join(root, 'test/clients/generated-'));
  await createSimpleDemo(join(folder, 'shop.db'));
  server = await startBuiltIn({
    SVC_DATASOURCE_URL: `sqlite:${join(folder, 'shop.db')}`,
    SVC_SEMANTIC_DIR: join(root, 'semantic'),
    DATABASE_URL: `sqlite:${join(folder, 'atlas.db')}`,
  });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const python = findTool('python3');

/** How a block of each language is run, as a file of this name. */
const RUNNERS: Readonly<Record<string, { file: string; command: string; prepare?: (text: string) => string }>> = {
  sh: { file: 'block.sh', command: 'bash' },
  js: { file: 'block.mjs', command: process.execPath },
  python: { file: 'block.py', command: python ?? 'python3' },
  html: {
    file: 'block.mjs',
    command: process.execPath,
    // The program only needs the element of a browser's page that it writes into.
    prepare: (text) => {
      const [, script = ''] = /<script type="module">\n(.*?)<\/script>/s.exec(text) ?? [];
      return `globalThis.answer = { append: (text) => process.stdout.write(text) };\n${script}`;
    },
  },
};

async function outputOf({ language, text }: { language: string; text: string }): Promise<string> {
  const runner = RUNNERS[language];
  if (runner === undefined) throw new Error(`Nothing runs a block of "${language}".`);
  const { file, command, prepare = (same: string) => same } = runner;
  writeFileSync(join(folder, file), prepare(text).replaceAll('http://localhost:3001', server.url));
  const { stdout } = await promisify(execFile)(command, [file], { cwd: folder, timeout: 60_000 });
  return stdout;
}

/** `…` on the page stands for anything. */
const asPattern = (shown: string) =>
  new RegExp(
    `^${shown
      .split('…')
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*')}$`,
    's',
  );

/** The page's JSON with every text that has a `…` replaced by the one that came, where it fits. */
function filled(shown: unknown, came: unknown): unknown {
  if (shown === '…' && came !== undefined) return came;
  if (typeof shown === 'string' && typeof came === 'string') return asPattern(shown).test(came) ? came : shown;
  if (typeof shown !== 'object' || shown === null || typeof came !== 'object' || came === null) return shown;
  const of = (key: string) => (came as Record<string, unknown>)[key];
  if (Array.isArray(shown)) return shown.map((item, index) => filled(item, of(String(index))));
  return Object.fromEntries(Object.entries(shown).map(([key, item]) => [key, filled(item, of(key))]));
}

function check(shown: { language: string; text: string }, came: string): void {
  if (shown.language === 'json') {
    const body: unknown = JSON.parse(came);
    expect(body).toEqual(filled(JSON.parse(shown.text), body));
  } else if (!asPattern(shown.text.trimEnd()).test(came.trimEnd())) {
    expect(came).toBe(shown.text);
  }
}

it('has a program in each of the languages, and its output after it', () => {
  expect(programs.map(({ language }) => language)).toEqual([
    'sh',
    'sh',
    'sh',
    'sh',
    'js',
    'html',
    'js',
    'js',
    'python',
    'sh',
    'sh',
  ]);
  for (const { shown } of programs) expect(OUTPUTS).toContain(shown.language);
});

/** What of the machine the blocks of a language need. */
const NEEDED: Readonly<Record<string, { name: string; found: boolean; install: string }>> = {
  sh: { name: 'curl', found: findTool('curl') !== undefined, install: 'Install curl.' },
  python: { name: 'python', found: python !== undefined, install: 'Install Python 3.' },
};

for (const [language, own] of Map.groupBy(programs, (program) => program.language)) {
  const needed = NEEDED[language];
  const suite = needed === undefined ? describe : suiteNeeding(needed.name, needed.found, needed.install);
  suite(`in ${language}`, () => {
    it.each(own)('shows what comes of: $text', async (program) => {
      check(program.shown, await outputOf(program));
    });
  });
}
