/** The administration of the web console, in a real browser on a real server with two organizations. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findChromium, INSTALL_CHROMIUM } from '../harness/browser.ts';
import { accessibilityFaults, isWithinWindow, NARROW } from '../harness/console-page.ts';
import { type ConsoleSite, startConsoleSite } from '../harness/console-site.ts';
import { type Client, setRole } from '../harness/managed-server.ts';
import { suiteNeeding } from '../harness/require.ts';

/** Markup, a script and marks that reverse what follows. */
const HOSTILE = '<img src=x onerror=alert(1)>\u202e"drop"';
const shown = (text: string) => text.replace('\u202e', 'U+202E');

/** Somebody alone in an organization who asks "intake", then what it means, on three days. */
async function proposedBy({ other: client, folder }: ConsoleSite): Promise<{ client: Client; summary: string }> {
  const db = new Database(join(folder, 'atlas.db'));
  const DAY_MS = 86_400_000;
  const moveBack = (table: string, column: string, of: string, id: string, days: number) => {
    const rows = db.prepare(`SELECT id, ${column} AS at FROM ${table} WHERE ${of} = ?`).all(id);
    for (const row of rows as { id: string; at: string }[]) {
      const at = new Date(Date.parse(row.at) - days * DAY_MS).toISOString();
      db.prepare(`UPDATE ${table} SET ${column} = ? WHERE id = ?`).run(at, row.id);
    }
  };
  for (const days of [1, 2, 3]) {
    const declined = await client.send('/api/v1/query', { body: { question: 'Intake by region' } });
    const { conversationId } = declined.body;
    await client.send('/api/v1/query', { body: { question: 'Revenue by region', conversationId } });
    moveBack('conversations', 'created_at', 'id', conversationId, days);
    moveBack('conversation_messages', 'created_at', 'conversation_id', conversationId, days);
    moveBack('audit_log', 'timestamp', 'conversation_id', conversationId, days);
  }
  db.close();
  return { client, summary: '"intake" for order_items.revenue' };
}

suiteNeeding(
  'chromium',
  findChromium() !== undefined,
  INSTALL_CHROMIUM,
)('administration in the web console', () => {
  let site: ConsoleSite;
  beforeAll(async () => {
    site = await startConsoleSite();
  });
  afterAll(async () => {
    await site?.[Symbol.asyncDispose]();
  });

  const askSql = async (client: Client, sql: string) => (await client.send('/api/v1/sql', { body: { sql } })).status;

  it('shows how much there is and what works', async () => {
    await using visited = await site.visit('/', site.boss);
    const { page, complaints } = visited;
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Administration' }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Overview');
    await expect.poll(() => page.getByText('Entities').locator('..').textContent()).toMatch(/[1-9]/);
    await page.getByRole('row', { name: /internalDb healthy/ }).waitFor();
    expect(await accessibilityFaults(visited.page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('shows a viewer no administration', async () => {
    await using visited = await site.visit('/', site.viewer);
    const { page } = visited;
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'History' }).waitFor();
    expect(await page.getByRole('link', { name: 'Administration' }).count()).toBe(0);
    for (const area of ['', '/users', '/audit', '/usage', '/nothing']) {
      await page.goto(`${site.url}/admin${area}`);
      await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    }
    const { status } = await fetch(`${site.url}/admin/nothing`);
    expect(status).toBe(404);
  });

  it('finds a statement in the audit log by its text, shows all of it, and exports what is found', async () => {
    const hostile = `SELECT '${HOSTILE.replaceAll("'", '')}' AS x`;
    expect(await askSql(site.boss, hostile)).toBe(200);
    expect(await askSql(site.boss, 'DELETE FROM orders')).toBe(400);
    expect(await askSql(site.other, "SELECT 'of the other' AS y")).toBe(200);
    await using visited = await site.visit('/admin/audit', site.boss);
    const { page, complaints } = visited;
    await page.getByRole('row', { name: /DELETE FROM/ }).waitFor();
    expect(await page.getByText('of the other').count()).toBe(0);
    const days = page.getByRole('table', { name: 'Statements of the last seven days' }).getByRole('row');
    await expect.poll(() => days.count()).toBe(8);
    await page.getByText(/statements in seven days, 1 of them/).waitFor();
    expect(await accessibilityFaults(visited.page)).toEqual([]);

    await page.getByLabel('Outcome').selectOption('Did not run');
    await expect.poll(() => page.url()).toContain('success=false');
    await expect.poll(() => page.getByText('onerror').count()).toBe(0);
    // The one row that is left is open.
    await page.getByRole('cell', { name: /DELETE is not a reading statement/ }).waitFor();
    await page.goto(`${site.url}/admin/audit?text=ONERROR`);
    await page.getByRole('region', { name: 'Audit' }).getByText('Link to this entry').click();
    await expect.poll(() => page.url()).toContain('?id=');
    expect(await page.locator('pre').textContent()).toBe(shown(hostile));
    expect(await page.locator('img').count()).toBe(0);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export as CSV' }).click(),
    ]);
    const csv = readFileSync((await file.path()) ?? '', 'utf8');
    expect(csv).toContain('onerror');
    expect(csv).not.toContain('DELETE');
    expect(complaints).toEqual([]);
  });

  /** Opens the commands of a row and chooses one. */
  async function choose(page: Page, row: string, command: string): Promise<void> {
    await page.getByRole('button', { name: `More: ${row}` }).click();
    await page.getByRole('menuitem', { name: command, exact: true }).click();
  }

  /** The last button of the dialog, which repeats the verb. */
  const confirm = async (page: Page, verb: string) => {
    await page.getByRole('dialog').getByRole('button').last().filter({ hasText: verb }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  };

  it('changes the role of a user, bans and unbans them, and says why it may not change the own role', async () => {
    await using visited = await site.visit('/admin/users', site.boss);
    const { page, complaints } = visited;
    const viewer = page.getByRole('row', { name: /viewer@example.com/ });
    await viewer.waitFor();
    expect(await page.getByText('other@example.com').count()).toBe(0);
    expect(await accessibilityFaults(visited.page)).toEqual([]);

    await choose(page, 'viewer@example.com', 'Change role');
    await page.getByLabel('Role').last().selectOption('analyst');
    expect(await accessibilityFaults(visited.page)).toEqual([]);
    await confirm(page, 'Change role');
    await viewer.filter({ hasText: 'analyst' }).waitFor();

    await choose(page, 'viewer@example.com', 'Ban');
    await page.getByLabel('Reason').fill(HOSTILE);
    await page.getByLabel('For how long').selectOption('A week');
    await confirm(page, 'Ban');
    await viewer.filter({ hasText: 'Banned until' }).waitFor();
    expect((await site.viewer.send('/api/v1/me')).status).toBe(401);
    await page.getByRole('button', { name: 'Details: viewer@example.com' }).click();
    await page.getByText(shown(HOSTILE)).waitFor();
    await choose(page, 'viewer@example.com', 'Lift ban');
    await confirm(page, 'Lift ban');
    await viewer.filter({ hasText: 'Active' }).waitFor();
    await site.viewer.signIn('viewer@example.com');

    await choose(page, 'viewer@example.com', 'Change role');
    await page.getByLabel('Role').last().selectOption('viewer');
    await confirm(page, 'Change role');
    await choose(page, 'boss@example.com', 'Change role');
    await page.getByLabel('Role').last().selectOption('viewer');
    await page.getByRole('dialog').getByRole('button').last().click();
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });

  it('invites a person and takes the invitation back', async () => {
    await using visited = await site.visit('/admin/invitations', site.boss);
    const { page, complaints } = visited;
    await page.getByRole('button', { name: 'Invite a person' }).click();
    await page.getByRole('dialog').getByLabel('E-mail').fill('new@example.com');
    await confirm(page, 'Invite');
    await page.getByRole('status').filter({ hasText: 'Give the person this link' }).waitFor();
    const row = page.getByRole('row', { name: /new@example.com/ });
    await row.filter({ hasText: 'pending' }).waitFor();
    await choose(page, 'new@example.com', 'Revoke');
    await confirm(page, 'Revoke');
    await row.filter({ hasText: 'revoked' }).waitFor();
    expect(await accessibilityFaults(visited.page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('makes, changes and deletes a role, by the keyboard alone', async () => {
    await using visited = await site.visit('/admin/roles', site.boss);
    const { page, complaints } = visited;
    await page.getByRole('button', { name: 'Create a role' }).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.type(`Auditor ${HOSTILE}`);
    await page.keyboard.press('Tab');
    await page.keyboard.type('Reads the audit log');
    await page.getByLabel('Read the audit log').focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('Enter');
    const row = page.getByRole('row', { name: /Auditor/ });
    await row.filter({ hasText: 'Ask questions, Read the audit log' }).waitFor();
    expect(await row.textContent()).toContain(shown(HOSTILE));

    await page.getByRole('button', { name: /More: Auditor/ }).focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate('document.activeElement.role')).toBe('menuitem');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByLabel('Name').fill('Auditor');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await choose(page, 'Auditor', 'Delete');
    await confirm(page, 'Delete');
    await row.waitFor({ state: 'detached' });
    expect(await accessibilityFaults(visited.page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('adds a connection once it answers, tests and deletes it', async () => {
    await using visited = await site.visit('/admin/connections', site.boss);
    const { page, complaints } = visited;
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Add a connection' }).click();
    await dialog.getByLabel('Id').fill('Not An Id');
    await dialog.getByLabel('Address').fill(`sqlite:${site.folder}/none.db`);
    await dialog.getByRole('button', { name: 'Add' }).click();
    await dialog.getByRole('alert').waitFor();
    expect(await dialog.getByLabel('Id').getAttribute('aria-invalid')).toBe('true');
    expect(await accessibilityFaults(visited.page)).toEqual([]);
    await dialog.getByLabel('Id').fill('second');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await expect.poll(() => dialog.getByLabel('Id').getAttribute('aria-invalid')).toBe(null);
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('Address').fill(`sqlite:${site.folder}/shop.db`);
    await dialog.getByLabel('Description').fill(HOSTILE);
    await confirm(page, 'Add');
    const row = page.getByRole('row', { name: /^second/ });
    await row.filter({ hasText: shown(HOSTILE) }).waitFor();
    await choose(page, 'second', 'Test');
    await page.getByRole('status').filter({ hasText: 'second: ok' }).waitFor();
    await choose(page, 'second', 'Edit');
    await dialog.getByLabel('Description').fill('A copy');
    await confirm(page, 'Save');
    await row.filter({ hasText: 'A copy' }).waitFor();
    await page.getByRole('button', { name: 'More: default' }).click();
    expect(await page.getByRole('menu', { name: 'More: default' }).getByRole('menuitem').allTextContents()).toEqual([
      'Test',
    ]);
    await page.keyboard.press('Escape');
    expect((await site.other.send('/api/v1/admin/connections')).body.connections).toHaveLength(1);
    await choose(page, 'second', 'Delete');
    await confirm(page, 'Delete');
    await row.waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });

  it('keeps approval rules and networks', async () => {
    await using visited = await site.visit('/admin/approval-rules', site.boss);
    const { page, complaints } = visited;
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Add a rule' }).click();
    await dialog.getByLabel('Name').fill('Costly');
    await dialog.getByLabel('Holds for').selectOption('estimated rows');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('Rows').fill('1000000');
    await confirm(page, 'Add');
    const rule = page.getByRole('row', { name: /Costly/ });
    await rule.filter({ hasText: '1,000,000' }).waitFor();
    await choose(page, 'Costly', 'Turn off');
    await rule.filter({ hasText: 'No' }).waitFor();
    await choose(page, 'Costly', 'Delete');
    await confirm(page, 'Delete');
    await page.getByText('no statement waits for approval').waitFor();
    expect(await accessibilityFaults(visited.page)).toEqual([]);

    await page.goto(`${site.url}/admin/ip-allowlist`);
    await page.getByRole('button', { name: 'Allow a network' }).click();
    await dialog.getByLabel('Network').fill('203.0.113.0/24');
    await dialog.getByRole('button', { name: 'Allow' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('Network').fill('127.0.0.0/8');
    await confirm(page, 'Allow');
    await page.getByRole('row', { name: /127.0.0.0/ }).waitFor();
    await choose(page, '127.0.0.0/8', 'Delete');
    await confirm(page, 'Delete');
    await page.getByText('No network is listed').waitFor();
    expect(await accessibilityFaults(visited.page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('explains the composition, and checks the health of a plugin', async () => {
    await using visited = await site.visit('/admin/plugins', site.boss);
    const { page, complaints } = visited;
    await choose(page, 'internal-db', 'Check health');
    await page.getByRole('status').filter({ hasText: 'internal-db: ready' }).waitFor();
    await page.getByRole('button', { name: 'Details: sql-guard' }).click();
    await page.getByText(/^sql\.check, \d of \d$/).waitFor();
    await page.getByText('sql.check', { exact: true }).click();
    await page
      .getByRole('listitem')
      .filter({ hasText: /^sql-guard$/ })
      .first()
      .waitFor();
    expect(await accessibilityFaults(visited.page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('approves and denies what others ask for, after asking again', async () => {
    const rule = { name: 'Orders', ruleType: 'table', pattern: 'orders' };
    const { body: made } = await site.boss.send('/api/v1/admin/approval/rules', { body: rule });
    const { body: users } = await site.boss.send('/api/v1/admin/users?search=viewer');
    const setViewer = (role: string) => setRole(site.boss, users.users[0].id, role);
    await setViewer('analyst');
    await askSql(site.viewer, `SELECT count(*) AS "${HOSTILE.replaceAll('"', '')}" FROM orders`);
    await askSql(site.viewer, 'SELECT count(*) AS second FROM orders');
    await askSql(site.boss, 'SELECT count(*) AS own FROM orders');
    await using visited = await site.visit('/', site.boss);
    const { page, complaints } = visited;
    await page.getByRole('link', { name: 'Approvals 3 pending' }).click();
    const rows = page.getByRole('table', { name: 'Approvals' }).getByRole('row');
    await expect.poll(() => rows.count()).toBe(4);
    const details = rows.filter({ hasText: 'viewer@example.com' }).getByRole('button', { name: 'Details' });
    await details.last().click();
    await page.locator('pre').filter({ hasText: 'onerror' }).waitFor();
    expect(await accessibilityFaults(visited.page)).toEqual([]);
    await details.last().click();

    const more = (whose: string) => rows.filter({ hasText: whose }).getByRole('button', { name: 'More' }).first();
    await more('viewer@example.com').click();
    await page.getByRole('menuitem', { name: 'Approve' }).locator('visible=true').click();
    await confirm(page, 'Approve');
    await page.getByRole('status').filter({ hasText: 'The action is executed.' }).waitFor();
    await page.getByRole('link', { name: 'Approvals 2 pending' }).waitFor();
    await more('viewer@example.com').click();
    await page.getByRole('menuitem', { name: 'Deny' }).locator('visible=true').click();
    await page.getByRole('dialog').getByLabel('Reason').fill('Not today');
    await confirm(page, 'Deny');
    await page.getByRole('status').filter({ hasText: 'The action is denied.' }).waitFor();

    await more('boss@example.com').click();
    await page.getByRole('menuitem', { name: 'Approve' }).locator('visible=true').click();
    await page.getByRole('dialog').getByRole('button').last().click();
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await page.keyboard.press('Escape');
    await page.getByLabel('State', { exact: true }).selectOption('denied');
    await page.getByText('Not today').first().waitFor();

    await using foreign = await site.visit('/approvals', site.other);
    await foreign.page.getByText('Nothing waits for approval.').waitFor();
    await site.boss.send(`/api/v1/admin/approval/rules/${made.id}`, { method: 'DELETE' });
    await setViewer('viewer');
    expect(complaints).toEqual([]);
  });

  it('schedules a question, says when it is due, runs it and turns it off', async () => {
    await using visited = await site.visit('/schedules', site.boss);
    const { page, complaints } = visited;
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Schedule a question' }).click();
    await dialog.getByLabel('Name').fill(HOSTILE);
    await dialog.getByLabel('Question').fill('How many customers are there?');
    await dialog.getByLabel('Schedule (cron)').fill('99 8 * *');
    await dialog.getByText('This is no schedule yet.').waitFor();
    await dialog.getByRole('button', { name: 'Schedule', exact: true }).click();
    await expect.poll(() => dialog.getByLabel('Schedule (cron)').getAttribute('aria-invalid')).toBe('true');
    await dialog.getByLabel('Schedule (cron)').fill('30 8 * * 1-5');
    await dialog.getByText('At 08:30, on Monday to Friday').waitFor();
    await dialog.getByLabel('Deliver', { exact: true }).selectOption('When unusual');
    expect(await dialog.getByLabel('Threshold').count()).toBe(0);
    await dialog.getByLabel('Deliver', { exact: true }).selectOption('Beyond a threshold');
    await dialog.getByLabel('Threshold').fill('many');
    await dialog.getByRole('button', { name: 'Schedule', exact: true }).click();
    await expect.poll(() => dialog.getByLabel('Threshold').getAttribute('aria-invalid')).toBe('true');
    await dialog.getByLabel('Threshold').fill('1000000');
    expect(await dialog.getByRole('list', { name: 'The next five times' }).getByRole('listitem').count()).toBe(5);
    expect(await accessibilityFaults(visited.page)).toEqual([]);
    await confirm(page, 'Schedule');
    const row = page.getByRole('row').filter({ hasText: 'onerror' });
    await row.filter({ hasText: 'At 08:30, on Monday to Friday' }).waitFor();
    await choose(page, HOSTILE, 'Run now');
    await page.getByRole('status').filter({ hasText: 'A run has begun.' }).waitFor();
    const runs = page.getByRole('table', { name: 'Runs' });
    await runs.getByText('There is no earlier run to compare with.').waitFor();
    await choose(page, HOSTILE, 'Run now');
    await runs.getByText(/^\d+ is not > 1000000\.$/).waitFor();
    await runs.getByText('quiet').waitFor();
    await runs.getByRole('link', { name: 'Open the answer' }).first().waitFor();
    expect(await accessibilityFaults(visited.page)).toEqual([]);
    await choose(page, HOSTILE, 'Edit');
    await dialog.getByLabel('Name').fill('Orders');
    await confirm(page, 'Save');
    await choose(page, 'Orders', 'Turn off');
    await page.getByRole('row').filter({ hasText: 'Off' }).waitFor();
    await using foreign = await site.visit('/schedules', site.other);
    await foreign.page.getByText('No question is scheduled yet.').waitFor();
    expect(complaints).toEqual([]);
  });

  it('shows what is proposed for the layer, asks the cases with a proposal, and applies or dismisses it', async () => {
    const { client, summary } = await proposedBy(site);
    await using visited = await site.visit('/admin/learn', client);
    const { page, complaints } = visited;
    await page.getByRole('row', { name: /Other name .*intake/ }).waitFor();
    await page.getByRole('button', { name: `Details: ${summary}` }).click();
    await expect.poll(() => page.locator('pre').textContent()).toContain('intake');
    expect(await accessibilityFaults(page)).toEqual([]);

    await choose(page, summary, 'Evaluate');
    await page.getByRole('dialog').getByText('Each question counts against your budgets').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Evaluate' }).click();
    await page.getByRole('dialog').getByText('There are no cases in').waitFor();
    await page.keyboard.press('Escape');
    const { body } = await client.send('/api/v1/me');
    const cases = join(site.folder, 'cases/.orgs', body.orgId);
    mkdirSync(cases, { recursive: true });
    const sql =
      'SELECT o.status, SUM(i.line_total) FROM order_items i JOIN orders o ON o.id = i.order_id GROUP BY o.status';
    writeFileSync(
      join(cases, 'own.yml'),
      `cases:\n- { id: a, question: Intake by status, sql: "${sql}" }\n- { id: b, question: Intake, sql: SELECT nothing FROM orders }\n`,
    );
    await choose(page, summary, 'Evaluate');
    await confirm(page, 'Evaluate');
    const told = page.getByRole('status');
    await told.filter({ hasText: `${summary}: 0 of 1 case pass now, 1 with the proposal.` }).waitFor();
    await told.filter({ hasText: 'Intake by status: not answered → passes' }).waitFor();
    await told.filter({ hasText: 'Intake: cannot be judged. The expected statement does not run' }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);

    await choose(page, 'Sum line_total of order_items, orders, customers by region', 'Dismiss');
    await confirm(page, 'Dismiss');
    await page.getByText('Sum line_total of order_items, orders, customers by region').waitFor({ state: 'detached' });
    await choose(page, summary, 'Apply');
    await confirm(page, 'Apply');
    await told.filter({ hasText: 'entities/order_items.yml was changed.' }).waitFor();
    await page.getByText('Nothing is proposed').waitFor();
    expect((await client.send('/api/v1/query', { body: { question: 'Intake by status' } })).body.outcome).toBe(
      'answered',
    );
    expect(complaints).toEqual([]);
  });

  it('has pages that fit a phone', async () => {
    await using first = await site.visit('/admin', site.boss);
    const links = first.page.getByRole('navigation', { name: 'Administration' }).getByRole('link');
    await links.first().waitFor();
    const areas = await links.evaluateAll((all) => all.map((link) => new URL(String(Object(link).href)).pathname));
    expect(areas.length).toBeGreaterThan(9);
    await using visited = await site.visit('/admin', site.boss, { viewport: NARROW });
    const { page, complaints } = visited;
    for (const path of [...areas, '/approvals', '/schedules']) {
      await page.goto(site.url + path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.getByText('Loading').waitFor({ state: 'detached' });
      expect([path, await isWithinWindow(page)]).toEqual([path, true]);
      expect([path, (await page.getByRole('status').count()) > 1]).toEqual([path, false]);
      expect([path, await accessibilityFaults(page)]).toEqual([path, []]);
      expect(complaints).toEqual([]);
    }
  });
});
