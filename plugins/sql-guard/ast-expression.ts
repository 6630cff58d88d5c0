/** The expressions of a reading statement, and their windows. */
import type { OrderTerm, Select, Source } from './ast.ts';
import type { BoundValue } from './row-filter.ts';

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
  /** A value to bind in the column's place. Only conditions on rows have them, never a statement. */
  bound?: BoundValue;
}

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
  readonly args: readonly Expr[];
  readonly orderBy: readonly OrderTerm[];
  /** The order is that of `WITHIN GROUP (ORDER BY …)`. */
  readonly withinGroup?: boolean;
  /** The last argument is an array of all that follow. */
  readonly variadic?: boolean;
  /** What follows the arguments, inside the parentheses: `IGNORE NULLS`, `SEPARATOR ', '`. */
  readonly tail?: Form | undefined;
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
