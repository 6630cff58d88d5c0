/** Defines the plugin that loads the semantic layer and gives it to the agent. */
import {
  appReady,
  contextCollect,
  definePlugin,
  healthCheck,
  messageOf,
  optional,
  sqlSettled,
  storeMigrations,
  toolsCollect,
} from '../../kernel/index.ts';
import { queryCheck } from '../agent/index.ts';
import { changes } from '../changes/index.ts';
import { internalDb, storeTables } from '../internal-db/index.ts';
import { explorer, questionRetrieval } from './agent-context.ts';
import { ambiguityObjections } from './ambiguous-terms.ts';
import type { SemanticLayerApi } from './api.ts';
import { organizationSchemas } from './database/organization-schemas.ts';
import { factSource } from './facts/layer-facts.ts';
import { protection } from './files/withheld-values.ts';
import { layerHealth } from './health.ts';
import type { FactSource } from './hooks.ts';
import { KnownOrganizations } from './known-organizations.ts';
import { migrations, ORGANIZATIONS_TABLE } from './migrations.ts';
import { SemanticLayerOptions } from './options.ts';
import { ReloadingLayer } from './reloading-layer.ts';
import { serviceOf } from './service.ts';
import { logVersion } from './version-log.ts';

export { isColumnTerm } from './ambiguous-terms.ts';
export type { SemanticLayerApi } from './api.ts';
export * from './archived-files.ts';
export { createModel } from './build/build-model.ts';
export { stem, tokenize } from './context/words.ts';
export { columnsIn } from './database/expression-columns.ts';
export { type EntityItem, hashOf, type LayerFile } from './files/layer-file.ts';
export { checkSchema } from './files/schema-check.ts';
export * from './files/yaml-edits.ts';
export { reads, visibleModel } from './hidden-columns.ts';
export * from './hooks.ts';
export { isLayerPath, type LayerFiles } from './layer-files.ts';
export { layerFolderOf, organizationFolder } from './layer-folder.ts';
export {
  type FileChange,
  type ImportedFile,
  type ImportOptions,
  type ImportResult,
  importFiles,
} from './layer-import.ts';
export { layerIndexes } from './layer-indexes.ts';
export { loadSemanticLayer } from './loader.ts';
export * from './model.ts';
export { type QueryReading, readingOf, readQuery, shownTables } from './query-reading.ts';
export { expandReferences } from './references.ts';
export {
  CatalogFile,
  type Dimension,
  type DimensionType,
  EntityFile,
  GlossaryFile,
  type Measure,
  type MeasureType,
  MetricsFile,
  type Segment,
  VerifiedQuery,
} from './schema.ts';

export const semanticLayer = definePlugin({
  name: 'semantic-layer',
  version: '1.0.0',
  type: 'context',
  description: 'Describes the data to the agent: entities, metrics and glossary from YAML files.',
  needs: { db: optional(internalDb), changes: optional(changes) },
  options: SemanticLayerOptions,
  setup(ctx, options, { db, changes }): SemanticLayerApi {
    const known = new KnownOrganizations(db);
    const unsaved = 'Which organizations have their own semantic layer could not be saved; the next check tries again.';
    const saved = () => known.save().catch((error: unknown) => ctx.log.warn({ error: messageOf(error) }, unsaved));
    const schemas = organizationSchemas(ctx);
    let protects: Awaited<ReturnType<typeof protection>>;
    let facts: FactSource | undefined;
    const layer = new ReloadingLayer({
      ...options,
      schemas,
      known,
      isProtected: (orgId) => protects?.(orgId),
      facts: () => facts,
      onVersion: (model, dir) => logVersion(ctx.log, model, dir),
    });
    const { contextParts, explain } = questionRetrieval(ctx, layer, options.contextBytes);
    ctx.tap(contextCollect, contextParts);
    const explore = explorer(ctx, layer, options.exploreBytes);
    ctx.tap(toolsCollect, () => [explore.tool()]);
    ctx.tap(queryCheck, async ({ question }, scope) => ambiguityObjections(await layer.for(scope), question.turns));
    ctx.tap(healthCheck, async () => [await layerHealth(layer), ...(await explore.health())]);
    ctx.tap(sqlSettled, ({ status, statement }) => {
      if (status === 'failed' && statement !== undefined) schemas.statementFailed(statement.connection);
    });
    ctx.tap(storeMigrations, () => [...migrations]);
    ctx.tap(storeTables, () => [{ table: ORGANIZATIONS_TABLE }]);
    ctx.onReady(async () => {
      await explore.ready();
      protects = await protection(ctx);
      facts = await factSource(ctx);
      await known.load();
      await saved();
    });
    // In the background once the other plugins are ready; only requests that need the layer wait for it.
    ctx.on(appReady, () => {
      layer.ready().catch((error: unknown) => ctx.log.debug({ error }, 'Loading the semantic layer was stopped.'));
      layer.watch();
    });
    ctx.onClose(async () => {
      layer.close();
      await saved();
    });
    return serviceOf({ layer, known, saved, explain, changes });
  },
});
