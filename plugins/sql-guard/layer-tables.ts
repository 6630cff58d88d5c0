/** Turns entities of the semantic layer into the tables that statements may read. */
import { expandReferences, type ModelDimension, type ModelEntity } from '../semantic-layer/index.ts';
import {
  DEFAULT_LIMITS,
  type Expr,
  fold,
  forEachPart,
  parseExpression,
  type SqlDialect,
  type VisibleColumn,
} from '../sql-kit/index.ts';
import { type AllowedTable, AllowedTables } from './allowed-tables.ts';
import { partsOf, qualify } from './row-expression.ts';

export interface LayerTables {
  readonly tables: AllowedTables;
  /** Says, one sentence each, what the layer asks for and cannot be done. */
  readonly problems: readonly string[];
}

/**
 * The tables of `entities`, which all belong to one connection. A table with a hidden or masked column shows only what
 * the layer declares of it; any other table shows everything. Entities over one table add up, and hiding wins.
 */
export function allowedTables(entities: readonly ModelEntity[], dialect: SqlDialect): LayerTables {
  const problems: string[] = [];
  const key = dialect.hasExactNames || dialect.hasExactTables ? (name: string) => name : fold;
  const byTable = new Map<string, { schema: string | undefined; name: string; entities: ModelEntity[] }>();
  for (const entity of entities) {
    const dot = entity.table.lastIndexOf('.');
    const written = entity.schema ?? (dot === -1 ? undefined : entity.table.slice(0, dot));
    const schema = written === undefined || key(written) === dialect.defaultSchema ? undefined : written;
    const name = entity.table.slice(dot + 1);
    if (schema !== undefined && !dialect.hasSchemas) {
      problems.push(`Entity "${entity.name}": ${dialect.label} has no schema "${schema}"; leave it out.`);
    }
    const id = `${key(schema ?? '')}\0${key(name)}`;
    const entry = byTable.get(id) ?? { schema, name, entities: [] };
    entry.entities.push(entity);
    byTable.set(id, entry);
  }
  const joinedOn = joinedColumns(entities);
  const tables: AllowedTable[] = [];
  for (const entry of byTable.values()) {
    const columns = new TableColumns(entry.name, entry.entities, joinedOn, dialect, problems);
    tables.push({
      schema: entry.schema,
      name: entry.name,
      entities: entry.entities.map(({ name }) => name),
      known: columns.known(),
      key: columns.key(entry.entities),
      visible: columns.visible(),
    });
  }
  return { tables: new AllowedTables(tables, dialect), problems };
}

/** The columns of each entity on which others join to it, by the entity's folded name. */
function joinedColumns(entities: readonly ModelEntity[]): ReadonlyMap<string, readonly string[]> {
  const columns = new Map<string, string[]>();
  for (const { target, on } of entities.flatMap(({ joins }) => joins)) {
    const key = fold(target);
    const known = columns.get(key) ?? [];
    known.push(...on.map(({ to }) => to));
    columns.set(key, known);
  }
  return columns;
}

/** What the layer says of one table's columns. Keys are lower-case names, values the names as written. */
class TableColumns {
  readonly #table: string;
  readonly #dialect: SqlDialect;
  readonly #problems: string[];
  readonly #declared = new Map<string, string>();
  readonly #hidden = new Set<string>();
  readonly #masks = new Map<string, Expr>();
  readonly #isRestricted: boolean;

  constructor(
    table: string,
    entities: readonly ModelEntity[],
    joinedOn: ReadonlyMap<string, readonly string[]>,
    dialect: SqlDialect,
    problems: string[],
  ) {
    this.#table = table;
    this.#dialect = dialect;
    this.#problems = problems;
    const dimensions = entities.flatMap((entity) => entity.dimensions.map((dimension) => ({ entity, dimension })));
    this.#isRestricted = dimensions.some(({ dimension }) => isProtected(dimension));
    // Plain columns first: what a computed dimension reads is hidden with it unless it is declared on its own.
    for (const { entity, dimension } of dimensions) this.#addColumn(entity, dimension);
    for (const { entity, dimension } of dimensions) this.#addComputed(entity, dimension);
    for (const entity of entities) this.#addOthers(entity, joinedOn.get(fold(entity.name)) ?? []);
  }

  /** Columns that the layer mentions, their names as they are compared. */
  known(): ReadonlySet<string> {
    return new Set(this.#dialect.hasExactNames ? this.#declared.values() : this.#declared.keys());
  }

  /** `undefined` = everything. */
  visible(): readonly VisibleColumn[] | undefined {
    if (!this.#isRestricted) return undefined;
    return Array.from(this.#declared, ([key, name]) => ({ key, name, mask: this.#masks.get(key) })).filter(
      ({ key }) => !this.#hidden.has(key),
    );
  }

  /** Columns of the primary key, as the first entity declares it that does; empty where none does. */
  key(entities: readonly ModelEntity[]): readonly string[] {
    const keys = entities.map(({ dimensions }) => dimensions.filter(({ primary_key }) => primary_key === true));
    const index = keys.findIndex((key) => key.length > 0);
    const exprs = (keys[index] ?? []).map(({ sql }) => this.#parse(entities[index]!, sql));
    const names = exprs.flatMap((expr) => (expr?.kind === 'name' ? expr.name : []));
    return names.length === exprs.length ? names : [];
  }

  /** A dimension that is a column as it stands. */
  #addColumn(entity: ModelEntity, dimension: ModelDimension): void {
    const expr = this.#parse(entity, dimension.sql);
    if (expr?.kind !== 'name') return;
    const [name] = partsOf(expr, this.#table, this.#dialect) as [string];
    const key = fold(name);
    this.#note(name);
    const isPart = name !== expr.name;
    if (isPart && isProtected(dimension)) {
      this.#hidden.add(key);
      this.#problems.push(`All of "${name}" is hidden: "${entity.name}.${dimension.name}" is a part of its values.`);
    } else if (dimension.hidden === true) this.#hidden.add(key);
    else if (dimension.mask !== undefined) this.#addMask(entity, dimension, key);
  }

  /** A mask that cannot be used hides its column. */
  #addMask(entity: ModelEntity, dimension: ModelDimension, key: string): void {
    const mask = this.#parse(entity, dimension.mask ?? '');
    const hides = mask !== undefined && this.#dialect.hidesValues?.(mask) !== false;
    if (hides && qualify(mask, this.#table, this.#dialect)) {
      this.#masks.set(key, mask);
      return;
    }
    this.#hidden.add(key);
    const what = `the mask of "${entity.name}.${dimension.name}" is not an expression over the row's own columns with allowed functions${hides ? '' : ', and what it makes NULL could be read'}`;
    this.#problems.push(`The column is hidden, because ${what}: ${dimension.mask}`);
  }

  /** The columns that a computed dimension reads. */
  #addComputed(entity: ModelEntity, dimension: ModelDimension): void {
    const expr = this.#parse(entity, dimension.sql);
    if (expr === undefined) {
      if (isProtected(dimension)) {
        this.#problems.push(
          `The "sql" of "${entity.name}.${dimension.name}" cannot be read, so only its name is hidden.`,
        );
      }
      return;
    }
    if (expr.kind === 'name') return;
    for (const name of this.#columnsOf(expr)) {
      if (!isProtected(dimension)) this.#note(name);
      else if (!this.#declared.has(fold(name))) {
        this.#note(name);
        this.#hidden.add(fold(name));
      }
    }
  }

  /** Columns that only measures, segments and joins mention. */
  #addOthers(entity: ModelEntity, joinedOn: readonly string[]): void {
    for (const { sql } of [...entity.measures, ...entity.segments]) {
      const expr = sql === undefined ? undefined : this.#parse(entity, sql);
      if (expr !== undefined) for (const name of this.#columnsOf(expr)) this.#note(name);
    }
    const dimensions = new Set(entity.dimensions.map(({ name }) => fold(name)));
    const keys = [...entity.joins.flatMap(({ on }) => on.map(({ from }) => from)), ...joinedOn];
    for (const name of keys) if (!dimensions.has(fold(name))) this.#note(name);
  }

  /** Names of the columns that an expression reads, subqueries aside. */
  #columnsOf(expr: Expr): string[] {
    const names: string[] = [];
    forEachPart([expr], (part) => {
      if (part.kind === 'name') names.push(...partsOf(part, this.#table, this.#dialect).slice(0, 1));
    });
    return names;
  }

  #note(name: string): void {
    const key = fold(name);
    if (!this.#declared.has(key)) this.#declared.set(key, name);
  }

  /** `undefined` where the guard cannot read it: the engine may, but then nothing follows from it here. */
  #parse(entity: ModelEntity, sql: string): Expr | undefined {
    try {
      return parseExpression(expandReferences(sql, entity.dimensions), this.#dialect, DEFAULT_LIMITS);
    } catch {
      return undefined;
    }
  }
}

const isProtected = ({ hidden, mask }: ModelDimension) => hidden === true || mask !== undefined;
