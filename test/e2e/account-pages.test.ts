/** The pages that links in mails lead to, in a real browser of the size of a phone, from the mail on. */
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findChromium, INSTALL_CHROMIUM, startBrowser } from '../harness/browser.ts';
import { type BuiltInServer, startBuiltIn } from '../harness/built-in-server.ts';
import { emptyFolder } from '../harness/command.ts';
import { Client, organization, PASSWORD, USERS, userOf } from '../harness/managed-server.ts';
import { freePort } from '../harness/port.ts';
import { suiteNeeding } from '../harness/require.ts';
import { type SmtpReceiver, startSmtpReceiver } from '../harness/smtp-receiver.ts';

suiteNeeding(
  'chromium',
  findChromium() !== undefined,
  INSTALL_CHROMIUM,
)('pages for accounts', () => {
  const folder = emptyFolder();
  let smtp: SmtpReceiver;
  let server: BuiltInServer;
  let browser: Browser;
  let boss: Client;
  let publicUrl: string;
  beforeAll(async () => {
    smtp = await startSmtpReceiver();
    const port = String(await freePort());
    publicUrl = `http://localhost:${port}`;
    server = await startBuiltIn({
      PORT: port,
      SVC_PUBLIC_URL: publicUrl,
      DATABASE_URL: `sqlite:${join(folder.path, 'atlas.db')}`,
      AUTHLIB_SECRET: 's'.repeat(40),
      SVC_SMTP_URL: smtp.url,
      SVC_EMAIL_FROM: 'atlas@example.com',
      SVC_PROVIDER: 'offline',
    });
    browser = await startBrowser([]);
    boss = await userOf(server, 'boss@example.com');
    await organization(boss, 'create', { name: 'Acme', slug: 'acme' });
  });
  afterAll(async () => {
    await browser?.close();
    await server?.[Symbol.asyncDispose]();
    await smtp?.[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  const linkTo = (address: string): string => {
    const mail = smtp.received.findLast(({ to }) => to.includes(address));
    return /https?:\S+/.exec(mail?.parts['text/plain'] ?? '')?.[0] ?? '';
  };
  const invite = async (email: string): Promise<string> => {
    const { status } = await boss.send(`${USERS}/invitations`, { body: { email, role: 'viewer' } });
    expect(status).toBe(201);
    return linkTo(email);
  };

  interface Visit extends AsyncDisposable {
    readonly page: Page;
    readonly context: BrowserContext;
    /** What the browser had to say, such as of a policy that was broken. */
    readonly complaints: string[];
  }

  async function visit(link: string): Promise<Visit> {
    const context = await browser.newContext({ viewport: { width: 360, height: 640 }, isMobile: true });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('pageerror', ({ message }) => complaints.push(message));
    page.on('console', (message) => {
      // Answers of the server with an error status are shown on the page.
      if (!message.text().startsWith('Failed to load resource')) complaints.push(message.text());
    });
    page.on('request', (request) => {
      const { referer = '' } = request.headers();
      if (new URL(request.url()).origin !== new URL(link).origin || referer !== '') {
        complaints.push(`${request.url()} from ${referer}`);
      }
    });
    await page.goto(link);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    return { page, context, complaints, [Symbol.asyncDispose]: () => context.close() };
  }

  const whoami = (page: Page) => page.evaluate('fetch("/api/auth/get-session").then((answer) => answer.json())');

  it('a person without an account joins by name and password', async () => {
    await using visited = await visit(await invite('new@example.com'));
    const { page, complaints } = visited;
    await page.getByLabel('Name').fill('Newcomer');
    await page.getByLabel('New password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Create account and join' }).click();
    await page.getByText('You have joined Acme.').waitFor();
    expect(await page.evaluate('document.querySelector("#onward:not([hidden]) a").href')).toBe(`${publicUrl}/`);
    expect(await whoami(page)).toMatchObject({
      user: { email: 'new@example.com', name: 'Newcomer', role: 'viewer' },
      session: { activeOrganizationId: expect.any(String) },
    });
    await page.reload();
    await page.getByText('There is no such invitation').waitFor();
    expect(complaints).toEqual([]);
  });

  it('a person with an account signs in and joins, and the server says what is wrong', async () => {
    await userOf(server, 'ann@example.com');
    await using visited = await visit(await invite('ann@example.com'));
    const { page, complaints } = visited;
    const password = page.getByRole('textbox', { name: /^Password/ });
    await password.fill('wrong password');
    await page.getByRole('button', { name: 'Sign in and join' }).click();
    await expect
      .poll(() => page.getByRole('alert').textContent())
      .toContain('The e-mail address or the password is wrong.');
    await password.fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in and join' }).click();
    await page.getByText('You have joined Acme.').waitFor();
    expect(await whoami(page)).toMatchObject({ user: { email: 'ann@example.com' } });
    expect(complaints).toEqual([]);
  });

  it('a person who has forgotten the password asks for a link and sets a new one', async () => {
    await userOf(server, 'eve@example.com');
    await using asking = await visit(`${publicUrl}/api/auth/request-password-reset`);
    await asking.page.getByLabel('E-mail').fill('eve@example.com');
    await asking.page.getByRole('button', { name: 'Send the link' }).click();
    await asking.page.getByText('If there is an account with this address').waitFor();
    await expect.poll(() => linkTo('eve@example.com')).toContain('/reset-password?token=');
    await using setting = await visit(linkTo('eve@example.com'));
    await setting.page.getByLabel('New password').fill('another long password');
    await setting.page.getByRole('button', { name: 'Set the password' }).click();
    await setting.page.getByText('Your new password is set.').waitFor();
    expect((await new Client(server).signIn('eve@example.com', 'another long password')).status).toBe(200);
    expect([...asking.complaints, ...setting.complaints]).toEqual([]);
  });

  it('a person confirms a new address', async () => {
    const dan = await userOf(server, 'dan@example.com');
    const body = { newEmail: 'daniel@example.com', password: PASSWORD };
    expect((await dan.send('/api/auth/change-email', { body })).status).toBe(200);
    await expect.poll(() => linkTo('daniel@example.com')).toContain('/confirm-email?token=');
    await using visited = await visit(linkTo('daniel@example.com'));
    await visited.page.getByRole('button', { name: 'Confirm the address' }).click();
    await visited.page.getByText('The address of your account is daniel@example.com.').waitFor();
    expect((await new Client(server).signIn('daniel@example.com')).status).toBe(200);
    expect(visited.complaints).toEqual([]);
  });

  it('a person who is signed in joins with a click', async () => {
    await userOf(server, 'bob@example.com');
    const link = await invite('bob@example.com');
    await using visited = await visit(link);
    const { page, complaints } = visited;
    await page.evaluate(
      ([email, password]) =>
        fetch('/api/auth/sign-in/email', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ email, password }),
        }),
      ['bob@example.com', PASSWORD],
    );
    await page.reload();
    await page.getByRole('button', { name: 'Join', exact: true }).click();
    await page.getByText('You have joined Acme.').waitFor();
    expect(complaints).toEqual([]);
  });
});
