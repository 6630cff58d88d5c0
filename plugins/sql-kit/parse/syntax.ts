/** How an engine writes SQL: what lexer, parser and printer must know beyond what all engines have in common. */

import { infixLevels, Level } from '../ast/precedence.ts';
import type { Core, Expr, Form, Join, ResultColumn, Source, Star, TableSource } from '../ast/tree.ts';
import type { SqlDialect } from '../dialects/sql-dialect.ts';
import type { Cursor } from './cursor.ts';
import type { LexLimits, Token } from './lexer.ts';

export interface Syntax {
  readonly Lexer: new (text: string, dialect: SqlDialect, limits: LexLimits) => { run(): Token[] };
  /** Signs and words between two operands. */
  readonly infix: ReadonlyMap<string, number>;
  /** Operators whose right operand must bind more strongly than their own level says. */
  readonly rightLevels?: ReadonlyMap<string, number>;
  /** Words like LIKE, IN and BETWEEN, and how strongly they bind. */
  readonly predicates: ReadonlySet<string>;
  readonly predicateLevel: number;
  /** How strongly the first bound of BETWEEN must bind, and the second. */
  readonly betweenLevels: readonly [low: number, high: number];
  /** The canonical spelling of operators that have several. */
  readonly spelling?: ReadonlyMap<string, string>;
  /** Signs before an operand, and how strongly that operand binds. */
  readonly prefixes: ReadonlyMap<string, number>;
  /** How strongly the operand of a printed NOT must bind. */
  readonly notLevel: number;
  /** Words that begin a reading statement. */
  readonly openers: ReadonlySet<string>;
  /**
   * Whether it has what SQLite lacks: set operations with ALL and of parts in parentheses, lists of columns after an
   * alias, LATERAL, ANY and ALL, FETCH FIRST.
   */
  readonly isStandard: boolean;
  /** DuckDB's friendly SQL: FROM first, `name: value`, commas at the end, DISTINCT ON, FILTER without WHERE. */
  readonly isFriendly?: boolean;
  /** Whether text in single quotes can be a name. */
  readonly textIsName: boolean;
  /** Whether text can be the name of a result column without AS. */
  readonly textIsAlias?: boolean;
  /** A column without alias is named after its text when that is not longer than this. */
  readonly longestNamingText: number;
  /** Words after SELECT that ask for a way of working and not for another result; they are left out. */
  readonly selectWords?: ReadonlySet<string>;
  /** Operands that only this engine has; `undefined`, with nothing consumed, for all others. */
  primary?(cursor: Cursor): Expr | undefined;
  /** Words that join: `ASOF LEFT JOIN`. */
  join?(cursor: Cursor): Pick<Join, 'kind' | 'natural' | 'asof'> | undefined;
  /** What may follow a table's name and alias. */
  tableHints?(cursor: Cursor): Partial<TableSource> | undefined;
  /** Sources in FROM that only this engine has. */
  source?(cursor: Cursor): Source | undefined;
  /** What a source becomes by words after it: `TABLESAMPLE 10%`, `PIVOT (…)`. */
  changed?(cursor: Cursor, source: Source): Source;
  /** A SELECT that begins with words of its own. */
  core?(cursor: Cursor): Core | undefined;
  /** The number of rows, where it is no plain expression. */
  limit?(cursor: Cursor): Expr | undefined;
  /** What changes a `*` that has just been read. */
  star?(cursor: Cursor, star: Star): ResultColumn;
  /** `USING SAMPLE …` in its canonical spelling. */
  sample?(cursor: Cursor): string | undefined;
  /** What may stand in GROUP BY besides expressions. */
  grouping?(cursor: Cursor): Expr | undefined;
  /** What may stand in ORDER BY besides expressions. */
  ordering?(cursor: Cursor): Expr | undefined;
  /** What may follow an operand without a right operand: `::type`, `[1]`; `undefined` when nothing does. */
  postfix?(cursor: Cursor, operand: Expr): Expr | undefined;
  /** What may follow the arguments of a function, inside its parentheses. */
  tail?(cursor: Cursor): Form | undefined;
  /** An argument of a function where it is no plain expression. */
  argument?(cursor: Cursor): Expr | undefined;
}

/** What SQLite does; it is also where the others begin. */
export const sqliteSyntax: Omit<Syntax, 'Lexer'> = {
  infix: infixLevels,
  predicates: new Set(['BETWEEN', 'IN', 'LIKE', 'GLOB', 'REGEXP', 'MATCH']),
  predicateLevel: Level.equality,
  betweenLevels: [Level.not, Level.comparison],
  prefixes: new Map([
    ['-', Level.prefix],
    ['+', Level.prefix],
    ['~', Level.prefix],
  ]),
  notLevel: Level.equality,
  openers: new Set(['SELECT', 'VALUES', 'WITH']),
  isStandard: false,
  textIsName: true,
  longestNamingText: Number.POSITIVE_INFINITY,
};
