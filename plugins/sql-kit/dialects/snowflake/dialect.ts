/** Describes Snowflake's SQL, as its documentation has it. */
import type { Expr } from '../../ast/tree.ts';
import type { ColumnType } from '../column-types.ts';
import { NULL_TEST, type ValueType, wordSet } from '../infallible.ts';
import type { SqlDialect } from '../sql-dialect.ts';
import { argumentProblem } from './argument-bounds.ts';
import { snowflakeFunctions, snowflakeSubstitutes } from './functions.ts';
import { snowflakeKeywords } from './keywords.ts';
import { printName, printText } from './names.ts';
import { snowflakeRendering } from './rendering.ts';
import { printLimit, snowflakeSyntax } from './syntax.ts';

/**
 * Snowflake. A table without schema is one of the connection's, whose name a copy of this has; a schema of another database
 * is called `database.schema`.
 */
export const snowflake: SqlDialect = {
  name: 'snowflake',
  label: 'Snowflake',
  isBilled: true,
  advice: `DATE_TRUNC('month', t) gives the month, DATEADD('month', -1, t) moves; a date is DATE '2024-01-31'; names without quotes are in capital letters, "name" is exact; 7 / 2 is 3.5; ILIKE ignores case; v:key.part::VARCHAR reads JSON; QUALIFY filters window functions; recursion needs WITH RECURSIVE.`,
  keywords: snowflakeKeywords,
  syntax: snowflakeSyntax,
  notation: {
    texts: "'",
    names: '"',
    escapes: 'always',
    hasDollarQuotes: true,
    hasNestedComments: false,
    lineComment: /(?:--|\/\/)[^\n]*/y,
  },
  rendering: snowflakeRendering,
  defaultSchema: 'PUBLIC',
  hasSchemas: true,
  hasExactNames: true,
  isSystemName: () => false,
  forConnection({ schema, maskedUrl }) {
    const catalog = /^snowflake:\/\/[^/]*\/([^/]+)\//.exec(maskedUrl)?.[1];
    return {
      ...this,
      ...(schema !== undefined && { defaultSchema: schema }),
      ...(catalog !== undefined && { catalog }),
    };
  },
  hasOrderedWith: true,
  recursion: 'right',
  functions: snowflakeFunctions,
  tableFunctions: new Set(),
  substitutes: snowflakeSubstitutes,
  argumentProblem,
  exactText,
  // That a limit is kept although no table reaches it is SQL's meaning of it, and no promise of the documentation.
  optimizationFence: ' LIMIT 9223372036854775807',
  infallible: {
    functions: new Set(),
    forms: new RegExp(`^${NULL_TEST}$`),
    aggregates: wordSet('count sum avg min max any_value array_agg'),
    valueTypes: { ofColumn: valueType, casts: new Map() },
  },
  columnType,
  printName,
  printText,
  printLimit,
  hasCatalogs: true,
};

/** A column may have a collation for which `Ann` equals `ANN`. */
function exactText(column: Expr): Expr {
  const { at } = column;
  const nothing = { distinct: false, star: false, orderBy: [], filter: undefined, over: undefined };
  return { kind: 'call', at, name: 'COLLATE', args: [column, { kind: 'string', at, value: 'utf8' }], ...nothing };
}

function columnType(declared: string): ColumnType {
  if (/^NUMBER\(\d+,0\)$/.test(declared)) return 'integer';
  if (/^(?:NUMBER|FLOAT|DECFLOAT)\b/.test(declared)) return 'number';
  return declared === 'TEXT' ? 'text' : declared === 'BOOLEAN' ? 'boolean' : 'converted';
}

/** Of numbers the integers alone: two of different fractions may have no type in common that holds their digits. */
function valueType(declared: string): ValueType | undefined {
  if (/^NUMBER\(\d+,0\)$/.test(declared)) return 'integer';
  const known = { FLOAT: 'float', TEXT: 'text', BOOLEAN: 'boolean', DATE: 'date', TIMESTAMP_NTZ: 'timestamp' } as const;
  return known[declared as keyof typeof known];
}
