/** Puts the profiles of tables together as the files of a layer. */
import { entityOf, namesOf } from './entity.ts';
import type { Profile, ProfiledDatabase } from './profile.ts';

/** The content of the files, as plain objects, by path relative to the layer's folder. */
export async function layerFiles(
  profiles: readonly Profile[],
  { info, dialect, ownSchema }: Pick<ProfiledDatabase, 'info' | 'dialect' | 'ownSchema'>,
): Promise<Map<string, unknown>> {
  const all = namesOf(profiles.map(({ table }) => table));
  const files = new Map<string, unknown>();
  const listed: Record<string, unknown>[] = [];
  for (const profile of profiles) {
    const { table } = profile;
    const name = all.names.get(table.name) ?? table.name;
    const schema = table.schema === ownSchema ? undefined : table.schema;
    const file = `entities/${name}.yml`;
    files.set(file, entityOf(profile, all, { dialect, schema }));
    listed.push({ name, file, ...(table.comment !== undefined && { description: table.comment }) });
  }
  files.set('catalog.yml', { name: info.description ?? info.id, entities: listed });
  return files;
}
