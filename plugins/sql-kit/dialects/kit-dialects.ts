/** Lists the dialects that are known without a plugin that brings them. */
import { AtlasError, didYouMean } from '../../../kernel/index.ts';
import { bigquery } from './bigquery/dialect.ts';
import { clickhouse } from './clickhouse/dialect.ts';
import { duckdb } from './duckdb/dialect.ts';
import { mysql } from './mysql/dialect.ts';
import { postgres } from './postgres/dialect.ts';
import { snowflake } from './snowflake/dialect.ts';
import type { SqlDialect } from './sql-dialect.ts';
import { sqlite } from './sqlite/dialect.ts';
import { trino } from './trino/dialect.ts';

export const kitDialects: readonly SqlDialect[] = [
  postgres,
  mysql,
  sqlite,
  duckdb,
  clickhouse,
  trino,
  bigquery,
  snowflake,
];

/** Throws `configuration_error` for a name that is none of theirs. */
export function kitDialect(name: string): SqlDialect {
  const dialect = kitDialects.find((one) => one.name === name);
  if (dialect !== undefined) return dialect;
  const names = kitDialects.map((one) => one.name);
  // A guess at what was meant ends as a question.
  throw new AtlasError(`There is no SQL dialect "${name}"${didYouMean(name, names) || '.'}`, {
    code: 'configuration_error',
    reason: 'E_DIALECT_UNKNOWN',
    hint: `Known: ${names.join(', ')}. A dialect that a plugin brings is given as a value.`,
  });
}
