/** Determines name, schema, table and connection of an entity. */
import type { EntityItem } from '../files/layer-file.ts';

/** Splits `schema.table` unless the schema is given separately. */
export function physicalTable({ table, schema }: EntityItem): { table: string; schema?: string } {
  if (schema !== undefined) return { table, schema };
  const dot = table.lastIndexOf('.');
  return dot <= 0 ? { table } : { table: table.slice(dot + 1), schema: table.slice(0, dot) };
}

/** The entity's name within its source: as declared, else the table's. */
export function ownNameOf({ name, table }: EntityItem): string {
  return name ?? (table.slice(table.lastIndexOf('.') + 1) || table);
}

/** The declared connection, else the one named like the source; `undefined` = the default connection. */
export function connectionOf(item: EntityItem, source: string): string | undefined {
  const connection = item.connection ?? source;
  return connection === 'default' ? undefined : connection;
}
