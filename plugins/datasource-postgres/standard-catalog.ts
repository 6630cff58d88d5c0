/** Describes databases whose catalogues are not those of PostgreSQL: by one query of columns that the engine has. */
import type { TableDescription } from '../../kernel/index.ts';
import type { ViewDefinition } from '../datasource-kit/index.ts';
import type { Query } from './query.ts';

export interface StandardCatalog {
  /**
   * A query with one row for each column, in order, of all tables that the login may read: schema, table, kind, comment
   * of the table, column, type, YES where it may be null, comment of the column.
   */
  readonly columns: string;
  /** Whether keys are in `pg_constraint`. */
  readonly hasKeys: boolean;
  /** Estimated rows of tables, by schema and name. */
  rows?(query: Query, schemas: readonly string[]): Promise<readonly (readonly [string, string, number])[]>;
}

/** One row for each column of a key; lists are taken apart without functions that not every engine has. */
const KEYS = `SELECT n.nspname, c.relname, k.conname, k.contype, a.attname, fn.nspname, f.relname, fa.attname
  FROM pg_catalog.pg_constraint k
  CROSS JOIN generate_series(1, 32) AS u(n)
  JOIN pg_catalog.pg_class c ON c.oid = k.conrelid
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_catalog.pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[u.n]
  LEFT JOIN pg_catalog.pg_class f ON f.oid = k.confrelid
  LEFT JOIN pg_catalog.pg_namespace fn ON fn.oid = f.relnamespace
  LEFT JOIN pg_catalog.pg_attribute fa ON fa.attrelid = k.confrelid AND fa.attnum = k.confkey[u.n]
  WHERE k.contype IN ('p', 'f')
  ORDER BY n.nspname, c.relname, k.contype, k.conname, u.n`;

type Row = readonly (string | null)[];

const keyOf = (schema: string | null = '', table: string | null = '') => JSON.stringify([schema, table]);
const withComment = (comment: string | null = null) => (comment === null || comment === '' ? {} : { comment });

export async function describeStandard(query: Query, catalog: StandardCatalog): Promise<TableDescription[]> {
  const columns = Map.groupBy(await query(catalog.columns), ([schema, table]) => keyOf(schema, table));
  const keys = Map.groupBy(catalog.hasKeys ? await query(KEYS) : [], ([schema, table]) => keyOf(schema, table));
  const schemas = [...new Set([...columns.values()].map(([row]) => row?.[0] ?? ''))];
  const estimates = (await catalog.rows?.(query, schemas)) ?? [];
  const counted = new Map(estimates.map(([schema, table, rows]) => [keyOf(schema, table), rows]));
  return [...columns].map(([key, rows]) => {
    const [schema, name, kind, comment] = rows[0] ?? [];
    const isView = /view/i.test(kind ?? '');
    const estimatedRows = isView ? undefined : counted.get(key);
    return {
      schema: schema ?? '',
      name: name ?? '',
      kind: isView ? 'view' : 'table',
      columns: rows.map(([, , , , column, type, nullable, remark]) => ({
        name: column ?? '',
        type: type ?? '',
        nullable: nullable !== 'NO',
        ...withComment(remark),
      })),
      ...keysOf(keys.get(key) ?? [], schema ?? '', new Set(rows.map((row) => row[4]))),
      ...(estimatedRows === undefined ? {} : { estimatedRows }),
      ...withComment(comment),
    };
  });
}

/** Keys of columns that are shown: an engine's own hidden column may be one. */
function keysOf(
  rows: readonly Row[],
  ownSchema: string,
  shown: ReadonlySet<string | null | undefined>,
): Pick<TableDescription, 'primaryKey' | 'foreignKeys'> {
  const keys = [...Map.groupBy(rows, ([, , constraint]) => constraint).values()].filter((key) =>
    key.every((row) => shown.has(row[4])),
  );
  const named = (key: readonly Row[], at: number) => key.map((row) => row[at] ?? '');
  return {
    primaryKey: named(keys.find(([row]) => row?.[3] === 'p') ?? [], 4),
    foreignKeys: keys
      .filter(([row]) => row?.[3] === 'f')
      .map((key) => {
        const [, , , , , schema, table] = key[0] ?? [];
        return {
          columns: named(key, 4),
          // Another schema's table by its full name.
          table: schema === ownSchema ? (table ?? '') : `${schema}.${table}`,
          references: named(key, 7),
        };
      }),
  };
}

/** `text` gives schema, name and definition of each view. */
export async function standardViews(query: Query, text: string): Promise<ViewDefinition[]> {
  return (await query(text)).map(([schema, name, sql]) => ({
    schema: schema ?? '',
    name: name ?? '',
    ...(sql !== null && sql !== undefined && { sql: sql.replace(/;\s*$/, '') }),
  }));
}

const LOGIN = `SELECT current_user, current_setting('is_superuser')`;

const WRITABLE = `SELECT table_schema, count(DISTINCT table_name), min(table_name)
  FROM information_schema.table_privileges
  WHERE privilege_type IN ('INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'ALL')
    AND (grantee = current_user OR lower(grantee) = 'public')
    AND table_schema NOT IN ('information_schema', 'pg_catalog', 'crdb_internal', 'mz_catalog', 'mz_internal')
  GROUP BY table_schema ORDER BY table_schema`;

/** One sentence for each right that a reader does not need. Rights that come from roles are not looked at. */
export async function standardWarnings(query: Query): Promise<string[]> {
  const [[login = '', superuser] = []] = await query(LOGIN);
  if (superuser === 'on') {
    return [`the login ${login} is a superuser, which no check can hold back; make one that may only read.`];
  }
  return (await query(WRITABLE)).map(([schema, count, table]) => {
    const tables = count === '1' ? `the table ${schema}.${table}` : `${count} tables of the schema ${schema}`;
    return `the login ${login} may write to ${tables}; leave it only reading: REVOKE INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} FROM ${login};`;
  });
}
