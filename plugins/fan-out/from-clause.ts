/** Reads a FROM clause with its conditions: a plain subquery is followed to its tables, a grouped one makes its own rows. */
import type { ModelEntity } from '../semantic-layer/index.ts';
import type { CommonTable, From, Join, Select, SelectCore, Source, TableSource, With } from '../sql-kit/index.ts';
import { callsIn, isAggregate, resultsOf } from './aggregate-calls.ts';
import { readCondition } from './conditions.ts';
import { groupRows, outputsOf } from './group-key.ts';
import { RowSet, type RowSource } from './row-set.ts';
import { lower, Scope, type Visible } from './scope.ts';
import { keysOf, type TableKeys } from './table-keys.ts';

/** Common tables by name with those that each can see; `undefined`: one that reads itself. */
export type CommonTables = ReadonlyMap<
  string,
  { readonly table: CommonTable; readonly seen: CommonTables } | undefined
>;

/** More sources than anybody joins: common tables that read each other twice could make any number. */
const MAX_SOURCES = 400;

/** What a source is called, and how its columns are. */
interface Naming {
  readonly alias: string;
  readonly columns: readonly string[] | undefined;
}

export function withCommonTables(clause: With | undefined, outer: CommonTables): CommonTables {
  if (clause === undefined) return outer;
  const common = new Map(outer);
  if (clause.recursive) for (const { name } of clause.tables) common.set(lower(name), undefined);
  for (const table of clause.tables) common.set(lower(table.name), { table, seen: new Map(common) });
  return common;
}

export class FromClauses {
  readonly #tables: ReadonlyMap<string, ModelEntity>;
  #sourcesLeft = MAX_SOURCES;

  /** `tables` are the entities of the connection by their tables. */
  constructor(tables: ReadonlyMap<string, ModelEntity>) {
    this.#tables = tables;
  }

  /** The sources of a SELECT. `outer`: what a lateral subquery sees. Throws a `RangeError` when there are too many. */
  read(core: SelectCore, common: CommonTables, rows = new RowSet(), outer: readonly Visible[] = []): Scope {
    const scope = new Scope(rows, outer);
    const sourceCount = rows.sources.length;
    if (core.from !== undefined) this.#from(core.from, scope, common);
    scope.sources = rows.sources.slice(sourceCount);
    for (const condition of [core.where, core.qualify]) if (condition !== undefined) readCondition(condition, scope);
    return scope;
  }

  #from({ first, joins }: From, scope: Scope, common: CommonTables): void {
    const start = scope.visible.length;
    this.#source(first, scope, common);
    for (const join of joins) {
      // They add no columns and repeat no rows.
      if (join.kind === 'SEMI JOIN' || join.kind === 'ANTI JOIN') continue;
      const [place, sourceCount] = [scope.visible.length, scope.rows.sources.length];
      this.#source(join.source, scope, common);
      const { rows } = scope;
      if (/^(?:LEFT|FULL)/.test(join.kind)) for (const one of rows.sources.slice(sourceCount)) rows.optional.add(one);
      if (/^(?:RIGHT|FULL)/.test(join.kind))
        for (const one of rows.sources.slice(0, sourceCount)) rows.optional.add(one);
      mergeColumns(join, scope.visible.slice(start, place), scope.visible.slice(place), scope);
      if (join.on !== undefined) readCondition(join.on, scope);
      if (join.asof) declareSingle(scope.rows, sourceCount);
    }
  }

  #source(source: Source, scope: Scope, common: CommonTables): void {
    if (source.kind === 'join' && source.alias === undefined) this.#from(source.from, scope, common);
    else scope.visible.push(this.#visible(source, scope, common));
  }

  #visible(source: Source, scope: Scope, common: CommonTables): Visible {
    if (source.kind === 'table') return this.#table(source, scope.rows, common);
    const naming = { alias: source.alias ?? '', columns: source.columns };
    if (source.kind !== 'subquery') return this.#opaque(naming.alias, naming.alias, scope.rows);
    return this.#subquery(source.select, naming, scope.rows, common, source.lateral === true ? scope.visible : []);
  }

  #table({ name, alias = name, schema, columns }: TableSource, rows: RowSet, common: CommonTables): Visible {
    if (schema === undefined && common.has(lower(name))) {
      const known = common.get(lower(name));
      if (known === undefined) return this.#opaque(name, alias, rows);
      const { table, seen } = known;
      const names = columns ?? (table.columns.length > 0 ? table.columns : undefined);
      return this.#subquery(table.select, { alias, columns: names }, rows, seen, []);
    }
    const entity = this.#tables.get(lower(name));
    const isOther = entity?.schema !== undefined && schema !== undefined && lower(entity.schema) !== lower(schema);
    // Columns that get new names are not followed.
    if (entity === undefined || isOther || columns !== undefined) return this.#opaque(name, alias, rows);
    const keys = keysOf(entity, this.#tables);
    return visibleRow(this.#add(rows, name, alias, keys), rows, keys.columns, keys.flags);
  }

  /** A source of which nothing is known. */
  #opaque(table: string, alias: string, rows: RowSet): Visible {
    return visibleRow(this.#add(rows, table, alias), rows);
  }

  #subquery(select: Select, naming: Naming, rows: RowSet, outer: CommonTables, lateral: readonly Visible[]): Visible {
    const { first: core, rest, limit, withTies } = select;
    const sourceCount = rows.sources.length;
    const common = withCommonTables(select.with, outer);
    let visible: Visible;
    if (core.kind !== 'core' || rest.length > 0) visible = this.#opaque(naming.alias, naming.alias, rows);
    else if (isGrouped(core)) visible = this.#grouped(core, naming, rows, common);
    else visible = visibleResult(core, naming, this.read(core, common, rows, lateral));
    if (limit?.kind === 'number' && Number(limit.value) === 1 && withTies !== true) declareSingle(rows, sourceCount);
    return visible;
  }

  #grouped(core: SelectCore, { alias, columns }: Naming, rows: RowSet, common: CommonTables): Visible {
    const inner = this.read(core, common);
    const outputs = outputsOf(core, columns);
    const source = this.#add(rows, alias, alias);
    groupRows(core, outputs, inner, { rows, source });
    return visibleRow(source, rows, new Set(outputs.keys()));
  }

  #add(rows: RowSet, table: string, alias: string, keys?: TableKeys): RowSource {
    this.#sourcesLeft -= 1;
    if (this.#sourcesLeft < 0) throw new RangeError('The statement reads too many sources.');
    return rows.add(table, alias, keys);
  }
}

/** USING and NATURAL. */
function mergeColumns({ natural, using }: Join, left: readonly Visible[], right: readonly Visible[], scope: Scope) {
  const shared = [...(right[0]?.names ?? [])].filter((name) => left.some((one) => one.has(name)));
  for (const name of natural ? shared : using.map(lower)) {
    const find = (side: readonly Visible[]) =>
      side.find((one) => one.has(name)) ?? (side.length === 1 ? side[0] : undefined);
    const [one, other] = [find(left)?.value(name), find(right)?.value(name)];
    if (one !== undefined && other !== undefined) scope.rows.equate(one.column, other.column);
    scope.merged.add(name);
  }
}

/** Declares that the sources from this place on have one row. */
function declareSingle(rows: RowSet, place: number): void {
  for (const source of rows.sources.slice(place)) rows.determine([], [rows.row(source)]);
}

const isGrouped = (core: SelectCore) =>
  core.distinct ||
  core.distinctOn !== undefined ||
  core.groupBy.length > 0 ||
  callsIn(resultsOf(core)).some(isAggregate);

/** A source with columns of its own. `names`: those that it is known to have. */
function visibleRow(
  row: RowSource,
  rows: RowSet,
  names: ReadonlySet<string> = new Set(),
  flags: ReadonlySet<string> = new Set(),
): Visible {
  return {
    name: lower(row.alias),
    names,
    has: (column) => names.has(column),
    value: (column) => ({ column: rows.column(row, column), carriers: flags.has(column) ? [] : [row] }),
  };
}

/** A subquery whose columns are those of its own sources. */
function visibleResult(core: SelectCore, { alias, columns }: Naming, scope: Scope): Visible {
  const outputs = outputsOf(core, columns);
  const stars = columns !== undefined ? [] : core.columns.filter((column) => column.kind === 'star');
  const starred = stars.flatMap(({ table, exclude, replace, rename }) => {
    if (exclude !== undefined || replace !== undefined || rename !== undefined) return [];
    return scope.visible.filter(({ name }) => table === undefined || name === lower(table));
  });
  return {
    name: lower(alias),
    has: (column) => outputs.has(column) || starred.some((one) => one.has(column)),
    value(column) {
      const expr = outputs.get(column);
      if (expr !== undefined) return scope.value(expr);
      const only = starred.length === 1 ? starred[0] : starred.find((one) => one.has(column));
      return only?.value(column);
    },
  };
}
