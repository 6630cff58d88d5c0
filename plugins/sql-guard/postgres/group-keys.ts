/**
 * Postgres lets a SELECT that groups by the primary key of a table read its other columns. A subquery that stands in a
 * table's place has no key, so there those columns join the GROUP BY: as the key decides them, no group changes.
 */
import type { Expr, Form, From, OrderTerm, SelectCore, SelectSource, Source } from '../ast.ts';
import type { AllowedTable, AllowedTables } from '../tables.ts';
import { forEachInWindow, forEachOperand, forEachTerm } from '../walk.ts';

/** Adds, to the GROUP BY of a resolved SELECT, what the keys in it decide. */
export function completeGroups(core: SelectCore, orderBy: readonly OrderTerm[], tables: AllowedTables): void {
  if (
    core.from === undefined ||
    core.groupBy.length === 0 ||
    core.groupBy.some((expr) => expr.kind === 'form' && isSet(expr))
  )
    return;
  const relations: Relation[] = [];
  addRelations(core.from, tables, relations);
  const keyed = relations.filter(({ table }) => table !== undefined && hasKey(table));
  if (keyed.length === 0) return;
  const names = new Names(relations.length === 1);
  for (const expr of core.groupBy) names.grouped(expr, core);
  const added = keyed.flatMap(({ name, table }) => {
    if (!table!.key!.every((column) => names.isGrouped(name, column))) return [];
    if (!names.areRead) names.read(core, orderBy);
    return names.ungrouped(name, columnsOf(table!));
  });
  if (added.length > 0) Object.assign(core, { groupBy: [...core.groupBy, ...added] });
}

interface Relation {
  readonly name: string;
  /** The table of which it is what may be seen. */
  readonly table: AllowedTable | undefined;
}

function addRelations({ first, joins }: From, tables: AllowedTables, relations: Relation[]): void {
  addRelation(first, tables, relations);
  for (const { source } of joins) addRelation(source, tables, relations);
}

function addRelation(source: Source, tables: AllowedTables, relations: Relation[]): void {
  if (source.kind === 'join' && source.alias === undefined) addRelations(source.from, tables, relations);
  else relations.push({ name: source.alias ?? '', table: isTable(source) ? tableOf(source, tables) : undefined });
}

function tableOf({ select: { first } }: SelectSource, tables: AllowedTables): AllowedTable | undefined {
  const from = first.kind === 'core' ? first.from?.first : undefined;
  return from?.kind === 'table' ? tables.find(from.schema ?? tables.dialect.defaultSchema, from.name) : undefined;
}

const isTable = (source: Source): source is SelectSource =>
  source.kind === 'subquery' && source.isPart === true && source.columns === undefined;

/** Whether the key is known, and seen as it is: masks may be alike where keys are not. */
function hasKey({ key = [], visible }: AllowedTable): boolean {
  const isSeen = (name: string) => visible?.some((column) => column.name === name && column.mask === undefined) ?? true;
  return key.length > 0 && key.every(isSeen);
}

/** GROUPING SETS and its kind. */
const isSet = ({ parts: [word] }: Form) =>
  typeof word === 'string' && /^(?:GROUPING SETS |ROLLUP |CUBE )?\($/.test(word);

const columnsOf = ({ visible, known }: AllowedTable): readonly string[] =>
  visible?.map(({ name }) => name) ?? [...known];

/** Columns with, or without, the tables before them. */
class Columns {
  private readonly tables = new Map<string, Set<string | undefined>>();

  add(table: string | undefined, column: string): void {
    const tables = this.tables.get(column);
    if (tables === undefined) this.tables.set(column, new Set([table]));
    else tables.add(table);
  }

  has(table: string | undefined, column: string): boolean {
    return this.tables.get(column)?.has(table) ?? false;
  }
}

/** Columns that one SELECT names: those it groups by, and the others. */
class Names {
  areRead = false;
  private readonly isSingle: boolean;
  private readonly groups = new Columns();
  private readonly reads = new Columns();

  /** `isSingle`: a name without a table can only be of the one relation there is. */
  constructor(isSingle: boolean) {
    this.isSingle = isSingle;
  }

  grouped(expr: Expr, core: SelectCore): void {
    // A number is the place of a result column.
    const column = expr.kind === 'number' ? core.columns[Number(expr.value) - 1] : undefined;
    const meant = column?.kind === 'column' ? column.expr : expr;
    if (meant.kind === 'name') this.groups.add(meant.table, meant.name);
  }

  isGrouped(table: string, column: string): boolean {
    return this.groups.has(table, column) || (this.isSingle && this.groups.has(undefined, column));
  }

  read(core: SelectCore, orderBy: readonly OrderTerm[]): void {
    this.areRead = true;
    for (const column of core.columns) {
      if (column.kind === 'column') this.visit(column.expr);
      else this.reads.add(column.table, '*');
    }
    for (const expr of [core.having, ...(core.distinctOn ?? [])]) if (expr !== undefined) this.visit(expr);
    for (const { window } of core.windows) forEachInWindow(window, (expr) => this.visit(expr));
    const own = new Set(core.columns.map((column) => (column.kind === 'column' ? column.alias : undefined)));
    forEachTerm(orderBy, (expr) => {
      if (expr.kind !== 'name' || expr.table !== undefined || !own.has(expr.name)) this.visit(expr);
    });
  }

  /** Columns of `columns` that are read and not grouped by, as they have to stand in GROUP BY. */
  ungrouped(table: string, columns: readonly string[]): Expr[] {
    const isAll = this.isRead(table, '*');
    return columns
      .filter((column) => (isAll || this.isRead(table, column)) && !this.isGrouped(table, column))
      .map((name) => ({ kind: 'name', at: 0, schema: undefined, table, name }));
  }

  private isRead(table: string, column: string): boolean {
    return this.reads.has(table, column) || (this.isSingle && this.reads.has(undefined, column));
  }

  private visit(expr: Expr): void {
    if (expr.kind === 'name') this.reads.add(expr.table, expr.name);
    // A subquery reads of what is around it what it names with the table.
    if (expr.kind === 'scalar' || expr.kind === 'exists') this.inner(expr.select);
    if (expr.kind === 'in' && expr.set.kind === 'subquery') this.inner(expr.set.select);
    forEachOperand(expr, (operand) => this.visit(operand));
  }

  private inner({ first }: SelectSource['select']): void {
    if (first.kind !== 'core') return;
    for (const column of first.columns) if (column.kind === 'column') this.visit(column.expr);
    if (first.where !== undefined) this.visit(first.where);
  }
}
