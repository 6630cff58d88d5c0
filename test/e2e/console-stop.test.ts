/** Stopping an answer in the web console ends its statement in the database. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { expect, it } from 'vitest';
import { findChromium, INSTALL_CHROMIUM, startBrowser } from '../harness/browser.ts';
import { startBuiltIn } from '../harness/built-in-server.ts';
import { emptyFolder } from '../harness/command.ts';
import { buildConsole, openConsole } from '../harness/console-page.ts';
import { startOpenAIServer } from '../harness/openai-server.ts';
import { startPostgres } from '../harness/postgres.ts';
import { suiteNeeding } from '../harness/require.ts';

/** Runs for minutes: eight billion rows are counted. */
const SLOW = 'SELECT COUNT(*) AS visits FROM visits a CROSS JOIN visits b CROSS JOIN visits c';
const RUNNING = `SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%CROSS JOIN%' AND pid <> pg_backend_pid()`;

suiteNeeding(
  'chromium',
  findChromium() !== undefined,
  INSTALL_CHROMIUM,
)('stopping in the web console', () => {
  it.each([
    ['the button', (page) => page.getByRole('button', { name: 'Stop' }).click()],
    ['Esc', (page) => page.keyboard.press('Escape')],
  ] satisfies [string, (page: Awaited<ReturnType<typeof openConsole>>['page']) => Promise<void>][])(
    'by %s frees the page, and the statement is gone from the database',
    async (_, stop) => {
      buildConsole();
      using folder = emptyFolder();
      await using database = await startPostgres();
      const admin = new pg.Client({ connectionString: database.url });
      await admin.connect();
      await admin.query('CREATE TABLE visits AS SELECT id FROM generate_series(1, 2000) AS id');
      mkdirSync(join(folder.path, 'entities'));
      writeFileSync(join(folder.path, 'entities/visits.yml'), 'table: visits\ndimensions:\n  - name: id\n');
      await using model = await startOpenAIServer({
        respond: () => ({ toolCall: { name: 'executeSQL', args: { sql: SLOW } } }),
      });
      await using server = await startBuiltIn({
        SVC_DATASOURCE_URL: database.url,
        SVC_SEMANTIC_DIR: folder.path,
        SVC_PROVIDER: 'openai-compatible',
        OPENAI_BASE_URL: model.url,
        SVC_MODEL: 'scripted',
      });
      await using browser = await startBrowser([]);
      await using shown = await openConsole(browser, server.url);
      const { page, complaints } = shown;
      const running = async () => (await admin.query(RUNNING)).rowCount;
      await page.getByRole('textbox', { name: 'Ask a question' }).fill('How many visits are there?');
      await page.keyboard.press('Enter');
      await expect.poll(running).toBe(1);
      await stop(page);
      await expect.poll(running).toBe(0);
      await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'hidden' });
      await page.getByRole('button', { name: 'Ask again' }).waitFor();
      expect(model.requests.length).toBe(1);
      expect(complaints).toEqual([]);
      await admin.end();
    },
  );
});
