/** Says where the table of an entity is. */
import type { EntityItem } from '../files/layer-file.ts';

/** `schema.table` is split, unless the schema is given by itself. */
export function physicalTable({ table, schema }: EntityItem): { table: string; schema?: string } {
  if (schema !== undefined) return { table, schema };
  const dot = table.lastIndexOf('.');
  return dot <= 0 ? { table } : { table: table.slice(dot + 1), schema: table.slice(0, dot) };
}

/** The name in its source: its own, else the table's. */
export function ownNameOf({ name, table }: EntityItem): string {
  return name ?? (table.slice(table.lastIndexOf('.') + 1) || table);
}

/** A source's entities live on the connection of its name, unless they say otherwise. */
export function connectionOf(item: EntityItem, source: string): string | undefined {
  const connection = item.connection ?? source;
  return connection === 'default' ? undefined : connection;
}
