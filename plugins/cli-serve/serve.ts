/** `atlas serve`: runs a composition until it is told to stop. */
import {
  type App,
  type AtlasConfig,
  type CliCommand,
  type CliRun,
  type CreateAppOptions,
  createApp,
  type PluginRef,
} from '../../kernel/index.ts';

export interface Composition {
  readonly config: AtlasConfig;
  readonly options: CreateAppOptions;
  /** One sentence each, for the operator. */
  readonly warnings: readonly string[];
}

/** Finds `atlas.config.ts` in the working directory, or builds the preset from the environment. */
export type Compose = (run: Pick<CliRun, 'cwd' | 'env'>) => Promise<Composition>;

/** The part of the `http` plugin's API that is needed here. */
const http: PluginRef<{ url(): string }> = { pluginName: 'http' };

/** Starts a composition and tells its warnings; the caller closes it. */
async function start(run: CliRun, composition: Composition): Promise<App> {
  for (const warning of composition.warnings) run.stderr.write(`Warning: ${warning}\n`);
  return createApp(composition.config, composition.options);
}

/** Says where the server is, keeps it until the signal, and closes it. Resolves to the exit code. */
export async function keepServing(run: CliRun, app: App): Promise<number> {
  run.stdout.write(`Atlas is listening on ${app.get(http).url()}\n`);
  if (!run.signal.aborted) {
    await new Promise<void>((resolve) => {
      run.signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }
  await app.close();
  return 0;
}

export function serveCommand(compose: Compose): CliCommand {
  return {
    name: 'serve',
    summary: 'start the server that atlas.config.ts composes, or the built-in one',
    examples: ['SVC_DATASOURCE_URL=sqlite:shop.db atlas serve'],
    run: async (run) => keepServing(run, await start(run, await compose(run))),
  };
}
