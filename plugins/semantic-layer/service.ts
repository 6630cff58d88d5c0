/** Implements the service of the plugin. */
import type { Changes } from '../changes/index.ts';
import type { SemanticLayerApi } from './api.ts';
import type { KnownOrganizations } from './known-organizations.ts';
import type { ReloadingLayer } from './reloading-layer.ts';

/** Subject: the id of the organization, empty for the shared layer. */
const LAYER_TOPIC = 'semantic-layer';

export interface ServiceInit extends Pick<SemanticLayerApi, 'explain'> {
  readonly layer: ReloadingLayer;
  readonly known: KnownOrganizations;
  /** Records which organizations have their own layer. */
  readonly saved: () => Promise<void>;
  /** Has other servers look for what was changed. */
  readonly changes: Changes | undefined;
}

export function serviceOf({ layer, known, saved, explain, changes }: ServiceInit): SemanticLayerApi {
  changes?.subscribe(LAYER_TOPIC, (orgId) => layer.expire(orgId));
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
    tryOut: (orgId, files) => layer.tryOut(orgId, files),
    async deleteLayer(orgId) {
      await layer.deleteLayer(orgId);
      changes?.publish(LAYER_TOPIC, orgId);
    },
    async importLayer(orgId, files, options = {}) {
      const result = await layer.importLayer(orgId, files, options);
      changes?.publish(LAYER_TOPIC, orgId ?? '');
      await saved();
      return result;
    },
  };
}
