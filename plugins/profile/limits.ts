/** Limits the statements of the plugin. */
import type { SqlLimits, SqlStatement } from '../../kernel/index.ts';
import { SAMPLED_ROWS } from '../profile-kit/index.ts';
import type { ProfileOptions } from './options.ts';

/** Whatever else has set a limit, the smaller one holds. */
export function limited(statement: SqlStatement, { statementTimeoutMs }: ProfileOptions): SqlStatement {
  const { limits: set } = statement;
  const own: SqlLimits = {
    maxRows: SAMPLED_ROWS,
    maxBytes: 8 * 1024 * 1024,
    maxCellBytes: 64 * 1024,
    timeoutMs: statementTimeoutMs,
  };
  const limits = set === undefined ? own : { ...set, timeoutMs: Math.min(set.timeoutMs, statementTimeoutMs) };
  return { ...statement, limits };
}
