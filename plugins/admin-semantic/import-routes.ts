/** Serves the import of many semantic files at once. */
import { AtlasError, defineRoute, didYouMean, type Route, type Scope } from '../../kernel/index.ts';
import type { SemanticLayerApi } from '../semantic-layer/index.ts';
import type { Editor } from './editor.ts';
import { ImportBody, ImportReply } from './schemas.ts';

export interface ImportRoutesInit {
  readonly layer: SemanticLayerApi;
  readonly edit: Editor;
  /** Ids of the connections. */
  connections(scope: Scope): Promise<readonly string[]>;
}

function unknownConnection(id: string, known: readonly string[]): AtlasError {
  const message = `There is no connection "${id}"${didYouMean(id, known) || `; known: ${known.join(', ') || 'none'}.`}`;
  return new AtlasError(message, { code: 'validation_error', details: [{ path: 'connection', message }] });
}

export function importRoutes({ layer, edit, connections }: ImportRoutesInit): Route[] {
  return [
    defineRoute({
      tag: 'Semantic layer',
      right: 'admin:semantic',
      organizationData: 'The shared semantic layer',
      errors: ['forbidden', 'conflict', 'configuration_error', 'not_available', 'unavailable', 'overloaded'],
      method: 'POST',
      path: '/api/v1/admin/semantic/org/import',
      operationId: 'importSemanticLayer',
      summary:
        'Writes files into the semantic layer of the active organization, without organizations into the shared one: all of them or none.',
      body: ImportBody,
      responses: { 200: ImportReply },
      async handle({ body: { files, connection } }, scope) {
        const { orgId } = scope;
        if (connection !== undefined) {
          const known = await connections(scope);
          if (!known.includes(connection)) throw unknownConnection(connection, known);
        }
        const given = files.map(({ path, content }) => ({ path, text: content }));
        const { changed, isFirst } = await edit({ kind: 'imported', files: given, connection }, scope);
        const { entities, metrics, glossary, problems } = await layer.modelFor(orgId);
        const counts = { entities: entities.length, metrics: metrics.length, glossaryTerms: glossary.length };
        return {
          body: {
            orgId,
            imported: files.length,
            changed,
            copiedSharedLayer: isFirst,
            ...counts,
            problems: problems.length,
          },
        };
      },
    }),
  ];
}
