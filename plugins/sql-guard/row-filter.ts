import { type ConnectionInfo, type Scope, waterfall } from '../../kernel/index.ts';
import type { BoundValue } from '../sql-kit/ast/tree.ts';
import type { AllowedTables } from './allowed-tables.ts';

export type { BoundValue } from '../sql-kit/ast/tree.ts';

/** A condition on the rows of one table, over its own columns. */
export type RowFilter =
  /** The column equals one of the values, of which there is at least one; a text to the letter. */
  | { readonly column: string; readonly isText: boolean; readonly values: readonly BoundValue[] }
  /** An SQL condition in which `{claim}` stands for the values, separated by commas. */
  | { readonly condition: string; readonly values: readonly BoundValue[] };

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
