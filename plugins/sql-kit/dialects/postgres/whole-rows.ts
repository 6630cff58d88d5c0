/**
 * Keeps the column names of whole rows. The row of a table keeps them where an alias list gives the columns new names;
 * the row of a subquery, which under a policy stands in the table's place, does not. So that subquery gets one more
 * column, which holds the row as it was, and what reads the row reads that column.
 */
import type { ColumnRef, Expr, Form, NamedColumn, SelectSource } from '../../ast/tree.ts';
import { positionAt, SqlRefusal } from '../../parse/errors.ts';
import { nameOf } from './column-lists.ts';

/** A name that no column has. */
const ROW = '?row';

/** A relation whose columns may have new names. */
interface Renamed {
  readonly name: string;
  /** What stands in the place of a table with an alias list. */
  readonly renamed?: SelectSource | undefined;
}

export class WholeRows {
  readonly #text: string;
  readonly #read = new Map<SelectSource, number>();
  readonly #starred = new Set<SelectSource>();
  readonly #changed = new WeakSet<Expr>();

  constructor(text: string) {
    this.#text = text;
  }

  /** How often a row was read so far. */
  count = 0;

  /** Makes a name that stands for the row of `relation` the column that holds it. */
  readRow(expr: ColumnRef | Form, { name, renamed }: Renamed): void {
    if (renamed === undefined) return;
    this.#read.set(renamed, expr.at);
    this.count += 1;
    this.#changed.add(expr);
    Object.assign(expr, { kind: 'name', schema: undefined, table: name, name: ROW });
  }

  /** Whether the name is one that `readRow` made. */
  has(expr: Expr): boolean {
    return this.#changed.has(expr);
  }

  /** Notes that `*` reads the relation, which would show the column too. */
  readStar({ renamed }: Renamed): void {
    if (renamed !== undefined) this.#starred.add(renamed);
  }

  /** Keeps the name that the engine gives a result column which reads a row. */
  nameColumn(column: NamedColumn, before: number): void {
    if (this.count > before && column.alias === undefined) Object.assign(column, { alias: nameOf(column) });
  }

  /** Adds the column to the subqueries that need it. Throws `SqlRefusal` where `*` would show it. */
  addColumns(): void {
    for (const [source, at] of this.#read) {
      if (this.#starred.has(source)) {
        const what = `The row of "${source.alias}" cannot be read beside its columns by "*"`;
        throw new SqlRefusal('column', what, positionAt(this.#text, at), 'Name the columns.');
      }
      const { texts, params } = source.printed!;
      const whole = [...texts];
      whole[0] = `SELECT "?".*, "?" AS "${ROW}" FROM (${whole[0]}`;
      whole[whole.length - 1] += ') AS "?"';
      Object.assign(source, { printed: { texts: whole, params } });
    }
  }
}
