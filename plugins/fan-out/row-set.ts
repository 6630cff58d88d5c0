/** Holds the sources that a FROM clause joins, and works out which of them have one row for a given row of others. */
import type { TableKeys } from './table-keys.ts';

/** A table, or a subquery that makes its own rows. */
export interface RowSource {
  readonly id: number;
  /** What the statement calls the table, and what columns call it by. */
  readonly table: string;
  readonly alias: string;
  /** The keys of a table that the layer describes. */
  readonly keys: TableKeys | undefined;
  /** The columns that tell the rows of a grouped subquery apart. */
  groupKey?: readonly Column[];
}

/** One column of a source, `*` for all of them, or the value of an expression. */
export interface Column {
  readonly source: RowSource | undefined;
  readonly name: string;
  /** What determines it, and what it helps to determine. */
  readonly rules: Rule[];
  readonly equals: Column[];
}

/** The columns of `from` together determine those of `to`. */
interface Rule {
  readonly from: ReadonlySet<Column>;
  readonly to: readonly Column[];
}

export class RowSet {
  readonly sources: RowSource[] = [];
  /** Sources of which an outer join may find no row. */
  readonly optional = new Set<RowSource>();
  /** Sources of which a condition wants rows of one name. */
  readonly named = new Set<RowSource>();
  readonly #columns = new Map<RowSource, Map<string, Column>>();
  /** What always has one value. */
  readonly #constants: Column[] = [];

  add(table: string, alias: string, keys?: TableKeys): RowSource {
    const source: RowSource = { id: this.sources.length, table, alias, keys };
    this.sources.push(source);
    this.#columns.set(source, new Map());
    for (const key of keys?.unique ?? []) this.determine(this.#named(source, key), [this.row(source)]);
    return source;
  }

  #named = (source: RowSource, names: readonly string[]) => names.map((name) => this.column(source, name));

  column(source: RowSource, name: string): Column {
    const columns = this.#columns.get(source)!;
    const column = columns.get(name) ?? this.value(source, name);
    if (columns.has(name)) return column;
    columns.set(name, column);
    if (name !== '*') this.determine([this.row(source)], [column]);
    return column;
  }

  /** All columns of a source together. */
  row(source: RowSource): Column {
    return this.column(source, '*');
  }

  columnsOf(source: RowSource): Column[] {
    return [...this.#columns.get(source)!.values()].filter(({ name }) => name !== '*');
  }

  /** The value of an expression. */
  value(source?: RowSource, name = ''): Column {
    return { source, name, rules: [], equals: [] };
  }

  determine(from: readonly Column[], to: readonly Column[]): void {
    if (from.length === 0) this.#constants.push(...to);
    const rule: Rule = { from: new Set(from), to };
    for (const column of rule.from) column.rules.push(rule);
  }

  equate(left: Column, right: Column): void {
    left.equals.push(right);
    right.equals.push(left);
  }

  /** Everything that has one value when the columns of `start` have one. */
  determined(start: Iterable<Column>): ReadonlySet<Column> {
    const found = new Set([...start, ...this.#constants]);
    const missing = new Map<Rule, number>();
    for (const column of found) {
      for (const equal of column.equals) found.add(equal);
      for (const rule of column.rules) {
        const left = (missing.get(rule) ?? rule.from.size) - 1;
        missing.set(rule, left);
        if (left === 0) for (const next of rule.to) found.add(next);
      }
    }
    return found;
  }

  /** The columns that a column is joined to by equality. */
  equals(column: Column): ReadonlySet<Column> {
    const found = new Set([column]);
    for (const one of found) for (const equal of one.equals) found.add(equal);
    return found;
  }
}
