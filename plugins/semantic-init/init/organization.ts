/** Writes merged files into the layer of an organization, all of them or none. */
import { createApp } from '../../../kernel/index.ts';
import type { Composition } from '../../cli/index.ts';
import type { MergedFile } from '../files/files.ts';
import type { InitTarget } from './target.ts';

/**
 * Also tells the internal database, unless `tellsDatabase` is false, that the organization has a layer of its own, so that
 * every server knows it. Throws one sentence when a file cannot be used.
 */
export async function writeForOrganization(
  { config, options }: Composition,
  { orgId, root, source }: InitTarget,
  files: readonly MergedFile[],
  tellsDatabase: boolean,
): Promise<void> {
  const { semanticLayer } = await import('../../semantic-layer/index.ts');
  const database = config.plugins.filter(({ definition }) => definition.name === 'internal-db');
  const layer = semanticLayer({ dir: root, checkIntervalMs: 0, watchIntervalMs: 0 });
  const { log: _, ...quiet } = options;
  await using app = await createApp({ plugins: [...(tellsDatabase ? database : []), layer] }, quiet);
  const written = files
    .filter(({ state }) => state === 'written' || state === 'unchanged')
    .map(({ path, text }) => ({ path: source === undefined ? path : `${source}/${path}`, text }));
  await app.get(semanticLayer).importLayer(orgId ?? null, written);
}
