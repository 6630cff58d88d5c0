/** Describes DuckDB's SQL. */
import { form } from '../../ast/forms.ts';
import { fold } from '../../ast/names.ts';
import { standardColumnType } from '../column-types.ts';
import { NULL_TEST, wordSet } from '../infallible.ts';
import { standardNotation } from '../notation.ts';
import type { SqlDialect } from '../sql-dialect.ts';
import { argumentProblem } from './argument-bounds.ts';
import { duckdbFunctions, duckdbSubstitutes, duckdbTableFunctions } from './functions.ts';
import { duckdbKeywords } from './keywords.ts';
import { duckdbRendering } from './rendering.ts';
import { duckdbSyntax } from './syntax.ts';

export const duckdb: SqlDialect = {
  name: 'duckdb',
  label: 'DuckDB',
  advice: `date_trunc('month', t) gives the month, t - INTERVAL 1 MONTH moves; "name" quotes a name; 7 / 2 is 3.5, 7 // 2 is 3; ILIKE ignores case.`,
  keywords: duckdbKeywords,
  syntax: duckdbSyntax,
  notation: standardNotation,
  rendering: duckdbRendering,
  defaultSchema: 'main',
  hasSchemas: true,
  isSystemName: (name) => /^(?:duckdb_|pragma_|sqlite_|pg_)/.test(name),
  forConnection({ maskedUrl }) {
    const file = /^[a-z]+:(?:.*[/\\])?([^/\\?]+)$/.exec(maskedUrl)?.[1];
    return file === undefined ? this : { ...this, catalog: catalogOf(file) };
  },
  hasOrderedWith: true,
  recursion: 'right',
  hasFields: true,
  functions: duckdbFunctions,
  tableFunctions: duckdbTableFunctions,
  substitutes: duckdbSubstitutes,
  argumentProblem,
  // A column of an ENUM has no collation, so it is made a text first.
  exactText: (column) => ({
    kind: 'collate',
    at: column.at,
    operand: form(column.at, 'CAST(', column, ' AS VARCHAR)'),
    collation: 'C',
  }),
  optimizationFence: ' LIMIT 9223372036854775807',
  infallible: {
    comparisonsFail: true,
    convertsConditions: true,
    functions: new Set(),
    forms: new RegExp(`^${NULL_TEST}$`),
    aggregates: wordSet('count sum avg min max group_concat string_agg array_agg list median'),
  },
  timeZone: 'UTC',
  columnType: standardColumnType,
};

/** What the engine calls the database of a file: what stands before the first dot, in lower case. */
function catalogOf(file: string): string {
  const [name = ''] = file.split('.').filter((part) => part !== '');
  const folded = fold(name);
  return ['main', 'system', 'temp'].includes(folded) ? `${folded}_db` : folded;
}
