/** Logs a statement and stores its audit entry. */
import { AtlasError, messagesOf, type PluginContext, type Scope } from '../../kernel/index.ts';
import { type AuditRow, SQL_LOGGED_LENGTH } from './entry.ts';
import { shownEntry } from './store.ts';

export interface RecorderOptions {
  /** `undefined`: there is only the log. */
  readonly write: ((row: AuditRow) => Promise<void>) | undefined;
  readonly required: boolean;
  readonly logOf: PluginContext['logOf'];
}

/**
 * Resolves once the entry is kept, to its id where it is stored; rejects with `unavailable` when it cannot be and has to.
 */
export function recorder({
  write,
  required,
  logOf,
}: RecorderOptions): (row: AuditRow, scope: Scope) => Promise<string | undefined> {
  return async (row, scope) => {
    const log = logOf(scope);
    const audit = { ...shownEntry(row), sql: row.sql.slice(0, SQL_LOGGED_LENGTH) };
    log.info({ audit }, 'A statement was asked for.');
    try {
      await write?.(row);
      return write && row.id;
    } catch (error) {
      log.error({ error: messagesOf(error) }, 'An audit entry could not be written.');
      if (!required) return undefined;
      throw new AtlasError('The statement cannot be audited, so its rows are withheld.', {
        code: 'unavailable',
        hint: 'Try again shortly; if it goes on, check the internal database.',
        retryAfterSeconds: 5,
        cause: error,
      });
    }
  };
}
