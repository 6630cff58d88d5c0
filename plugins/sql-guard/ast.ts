/**
 * The tree of a reading statement. Every node knows where it began: `at` is an offset into the statement's text.
 * Chains of operators are flat lists, so that a long condition is not a deep tree.
 */
import type { Call, Expr, Form, Window } from './ast-expression.ts';
import type { BoundValue } from './row-filter.ts';

export type * from './ast-expression.ts';

export interface Select {
  readonly kind: 'select';
  readonly at: number;
  with: With | undefined;
  readonly first: Core;
  readonly rest: readonly { readonly operator: SetOperator; readonly core: Core }[];
  readonly orderBy: readonly OrderTerm[];
  readonly limit: Expr | undefined;
  readonly offset: Expr | undefined;
  /** `FETCH FIRST … WITH TIES` instead of LIMIT. */
  readonly withTies?: boolean;
}

/** `BY NAME` is DuckDB's. */
export type SetOperator =
  | 'UNION'
  | 'UNION ALL'
  | 'UNION BY NAME'
  | 'UNION ALL BY NAME'
  | 'INTERSECT'
  | 'INTERSECT ALL'
  | 'EXCEPT'
  | 'EXCEPT ALL';

export interface With {
  readonly recursive: boolean;
  readonly tables: readonly CommonTable[];
}

export interface CommonTable {
  readonly at: number;
  readonly name: string;
  /** Empty when the statement names none. */
  readonly columns: readonly string[];
  readonly materialized: boolean | undefined;
  readonly select: Select;
  /** What follows the subquery: SEARCH and CYCLE. */
  readonly suffix?: Form | undefined;
  /** Names of the columns that the suffix adds. */
  readonly added?: readonly string[];
}

export type Core = SelectCore | Values | NestedSelect;

export interface SelectCore {
  readonly kind: 'core';
  readonly at: number;
  readonly distinct: boolean;
  /** `DISTINCT ON (…)`. */
  readonly distinctOn?: readonly Expr[] | undefined;
  readonly columns: readonly ResultColumn[];
  readonly from: From | undefined;
  readonly where: Expr | undefined;
  readonly groupBy: readonly Expr[];
  /** `GROUP BY DISTINCT`. */
  readonly groupDistinct?: boolean;
  readonly having: Expr | undefined;
  readonly windows: readonly { readonly name: string; readonly window: Window }[];
  readonly qualify?: Expr | undefined;
  /** `USING SAMPLE …`, in its canonical spelling. */
  readonly sample?: string | undefined;
  /** `GROUP BY … WITH ROLLUP`. */
  readonly withRollup?: boolean;
}

export interface Values {
  readonly kind: 'values';
  readonly at: number;
  readonly rows: readonly (readonly Expr[])[];
  /** `VALUES ROW(…)`. */
  readonly rowWord?: boolean;
}

/** A part of a set operation in parentheses, with clauses of its own. */
export interface NestedSelect {
  readonly kind: 'nested';
  readonly at: number;
  readonly select: Select;
}

export type ResultColumn = Star | NamedColumn;

/** `*`, or `table.*`. */
export interface Star {
  readonly kind: 'star';
  readonly at: number;
  readonly table: string | undefined;
  /** DuckDB's changes: `* EXCLUDE (a) REPLACE (b + 1 AS b) RENAME (c AS d)`. */
  readonly exclude?: readonly StarName[];
  readonly replace?: readonly { readonly expr: Expr; readonly name: string }[];
  readonly rename?: readonly { readonly from: StarName; readonly to: string }[];
}

/** A column that `*` stands for. */
export interface StarName {
  readonly table?: string;
  readonly name: string;
}

export interface NamedColumn {
  readonly kind: 'column';
  readonly expr: Expr;
  readonly alias: string | undefined;
  /** The expression as written: the engine names a column without alias after it. */
  readonly text: string | undefined;
  /** A name for it when its print says what stands in a table's place, which no name may show. */
  readonly label?: string | undefined;
  /** The name that the engine gives it without alias, where that is not its text. */
  readonly name?: string | undefined;
}

export interface OrderTerm {
  readonly expr: Expr;
  readonly direction: 'ASC' | 'DESC' | undefined;
  readonly nulls: 'FIRST' | 'LAST' | undefined;
}

// ── FROM ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Sources joined from left to right. */
export interface From {
  first: Source;
  readonly joins: readonly Join[];
}

export interface Join {
  readonly kind:
    | ','
    | 'JOIN'
    | 'CROSS JOIN'
    | 'LEFT JOIN'
    | 'RIGHT JOIN'
    | 'FULL JOIN'
    | 'SEMI JOIN'
    | 'ANTI JOIN'
    | 'POSITIONAL JOIN'
    | 'STRAIGHT_JOIN';
  /** Joins each row to the nearest one, of DuckDB. */
  readonly asof?: boolean;
  readonly natural: boolean;
  source: Source;
  readonly on: Expr | undefined;
  readonly using: readonly string[];
  /** `USING (…) AS alias`. */
  readonly usingAlias?: string | undefined;
}

export type Source = TableSource | FunctionSource | RowsSource | SelectSource | JoinSource;

/** A relation by name: a table, a view or a common table. Row security replaces it by what may be seen of it. */
export interface TableSource {
  readonly kind: 'table';
  readonly at: number;
  readonly schema: string | undefined;
  readonly name: string;
  readonly alias: string | undefined;
  /** Index to use; `null` forbids every index. */
  readonly index: string | null | undefined;
  /** New names of the first columns: `AS alias (a, b)`. */
  readonly columns?: readonly string[];
  /** Without the tables that inherit from it. */
  readonly only?: boolean;
  /** `TABLESAMPLE …`, in its canonical spelling. */
  readonly sample?: string;
  /** `USE INDEX (a, b)` and the like, of MySQL. */
  readonly indexHints?: readonly { readonly words: string; readonly names: readonly string[] }[];
}

export interface FunctionSource {
  readonly kind: 'function';
  readonly at: number;
  readonly schema: string | undefined;
  readonly name: string;
  readonly args: readonly Expr[];
  readonly alias: string | undefined;
  readonly columns?: readonly string[];
}

/** Functions whose rows are read, several of them side by side; they see the sources before them. */
export interface RowsSource {
  readonly kind: 'rows';
  readonly at: number;
  /** A definition lists names and types of a record's columns. */
  readonly calls: readonly { readonly call: Call; readonly definition: string | undefined }[];
  readonly lateral: boolean;
  /** `ROWS FROM (…)`. */
  readonly isList: boolean;
  readonly ordinality: boolean;
  readonly alias: string | undefined;
  readonly columns?: readonly string[];
  readonly definition: string | undefined;
  /** Names of the columns that JSON_TABLE makes. */
  readonly outputs?: readonly string[];
}

export interface SelectSource {
  readonly kind: 'subquery';
  readonly at: number;
  readonly select: Select;
  readonly alias: string | undefined;
  readonly columns?: readonly string[];
  /** Sees the sources before it. */
  readonly lateral?: boolean;
  /** Stands in the place of a table, as what may be seen of it. */
  readonly isPart?: boolean;
  /** The SELECT as it prints: the texts before, between and after the values to bind. */
  readonly printed?: PrintedSelect;
}

export interface PrintedSelect {
  readonly texts: readonly string[];
  readonly params: readonly BoundValue[];
}

export interface JoinSource {
  readonly kind: 'join';
  readonly at: number;
  readonly from: From;
  readonly alias: string | undefined;
  readonly columns?: readonly string[];
}
