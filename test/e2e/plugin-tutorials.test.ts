/** The pages of `docs/plugins/` are followed step by step in empty folders; npm is stood in for. */
import { globSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { PLUGIN_TYPES } from '../../plugins/plugin-scaffold/index.ts';
import type { Guide } from '../../scripts/follow-guide.ts';
import { emptyFolder } from '../harness/command.ts';
import { blocksOf, DocShell } from '../harness/doc-blocks.ts';

/** One page for each type of plugin. */
const TUTORIALS: readonly Guide[] = [
  {
    page: 'docs/plugins/context.md',
    outputs: {
      'npx atlas hooks': /context\.collect .*company-calendar/,
      'npx atlas query "How many orders by region?"': /north .*2/,
    },
  },
  {
    page: 'docs/plugins/interaction.md',
    outputs: {
      'curl -fsS "http://localhost:3001/api/plugins/answers-as-csv/answer.csv?question=How+many+orders+by+region"':
        /north,2/,
    },
  },
  { page: 'docs/plugins/action.md', outputs: { 'npx atlas hooks': /action\.execute .*company-notes/ } },
  {
    page: 'docs/plugins/sandbox.md',
    outputs: { 'curl -fsS http://localhost:3001/api/health': /"backend":"layer-finder"/ },
  },
  {
    page: 'docs/plugins/datasource.md',
    outputs: { 'npx atlas query "How many orders by region?"': /north .*2/ },
  },
];

it('every type of plugin has a page, and every page is followed', () => {
  const pages = globSync('docs/plugins/*.md', { exclude: ['**/README.md'] }).map((page) => basename(page, '.md'));
  expect(pages.sort()).toEqual([...PLUGIN_TYPES].sort());
  expect(TUTORIALS.map(({ page }) => basename(page, '.md')).sort()).toEqual(pages);
});

it.each(TUTORIALS)('$page', { timeout: 240_000 }, async ({ page, outputs }) => {
  using folder = emptyFolder();
  await using shell = await DocShell.open(folder.path);
  symlinkSync(join(import.meta.dirname, '../harness/npm-stand-in.mjs'), join(folder.path, '.bin/npm'));
  const printed = new Map<string, string>();
  for (const { language, file, text } of blocksOf(page)) {
    if (file !== undefined) {
      mkdirSync(dirname(join(folder.path, file)), { recursive: true });
      writeFileSync(join(folder.path, file), text);
      continue;
    }
    expect(language, text).toBe('sh');
    for (const line of text.trim().split('\n')) {
      const output = await shell.run(line);
      printed.set(line, output);
      if (line.includes('npm test')) expect(output).toMatch(/Tests .*passed/);
    }
  }
  for (const [command, expected] of Object.entries(outputs)) expect(printed.get(command)).toMatch(expected);
});
