/** Resolves names and expressions of one SELECT to columns of the sources in sight. */
import { type ColumnRef, type Expr, forEachOperand, Level } from '../sql-kit/index.ts';
import { isAggregate } from './aggregate-calls.ts';
import type { Column, RowSet, RowSource } from './row-set.ts';

/** What an expression stands for. */
export interface Value {
  readonly column: Column;
  /** The sources whose values it takes, not those that it only tests; `undefined` when that is not certain. */
  readonly carriers: readonly RowSource[] | undefined;
}

/** A source by the name that columns call it by. */
export interface Visible {
  readonly name: string;
  /** The columns that it is known to have; missing when they are not all known. */
  readonly names?: Iterable<string>;
  has(column: string): boolean;
  value(column: string): Value | undefined;
}

const CONDITIONAL = new Set(['if', 'iif']);
const ROW_NUMBERS = new Set(['row_number', 'rank', 'dense_rank']);

export const lower = (name: string) => name.toLowerCase();

/** Without positions, so that an expression that is written twice is one. */
const canonical = (expr: Expr) => JSON.stringify(expr, (key, value: unknown) => (key === 'at' ? undefined : value));

export class Scope {
  readonly visible: Visible[] = [];
  /** The sources that this SELECT reads. */
  sources: readonly RowSource[] = [];
  /** Columns that USING makes one of. */
  readonly merged = new Set<string>();
  readonly rows: RowSet;
  /** What a lateral subquery sees besides its own sources. */
  readonly #outer: readonly Visible[];
  readonly #values = new Map<string, Value>();

  constructor(rows: RowSet, outer: readonly Visible[]) {
    this.rows = rows;
    this.#outer = outer;
  }

  resolve({ table, name }: ColumnRef): Value | undefined {
    const column = lower(name);
    if (table !== undefined) {
      const isNamed = (one: Visible) => one.name === lower(table);
      return (this.visible.findLast(isNamed) ?? this.#outer.findLast(isNamed))?.value(column);
    }
    const having = this.visible.filter((one) => one.has(column));
    if (having.length === 0) return this.#outer.findLast((one) => one.has(column))?.value(column);
    const values = having.map((one) => one.value(column));
    if (values.length === 1 || !this.merged.has(column)) return values.length === 1 ? values[0] : undefined;
    return values[0] && { column: values[0].column, carriers: values.flatMap((value) => value?.carriers ?? []) };
  }

  /** What cannot be resolved belongs to an outer statement, and counts as constant. */
  value(expr: Expr): Value {
    if (expr.kind === 'cast' || expr.kind === 'collate') return this.value(expr.operand);
    const known = expr.kind === 'name' ? this.resolve(expr) : undefined;
    if (known !== undefined) return known;
    const text = canonical(expr);
    const value = this.#values.get(text) ?? this.#computed(expr);
    this.#values.set(text, value);
    return value;
  }

  #computed(expr: Expr): Value {
    const inputs = new Inputs(this);
    inputs.add(expr, true);
    const column = this.rows.value();
    if (inputs.isFunction) this.rows.determine([...inputs.columns], [column]);
    if (expr.kind === 'call' && ROW_NUMBERS.has(lower(expr.name)) && typeof expr.over === 'object') {
      const partition = expr.over.partitionBy.map((part) => this.value(part).column);
      this.rows.determine(
        [...partition, column],
        this.sources.map((source) => this.rows.row(source)),
      );
    }
    return { column, carriers: inputs.isKnown ? [...inputs.carriers] : undefined };
  }
}

/** The columns that an expression reads. */
class Inputs {
  readonly columns = new Set<Column>();
  readonly carriers = new Set<RowSource>();
  /** Whether all carriers are known. */
  isKnown = true;
  /** Whether the columns determine the value. */
  isFunction = true;
  readonly #scope: Scope;

  constructor(scope: Scope) {
    this.#scope = scope;
  }

  /** `carries`: the value is made of the expression, which is not only tested. */
  add(expr: Expr, carries: boolean): void {
    if (expr.kind === 'name') {
      const value = this.#scope.resolve(expr);
      if (value !== undefined) this.columns.add(value.column);
      if (carries) this.#carry(value?.carriers);
    } else if (expr.kind === 'call' && (expr.over !== undefined || isAggregate(expr))) {
      this.isFunction = false;
      if (carries) this.isKnown = false;
    } else if (expr.kind === 'case') {
      for (const { condition, result } of expr.branches) {
        this.add(condition, false);
        this.add(result, carries);
      }
      if (expr.operand !== undefined) this.add(expr.operand, false);
      if (expr.otherwise !== undefined) this.add(expr.otherwise, carries);
    } else if (expr.kind === 'call' && CONDITIONAL.has(lower(expr.name))) {
      for (const [index, arg] of expr.args.entries()) this.add(arg, carries && index > 0);
    } else {
      if (carries && expr.kind === 'scalar') this.isKnown = false;
      forEachOperand(expr, (operand) => this.add(operand, carries && !isTest(expr)));
    }
  }

  #carry(carriers: readonly RowSource[] | undefined): void {
    if (carriers === undefined) this.isKnown = false;
    for (const source of carriers ?? []) this.carriers.add(source);
  }
}

/** Whether the value is only true or false. */
function isTest(expr: Expr): boolean {
  if (expr.kind === 'chain' || expr.kind === 'form') return expr.level <= Level.predicate;
  if (expr.kind === 'prefix') return expr.operator === 'NOT' || expr.operator === '!';
  return expr.kind === 'like' || expr.kind === 'between' || expr.kind === 'in';
}
