/** Measures one table: how many rows it has, the first and last value of its times, the values of texts with few. */
import type { TableColumn } from '../../kernel/index.ts';
import { isNamedCredential, isPrivateTime, mayShowValues, type Read, sampleTable } from '../profile-kit/index.ts';
import type { MeasuredColumn, TableFacts } from '../semantic-layer/index.ts';
import type { FoundTable } from './tables.ts';

/** Whether something of a column with this name may be kept. Others are not read. */
function mayBeRead({ column, wanted }: MeasuredColumn, table: string): boolean {
  if (isNamedCredential(table, column, wanted === 'range' ? 'timestamp' : 'string')) return false;
  return wanted === 'range' ? !isPrivateTime(column) : mayShowValues(column);
}

function describedAs(name: string, columns: readonly TableColumn[]): string | undefined {
  const key = name.toLowerCase();
  return (columns.find((one) => one.name === name) ?? columns.find((one) => one.name.toLowerCase() === key))?.name;
}

/** Rejects when the table cannot be read. */
export async function measureTable({ measured, table, dialect }: FoundTable, read: Read): Promise<TableFacts> {
  const columns = measured.columns.flatMap((one) => {
    const name = describedAs(one.column, table.columns);
    return name === undefined || !mayBeRead(one, table.name) || !mayBeRead({ ...one, column: name }, table.name)
      ? []
      : [{ ...one, name }];
  });
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
