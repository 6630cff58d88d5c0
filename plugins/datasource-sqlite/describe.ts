/** Tables, columns and keys of the main database in a constant number of catalogue queries. */
import type { Database } from 'better-sqlite3';
import type { TableDescription } from '../../kernel/index.ts';

interface TableRow {
  readonly name: string;
  readonly type: 'table' | 'view' | 'virtual';
  readonly withoutRowid: number;
}

interface ColumnRow {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly notNull: number;
  /** Position in the primary key, from 1; 0 outside it. */
  readonly key: number;
}

interface ForeignKeyRow {
  readonly table: string;
  readonly id: number;
  readonly target: string;
  readonly from: string;
  /** `null`: the target's primary key. */
  readonly to: string | null;
}

/** Neither SQLite's own tables nor those in which a virtual table keeps its data. */
const USER_TABLES = `FROM pragma_table_list t WHERE t.schema = 'main' AND t.type <> 'shadow' AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`;

const COLUMNS = `SELECT l.name AS "table", c.name, c.type, c."notnull" AS "notNull", c.pk AS "key"
  FROM (SELECT t.name, t.type ${USER_TABLES}) l JOIN pragma_table_xinfo(l.name, 'main') c WHERE c.hidden <> 1`;

const FOREIGN_KEYS = `SELECT l.name AS "table", f.id, f."table" AS target, f."from", f."to"
  FROM (SELECT t.name, t.type ${USER_TABLES}) l JOIN pragma_foreign_key_list(l.name, 'main') f
  WHERE l.type = 'table' ORDER BY l.name, f.id, f.seq`;

interface UniqueRow {
  readonly table: string;
  readonly index: string;
  /** `null`: an expression. */
  readonly column: string | null;
}

/** The columns of unique keys other than the primary one that cover all rows. */
const UNIQUE = `SELECT l.name AS "table", i.name AS "index", c.name AS "column"
  FROM (SELECT t.name, t.type ${USER_TABLES}) l JOIN pragma_index_list(l.name, 'main') i JOIN pragma_index_info(i.name, 'main') c
  WHERE l.type = 'table' AND i."unique" = 1 AND i.partial = 0 AND i.origin <> 'pk' ORDER BY l.name, i.seq DESC, c.seqno`;

function groupByTable<T extends { readonly table: string }>(rows: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const group = groups.get(row.table);
    if (group === undefined) groups.set(row.table, [row]);
    else group.push(row);
  }
  return groups;
}

/** A view over a dropped table makes the joined query fail as a whole: then views are read one by one. */
function columnsOf(db: Database, tables: readonly TableRow[]): Map<string, ColumnRow[]> {
  const order = ' ORDER BY l.name, c.cid';
  const ofTables = db.prepare<[], ColumnRow>(`${COLUMNS} AND l.type <> 'view'${order}`).all();
  try {
    return groupByTable([...ofTables, ...db.prepare<[], ColumnRow>(`${COLUMNS} AND l.type = 'view'${order}`).all()]);
  } catch {
    const one = db.prepare<[string], ColumnRow>(`${COLUMNS} AND l.type = 'view' AND l.name = ?${order}`);
    const ofViews = tables.flatMap(({ name, type }) => {
      try {
        return type === 'view' ? one.all(name) : [];
      } catch {
        return [];
      }
    });
    return groupByTable([...ofTables, ...ofViews]);
  }
}

/** Row counts that ANALYZE left behind; none without it. */
function estimates(db: Database): Map<string, number> {
  const analysed = db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_stat1'`).get();
  if (analysed === undefined) return new Map();
  const rows = db
    .prepare<[], { tbl: string; rows: number }>(
      'SELECT tbl, max(CAST(stat AS INTEGER)) AS rows FROM sqlite_stat1 GROUP BY tbl',
    )
    .all();
  return new Map(rows.map(({ tbl, rows }) => [tbl, rows]));
}

const keyOf = (columns: readonly ColumnRow[]): string[] =>
  columns
    .filter((column) => column.key > 0)
    .sort((a, b) => a.key - b.key)
    .map((column) => column.name);

function uniqueKeys(rows: readonly UniqueRow[]): Pick<TableDescription, 'uniqueKeys'> {
  const keys = [...Map.groupBy(rows, ({ index }) => index).values()]
    .map((key) => key.map(({ column }) => column))
    .filter((key): key is string[] => key.every((column) => column !== null));
  return keys.length === 0 ? {} : { uniqueKeys: keys };
}

/** A view that cannot be read any more is left out. */
export function describeSchema(db: Database): TableDescription[] {
  const tables = db
    .prepare<[], TableRow>(`SELECT t.name, t.type, t.wr AS withoutRowid ${USER_TABLES} ORDER BY t.name`)
    .all();
  const columns = columnsOf(db, tables);
  const foreignKeys = groupByTable(db.prepare<[], ForeignKeyRow>(FOREIGN_KEYS).all());
  const unique = groupByTable(db.prepare<[], UniqueRow>(UNIQUE).all());
  const rowCounts = estimates(db);
  const keys = new Map([...columns].map(([table, list]) => [table.toLowerCase(), keyOf(list)]));

  return tables.flatMap(({ name, type, withoutRowid }) => {
    const list = columns.get(name);
    if (list === undefined) return [];
    const primaryKey = keys.get(name.toLowerCase()) ?? [];
    const rowid = primaryKey.length === 1 && withoutRowid === 0;
    // Only a rowid alias or a WITHOUT ROWID table keeps nulls out of its key.
    const required = (column: ColumnRow) =>
      column.notNull === 1 || (column.key > 0 && (withoutRowid === 1 || (rowid && /^integer$/i.test(column.type))));
    const groups = Map.groupBy(foreignKeys.get(name) ?? [], (key) => key.id);
    const estimatedRows = rowCounts.get(name);
    return [
      {
        name,
        kind: type === 'view' ? ('view' as const) : ('table' as const),
        columns: list.map((column) => ({ name: column.name, type: column.type, nullable: !required(column) })),
        primaryKey,
        ...uniqueKeys(unique.get(name) ?? []),
        foreignKeys: [...groups.values()].map((parts) => {
          const table = parts[0]?.target ?? '';
          const target = keys.get(table.toLowerCase()) ?? [];
          return {
            columns: parts.map((part) => part.from),
            table,
            references: parts.map((part, index) => part.to ?? target[index] ?? ''),
          };
        }),
        ...(estimatedRows === undefined ? {} : { estimatedRows }),
      },
    ];
  });
}
