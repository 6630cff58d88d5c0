/** Serves backups to administrators of the platform. */
import { AtlasError, defineRoute, type Route, type Scope, withTimeout } from '../../kernel/index.ts';
import { invalidField, mustBeOfPlatform, SUCCEEDED, Success, shownBy } from '../admin-kit/index.ts';
import { Backup, BackupPage, BackupParams, InstallationQuery, ListQuery, RestoreBody } from './schemas.ts';
import type { Backups, Begun } from './service.ts';
import { ANY } from './store.ts';

const PATH = '/api/v1/platform/backups';

const shown = shownBy(Backup);

export function backupRoutes(given: Backups | undefined, waitMs: number): Route[] {
  // Without a database no request comes this far.
  const backups = given as Backups;
  /** The record once the work has ended, or with 202 as it is after `waitMs`. */
  async function awaited({ id, done }: Begun, status: number) {
    const ended = await withTimeout(done, waitMs, () => null);
    if (ended instanceof AtlasError) throw ended;
    return { status: ended === null ? 202 : status, body: shown(await backups.find(id, ANY)) };
  }
  const common = {
    tag: 'Backups',
    right: 'admin:settings',
    errors: ['forbidden'],
    organizationData: 'The list of backups',
    ready: (_request: unknown, scope: Scope) => mustBeOfPlatform(scope, 'Backups hold the data of all organizations'),
  } as const;
  const one = {
    ...common,
    params: BackupParams,
    query: InstallationQuery,
    errors: ['forbidden', 'not_found', 'conflict', 'configuration_error'],
  };
  return [
    defineRoute({
      ...common,
      method: 'GET',
      path: PATH,
      operationId: 'listBackups',
      area: 'backups',
      summary: 'Backups that this installation has made of the internal database, by default newest first.',
      query: ListQuery,
      responses: { 200: BackupPage },
      async handle({ query }) {
        const { rows, total } = await backups.list(query, query.installation);
        const { limit, offset } = query;
        return { body: { backups: rows.map(shown), total, limit, offset } };
      },
    }),
    {
      ...common,
      method: 'POST',
      path: PATH,
      operationId: 'createBackup',
      summary: 'Makes a backup; answers 202 while that takes longer.',
      responses: { 201: Backup, 202: Backup },
      errors: ['forbidden', 'conflict', 'configuration_error'],
      async handle(_request, scope) {
        return awaited(await backups.create(scope), 201);
      },
    },
    defineRoute({
      ...one,
      method: 'GET',
      path: `${PATH}/:id`,
      operationId: 'getBackup',
      summary: 'A backup.',
      responses: { 200: Backup },
      errors: ['forbidden', 'not_found'],
      handle: async ({ params, query }) => ({
        body: shown(await backups.find(params.id, query.installation)),
      }),
    }),
    defineRoute({
      ...one,
      method: 'POST',
      path: `${PATH}/:id/verify`,
      operationId: 'verifyBackup',
      summary: 'Restores a backup into a scratch database and compares it with what was written.',
      responses: { 200: Backup, 202: Backup },
      async handle({ params, query }, scope) {
        return awaited(await backups.verify(params.id, query.installation, scope), 200);
      },
    }),
    defineRoute({
      ...one,
      method: 'POST',
      path: `${PATH}/:id/restore`,
      operationId: 'restoreBackup',
      summary: 'Replaces all data of the internal database by those of a backup; makes one of the present data before.',
      body: RestoreBody,
      responses: { 200: Backup, 202: Backup },
      async handle({ params, query, body }, scope) {
        if (body.confirm !== params.id) {
          throw invalidField('confirm', 'must be the id of the backup, to confirm that all present data are replaced');
        }
        return awaited(await backups.restore(params.id, query.installation, scope), 200);
      },
    }),
    defineRoute({
      ...one,
      method: 'DELETE',
      path: `${PATH}/:id`,
      operationId: 'deleteBackup',
      summary: 'Deletes a backup and its file.',
      responses: { 200: Success },
      errors: ['forbidden', 'not_found', 'conflict'],
      async handle({ params, query }, scope) {
        await backups.remove(params.id, query.installation, scope);
        return SUCCEEDED;
      },
    }),
  ];
}
