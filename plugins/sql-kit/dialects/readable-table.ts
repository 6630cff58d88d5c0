/** Declares what a dialect is told of the tables that a resolved statement reads. */
import type { Expr } from '../ast/tree.ts';

/** A column as it may be seen. */
export interface VisibleColumn {
  readonly name: string;
  /** Stands in for the value; every column name in it is qualified with the table's name. */
  readonly mask: Expr | undefined;
}

/** A table or view that may be read. */
export interface ReadableTable {
  readonly name: string;
  /** `undefined`: the engine's default schema. */
  readonly schema: string | undefined;
  /** Columns known to exist, in lower case unless names are equal only to the letter. A table may have more. */
  readonly known: ReadonlySet<string>;
  /** The columns' types as the database describes them, by name; missing: nothing is known of them. */
  readonly types?: ReadonlyMap<string, string>;
  /** Columns of its primary key, if that is known. */
  readonly key?: readonly string[];
  /** All that may be seen of it; `undefined` = everything. */
  readonly visible: readonly VisibleColumn[] | undefined;
  /** Conditions on its rows, which must all hold; missing = every row. */
  readonly rows?: readonly unknown[];
}

/** The tables that a statement may read, found by name as the engine finds them. */
export interface ReadableTables {
  readonly dialect: { readonly defaultSchema: string; readonly systemColumns?: ReadonlySet<string> };
  find(schema: string, name: string): ReadableTable | undefined;
}
