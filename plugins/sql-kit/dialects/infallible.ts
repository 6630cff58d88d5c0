/** Declares what a dialect says of expressions that never fail, whatever values they meet. */

/**
 * Types of values of which comparisons and conversions are known to succeed; no other type has a name here.
 * `literal`: a text or NULL that takes the other side's type when the statement is planned; `digits`: a plain number;
 * `moment`: a point in time that is the same for every row; `scaled`: one whose range depends on its type's scale.
 */
export type ValueType =
  | 'literal'
  | 'digits'
  | 'integer'
  | 'numeric'
  | 'float'
  | 'text'
  | 'boolean'
  | 'uuid'
  | 'date'
  | 'timestamp'
  | 'timestamptz'
  | 'moment'
  | 'scaled';

/** What is not named here may fail. */
export interface InfallibleExpressions {
  /** Comparisons and conversions never fail; otherwise operands have to be of types that go together. */
  readonly converts?: boolean;
  /** No comparison and no CASE of several results is known to succeed. */
  readonly comparisonsFail?: boolean;
  /** A condition that is no boolean is converted to one, which may fail. */
  readonly convertsConditions?: boolean;
  /** The first of several rows of a scalar subquery is taken. */
  readonly takesFirstRow?: boolean;
  /** The FILTER of an aggregate may be tried as a condition on rows. */
  readonly filtersRows?: boolean;
  readonly operators?: ReadonlySet<string>;
  readonly functions: ReadonlySet<string>;
  /** Forms of the tree, their operands written as `§`. */
  readonly forms: RegExp;
  readonly aggregates: ReadonlySet<string>;
  /** Where values of types that go together compare without failing; missing: types say nothing. */
  readonly valueTypes?: ValueTypes;
}

export interface ValueTypes {
  /** The kind of a column's type as the database describes it; `undefined` where comparing its values may fail. */
  ofColumn(declared: string): ValueType | undefined;
  /** By the names of types to which casts print. */
  readonly casts: ReadonlyMap<string, ValueType>;
}

export const wordSet = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Operands are written as `§`. */
export const NULL_TEST = '§ IS (?:NOT )?NULL';
export const TRUTH_TEST = '§ IS (?:NOT )?(?:TRUE|FALSE|UNKNOWN|NULL)';
