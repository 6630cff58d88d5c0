// The tree of a statement.
export { form, listForm, operandsOf, shapeOf } from './ast/forms.ts';
export { fold, isOwnCatalog } from './ast/names.ts';
export { infixLevels, Level } from './ast/precedence.ts';
export type * from './ast/tree.ts';
export { forEachInWindow, forEachOperand, forEachPart, forEachTerm, someOperand } from './ast/walk.ts';
// Dialects.
export { type ColumnType, standardColumnType } from './dialects/column-types.ts';
export { formatProblem } from './dialects/format-width.ts';
export {
  type InfallibleExpressions,
  NULL_TEST,
  TRUTH_TEST,
  type ValueType,
  type ValueTypes,
  wordSet,
} from './dialects/infallible.ts';
export { kitDialect, kitDialects } from './dialects/kit-dialects.ts';
export { LINE_COMMENT, type Notation, standardNotation } from './dialects/notation.ts';
export { postgres } from './dialects/postgres/dialect.ts';
export type { ReadableTable, ReadableTables, VisibleColumn } from './dialects/readable-table.ts';
export {
  type Grain,
  likePattern,
  type MatchKind,
  nullsLast,
  quoting,
  type Rendering,
  standardRendering,
} from './dialects/rendering.ts';
export type { ArgumentProblem, SqlDialect, SqlReader } from './dialects/sql-dialect.ts';
export { dialectOf, findDialect, sqlDialects } from './hooks.ts';
// Reading.
export { baseSyntax } from './parse/base-syntax.ts';
export type { Cursor, Grammar, KeywordUse, Syntax } from './parse/cursor.ts';
export { type Position, positionAt, type RefusalRule, SqlRefusal } from './parse/errors.ts';
export { BOUND_MARK, baseToken, DEFAULT_LIMITS, type Lexer, type LexLimits, lex, type Token } from './parse/lexer.ts';
export { type Part, partAt } from './parse/parts.ts';
export { parseExpression, parseStatement } from './parse/statement.ts';
// Writing.
export type { PrintRules } from './print/expression.ts';
export { printExpression, printInPieces, printSelect, printStatement } from './print/statement.ts';
export { redactLiterals } from './redact.ts';
