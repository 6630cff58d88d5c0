import type {
  Call,
  ColumnRef,
  Core,
  Expr,
  From,
  FunctionSource,
  In,
  Select,
  Source,
  Star,
  TableSource,
} from './ast.ts';
import { columnRefusal } from './columns.ts';
import { fold, type SqlDialect } from './dialect.ts';
import { positionAt, type RefusalRule, SqlRefusal } from './errors.ts';
import { argumentProblem, functionHint } from './functions.ts';
import { CommonNames, Scope } from './scope.ts';
import { type AllowedTable, type AllowedTables, tableHint } from './tables.ts';
import { visiblePart } from './visible.ts';
import { forEachInWindow, forEachOperand, forEachTerm } from './walk.ts';

/** No engine joins more at once than a few dozen; it keeps the look-up of names cheap. */
const MAX_RELATIONS = 128;

export interface ResolveRules {
  readonly dialect: SqlDialect;
  readonly tables: AllowedTables;
  /** Functions allowed besides the dialect's, lower case. */
  readonly extraFunctions: ReadonlySet<string>;
}

/** What a statement reads and calls. */
export interface Footprint {
  readonly tables: ReadonlySet<AllowedTable>;
  /** `table.column`, as far as names alone tell; `table.*` for all of them. */
  readonly columns: ReadonlySet<string>;
  readonly functions: ReadonlySet<string>;
}

/**
 * Finds the meaning of every relation and function in the statement and refuses what is not allowed. A table of which
 * only a part may be seen is replaced, in place, by the subquery of that part. Throws `SqlRefusal`.
 */
export function resolve(text: string, statement: Select, rules: ResolveRules): Footprint {
  const resolver = new Resolver(text, rules);
  resolver.select(statement, undefined, undefined);
  return resolver;
}

class Resolver implements Footprint {
  readonly tables = new Set<AllowedTable>();
  readonly columns = new Set<string>();
  readonly functions = new Set<string>();
  private readonly text: string;
  private readonly rules: ResolveRules;

  constructor(text: string, rules: ResolveRules) {
    this.text = text;
    this.rules = rules;
  }

  select(select: Select, outer: Scope | undefined, around: CommonNames | undefined): void {
    const common = this.with(select, outer, around);
    let scope = this.core(select.first, outer, common);
    for (const { core } of select.rest) this.core(core, outer, common);
    if (select.rest.length > 0) {
      // ORDER BY of a set operation names result columns, and those of any of its parts.
      scope = new Scope(outer, common);
      scope.add('', undefined);
    }
    forEachTerm(select.orderBy, (expr) => this.expr(expr, scope));
    if (select.limit !== undefined) this.expr(select.limit, scope);
    if (select.offset !== undefined) this.expr(select.offset, scope);
  }

  /** The tables of one WITH see each other and themselves, in whatever order they are written. */
  private with(select: Select, outer: Scope | undefined, around: CommonNames | undefined): CommonNames | undefined {
    if (select.with === undefined) return around;
    const { tables } = select.with;
    const common = new CommonNames(
      tables.map(({ name }) => name),
      around,
    );
    for (const table of tables) {
      if (this.rules.dialect.isSystemName(fold(table.name))) {
        throw this.refuse('table', `"${table.name}" is a name of the engine itself`, table.at, 'Choose another name.');
      }
      this.select(table.select, outer, common);
    }
    return common;
  }

  private core(core: Core, outer: Scope | undefined, common: CommonNames | undefined): Scope {
    const scope = new Scope(outer, common);
    const visit = (expr: Expr) => this.expr(expr, scope);
    if (core.kind === 'values') {
      for (const row of core.rows) row.forEach(visit);
      return scope;
    }
    if (core.from !== undefined) this.from(core.from, scope);
    for (const column of core.columns) {
      if (column.kind === 'column' && column.alias !== undefined) scope.aliases.add(fold(column.alias));
    }
    for (const column of core.columns) {
      if (column.kind === 'column') visit(column.expr);
      else this.star(column, scope);
    }
    if (core.where !== undefined) visit(core.where);
    core.groupBy.forEach(visit);
    if (core.having !== undefined) visit(core.having);
    for (const { window } of core.windows) forEachInWindow(window, visit);
    return scope;
  }

  // ── relations ───────────────────────────────────────────────────────────────────────────────────────────────────

  private from(from: From, scope: Scope): void {
    from.first = this.source(from.first, scope);
    for (const join of from.joins) {
      join.source = this.source(join.source, scope);
      if (scope.relations.length > MAX_RELATIONS) {
        throw this.refuse(
          'size',
          `More than ${MAX_RELATIONS} tables in one FROM`,
          join.source.at,
          'Join fewer tables.',
        );
      }
    }
    for (const join of from.joins) if (join.on !== undefined) this.expr(join.on, scope);
  }

  /** What stands in the source's place. */
  private source(source: Source, scope: Scope): Source {
    switch (source.kind) {
      case 'table':
        return this.table(source, scope);
      case 'function':
        scope.add(source.alias ?? source.name, undefined);
        this.tableFunction(source, scope);
        return source;
      case 'subquery':
        // It sees what is around the SELECT, not its neighbours in FROM.
        this.select(source.select, scope.outer, scope.common);
        scope.add(source.alias ?? '', undefined);
        return source;
      case 'join':
        if (source.alias !== undefined) scope.add(source.alias, undefined);
        this.from(source.from, scope);
        return source;
    }
  }

  private table(source: TableSource, scope: Scope): Source {
    const { schema, name } = source;
    if (schema === undefined && scope.common?.has(name)) {
      scope.add(source.alias ?? name, undefined);
      return source;
    }
    const { dialect, tables } = this.rules;
    const table = dialect.isSystemName(fold(name)) ? undefined : tables.find(schema ?? dialect.defaultSchema, name);
    if (table === undefined) {
      const written = schema === undefined ? name : `${schema}.${name}`;
      const { suffix, hint } = tableHint(name, tables);
      throw this.refuse('table', `Table "${written}" is not in the semantic layer${suffix}`, source.at, hint);
    }
    this.tables.add(table);
    scope.add(source.alias ?? name, table);
    if (table.visible === undefined) return source;
    if (table.visible.length === 0) {
      throw this.refuse('column', `None of the columns of "${table.name}" can be read`, source.at, undefined);
    }
    for (const { mask } of table.visible) if (mask !== undefined) this.addFunctionsOf(mask);
    return visiblePart(source, table, table.visible);
  }

  /** A mask was checked with the layer; the engine's own check must expect what it calls. */
  private addFunctionsOf(mask: Expr): void {
    if (mask.kind === 'call') this.functions.add(fold(mask.name));
    forEachOperand(mask, (operand) => this.addFunctionsOf(operand));
  }

  private tableFunction(source: FunctionSource, scope: Scope): void {
    const name = fold(source.name);
    if (source.schema !== undefined || !this.rules.dialect.tableFunctions.has(name)) {
      const allowed = [...this.rules.dialect.tableFunctions].join(', ');
      throw this.refuse(
        'function',
        `Table function "${source.name}" is not allowed`,
        source.at,
        `Allowed: ${allowed}.`,
      );
    }
    this.functions.add(name);
    for (const arg of source.args) this.expr(arg, scope);
  }

  // ── expressions ─────────────────────────────────────────────────────────────────────────────────────────────────

  private expr(expr: Expr, scope: Scope): void {
    if (expr.kind === 'name') this.column(expr, scope);
    else if (expr.kind === 'scalar' || expr.kind === 'exists') this.select(expr.select, scope, scope.common);
    else {
      if (expr.kind === 'in') this.in(expr, scope);
      else if (expr.kind === 'call') this.call(expr);
      else if (expr.kind === 'like') this.callable(expr.operator, expr.at);
      forEachOperand(expr, (operand) => this.expr(operand, scope));
    }
  }

  private in(expr: In, scope: Scope): void {
    const { set } = expr;
    if (set.kind === 'subquery') this.select(set.select, scope, scope.common);
    else if (set.kind !== 'list') {
      // `IN table` reads all of the table, as a subquery of its own would.
      const inner = new Scope(scope, scope.common);
      const source = this.source(set, inner);
      expr.set = source.kind === 'subquery' ? { ...source, alias: undefined } : source;
      this.star({ kind: 'star', at: set.at, table: undefined }, inner);
    }
  }

  /** Refuses by name, and arguments that make a harmless function allocate without bound. */
  private call(expr: Call): void {
    this.callable(expr.name, expr.at);
    const problem = argumentProblem(expr);
    if (problem !== undefined) throw this.refuse('function', problem.what, expr.at, problem.hint);
  }

  private callable(written: string, at: number): void {
    const name = fold(written);
    const { dialect, extraFunctions } = this.rules;
    if (!dialect.functions.has(name) && !extraFunctions.has(name)) {
      throw this.refuse('function', `Function "${written}" is not allowed`, at, functionHint(name, dialect));
    }
    this.functions.add(name);
  }

  // ── columns ─────────────────────────────────────────────────────────────────────────────────────────────────────

  private column(ref: ColumnRef, scope: Scope): void {
    if (ref.schema !== undefined && fold(ref.schema) !== this.rules.dialect.defaultSchema) {
      throw this.refuse('table', `Schema "${ref.schema}" cannot be read`, ref.at, 'Leave the schema out.');
    }
    const refusal = columnRefusal(ref, scope, this.columns);
    if (refusal !== undefined) throw this.refuse('column', refusal.what, ref.at, refusal.hint);
  }

  /** Notes what `*` reads; the rewriting of the tables has already decided what that is. */
  private star(star: Star, scope: Scope): void {
    const relations =
      star.table === undefined
        ? scope.relations
        : [scope.relation(star.table)].filter((relation) => relation !== undefined);
    for (const { table } of relations) {
      if (table === undefined) continue;
      for (const name of table.visible?.map((column) => column.name) ?? ['*'])
        this.columns.add(`${table.name}.${name}`);
    }
  }

  private refuse(rule: RefusalRule, what: string, at: number, hint: string | undefined): SqlRefusal {
    return new SqlRefusal(rule, what, positionAt(this.text, at), hint);
  }
}
