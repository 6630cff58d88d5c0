/** Reads tables, views and keys of the connection's databases in four catalogue queries, however many there are. */
import type { TableColumn, TableDescription } from '../../kernel/index.ts';
import type { Query } from './query.ts';

/** Narrows to the connection's database and those named besides or, without one, to all that are not the server's own. */
function inSchemas(database: string | undefined, more: readonly string[]) {
  if (database === undefined) {
    return { where: `TABLE_SCHEMA NOT IN ('mysql', 'information_schema', 'performance_schema', 'sys')`, values: [] };
  }
  const values = [...new Set([database, ...more])];
  return { where: `TABLE_SCHEMA IN (${values.map(() => '?').join(', ')})`, values };
}

const TABLES = `SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE, TABLE_ROWS, TABLE_COMMENT FROM information_schema.TABLES
  WHERE TABLE_TYPE IN ('BASE TABLE', 'VIEW', 'SYSTEM VERSIONED') AND`;
const COLUMNS = `SELECT TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME, COLUMN_TYPE, IS_NULLABLE, COLUMN_COMMENT
  FROM information_schema.COLUMNS WHERE`;
const KEYS = `SELECT TABLE_SCHEMA, TABLE_NAME, CONSTRAINT_NAME, COLUMN_NAME, REFERENCED_TABLE_SCHEMA,
    REFERENCED_TABLE_NAME, REFERENCED_COLUMN_NAME
  FROM information_schema.KEY_COLUMN_USAGE
  WHERE (CONSTRAINT_NAME = 'PRIMARY' OR REFERENCED_TABLE_NAME IS NOT NULL) AND`;

/** An expression has no column. */
const UNIQUE = `SELECT TABLE_SCHEMA, TABLE_NAME, INDEX_NAME, COLUMN_NAME
  FROM information_schema.STATISTICS WHERE NON_UNIQUE = 0 AND INDEX_NAME <> 'PRIMARY' AND`;

type Row = readonly (string | null)[];

const tableOf = ([schema, table]: Row) => JSON.stringify([schema, table]);
const commentOf = (comment: string | null | undefined) => (comment ? { comment } : {});

function columnOf([, , name, type, nullable, comment]: Row): TableColumn {
  return { name: name ?? '', type: type ?? '', nullable: nullable === 'YES', ...commentOf(comment) };
}

function foreignKeys(keys: readonly Row[]): TableDescription['foreignKeys'] {
  const parts = keys.filter(([, , , , , target]) => target !== null);
  return [...Map.groupBy(parts, ([, , constraint]) => constraint).values()].map((group) => {
    const [ownSchema, , , , schema, table] = group[0] ?? [];
    return {
      columns: group.map(([, , , column]) => column ?? ''),
      // Another database's table by its full name.
      table: schema === ownSchema ? (table ?? '') : `${schema}.${table}`,
      references: group.map(([, , , , , , column]) => column ?? ''),
    };
  });
}

function uniqueKeys(rows: readonly Row[]): Pick<TableDescription, 'uniqueKeys'> {
  const keys = [...Map.groupBy(rows, ([, , index]) => index).values()]
    .map((key) => key.map(([, , , column]) => column))
    .filter((key): key is string[] => key.every((column) => column !== null));
  return keys.length === 0 ? {} : { uniqueKeys: keys };
}

/** `database`: that of the connection; `more`: others of the same server that statements name. */
export async function describeDatabases(
  query: Query,
  database: string | undefined,
  more: readonly string[] = [],
): Promise<TableDescription[]> {
  const { where, values } = inSchemas(database, more);
  const tables = await query(`${TABLES} ${where} ORDER BY TABLE_SCHEMA, TABLE_NAME`, values);
  const columns = Map.groupBy(
    await query(`${COLUMNS} ${where} ORDER BY TABLE_SCHEMA, TABLE_NAME, ORDINAL_POSITION`, values),
    tableOf,
  );
  const keys = Map.groupBy(
    await query(`${KEYS} ${where} ORDER BY TABLE_SCHEMA, TABLE_NAME, CONSTRAINT_NAME, ORDINAL_POSITION`, values),
    tableOf,
  );
  const unique = Map.groupBy(
    await query(`${UNIQUE} ${where} ORDER BY TABLE_SCHEMA, TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX`, values),
    tableOf,
  );
  return tables.flatMap((row) => {
    const [schema, name, type, estimate, comment] = row;
    const isView = type === 'VIEW';
    const ownKeys = keys.get(tableOf(row)) ?? [];
    const ownColumns = columns.get(tableOf(row));
    // A view over something that is gone has no columns.
    if (ownColumns === undefined) return [];
    return [
      {
        schema: schema ?? '',
        name: name ?? '',
        kind: isView ? ('view' as const) : ('table' as const),
        columns: ownColumns.map(columnOf),
        primaryKey: ownKeys.flatMap(([, , , column, , target]) => (target === null ? [column ?? ''] : [])),
        ...uniqueKeys(unique.get(tableOf(row)) ?? []),
        foreignKeys: foreignKeys(ownKeys),
        ...(isView || estimate === null ? {} : { estimatedRows: Number(estimate) }),
        // A view's comment is the word "VIEW" or the server's complaint.
        ...(isView ? {} : commentOf(comment)),
      },
    ];
  });
}
