/** Tables, columns and keys of the file's database in a constant number of catalogue queries. */
import type { DuckDBConnection } from '@duckdb/node-api';
import type { TableDescription } from '../../kernel/index.ts';

const OWN = 'database_name = current_database() AND NOT internal';

const TABLES = `
  SELECT schema_name AS "schema", table_name AS name, 'table' AS kind, comment, estimated_size AS size FROM duckdb_tables() WHERE ${OWN} AND NOT temporary
  UNION ALL SELECT schema_name, view_name, 'view', comment, NULL FROM duckdb_views() WHERE ${OWN} AND NOT temporary ORDER BY 1, 2`;

const COLUMNS = `
  SELECT schema_name AS "schema", table_name AS "table", column_name AS name, data_type AS type, is_nullable AS nullable, comment
  FROM duckdb_columns() WHERE ${OWN} ORDER BY 1, 2, column_index`;

const KEYS = `
  SELECT schema_name AS "schema", table_name AS "table", constraint_type AS type, to_json(constraint_column_names) AS columns,
    referenced_table AS target, to_json(referenced_column_names) AS target_columns
  FROM duckdb_constraints() WHERE database_name = current_database() AND constraint_type IN ('PRIMARY KEY', 'UNIQUE', 'FOREIGN KEY') ORDER BY 1, 2, constraint_index`;

/** Unique indexes that are no constraint, each with its columns and expressions as one text. */
const INDEXES = `
  SELECT schema_name AS "schema", table_name AS "table", expressions FROM duckdb_indexes()
  WHERE database_name = current_database() AND is_unique AND NOT is_primary ORDER BY 1, 2, index_oid`;

interface IndexRow {
  readonly schema: string;
  readonly table: string;
  readonly expressions: string;
}

interface TableRow {
  readonly schema: string;
  readonly name: string;
  readonly kind: 'table' | 'view';
  readonly comment: string | null;
  readonly size: string | null;
}

interface ColumnRow {
  readonly schema: string;
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly nullable: boolean;
  readonly comment: string | null;
}

interface KeyRow {
  readonly schema: string;
  readonly table: string;
  readonly type: 'PRIMARY KEY' | 'UNIQUE' | 'FOREIGN KEY';
  readonly columns: string;
  readonly target: string | null;
  readonly target_columns: string;
}

/** Tables outside the schema `main` are given with their schema. */
export async function describeSchema(connection: DuckDBConnection): Promise<TableDescription[]> {
  const read = async <T>(sql: string) => (await connection.runAndReadAll(sql)).getRowObjectsJson() as unknown as T[];
  const tables = await read<TableRow>(TABLES);
  const columns = byTable(await read<ColumnRow>(COLUMNS));
  const keys = byTable(await read<KeyRow>(KEYS));
  const indexes = byTable(await read<IndexRow>(INDEXES));
  return tables.map(({ schema, name, kind, comment, size }) => {
    const own = keys.get(`${schema}\0${name}`) ?? [];
    const primary = own.find(({ type }) => type === 'PRIMARY KEY');
    const unique = [
      ...own.filter(({ type }) => type === 'UNIQUE').map((key) => names(key.columns)),
      ...(indexes.get(`${schema}\0${name}`) ?? []).map(({ expressions }) => indexedColumns(expressions)),
    ].filter((key) => key.length > 0);
    return {
      ...(schema === 'main' ? {} : { schema }),
      name,
      kind,
      columns: (columns.get(`${schema}\0${name}`) ?? []).map((column) => ({
        name: column.name,
        type: column.type,
        nullable: column.nullable,
        ...(column.comment === null ? {} : { comment: column.comment }),
      })),
      primaryKey: primary === undefined ? [] : names(primary.columns),
      ...(unique.length === 0 ? {} : { uniqueKeys: unique }),
      foreignKeys: own
        .filter(({ type }) => type === 'FOREIGN KEY')
        .map((key) => ({
          columns: names(key.columns),
          table: key.target ?? '',
          references: names(key.target_columns),
        })),
      ...(size === null ? {} : { estimatedRows: Number(size) }),
      ...(comment === null ? {} : { comment }),
    };
  });
}

/** Such as `[a, '"My column"']`; none where one of them is an expression. */
function indexedColumns(expressions: string): string[] {
  const items = expressions.slice(1, -1).match(/'(?:[^']|'')*'|[^,\s]+/g) ?? [];
  const columns = items.map(
    (item) => /^([A-Za-z_]\w*)$/.exec(item)?.[1] ?? /^'"(.*)"'$/.exec(item)?.[1]?.replaceAll('""', '"'),
  );
  return columns.every((column) => column !== undefined) ? columns : [];
}

const names = (json: string) => JSON.parse(json) as string[];

function byTable<T extends { readonly schema: string; readonly table: string }>(rows: readonly T[]): Map<string, T[]> {
  return Map.groupBy(rows, ({ schema, table }) => `${schema}\0${table}`);
}
