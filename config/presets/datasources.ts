/** Lists the database engines, and builds their plugins with the configured database. */
import type { PluginEntry } from '../../kernel/index.ts';
import { BIGQUERY_SCHEMES, datasourceBigquery } from '../../plugins/datasource-bigquery/index.ts';
import { CLICKHOUSE_SCHEMES, datasourceClickhouse } from '../../plugins/datasource-clickhouse/index.ts';
import { DUCKDB_SCHEMES, datasourceDuckdb } from '../../plugins/datasource-duckdb/index.ts';
import { datasourceMysql, MYSQL_SCHEMES } from '../../plugins/datasource-mysql/index.ts';
import { datasourcePostgres, POSTGRES_SCHEMES } from '../../plugins/datasource-postgres/index.ts';
import { datasourceSnowflake, SNOWFLAKE_SCHEMES } from '../../plugins/datasource-snowflake/index.ts';
import { datasourceSqlite, SQLITE_SCHEMES } from '../../plugins/datasource-sqlite/index.ts';
import { datasourceTrino, TRINO_SCHEMES } from '../../plugins/datasource-trino/index.ts';

export const ENGINES = [
  { schemes: POSTGRES_SCHEMES, plugin: datasourcePostgres },
  { schemes: MYSQL_SCHEMES, plugin: datasourceMysql },
  { schemes: SQLITE_SCHEMES, plugin: datasourceSqlite },
  { schemes: DUCKDB_SCHEMES, plugin: datasourceDuckdb },
  { schemes: CLICKHOUSE_SCHEMES, plugin: datasourceClickhouse },
  { schemes: TRINO_SCHEMES, plugin: datasourceTrino },
  { schemes: BIGQUERY_SCHEMES, plugin: datasourceBigquery },
  { schemes: SNOWFLAKE_SCHEMES, plugin: datasourceSnowflake },
] as const;

/** Every engine, which loads its driver when it is used; that of the URL with one connection called `default`. */
export function datasources({
  datasourceUrl: url = '',
}: {
  readonly datasourceUrl?: string | undefined;
}): PluginEntry[] {
  const [scheme] = url.split(':', 1);
  return ENGINES.map(({ schemes, plugin }) => {
    const isMeant = schemes.some((known) => known === scheme);
    return plugin({ connections: isMeant ? [{ id: 'default', url }] : [] });
  });
}
