/** Starts Chromium without a window and with a profile of its own. */
import { type Browser, chromium } from 'playwright-core';
import { findTool } from './tools.ts';

export const INSTALL_CHROMIUM = 'Install the package "chromium" of the system.';

/** The first is made for pages without a window, and takes a third less of the processor. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

export const findChromium = (): string | undefined => findTool(...NAMES);

/** `hosts`: names that lead to this machine, as after DNS rebinding. */
export async function startBrowser(hosts: readonly string[]): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error(`There is no Chromium. ${INSTALL_CHROMIUM}`);
  return chromium.launch({
    executablePath,
    headless: true,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      // Newer browsers ask the user before a page may reach this machine; older ones, and users who agree, do not keep it out.
      '--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests',
      `--host-resolver-rules=${hosts.map((host) => `MAP ${host} 127.0.0.1`).join(', ')}`,
    ],
  });
}
