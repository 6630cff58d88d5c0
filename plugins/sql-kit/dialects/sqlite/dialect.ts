/** Describes SQLite's SQL. */
import { baseSyntax } from '../../parse/base-syntax.ts';
import { baseToken } from '../../parse/lexer.ts';
import type { ColumnType } from '../column-types.ts';
import { formatProblem } from '../format-width.ts';
import { wordSet } from '../infallible.ts';
import { LINE_COMMENT } from '../notation.ts';
import type { SqlDialect } from '../sql-dialect.ts';
import { sqliteFunctions, sqliteSubstitutes, sqliteTableFunctions } from './functions.ts';
import { sqliteKeywords } from './keywords.ts';
import { sqliteRendering } from './rendering.ts';
import { syntaxHint } from './syntax-hint.ts';

export const sqlite: SqlDialect = {
  name: 'sqlite',
  label: 'SQLite',
  advice: `dates are texts: strftime('%Y-%m', d) gives the month, date(d, '-1 month') moves one; "name" quotes a name; 7 / 2 is 3, 7.0 / 2 is 3.5; LIKE ignores the case of ASCII letters.`,
  keywords: sqliteKeywords,
  syntax: { ...baseSyntax, token: baseToken, hint: syntaxHint },
  notation: {
    texts: "'",
    names: '"`[',
    escapes: 'never',
    hasDollarQuotes: false,
    hasNestedComments: false,
    lineComment: LINE_COMMENT,
  },
  rendering: sqliteRendering,
  defaultSchema: 'main',
  hasSchemas: false,
  showsJoined: true,
  isSystemName: (name) => name.startsWith('sqlite_') || name.startsWith('pragma_') || name === 'dbstat',
  // A primary key of integers is the row's number.
  rowNumbers: new Set(['rowid', 'oid', '_rowid_']),
  functions: sqliteFunctions,
  tableFunctions: sqliteTableFunctions,
  substitutes: sqliteSubstitutes,
  argumentProblem: formatProblem,
  exactText: (operand) => ({ kind: 'collate', at: operand.at, operand, collation: 'BINARY' }),
  optimizationFence: ' LIMIT -1',
  infallible: {
    converts: true,
    takesFirstRow: true,
    operators: wordSet('+ - * / %'),
    functions: wordSet(
      'lower upper length coalesce ifnull nullif iif if date time datetime julianday strftime unixepoch round',
    ),
    forms: /^$/,
    aggregates: wordSet('count sum avg min max total group_concat string_agg median'),
  },
  timeZone: 'UTC',
  columnType: affinity,
  hasDynamicTypes: true,
};

/** SQLite's own rules, in its order. */
function affinity(declared: string): ColumnType {
  const type = declared.toUpperCase();
  if (type.includes('INT')) return 'integer';
  if (/CHAR|CLOB|TEXT/.test(type)) return 'text';
  if (type === '' || type.includes('BLOB')) return 'any';
  if (/REAL|FLOA|DOUB/.test(type)) return 'number';
  return /^BOOL/.test(type) ? 'boolean' : 'flexible';
}
