/** Asks the plugins of a composition what is wrong with what its layer holds, in front of its databases. */
import { type App, type AtlasConfig, type CreateAppOptions, createApp, type HealthItem } from '../../kernel/index.ts';

/** What connections are looked at with: the layer, what runs its statements, and the gates that a datasource needs. */
const AROUND = new Set(['semantic-layer', 'sql-guard', 'sql-limits', 'verified-queries']);

export const aroundDatasources = ({ plugins }: AtlasConfig): AtlasConfig['plugins'] =>
  plugins.filter(({ definition: { name, type } }) => type === 'datasource' || AROUND.has(name));

export async function probeOf(app: App, signal: AbortSignal): Promise<HealthItem[]> {
  const { layerProbe } = await import('../semantic-layer/index.ts');
  return (await app.call(layerProbe, undefined, app.scope({ signal }))).map(({ value }) => value);
}

/** The same of a composition that runs nowhere yet. */
export async function probedLayer(config: AtlasConfig, options: CreateAppOptions, signal: AbortSignal) {
  const { log: _, ...quiet } = options;
  await using app = await createApp({ plugins: aroundDatasources(config) }, quiet);
  // Before the application is closed.
  return await probeOf(app, signal);
}
