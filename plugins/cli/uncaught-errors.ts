/** Shuts the server down after an uncaught error. */
import { type App, messagesOf, type PluginRef } from '../../kernel/index.ts';

/** The part of the `http` plugin's API that is needed here. */
const http: PluginRef<{ cancel(): void }> = { pluginName: 'http' };

/** For running answers to end with an error, and for what is not yet stored; then the process ends in any case. */
const END_WITHIN_MS = 5_000;

/**
 * Hears of errors in timers and listeners, and of unhandled rejections. After one of them no state can be
 * trusted: the process must end, so only the first counts.
 */
export class UncaughtErrors implements Disposable {
  readonly #first = Promise.withResolvers<{ readonly error: unknown }>();
  readonly #hear = (error: unknown) => this.#first.resolve({ error });

  constructor() {
    process.on('uncaughtException', this.#hear);
  }

  get first(): Promise<{ readonly error: unknown }> {
    return this.#first.promise;
  }

  [Symbol.dispose](): void {
    process.off('uncaughtException', this.#hear);
  }
}

/** Where it was thrown, as far as the error knows. */
function placeOf(error: unknown): string | undefined {
  const stack = error instanceof Error ? error.stack : undefined;
  return stack
    ?.split('\n')
    .find((line) => /^\s+at /.test(line))
    ?.trim();
}

/** Logs the error, ends the running answers with one, and closes the app. Resolves to the exit code, for a supervisor. */
export async function endAfter(error: unknown, app: App): Promise<number> {
  process.exitCode = 1;
  app.log.error(
    { error: messagesOf(error), at: placeOf(error) },
    'Atlas ends because of an error that nothing has handled.',
  );
  setTimeout(() => process.exit(1), END_WITHIN_MS).unref();
  app.get(http).cancel();
  await app.close().catch((failure: unknown) => {
    app.log.error({ error: messagesOf(failure) }, 'Atlas did not close in order.');
  });
  return 1;
}
