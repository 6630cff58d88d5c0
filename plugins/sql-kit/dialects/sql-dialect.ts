import type { Dialect } from '../../semantic-query/index.ts';
import type { AllowedTable, AllowedTables } from '../../sql-guard/allowed-tables.ts';
import type { Call, Expr, Select } from '../ast/tree.ts';
import type { LexLimits } from '../parse/lexer.ts';
import type { Syntax } from '../parse/syntax.ts';

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
  /** The database's own name, in lower case, which may stand before a schema; missing: none is known. */
  readonly catalog?: string;
  /** Whether tables of other schemas can be read. */
  readonly hasSchemas: boolean;
  /** Scalar, aggregate and window functions that may be called, lower case. */
  readonly functions: ReadonlySet<string>;
  /** A column of texts such that only the same text equals it, where its collation may be more lenient. */
  exactText?(column: Expr): Expr;
  /** Functions that may stand in FROM, lower case. */
  readonly tableFunctions: ReadonlySet<string>;
  /** What to write instead of a function that this engine does not have or that is refused; lower-case name to hint. */
  readonly substitutes: ReadonlyMap<string, string>;
  /** How the engine writes SQL, for our own parser. */
  readonly syntax: Syntax;
  /** Names that belong to the engine itself, given lower case: never a table, never a CTE. */
  isSystemName(name: string): boolean;
  /** Has to be awaited before the first statement is read. */
  load?(): Promise<void>;
  /** Reads statements where that is not done by the lexer and parser of this plugin. */
  readonly reader?: SqlReader;
  /** Names are equal only to the letter: the reader has folded those that were written without quotes. */
  readonly hasExactNames?: boolean;
  /**
   * Tables are equal only to the letter, all other names in any case. Common tables are the one or the other, depending
   * on the server, so one that is named in another case is refused.
   */
  readonly hasExactTables?: boolean;
  /** Without RECURSIVE, a common table sees those before it and never itself. */
  readonly hasOrderedWith?: boolean;
  /**
   * With RECURSIVE a common table sees those before it too, and itself: everywhere in its SELECT, or to the right of the
   * last UNION only. Missing: all see all.
   */
  readonly recursion?: 'everywhere' | 'right';
  /** Takes columns of two subqueries for one when the tables inside go by one name. */
  readonly mixesNamesakes?: boolean;
  /**
   * Whether what may be seen of a table must be worked out by itself, because the engine may answer this statement
   * wrongly when it puts the two together.
   */
  separatesParts?(text: string, isMasked: boolean): boolean;
  /** The tables of a join in parentheses can be named although the whole has an alias. */
  readonly showsJoined?: boolean;
  /** `column.field` reads a part of a value. */
  readonly hasFields?: boolean;
  /** Where `functions` live; a call of another schema is one of those allowed by option. */
  readonly functionSchema?: string;
  /** Columns that every table of the engine has besides its own. */
  readonly systemColumns?: ReadonlySet<string>;
  /**
   * Changes a resolved statement, which reads the tables `read`, so that the engine reads it as it was checked. Throws
   * `SqlRefusal`.
   */
  secure?(statement: Select, tables: AllowedTables, text: string, read: Iterable<AllowedTable>): void;
  /** Arguments with which a harmless function allocates without bound. */
  argumentProblem?(call: Call): { readonly what: string; readonly hint: string } | undefined;
  /** The name as it prints, in quotes where needed. */
  printName?(name: string): string;
  /** The text as it prints, in quotes. */
  printText?(text: string): string;
  /** The place of a bound value, counted from 1. */
  printParam?(number: number): string;
}

/** Both throw `SqlRefusal`. */
export interface SqlReader {
  statement(text: string, limits: LexLimits): Select;
  expression(text: string, limits: LexLimits): Expr;
}

/** Whether the name is that of the database which is asked. */
export const isOwnCatalog = (name: string, { catalog }: SqlDialect): boolean =>
  catalog !== undefined && fold(name) === catalog;

const NOT_ASCII = /\P{ASCII}/u;

/** Lower case of ASCII letters only, as engines compare names: U+212A is not a `k`, U+017F is not an `s`. */
export function fold(name: string): string {
  const lower = name.toLowerCase();
  // Most names are in lower case already; then there is nothing to tell apart.
  if (lower === name) return name;
  return NOT_ASCII.test(name) ? name.replace(/[A-Z]/g, (letter) => letter.toLowerCase()) : lower;
}
