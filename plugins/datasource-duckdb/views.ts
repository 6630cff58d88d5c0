/** Reads the definitions of views, and which columns are generated. */
import type { DuckDBConnection } from '@duckdb/node-api';
import type { ViewDefinition } from '../datasource-kit/index.ts';

const NAME = String.raw`(?:"(?:[^"]|"")*"|[^\s"(.]+)`;
/** As the engine writes it. */
const HEAD = new RegExp(
  String.raw`^\s*CREATE\s+(?:TEMP(?:ORARY)?\s+)?VIEW\s+${NAME}(?:\.${NAME}){0,2}\s*(?:\([^()]*\)\s*)?AS\s+`,
  'i',
);

/** The engine writes some of its own functions with their schema, and some of its types in quotes. */
const OWN_FUNCTION = /\bmain\."?(\w+)"?\(/g;
const OWN_TYPE = / AS "([A-Z]+)"\)/g;

const VIEWS = 'SELECT schema_name, view_name, sql FROM duckdb_views() WHERE NOT internal';

/** Generated columns; also those with a default in a table that has any, as the catalogue does not tell them apart. */
const GENERATED = `SELECT c.schema_name, c.table_name, c.column_name FROM duckdb_columns() c
  JOIN duckdb_tables() t ON t.table_oid = c.table_oid AND t.database_oid = c.database_oid
  WHERE NOT t.internal AND c.column_default IS NOT NULL AND t.sql LIKE '%GENERATED ALWAYS AS%'`;

export async function viewsOf(connection: DuckDBConnection): Promise<ViewDefinition[]> {
  const rowsOf = async (sql: string) => (await connection.runAndReadAll(sql)).getRows().map((row) => row.map(String));
  const views = (await rowsOf(VIEWS)).map(([schema = '', name = '', sql = '']) => ({
    schema,
    name,
    ...(HEAD.test(sql) && { sql: plain(sql.replace(HEAD, '').replace(/;\s*$/, '')) }),
  }));
  const columns = (await rowsOf(GENERATED)).map(([schema = '', name = '', column = '']) => ({
    schema,
    name,
    computed: [column],
  }));
  return [...views, ...columns];
}

const plain = (sql: string) => sql.replace(OWN_FUNCTION, '$1(').replace(OWN_TYPE, ' AS $1)');
