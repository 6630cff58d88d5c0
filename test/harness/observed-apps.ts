/** Tells the check of all answers which app a web server belongs to. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { App } from '../../kernel/index.ts';

interface StartedApp {
  /** `undefined` until it is ready. */
  app: App | undefined;
}

const starting = new AsyncLocalStorage<StartedApp>();

/** The app in whose start this is called. */
export const startedApp = (): StartedApp | undefined => starting.getStore();

/** Starts an app whose answers are checked. */
export async function observed(start: () => Promise<App>): Promise<App> {
  const started: StartedApp = { app: undefined };
  started.app = await starting.run(started, start);
  return started.app;
}
