import { form } from '../../parse/call-words.ts';
import { fold, type SqlDialect } from '../sql-dialect.ts';
import { argumentProblem } from './argument-bounds.ts';
import { duckdbFunctions, duckdbSubstitutes, duckdbTableFunctions } from './functions.ts';
import { duckdbKeywords } from './keywords.ts';
import { duckdbSyntax } from './syntax.ts';

/** What the engine calls the database of a file: what stands before the first dot, in lower case. */
export function duckdbCatalog(file: string): string {
  const [name = ''] = file.split('.').filter((part) => part !== '');
  const folded = fold(name);
  return ['main', 'system', 'temp'].includes(folded) ? `${folded}_db` : folded;
}

export const duckdb: SqlDialect = {
  name: 'duckdb',
  keywords: duckdbKeywords,
  defaultSchema: 'main',
  hasSchemas: true,
  hasOrderedWith: true,
  recursion: 'right',
  hasFields: true,
  functions: duckdbFunctions,
  tableFunctions: duckdbTableFunctions,
  substitutes: duckdbSubstitutes,
  syntax: duckdbSyntax,
  argumentProblem,
  // A column of an ENUM has no collation, so it is made a text first.
  exactText: (column) => ({
    kind: 'collate',
    at: column.at,
    operand: form(column.at, 'CAST(', column, ' AS VARCHAR)'),
    collation: 'C',
  }),
  isSystemName: (name) => /^(?:duckdb_|pragma_|sqlite_|pg_)/.test(name),
};
