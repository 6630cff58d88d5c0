/** Resolves the names of a statement, and refuses what may not be read or called. */
import { messageOf } from '../../kernel/index.ts';
import {
  type Call,
  type ColumnRef,
  type Core,
  type Expr,
  type Form,
  type From,
  type FunctionSource,
  fold,
  forEachInWindow,
  forEachOperand,
  forEachTerm,
  type In,
  type Join,
  positionAt,
  type RefusalRule,
  type Select,
  type SelectSource,
  type Source,
  SqlRefusal,
  type TableSource,
} from '../sql-kit/index.ts';
import type { AccessedObjects, ResolveRules } from './accessed-objects.ts';
import { type AllowedTable, isPart, tableHint } from './allowed-tables.ts';
import { columnRefusal, isField, isOfSchema, namesOwn, ownNames, reachesWhole, textHint } from './column-access.ts';
import { functionHint } from './function-hint.ts';
import { ReadColumns } from './read-columns.ts';
import { lastUnion, unwrapped } from './recursive-union.ts';
import { CommonNames, Scope, showsLeftOnly } from './scope.ts';
import { VisibleParts } from './visible-subqueries.ts';

/** No engine joins more at once than a few dozen; it keeps the look-up of names cheap. */
const MAX_RELATIONS = 128;
/** Each may print as a subquery with every column and condition of its table, or add to the names in sight. */
const MAX_TABLES = 500;

/**
 * Finds the meaning of every relation and function in the statement and refuses what is not allowed. A table of which
 * only a part may be seen is replaced, in place, by the subquery of that part. Throws `SqlRefusal`.
 */
export function resolve(text: string, statement: Select, rules: ResolveRules): AccessedObjects {
  const resolver = new Resolver(text, rules);
  resolver.select(statement, undefined, undefined);
  return resolver;
}

class Resolver implements AccessedObjects {
  readonly tables = new Set<AllowedTable>();
  readonly columns: ReadColumns;
  readonly functions = new Set<string>();
  /** Names in the whole statement, in lower case. */
  readonly #commonTableNames = new Set<string>();
  /** Names of the recursive common tables around what is read now, in lower case. */
  readonly #recursiveNames = new Set<string>();
  /** How often the statement names a table of the database, or defines a common one. */
  #tableCount = 0;
  readonly #parts: VisibleParts;
  readonly #text: string;
  readonly #rules: ResolveRules;

  constructor(text: string, rules: ResolveRules) {
    this.#text = text;
    this.#rules = rules;
    this.columns = new ReadColumns(rules.dialect);
    this.#parts = new VisibleParts(text, rules.tables);
  }

  /** `recursive`: the common tables that the SELECT of a common table sees to the right of its last UNION. */
  select(
    select: Select,
    outer: Scope | undefined,
    around: CommonNames | undefined,
    recursive: CommonNames | undefined = around,
  ): void {
    const common = this.#with(select, outer, around);
    const own = select.with?.tables.map(({ name }) => name) ?? [];
    const right = recursive === around ? common : new CommonNames(own, recursive, this.#rules.dialect);
    const turn = lastUnion(select);
    let scope = this.#core(select.first, outer, common);
    for (const [index, { core }] of select.rest.entries()) this.#core(core, outer, index < turn ? common : right);
    if (select.rest.length > 0) {
      // ORDER BY of a set operation names result columns, and those of any of its parts.
      scope = new Scope(outer, common);
      scope.add('', undefined);
    }
    forEachTerm(select.orderBy, (expr) => {
      // A name that the SELECT gives to one of its columns is that column.
      const isOwn = expr.kind === 'name' && expr.table === undefined && namesOwn(select.first, expr.name);
      if (!isOwn) this.#expr(expr, scope);
    });
    if (select.limit !== undefined) this.#expr(select.limit, scope);
    if (select.offset !== undefined) this.#expr(select.offset, scope);
  }

  /** The tables of one WITH see each other and themselves, in whatever order they are written; or in that order. */
  #with(select: Select, outer: Scope | undefined, around: CommonNames | undefined): CommonNames | undefined {
    if (select.with === undefined) return around;
    const { tables, recursive } = select.with;
    const { hasOrderedWith, recursion } = this.#rules.dialect;
    const inOrder = hasOrderedWith === true && (!recursive || recursion !== undefined);
    const names = tables.map(({ name }) => name);
    for (const { at, name } of tables) {
      this.#countTable(at);
      if (!this.#recursiveNames.has(fold(name))) continue;
      // Before the inner definition Trino takes the name for a table of the database.
      throw this.#refuse('table', `"${name}" is defined again within itself`, at, 'Choose another name.');
    }
    for (const name of names) this.#commonTableNames.add(fold(name));
    let common = inOrder ? around : new CommonNames(names, around, this.#rules.dialect);
    for (const [index, table] of tables.entries()) {
      if (this.#rules.dialect.isSystemName(fold(table.name))) {
        throw this.#refuse('table', `"${table.name}" is a name of the engine itself`, table.at, 'Choose another name.');
      }
      const after = inOrder ? new CommonNames([table.name], common, this.#rules.dialect) : common;
      if (!inOrder || !recursive) this.select(table.select, outer, common);
      else if (recursion === 'right') {
        this.#recursiveNames.add(fold(table.name));
        this.select(unwrapped(table.select), outer, common, after);
        this.#recursiveNames.delete(fold(table.name));
      } else
        this.select(table.select, outer, new CommonNames(names.slice(index + 1), after, this.#rules.dialect, true));
      common = after;
    }
    return common;
  }

  #countTable(at: number): void {
    this.#tableCount += 1;
    if (this.#tableCount > MAX_TABLES) {
      const hint = 'Read fewer tables, or one of them once in a WITH.';
      throw this.#refuse('size', `The statement names more than ${MAX_TABLES} tables`, at, hint);
    }
  }

  #core(core: Core, outer: Scope | undefined, common: CommonNames | undefined): Scope {
    const scope = new Scope(outer, common);
    const visit = (expr: Expr) => this.#expr(expr, scope);
    if (core.kind === 'values') {
      for (const row of core.rows) row.forEach(visit);
      return scope;
    }
    if (core.kind === 'nested') {
      this.select(core.select, outer, common);
      return scope;
    }
    if (core.from !== undefined) this.#from(core.from, scope);
    for (const name of ownNames(core)) scope.aliases.add(fold(name));
    const stars = new Set<string | undefined>();
    for (const column of core.columns) {
      if (column.kind === 'column') visit(column.expr);
      else {
        if (!stars.has(column.table)) this.columns.star(column.table, scope);
        stars.add(column.table);
        for (const { expr } of column.replace ?? []) visit(expr);
      }
    }
    core.distinctOn?.forEach(visit);
    if (core.where !== undefined) visit(core.where);
    core.groupBy.forEach(visit);
    if (core.having !== undefined) visit(core.having);
    if (core.qualify !== undefined) visit(core.qualify);
    for (const { window } of core.windows) forEachInWindow(window, visit);
    return scope;
  }

  // ── relations ───────────────────────────────────────────────────────────────────────────────────────────────────

  #from(from: From, scope: Scope): void {
    let start = scope.relations.length;
    from.first = this.#source(from.first, scope);
    for (const join of from.joins) {
      const middle = scope.relations.length;
      if (join.kind === ',') start = middle;
      for (const name of join.using) this.#systemColumn(name, join.source.at);
      join.source = this.#source(join.source, scope);
      if (scope.count > MAX_RELATIONS) {
        const what = `More than ${MAX_RELATIONS} tables in one FROM`;
        throw this.#refuse('size', what, join.source.at, 'Join fewer tables.');
      }
      this.columns.joined(join, scope);
      if (showsLeftOnly(join)) this.#leftOnly(join, scope, start, middle);
    }
    for (const join of from.joins) if (join.on !== undefined && !showsLeftOnly(join)) this.#expr(join.on, scope);
  }

  /** Only the join's own condition sees its right side, the relations from the place `middle` on. */
  #leftOnly({ kind, source, on }: Join, scope: Scope, start: number, middle: number): void {
    const shared = scope.sharedName(start, middle);
    if (shared !== undefined) {
      // The engine forgets both of them, and what is meant then may be a relation further out.
      const what = `Both sides of the ${kind} go by the name "${shared}"`;
      throw this.#refuse('table', what, source.at, 'Give one of them another alias.');
    }
    if (on !== undefined) this.#expr(on, scope);
    scope.hide(middle);
  }

  /** What stands in the source's place. */
  #source(source: Source, scope: Scope): Source {
    switch (source.kind) {
      case 'table':
        return this.#table(source, scope);
      case 'function':
        scope.add(source.alias ?? source.name, undefined);
        this.#tableFunction(source, scope);
        return source;
      case 'rows':
        for (const { call } of source.calls) this.#expr(call, scope);
        for (const { call } of source.calls) scope.add(source.alias ?? call.name, undefined);
        return source;
      case 'subquery':
        // It sees what is around the SELECT, not its neighbours in FROM.
        this.select(source.select, source.lateral || this.#rules.dialect.hasFields ? scope : scope.outer, scope.common);
        scope.add(source.alias ?? '', undefined);
        return source;
      case 'arrays':
        for (const { expr, alias } of source.arrays) {
          this.#expr(expr, scope);
          if (alias !== undefined) scope.aliases.add(fold(alias));
        }
        return source;
      case 'join': {
        const start = scope.relations.length;
        this.#from(source.from, scope);
        if (source.alias === undefined) return source;
        // Columns of the whole are not looked into.
        if (this.#rules.dialect.showsJoined || source.columns !== undefined) {
          for (const { table } of scope.relations.slice(start)) if (table !== undefined) this.columns.whole(table);
        }
        if (!this.#rules.dialect.showsJoined) scope.rename(start, source.alias);
        scope.add(source.alias, undefined);
        return source;
      }
    }
  }

  #table(source: TableSource, scope: Scope): Source {
    const { schema, name } = source;
    const common = schema === undefined ? scope.common?.find(name) : undefined;
    if (common === 'unclear') {
      const what = `"${name}" is a common table that is defined further down, or in another case`;
      throw this.#refuse('table', what, source.at, 'Define it before the one that reads it, and write it the same.');
    }
    if (common !== undefined) {
      scope.add(source.alias ?? name, undefined);
      return source;
    }
    const { dialect, tables } = this.#rules;
    const table = dialect.isSystemName(fold(name)) ? undefined : tables.mentioned(schema, name);
    if (table === undefined) {
      const written = schema === undefined ? name : `${schema}.${name}`;
      const { suffix, hint } = tableHint(name, tables);
      throw this.#refuse('table', `Table "${written}" is not in the semantic layer${suffix}`, source.at, hint);
    }
    if (table.refusal !== undefined) throw this.#refuse('table', table.refusal.what, source.at, table.refusal.hint);
    this.tables.add(table);
    this.#countTable(source.at);
    const isWhole = !isPart(table);
    const ownSchema = isWhole && source.alias === undefined ? (table.schema ?? dialect.defaultSchema) : undefined;
    // Columns with new names are not looked into.
    if (source.columns !== undefined) this.columns.whole(table);
    scope.add(source.alias ?? name, source.columns === undefined ? table : undefined, isWhole, ownSchema);
    const found = dialect.hasSchemas ? { ...source, schema: this.#schemaOf(table), name: table.name } : source;
    if (isWhole) return found;
    const part = this.#part(found, table);
    return source.columns === undefined ? part : { ...part, columns: source.columns };
  }

  /** Where a common table has the same name, the schema tells them apart for every reader. */
  #schemaOf({ schema, name }: AllowedTable): string | undefined {
    const { defaultSchema } = this.#rules.dialect;
    const collides = defaultSchema !== '' && this.#commonTableNames.has(fold(name));
    return schema ?? (collides ? defaultSchema : undefined);
  }

  #part(source: TableSource, table: AllowedTable): SelectSource {
    if (table.visible?.length === 0) {
      throw this.#refuse('column', `None of the columns of "${table.name}" can be read`, source.at, undefined);
    }
    try {
      const { select, printed, functions } = this.#parts.of(source, table);
      // Masks and row conditions were checked on their own; the engine's check must expect what they call.
      for (const name of functions) this.functions.add(name);
      return { kind: 'subquery', at: source.at, select, printed, alias: source.alias ?? source.name, isPart: true };
    } catch (error) {
      const what = `Table "${table.name}" cannot be read: its row condition is not usable, ${messageOf(error)}`;
      throw this.#refuse('table', what.replace(/\.$/, ''), source.at, 'An administrator has to correct the condition.');
    }
  }

  #tableFunction(source: FunctionSource, scope: Scope): void {
    const name = fold(source.name);
    if (source.schema !== undefined || !this.#rules.dialect.tableFunctions.has(name)) {
      const allowed = [...this.#rules.dialect.tableFunctions].join(', ');
      const what = `Table function "${source.name}" is not allowed`;
      throw this.#refuse('function', what, source.at, `Allowed: ${allowed}.`);
    }
    this.functions.add(name);
    for (const arg of source.args) this.#expr(arg, scope);
  }

  // ── expressions ─────────────────────────────────────────────────────────────────────────────────────────────────

  #expr(expr: Expr, scope: Scope): void {
    if (expr.kind === 'form') this.#starIn(expr, scope);
    if (expr.kind === 'name') this.#column(expr, scope);
    else if (expr.kind === 'scalar' || expr.kind === 'exists') this.select(expr.select, scope, scope.common);
    else if (expr.kind === 'lambda') {
      const inner = new Scope(scope, scope.common);
      for (const param of expr.params) inner.aliases.add(fold(param));
      this.#expr(expr.body, inner);
    } else {
      if (expr.kind === 'in') this.#in(expr, scope);
      else if (expr.kind === 'call') this.#call(expr);
      else if (expr.kind === 'like') this.#callable(expr.operator, expr.at);
      forEachOperand(expr, (operand) => this.#expr(operand, scope));
    }
  }

  /** `t.*` as a value, and `COLUMNS(…)`, which chooses among all columns by their names. */
  #starIn({ parts }: Form, scope: Scope): void {
    for (const part of parts) {
      if (typeof part !== 'string') continue;
      const [, quoted, plain] = /^(?:"((?:[^"]|"")+)"|([^"()\s]+))\.\*$/.exec(part) ?? [];
      const row = quoted?.replaceAll('""', '"') ?? plain;
      if (row !== undefined || part.startsWith('COLUMNS(')) this.columns.star(row, scope);
    }
  }

  #in(expr: In, scope: Scope): void {
    const { set } = expr;
    if (set.kind === 'subquery') this.select(set.select, scope, scope.common);
    else if (set.kind !== 'list') {
      // `IN table` reads all of the table, as a subquery would.
      const inner = new Scope(scope, scope.common);
      const source = this.#source(set, inner);
      expr.set = source.kind === 'subquery' ? { ...source, alias: undefined } : source;
      this.columns.star(undefined, inner);
    }
  }

  /** Refuses by name, and arguments that make a harmless function allocate without bound. */
  #call(expr: Call): void {
    if (expr.isWord === true) return;
    this.#callable(expr.name, expr.at, expr.schema);
    const { dialect } = this.#rules;
    const problem = dialect.argumentProblem(expr);
    if (problem !== undefined) throw this.#refuse('function', problem.what, expr.at, problem.hint);
  }

  #callable(written: string, at: number, schema?: string): void {
    const { dialect, extraFunctions } = this.#rules;
    const own = dialect.hasExactNames ? written : fold(written);
    const name = schema === undefined || schema === dialect.functionSchema ? own : `${schema}.${written}`;
    if (!dialect.functions.has(name) && !extraFunctions.has(name)) {
      throw this.#refuse('function', `Function "${written}" is not allowed`, at, functionHint(name, dialect));
    }
    this.functions.add(name);
  }

  // ── columns ─────────────────────────────────────────────────────────────────────────────────────────────────────

  #column(ref: ColumnRef, scope: Scope): void {
    if (ref.schema !== undefined) this.#schema(ref, ref.schema, scope);
    const { dialect } = this.#rules;
    if (reachesWhole(ref, scope)) this.#systemColumn(ref.name, ref.at);
    if (this.columns.name(ref, scope)) return;
    const refusal = columnRefusal(ref, scope);
    if (refusal === undefined) return;
    const isQuoted =
      this.#text.charAt(ref.at) === '"' && ref.table === undefined && dialect.notation.names.includes('"');
    const hint = isQuoted ? `${refusal.hint} ${textHint(ref)}` : refusal.hint;
    throw this.#refuse('column', refusal.what, ref.at, hint);
  }

  #systemColumn(name: string, at: number): void {
    if (!this.#rules.dialect.systemColumns?.has(name)) return;
    const what = `Column "${name}" belongs to the engine itself`;
    throw this.#refuse('column', what, at, 'Read the columns of the table.');
  }

  /** `schema.table.column` is `table.column` of a table that FROM names without an alias. */
  #schema(ref: ColumnRef, schema: string, scope: Scope): void {
    const { dialect, tables } = this.#rules;
    // `table.column.field` or `column.field.field`
    if (dialect.hasFields && (scope.relation(schema) !== undefined || isField(ref, scope, tables))) return;
    if (!isOfSchema(ref, schema, scope, tables)) {
      throw this.#refuse('table', `Schema "${schema}" cannot be read`, ref.at, 'Leave the schema out.');
    }
    if (dialect.hasSchemas) ref.schema = undefined;
  }

  #refuse(rule: RefusalRule, what: string, at: number, hint: string | undefined): SqlRefusal {
    return new SqlRefusal(rule, what, positionAt(this.#text, at), hint);
  }
}
