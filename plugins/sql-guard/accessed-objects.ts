/** What a statement is resolved against, and what it then turns out to read. */
import type { SqlDialect } from '../sql-kit/index.ts';
import type { AllowedTable, AllowedTables } from './allowed-tables.ts';
import type { ReadColumns } from './read-columns.ts';

export interface ResolveRules {
  readonly dialect: SqlDialect;
  readonly tables: AllowedTables;
  /** Functions allowed besides the dialect's, lower case. */
  readonly extraFunctions: ReadonlySet<string>;
}

/** What a statement reads and calls. */
export interface AccessedObjects {
  readonly tables: ReadonlySet<AllowedTable>;
  readonly columns: ReadColumns;
  readonly functions: ReadonlySet<string>;
}
