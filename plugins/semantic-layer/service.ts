/** Implements the service of the plugin. */
import type { SemanticLayerApi } from './api.ts';
import type { KnownOrganizations } from './known-organizations.ts';
import type { ReloadingLayer } from './reloading-layer.ts';

export interface ServiceInit extends Pick<SemanticLayerApi, 'explain'> {
  readonly layer: ReloadingLayer;
  readonly known: KnownOrganizations;
  /** Records which organizations have their own layer. */
  readonly saved: () => Promise<void>;
}

export function serviceOf({ layer, known, saved, explain }: ServiceInit): SemanticLayerApi {
  return {
    for: (scope) => layer.for(scope),
    modelFor: (orgId) => layer.modelFor(orgId),
    current: () => layer.current(),
    ready: () => layer.ready(),
    problems: () => layer.current().problems,
    contextFor: (model, question, given) => layer.contextFor(model, question, given),
    explain,
    explore: (scope, path) => layer.explore(scope, path),
    filesOf: (orgId) => layer.filesOf(orgId),
    organizations: () => known.list(),
    measuredTables: (orgId) => layer.measuredTables(orgId),
    readFile: async (orgId, path) => layer.readFile(orgId, path),
    leftBehind: () => layer.leftBehind(),
    deleteLayer: (orgId) => layer.deleteLayer(orgId),
    async importLayer(orgId, files, options = {}) {
      const result = await layer.importLayer(orgId, files, options);
      await saved();
      return result;
    },
  };
}
