/** `atlas serve`: runs a composition until it is told to stop. */
import {
  type App,
  type AtlasConfig,
  AtlasError,
  type CliCommand,
  type CliRun,
  type CreateAppOptions,
  createApp,
  messageOf,
  type PluginRef,
} from '../../kernel/index.ts';
import { warn, warnOfFaults } from './start-warnings.ts';
import { endAfter, UncaughtErrors } from './uncaught-errors.ts';

export interface Composition {
  readonly config: AtlasConfig;
  readonly options: CreateAppOptions;
  /** One sentence each, for the operator. */
  readonly warnings: readonly string[];
}

/** Finds `atlas.config.ts` in the working directory, or builds the preset from the environment. */
export type Compose = (run: Pick<CliRun, 'cwd' | 'env'>) => Promise<Composition>;

/** The part of the `http` plugin's API that is needed here. */
export const http: PluginRef<{ url(): string }> = { pluginName: 'http' };

/** Starts a composition and tells its warnings; the caller closes it. */
async function start(run: CliRun, composition: Composition): Promise<App> {
  for (const warning of composition.warnings) warn(run, composition.options.log, warning);
  const app = await createApp(composition.config, composition.options);
  if (app.describe().plugins.some(({ name }) => name === http.pluginName)) return app;
  await app.close();
  throw new AtlasError('The composition has no plugin "http", so there is nothing to serve.', {
    code: 'configuration_error',
    reason: 'E_NOTHING_SERVED',
    hint: 'Add http() and what it serves, such as queryApi(), to the plugins in atlas.config.ts.',
  });
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}

/**
 * Says where the server is, keeps it until the signal, and closes it. Resolves to the exit code, which is 1 after an
 * error that nothing has handled.
 */
export async function keepServing(run: CliRun, app: App, uncaught = new UncaughtErrors()): Promise<number> {
  run.stdout.write(`Atlas is listening on ${app.get(http).url()}\n`);
  // Not waited for: a database that hangs must not hold up the stop.
  warnOfFaults(run, app).catch(() => undefined);
  const fault = await Promise.race([aborted(run.signal), uncaught.first]);
  if (fault !== undefined) return endAfter(fault.error, app);
  await app.close();
  uncaught[Symbol.dispose]();
  return 0;
}

/** The same from the start on: an error in the background of the start is reported like any other of it. */
async function serve(run: CliRun, compose: Compose): Promise<number> {
  const uncaught = new UncaughtErrors();
  const starting = compose(run).then((composition) => start(run, composition));
  const app = await Promise.race([starting, uncaught.first]);
  if (!('error' in app)) return keepServing(run, app, uncaught);
  const text = `Atlas could not start because of an error that nothing has handled: ${messageOf(app.error)}`;
  throw new AtlasError(text, { reason: 'E_UNCAUGHT', cause: app.error });
}

export function serveCommand(compose: Compose): CliCommand {
  return {
    name: 'serve',
    summary: 'start the server that atlas.config.ts composes, or the built-in one',
    examples: ['SVC_DATASOURCE_URL=sqlite:shop.db atlas serve'],
    run: (run) => serve(run, compose),
  };
}
