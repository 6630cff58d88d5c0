import type { Dialect } from '../semantic-query/index.ts';
import { duckdb, duckdbCatalog } from '../sql-kit/dialects/duckdb/dialect.ts';
import { mysql } from '../sql-kit/dialects/mysql/dialect.ts';
import { postgres } from '../sql-kit/dialects/postgres/dialect.ts';
import type { SqlDialect } from '../sql-kit/dialects/sql-dialect.ts';
import { sqlite } from '../sql-kit/dialects/sqlite/dialect.ts';
import { SqlRefusal } from '../sql-kit/parse/errors.ts';
import type { LexLimits } from '../sql-kit/parse/lexer.ts';
import { parseStatement } from '../sql-kit/parse/statement.ts';
import { printStatement } from '../sql-kit/print/statement.ts';
import type { AllowedTables } from './allowed-tables.ts';
import { fenceRows } from './optimization-fence.ts';
import { resolve } from './resolve.ts';
import type { BoundValue } from './row-filter.ts';

export const DEFAULT_LIMITS: LexLimits = { maxTextLength: 100_000, maxTokens: 20_000 };

export interface CheckRules {
  readonly dialect: Dialect;
  readonly tables: AllowedTables;
  /** Functions allowed besides the dialect's own list. */
  readonly functions?: readonly string[];
  readonly limits?: LexLimits;
}

/** A statement that may run. */
export interface CheckedSql {
  /** Printed from the checked tree: this text runs, the original never does. */
  readonly sql: string;
  /** What to bind, in the order of the statement's parameters. */
  readonly params: readonly BoundValue[];
  /** Tables and views it reads, named as the semantic layer names them, with a schema where that gives one. */
  readonly tables: readonly string[];
  /** `table.column` where the names alone tell, `table.*` for all; for audit. */
  readonly columns: readonly string[];
  /** Lower-case names. */
  readonly functions: readonly string[];
}

/**
 * `schema`: where a connection's tables without one are, when that is not the engine's default; in MySQL a database.
 * `file`: the name of a database's file, after which DuckDB calls the database. Throws `SqlRefusal` for an engine whose
 * SQL the guard does not know.
 */
export function sqlDialect(name: Dialect, schema?: string, file?: string): SqlDialect {
  if (name === 'sqlite') return sqlite;
  if (name === 'duckdb') return file === undefined ? duckdb : { ...duckdb, catalog: duckdbCatalog(file) };
  if (name === 'postgres') return schema === undefined ? postgres : { ...postgres, defaultSchema: schema };
  if (name === 'mysql') return schema === undefined ? mysql : { ...mysql, defaultSchema: schema };
  throw new SqlRefusal('unchecked', `SQL of ${name} cannot be checked here`, { line: 1, column: 1 });
}

/** Has to be awaited before the first statement of an engine is checked: its parser may be large. */
export async function loadDialect(name: Dialect): Promise<void> {
  await sqlDialect(name).load?.();
}

const NO_FUNCTIONS: ReadonlySet<string> = new Set();

/**
 * Reads, checks and prints one statement. Throws `SqlRefusal` with what is wrong, where, and what to write instead.
 */
export function checkSql(sql: string, rules: CheckRules): CheckedSql {
  // The tables know of which database they are.
  const dialect = rules.tables.dialect.name === rules.dialect ? rules.tables.dialect : sqlDialect(rules.dialect);
  const statement = parseStatement(sql, dialect, rules.limits ?? DEFAULT_LIMITS);
  const extraFunctions = rules.functions?.length
    ? new Set(rules.functions.map((name) => name.toLowerCase()))
    : NO_FUNCTIONS;
  const footprint = resolve(sql, statement, { dialect, tables: rules.tables, extraFunctions });
  dialect.secure?.(statement, rules.tables, sql, footprint.tables);
  fenceRows(statement, footprint.tables, rules.tables);
  const { sql: printed, params } = printStatement(statement, dialect);
  return {
    sql: printed,
    params,
    tables: Array.from(footprint.tables, ({ schema, name }) => (schema === undefined ? name : `${schema}.${name}`)),
    columns: [...footprint.columns],
    functions: [...footprint.functions],
  };
}
