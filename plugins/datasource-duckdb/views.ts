/** Reads the definitions of views. */
import type { DuckDBConnection } from '@duckdb/node-api';
import type { ViewDefinition } from '../datasource-kit/index.ts';

const NAME = String.raw`(?:"(?:[^"]|"")*"|[^\s"(.]+)`;
/** As the engine writes it. */
const HEAD = new RegExp(
  String.raw`^\s*CREATE\s+(?:TEMP(?:ORARY)?\s+)?VIEW\s+${NAME}(?:\.${NAME}){0,2}\s*(?:\([^()]*\)\s*)?AS\s+`,
  'i',
);

export async function viewsOf(connection: DuckDBConnection): Promise<ViewDefinition[]> {
  const rows = await connection.runAndReadAll(
    'SELECT schema_name, view_name, sql FROM duckdb_views() WHERE NOT internal',
  );
  return rows.getRows().map(([schema, name, sql]) => ({
    schema: String(schema),
    name: String(name),
    ...(HEAD.test(String(sql)) && { sql: String(sql).replace(HEAD, '').replace(/;\s*$/, '') }),
  }));
}
