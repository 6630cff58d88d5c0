/** Renames files and entities of a generated layer: gives them the names that a layer already uses for the same tables. */
import type { ExistingEntity } from './files.ts';
import type { Content } from './merge.ts';

/** Without a schema a table is in the connection's own; engines without schemas call it `main`. */
export const isSameSchema = (a: string | undefined, b: string | undefined, ownSchema: string | undefined) =>
  (a ?? ownSchema ?? 'main') === (b ?? ownSchema ?? 'main');

/** A person may have renamed a file or an entity: joins, metrics and the catalog must then say the new name. */
export function withExistingNames(
  files: ReadonlyMap<string, Content>,
  existing: readonly ExistingEntity[],
  ownSchema: string | undefined,
): Map<string, Content> {
  const paths = new Map<string, string>();
  const names = new Map<string, string>();
  for (const [path, { table, schema, name = table }] of files) {
    if (typeof table !== 'string' || !path.startsWith('entities/')) continue;
    const found = existing.find(
      (entity) =>
        entity.table.toLowerCase() === table.toLowerCase() &&
        isSameSchema(entity.schema, schema as string | undefined, ownSchema),
    );
    if (found === undefined) continue;
    paths.set(path, found.path);
    names.set(String(name), found.name);
  }
  return withNames(files, paths, names);
}

/** The same files with other paths and other names of entities, by the old ones. */
export function withNames(
  files: ReadonlyMap<string, Content>,
  paths: ReadonlyMap<string, string>,
  names: ReadonlyMap<string, string>,
): Map<string, Content> {
  const file = (path: unknown) => paths.get(String(path)) ?? path;
  const named = (name: unknown) => names.get(String(name)) ?? name;
  const renamed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(renamed);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) =>
        key === 'target' || key === 'entity' ? [key, named(inner)] : [key, renamed(inner)],
      ),
    );
  };
  return new Map(
    Array.from(files, ([path, content]) => {
      const changed = renamed(content) as Record<string, unknown>;
      if (path === 'catalog.yml' && Array.isArray(changed.entities)) {
        changed.entities = changed.entities.map((entry) => ({
          ...entry,
          name: named(entry.name),
          ...(entry.file !== undefined && { file: file(entry.file) }),
        }));
      }
      return [String(file(path)), changed];
    }),
  );
}
