/** Describes GoogleSQL as BigQuery has it, by its published documentation. */
import { form } from '../../ast/forms.ts';
import { type ColumnType, standardColumnType } from '../column-types.ts';
import { TRUTH_TEST, type ValueType, wordSet } from '../infallible.ts';
import type { SqlDialect } from '../sql-dialect.ts';
import { argumentProblem } from './argument-bounds.ts';
import { bigqueryFunctions, bigquerySubstitutes } from './functions.ts';
import { bigqueryKeywords } from './keywords.ts';
import { printName, printText } from './names.ts';
import { bigqueryRendering } from './rendering.ts';
import { settlePaths } from './settle-paths.ts';
import { bigquerySyntax } from './syntax.ts';

/**
 * BigQuery. A table without dataset is one of the connection's, whose name a copy of this has; a dataset of another
 * project is called `project.dataset`.
 */
export const bigquery: SqlDialect = {
  name: 'bigquery',
  label: 'BigQuery',
  telemetryName: 'other_sql',
  isBilled: true,
  advice: `DATE_TRUNC(d, MONTH) gives the month (TIMESTAMP_TRUNC of a timestamp), DATE_SUB(d, INTERVAL 1 MONTH) moves; \`name\` quotes a name, 'x' and "x" are texts; 7 / 2 is 3.5, DIV(7, 2) is 3; LOWER(a) LIKE LOWER(b) ignores case; UNION needs ALL or DISTINCT; arrays are read by FROM t, UNNEST(t.items) AS i.`,
  keywords: bigqueryKeywords,
  syntax: bigquerySyntax,
  notation: {
    texts: '\'"',
    names: '`',
    escapes: 'always',
    hasTripleQuotes: true,
    hasDollarQuotes: false,
    hasNestedComments: false,
    lineComment: /(?:#|--)[^\r\n]*/y,
  },
  rendering: bigqueryRendering,
  defaultSchema: 'default',
  hasSchemas: true,
  hasExactTables: true,
  // Partitions and moments of a table, and all tables whose names begin alike.
  isSystemName: (name) => /[$@*]|^__/.test(name),
  forConnection({ schema, maskedUrl }) {
    const catalog = /^[a-z]+:\/\/([^/]+)\//.exec(maskedUrl)?.[1];
    return {
      ...this,
      ...(schema !== undefined && { defaultSchema: schema }),
      ...(catalog !== undefined && { catalog }),
    };
  },
  hasOrderedWith: true,
  hasFields: true,
  functions: bigqueryFunctions,
  tableFunctions: new Set(),
  substitutes: bigquerySubstitutes,
  argumentProblem,
  // A column may have a collation for which `Ann` equals `ANN`; an empty one takes it away.
  exactText: (column) => form(column.at, 'COLLATE(', column, ", '')"),
  // A condition behind a LIMIT means another thing than one before it.
  optimizationFence: ' LIMIT 9223372036854775807',
  infallible: {
    filtersRows: true,
    functions: new Set(),
    forms: new RegExp(`^${TRUTH_TEST}$`),
    aggregates: wordSet('count countif sum avg min max any_value array_agg string_agg'),
    valueTypes: { ofColumn: valueType, casts: new Map() },
  },
  secure: settlePaths,
  columnType,
  printName,
  printText,
  isGoogle: true,
  hasCatalogs: true,
};

function columnType(declared: string): ColumnType {
  if (/^(?:array|range|struct|bytes)\b/i.test(declared)) return 'converted';
  return /^big(?:numeric|decimal)/i.test(declared) ? 'number' : standardColumnType(declared);
}

/** Decimals are left out: a number of the statement may not fit theirs. */
function valueType(declared: string): ValueType | undefined {
  const types = { INT64: 'integer', FLOAT64: 'float', STRING: 'text', BOOL: 'boolean', DATE: 'date' } as const;
  const plain = declared.toUpperCase().replace(/\(.*$/, '');
  if (plain === 'TIMESTAMP' || plain === 'DATETIME') return 'scaled';
  return (types as Readonly<Record<string, ValueType>>)[plain];
}
