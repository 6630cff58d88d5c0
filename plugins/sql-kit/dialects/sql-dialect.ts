/** Declares a dialect: all that Atlas knows about the SQL of one engine, in one value. */
import type { ConnectionInfo } from '../../../kernel/index.ts';
import type { Call, Expr, Select } from '../ast/tree.ts';
import type { Grammar, Syntax } from '../parse/cursor.ts';
import type { LexLimits } from '../parse/lexer.ts';
import type { PrintRules } from '../print/expression.ts';
import type { ColumnType } from './column-types.ts';
import type { InfallibleExpressions } from './infallible.ts';
import type { Notation } from './notation.ts';
import type { ReadableTable, ReadableTables } from './readable-table.ts';
import type { Rendering } from './rendering.ts';

export interface SqlDialect extends Grammar, PrintRules {
  readonly keywords: Grammar['keywords'];
  readonly syntax: Syntax;
  /** What connections name in `dbType`. */
  readonly name: string;
  /** What people and models call it. */
  readonly label: string;
  /** For models, in one line: how it truncates a date, quotes a name, divides integers and compares texts. */
  readonly advice?: string;
  /** What OpenTelemetry calls the engine in `db.system.name`; missing: `name`. */
  readonly telemetryName?: string;

  // ── texts ───────────────────────────────────────────────────────────────────────────────────────────────────────

  readonly notation: Notation;
  readonly rendering: Rendering;

  // ── names ───────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Whether tables of other schemas can be read. */
  readonly hasSchemas: boolean;
  /**
   * Tables are equal only to the letter, all other names in any case. Common tables are the one or the other, depending
   * on the server, so one that is named in another case is refused.
   */
  readonly hasExactTables?: boolean;
  /** Names that belong to the engine itself, given lower case: never a table, never a common table. */
  isSystemName(name: string): boolean;
  /** Columns that every table of the engine has besides its own. */
  readonly systemColumns?: ReadonlySet<string>;
  /** Those of them, in lower case, by which one of the table's own columns goes too. */
  readonly rowNumbers?: ReadonlySet<string>;
  /** The dialect of one connection, with its schema or the name of its database; missing: that of all. */
  forConnection?(connection: Pick<ConnectionInfo, 'schema' | 'maskedUrl'>): SqlDialect;

  // ── reading ─────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Has to be awaited before the first statement is read. */
  load?(): Promise<void>;
  /** Reads statements where that is not done by the lexer and parser of this kit. */
  readonly reader?: SqlReader;
  /** Without RECURSIVE, a common table sees those before it and never itself. */
  readonly hasOrderedWith?: boolean;
  /**
   * With RECURSIVE a common table sees those before it too, and itself: everywhere in its SELECT, or to the right of the
   * last UNION only. Missing: all see all.
   */
  readonly recursion?: 'everywhere' | 'right';
  /** The tables of a join in parentheses can be named although the whole has an alias. */
  readonly showsJoined?: boolean;

  // ── functions ───────────────────────────────────────────────────────────────────────────────────────────────────

  /** Functions that may stand in FROM, lower case. */
  readonly tableFunctions: ReadonlySet<string>;
  /** What to write instead of a function that this engine does not have or that is refused; lower-case name to hint. */
  readonly substitutes: ReadonlyMap<string, string>;
  /** Arguments with which a harmless function allocates without bound. */
  argumentProblem(call: Call): ArgumentProblem | undefined;

  // ── hidden rows and columns ─────────────────────────────────────────────────────────────────────────────────────

  /** A column of texts such that only the same text equals it, where its collation may be more lenient. */
  exactText?(column: Expr): Expr;
  /**
   * By which name a table goes within what stands in its place, where its own could mean something of the statement
   * around it. No statement that is read holds such a name.
   */
  partName?(table: string): string;
  /**
   * What shows a column of this type, or what masks it, of a table of which some rows are hidden; `undefined`: the column
   * itself. Where the dialect has this, the types of such tables have to be known.
   */
  shownColumn?(shown: Expr, declared: string, isMask: boolean): Expr | undefined;
  /** Whether an expression hides what it masks; missing: all do. */
  hidesValues?(mask: Expr): boolean;
  /** Takes columns of two subqueries for one when the tables inside go by one name. */
  readonly mixesNamesakes?: boolean;
  /**
   * Whether what may be seen of a table must be worked out by itself, because the engine may answer this statement
   * wrongly when it puts the two together.
   */
  separatesParts?(text: string, isMasked: boolean): boolean;
  /**
   * A limit that no table reaches, as the last words of a subquery: the engine then works it out by itself. `undefined`:
   * nothing is known to do that, and statements that need it are refused.
   */
  readonly optimizationFence: string | undefined;
  readonly infallible: InfallibleExpressions;
  /**
   * Changes a resolved statement, which reads the tables `read`, so that the engine reads it as it was checked. Throws
   * `SqlRefusal`.
   */
  secure?(statement: Select, tables: ReadableTables, text: string, read: Iterable<ReadableTable>): void;

  // ── types of columns ────────────────────────────────────────────────────────────────────────────────────────────

  /** By the type's name as the database describes the column. */
  columnType(declared: string): ColumnType;
  /** Columns may hold values of any type whatever theirs is; dates are texts. */
  readonly hasDynamicTypes?: boolean;
  /** In which times without a zone are read and written; missing: the connection or its server decides. */
  readonly timeZone?: string;
  /** Each statement costs money, so none is run that nobody has asked for. */
  readonly isBilled?: boolean;
  /** Where a date is expected, reads texts such as 'today' and 'Jan 5, 2025'. */
  readonly readsDateWords?: boolean;
}

/** Both throw `SqlRefusal`. */
export interface SqlReader {
  statement(text: string, limits: LexLimits): Select;
  expression(text: string, limits: LexLimits): Expr;
}

export interface ArgumentProblem {
  readonly what: string;
  readonly hint: string;
}
