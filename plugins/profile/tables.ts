/** Finds the tables of a layer in the databases. */
import {
  type ConnectionInfo,
  datasourceDescribe,
  datasourceList,
  type PluginContext,
  type Scope,
  type TableDescription,
} from '../../kernel/index.ts';
import { tenantTables } from '../profile-kit/index.ts';
import type { MeasuredTable } from '../semantic-layer/index.ts';
import { dialectOf, type SqlDialect } from '../sql-kit/index.ts';

/** A table that can be measured. */
export interface FoundTable {
  readonly measured: MeasuredTable;
  /** As the database describes it, with the schema that the layer writes. */
  readonly table: TableDescription;
  readonly connection: ConnectionInfo;
  readonly dialect: SqlDialect;
}

export interface FoundTables {
  readonly found: readonly FoundTable[];
  /** Tables of databases that do not answer: nothing follows of them. */
  readonly unknown: readonly MeasuredTable[];
}

/** Schemas in which unqualified names are looked up when the connection names none. */
const DEFAULT_SCHEMAS: readonly (string | undefined)[] = [undefined, 'public', 'main'];

export interface Search {
  /** Aborts when the search is to end. */
  readonly signal: AbortSignal;
  /** A scope for each database: one that takes too long ends its own. */
  scopeOf(): Scope;
  failed(what: string, error: unknown): void;
}

/** The tables that the databases have, without those of tenants. Rejects once the signal aborts. */
export async function findTables(
  ctx: PluginContext,
  tables: readonly MeasuredTable[],
  { signal, scopeOf, failed }: Search,
): Promise<FoundTables> {
  const connections = (await ctx.call(datasourceList, undefined, scopeOf())).map(({ value }) => value);
  const usual = connections.find(({ id }) => id === 'default') ?? connections[0];
  const found: FoundTable[] = [];
  const unknown: MeasuredTable[] = [];
  for (const [id, same] of Map.groupBy(tables, ({ connection }) => connection)) {
    const connection = id === undefined ? usual : connections.find((one) => one.id === id);
    if (connection === undefined) continue;
    const scope = scopeOf();
    try {
      const dialect = await dialectOf(ctx, connection.dbType, scope);
      if (dialect.isBilled) continue;
      await dialect.load?.();
      const schemas = [...new Set(same.flatMap(({ schema }) => schema ?? []))];
      const described = await ctx.callKey(datasourceDescribe, connection.key ?? connection.id, { schemas }, scope);
      const tenants = tenantTables(described);
      const byPlace = tablesByPlace(described);
      for (const measured of same) {
        const table = tableOf(measured, byPlace, connection);
        if (table !== undefined && !tenants.has(table.name)) found.push({ measured, table, connection, dialect });
      }
    } catch (error) {
      failed(`connection ${connection.id}`, error);
      signal.throwIfAborted();
      unknown.push(...same);
    }
  }
  return { found, unknown };
}

const placeOf = (schema: string | undefined, name: string) => JSON.stringify([schema ?? null, name]);

/** By schema and name, exactly and in lower case; the first in another case wins. */
function tablesByPlace(described: readonly TableDescription[]): ReadonlyMap<string, TableDescription> {
  const exact = described.map((one) => [placeOf(one.schema, one.name), one] as const);
  return new Map([...exact.map(([place, one]) => [place.toLowerCase(), one] as const).reverse(), ...exact]);
}

/** The exact name goes before one in another case. */
function tableOf(
  { schema, table }: MeasuredTable,
  byPlace: ReadonlyMap<string, TableDescription>,
  connection: ConnectionInfo,
): TableDescription | undefined {
  const own = connection.schema === undefined ? DEFAULT_SCHEMAS : [connection.schema, undefined];
  const schemas = schema === undefined ? own : [schema, ...(own.includes(schema) ? [undefined] : [])];
  const places = schemas.map((one) => placeOf(one, table));
  const place = [...places, ...places.map((one) => one.toLowerCase())].find((one) => byPlace.has(one));
  if (place === undefined) return undefined;
  const { schema: _, ...rest } = byPlace.get(place)!;
  return { ...rest, ...(schema !== undefined && { schema }) };
}
