/**
 * The tree of a reading statement. Every node knows where it began: `at` is an offset into the statement's text.
 * Chains of operators are flat lists, so that a long condition is not a deep tree.
 */
import type { ColumnRef, Literal, PrintedSelect, SetOperator, StarName, TableSource } from './leaves.ts';

export type * from './leaves.ts';

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

/** A part of a set operation in parentheses, with its own clauses. */
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
  /** Joins each row to the nearest one, of DuckDB and ClickHouse. */
  readonly asof?: boolean;
  /** Words of ClickHouse before `kind`: `ANY`, `SEMI`, `ARRAY`. */
  readonly words?: string;
  readonly natural: boolean;
  source: Source;
  readonly on: Expr | undefined;
  readonly using: readonly string[];
  /** `USING (…) AS alias`. */
  readonly usingAlias?: string | undefined;
}

export type Source = TableSource | FunctionSource | RowsSource | SelectSource | JoinSource | ArraySource;

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
  /** Words behind the alias, such as ` WITH OFFSET AS n` of BigQuery. */
  readonly suffix?: string;
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

export interface JoinSource {
  readonly kind: 'join';
  readonly at: number;
  readonly from: From;
  readonly alias: string | undefined;
  readonly columns?: readonly string[];
}

/** What ClickHouse's ARRAY JOIN reads: arrays of the row, of which each element makes a row. */
export interface ArraySource {
  readonly kind: 'arrays';
  readonly at: number;
  readonly arrays: readonly NamedColumn[];
  readonly alias: string | undefined;
  readonly columns?: readonly string[];
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
  | Row
  | Lambda
  | Form;

export interface Prefix {
  readonly kind: 'prefix';
  readonly at: number;
  readonly operator: 'NOT' | '-' | '+' | '~' | '!' | '@';
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
  readonly operator: 'LIKE' | 'GLOB' | 'REGEXP' | 'MATCH' | 'ILIKE' | 'SIMILAR TO' | 'SOUNDS LIKE';
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
  readonly schema?: string | undefined;
  readonly name: string;
  /** A word of the grammar, such as JSON_ARRAYAGG, that stands for no function of that name. */
  readonly isWord?: boolean;
  readonly distinct: boolean;
  /** `name(*)`. */
  readonly star: boolean;
  /** What parametric aggregates of ClickHouse have before their arguments: `quantile(0.9)(x)`. */
  readonly parameters?: readonly Expr[];
  readonly args: readonly Expr[];
  readonly orderBy: readonly OrderTerm[];
  /** The order is that of `WITHIN GROUP (ORDER BY …)`. */
  readonly withinGroup?: boolean;
  /** The last argument is an array of all that follow. */
  readonly variadic?: boolean;
  /** What follows the arguments, inside the parentheses: `IGNORE NULLS`, `SEPARATOR ', '`. */
  readonly tail?: Form | undefined;
  readonly filter: Expr | undefined;
  /** ` IGNORE NULLS` before OVER. */
  readonly nulls?: Form;
  /** The window itself, or the name of one in the WINDOW clause. */
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

/** A function to apply to each element: `LAMBDA x, y: body`, or as an arrow `(x, y) -> body`. */
export interface Lambda {
  readonly kind: 'lambda';
  readonly at: number;
  readonly params: readonly string[];
  readonly isArrow: boolean;
  readonly body: Expr;
}

/** Syntax of one engine that needs no meaning here: operands between words, which never come from the statement as they are. */
export interface Form {
  readonly kind: 'form';
  readonly at: number;
  /** Binding strength of the whole. */
  readonly level: number;
  readonly parts: readonly (string | FormOperand)[];
  /** A cast to this type of the database, as its name prints, which has to be an enumeration. */
  readonly enumeration?: string;
}

/** In parentheses unless it binds at least as strongly as `minimum`. */
export interface FormOperand {
  readonly expr: Expr;
  readonly minimum: number;
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
