/** Lets administrators read and change the semantic layer. */
import {
  appReady,
  datasourceList,
  definePlugin,
  httpRoutes,
  messageOf,
  optional,
  type Scope,
  storeMigrations,
} from '../../kernel/index.ts';
import { deleteRowsOf } from '../admin-kit/index.ts';
import { agent } from '../agent/index.ts';
import { audit } from '../audit/index.ts';
import { organizationDelete } from '../auth-managed/index.ts';
import { internalDb, storeTables } from '../internal-db/index.ts';
import { type ImportedFile, type ImportResult, semanticLayer } from '../semantic-layer/index.ts';
import { type Edit, layerEditor } from './editor.ts';
import { explainRoute } from './explain-route.ts';
import { importRoutes } from './import-routes.ts';
import { migrationsFor, STORED_TABLES, VERSIONS } from './migrations.ts';
import { AdminSemanticOptions } from './options.ts';
import { readRoutes } from './read-routes.ts';
import { versionRecovery } from './recovery.ts';
import { VersionStore } from './store.ts';
import { checkExpected, versionOf } from './version-name.ts';
import { writeRoutes } from './write-routes.ts';

export type {
  CatalogReply,
  ChangedFile,
  EntityDetail,
  EntityList,
  FileVersion,
  FileVersionDetail,
  GlossaryList,
  MetricList,
} from './schemas.ts';

/** What the plugin gives to others. */
export interface AdminSemantic {
  /** Writes files into the layer of the scope's organization, with what they were before and an entry of the audit. */
  importFiles(files: readonly ImportedFile[], scope: Scope): Promise<ImportResult>;
  /**
   * The same for one file, which the audit names; without a text it is deleted. Rejects with `conflict` where the file is
   * another than `expected`.
   */
  changeFile(file: ImportedFile, scope: Scope, expected?: string): Promise<ImportResult>;
}

export const adminSemantic = definePlugin({
  name: 'admin-semantic',
  version: '1.0.0',
  type: 'admin',
  description: 'Routes for administrators: the semantic layer, changes of its files, what they were before.',
  needs: {
    layer: semanticLayer,
    db: optional(internalDb),
    log: optional(audit),
    asked: optional(agent),
  },
  options: AdminSemanticOptions,
  setup(ctx, options, { layer, db, log, asked }): AdminSemantic {
    const versions = db && new VersionStore(db, options);
    const scopeOf = (orgId: string | null) => ctx.scope({ orgId });
    const recover =
      db?.configured === true && versions
        ? versionRecovery({ layer, db, versions, log, now: ctx.now, scopeOf })
        : undefined;
    const edit = layerEditor({ layer, db, log, versions, now: ctx.now, logOf: ctx.logOf, recover });
    const connections = async (scope: Scope) =>
      (await ctx.call(datasourceList, undefined, scope)).map(({ value }) => value.id);
    ctx.tap(httpRoutes, () => [
      ...readRoutes({ layer }),
      ...(asked?.prompt === undefined ? [] : [explainRoute(layer, asked.prompt)]),
      ...importRoutes({ layer, edit, connections }),
      ...(db === undefined || versions === undefined ? [] : db.routes(writeRoutes({ layer, edit, versions }))),
    ]);
    const api: AdminSemantic = {
      importFiles: (files, scope) => edit({ kind: 'imported', files }, scope),
      changeFile(file, scope, expected) {
        const kind = file.text === null ? 'deleted' : 'updated';
        if (expected === undefined) return edit({ kind, files: [file] }, scope);
        const check: Edit['check'] = ([found]) =>
          checkExpected({}, versionOf(expected), found?.before ? versionOf(found.before) : undefined);
        return edit({ kind, files: [file], check }, scope);
      },
    };
    if (db === undefined || versions === undefined) return api;
    ctx.tap(storeMigrations, () => migrationsFor(db.dialect));
    ctx.tap(storeTables, () => STORED_TABLES);
    ctx.on(appReady, () => {
      recover?.().catch((error: unknown) =>
        ctx.log.warn(
          { error: messageOf(error) },
          'Versions of files could not be recovered; the next change tries again.',
        ),
      );
    });
    ctx.tap(organizationDelete, async ({ orgId }) => {
      await deleteRowsOf(orgId, db, VERSIONS);
      await layer.deleteLayer(orgId);
    });
    return api;
  },
});
