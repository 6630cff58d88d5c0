/** Tables, views and keys of all schemas in four catalogue queries, however many there are. */
import type { TableColumn, TableDescription } from '../../kernel/index.ts';
import type { Query } from './query.ts';

/** What is different in the catalogs of another engine. */
export interface CatalogRules {
  /** A condition on the schema `n`: it is the engine's own. */
  readonly ownSchema?: string;
  /** The estimated rows of the table `c`, -1 where nothing is known. */
  readonly rows?: string;
  /** Numbers and estimated rows of tables whose rows are stored in others. */
  readonly storedElsewhere?: (query: Query) => Promise<readonly Row[]>;
}

/** No system schema, no partition of a table that is listed, nothing of an extension, nothing that may not be read. */
const VISIBLE = `c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
  AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_' AND has_schema_privilege(n.oid, 'USAGE')
  AND NOT EXISTS (SELECT FROM pg_depend d
    WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.objsubid = 0 AND d.deptype = 'e')`;

/** One row a column, in order, its type with a collation that is not the type's own; an estimate of -1 means that the table was never analyzed. */
const columnsOf = (
  condition: string,
  { ownSchema, rows = 'c.reltuples::int8' }: CatalogRules,
) => `SELECT c.oid::text, n.nspname, c.relname, c.relkind, ${rows}, o.description,
    a.attname, format_type(a.atttypid, a.atttypmod) || coalesce(' COLLATE ' || quote_ident(l.collname), ''),
    a.attnotnull, d.description
  FROM pg_class c
  JOIN pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  JOIN pg_type t ON t.oid = a.atttypid
  LEFT JOIN pg_collation l ON l.oid = a.attcollation AND l.oid <> t.typcollation
  LEFT JOIN pg_description o ON o.classoid = 'pg_class'::regclass AND o.objoid = c.oid AND o.objsubid = 0
  LEFT JOIN pg_description d ON d.classoid = 'pg_class'::regclass AND d.objoid = c.oid AND d.objsubid = a.attnum
  WHERE ${VISIBLE}${ownSchema === undefined ? '' : ` AND NOT (${ownSchema})`} AND (${condition})
  ORDER BY n.nspname, c.relname, a.attnum`;

const READABLE = `has_table_privilege(c.oid, 'SELECT') OR has_column_privilege(c.oid, a.attnum, 'SELECT')`;
const UNREADABLE = `NOT has_any_column_privilege(c.oid, 'SELECT')`;

/** One row a column of a key: its table, what it refers to, both column names. */
const KEYS = `SELECT k.conrelid::text, k.oid::text, k.contype, a.attname, fn.nspname, f.relname, fa.attname
  FROM pg_constraint k
  CROSS JOIN LATERAL unnest(k.conkey, k.confkey) WITH ORDINALITY AS u(attnum, fattnum, position)
  JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = u.attnum
  LEFT JOIN pg_class f ON f.oid = k.confrelid
  LEFT JOIN pg_namespace fn ON fn.oid = f.relnamespace
  LEFT JOIN pg_attribute fa ON fa.attrelid = k.confrelid AND fa.attnum = u.fattnum
  WHERE k.contype IN ('p', 'f') AND k.conparentid = 0
  ORDER BY k.conrelid, k.contype, k.conname, u.position`;

/** One row a column of a unique key other than the primary one, in whole columns of all rows. */
const UNIQUE = `SELECT i.indrelid::text, i.indexrelid::text, a.attname
  FROM pg_index i
  CROSS JOIN LATERAL unnest(i.indkey::int2[]) WITH ORDINALITY AS u(attnum, position)
  JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = u.attnum
  WHERE i.indisunique AND i.indisvalid AND NOT i.indisprimary AND i.indpred IS NULL AND i.indexprs IS NULL
    AND u.position <= i.indnkeyatts AND i.indrelid >= 16384
  ORDER BY i.indrelid, i.indexrelid, u.position`;

/** PostgreSQL estimates the rows of partitions, not those of the partitioned table. */
export const PARTITIONS = `SELECT pg_partition_root(oid)::oid::text, sum(greatest(reltuples, 0))::int8
  FROM pg_class WHERE relispartition AND relkind IN ('r', 'f') GROUP BY 1 HAVING max(reltuples) >= 0`;

type Row = readonly (string | null)[];

interface KeyPart {
  readonly constraint: string;
  readonly primary: boolean;
  readonly column: string;
  readonly schema: string;
  readonly table: string;
  readonly target: string;
}

function keyPart([, constraint, type, column, schema, table, target]: Row): KeyPart {
  return {
    constraint: constraint ?? '',
    primary: type === 'p',
    column: column ?? '',
    schema: schema ?? '',
    table: table ?? '',
    target: target ?? '',
  };
}

function foreignKeys(parts: readonly KeyPart[], ownSchema: string): TableDescription['foreignKeys'] {
  const groups = Map.groupBy(
    parts.filter(({ primary }) => !primary),
    ({ constraint }) => constraint,
  );
  return [...groups.values()].map((group) => {
    const { schema = '', table = '' } = group[0] ?? {};
    return {
      columns: group.map(({ column }) => column),
      // Another schema's table by its full name.
      table: schema === ownSchema ? table : `${schema}.${table}`,
      references: group.map(({ target }) => target),
    };
  });
}

function uniqueKeys(rows: readonly Row[]): Pick<TableDescription, 'uniqueKeys'> {
  const keys = [...Map.groupBy(rows, ([, index]) => index).values()];
  return keys.length === 0 ? {} : { uniqueKeys: keys.map((key) => key.map(([, , column]) => column ?? '')) };
}

function columnOf([, , , , , , name, type, notNull, comment]: Row): TableColumn {
  return {
    name: name ?? '',
    type: type ?? '',
    nullable: notNull !== 't',
    ...(comment === null || comment === undefined ? {} : { comment }),
  };
}

/** `withUnreadable`: also the tables, in schemas that the login may use, of which it may read no column. */
export async function describeSchemas(
  query: Query,
  withUnreadable = false,
  rules: CatalogRules = {},
): Promise<TableDescription[]> {
  const { storedElsewhere = (ask: Query) => ask(PARTITIONS) } = rules;
  const shown = withUnreadable ? `${READABLE} OR ${UNREADABLE}` : READABLE;
  const columns = Map.groupBy(await query(columnsOf(shown, rules)), ([oid]) => oid);
  const keys = Map.groupBy(await query(KEYS), ([oid]) => oid);
  const unique = Map.groupBy(await query(UNIQUE), ([oid]) => oid);
  const inPartitions = new Map((await storedElsewhere(query)).map(([oid, rows]) => [oid, rows]));
  return [...columns].map(([oid, rows]) => {
    const [, schema, name, kind, estimate, comment] = rows[0] ?? [];
    const parts = (keys.get(oid) ?? []).map(keyPart);
    const estimatedRows = Number(inPartitions.get(oid ?? null) ?? estimate);
    const isView = kind === 'v' || kind === 'm';
    return {
      schema: schema ?? '',
      name: name ?? '',
      kind: isView ? 'view' : 'table',
      columns: rows.map(columnOf),
      primaryKey: parts.filter(({ primary }) => primary).map(({ column }) => column),
      ...uniqueKeys(unique.get(oid) ?? []),
      foreignKeys: foreignKeys(parts, schema ?? ''),
      ...(kind === 'v' || estimatedRows < 0 ? {} : { estimatedRows }),
      ...(comment === null || comment === undefined ? {} : { comment }),
    };
  });
}
