/** Describes Trino's SQL, as its published grammar `SqlBase.g4` and its documentation have it. */
import { standardColumnType } from '../column-types.ts';
import { NULL_TEST, type ValueType, wordSet } from '../infallible.ts';
import { LINE_COMMENT } from '../notation.ts';
import type { SqlDialect } from '../sql-dialect.ts';
import { argumentProblem } from './argument-bounds.ts';
import { trinoFunctions, trinoSubstitutes } from './functions.ts';
import { trinoKeywords } from './keywords.ts';
import { trinoRendering } from './rendering.ts';
import { printLimit, trinoSyntax } from './syntax.ts';

/**
 * Trino. A table without schema is one of the connection's, whose name a copy of this has; a schema of another catalog is
 * called `catalog.schema`.
 */
export const trino: SqlDialect = {
  name: 'trino',
  label: 'Trino',
  advice: `date_trunc('month', t) gives the month, t - INTERVAL '1' MONTH moves; a date is DATE '2024-01-31', never a bare text; "name" quotes a name; 7 / 2 is 3, 7e0 / 2 is 3.5; lower(a) LIKE lower(b) ignores case; OFFSET stands before LIMIT.`,
  keywords: trinoKeywords,
  syntax: trinoSyntax,
  notation: {
    texts: "'",
    names: '"',
    escapes: 'never',
    hasDollarQuotes: false,
    hasNestedComments: false,
    lineComment: LINE_COMMENT,
  },
  rendering: trinoRendering,
  defaultSchema: 'default',
  hasSchemas: true,
  // Metadata of a table, such as "orders$partitions".
  isSystemName: (name) => name.includes('$'),
  forConnection({ schema, maskedUrl }) {
    const catalog = /^[a-z]+:\/\/[^/]*\/([^/]+)\//.exec(maskedUrl)?.[1];
    return {
      ...this,
      ...(schema !== undefined && { defaultSchema: schema }),
      ...(catalog !== undefined && { catalog }),
    };
  },
  hasOrderedWith: true,
  recursion: 'right',
  hasFields: true,
  functions: trinoFunctions,
  tableFunctions: new Set(),
  substitutes: trinoSubstitutes,
  argumentProblem,
  optimizationFence: ' LIMIT 9223372036854775807',
  infallible: {
    filtersRows: true,
    functions: new Set(),
    forms: new RegExp(`^${NULL_TEST}$`),
    aggregates: wordSet('count sum avg min max array_agg'),
    valueTypes: { ofColumn: valueType, casts: new Map() },
  },
  columnType: (declared) => (/^(?:array|map|row)\b/i.test(declared) ? 'converted' : standardColumnType(declared)),
  printLimit,
  hasCatalogs: true,
};

/** Comparisons of decimals, times with zones and what is made of others may fail or convert: they have no such type. */
function valueType(declared: string): ValueType | undefined {
  if (/^(?:tinyint|smallint|integer|bigint)$/.test(declared)) return 'integer';
  if (/^(?:real|double)$/.test(declared)) return 'float';
  if (/^(?:var)?char\b/.test(declared)) return 'text';
  if (/^timestamp(?:\(\d+\))?$/.test(declared)) return 'scaled';
  return ({ boolean: 'boolean', date: 'date', uuid: 'uuid' } as const)[declared];
}
