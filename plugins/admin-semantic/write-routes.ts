/** Serves changes of single files of the semantic layer, and what they were before. */
import { AtlasError, defineRoute, type Route, type RouteRequest, type Scope } from '../../kernel/index.ts';
import { Success } from '../admin-kit/index.ts';
import { isLayerPath, type SemanticLayerApi } from '../semantic-layer/index.ts';
import type { Edit, Editor } from './editor.ts';
import { fileDiff } from './file-diff.ts';
import { BASE, noSuchFile, pathOf } from './read-routes.ts';
import {
  ChangedFile,
  DeleteQuery,
  FILE_PATHS,
  FileBody,
  FileVersionDetail,
  FileVersionDiff,
  FileVersionPage,
  RestoreBody,
  VersionParams,
  VersionQuery,
} from './schemas.ts';
import { problemsOf } from './shown-files.ts';
import type { VersionStore } from './store.ts';
import { checkExpected, versionOf } from './version-name.ts';

export interface WriteRoutesInit {
  readonly layer: SemanticLayerApi;
  readonly edit: Editor;
  readonly versions: VersionStore;
}

interface Change {
  readonly file: string;
  readonly content: string | null;
  readonly kind: Edit['kind'];
  /** The version that the client expects to be there. */
  readonly version: string | undefined;
  readonly headers: RouteRequest['headers'];
}

export function writeRoutes({ layer, edit, versions }: WriteRoutesInit): Route[] {
  const errors = ['forbidden', 'not_found', 'conflict', 'configuration_error', 'validation_error', 'overloaded'];
  const common = {
    tag: 'Semantic layer',
    right: 'admin:semantic',
    organizationData: 'The shared semantic layer',
    errors,
  } as const;

  async function change({ file, content, kind, version, headers }: Change, scope: Scope) {
    const { orgId } = scope;
    // Refuses paths that lead elsewhere.
    await layer.readFile(orgId, file);
    let isNew = false;
    const check: Edit['check'] = ([found]) => {
      const before = found?.before ?? null;
      isNew = before === null;
      checkExpected(headers, version, before === null ? undefined : versionOf(before));
      if (content === null && isNew) throw noSuchFile(file);
    };
    const { changed, isFirst } = await edit({ kind, files: [{ path: file, text: content }], check }, scope);
    if (content === null) return { isNew, body: { success: true as const } };
    const problems = problemsOf(await layer.filesOf(orgId), file);
    const now = { file, version: versionOf(content), changed: changed > 0, copiedSharedLayer: isFirst, problems };
    return { isNew, body: now };
  }

  /** 201 for a new file. */
  async function saved(wanted: Change & { readonly content: string }, scope: Scope) {
    const { isNew, body } = await change(wanted, scope);
    return { status: isNew ? 201 : 200, headers: { etag: `"${versionOf(wanted.content)}"` }, body };
  }

  return [
    ...FILE_PATHS.flatMap(({ path, name, params }) => [
      defineRoute({
        ...common,
        method: 'PUT',
        path: BASE + path,
        operationId: `putSemantic${name}`,
        summary:
          'Writes a file, unless it or the layer with it could not be used; with `If-Match` or `version` only over that version.',
        params,
        body: FileBody,
        responses: { 200: ChangedFile, 201: ChangedFile },
        handle({ params: parts, body: { content, version }, headers }, scope) {
          return saved({ file: pathOf(parts), content, kind: 'updated', version, headers }, scope);
        },
      }),
      defineRoute({
        ...common,
        method: 'DELETE',
        path: BASE + path,
        operationId: `deleteSemantic${name}`,
        summary:
          'Deletes a file, unless others refer to what it holds; with `If-Match` or `version` only that version.',
        params,
        query: DeleteQuery,
        responses: { 200: Success },
        async handle({ params: parts, query: { version }, headers }, scope) {
          const file = pathOf(parts);
          const { body } = await change({ file, content: null, kind: 'deleted', version, headers }, scope);
          return { body };
        },
      }),
    ]),
    defineRoute({
      ...common,
      method: 'GET',
      path: `${BASE}/versions`,
      operationId: 'listSemanticFileVersions',
      summary: 'What files were before they were changed here, by default the latest first.',
      errors: ['forbidden'],
      query: VersionQuery,
      responses: { 200: FileVersionPage },
      async handle({ query: { file, limit, offset, sort } }, scope) {
        if (file !== undefined && !isLayerPath(file)) {
          throw new AtlasError('The query is not valid: file is no path of a semantic layer.', {
            code: 'invalid_request',
            hint: 'Write it like entities/orders.yml.',
          });
        }
        return { body: { ...(await versions.list(scope.orgId, file, { limit, offset, sort })), limit, offset } };
      },
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path: `${BASE}/versions/:id`,
      operationId: 'getSemanticFileVersion',
      summary: 'One earlier version of a file with its content.',
      errors: ['forbidden', 'not_found'],
      params: VersionParams,
      responses: { 200: FileVersionDetail },
      async handle({ params: { id } }, scope) {
        return { body: await versions.find(scope.orgId, id) };
      },
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path: `${BASE}/versions/:id/diff`,
      operationId: 'diffSemanticFileVersion',
      summary: 'What changed from an earlier version of a file to the present one.',
      errors: ['forbidden', 'not_found'],
      params: VersionParams,
      responses: { 200: FileVersionDiff },
      async handle({ params: { id } }, scope) {
        const { content, ...earlier } = await versions.find(scope.orgId, id);
        const present = await layer.readFile(scope.orgId, earlier.file);
        const after = { text: present?.toString() ?? '', header: present === undefined ? 'deleted' : 'present' };
        const found = await fileDiff(earlier.file, { text: content, header: `version ${earlier.number}` }, after);
        const to = present === undefined ? null : versionOf(present);
        return { body: { id: earlier.id, file: earlier.file, from: earlier.version, to, ...found } };
      },
    }),
    defineRoute({
      ...common,
      method: 'POST',
      path: `${BASE}/versions/:id/restore`,
      operationId: 'restoreSemanticFileVersion',
      summary: 'Writes an earlier version of a file in place of the present one, as a change like any other.',
      params: VersionParams,
      body: RestoreBody,
      responses: { 200: ChangedFile },
      async handle({ params: { id }, body: { version }, headers }, scope) {
        const { file, content } = await versions.find(scope.orgId, id);
        return { ...(await saved({ file, content, kind: 'restored', version, headers }, scope)), status: 200 };
      },
    }),
  ];
}
