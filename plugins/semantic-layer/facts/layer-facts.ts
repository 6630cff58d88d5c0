/** Puts measured facts into the entities of a layer: newer row counts and ranges, and values where nobody has listed any. */
import type { PluginContext } from '../../../kernel/index.ts';
import type { EntityItem, LayerFile } from '../files/layer-file.ts';
import { type FactSource, type LayerFacts, layerFacts, type TableFacts } from '../hooks.ts';
import type { ModelDimension } from '../model.ts';
import { columnOf, entitiesIn, factsKey, layerTable, withheldColumns } from './measured-tables.ts';

/** Without facts the same list. */
export function withFacts(files: readonly LayerFile[], facts: LayerFacts | undefined): readonly LayerFile[] {
  if (facts === undefined || facts.size === 0) return files;
  const withheld = withheldColumns(entitiesIn(files));
  return files.map((file) => {
    const item = file.kind === 'entity' ? file.items[0] : undefined;
    if (item === undefined) return file;
    const entity = item.value as EntityItem;
    const table = layerTable(entity, file.source);
    const known = facts.get(factsKey(table));
    if (known === undefined) return file;
    const { value, notes } = measured(entity, known, withheld.get(table.table.toLowerCase()));
    return { ...file, items: [{ ...item, value }], measured: notes };
  });
}

/** The entity with the facts, and one line about each for those who read its file. */
function measured(entity: EntityItem, facts: TableFacts, withheld: ReadonlySet<string> | undefined) {
  const { rowCount, ranges, values } = facts;
  const notes = rowCount === undefined ? [] : [`row_count: ${rowCount}`];
  const dimensions = entity.dimensions?.map((dimension): ModelDimension => {
    const column = columnOf(dimension);
    if (column === undefined || withheld?.has(column.toLowerCase())) return dimension;
    // A number that somebody has counted earlier must not say that the values measured now are all.
    const { unique_count, ...rest } = dimension;
    const { name, type, sample_values } = rest;
    const range = type === 'date' || type === 'timestamp' ? ranges.get(column) : undefined;
    const listed = type === 'string' && sample_values === undefined ? values.get(column) : undefined;
    if (range === undefined && listed === undefined) return dimension;
    if (range !== undefined) notes.push(`${name}: range ${range.join(' to ')}`);
    if (listed === undefined) return { ...dimension, range: [...range!] };
    notes.push(`${name}: sample_values ${listed.join(', ')}`);
    return { ...rest, sample_values: [...listed] };
  });
  const value: EntityItem = {
    ...entity,
    ...(rowCount !== undefined && { row_count: rowCount }),
    ...(dimensions !== undefined && { dimensions }),
  };
  return { value, notes };
}

/** The plugin that measures; `undefined` where there is none. */
export async function factSource(ctx: PluginContext): Promise<FactSource | undefined> {
  return ctx.call(layerFacts, undefined, ctx.scope());
}
