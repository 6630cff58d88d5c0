/** Puts the profiles of tables together as the files of a layer. */

import type { Profile, ProfiledDatabase } from '../profile/profile.ts';
import { entitiesOf, entityFile, type IsUsed } from './entity.ts';
import { glossaryOf } from './glossary.ts';
import { metricsOf } from './metrics.ts';

/** The content of the files, as plain objects, by path relative to the layer's folder. */
export async function layerFiles(
  profiles: readonly Profile[],
  { info, dialect, ownSchema }: Pick<ProfiledDatabase, 'info' | 'dialect' | 'ownSchema'>,
  isUsed: IsUsed = () => false,
): Promise<Map<string, unknown>> {
  // Loaded on demand: `--help` must not load the reader of questions.
  const { catalogOf } = await import('./catalog.ts');
  const entities = entitiesOf(profiles, dialect, isUsed);
  const files = new Map<string, unknown>();
  const taken = new Set<string>();
  const metrics: Record<string, unknown>[] = [];
  for (const entity of entities) {
    const { schema, name } = entity.profile.table;
    // Without its schema, a name with a dot would be read as both.
    const hasDot = name.includes('.');
    const shown = hasDot ? (schema ?? 'main') : schema === ownSchema ? undefined : schema;
    files.set(`entities/${entity.name}.yml`, entityFile(entity, shown));
    const own = metricsOf(entity, taken);
    if (own.length > 0) files.set(`metrics/${entity.name}.yml`, { metrics: own });
    metrics.push(...own);
  }
  const glossary = glossaryOf(entities);
  if (glossary.length > 0) files.set('glossary.yml', { terms: glossary });
  files.set('catalog.yml', { name: info.description ?? info.id, entities: catalogOf(entities, metrics, glossary) });
  return files;
}
