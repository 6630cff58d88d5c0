/** Every flow of the web console by the keyboard alone: nothing is clicked, and nothing is focused but by Tab and arrows. */
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findChromium, INSTALL_CHROMIUM } from '../harness/browser.ts';
import { type ConsoleSite, startConsoleSite } from '../harness/console-site.ts';
import { suiteNeeding } from '../harness/require.ts';

/** More than any of these pages has places that take the focus. */
const MAX_TABS = 150;

const isFocused = async (target: Locator) => (await target.first().and(target.page().locator(':focus')).count()) > 0;

/** Goes on with Tab until the target has the focus. */
async function reach(page: Page, target: Locator): Promise<void> {
  await target.first().waitFor();
  for (let tab = 0; tab < MAX_TABS; tab += 1) {
    if (await isFocused(target)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not lead to ${target}.`);
}

async function press(page: Page, target: Locator, key = 'Enter'): Promise<void> {
  await reach(page, target);
  await page.keyboard.press(key);
}

/** Opens the menu of a button, and goes down to a command. */
async function choose(page: Page, button: Locator, command: string): Promise<void> {
  await press(page, button);
  const item = page.getByRole('menuitem', { name: command, exact: true }).locator('visible=true');
  await item.waitFor();
  for (let down = 0; !(await isFocused(item)); down += 1) {
    if (down > 20) throw new Error(`The arrows do not lead to ${command}.`);
    await page.keyboard.press('ArrowDown');
  }
  await page.keyboard.press('Enter');
}

async function type(page: Page, field: Locator, text: string): Promise<void> {
  await reach(page, field);
  await page.keyboard.press('Control+a');
  await page.keyboard.type(text);
}

suiteNeeding(
  'chromium',
  findChromium() !== undefined,
  INSTALL_CHROMIUM,
)('the web console by the keyboard', () => {
  let site: ConsoleSite;
  beforeAll(async () => {
    site = await startConsoleSite();
  });
  afterAll(async () => {
    await site?.[Symbol.asyncDispose]();
  });

  it('asks, looks at the result in all views, judges, shares and exports', async () => {
    await using visited = await site.visit('/', site.boss);
    const { page, complaints } = visited;
    await page.getByRole('list', { name: 'Suggested questions' }).waitFor();
    await page.keyboard.type('Revenue by region in 2025');
    await page.keyboard.press('Enter');
    const answer = page.getByRole('article', { name: 'Revenue by region in 2025' });
    await answer.getByRole('button', { name: 'Good answer' }).waitFor();
    await reach(page, answer.getByRole('tab', { selected: true }));
    await page.keyboard.press('ArrowRight');
    await answer.locator('svg .mark-bar rect').first().waitFor();
    await page.keyboard.press('ArrowRight');
    await answer.getByRole('tabpanel').getByText('SELECT').first().waitFor();
    const file = page.waitForEvent('download');
    await choose(page, answer.getByRole('button', { name: 'Export' }), 'CSV');
    expect((await file).suggestedFilename()).toMatch(/\.csv$/);
    await press(page, answer.getByRole('button', { name: 'Good answer' }));
    await answer.getByRole('button', { name: 'Good answer', pressed: true }).waitFor();
    await press(page, answer.getByRole('button', { name: 'Share' }));
    await page.getByRole('textbox', { name: /Link/ }).waitFor();
    await page.keyboard.press('Escape');
    await press(page, answer.getByRole('list', { name: 'Follow-up questions' }).getByRole('button'));
    await expect.poll(() => page.getByRole('article').count()).toBe(2);
    expect(complaints).toEqual([]);
  });

  it('skips to the content, and renames, stars and deletes a conversation', async () => {
    await site.boss.send('/api/v1/query', { body: { question: 'How many customers are there?' } });
    await using visited = await site.visit('/history', site.boss);
    const { page, complaints } = visited;
    const list = page.getByRole('main').getByRole('navigation', { name: 'Conversations' });
    await list.getByRole('link', { name: 'How many customers are there?' }).waitFor();
    await press(page, page.getByRole('link', { name: 'Skip to content' }));
    const row = list.getByRole('listitem').filter({ hasText: 'How many customers are there?' });
    await choose(page, row.getByRole('button', { name: 'More' }), 'Rename');
    await type(page, page.getByRole('dialog').getByRole('textbox'), 'Customers');
    await page.keyboard.press('Enter');
    const renamed = list.getByRole('listitem').filter({ hasText: 'Customers' });
    await renamed.waitFor();
    await choose(page, renamed.getByRole('button', { name: 'More' }), 'Star');
    // The list is drawn again, which would take the focus out of a menu.
    await renamed.getByRole('img', { name: 'Starred' }).waitFor();
    await choose(page, renamed.getByRole('button', { name: 'More' }), 'Delete');
    await press(page, page.getByRole('dialog').getByRole('button', { name: 'Delete' }));
    await renamed.waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });

  it('invites a person, adds a rule and schedules a question', async () => {
    await using visited = await site.visit('/admin/invitations', site.boss);
    const { page, complaints } = visited;
    const dialog = page.getByRole('dialog');
    await press(page, page.getByRole('button', { name: 'Invite a person' }));
    await type(page, dialog.getByLabel('E-mail'), 'keys@example.com');
    await page.keyboard.press('Enter');
    await page.getByRole('row', { name: /keys@example.com/ }).waitFor();
    await choose(page, page.getByRole('button', { name: 'More: keys@example.com' }), 'Revoke');
    await press(page, dialog.getByRole('button', { name: 'Revoke' }));
    await page.getByRole('row', { name: /revoked/ }).waitFor();

    const administration = page.getByRole('navigation', { name: 'Administration' });
    await press(page, administration.getByRole('link', { name: 'Approval rules' }));
    await press(page, page.getByRole('button', { name: 'Add a rule' }));
    await type(page, dialog.getByLabel('Name'), 'By keys');
    await type(page, dialog.getByLabel('Pattern'), 'payroll');
    await page.keyboard.press('Enter');
    await page.getByRole('row', { name: /By keys/ }).waitFor();

    await press(page, page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Schedules' }));
    await press(page, page.getByRole('button', { name: 'Schedule a question' }));
    await type(page, dialog.getByLabel('Name'), 'By keys');
    await type(page, dialog.getByLabel('Question'), 'How many customers are there?');
    await press(page, dialog.getByRole('button').last());
    await page.getByRole('row', { name: /By keys/ }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('approves what another asks for', async () => {
    const rule = { name: 'Customers', ruleType: 'table', pattern: 'customers' };
    const { body: made } = await site.boss.send('/api/v1/admin/approval/rules', { body: rule });
    await site.viewer.send('/api/v1/query', { body: { question: 'How many customers are there?' } });
    await using visited = await site.visit('/approvals', site.boss);
    const { page, complaints } = visited;
    await choose(page, page.getByRole('row').getByRole('button', { name: 'More' }), 'Approve');
    await press(page, page.getByRole('dialog').getByRole('button', { name: 'Approve' }));
    await page.getByRole('status').filter({ hasText: 'The action is executed.' }).waitFor();
    await site.boss.send(`/api/v1/admin/approval/rules/${made.id}`, { method: 'DELETE' });
    expect(complaints).toEqual([]);
  });
});
