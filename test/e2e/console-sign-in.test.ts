/** Signing in to the web console in every mode, in a real browser: what is asked, what is kept, and what is forgotten. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSimpleDemo, DEMOS } from '../../plugins/demo-data/index.ts';
import { findChromium, INSTALL_CHROMIUM, startBrowser } from '../harness/browser.ts';
import { type BuiltInServer, startBuiltIn } from '../harness/built-in-server.ts';
import { emptyFolder } from '../harness/command.ts';
import {
  accessibilityFaults,
  buildConsole,
  isWithinWindow,
  NARROW,
  type OpenOptions,
  openConsole,
} from '../harness/console-page.ts';
import { Client, organization, PASSWORD, setRole, USERS, userOf } from '../harness/managed-server.ts';
import { freePort } from '../harness/port.ts';
import { suiteNeeding } from '../harness/require.ts';
import { Issuer, makeKey, sign } from '../harness/token-issuer.ts';

const KEY = 'a-key-of-more-than-sixteen-characters';

suiteNeeding(
  'chromium',
  findChromium() !== undefined,
  INSTALL_CHROMIUM,
)('signing in to the web console', () => {
  const folder = emptyFolder();
  let browser: Browser;
  beforeAll(async () => {
    buildConsole();
    createSimpleDemo(join(folder.path, 'shop.db'));
    cpSync(DEMOS.simple.layer, join(folder.path, 'semantic'), { recursive: true });
    browser = await startBrowser([]);
  });
  afterAll(async () => {
    await browser?.close();
    folder[Symbol.dispose]();
  });

  const start = (env: Readonly<Record<string, string>>) =>
    startBuiltIn({
      SVC_SEMANTIC_DIR: join(folder.path, 'semantic'),
      SVC_DATASOURCE_URL: `sqlite:${join(folder.path, 'shop.db')}`,
      SVC_PROVIDER: 'offline',
      ...env,
    });

  const visit = (url: string, options?: OpenOptions) => openConsole(browser, url, options);

  const box = (page: Page) => page.getByRole('textbox', { name: 'Ask a question' });
  const alert = (page: Page) => page.getByRole('alert');
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

  async function choose(page: Page, menu: string, command: string): Promise<void> {
    await page.getByRole('button', { name: menu, exact: true }).click();
    await page.getByRole('menuitem', { name: command, exact: true }).click();
  }

  async function signIn(page: Page, email: string, password = PASSWORD): Promise<void> {
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password').fill(password);
    await button(page, 'Sign in').click();
  }

  it('asks for nothing where there is no authentication, and says so', async () => {
    await using server = await start({});
    await using visited = await visit(server.url);
    const { page, complaints } = visited;
    await page.getByRole('note').filter({ hasText: 'administrator' }).waitFor();
    await box(page).waitFor();
    expect(await page.locator('main').getByLabel('API key').count()).toBe(0);
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.route('**/api/v1/me', (route) => route.abort());
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'This page cannot be shown' }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.unroute('**/api/v1/me');
    await button(page, 'Try again').click();
    await box(page).waitFor();
    await page.goto(`${server.url}/account`);
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    expect((await fetch(`${server.url}/account`)).status).toBe(404);
    expect(complaints).toEqual([]);
  });

  const stored = (page: Page) =>
    page.evaluate('JSON.stringify([{...localStorage}, document.cookie, location.href, history.state])');

  it('keeps a key for its tab, by the keyboard alone, and forgets it', async () => {
    await using server = await start({ SVC_API_KEY: KEY });
    await using visited = await visit(`${server.url}/history`, { viewport: NARROW });
    const { page, context, complaints } = visited;
    const field = page.locator('main').getByLabel('API key');
    await expect.poll(() => page.evaluate('document.activeElement?.tagName')).toBe('INPUT');
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(await isWithinWindow(page)).toBe(true);
    for (const wrong of ['a wrong key', 'wröng', 'another-wrong-key']) {
      await field.fill(wrong);
      await page.keyboard.press('Enter');
      await alert(page).waitFor();
      expect(await page.evaluate('sessionStorage.length')).toBe(0);
      await expect.poll(() => button(page, 'Sign in').isEnabled()).toBe(true);
    }
    await expect.poll(() => alert(page).textContent()).toContain('not accepted');
    expect(await accessibilityFaults(page)).toEqual([]);
    await field.fill('');
    await page.keyboard.type(KEY);
    await page.keyboard.press('Enter');
    // Nothing is stored here, so that there is no history.
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/history');
    expect(await stored(page)).not.toContain(KEY);
    await page.reload();
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await field.count()).toBe(0);

    await using second = await visit(server.url, { viewport: NARROW, shared: context });
    await second.page.getByLabel('API key').waitFor();

    await page.getByRole('banner').getByRole('button').last().focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Sign out' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await field.waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('takes a token, asks again when it has ended, and keeps the question', async () => {
    const key = await makeKey('first');
    const issuer = await Issuer.start(key);
    try {
      await using server = await start({
        SVC_AUTH_JWKS_URL: issuer.jwksUrl,
        SVC_AUTH_ISSUER: 'https://id.example.com/',
        SVC_AUTH_AUDIENCE: 'atlas',
      });
      const now = Math.floor(Date.now() / 1_000);
      const tokenOf = (sub: string) => sign(key, { sub, role: 'analyst', iat: now, exp: now + 3_600 });
      await using visited = await visit(server.url);
      const { page, complaints } = visited;
      await page.getByLabel('Token').fill(`Bearer ${await tokenOf('ann')}`);
      await button(page, 'Sign in').click();
      await box(page).fill('How many orders are there?');
      // As when it has run out: from now on the server is shown one that it refuses.
      await page.route('**/api/**', (route) =>
        route.continue({ headers: { ...route.request().headers(), authorization: 'Bearer a.b.c' } }),
      );
      await button(page, 'Ask').click();
      await page.getByText('The server does not accept your credentials any more.').waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      expect(await box(page).count()).toBe(0);
      await page.unroute('**/api/**');
      const address = page.url();
      await page.getByLabel('Token').fill(await tokenOf('ann'));
      await button(page, 'Sign in').click();
      await button(page, 'Try again').click();
      await page.getByRole('article', { name: 'How many orders are there?' }).waitFor();
      await expect.poll(() => page.getByRole('status').first().textContent()).toBe('Answer complete');
      expect(page.url()).toBe(address);

      await page.route('**/api/**', (route) => route.fulfill({ status: 401, body: '{}' }));
      await box(page).fill('And how many customers?');
      await page.getByRole('link', { name: 'Ask', exact: true }).click();
      await page.getByLabel('Token').waitFor();
      await page.unroute('**/api/**');
      await page.getByLabel('Token').fill(await tokenOf('eve'));
      await button(page, 'Sign in').click();
      await box(page).waitFor();
      expect(await page.getByRole('article').count()).toBe(0);
      expect(await box(page).inputValue()).toBe('');
      expect(complaints).toEqual([]);
    } finally {
      await issuer.stop();
    }
  });

  describe('with accounts', () => {
    let server: BuiltInServer;
    let root: Client;
    let url: string;
    beforeAll(async () => {
      const port = String(await freePort());
      url = `http://localhost:${port}`;
      server = await start({
        PORT: port,
        SVC_PUBLIC_URL: url,
        DATABASE_URL: `sqlite:${join(folder.path, 'atlas.db')}`,
        AUTHLIB_SECRET: 's'.repeat(40),
        GOOGLE_CLIENT_ID: 'the-client',
        GOOGLE_CLIENT_SECRET: 'the-secret',
      });
      root = await userOf(server, 'root@example.com');
      const boss = await userOf(server, 'boss@example.com');
      await setRole(root, await idOf('boss@example.com'), 'admin');
      await organization(boss, 'create', { name: 'Acme', slug: 'acme' });
      await organization(boss, 'create', { name: 'Foreign', slug: 'foreign' });
    });
    afterAll(() => server?.[Symbol.asyncDispose]());

    async function idOf(email: string): Promise<string> {
      const { body } = await root.send(`${USERS}?search=${encodeURIComponent(email)}`);
      return body.users[0].id;
    }

    it('makes an account, signs in with it and out again, on a phone and by the keyboard', async () => {
      await using visited = await visit(`${url}/?view=table`, { viewport: NARROW });
      const { page, complaints } = visited;
      await page.getByRole('link', { name: 'Sign up' }).focus();
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.keyboard.press('Enter');
      await page.getByLabel('Name').waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      expect(await isWithinWindow(page)).toBe(true);
      await page.keyboard.type('Newcomer');
      await page.getByRole('link', { name: 'Skip to content' }).focus();
      await page.keyboard.press('Enter');
      expect(await page.getByLabel('Name').inputValue()).toBe('Newcomer');
      await page.getByLabel('Name').focus();
      await page.keyboard.press('Tab');
      await page.keyboard.type('new@example.com');
      await page.keyboard.press('Tab');
      await page.keyboard.type(PASSWORD);
      await page.keyboard.press('Enter');
      await box(page).waitFor();
      expect(page.url()).toBe(`${url}/?view=table`);
      expect(await page.evaluate('sessionStorage.length')).toBe(0);
      await choose(page, 'Newcomer', 'Sign out');
      await page.getByLabel('E-mail').waitFor();
      await page.goBack();
      await page.getByLabel('E-mail').waitFor();
      expect(await page.getByText('Newcomer').count()).toBe(0);
      await page.goto(`${url}/history`);
      await signIn(page, 'new@example.com', 'not the password');
      await expect.poll(() => alert(page).textContent()).toContain('wrong');
      await signIn(page, 'new@example.com');
      await page.getByRole('heading', { name: 'History' }).waitFor();
      expect(complaints).toEqual([]);
    });

    it('says that an account is banned, that the network is away, and how long to wait', async () => {
      await userOf(server, 'banned@example.com');
      const banned = await root.send(`${USERS}/${await idOf('banned@example.com')}/ban`, { body: { reason: 'Left' } });
      expect(banned.status).toBe(200);
      await using visited = await visit(url);
      const { page } = visited;
      await signIn(page, 'banned@example.com');
      await expect.poll(() => alert(page).textContent()).toMatch(/banned|blocked/i);

      await page.route('**/api/auth/sign-in/email', (route) => route.abort());
      await button(page, 'Sign in').click();
      await expect.poll(() => alert(page).textContent()).toContain('cannot be reached');
      await page.unroute('**/api/auth/sign-in/email');

      await page.getByLabel('E-mail').fill('nobody@example.com');
      await page.getByLabel('Password').fill('not the password');
      const again = page.getByRole('button', { name: /^Try again/ });
      for (let attempt = 0; attempt < 30 && (await again.count()) === 0; attempt += 1) {
        await button(page, 'Sign in').click();
        await expect.poll(() => button(page, 'Sign in').isEnabled()).toBe(true);
      }
      await again.waitFor();

      const refusal = JSON.stringify({ error: 'rate_limited', message: 'Too many attempts.', requestId: 'one' });
      await page.route('**/api/auth/sign-in/email', (route) =>
        route.fulfill({
          status: 429,
          headers: { 'retry-after': '60' },
          contentType: 'application/json',
          body: refusal,
        }),
      );
      await button(page, 'Sign in').click();
      await page.getByText('Too many attempts.').waitFor();
      expect(await again.isDisabled()).toBe(true);
      const before = await again.textContent();
      await expect.poll(() => again.textContent()).not.toBe(before);
      expect(await again.textContent()).toMatch(/^Try again in \d\d seconds\.$/);
    });

    it('goes to a social provider and to single sign-on, and comes back to own paths only', async () => {
      await using visited = await visit(`${url}/history`);
      const { page } = visited;
      await page.route('https://accounts.google.com/**', (route) => route.fulfill({ body: 'Google' }));
      const [begun] = await Promise.all([
        page.waitForRequest('**/api/auth/sign-in/social'),
        page.waitForURL('https://accounts.google.com/**'),
        button(page, 'Sign in with Google').click(),
      ]);
      expect(begun.postDataJSON()).toEqual({
        provider: 'google',
        callbackURL: '/history',
        errorCallbackURL: '/history',
      });
      await page.goto(`${url}//evil.example/?error=access_denied&error_description=Call%20us`);
      await page.getByRole('note').filter({ hasText: 'access_denied' }).waitFor();
      expect(await page.getByText('Call us').count()).toBe(0);
      expect(page.url()).toBe(`${url}/`);
      await page.getByRole('link', { name: 'Single sign-on' }).click();
      await page.getByLabel('E-mail').fill('ann@nowhere.example');
      await button(page, 'Go on').click();
      await expect.poll(() => alert(page).textContent()).toContain('no single sign-on');
      expect(await accessibilityFaults(page)).toEqual([]);
    });

    async function forcedUser(email: string): Promise<void> {
      await userOf(server, email);
      const database = new Database(join(folder.path, 'atlas.db'));
      database.prepare('UPDATE auth_user SET passwordChangeRequired = 1 WHERE email = ?').run(email);
      database.close();
    }

    async function askAsBoss(page: Page): Promise<void> {
      await signIn(page, 'boss@example.com');
      await box(page).fill('How many orders are there?');
      await button(page, 'Ask').click();
      await expect.poll(() => page.getByRole('status').first().textContent()).toBe('Answer complete');
    }

    it('shows nothing of a person who has left to whoever signs in next, nor to nobody', async () => {
      await forcedUser('next@example.com');
      await using visited = await visit(url);
      const { page, context, complaints } = visited;
      await askAsBoss(page);
      await page.keyboard.press('Control+k');
      await page.getByRole('option', { name: 'How many orders are there?' }).first().waitFor();
      await page.keyboard.press('Escape');
      await using other = await visit(`${url}/account`, { shared: context });
      await choose(other.page, 'Somebody', 'Sign out');
      await page.getByText('Sign in to go on where you were.').waitFor();
      await page.keyboard.press('Control+k');
      expect(await page.getByRole('dialog').count()).toBe(0);
      expect(await page.getByRole('option').count()).toBe(0);

      await signIn(other.page, 'next@example.com');
      for (const { page: tab } of [other, visited]) {
        await tab.getByRole('heading', { name: 'Choose a new password' }).waitFor();
        expect(await tab.locator('h1').count()).toBe(1);
        expect(await tab.locator('article').count()).toBe(0);
        expect(await tab.getByRole('banner').getByRole('link').allTextContents()).toEqual(['Atlas', 'Ask']);
      }
      expect([...complaints, ...other.complaints]).toEqual([]);
    });

    it('has a password changed first where an administrator wants that', async () => {
      await forcedUser('forced@example.com');
      await using visited = await visit(url, { viewport: NARROW });
      const { page, complaints } = visited;
      await signIn(page, 'forced@example.com');
      await page.getByRole('heading', { name: 'Choose a new password' }).waitFor();
      expect(await box(page).count()).toBe(0);
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.getByLabel('Current password').fill('not this one');
      await page.getByLabel('New password').fill('a password of my own');
      await button(page, 'Change password').click();
      await alert(page).waitFor();
      await page.getByLabel('Current password').fill(PASSWORD);
      await button(page, 'Change password').click();
      await box(page).waitFor();
      expect(complaints).toEqual([]);
    });

    it('shows nothing of one organization in the other, in any tab', async () => {
      await using visited = await visit(url);
      const { page, context, complaints } = visited;
      await askAsBoss(page);
      await using other = await visit(page.url(), { shared: context });
      await other.page.getByRole('article', { name: 'How many orders are there?' }).waitFor();
      const me = async () => (await context.request.get(`${url}/api/v1/me`)).json();
      const { orgId, organizations } = await me();
      const { name } = organizations.find(({ id }: { id: string }) => id !== orgId);
      await choose(page, 'Somebody', `Switch to ${name}`);
      await expect.poll(async () => (await me()).orgId).not.toBe(orgId);
      await box(page).waitFor();
      await other.page.getByRole('heading', { name: 'Page not found' }).waitFor();
      for (const { page: tab } of [visited, other]) {
        await tab.getByRole('link', { name: 'History', exact: true }).click();
        await tab.getByText('There are no conversations yet.').waitFor();
        expect(await tab.getByText('How many orders are there?').count()).toBe(0);
      }
      await page.goBack();
      await box(page).waitFor();
      expect(await page.getByRole('article').count()).toBe(0);
      expect([...complaints, ...other.complaints]).toEqual([]);
    });

    it('shows the own sessions, and ends others', async () => {
      await userOf(server, 'ann@example.com');
      const phone = await new Client(server).signIn('ann@example.com', PASSWORD, { 'user-agent': 'A <b>phone</b>' });
      expect(phone.status).toBe(200);
      await using visited = await visit(`${url}/account`, { viewport: NARROW });
      const { page, context, complaints } = visited;
      await signIn(page, 'ann@example.com');
      const sessions = page.getByRole('list', { name: 'Sessions' }).getByRole('listitem');
      await expect.poll(() => sessions.count()).toBe(3);
      expect(await accessibilityFaults(page)).toEqual([]);
      expect(await isWithinWindow(page)).toBe(true);
      await button(page, 'End session: A <b>phone</b>').click();
      await expect.poll(() => sessions.count()).toBe(2);
      await button(page, 'End all other sessions').click();
      await expect.poll(() => sessions.allTextContents()).toEqual([expect.stringContaining('This session')]);
      await page.getByText('Change password').first().click();
      await page.getByLabel('Current password').fill(PASSWORD);
      await page.getByLabel('New password').fill('another long password');
      await button(page, 'Change password').click();
      await page.getByText('Your password is changed.').waitFor();

      await using other = await visit(url, { shared: context });
      await box(other.page).fill('What I was about to ask');
      await choose(page, 'Somebody', 'Sign out');
      await other.page.getByText('Sign in to go on where you were.').waitFor();
      await signIn(page, 'ann@example.com', 'another long password');
      await expect.poll(() => box(other.page).inputValue()).toBe('What I was about to ask');
      expect([...complaints, ...other.complaints]).toEqual([]);
    });
  });
});
