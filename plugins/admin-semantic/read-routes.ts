/** Serves the files of the semantic layer, with those that cannot be used. */
import { AtlasError, defineRoute, type Route } from '../../kernel/index.ts';
import type { SemanticLayerApi } from '../semantic-layer/index.ts';
import {
  CatalogReply,
  EntityDetail,
  EntityList,
  EntityParams,
  ETag,
  FILE_PATHS,
  GlossaryList,
  MetricList,
  SemanticStats,
  Yaml,
} from './schemas.ts';
import { catalogOf, entityDetail, entitySummaries, glossaryFiles, metricFiles, statsOf } from './shown-files.ts';
import { versionOf } from './version-name.ts';

export interface ReadRoutesInit {
  readonly layer: SemanticLayerApi;
}

export const BASE = '/api/v1/admin/semantic';

/** What no name of an entity or a file has to hold, and paths need. */
const NOT_A_NAME = /[\p{C}/\\:*?"<>|]|%[0-9a-f]{2}|\.\.|^[.~]/iu;

function refusal(message: string, lists: string): AtlasError {
  return new AtlasError(message, {
    code: 'invalid_request',
    reason: 'E_SEMANTIC_PATH',
    hint: `GET ${BASE}/entities lists the ${lists}.`,
  });
}

/** The path of a file. Throws `invalid_request` for parts that are paths themselves. */
export function pathOf(params: Readonly<Record<string, string | undefined>>): string {
  const parts = ['source', 'dir', 'file'].flatMap((name) => params[name] ?? []);
  if (!parts.some((part) => NOT_A_NAME.test(part))) return parts.join('/');
  throw refusal('This is no path of a file: a part of it has characters of a path.', 'files of the entities');
}

export const noSuchFile = (path: string) =>
  new AtlasError(`There is no file ${path} in this semantic layer.`, {
    code: 'not_found',
    hint: `GET ${BASE}/entities lists the files of the entities.`,
  });

function checkName(name: string): void {
  if (!NOT_A_NAME.test(name) && !NOT_A_NAME.test(name.normalize('NFKC'))) return;
  throw refusal('This is no name of an entity: it has characters of a path.', 'names');
}

export function readRoutes({ layer }: ReadRoutesInit): Route[] {
  const common = {
    tag: 'Semantic layer',
    right: 'admin:semantic',
    organizationData: 'The shared semantic layer',
    errors: ['forbidden', 'not_available'],
    method: 'GET',
  } as const;
  return [
    defineRoute({
      ...common,
      path: `${BASE}/entities`,
      operationId: 'listSemanticEntities',
      area: 'semantic',
      summary: 'The files of entities with a summary of each, also those that cannot be used.',
      responses: { 200: EntityList },
      async handle(_request, scope) {
        const files = await layer.filesOf(scope.orgId);
        const entities = entitySummaries(files);
        return { body: { entities, total: entities.length, problems: files.model.problems } };
      },
    }),
    defineRoute({
      ...common,
      path: `${BASE}/entities/:name`,
      operationId: 'getSemanticEntity',
      summary: 'One entity as its file says it, hidden columns included.',
      params: EntityParams,
      errors: [...common.errors, 'not_found'],
      responses: { 200: EntityDetail },
      async handle({ params: { name } }, scope) {
        checkName(name);
        const body = entityDetail(await layer.filesOf(scope.orgId), name);
        if (body !== undefined) return { body };
        throw new AtlasError('There is no such entity in this semantic layer.', {
          code: 'not_found',
          hint: `GET ${BASE}/entities lists the names.`,
        });
      },
    }),
    defineRoute({
      ...common,
      path: `${BASE}/metrics`,
      operationId: 'listSemanticMetrics',
      summary: 'The files of metrics by source.',
      responses: { 200: MetricList },
      handle: async (_request, scope) => ({ body: { metrics: metricFiles(await layer.filesOf(scope.orgId)) } }),
    }),
    defineRoute({
      ...common,
      path: `${BASE}/glossary`,
      operationId: 'listSemanticGlossaries',
      summary: 'The glossaries: that of the default source and those of the others.',
      responses: { 200: GlossaryList },
      handle: async (_request, scope) => ({ body: { glossary: glossaryFiles(await layer.filesOf(scope.orgId)) } }),
    }),
    defineRoute({
      ...common,
      path: `${BASE}/catalog`,
      operationId: 'getSemanticCatalog',
      summary: 'The catalog, those of all sources together.',
      responses: { 200: CatalogReply },
      handle: async (_request, scope) => ({ body: catalogOf(await layer.filesOf(scope.orgId)) }),
    }),
    defineRoute({
      ...common,
      path: `${BASE}/stats`,
      operationId: 'getSemanticStats',
      summary: 'How much the files of entities describe, and how many entities lack something.',
      responses: { 200: SemanticStats },
      handle: async (_request, scope) => ({ body: statsOf(await layer.filesOf(scope.orgId)) }),
    }),
    ...FILE_PATHS.map(({ path, name, params }) =>
      defineRoute({
        ...common,
        path: BASE + path,
        operationId: `getSemantic${name}`,
        summary: 'A file as it is, whose `ETag` names its version.',
        params,
        errors: [...common.errors, 'not_found'],
        responses: { 200: Yaml },
        responseHeaders: { ETag },
        async handle(request, scope) {
          const file = pathOf(request.params);
          const bytes = await layer.readFile(scope.orgId, file);
          if (bytes === undefined) throw noSuchFile(file);
          return {
            headers: { 'content-type': 'application/yaml; charset=utf-8', etag: `"${versionOf(bytes)}"` },
            body: bytes,
          };
        },
      }),
    ),
  ];
}
