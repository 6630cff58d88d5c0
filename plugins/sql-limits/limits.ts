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

/** Cuts a result that a driver made too long; `undefined` when it kept to the limit, as drivers should. */
export function trim(reply: SqlReply, maxRows: number): SqlReply | undefined {
  const { rows, notes } = reply.result;
  if (rows.length <= maxRows) return undefined;
  const note = `Only the first ${maxRows} rows are given; there are more.`;
  return {
    ...reply,
    result: { ...reply.result, rows: rows.slice(0, maxRows), truncated: true, notes: [...notes, note] },
  };
}
