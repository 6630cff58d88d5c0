/** The first question of a reader, as its page describes it: on the terminal, and in the web console in a real browser. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findChromium, INSTALL_CHROMIUM, startBrowser } from '../harness/browser.ts';
import { emptyFolder } from '../harness/command.ts';
import { buildConsole, openConsole } from '../harness/console-page.ts';
import { blocksOf, DocShell } from '../harness/doc-blocks.ts';
import { suiteNeeding } from '../harness/require.ts';

const PAGE = 'docs/first-question.md';

suiteNeeding(
  'chromium',
  findChromium() !== undefined,
  INSTALL_CHROMIUM,
)(PAGE, () => {
  let browser: Browser;
  beforeAll(async () => {
    buildConsole();
    browser = await startBrowser([]);
  });
  afterAll(() => browser?.close());

  it('its commands and questions are answered as it says', async () => {
    using empty = emptyFolder();
    await using shell = await DocShell.open(empty.path);
    const [demo, query, ...others] = blocksOf(PAGE);
    expect(others).toEqual([]);
    expect(await shell.run(demo?.text ?? '')).toContain('Atlas is listening on');
    await using shown = await openConsole(browser, shell.url);
    const { page, complaints } = shown;
    const rows = readFileSync(join(import.meta.dirname, '../..', PAGE), 'utf8').matchAll(
      /^\| (?!question)([^-].*) \| (.*) \|$/gm,
    );
    const questions = Array.from(rows, ([, question = '', part = '']) => [question, part] as const);
    expect(questions.length).toBeGreaterThan(2);
    for (const [question, part] of questions) {
      await page.getByRole('textbox', { name: 'Ask a question' }).fill(question);
      await page.keyboard.press('Enter');
      const answer = page.getByRole('article', { name: question });
      await answer.getByText(part).first().waitFor();
      expect(await answer.getByText('Read as').isVisible()).toBe(true);
      for (const name of ['Table', 'Chart', 'SQL']) await answer.getByRole('tab', { name }).waitFor();
      const origin = answer.getByRole('region', { name: 'Where it comes from' });
      await origin.getByText('Where it comes from: order').waitFor();
      await answer.getByText('What ran').waitFor();
    }
    expect(await shell.run(query?.text ?? '')).toMatch(/completed.*4244/);
    expect(complaints).toEqual([]);
  });
});
