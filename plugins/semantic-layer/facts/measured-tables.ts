/** Lists what may be measured of the tables of a layer: never hidden or masked columns, nor tables of which not everyone sees all rows. */
import { connectionOf, physicalTable } from '../build/physical-table.ts';
import type { EntityItem, LayerFile } from '../files/layer-file.ts';
import { hiddenNames, maskedNames } from '../hidden-columns.ts';
import type { IsProtected, LayerTable, MeasuredColumn, MeasuredTable } from '../hooks.ts';
import type { ModelDimension } from '../model.ts';

const PLAIN_COLUMN = /^(?:"([^"]+)"|`([^`]+)`|\[([^\]]+)\]|([\p{L}_][\p{L}\p{N}_$]*))$/u;

/** The column that a dimension is as it stands; `undefined` for a computed one. */
export const columnOf = ({ name, sql = name }: ModelDimension): string | undefined =>
  PLAIN_COLUMN.exec(sql.trim())?.slice(1).find(Boolean);

/** The same for all entities over one table. */
export const factsKey = ({ connection, schema, table }: Pick<LayerTable, 'connection' | 'schema' | 'table'>) =>
  JSON.stringify([connection ?? null, schema ?? null, table]);

/** The table of an entity, as plugins are asked about it. */
export function layerTable(item: EntityItem, source: string): LayerTable {
  const columns = (item.dimensions ?? []).map(({ name, sql = name }) => sql.replaceAll(/["`[\]]/g, '').toLowerCase());
  const connection = connectionOf(item, source);
  return { ...physicalTable(item), ...(connection !== undefined && { connection }), columns };
}

export interface PlacedEntity {
  readonly item: EntityItem;
  readonly source: string;
}

export const entitiesIn = (files: readonly LayerFile[]): PlacedEntity[] =>
  files.flatMap(({ kind, source, items }) =>
    kind === 'entity' ? items.map(({ value }) => ({ item: value as EntityItem, source })) : [],
  );

/**
 * Names and columns that some entity over a table of that name hides or masks, in lower case, by the name in lower case.
 * Where one of two names has no schema, they may be the same table.
 */
export function withheldColumns(entities: readonly PlacedEntity[]): ReadonlyMap<string, ReadonlySet<string>> {
  const withheld = new Map<string, Set<string>>();
  for (const { item } of entities) {
    const table = physicalTable(item).table.toLowerCase();
    const names = withheld.get(table) ?? new Set();
    for (const name of [...hiddenNames(item), ...maskedNames(item)]) names.add(name);
    withheld.set(table, names);
  }
  return withheld;
}

/** What is wanted of a column: the values only where nobody has listed any. */
function wantedOf({ type, sample_values }: ModelDimension): MeasuredColumn['wanted'] | undefined {
  if (type === 'date' || type === 'timestamp') return 'range';
  return type === 'string' && sample_values === undefined ? 'values' : undefined;
}

export function measuredTables(files: readonly LayerFile[], isProtected: IsProtected | undefined): MeasuredTable[] {
  const entities = entitiesIn(files);
  const withheld = withheldColumns(entities);
  const tables = Map.groupBy(entities, ({ item, source }) => factsKey(layerTable(item, source)));
  return [...tables].flatMap(([key, same]) => {
    const [{ columns: _, ...place }] = same.map(({ item, source }) => layerTable(item, source)) as [LayerTable];
    if (same.some(({ item, source }) => isProtected?.(layerTable(item, source)))) return [];
    const hidden = withheld.get(place.table.toLowerCase());
    const columns = new Map<string, MeasuredColumn>();
    for (const dimension of same.flatMap(({ item }) => item.dimensions ?? [])) {
      const column = columnOf(dimension);
      const wanted = wantedOf(dimension);
      if (column === undefined || wanted === undefined || hidden?.has(column.toLowerCase())) continue;
      if (!columns.has(column)) columns.set(column, { column, wanted });
    }
    return [{ key, ...place, columns: [...columns.values()] }];
  });
}
