/** Reads tables, views and columns from each catalog's `information_schema`, and sizes from the connectors' statistics. */
import type { TableColumn, TableDescription } from '../../../kernel/index.ts';
import { trino } from '../dialect.ts';
import { TrinoFault } from '../wire/fault.ts';

const { quoteName, text } = trino.rendering;

/** Rows of an answer that is known to be short. */
export type Query = (sql: string) => Promise<(readonly unknown[])[]>;

interface Place {
  readonly catalog: string;
  readonly schema: string;
}

/** Time for the sizes of a schema, one question a table: some connectors look through files to tell them. */
const SIZES_MS = 5_000;

/** `schemas`: further ones that statements name, those of other catalogs as `catalog.schema`. */
export async function describeSchemas(
  query: Query,
  place: Place,
  schemas: readonly string[],
): Promise<TableDescription[]> {
  const places = new Map([place, ...schemas.map((name) => placeOf(name, place))].map((one) => [nameOf(one), one]));
  const described: TableDescription[] = [];
  for (const one of places.values()) {
    const tables = describeSchema(query, one, place.catalog).catch((error: unknown) => {
      // A rule may name the schema of another connection.
      if (error instanceof TrinoFault && error.kind === 'CATALOG_NOT_FOUND') return [];
      throw error;
    });
    described.push(...(await tables));
  }
  return described;
}

function placeOf(name: string, { catalog }: Place): Place {
  const [first = '', second] = name.toLowerCase().split('.');
  return second === undefined ? { catalog, schema: first } : { catalog: first, schema: second };
}

const nameOf = ({ catalog, schema }: Place) => `${catalog}.${schema}`;

async function describeSchema(query: Query, place: Place, own: string): Promise<TableDescription[]> {
  const information = `${quoteName(place.catalog)}.information_schema`;
  const where = `WHERE table_schema = ${text(place.schema)}`;
  const tables = await query(`SELECT table_name, table_type FROM ${information}.tables ${where} ORDER BY table_name`);
  const columns = Map.groupBy(
    await query(
      `SELECT table_name, column_name, data_type, is_nullable FROM ${information}.columns ${where} ORDER BY table_name, ordinal_position`,
    ),
    ([table]) => String(table),
  );
  const schema = place.catalog === own ? place.schema : nameOf(place);
  const described = [];
  const until = performance.now() + SIZES_MS;
  for (const [name, type] of tables.map((row) => row.map(String))) {
    const isView = type === 'VIEW';
    const rows = isView || performance.now() > until ? undefined : await sizeOf(query, place, name ?? '');
    described.push({
      schema,
      name: name ?? '',
      kind: isView ? ('view' as const) : ('table' as const),
      columns: (columns.get(name ?? '') ?? []).map(columnOf),
      primaryKey: [],
      foreignKeys: [],
      ...(rows !== undefined && { estimatedRows: rows }),
    });
  }
  return described;
}

const columnOf = ([, name, type, nullable]: readonly unknown[]): TableColumn => ({
  name: String(name),
  type: String(type),
  nullable: nullable !== 'NO',
});

/** The row count stands in the one row of `SHOW STATS` that is of no column; connectors without statistics have none. */
async function sizeOf(query: Query, { catalog, schema }: Place, table: string): Promise<number | undefined> {
  const name = [catalog, schema, table].map(quoteName).join('.');
  const stats = await query(`SHOW STATS FOR ${name}`).catch(() => []);
  const [, , , , rows] = stats.find(([column]) => column === null) ?? [];
  return rows === null || rows === undefined || !Number.isFinite(Number(rows)) ? undefined : Math.round(Number(rows));
}
