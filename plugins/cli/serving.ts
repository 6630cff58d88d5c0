/** Keeps a started composition serving until it is told to stop. */
import type { App, CliRun, PluginRef } from '../../kernel/index.ts';
import { warnOfFaults } from './start-warnings.ts';
import { endAfter, UncaughtErrors } from './uncaught-errors.ts';

/** The part of the `http` plugin's API that is needed here. */
export const http: PluginRef<{ url(): string; retire(): Promise<void> }> = { pluginName: 'http' };

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}

/** Prints the server's URL, serves until the signal, and closes the app. Resolves to the exit code: 1 after an uncaught error. */
export async function keepServing(run: CliRun, app: App, uncaught = new UncaughtErrors()): Promise<number> {
  run.stdout.write(`Atlas is listening on ${app.get(http).url()}\n`);
  // Not waited for: a database that hangs must not hold up the stop.
  warnOfFaults(run, app).catch(() => undefined);
  const fault = await Promise.race([aborted(run.signal), uncaught.first]);
  if (fault !== undefined) return endAfter(fault.error, app);
  app.log.info({}, 'Atlas is stopping.');
  await app.get(http).retire();
  await app.close();
  app.log.info({}, 'Atlas has stopped.');
  uncaught[Symbol.dispose]();
  return 0;
}
