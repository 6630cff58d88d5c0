import { Lexer } from '../../parse/lexer.ts';
import { sqliteSyntax } from '../../parse/syntax.ts';
import type { SqlDialect } from '../sql-dialect.ts';
import { sqliteFunctions, sqliteSubstitutes, sqliteTableFunctions } from './functions.ts';
import { sqliteKeywords } from './keywords.ts';

export const sqlite: SqlDialect = {
  name: 'sqlite',
  keywords: sqliteKeywords,
  defaultSchema: 'main',
  hasSchemas: false,
  showsJoined: true,
  exactText: (operand) => ({ kind: 'collate', at: operand.at, operand, collation: 'BINARY' }),
  functions: sqliteFunctions,
  tableFunctions: sqliteTableFunctions,
  substitutes: sqliteSubstitutes,
  syntax: { ...sqliteSyntax, Lexer },
  isSystemName: (name) => name.startsWith('sqlite_') || name.startsWith('pragma_') || name === 'dbstat',
};
