/** Reads, resolves, rewrites and prints one statement. */
import type { SqlStatement } from '../../kernel/index.ts';
import { type BoundValue, DEFAULT_LIMITS, type LexLimits, parseStatement, printStatement } from '../sql-kit/index.ts';
import type { AllowedTables } from './allowed-tables.ts';
import { fenceRows } from './optimization-fence.ts';
import { tableName } from './read-columns.ts';
import { resolve } from './resolve.ts';
import { shownStatement } from './shown-statement.ts';

export interface CheckRules {
  readonly tables: AllowedTables;
  /** Functions allowed besides the dialect's own list. */
  readonly functions?: readonly string[];
  readonly limits?: LexLimits;
}

/** A statement that may run. */
export interface CheckedSql {
  /** Printed from the checked tree: this text runs, the original never does. */
  readonly sql: string;
  /** The same for the caller, see `SqlStatement`. */
  readonly shown: NonNullable<SqlStatement['shown']>;
  /** What was done to it. */
  readonly changes: NonNullable<SqlStatement['changes']>;
  /** What to bind, in the order of the statement's parameters. */
  readonly params: readonly BoundValue[];
  /** Tables and views it reads, named as the semantic layer names them, with a schema where that gives one. */
  readonly tables: readonly string[];
  /** Columns that it may read, see `ReadColumns`: `table.column`, `table.*` for all. */
  readonly columns: readonly string[];
  /** Lower-case names. */
  readonly functions: readonly string[];
}

const NO_FUNCTIONS: ReadonlySet<string> = new Set();

/**
 * Reads, checks and prints one statement. Throws `SqlRefusal` with what is wrong, where, and what to write instead.
 */
export function checkSql(sql: string, rules: CheckRules): CheckedSql {
  const { dialect } = rules.tables;
  const statement = parseStatement(sql, dialect, rules.limits ?? DEFAULT_LIMITS);
  const extraFunctions = rules.functions?.length
    ? new Set(rules.functions.map((name) => name.toLowerCase()))
    : NO_FUNCTIONS;
  const accessed = resolve(sql, statement, { dialect, tables: rules.tables, extraFunctions });
  dialect.secure?.(statement, rules.tables, sql, accessed.tables);
  fenceRows(statement, accessed.tables, rules.tables);
  const { sql: printed, params } = printStatement(statement, dialect);
  return {
    sql: printed,
    ...shownStatement(sql, printed, statement, accessed, dialect),
    params,
    tables: Array.from(accessed.tables, tableName),
    columns: accessed.columns.list(),
    functions: [...accessed.functions],
  };
}
