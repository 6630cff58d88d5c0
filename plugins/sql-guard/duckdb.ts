import type { Call } from './ast.ts';
import { fold, type SqlDialect } from './dialect.ts';
import { duckdbFunctions, duckdbSubstitutes, duckdbTableFunctions } from './duckdb-functions.ts';
import { duckdbKeywords } from './duckdb-keywords.ts';
import { duckdbSyntax } from './duckdb-syntax.ts';

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
  exactText: (operand) => ({ kind: 'collate', at: operand.at, operand, collation: 'C' }),
  isSystemName: (name) => /^(?:duckdb_|pragma_|sqlite_|pg_)/.test(name),
};

/** A width of three digits, in the style of C or of braces. */
const WIDE = /[%{][^%{}A-Za-z]*\d{3}|[%{][^%{}A-Za-z]*\*/;

function argumentProblem({ name, args: [template] }: Call): { what: string; hint: string } | undefined {
  const folded = fold(name);
  if (folded !== 'printf' && folded !== 'format') return undefined;
  if (template === undefined || (template.kind === 'string' && !WIDE.test(template.value))) return undefined;
  return {
    what: `The format of ${name} must be a text of its own, with widths of at most two digits`,
    hint: "For example printf('%.2f', amount).",
  };
}
