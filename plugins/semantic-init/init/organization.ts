/** Writes merged files into the layer of an organization, all of them or none. */
import { createApp } from '../../../kernel/index.ts';
import type { Composition } from '../../cli/index.ts';
import type { MergedFile } from '../files/files.ts';
import type { InitTarget } from './target.ts';

/** What an import needs of the composition; none of it is served. */
const IMPORTING = ['internal-db', 'audit', 'auth-roles', 'auth-managed', 'admin-semantic'];

/**
 * Imports them as `POST /api/v1/admin/semantic/org/import` does: the internal database is told that the organization has
 * a layer, what the files were before, and who changed them. Without `importsThem` only the files are written. Throws one
 * sentence when a file cannot be used.
 */
export async function writeForOrganization(
  { config, options }: Composition,
  { orgId, root, source }: InitTarget & { readonly orgId: string },
  files: readonly MergedFile[],
  importsThem: boolean,
): Promise<void> {
  const { semanticLayer } = await import('../../semantic-layer/index.ts');
  const taking = config.plugins.filter(({ definition }) => importsThem && IMPORTING.includes(definition.name));
  const layer = semanticLayer({ dir: root, checkIntervalMs: 0, watchIntervalMs: 0 });
  const { log: _, ...quiet } = options;
  await using app = await createApp({ plugins: [...taking, layer] }, quiet);
  const written = files
    .filter(({ state }) => state === 'written' || state === 'unchanged')
    .map(({ path, text }) => ({ path: source === undefined ? path : `${source}/${path}`, text }));
  if (!taking.some(({ definition }) => definition.name === 'admin-semantic')) {
    await app.get(semanticLayer).importLayer(orgId, written);
    return;
  }
  const { adminSemantic } = await import('../../admin-semantic/index.ts');
  const actor = { id: null, label: 'atlas init', role: 'admin', mode: 'none', claims: {} } as const;
  await app.get(adminSemantic).importFiles(written, app.scope({ actor, orgId }));
}
