/** Removes the values and row counts of tables of which not everyone may see all rows. */
import type { PluginContext } from '../../../kernel/index.ts';
import { layerTable } from '../facts/measured-tables.ts';
import { tellsValues, withoutValues } from '../hidden-columns.ts';
import { type IsProtected, protectedTables } from '../hooks.ts';
import type { EntityItem, LayerFile } from './layer-file.ts';

/** Where the values of no table are protected, the same list. */
export function withoutProtectedValues(
  files: readonly LayerFile[],
  isProtected: IsProtected | undefined,
): readonly LayerFile[] {
  if (isProtected === undefined) return files;
  return files.map((file) => {
    const item = file.kind === 'entity' ? file.items[0] : undefined;
    const entity = item?.value as EntityItem | undefined;
    if (item === undefined || entity === undefined || !hasFacts(entity)) return file;
    const { row_count: _, dimensions = [], ...rest } = entity;
    if (!isProtected(layerTable(entity, file.source))) return file;
    const value = {
      ...rest,
      dimensions: dimensions.map(withoutValues),
    };
    return { ...file, items: [{ ...item, value }], isReduced: true };
  });
}

const hasFacts = ({ row_count, dimensions = [] }: EntityItem) =>
  row_count !== undefined || dimensions.some(tellsValues);

/** What the plugins say of the tables of a layer; `undefined` where every reader may see all rows of every table. */
export async function protection(ctx: PluginContext): Promise<((orgId: string | null) => IsProtected) | undefined> {
  const all = (await ctx.call(protectedTables, undefined, ctx.scope())).map(({ value }) => value);
  return all.length === 0 ? undefined : (orgId) => (table) => all.some((protects) => protects(table, orgId));
}
