/** Model, prompts, backups and View as in the web console, in a real browser on a real server. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findChromium, INSTALL_CHROMIUM } from '../harness/browser.ts';
import { emptyFolder } from '../harness/command.ts';
import { accessibilityFaults } from '../harness/console-page.ts';
import { type ConsoleSite, startConsoleSite } from '../harness/console-site.ts';
import { type OpenAIServer, startOpenAIServer } from '../harness/openai-server.ts';
import { suiteNeeding } from '../harness/require.ts';

const KEY = 'sk-a-secret-of-the-organization-4711';

suiteNeeding(
  'chromium',
  findChromium() !== undefined,
  INSTALL_CHROMIUM,
)('settings of the organization in the web console', () => {
  let site: ConsoleSite;
  let provider: OpenAIServer;
  const backups = emptyFolder();
  beforeAll(async () => {
    provider = await startOpenAIServer({ respond: () => ({ text: 'Ready.' }) });
    site = await startConsoleSite({
      SVC_DEPLOY_MODE: 'hosted',
      SVC_BACKUP_DIR: backups.path,
      SVC_ALLOW_PRIVATE_URLS: new URL(provider.url).host,
    });
  });
  afterAll(async () => {
    await site?.[Symbol.asyncDispose]();
    await provider?.[Symbol.asyncDispose]();
    backups[Symbol.dispose]();
  });

  /** The last button of the dialog, which repeats the verb. */
  const submit = (page: Page, verb: string) =>
    page.getByRole('dialog').getByRole('button').last().filter({ hasText: verb }).click();
  const confirm = async (page: Page, verb: string) => {
    await submit(page, verb);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  };

  it('tries, chooses, tests and removes a model, and never shows its key', async () => {
    await using visited = await site.visit('/admin/model', site.boss);
    const { page, complaints } = visited;
    const dialog = page.getByRole('dialog');
    const facts = page.getByRole('region', { name: 'Model' });
    await facts.getByText('the offline reader').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);

    const fill = async (baseUrl: string) => {
      await dialog.getByLabel('Provider').selectOption('openai-compatible');
      await dialog.getByLabel('Model').fill('chosen');
      await dialog.getByLabel('Address').fill(baseUrl);
      await dialog.getByLabel('API key').fill(KEY);
    };
    await page.getByRole('button', { name: 'Try a model' }).click();
    await fill('no address');
    expect(await dialog.getByLabel('API key').getAttribute('type')).toBe('password');
    expect(await accessibilityFaults(page)).toEqual([]);
    await submit(page, 'Try');
    await dialog.getByRole('alert').waitFor();
    expect(await dialog.getByLabel('Address').getAttribute('aria-invalid')).toBe('true');
    await dialog.getByLabel('Address').fill(provider.url);
    await confirm(page, 'Try');
    await page.getByRole('status').filter({ hasText: 'openai-compatible chosen answered in' }).waitFor();
    expect((await site.boss.send('/api/v1/admin/model-config')).body.config).toBe(null);

    await page.getByRole('button', { name: 'Choose a model' }).click();
    expect(await dialog.getByLabel('API key').inputValue()).toBe('');
    await fill('http://10.1.2.3/v1');
    await submit(page, 'Save');
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('Address').fill(provider.url);
    await confirm(page, 'Save');
    await facts.getByText('An administrator of this organization').waitFor();
    await facts.getByText('****4711').waitFor();
    expect(await page.content()).not.toContain(KEY);
    await page.getByRole('banner').getByText('chosen').waitFor();
    expect((await site.other.send('/api/v1/admin/model-config')).body.config).toBe(null);
    await page.getByRole('button', { name: 'Test' }).click();
    await page.getByRole('status').filter({ hasText: 'chosen answered in' }).waitFor();

    await page.getByRole('button', { name: 'Change' }).click();
    expect(await dialog.getByLabel('API key').inputValue()).toBe('');
    await dialog.getByLabel('Model').fill('renamed');
    await confirm(page, 'Save');
    await facts.getByText('renamed', { exact: true }).waitFor();
    await facts.getByText('****4711').waitFor();
    await page.getByRole('button', { name: 'Change' }).click();
    await dialog.getByLabel('Stored key ****4711').selectOption('Remove it');
    await confirm(page, 'Save');
    await facts.getByText('No key is stored.').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);

    await page.getByRole('button', { name: 'Remove' }).click();
    await dialog.getByText('the server’s own model answers').waitFor();
    await confirm(page, 'Remove');
    await page.getByRole('button', { name: 'Choose a model' }).waitFor();
    await facts.getByText('the offline reader').waitFor();
    expect(complaints).toEqual([]);
  });
});
