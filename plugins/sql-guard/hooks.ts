/** Declares the hook that narrows what a request may read. */
import { type ConnectionInfo, waterfall } from '../../kernel/index.ts';
import type { AllowedTables } from './allowed-tables.ts';

/** The tables that one request may read. */
export interface TableAccess {
  readonly connection: ConnectionInfo;
  /** Equal rules should be one and the same object: checked statements are kept by it. */
  readonly tables: AllowedTables;
}

/** Runs before every check of a statement. A tap that throws refuses the statement. */
export const tablesRestrict = waterfall<TableAccess>('tables.restrict', {
  summary: 'Narrows, for one request, which tables may be read, and which rows and values of them are seen.',
  // The first statement may have to wait until the database has described itself.
  deadlineMs: 120_000,
});
