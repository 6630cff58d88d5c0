/** Tells which columns a name may mean, and refuses those that may not be read. */
import { type ColumnRef, type Core, fold, isOwnCatalog, type SelectCore } from '../sql-kit/index.ts';
import { type AllowedTable, type AllowedTables, isPart, listed } from './allowed-tables.ts';
import type { Relation, Scope } from './scope.ts';

/**
 * Says so when `ref` names a column that cannot be seen. What is not known is left to the engine: nothing hidden is in
 * its reach, this only makes for a better message.
 */
export function columnRefusal(ref: ColumnRef, scope: Scope): Problem | undefined {
  if (ref.table === undefined) return unqualified(ref, scope);
  const nearest = scope.relation(ref.table)?.table;
  // Most engines look further out for a relation of the name where the nearest has no such column.
  for (const { table } of scope.named(ref.table)) {
    if (table === undefined) return undefined;
    if (table.visible !== undefined && !hasColumn(table, ref.name)) continue;
    // A subquery stands in the table's place, and no subquery has a schema.
    if (isPart(table)) ref.schema = undefined;
    return undefined;
  }
  return nearest === undefined ? undefined : unseen(ref.name, [nearest]);
}

interface Problem {
  readonly what: string;
  readonly hint: string;
}

/** Looks from the innermost SELECT outwards, as the engine does, and gives up where a relation may have any column. */
function unqualified(ref: ColumnRef, start: Scope): Problem | undefined {
  const name = fold(ref.name);
  const restricted: AllowedTable[] = [];
  for (let scope: Scope | undefined = start; scope !== undefined; scope = scope.outer) {
    if (scope.relations.some(isOpen)) return undefined;
    // A relation's name stands for its whole row where the engine has rows; there is nothing in it but what is seen.
    if (scope.aliases.has(name) || scope.relations.some((relation) => relation.name === name)) return undefined;
    if (scope.relations.some(({ table }) => table !== undefined && hasColumn(table, ref.name))) return undefined;
    restricted.push(...scope.relations.flatMap(({ table }) => table ?? []));
  }
  return restricted.length === 0 ? undefined : unseen(ref.name, restricted);
}

/** Names of the columns that may be seen, as they are and in lower case. */
const visibleNames = new WeakMap<AllowedTable, ReadonlySet<string>>();

/** Whether the table is known to show a column of that name. */
export function hasColumn(table: AllowedTable, name: string): boolean {
  let names = table.visible === undefined ? table.known : visibleNames.get(table);
  if (names === undefined) {
    names = new Set(table.visible?.flatMap((column) => [column.name, fold(column.name)]));
    visibleNames.set(table, names);
  }
  return names.has(name) || names.has(fold(name));
}

/** May have columns that are not known here. */
const isOpen = ({ table }: Relation) => table?.visible === undefined;

/** Most that a hint lists. */
const MOST_COLUMNS = 100;

function unseen(name: string, tables: readonly AllowedTable[]): Problem {
  const columns = tables.flatMap((table) => (table.visible ?? []).map((column) => column.name));
  return {
    what: `Column "${name}" of ${listed(tables.map((table) => `"${table.name}"`))} cannot be read`,
    hint: `Columns that can: ${listed(columns, MOST_COLUMNS)}.`,
  };
}

/** For a name in double quotes that is no column: some engines take it for a text. */
export const textHint = ({ name }: ColumnRef) => `A text stands in single quotes: '${name.replaceAll("'", "''")}'.`;

/** Whether the column could be one of a table that is read as it stands. */
export function reachesWhole(ref: ColumnRef, start: Scope): boolean {
  if (ref.table !== undefined) return start.relation(ref.table)?.isWhole ?? false;
  for (let scope: Scope | undefined = start; scope !== undefined; scope = scope.outer) {
    if (scope.relations.some(({ isWhole }) => isWhole)) return true;
  }
  return false;
}

/** Whether the middle one of three names is a part of a column, as it is neither a table nor the schema of one. */
export function isField({ table: name }: ColumnRef, scope: Scope, { tables, dialect }: AllowedTables): boolean {
  if (name === undefined || scope.relation(name) !== undefined || fold(name) === dialect.defaultSchema) return false;
  return !tables.some(({ schema }) => schema !== undefined && fold(schema) === fold(name));
}

/** Whether `schema.table.column` is a column of the nearest relation of that name, and that is a table of the schema. */
export function isOfSchema(ref: ColumnRef, schema: string, scope: Scope, tables: AllowedTables): boolean {
  const { defaultSchema, hasSchemas, hasExactNames, hasExactTables } = tables.dialect;
  const name = ref.table ?? '';
  const table = scope.relation(name)?.table;
  if (hasSchemas && table === undefined) return false;
  // An alias may have the name of another table, which then is what is meant.
  if (table !== undefined && (tables.find(schema, name) ?? table) !== table) return false;
  const own = hasSchemas ? (table?.schema ?? defaultSchema) : defaultSchema;
  if (own === (hasExactNames || hasExactTables ? schema : fold(schema))) return true;
  return own === defaultSchema && isOwnCatalog(schema, tables.dialect);
}

/** Whether the SELECT gives the name to one of its columns. */
export const namesOwn = (core: Core, name: string) =>
  core.kind === 'core' && core.columns.some((column) => column.kind === 'column' && column.alias === name);

/** Names that the SELECT gives to its columns. */
export const ownNames = ({ columns }: SelectCore) =>
  columns.flatMap((column) =>
    column.kind === 'star' ? (column.rename ?? []).map(({ to }) => to) : (column.alias ?? []),
  );
