/**
 * The tree of a reading statement. Every node knows where it began: `at` is an offset into the statement's text.
 * Chains of operators are flat lists, so that a long condition is not a deep tree.
 */

export interface Select {
  readonly kind: 'select';
  readonly at: number;
  readonly with: With | undefined;
  readonly first: Core;
  readonly rest: readonly { readonly operator: SetOperator; readonly core: Core }[];
  readonly orderBy: readonly OrderTerm[];
  readonly limit: Expr | undefined;
  readonly offset: Expr | undefined;
}

export type SetOperator = 'UNION' | 'UNION ALL' | 'INTERSECT' | 'EXCEPT';

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
}

export type Core = SelectCore | Values;

export interface SelectCore {
  readonly kind: 'core';
  readonly at: number;
  readonly distinct: boolean;
  readonly columns: readonly ResultColumn[];
  readonly from: From | undefined;
  readonly where: Expr | undefined;
  readonly groupBy: readonly Expr[];
  readonly having: Expr | undefined;
  readonly windows: readonly { readonly name: string; readonly window: Window }[];
}

export interface Values {
  readonly kind: 'values';
  readonly at: number;
  readonly rows: readonly (readonly Expr[])[];
}

export type ResultColumn = Star | NamedColumn;

/** `*`, or `table.*`. */
export interface Star {
  readonly kind: 'star';
  readonly at: number;
  readonly table: string | undefined;
}

export interface NamedColumn {
  readonly kind: 'column';
  readonly expr: Expr;
  readonly alias: string | undefined;
  /** The expression as written: the engine names a column without alias after it. */
  readonly text: string | undefined;
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
  readonly kind: ',' | 'JOIN' | 'CROSS JOIN' | 'LEFT JOIN' | 'RIGHT JOIN' | 'FULL JOIN';
  readonly natural: boolean;
  source: Source;
  readonly on: Expr | undefined;
  readonly using: readonly string[];
}

export type Source = TableSource | FunctionSource | SelectSource | JoinSource;

/** A relation by name: a table, a view or a common table. Row security replaces it by what may be seen of it. */
export interface TableSource {
  readonly kind: 'table';
  readonly at: number;
  readonly schema: string | undefined;
  readonly name: string;
  readonly alias: string | undefined;
  /** Index to use; `null` forbids every index. */
  readonly index: string | null | undefined;
}

export interface FunctionSource {
  readonly kind: 'function';
  readonly at: number;
  readonly schema: string | undefined;
  readonly name: string;
  readonly args: readonly Expr[];
  readonly alias: string | undefined;
}

export interface SelectSource {
  readonly kind: 'subquery';
  readonly at: number;
  readonly select: Select;
  readonly alias: string | undefined;
}

export interface JoinSource {
  readonly kind: 'join';
  readonly at: number;
  readonly from: From;
  readonly alias: string | undefined;
}

// ── expressions ─────────────────────────────────────────────────────────────────────────────────────────────────

export type Expr =
  | Literal
  | ColumnRef
  | Prefix
  | Chain
  | Like
  | Between
  | In
  | Collate
  | Cast
  | Case
  | Call
  | Subquery
  | Exists
  | Row;

/** `constant`: NULL, TRUE, FALSE, CURRENT_DATE and the like. */
export interface Literal {
  readonly kind: 'string' | 'number' | 'blob' | 'constant';
  readonly at: number;
  readonly value: string;
}

export interface ColumnRef {
  readonly kind: 'name';
  readonly at: number;
  schema: string | undefined;
  table: string | undefined;
  readonly name: string;
}

export interface Prefix {
  readonly kind: 'prefix';
  readonly at: number;
  readonly operator: 'NOT' | '-' | '+' | '~';
  readonly operand: Expr;
}

/**
 * Operators of one precedence, applied from left to right: one operator fewer than operands. Every test for NULL is
 * `IS NULL` or `IS NOT NULL` here.
 */
export interface Chain {
  readonly kind: 'chain';
  readonly at: number;
  readonly level: number;
  readonly operands: Expr[];
  readonly operators: string[];
}

export interface Like {
  readonly kind: 'like';
  readonly at: number;
  readonly operator: 'LIKE' | 'GLOB' | 'REGEXP' | 'MATCH';
  readonly not: boolean;
  readonly operand: Expr;
  readonly pattern: Expr;
  readonly escape: Expr | undefined;
}

export interface Between {
  readonly kind: 'between';
  readonly at: number;
  readonly not: boolean;
  readonly operand: Expr;
  readonly low: Expr;
  readonly high: Expr;
}

export interface In {
  readonly kind: 'in';
  readonly at: number;
  readonly not: boolean;
  readonly operand: Expr;
  /** A list, a subquery, `x IN table` or `x IN function(…)`. */
  set: { readonly kind: 'list'; readonly items: readonly Expr[] } | Source;
}

export interface Collate {
  readonly kind: 'collate';
  readonly at: number;
  readonly operand: Expr;
  readonly collation: string;
}

export interface Cast {
  readonly kind: 'cast';
  readonly at: number;
  readonly operand: Expr;
  /** Words of the type's name and its numbers: `VARCHAR`, `10`. */
  readonly type: { readonly words: readonly string[]; readonly sizes: readonly string[] };
}

export interface Case {
  readonly kind: 'case';
  readonly at: number;
  readonly operand: Expr | undefined;
  readonly branches: readonly { readonly condition: Expr; readonly result: Expr }[];
  readonly otherwise: Expr | undefined;
}

export interface Call {
  readonly kind: 'call';
  readonly at: number;
  readonly name: string;
  readonly distinct: boolean;
  /** `name(*)`. */
  readonly star: boolean;
  readonly args: readonly Expr[];
  readonly orderBy: readonly OrderTerm[];
  readonly filter: Expr | undefined;
  /** A window of its own, or the name of one in the WINDOW clause. */
  readonly over: Window | string | undefined;
}

export interface Subquery {
  readonly kind: 'scalar';
  readonly at: number;
  readonly select: Select;
}

export interface Exists {
  readonly kind: 'exists';
  readonly at: number;
  readonly select: Select;
}

/** `(a, b)`: at least two items. */
export interface Row {
  readonly kind: 'row';
  readonly at: number;
  readonly items: readonly Expr[];
}

// ── windows ─────────────────────────────────────────────────────────────────────────────────────────────────────

export interface Window {
  /** Name of the window that this one refines. */
  readonly base: string | undefined;
  readonly partitionBy: readonly Expr[];
  readonly orderBy: readonly OrderTerm[];
  readonly frame: Frame | undefined;
}

export interface Frame {
  readonly unit: 'ROWS' | 'RANGE' | 'GROUPS';
  readonly start: FrameBound;
  readonly end: FrameBound | undefined;
  readonly exclude: 'NO OTHERS' | 'CURRENT ROW' | 'GROUP' | 'TIES' | undefined;
}

export type FrameBound =
  | { readonly kind: 'UNBOUNDED PRECEDING' | 'UNBOUNDED FOLLOWING' | 'CURRENT ROW' }
  | { readonly kind: 'PRECEDING' | 'FOLLOWING'; readonly distance: Expr };
