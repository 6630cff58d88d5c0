/** Questions and answers in the web console, in a real browser: on the offline reader and on a scripted model. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSimpleDemo, DEMOS } from '../../plugins/demo-data/index.ts';
import { findChromium, INSTALL_CHROMIUM, startBrowser } from '../harness/browser.ts';
import { type BuiltInServer, startBuiltIn } from '../harness/built-in-server.ts';
import { emptyFolder } from '../harness/command.ts';
import {
  accessibilityFaults,
  buildConsole,
  type ConsolePage,
  isWithinWindow,
  NARROW,
  openConsole,
} from '../harness/console-page.ts';
import { type OpenAIServer, type RecordedRequest, type Step, startOpenAIServer } from '../harness/openai-server.ts';
import { suiteNeeding } from '../harness/require.ts';

const folder = emptyFolder();
const shop = join(folder.path, 'shop.db');
let browser: Browser;

async function started(name: string, env: Readonly<Record<string, string>>): Promise<BuiltInServer> {
  return startBuiltIn({
    DATABASE_URL: `sqlite:${join(folder.path, `${name}.db`)}`,
    SVC_DATASOURCE_URL: `sqlite:${shop}`,
    SVC_SEMANTIC_DIR: DEMOS.simple.layer,
    ...env,
  });
}

/** Makes the stream of the chat fail as a browser does where the connection is lost. */
const LOSE_LINE = `{
  const { fetch } = globalThis;
  globalThis.fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (!String(input).includes('/chat') || response.body === null) return response;
    const cut = new AbortController();
    globalThis.loseLine = () => cut.abort(new TypeError('network error'));
    return new Response(response.body.pipeThrough(new TransformStream(), { signal: cut.signal }), response);
  };
}`;

const box = (page: Page) => page.getByRole('textbox', { name: 'Ask a question' });

async function ask(page: Page, question: string): Promise<void> {
  await box(page).fill(question);
  await page.keyboard.press('Enter');
}

const status = (page: Page) => page.getByRole('status');

async function complete(page: Page): Promise<void> {
  await expect.poll(() => status(page).textContent()).toBe('Answer complete');
}

const suite = suiteNeeding('chromium', findChromium() !== undefined, INSTALL_CHROMIUM);

suite('the web console', () => {
  beforeAll(async () => {
    buildConsole();
    createSimpleDemo(shop);
    browser = await startBrowser([]);
  });
  afterAll(async () => {
    await browser?.close();
    folder[Symbol.dispose]();
  });

  describe('with the offline reader', () => {
    let server: BuiltInServer;
    beforeAll(async () => {
      server = await started('offline', { SVC_PROVIDER: 'offline' });
    });
    afterAll(() => server?.[Symbol.asyncDispose]());
    const open = (path = '/', options = {}): Promise<ConsolePage> => openConsole(browser, server.url + path, options);

    it('the first screen takes a question at once, and offers some', async () => {
      await using shown = await open();
      const { page, complaints } = shown;
      await page.getByRole('list', { name: 'Suggested questions' }).getByRole('button').first().waitFor();
      expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('Ask a question');
      expect(await page.getByRole('list', { name: 'Suggested questions' }).getByRole('button').count()).toBe(4);
      expect(await page.getByRole('note').textContent()).toMatch(
        /everybody who reaches this page is an administrator/i,
      );
      expect(await page.getByText('Offline reader').isVisible()).toBe(true);
      expect(complaints).toEqual([]);
    });

    it('a question is answered with text, rows, chart and SQL, and is still there after a reload', async () => {
      await using shown = await open();
      const { page, complaints } = shown;
      await ask(page, 'Revenue by region in 2025');
      await complete(page);
      expect(new URL(page.url()).pathname).toMatch(/^\/c\/[0-9a-f-]{36}$/);
      const answer = page.getByRole('article', { name: 'Revenue by region in 2025' });
      await answer.getByRole('tab', { name: 'Table' }).waitFor();
      expect(await answer.getByRole('cell', { name: '401,073.08' }).isVisible()).toBe(true);
      await answer.getByRole('tab', { name: 'SQL' }).click();
      expect(await answer.getByRole('tabpanel').textContent()).toContain('SELECT customers.region');
      const ran = answer.getByRole('region', { name: 'What ran' });
      expect(await ran.textContent()).toMatch(/As asked.*As executed.*Changes/s);
      await page.reload();
      await answer.getByRole('tab', { name: 'Table' }).click();
      expect(await answer.getByRole('cell', { name: '401,073.08' }).isVisible()).toBe(true);
      const again = page.waitForResponse('**/api/v1/sql');
      await answer.getByRole('button', { name: 'Run again' }).click();
      expect((await again).status()).toBe(200);
      await expect.poll(() => answer.getByRole('cell', { name: '401,073.08' }).isVisible()).toBe(true);
      await page.reload();
      await ran.getByRole('link').click();
      await page.getByRole('heading', { name: 'Audit', level: 1 }).waitFor();
      await page.getByRole('row').filter({ hasText: 'SELECT customers.region' }).first().waitFor();
      expect(complaints).toEqual([]);
    });

    it('a number of the text marks its cell', async () => {
      await using shown = await open();
      const { page } = shown;
      await ask(page, 'Revenue by region in 2025');
      await complete(page);
      await page.getByRole('button', { name: '293,588.43', exact: true }).first().click();
      const cell = page.getByRole('cell', { name: '293,588.43' });
      await page
        .locator('[data-marked]')
        .filter({ has: cell })
        .or(cell.and(page.locator('[data-marked]')))
        .waitFor();
    });

    it('what was read is changed by a chip, and a follow-up continues', async () => {
      await using shown = await open();
      const { page, complaints } = shown;
      await ask(page, 'Revenue by region in 2025');
      await complete(page);
      await page.getByRole('note', { name: 'Read as' }).getByRole('button', { name: 'by region' }).click();
      expect(await box(page).inputValue()).toBe('I meant by region of customers');
      await page.keyboard.type('by country of customers');
      await page.keyboard.press('Enter');
      const second = page.getByRole('article', { name: 'I meant by country of customers' });
      await second.getByRole('columnheader', { name: 'country' }).waitFor();
      await complete(page);
      await second.getByRole('button', { name: /in 2025/ }).click();
      await page.getByRole('menuitem', { name: 'last year' }).click();
      const third = page.getByRole('article', { name: 'I meant last year' });
      await third.getByRole('columnheader', { name: 'country' }).waitFor();
      await complete(page);
      await third.getByRole('list', { name: 'Follow-up questions' }).getByRole('button').first().click();
      await expect.poll(() => page.getByRole('article').count()).toBe(4);
      expect(complaints).toEqual([]);
    });

    it('ambiguous questions are asked back with buttons', async () => {
      await using shown = await open();
      const { page } = shown;
      await ask(page, 'Sales by region');
      await complete(page);
      const choices = page.getByRole('group', { name: 'Which did you mean?' }).getByRole('button');
      await choices.first().waitFor();
      await choices.first().click();
      await expect.poll(() => page.getByRole('article').count()).toBe(2);
    });

    it('keys: edit, list of keys, palette', async () => {
      await using shown = await open();
      const { page } = shown;
      await ask(page, 'How many customers are there?');
      await complete(page);
      await page.keyboard.press('ArrowUp');
      expect(await box(page).inputValue()).toBe('How many customers are there?');
      await page.keyboard.press('Shift+Enter');
      expect(await page.getByRole('article').count()).toBe(1);
      await box(page).fill('');
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Search pages and conversations' }).fill('hist');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'History', level: 1 }).waitFor();
      await page.keyboard.press('Control+k');
      await page.getByRole('option', { name: 'How many customers are there?' }).first().waitFor();
      // What was found before is not what these letters mean.
      await page.keyboard.type('zzz');
      await page.keyboard.press('Enter');
      await page.getByText('Nothing matches.').waitFor();
      expect(new URL(page.url()).pathname).toBe('/history');
      await page.keyboard.press('Escape');
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
      await page.keyboard.press('Escape');
      await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    });

    it('long words make no page wider than the window', async () => {
      const word = `https://example.com/${'x'.repeat(200)}`;
      await using shown = await open('/', { viewport: NARROW });
      const { page, complaints } = shown;
      await page.route('**/api/v1/me', async (route) => {
        const me = await (await route.fetch()).json();
        await route.fulfill({ json: { ...me, mode: 'managed', user: { id: 'x', name: word, email: null } } });
      });
      const json = { collections: [{ items: [{ question: word }] }] };
      await page.route('**/api/v1/prompts?*', (route) => route.fulfill({ json }));
      await page.route('**/api/v1/shares/*', (route) => route.fulfill({ json: { question: word, isOwn: true } }));
      await page.route('**/api/v1/shares/*/run', (route) => route.fulfill({ json: { data: [] } }));
      await page.reload();
      await page.getByRole('main').getByRole('button', { name: word }).waitFor();
      await page.getByRole('banner').getByRole('button', { name: word }).waitFor();
      expect(await isWithinWindow(page)).toBe(true);
      await page.goto(`${server.url}/s/${crypto.randomUUID()}`);
      await page.getByRole('heading', { level: 1, name: word }).waitFor();
      expect(await isWithinWindow(page)).toBe(true);
      expect(complaints).toEqual([]);
    });

    it('conversations are found, renamed, starred and deleted', async () => {
      await using shown = await open();
      const { page, complaints } = shown;
      await ask(page, 'How many orders are there?');
      await complete(page);
      await page.getByRole('link', { name: 'History' }).click();
      const item = (title: string) =>
        page.getByRole('navigation', { name: 'Conversations' }).getByRole('link', { name: title });
      await item('How many orders are there?').first().waitFor();
      const choose = async (name: string) => {
        await page
          .getByRole('listitem')
          .filter({ hasText: /orders/ })
          .first()
          .getByRole('button', { name: 'More' })
          .click();
        await page.getByRole('menuitem', { name }).click();
      };
      await choose('Rename');
      await page.getByRole('textbox', { name: 'Title' }).fill('x'.repeat(500));
      await page.getByRole('button', { name: 'Rename' }).click();
      await page.getByRole('dialog').getByRole('alert').waitFor();
      expect(await page.getByRole('textbox', { name: 'Title' }).inputValue()).toBe('x'.repeat(500));
      await page.getByRole('textbox', { name: 'Title' }).fill('All <b>orders</b>');
      await page.getByRole('button', { name: 'Rename' }).click();
      await item('All <b>orders</b>').waitFor();
      await choose('Star');
      await page.getByRole('img', { name: 'Starred' }).waitFor();
      await page.getByRole('searchbox', { name: 'Search conversations' }).fill('all <b>ORD');
      await expect
        .poll(() => page.getByRole('navigation', { name: 'Conversations' }).getByRole('link').count())
        .toBe(1);
      await choose('Delete');
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByText('No conversation matches.').waitFor();
      expect(complaints).toEqual([]);
    });

    it('says how many conversations are listed, and how the others are found', async () => {
      await using shown = await open();
      const { page, complaints } = shown;
      await page.route('**/api/v1/conversations?*', async (route) => {
        const limit = Number(new URL(route.request().url()).searchParams.get('limit'));
        const at = new Date(0).toISOString();
        const conversations = Array.from({ length: limit }, (_, index) => ({
          id: `${index}`,
          title: `Question ${index}`,
          starred: false,
          createdAt: at,
          updatedAt: at,
        }));
        await route.fulfill({ json: { conversations, total: 1_234 } });
      });
      await page.getByRole('link', { name: 'History' }).click();
      await page.getByRole('button', { name: 'Show older conversations' }).click();
      await page.getByText('The first 100 of 1,234 conversations are listed. Search finds the others.').waitFor();
      expect(complaints).toEqual([]);
    });

    it('an answer is judged, and shared by a link that runs again until it is withdrawn', async () => {
      await using shown = await open();
      const { page, complaints } = shown;
      await ask(page, 'Revenue by region in 2025');
      await complete(page);
      await page.getByRole('button', { name: 'Bad answer' }).click();
      await page.getByRole('textbox', { name: /What was wrong/ }).fill('It is net.');
      await page.route('**/feedback', (route) => route.abort());
      await page.getByRole('button', { name: 'Send' }).click();
      await page.getByRole('dialog').getByRole('alert').waitFor();
      expect(await page.getByRole('textbox', { name: /What was wrong/ }).inputValue()).toBe('It is net.');
      await page.unroute('**/feedback');
      await page.getByRole('button', { name: 'Send' }).click();
      await page.getByRole('button', { name: 'Bad answer', pressed: true }).waitFor();
      await page.getByRole('link', { name: 'History' }).click();
      await page.getByRole('heading', { name: 'History', level: 1 }).waitFor();
      await page.goBack();
      await page.getByRole('button', { name: 'Bad answer', pressed: true }).waitFor();
      await page.getByRole('button', { name: 'Share' }).click();
      const link = await page.getByRole('textbox', { name: /Link/ }).inputValue();
      expect(new URL(link).pathname).toMatch(/^\/s\/[0-9a-f-]{36}$/);
      await page.goto(link);
      await page.getByRole('heading', { name: 'Revenue by region in 2025' }).waitFor();
      await page.getByRole('cell', { name: '401,073.08' }).waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.getByRole('button', { name: 'Withdraw' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click();
      await page.getByRole('heading', { name: 'Page not found' }).waitFor();
      expect(complaints).toEqual([]);
    });

    it.each([
      ['/nothing', 404],
      ['/schedules', 404],
      ['/c/00000000-0000-4000-8000-000000000000', 200],
      ['/c/x', 200],
    ])('what does not exist has a page of the console: %s', async (path, code) => {
      await using shown = await open(path);
      const { page } = shown;
      expect((await page.goto(server.url + path))?.status()).toBe(code);
      await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    });

    it.each([
      ['light', 1_280],
      ['light', 360],
      ['dark', 1_280],
      ['dark', 360],
    ] as const)('has no fault that axe finds: %s, %i px', async (colorScheme, width) => {
      await using shown = await open('/', { colorScheme, viewport: { width, height: 700 } });
      const { page } = shown;
      await page.getByRole('list', { name: 'Suggested questions' }).getByRole('button').first().waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      await ask(page, 'Revenue by region in 2025');
      await complete(page);
      await page.getByRole('tab', { name: 'Table' }).waitFor();
      for (const tab of ['Table', 'Chart', 'SQL']) {
        await page.getByRole('tab', { name: tab }).click();
        expect(await accessibilityFaults(page), tab).toEqual([]);
        expect(await isWithinWindow(page), tab).toBe(true);
      }
      await page.goto(`${server.url}/history`);
      await page.getByRole('navigation', { name: 'Conversations' }).getByRole('link').first().waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      expect(await isWithinWindow(page)).toBe(true);
    });
  });

  describe('with a model', () => {
    let model: OpenAIServer;
    let server: BuiltInServer;
    let respond: (request: RecordedRequest) => Step;
    beforeAll(async () => {
      model = await startOpenAIServer({ respond: (request) => respond(request) });
      server = await started('model', {
        SVC_PROVIDER: 'openai-compatible',
        SVC_MODEL: 'scripted',
        OPENAI_API_KEY: 'none',
        OPENAI_BASE_URL: model.url,
        SVC_ALLOW_PRIVATE_URLS: new URL(model.url).host,
      });
    });
    afterAll(async () => {
      await server?.[Symbol.asyncDispose]();
      await model?.[Symbol.asyncDispose]();
    });
    const open = (): Promise<ConsolePage> => openConsole(browser, `${server.url}/`);

    it('hostile text of a model is text, and harmless Markdown looks right', async () => {
      respond = () => ({
        text: [
          '# Title <img src=x onerror=alert(1)>',
          'Text <script>alert(2)</script> **bold** `code`',
          '[bad](javascript:alert(3)) [good](https://example.com/a) ![pixel](https://evil.example/p.png)',
          '| a | b |\n|---|--:|\n| <b>1</b> | 2 |',
          '- one\n- two\n\n```sql\nSELECT 1 < 2\n```',
        ].join('\n\n'),
      });
      await using shown = await open();
      const { page, complaints } = shown;
      await ask(page, 'Who <b>are</b> you?');
      await complete(page);
      const answer = page.getByRole('article');
      expect(await answer.locator('img, script, h1').count()).toBe(0);
      expect(await answer.getByRole('link').count()).toBe(1);
      expect(await answer.getByRole('link').getAttribute('href')).toBe('https://example.com/a');
      expect(await answer.textContent()).toContain('<script>alert(2)</script> bold code');
      expect(await answer.locator('strong').textContent()).toBe('bold');
      expect(await answer.getByRole('cell', { name: '<b>1</b>' }).isVisible()).toBe(true);
      expect(complaints).toEqual([]);
    });

    it('an empty result says why it is empty, and asks again with a value that there is', async () => {
      respond = ({ text }) => {
        // The first time it is told that no row has the value.
        const isTold = text.split('"role":"tool"').length > (text.includes('from Toronto?') ? 1 : 2);
        if (isTold) return { text: 'There are none.' };
        const city = text.includes('from Toronto') ? 'Toronto' : 'Torontoo';
        const sql = `SELECT name FROM customers WHERE city = '${city}' ORDER BY name LIMIT 3`;
        return { toolCall: { name: 'executeSQL', args: { sql } } };
      };
      await using shown = await open();
      const { page, complaints } = shown;
      await ask(page, 'Three customers from torontoo?');
      await complete(page);
      await page
        .getByText('One filter leaves nothing: city of customers is Torontoo. Near values of city: "Toronto".')
        .waitFor();
      const choices = page.getByRole('group', { name: 'Instead of “Torontoo”' });
      expect(await choices.getByRole('button').allTextContents()).toEqual(['Toronto']);
      expect(await accessibilityFaults(page)).toEqual([]);
      await choices.getByRole('button', { name: 'Toronto' }).click();
      const answered = page.getByRole('table', { name: 'Three customers from Toronto?' });
      await answered.getByRole('row').nth(3).waitFor();
      // What was asked before is not asked again from there.
      expect(await choices.getByRole('button').isDisabled()).toBe(true);
      await page.reload();
      await page.getByText('One filter leaves nothing').waitFor();
      expect(complaints).toEqual([]);
    });

    it('a refused statement is shown with the place that its refusal names', async () => {
      const call = { toolCall: { name: 'executeSQL', args: { sql: 'SELECT load_extension(name)\nFROM orders' } } };
      respond = ({ text }) => (text.includes('"role":"tool"') ? { text: 'That is not allowed.' } : call);
      await using shown = await open();
      const { page, complaints } = shown;
      await ask(page, 'Load it');
      await complete(page);
      await page.getByText('1 step', { exact: true }).click();
      const step = page.getByRole('article').getByRole('listitem');
      expect(await step.locator('mark').textContent()).toBe('load_extension');
      expect(await step.textContent()).toMatch(/load_extension.*line 1, column 8/);
      expect(await accessibilityFaults(page)).toEqual([]);
      expect(complaints).toEqual([]);
    });

    it('a text that no person would write is shown as it is', async () => {
      respond = () => ({ text: `${'>'.repeat(3_000)}x` });
      await using shown = await open();
      const { page, complaints } = shown;
      await ask(page, 'Quote yourself');
      await complete(page);
      expect(await page.getByRole('article').textContent()).toContain('>>>>x');
      expect(complaints).toEqual([]);
    });

    it.each(['Escape', 'Stop'])('%s ends the answer, and the page is free', async (how) => {
      let isAborted = false;
      respond = (request) => {
        setInterval(() => {
          isAborted ||= request.aborted;
        }, 20).unref();
        return { text: 'This goes on and on. '.repeat(50), everyMs: 200 };
      };
      await using shown = await open();
      const { page } = shown;
      await ask(page, 'Tell me a long story');
      await page.getByText('This goes on').first().waitFor();
      if (how === 'Stop') await page.getByRole('button', { name: 'Stop' }).click();
      else await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Ask', exact: true }).waitFor();
      await expect.poll(() => isAborted).toBe(true);
      expect(await page.getByText('This answer broke off').isVisible()).toBe(true);
      respond = () => ({ text: 'A short one.' });
      await page.getByRole('button', { name: 'Ask again' }).click();
      await page.getByText('A short one.').waitFor();
      await complete(page);
    });

    it('a failure is told with a way on', async () => {
      respond = () => ({ status: 401 });
      await using shown = await open();
      const { page } = shown;
      await ask(page, 'How many orders?');
      const alert = page.getByRole('alert');
      await alert.waitFor();
      expect(await alert.textContent()).toMatch(/provider/i);
      respond = () => ({ text: 'There are some.' });
      await alert.getByRole('button', { name: 'Try again' }).click();
      await page.getByText('There are some.').waitFor();
      expect(await page.getByRole('alert').count()).toBe(0);
      await complete(page);
      await page.reload();
      await page.getByText('There are some.').waitFor();
      expect(await page.getByRole('article').count()).toBe(1);
    });

    it('a server out of reach is told, and an answer goes on after a reload and a lost connection', async () => {
      respond = () => ({ text: 'This goes on and on. '.repeat(50), everyMs: 200 });
      await using shown = await open();
      const { page } = shown;
      // The browser has no command that cuts one connection.
      await page.addInitScript(LOSE_LINE);
      await page.reload();
      const asked = model.requests.length;
      await page.route('**/api/v1/chat**', (route) => route.abort('internetdisconnected'), { times: 1 });
      await ask(page, 'Tell me a long story');
      const alert = page.getByRole('alert');
      await alert.waitFor();
      expect(await alert.textContent()).toContain('The server cannot be reached.');
      await alert.getByRole('button', { name: 'Try again' }).click();
      const said = async () => (await page.getByText('This goes on').first().textContent())?.length ?? 0;
      const hasGrown = async () => {
        const before = await said();
        await expect.poll(said).toBeGreaterThan(before + 20);
      };
      await page.getByText('This goes on').first().waitFor();
      await page.reload();
      await hasGrown();
      await page.evaluate('globalThis.loseLine()');
      await hasGrown();
      expect(await page.getByRole('alert').count()).toBe(0);
      expect(model.requests.length).toBe(asked + 1);
      await page.getByRole('button', { name: 'Stop' }).click();
      await page.getByText('This answer broke off').waitFor();
      await page.reload();
      await page.getByText('This answer broke off').waitFor();
      await page.getByRole('button', { name: 'Ask again' }).waitFor();
    });

    it('an answer that is stopped while it is being taken up again has broken off', async () => {
      respond = () => ({ text: 'This goes on and on. '.repeat(50), everyMs: 200 });
      await using shown = await open();
      const { page } = shown;
      await page.addInitScript(LOSE_LINE);
      await page.reload();
      await ask(page, 'Tell me a long story');
      await page.getByText('This goes on').first().waitFor();
      const isHeld = Promise.withResolvers<void>();
      const stopped = Promise.withResolvers<void>();
      await page.route('**/stream**', async (route) => {
        if (route.request().method() === 'GET') {
          isHeld.resolve();
          await stopped.promise;
        }
        // The server learns late of it.
        else await sleep(500);
        await route.continue().catch(() => {});
      });
      await page.evaluate('globalThis.loseLine()');
      await isHeld.promise;
      const ended = page.waitForResponse((response) => response.request().method() === 'DELETE');
      await page.getByRole('button', { name: 'Stop' }).click();
      stopped.resolve();
      await ended;
      await page.getByText('This answer broke off').waitFor();
    });

    it('a question that did not arrive is asked anew, and what another tab has asked stays', async () => {
      respond = () => ({ text: 'There are some.' });
      await using shown = await open();
      const { page } = shown;
      const questions = (of: Page) => of.getByRole('article').getByRole('heading', { level: 2 }).allTextContents();
      for (const question of ['How many orders?', 'By region']) {
        await ask(page, question);
        await complete(page);
      }
      await page.route('**/api/v1/chat**', (route) => route.abort('internetdisconnected'), { times: 1 });
      await ask(page, 'How many orders?');
      const again = page.getByRole('alert').getByRole('button', { name: 'Try again' });
      await again.focus();
      await page.keyboard.press('Enter');
      await complete(page);
      expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('Ask a question');
      await using other = await openConsole(browser, page.url());
      await expect.poll(() => questions(other.page)).toEqual(['How many orders?', 'By region', 'How many orders?']);
      await ask(other.page, 'By month');
      await complete(other.page);
      await page.getByRole('button', { name: 'Ask again' }).click();
      await expect.poll(() => status(page).textContent()).toContain('gone on elsewhere');
      const all = ['How many orders?', 'By region', 'How many orders?', 'By month'];
      expect(await questions(page)).toEqual(all);
      await page.reload();
      await expect.poll(() => questions(page)).toEqual(all);
    });

    it('an answer that another tab is getting goes on in both, until one stops it', async () => {
      respond = () => ({ text: 'This goes on and on. '.repeat(50), everyMs: 200 });
      await using shown = await open();
      const { page } = shown;
      await ask(page, 'Tell me a long story');
      await page.getByText('This goes on').first().waitFor();
      await using other = await openConsole(browser, page.url());
      await other.page.getByText('This goes on and on. This goes on').waitFor();
      expect(await other.page.getByRole('button', { name: 'Ask again' }).count()).toBe(0);
      await page.getByRole('button', { name: 'Stop' }).click();
      await page.getByText('This answer broke off').waitFor();
      await other.page.getByRole('alert').getByText('The answer was stopped.').waitFor();
    });

    it('an answer that ends before its first word can be asked for again, and what was typed stays', async () => {
      let isAsked = false;
      respond = () => {
        isAsked = true;
        return { stall: true };
      };
      await using shown = await open();
      const { page } = shown;
      await ask(page, 'How many orders?');
      await expect.poll(() => isAsked).toBe(true);
      await page.getByRole('button', { name: 'Stop' }).click();
      await page.getByText('This answer broke off before anything was said.').waitFor();
      await box(page).fill('And by');
      await page.getByRole('link', { name: 'History' }).click();
      await page.getByRole('heading', { name: 'History', level: 1 }).waitFor();
      await page.goBack();
      expect(await box(page).inputValue()).toBe('And by');
      respond = () => ({ text: 'There are some.' });
      await page.getByRole('button', { name: 'Ask again' }).click();
      await page.getByText('There are some.').waitFor();
    });

    it('a pasted text of 50,000 characters does not break the page', async () => {
      respond = () => ({ text: 'That is long.' });
      await using shown = await open();
      const { page, complaints } = shown;
      await ask(page, 'word '.repeat(10_000));
      await page.getByText('That is long.').waitFor();
      expect(await isWithinWindow(page)).toBe(true);
      expect(complaints).toEqual([]);
    });
  });
});
