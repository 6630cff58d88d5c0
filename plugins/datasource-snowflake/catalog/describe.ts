/** Reads tables, views and columns from each database's `INFORMATION_SCHEMA`, and keys by `SHOW`. */
import type { TableColumn, TableDescription } from '../../../kernel/index.ts';
import { snowflake } from '../dialect.ts';
import { SnowflakeFault } from '../wire/fault.ts';

const { quoteName, text } = snowflake.rendering;

/** A row of an answer by the names of its columns. */
export type Row = Readonly<Record<string, string | null | undefined>>;

/** All rows of an answer that is known to be short. */
export type Ask = (sql: string) => Promise<readonly Row[]>;

interface Place {
  readonly database: string;
  readonly schema: string;
}

/** What does not exist, or may not be seen. */
const NOT_FOUND = new Set(['002003', '002043']);

/** `schemas`: further ones that statements name, those of other databases as `database.schema`. */
export async function describeSchemas(ask: Ask, place: Place, schemas: readonly string[]): Promise<TableDescription[]> {
  const places = new Map([place, ...schemas.map((name) => placeOf(name, place))].map((one) => [nameOf(one), one]));
  const described: TableDescription[] = [];
  for (const one of places.values()) {
    const tables = describeSchema(ask, one, place.database).catch((error: unknown) => {
      // A rule may name the schema of another connection.
      if (one !== place && error instanceof SnowflakeFault && NOT_FOUND.has(error.code)) return [];
      throw error;
    });
    described.push(...(await tables));
  }
  return described;
}

function placeOf(name: string, { database }: Place): Place {
  const [first = '', second] = name.split('.');
  return second === undefined ? { database, schema: first } : { database: first, schema: second };
}

const nameOf = ({ database, schema }: Place) => `${database}.${schema}`;

async function describeSchema(ask: Ask, place: Place, own: string): Promise<TableDescription[]> {
  const information = `${quoteName(place.database)}.INFORMATION_SCHEMA`;
  const where = `WHERE TABLE_SCHEMA = ${text(place.schema)}`;
  const tables = await ask(
    `SELECT TABLE_NAME, TABLE_TYPE, ROW_COUNT, COMMENT FROM ${information}.TABLES ${where} ORDER BY TABLE_NAME`,
  );
  const columns = Map.groupBy(
    await ask(
      `SELECT TABLE_NAME, COLUMN_NAME, DATA_TYPE, NUMERIC_PRECISION, NUMERIC_SCALE, IS_NULLABLE, COMMENT FROM ${information}.COLUMNS ${where} ORDER BY TABLE_NAME, ORDINAL_POSITION`,
    ),
    ({ TABLE_NAME: table }) => table,
  );
  const keys = await keysOf(ask, place);
  return tables.map(({ TABLE_NAME: name, TABLE_TYPE: type, ROW_COUNT: rows, COMMENT: comment }) => ({
    schema: place.database === own ? place.schema : nameOf(place),
    name: String(name),
    kind: /VIEW/.test(String(type)) ? ('view' as const) : ('table' as const),
    columns: (columns.get(name) ?? []).map(columnOf),
    primaryKey: keys.primary.get(name)?.[0] ?? [],
    ...(keys.unique.has(name) && { uniqueKeys: keys.unique.get(name) ?? [] }),
    foreignKeys: keys.foreign.get(name) ?? [],
    ...(rows !== null && rows !== undefined && { estimatedRows: Number(rows) }),
    ...(comment && { comment }),
  }));
}

function columnOf(row: Row): TableColumn {
  const {
    COLUMN_NAME: name,
    DATA_TYPE: type,
    NUMERIC_PRECISION: precision,
    NUMERIC_SCALE: scale,
    COMMENT: comment,
  } = row;
  return {
    name: String(name),
    type: type === 'NUMBER' ? `NUMBER(${precision ?? 38},${scale ?? 0})` : String(type),
    nullable: row.IS_NULLABLE !== 'NO',
    ...(comment && { comment }),
  };
}

type Names = readonly string[];
type Keys = ReadonlyMap<string | null | undefined, readonly Names[]>;

/** Keys that are declared; Snowflake enforces none of them. What may not be shown has none. */
async function keysOf(ask: Ask, place: Place) {
  const within = `IN SCHEMA ${quoteName(place.database)}.${quoteName(place.schema)}`;
  const shown = (what: string) => ask(`SHOW ${what} ${within}`).catch(() => []);
  const grouped = (rows: readonly Row[]): Keys =>
    new Map(
      Array.from(
        Map.groupBy(rows, ({ table_name: table }) => table),
        ([table, all]) => [
          table,
          Array.from(Map.groupBy(all, (row) => row.constraint_name).values(), (key) =>
            inOrder(key).map(({ column_name: column }) => String(column)),
          ),
        ],
      ),
    );
  const imported = (await shown('IMPORTED KEYS')).filter((row) => row.pk_database_name === place.database);
  const foreign = Map.groupBy(imported, (row) => row.fk_table_name);
  return {
    primary: grouped(await shown('PRIMARY KEYS')),
    unique: grouped(await shown('UNIQUE KEYS')),
    foreign: new Map(Array.from(foreign, ([table, all]) => [table, referencesIn(all, place)])),
  };
}

const inOrder = (rows: readonly Row[]) => rows.toSorted((a, b) => Number(a.key_sequence) - Number(b.key_sequence));

function referencesIn(rows: readonly Row[], place: Place): TableDescription['foreignKeys'] {
  return Array.from(Map.groupBy(rows, (row) => row.fk_name).values(), (key) => {
    const [first] = key;
    const table = String(first?.pk_table_name);
    return {
      columns: inOrder(key).map((row) => String(row.fk_column_name)),
      table: first?.pk_schema_name === place.schema ? table : `${first?.pk_schema_name}.${table}`,
      references: inOrder(key).map((row) => String(row.pk_column_name)),
    };
  });
}
