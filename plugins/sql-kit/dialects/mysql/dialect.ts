/** Describes the SQL of MySQL and MariaDB. */
import { form } from '../../ast/forms.ts';
import { type ColumnType, standardColumnType } from '../column-types.ts';
import { TRUTH_TEST, wordSet } from '../infallible.ts';
import type { SqlDialect } from '../sql-dialect.ts';
import { boundMatches } from './full-text-search.ts';
import { mysqlFunctions, mysqlSubstitutes } from './functions.ts';
import { mysqlKeywords } from './keywords.ts';
import { mysqlRendering } from './rendering.ts';
import { mysqlSyntax } from './syntax.ts';

const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** MySQL 8 and MariaDB. A table without schema is one of the connection's database, whose name a copy of this may have. */
export const mysql: SqlDialect = {
  name: 'mysql',
  label: 'MySQL',
  advice: `DATE_FORMAT(t, '%Y-%m') gives the month, t - INTERVAL 1 MONTH moves; \`name\` quotes a name; 7 / 2 is 3.5, 7 DIV 2 is 3; LIKE and = ignore case unless the column's collation does not.`,
  keywords: mysqlKeywords,
  syntax: mysqlSyntax,
  notation: {
    texts: '\'"',
    names: '`',
    escapes: 'always',
    hasDollarQuotes: false,
    hasNestedComments: false,
    lineComment: /#[^\n]*|--(?=\s|$)[^\n]*/y,
  },
  rendering: mysqlRendering,
  defaultSchema: '',
  hasSchemas: true,
  hasExactTables: true,
  isSystemName: () => false,
  forConnection({ schema }) {
    return schema === undefined ? this : { ...this, defaultSchema: schema };
  },
  hasOrderedWith: true,
  recursion: 'everywhere',
  functions: mysqlFunctions,
  tableFunctions: new Set(),
  substitutes: mysqlSubstitutes,
  argumentProblem: () => undefined,
  // Neither collation nor trailing blanks make another text equal.
  exactText: (column) => form(column.at, 'CAST(CONVERT(', column, ' USING utf8mb4) AS BINARY)'),
  mixesNamesakes: true,
  // MariaDB merges subqueries wrongly under window functions, and masks where an outer join finds no row or where rows
  // are grouped: there two columns with one mask take one name.
  separatesParts: (text, isMasked) =>
    /\bover\b/i.test(text) || (isMasked && /\b(?:(?:left|right)\b(?!\s*\()|group\b|distinct\b)/i.test(text)),
  optimizationFence: ' LIMIT 18446744073709551615',
  infallible: {
    converts: true,
    functions: wordSet(
      'lower upper now curdate date year month day quarter date_format date_add date_sub coalesce ifnull nullif if',
    ),
    forms: new RegExp(
      `^(?:${TRUTH_TEST}|INTERVAL § [A-Z_]+|EXTRACT\\([A-Z]+ FROM §\\)|CAST\\(§ AS (?:BINARY|CHAR|DATE|DATETIME|TIME|DECIMAL|DOUBLE|SIGNED|UNSIGNED)(?:\\([\\d, ]+\\))?\\)|MATCH \\(§(?:, §)*\\) AGAINST \\(§[A-Z ]*\\))$`,
    ),
    aggregates: wordSet('count sum avg min max group_concat'),
  },
  secure: (statement, _tables, text, read) => boundMatches(statement, read, text),
  timeZone: 'UTC',
  columnType,
  printName(name) {
    return PLAIN_NAME.test(name) && !mysqlKeywords.has(name.toUpperCase()) ? name : `\`${name.replaceAll('`', '``')}\``;
  },
  // A doubled quote and a doubled backslash end where they end in every mode of the server.
  printText: (text) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`,
};

/** Types that are compared with any text, taken for zero or for its beginning, are read as what they hold. */
function columnType(declared: string): ColumnType {
  if (/^(?:bit|year)\b/i.test(declared)) return 'integer';
  return /^(?:set|date|datetime|time|timestamp)\b/i.test(declared) ? 'text' : standardColumnType(declared);
}
