import type { SqlLimits, SqlReply } from '../../kernel/index.ts';

/** Whatever else has set a limit, the smaller one holds. */
export function tighten(limits: SqlLimits, set: SqlLimits | undefined): SqlLimits {
  if (set === undefined) return limits;
  return {
    maxRows: Math.min(limits.maxRows, set.maxRows),
    maxBytes: Math.min(limits.maxBytes, set.maxBytes),
    maxCellBytes: Math.min(limits.maxCellBytes, set.maxCellBytes),
    timeoutMs: Math.min(limits.timeoutMs, set.timeoutMs),
  };
}

/**
 * Says that the limit of rows cut the result, and cuts one that a driver made too long; `undefined` when there were not
 * more rows than that.
 */
export function trim(reply: SqlReply, maxRows: number): SqlReply | undefined {
  const { rows, notes, truncated } = reply.result;
  if (rows.length < maxRows || (rows.length === maxRows && !truncated)) return undefined;
  const note = `Only the first ${maxRows} rows are given; there are more.`;
  const { changes = [] } = reply.statement;
  const statement = { ...reply.statement, changes: [...changes, { plugin: 'sql-limits', reason: note }] };
  if (rows.length === maxRows) return { ...reply, statement };
  return {
    ...reply,
    statement,
    result: { ...reply.result, rows: rows.slice(0, maxRows), truncated: true, notes: [...notes, note] },
  };
}
