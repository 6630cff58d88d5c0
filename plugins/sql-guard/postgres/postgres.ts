import type { Expr } from '../ast.ts';
import type { SqlDialect } from '../dialect.ts';
import { Lexer } from '../lex.ts';
import { Level } from '../precedence.ts';
import { sqliteSyntax } from '../syntax.ts';
import { postgresFunctions, postgresSubstitutes } from './functions.ts';
import { quoteName, quoteText } from './names.ts';
import { PostgresReader } from './parse.ts';
import { proveColumns } from './proof.ts';
import { argumentProblem } from './series.ts';

const reader = new PostgresReader();

export const postgres: SqlDialect = {
  name: 'postgres',
  load: () => reader.load(),
  reader,
  keywords: new Map(),
  // Statements are read by the server's own parser; of this only the printer has a use.
  syntax: { ...sqliteSyntax, Lexer, notLevel: Level.is },
  defaultSchema: 'public',
  hasSchemas: true,
  hasExactNames: true,
  hasOrderedWith: true,
  functions: postgresFunctions,
  functionSchema: 'pg_catalog',
  tableFunctions: postgresFunctions,
  substitutes: postgresSubstitutes,
  systemColumns: new Set(['ctid', 'xmin', 'xmax', 'cmin', 'cmax', 'tableoid']),
  isSystemName: (name) => name.startsWith('pg_'),
  argumentProblem,
  secure: proveColumns,
  printName: quoteName,
  printText: quoteText,
  exactText: (operand) => ({ kind: 'collate', at: operand.at, operand: asText(operand), collation: 'C' }),
  printParam: (number) => `$${number}`,
};

function asText(operand: Expr): Expr {
  return { kind: 'cast', at: operand.at, operand, type: { words: ['text'], sizes: [] } };
}
