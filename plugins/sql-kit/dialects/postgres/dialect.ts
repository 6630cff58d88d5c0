import { Level } from '../../ast/precedence.ts';
import type { Expr } from '../../ast/tree.ts';
import { Lexer } from '../../parse/lexer.ts';
import { sqliteSyntax } from '../../parse/syntax.ts';
import type { SqlDialect } from '../sql-dialect.ts';
import { argumentProblem } from './argument-bounds.ts';
import { proveColumns } from './column-proof.ts';
import { postgresFunctions, postgresSubstitutes } from './functions.ts';
import { quoteName, quoteText } from './names.ts';
import { PostgresReader } from './reader.ts';

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
