import { form } from '../../parse/call-words.ts';
import type { SqlDialect } from '../sql-dialect.ts';
import { boundMatches } from './full-text-search.ts';
import { mysqlFunctions, mysqlSubstitutes } from './functions.ts';
import { mysqlKeywords } from './keywords.ts';
import { mysqlSyntax } from './syntax.ts';

const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** MySQL 8 and MariaDB. A table without schema is one of the connection's database, whose name a copy of this may have. */
export const mysql: SqlDialect = {
  name: 'mysql',
  keywords: mysqlKeywords,
  defaultSchema: '',
  hasSchemas: true,
  hasExactTables: true,
  hasOrderedWith: true,
  recursion: 'everywhere',
  mixesNamesakes: true,
  // MariaDB merges subqueries wrongly under window functions, and masks where an outer join finds no row or where rows
  // are grouped: there two columns with one mask take one name.
  separatesParts: (text, isMasked) =>
    /\bover\b/i.test(text) || (isMasked && /\b(?:(?:left|right)\b(?!\s*\()|group\b|distinct\b)/i.test(text)),
  functions: mysqlFunctions,
  tableFunctions: new Set(),
  substitutes: mysqlSubstitutes,
  syntax: mysqlSyntax,
  argumentProblem: () => undefined,
  secure: (statement, _tables, text, read) => boundMatches(statement, read, text),
  // Neither collation nor trailing blanks make another text equal.
  exactText: (column) => form(column.at, 'CAST(CONVERT(', column, ' USING utf8mb4) AS BINARY)'),
  isSystemName: () => false,
  printName(name) {
    return PLAIN_NAME.test(name) && !mysqlKeywords.has(name.toUpperCase()) ? name : `\`${name.replaceAll('`', '``')}\``;
  },
  // A doubled quote and a doubled backslash end where they end in every mode of the server.
  printText: (text) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`,
};
