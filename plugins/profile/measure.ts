/** Measures one table: how many rows it has, the first and last value of its times, the values of texts with few. */
import { isNamedCredential, isPrivateTime, mayShowValues, type Read, sampleTable } from '../profile-kit/index.ts';
import type { MeasuredColumn, TableFacts } from '../semantic-layer/index.ts';
import type { FoundTable } from './tables.ts';

/** Columns of a table that are read, the first in the layer. */
const MAX_COLUMNS = { range: 4, values: 20 };

/** Whether something of a column with this name may be kept. Others are not read. */
function mayBeRead({ column, wanted }: MeasuredColumn, table: string): boolean {
  if (isNamedCredential(table, column, wanted === 'range' ? 'timestamp' : 'string')) return false;
  return wanted === 'range' ? !isPrivateTime(column) : mayShowValues(column);
}

/** Rejects when the table cannot be read. */
export async function measureTable({ measured, table, dialect }: FoundTable, read: Read): Promise<TableFacts> {
  const named = table.columns.map(({ name }) => [name, name] as const);
  const byName = new Map([...named.map(([key, name]) => [key.toLowerCase(), name] as const).reverse(), ...named]);
  const readable = measured.columns.flatMap((one) => {
    const name = byName.get(one.column) ?? byName.get(one.column.toLowerCase());
    return name === undefined || !mayBeRead(one, table.name) || !mayBeRead({ ...one, column: name }, table.name)
      ? []
      : [{ ...one, name }];
  });
  const columns = [...Map.groupBy(readable, ({ wanted }) => wanted)].flatMap(([wanted, same]) =>
    same.slice(0, MAX_COLUMNS[wanted]),
  );
  const names = new Set(columns.map(({ name }) => name));
  const sample = await sampleTable(
    {
      // A hidden column must not even order the rows.
      table: { ...table, primaryKey: [] },
      dialect,
      withValues: true,
      possibleKeys: [],
      isRead: (column) => names.has(column),
      searchesLarge: true,
    },
    read,
  );
  const ranges = new Map<string, readonly [string, string]>();
  const values = new Map<string, readonly string[]>();
  for (const { column, wanted, name } of columns) {
    const profile = sample.columns.get(name);
    if (wanted === 'range' && profile?.range !== undefined) ranges.set(column, profile.range);
    if (wanted === 'values' && profile?.values !== undefined) values.set(column, profile.values);
  }
  return { ...(sample.rowCount !== undefined && { rowCount: sample.rowCount }), ranges, values };
}
