/** Loads the dialects that are known without a plugin that brings them. */
import { AtlasError, didYouMean } from '../../../kernel/index.ts';
import { postgres } from './postgres/dialect.ts';
import type { SqlDialect } from './sql-dialect.ts';

/** Each is loaded when a connection first names it. */
const DIALECTS = new Map<string, () => Promise<SqlDialect>>([
  ['postgres', async () => postgres],
  ['mysql', async () => (await import('./mysql/dialect.ts')).mysql],
  ['sqlite', async () => (await import('./sqlite/dialect.ts')).sqlite],
  ['duckdb', async () => (await import('./duckdb/dialect.ts')).duckdb],
  ['clickhouse', async () => (await import('./clickhouse/dialect.ts')).clickhouse],
  ['trino', async () => (await import('./trino/dialect.ts')).trino],
  ['bigquery', async () => (await import('./bigquery/dialect.ts')).bigquery],
  ['snowflake', async () => (await import('./snowflake/dialect.ts')).snowflake],
]);

export const kitDialectNames: readonly string[] = [...DIALECTS.keys()];

/** All of them, by name. */
export async function kitDialects(): Promise<ReadonlyMap<string, SqlDialect>> {
  const all = await Promise.all([...DIALECTS.values()].map((load) => load()));
  return new Map(all.map((dialect) => [dialect.name, dialect]));
}

/** Rejects with `configuration_error` for a name that is none of theirs. */
export async function kitDialect(name: string): Promise<SqlDialect> {
  const load = DIALECTS.get(name);
  if (load !== undefined) return load();
  // A guess at what was meant ends as a question.
  throw new AtlasError(`There is no SQL dialect "${name}"${didYouMean(name, kitDialectNames) || '.'}`, {
    code: 'configuration_error',
    reason: 'E_DIALECT_UNKNOWN',
    hint: `Known: ${kitDialectNames.join(', ')}. A dialect that a plugin brings is given as a value.`,
  });
}
