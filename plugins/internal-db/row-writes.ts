/** Writes rows of all plugins: those that come at about the same time share statements, and one commit. */
import { GroupCommit } from './group-commit.ts';
import { jsonText } from './json-rows.ts';
import type { BatchStatement, RowWrite } from './row-types.ts';

/**
 * After a commit of so many writes, which one question at a time hardly makes, more are about to come. With 16 questions at
 * a time, waiting for them halves the work of PostgreSQL; a longer wait saves little more and keeps questions waiting.
 */
const BUSY_WRITES = 4;
const BUSY_DELAY_MS = 4;

/** `execute` runs all of the statements in one transaction. The result resolves when its rows are committed. */
export function rowWrites(
  execute: (batch: readonly BatchStatement[]) => Promise<void>,
): (writes: readonly RowWrite[]) => Promise<void> {
  let lastSize = 0;
  const group = new GroupCommit<readonly RowWrite[]>(
    (items) => {
      lastSize = items.length;
      return execute(batchOf(items.flat()));
    },
    { bytesOf, delayMs: () => (lastSize >= BUSY_WRITES ? BUSY_DELAY_MS : 0) },
  );
  return (writes) => group.add(writes);
}

function batchOf(writes: readonly RowWrite[]): BatchStatement[] {
  const byStatement = [...Map.groupBy(writes, ({ statement }) => statement)];
  return byStatement
    .sort(([a], [b]) => a.order - b.order)
    .map(([{ sql, isById }, given]) => {
      const rows = given.map(({ row }) => row);
      return { sql, json: jsonText(isById ? lastOfEach(rows) : rows) };
    });
}

function lastOfEach(rows: readonly RowWrite['row'][]): RowWrite['row'][] {
  const last = [...new Map(rows.map((row) => [String(row.id), row]))];
  return last.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

/** Texts are most of a row. */
function bytesOf(writes: readonly RowWrite[]): number {
  let length = 0;
  for (const { row } of writes) {
    for (const value of Object.values(row)) length += typeof value === 'string' ? value.length : 8;
  }
  return length;
}
