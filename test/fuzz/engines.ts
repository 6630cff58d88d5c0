import type { FuzzEngine } from './engine.ts';

/** Each starts what it needs; the caller that opens an engine closes it. */
export const engines: Readonly<Record<string, () => Promise<FuzzEngine>>> = {
  sqlite: async () => (await import('./sqlite.ts')).sqliteEngine,
  duckdb: async () => (await import('./duckdb.ts')).duckdbEngine,
  mysql: async () => (await import('./mysql.ts')).openMysql(),
  postgres: async () => (await import('./postgres.ts')).openPostgres(),
  clickhouse: async () => (await import('./clickhouse.ts')).openClickhouse(),
};

export async function openEngine(name: string): Promise<FuzzEngine> {
  const open = engines[name];
  if (open === undefined) throw new Error(`There is no engine "${name}"; known: ${Object.keys(engines).join(', ')}.`);
  return open();
}
