/** Bounds a statement that comes without limits. */
import type { SqlLimits } from '../../kernel/index.ts';

export const DEFAULT_LIMITS: SqlLimits = {
  maxRows: 1_000,
  maxBytes: 8 * 1024 * 1024,
  maxCellBytes: 64 * 1024,
  timeoutMs: 30_000,
};

/** Time limit of an estimate, which waits for a session or a process like a statement. */
export const ESTIMATE_TIMEOUT_MS = 5_000;
