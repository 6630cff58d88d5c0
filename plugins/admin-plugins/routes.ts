/** Serves overview, plugins and their health to administrators. */
import {
  type AppDescription,
  AtlasError,
  defineRoute,
  type HealthItem,
  type PluginDescription,
  type Route,
  type Scope,
} from '../../kernel/index.ts';
import type { Health } from '../health/index.ts';
import type { LayerFile, LayerFiles, SemanticLayerApi } from '../semantic-layer/index.ts';
import { Overview, PluginHealth, PluginList, PluginParams } from './schemas.ts';

export interface PluginRoutesInit {
  describe(): AppDescription;
  readonly checks: Health | undefined;
  readonly layer: SemanticLayerApi | undefined;
  countConnections(scope: Scope): Promise<number>;
  now(): number;
}

const isFault = ({ status }: HealthItem) => status === 'degraded' || status === 'error';

/** A plugin that is ready and whose check found a fault is degraded. */
const statusOf = ({ status }: PluginDescription, items: readonly HealthItem[]) =>
  status === 'ready' && items.some(isFault) ? 'degraded' : status;

/** What the faults are, or else what the check has to say. */
function messageOf(items: readonly HealthItem[]): string | null {
  const faults = items.filter(isFault);
  const told = (faults.length > 0 ? faults : items).map(({ id, message }) =>
    message !== undefined && id !== undefined ? `${id}: ${message}` : message,
  );
  return told.filter((message) => message !== undefined).join(' ') || null;
}

/** What the files of a kind declare, whether the databases have it or not: as many as the lists of the layer show. */
const countOf = (layer: LayerFiles | undefined, kind: LayerFile['kind']) =>
  (layer?.files ?? []).reduce((sum, file) => (file.kind === kind ? sum + file.items.length : sum), 0);

export function pluginRoutes({ describe, checks, layer, countConnections, now }: PluginRoutesInit): Route[] {
  const common = { tag: 'Plugins', right: 'admin:settings' } as const;
  async function shown() {
    const items = Map.groupBy((await checks?.items()) ?? [], ({ plugin }) => plugin);
    return describe().plugins.map((plugin) => {
      const { name, type, version, description, needs } = plugin;
      const own = (items.get(name) ?? []).map(({ value }) => value);
      return { id: name, name, type, version, status: statusOf(plugin, own), description, needs };
    });
  }
  return [
    {
      ...common,
      method: 'GET',
      path: '/api/v1/admin/overview',
      operationId: 'getAdminOverview',
      area: 'overview',
      summary: 'How much the active organization has, and how the plugins are.',
      responses: { 200: Overview },
      async handle(_request, scope) {
        const [connections, files, all] = await Promise.all([
          countConnections(scope),
          layer?.filesOf(scope.orgId),
          shown(),
        ]);
        return {
          body: {
            connections,
            entities: countOf(files, 'entity'),
            metrics: countOf(files, 'metrics'),
            glossaryTerms: countOf(files, 'glossary'),
            plugins: all.length,
            pluginHealth: all.map(({ id, name, type, status }) => ({ id, name, type, status })),
          },
        };
      },
    },
    {
      ...common,
      method: 'GET',
      path: '/api/v1/admin/plugins',
      operationId: 'listPlugins',
      area: 'plugins',
      summary: 'The plugins that run here, and the hooks that they tap.',
      responses: { 200: PluginList },
      async handle() {
        const all = await shown();
        return { body: { plugins: all, hooks: describe().hooks, total: all.length } };
      },
    },
    defineRoute({
      ...common,
      method: 'POST',
      path: '/api/v1/admin/plugins/:id/health',
      operationId: 'checkPluginHealth',
      summary: "Runs a plugin's health check.",
      params: PluginParams,
      responses: { 200: PluginHealth },
      errors: ['not_found'],
      async handle({ params: { id } }, scope) {
        const plugin = describe().plugins.find(({ name }) => name === id);
        if (plugin === undefined) {
          throw new AtlasError('There is no such plugin.', {
            code: 'not_found',
            hint: 'GET /api/v1/admin/plugins lists them.',
          });
        }
        const startedAt = performance.now();
        const items = await checks?.check(id, scope);
        const latencyMs = Math.round((performance.now() - startedAt) * 10) / 10;
        const status = statusOf(plugin, items ?? []);
        const message = items === undefined ? 'The plugin has no health check.' : messageOf(items);
        const checkedAt = new Date(now()).toISOString();
        return { body: { id, healthy: status === 'ready', status, message, latencyMs, checkedAt } };
      },
    }),
  ];
}
