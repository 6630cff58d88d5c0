/** `atlas serve`: starts the composition and serves until it is told to stop. */
import { type App, AtlasError, type CliCommand, type CliRun, createApp, messageOf } from '../../../kernel/index.ts';
import type { Cli, Composition } from '../api.ts';
import { http, keepServing } from '../serving.ts';
import { warn } from '../start-warnings.ts';
import { UncaughtErrors } from '../uncaught-errors.ts';

/** Starts a composition and prints its warnings; the caller closes it. */
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

export const serve = ({ compose }: Cli): CliCommand => ({
  name: 'serve',
  summary: 'start the server that atlas.config.ts composes, or the built-in one',
  examples: ['SVC_DATASOURCE_URL=sqlite:shop.db atlas serve'],
  serves: true,
  run: async (run) => {
    const uncaught = new UncaughtErrors();
    const starting = compose(run).then((composition) => start(run, composition));
    const app = await Promise.race([starting, uncaught.first]);
    if (!('error' in app)) return keepServing(run, app, uncaught);
    const text = `Atlas could not start because of an error that nothing has handled: ${messageOf(app.error)}`;
    throw new AtlasError(text, { reason: 'E_UNCAUGHT', cause: app.error });
  },
});
