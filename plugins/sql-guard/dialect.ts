import type { Dialect } from '../semantic-query/plan.ts';

/**
 * What a keyword may also be:
 * `reserved` never a name; `name` a name wherever it has no meaning of its own;
 * `join` a name except as an alias without AS, where it starts a join.
 */
export type KeywordUse = 'reserved' | 'name' | 'join';

/** All that lexer, parser, resolver and printer know about one engine. */
export interface SqlDialect {
  readonly name: Dialect;
  /** Upper-case keyword to its use. */
  readonly keywords: ReadonlyMap<string, KeywordUse>;
  /** The schema that an unqualified table name means. */
  readonly defaultSchema: string;
  /** Whether tables of other schemas can be read. */
  readonly hasSchemas: boolean;
  /** Scalar, aggregate and window functions that may be called, lower case. */
  readonly functions: ReadonlySet<string>;
  /** Functions that may stand in FROM, lower case. */
  readonly tableFunctions: ReadonlySet<string>;
  /** What to write instead of a function that this engine does not have or that is refused; lower-case name to hint. */
  readonly substitutes: ReadonlyMap<string, string>;
  /** Names that belong to the engine itself, given lower case: never a table, never a CTE. */
  isSystemName(name: string): boolean;
}

const NOT_ASCII = /\P{ASCII}/u;

/** Lower case of ASCII letters only, as engines compare names: U+212A is not a `k`, U+017F is not an `s`. */
export function fold(name: string): string {
  return NOT_ASCII.test(name) ? name.replace(/[A-Z]/g, (letter) => letter.toLowerCase()) : name.toLowerCase();
}
