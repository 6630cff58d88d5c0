/** The pages of the semantic layer in the web console, in a real browser on a real server with two organizations. */
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSimpleDemo, DEMOS } from '../../plugins/demo-data/index.ts';
import { findChromium, INSTALL_CHROMIUM, startBrowser } from '../harness/browser.ts';
import { startBuiltIn } from '../harness/built-in-server.ts';
import { emptyFolder } from '../harness/command.ts';
import { accessibilityFaults, isWithinWindow, NARROW, openConsole } from '../harness/console-page.ts';
import { type ConsoleSite, startConsoleSite } from '../harness/console-site.ts';
import { PASSWORD } from '../harness/managed-server.ts';
import { suiteNeeding } from '../harness/require.ts';

const BASE = '/api/v1/admin/semantic';
/** Markup, a script and a mark that reverses what follows. */
const HOSTILE = '<img src=x onerror=alert(1)>\u202e"drop"';
const CUSTOMERS = '/admin/semantic?file=entities%2Fcustomers.yml';

suiteNeeding(
  'chromium',
  findChromium() !== undefined,
  INSTALL_CHROMIUM,
)('the semantic layer in the web console', () => {
  let site: ConsoleSite;
  beforeAll(async () => {
    site = await startConsoleSite();
  });
  afterAll(async () => {
    await site?.[Symbol.asyncDispose]();
  });

  const put = (path: string, content: string) =>
    site.boss.send(`${BASE}/raw/${path}`, { method: 'PUT', body: { content } });
  const stored = async (path: string, client = site.boss) => (await client.send(`${BASE}/raw/${path}`)).body as string;
  const textOf = (page: Page): Locator => page.getByRole('textbox', { name: /^YAML of / });
  const focused = (page: Page) =>
    page.evaluate('(document.activeElement.shadowRoot ?? document).activeElement.getAttribute("aria-label")');

  async function atEnd(page: Page): Promise<void> {
    await textOf(page).click();
    await page.keyboard.press('Control+End');
  }

  /** Takes a suggestion by the mouse: the editor takes the key for it only a moment after the list has appeared. */
  async function accept(page: Page, name: string): Promise<void> {
    await page.getByRole('option', { name, exact: true }).click();
    await page.getByRole('listbox').waitFor({ state: 'detached' });
  }

  /** A list of suggestions, which may have opened meanwhile, would take Enter for itself. */
  async function typeLines(page: Page, lines: readonly string[]): Promise<void> {
    for (const [at, line] of lines.entries()) {
      if (at > 0) await page.keyboard.press('Enter');
      await page.keyboard.type(line);
      await page.keyboard.press('Escape');
    }
  }

  const isFocused = (element: Locator) => element.evaluate((found) => Boolean(Object(found).matches(':focus')));

  /** Presses Tab once; whether that led to the element. */
  async function pressedTabTo(page: Page, element: Locator): Promise<boolean> {
    await page.keyboard.press('Tab');
    return isFocused(element);
  }

  /** Opens the changes, and saves them. */
  async function save(page: Page): Promise<void> {
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: /^Changes of / }).waitFor();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
  }

  it('lists the layer, finds what holds a word, and shows what an entity says', async () => {
    await using visited = await site.visit('/admin/semantic', site.boss);
    const { page, complaints } = visited;
    const entities = page.getByRole('table', { name: 'Entities' });
    await entities.getByRole('link', { name: 'orders', exact: true }).waitFor();
    await page.getByText(/^How questions .* 3 entities with \d+ columns/).waitFor();
    for (const name of ['Metrics', 'Glossary'])
      await expect.poll(() => page.getByRole('table', { name }).getByRole('row').count()).toBeGreaterThan(1);
    expect(await accessibilityFaults(page)).toEqual([]);

    await page.getByRole('searchbox', { name: 'Search the layer' }).fill('PURCHASED');
    await expect.poll(() => entities.getByRole('link').count()).toBeLessThan(3);
    await page.getByRole('searchbox', { name: 'Search the layer' }).fill('no such word');
    await page.getByText('Nothing matches.').waitFor();
    await page.getByRole('searchbox', { name: 'Search the layer' }).fill('');
    await entities.getByRole('link', { name: 'orders', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'orders' }).waitFor();
    await page
      .getByRole('table', { name: 'Columns' })
      .getByRole('row', { name: /^id number, primary key/ })
      .waitFor();
    await page
      .getByRole('table', { name: 'Joins' })
      .getByRole('row', { name: /customers/ })
      .waitFor();
    expect(await page.getByRole('table', { name: 'Measures' }).getByRole('row').count()).toBeGreaterThan(1);
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('tab', { name: 'YAML' }).click();
    await expect.poll(() => textOf(page).textContent()).toContain('table: orders');
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('shows an error in its place, suggests what fits, saves after a look at the changes, and restores', async () => {
    const first = await stored('entities/customers.yml');
    await using visited = await site.visit(`${CUSTOMERS}&view=yaml`, site.boss);
    const { page, complaints } = visited;
    await atEnd(page);
    await typeLines(page, ['  - description: All countries', 'sqll: x']);
    await save(page);
    const alert = page.getByRole('alert');
    await alert.getByText('Nothing was saved').waitFor();
    const line = first.split('\n').length + 1;
    await alert.getByRole('button', { name: new RegExp(`^Line ${line}: .*sqll.*did you mean`) }).click();
    await expect.poll(() => page.locator('.cm-lintRange-error').allTextContents()).toContain('sqll');
    expect(await focused(page)).toBe('YAML of entities/customers.yml');
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(await stored('entities/customers.yml')).toBe(first);

    await page.keyboard.press('Control+End');
    for (const _ of 'sqll: x') await page.keyboard.press('Backspace');
    await page.keyboard.type('sq');
    await accept(page, 'sql');
    await page.keyboard.type('SELECT cou');
    await accept(page, 'country');
    await page.keyboard.type(' FROM customers');
    await page.getByText('These changes are not saved yet.').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const changes = page.getByRole('dialog').getByRole('textbox');
    await expect.poll(() => changes.textContent()).toContain('sql: SELECT country FROM customers');
    expect(await changes.textContent()).not.toContain('table: customers');
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('status').filter({ hasText: 'entities/customers.yml is saved.' }).waitFor();
    const second = `${first}  - description: All countries\n    sql: SELECT country FROM customers`;
    expect(await stored('entities/customers.yml')).toBe(second);
    expect(await stored('entities/customers.yml', site.other)).toBe(first);
    // Saving is no change of the text: what was typed last is what is undone.
    await textOf(page).press('Control+Z');
    await expect.poll(() => textOf(page).textContent()).not.toContain('SELECT country FROM customers');
    expect(await textOf(page).textContent()).toContain('All countries');
    await page.getByRole('button', { name: 'Discard changes' }).click();

    await page.getByRole('tab', { name: 'Versions' }).click();
    await page.getByRole('row', { name: /^1 .* a change boss@example.com/ }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Show version 1' }).click();
    const dialog = page.getByRole('dialog', { name: 'Version 1 of entities/customers.yml' });
    await expect.poll(() => dialog.locator('del').allTextContents()).toContain('  - description: All countries');
    expect(await accessibilityFaults(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Restore' }).click();
    await page.getByRole('status').filter({ hasText: 'Version 1 is restored.' }).waitFor();
    expect(await stored('entities/customers.yml')).toBe(first);
    await page.getByRole('tab', { name: 'YAML' }).click();
    await expect.poll(() => textOf(page).textContent()).not.toContain('All countries');
    await page.getByRole('link', { name: 'Semantic layer' }).last().click();
    const latest = page.getByRole('table', { name: 'Latest changes' });
    await latest.getByRole('row', { name: /customers.yml a restored version boss@example.com/ }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('keeps a draft while its page is left, and overwrites nobody unseen', async () => {
    const path = 'entities/order_items.yml';
    const first = await stored(path);
    await using visited = await site.visit(`/admin/semantic?file=${encodeURIComponent(path)}&view=yaml`, site.boss);
    const { page, complaints } = visited;
    await atEnd(page);
    await page.keyboard.type('# mine');
    await page.getByRole('link', { name: 'Connections' }).click();
    await page.getByRole('heading', { name: 'Connections' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Connections' }).waitFor();
    await page.goBack();
    await page.getByText('These changes are not saved yet.').waitFor();
    await atEnd(page);
    await expect.poll(() => textOf(page).textContent()).toContain('# mine');
    expect((await put(path, `${first}# of somebody else\n`)).status).toBe(200);
    await save(page);
    await page.getByRole('alert').filter({ hasText: 'somebody else has changed the file' }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Compare with the newest version' }).click();
    await expect.poll(() => page.locator('del').allTextContents()).toContain('# of somebody else');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    expect(await stored(path)).toBe(`${first}# of somebody else\n`);
    expect(await isFocused(page.getByRole('button', { name: 'Save', exact: true }))).toBe(true);
    await page.getByRole('button', { name: 'Discard changes' }).click();
    expect(await isFocused(page.getByRole('button', { name: 'Save', exact: true }))).toBe(true);
    await atEnd(page);
    await expect.poll(() => textOf(page).textContent()).toContain('# of somebody else');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('status').filter({ hasText: 'Nothing has been changed.' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('keeps a draft when the session ends, until the person signs out', async () => {
    await using visited = await site.visit(`${CUSTOMERS}&view=yaml`, site.boss);
    const { page, context, complaints } = visited;
    const signInAgain = async () => {
      await page.getByLabel('E-mail').fill('boss@example.com');
      await page.getByLabel('Password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByText('These changes are not saved yet.').waitFor();
      await atEnd(page);
      await expect.poll(() => textOf(page).textContent()).toContain('# the draft');
      expect(await textOf(page).textContent()).not.toContain('# discarded');
    };
    await atEnd(page);
    await page.keyboard.type('# discarded');
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await atEnd(page);
    await page.keyboard.type('# the draft');
    await context.clearCookies();
    await save(page);
    await signInAgain();
    expect(await page.getByRole('alert').count()).toBe(0);
    await context.clearCookies();
    await save(page);
    await page.getByLabel('E-mail').waitFor();
    // Another host's page, where one signs in, leads to a new page here.
    await page.reload();
    await signInAgain();
    for (const answer of ['Cancel', 'Sign out']) {
      await page.getByRole('banner').getByRole('button').last().click();
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
      expect(await textOf(page).textContent()).toContain('# the draft');
      await page.getByRole('dialog', { name: 'Sign out?' }).getByRole('button', { name: answer }).click();
    }
    await page.getByLabel('E-mail').waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('restores a version over what it shows alone, and leaves a draft as it is', async () => {
    const path = 'entities/orders.yml';
    const first = await stored(path);
    expect((await put(path, `${first}# second\n`)).status).toBe(200);
    await using visited = await site.visit(`/admin/semantic?file=${encodeURIComponent(path)}&view=yaml`, site.boss);
    const { page, complaints } = visited;
    const dialog = page.getByRole('dialog');
    await atEnd(page);
    await page.keyboard.type('# draft');
    await page.getByRole('tab', { name: 'Versions' }).click();
    await page.getByRole('button', { name: 'Show version 1' }).click();
    await dialog.getByText('Your changes that are not saved yet stay under YAML.').waitFor();
    await expect.poll(() => dialog.locator('del').allTextContents()).toEqual(['# second']);
    expect((await put(path, `${first}# third\n`)).status).toBe(200);
    await dialog.getByRole('button', { name: 'Restore' }).click();
    await dialog.getByRole('alert').filter({ hasText: 'Nothing was restored' }).waitFor();
    await expect.poll(() => dialog.locator('del').allTextContents()).toEqual(['# third']);
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(await stored(path)).toBe(`${first}# third\n`);
    await dialog.getByRole('button', { name: 'Restore' }).click();
    await page.getByRole('status').filter({ hasText: 'Version 1 is restored.' }).waitFor();
    expect(await stored(path)).toBe(first);
    await page.getByRole('tab', { name: 'YAML' }).click();
    await atEnd(page);
    await expect.poll(() => textOf(page).textContent()).toContain('# draft');
    await page.getByRole('button', { name: 'Discard changes' }).click();
    expect(complaints).toEqual([]);
  });

  it('is worked by the keyboard alone', async () => {
    await using visited = await site.visit('/admin/semantic', site.boss);
    const { page, complaints } = visited;
    await page.getByRole('searchbox', { name: 'Search the layer' }).focus();
    await page.keyboard.type('glossary.yml');
    await expect.poll(() => page.getByRole('table', { name: 'Entities' }).count()).toBe(0);
    const link = page.getByRole('table', { name: 'Glossary' }).getByRole('link').first();
    await expect.poll(() => pressedTabTo(page, link)).toBe(true);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'glossary.yml' }).waitFor();
    await page.getByRole('tab', { name: 'Contents' }).focus();
    await page.keyboard.press('ArrowRight');
    await textOf(page).waitFor();
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('YAML of glossary.yml');
    await page.keyboard.press('Control+End');
    await page.keyboard.press('Tab');
    await page.keyboard.type('# by keys?');
    await expect.poll(() => textOf(page).textContent()).toContain('  # by keys?');
    expect(await page.getByRole('dialog').count()).toBe(0);
    // The first one ends the search for suggestions, where that goes on.
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    expect(await isFocused(page.getByRole('button', { name: 'Save', exact: true }))).toBe(true);
    await page.keyboard.press('Enter');
    const confirm = page.getByRole('dialog').getByRole('button', { name: 'Save' });
    await expect.poll(() => pressedTabTo(page, confirm)).toBe(true);
    await page.keyboard.press('Enter');
    await page.getByRole('status').filter({ hasText: 'glossary.yml is saved.' }).waitFor();
    expect(await stored('glossary.yml')).toMatch(/\n {2}# by keys\?$/);
    expect(complaints).toEqual([]);
  });

  it('shows hostile names as the texts that they are', async () => {
    const name = JSON.stringify(HOSTILE);
    const file = `table: customers\nname: ${name}\ndescription: ${name}\ndimensions:\n  - name: ${name}\n    sql: id\n# \u200c\u2068\n`;
    expect((await put('entities/hostile.yml', file)).status).toBe(201);
    await using visited = await site.visit('/admin/semantic', site.boss);
    const { page, complaints } = visited;
    await page
      .getByRole('table', { name: 'Entities' })
      .getByRole('link', { name: /^<img src=x .*U\+202E/ })
      .click();
    await page.getByRole('heading', { level: 1, name: /^<img src=x .*U\+202E/ }).waitFor();
    await page.getByRole('table', { name: 'Columns' }).getByRole('cell', { name: /^<img/ }).first().waitFor();
    await page.getByRole('tab', { name: 'YAML' }).click();
    await expect.poll(() => textOf(page).textContent()).toContain('onerror');
    expect(await page.locator('.cm-specialChar').allTextContents()).toEqual([
      ...Array(3).fill('U+202E'),
      'U+200C',
      'U+2068',
    ]);
    await page.keyboard.press('Tab');
    await atEnd(page);
    await page.keyboard.type('joins:\n- target: ');
    await page.keyboard.press('Control+Space');
    await page.getByRole('option', { name: /<img.*U\+202E/ }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+A');
    await page.keyboard.type('table: customers');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const deleted = page.getByRole('dialog').locator('del');
    await expect.poll(() => deleted.allTextContents()).toContain('# U+200CU+2068');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { level: 1, name: 'Semantic layer' }).waitFor();
    await expect.poll(() => page.getByRole('table', { name: 'Entities' }).getByText('onerror').count()).toBe(0);
    expect(await page.locator('img').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('says how a layer that can only be read is changed', async () => {
    using folder = emptyFolder();
    createSimpleDemo(join(folder.path, 'shop.db'));
    await using server = await startBuiltIn({
      SVC_SEMANTIC_DIR: DEMOS.simple.layer,
      SVC_DATASOURCE_URL: `sqlite:${join(folder.path, 'shop.db')}`,
      SVC_PROVIDER: 'offline',
    });
    const browser = await startBrowser([]);
    try {
      await using visited = await openConsole(browser, `${server.url}${CUSTOMERS}&view=yaml`);
      const { page, complaints } = visited;
      await page.getByRole('note').filter({ hasText: 'set DATABASE_URL and start the server again' }).waitFor();
      await textOf(page).click();
      await page.keyboard.type('x');
      expect(await textOf(page).textContent()).toMatch(/^table: customers/);
      expect(await page.getByRole('button', { name: /Save|Delete/ }).count()).toBe(0);
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.goto(`${server.url}/admin/semantic?file=entities%2Fgone.yml&view=versions`);
      await page.getByText('There is no such file. It may have been deleted or renamed').waitFor();
      await page.getByRole('link', { name: 'Semantic layer' }).last().click();
      await page.getByRole('note').filter({ hasText: 'set DATABASE_URL and start the server again' }).waitFor();
      expect(await page.getByRole('button', { name: 'Add a file' }).count()).toBe(0);
      expect(complaints).toEqual([]);
    } finally {
      await browser.close();
    }
  });

  it('makes a file, deletes it and takes it back', async () => {
    await using visited = await site.visit('/admin/semantic', site.boss);
    const { page, complaints } = visited;
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Add a file' }).click();
    await dialog.getByLabel('Path').fill('../secret.yml');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await dialog.getByText('This is no path of a file').waitFor();
    await dialog.getByLabel('Path').fill('secret.txt');
    expect(await accessibilityFaults(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Add' }).click();
    await page.getByRole('alert').filter({ hasText: 'entities/' }).waitFor();
    expect(await page.getByRole('tab').count()).toBe(0);
    await page.goto(`${site.url}/admin/semantic?file=metrics%2Fmore.yml`);
    await page.getByRole('tabpanel').getByText('Save something under YAML to make it').waitFor();
    await page.goto(`${site.url}/admin/semantic?file=..%2F..%2F..%2Fme&view=yaml`);
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    await page.goto(`${site.url}/admin/semantic?file=metrics%2Fmore.yml&view=yaml`);
    await page.getByText('There is no such file.').waitFor();
    await textOf(page).click();
    await page.keyboard.press('Control+Space');
    await accept(page, 'metrics');
    await typeLines(page, ['', '- id: buyers', 'entity: customers', 'measure: customer_count']);
    await save(page);
    await page.getByRole('status').filter({ hasText: 'metrics/more.yml is saved.' }).waitFor();
    const made = 'metrics:\n  - id: buyers\n    entity: customers\n    measure: customer_count';
    expect(await stored('metrics/more.yml')).toBe(made);
    await page.getByRole('tab', { name: 'Contents' }).click();
    await page.getByRole('row', { name: /^buyers customer_count · customers/ }).waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await expect.poll(() => isFocused(page.getByRole('heading', { level: 1, name: 'Semantic layer' }))).toBe(true);
    const deleted = page
      .getByRole('table', { name: 'Latest changes' })
      .getByRole('row', { name: /more.yml its deletion/ });
    await deleted.getByRole('link').click();
    await page.getByText('There is no such file.').waitFor();
    await page.getByRole('button', { name: 'Show version 1' }).click();
    await dialog.getByRole('button', { name: 'Restore' }).click();
    await page.getByRole('status').filter({ hasText: 'Version 1 is restored.' }).waitFor();
    expect(await stored('metrics/more.yml')).toBe(made);
    expect(complaints).toEqual([]);
  });

  it('shows the first of many entities and finds the others, and says what to do where there are none', async () => {
    await using visited = await site.visit('/admin/semantic', site.boss);
    const { page, complaints } = visited;
    const entities = page.getByRole('table', { name: 'Entities' });
    await entities.getByRole('link', { name: 'orders', exact: true }).waitFor();
    const { body } = await site.boss.send(`${BASE}/entities`);
    const many = Array.from({ length: 2_000 }, (_, at) => ({
      ...body.entities[0],
      name: `e${at}`,
      file: `entities/e${at}.yml`,
    }));
    await page.route(`**${BASE}/entities`, (route) => route.fulfill({ json: { ...body, entities: many } }));
    await page.reload();
    await page.getByRole('button', { name: 'Show 100 more of 1,900' }).click();
    await expect.poll(() => entities.getByRole('link').count()).toBe(200);
    await page.getByRole('searchbox', { name: 'Search the layer' }).fill('e1999');
    await entities.getByRole('link', { name: 'e1999', exact: true }).waitFor();
    expect(await entities.getByRole('link').count()).toBe(1);

    const none = { entities: [], problems: [], metrics: [], glossary: [], catalog: null };
    await page.route(`**${BASE}/*`, (route) => route.fulfill({ json: { ...none, versions: [], total: 0 } }));
    await page.goto(`${site.url}/admin/semantic`);
    await page.getByRole('status').filter({ hasText: 'This layer has no files yet. Add one here' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('has pages that fit a phone, light and dark', async () => {
    for (const path of ['/admin/semantic', CUSTOMERS, `${CUSTOMERS}&view=yaml`, `${CUSTOMERS}&view=versions`]) {
      await using visited = await site.visit(path, site.boss, { viewport: NARROW });
      const { page, complaints } = visited;
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.getByText('Loading').waitFor({ state: 'detached' });
      expect([path, await isWithinWindow(page)]).toEqual([path, true]);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        expect([path, colorScheme, await accessibilityFaults(page)]).toEqual([path, colorScheme, []]);
      }
      expect(complaints).toEqual([]);
    }
  });

  it('an administrator vouches for an answer, and whoever asks it with another period is told', async () => {
    const ask = async (page: Page, question: string) => {
      await page.getByRole('textbox', { name: 'Ask a question' }).fill(question);
      await page.getByRole('button', { name: 'Ask', exact: true }).click();
      return page.getByRole('article', { name: question, exact: true });
    };
    await using shown = await site.visit('/', site.boss);
    const { page, complaints } = shown;
    const answer = await ask(page, 'Revenue by region in 2025');
    await answer.getByRole('button', { name: 'Verify' }).click();
    const dialog = page.getByRole('dialog', { name: 'Verify this answer' });
    await dialog.getByRole('textbox', { name: 'Question' }).waitFor();
    expect(await dialog.getByRole('textbox', { name: 'Question' }).inputValue()).toBe('Revenue by region in {period}');
    expect(await accessibilityFaults(page)).toEqual([]);
    await dialog.getByRole('textbox', { name: 'Name' }).fill('No name');
    await dialog.getByRole('button', { name: 'Verify' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByRole('textbox', { name: 'Name' }).fill('regions');
    await dialog.getByRole('button', { name: 'Verify' }).click();
    await answer.getByRole('button', { name: 'Verified', disabled: true }).waitFor();
    await page.goto(site.url);
    const again = await ask(page, 'Revenue by region in 2024');
    await again.getByRole('button', { name: 'Good answer' }).waitFor();
    expect(await again.innerText()).toMatch(/Verified by .+ on \d{4}/);
    expect(await again.getByRole('button', { name: 'Verify' }).count()).toBe(0);
    expect(complaints).toEqual([]);
    await using other = await site.visit('/', site.viewer);
    const seen = await ask(other.page, 'Revenue by region');
    await seen.getByRole('button', { name: 'Good answer' }).waitFor();
    expect(await seen.getByRole('button', { name: 'Verify' }).count()).toBe(0);
    expect((await site.boss.send('/api/v1/admin/verified/regions', { method: 'DELETE' })).status).toBe(200);
  });
});
