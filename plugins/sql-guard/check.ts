import type { Dialect } from '../semantic-query/plan.ts';
import type { Select } from './ast.ts';
import type { SqlDialect } from './dialect.ts';
import { SqlRefusal } from './errors.ts';
import type { LexLimits } from './lex.ts';
import { parseStatement } from './parse.ts';
import { printSelect } from './print.ts';
import { resolve } from './resolve.ts';
import { sqlite } from './sqlite.ts';
import type { AllowedTables } from './tables.ts';

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
  /** Tables and views it reads, named as the semantic layer names them, with a schema where that gives one. */
  readonly tables: readonly string[];
  /** `table.column` where the names alone tell, `table.*` for all; for audit. */
  readonly columns: readonly string[];
  /** Lower-case names. */
  readonly functions: readonly string[];
  readonly statement: Select;
}

/** Throws `SqlRefusal` for an engine whose SQL the guard does not know. */
export function sqlDialect(name: Dialect): SqlDialect {
  if (name === 'sqlite') return sqlite;
  throw new SqlRefusal('unchecked', `SQL of ${name} cannot be checked here`, { line: 1, column: 1 });
}

/**
 * Reads, checks and prints one statement. Throws `SqlRefusal` with what is wrong, where, and what to write instead.
 */
export function checkSql(sql: string, rules: CheckRules): CheckedSql {
  const dialect = sqlDialect(rules.dialect);
  const statement = parseStatement(sql, dialect, rules.limits ?? DEFAULT_LIMITS);
  const extraFunctions = new Set(rules.functions?.map((name) => name.toLowerCase()));
  const footprint = resolve(sql, statement, { dialect, tables: rules.tables, extraFunctions });
  return {
    sql: printSelect(statement, dialect),
    tables: [...footprint.tables].map(({ schema, name }) => (schema === undefined ? name : `${schema}.${name}`)),
    columns: [...footprint.columns],
    functions: [...footprint.functions],
    statement,
  };
}
