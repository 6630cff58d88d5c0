import type { SqlDialect } from './dialect.ts';
import { Lexer } from './lex.ts';
import { sqliteFunctions, sqliteSubstitutes, sqliteTableFunctions } from './sqlite-functions.ts';
import { sqliteKeywords } from './sqlite-keywords.ts';
import { sqliteSyntax } from './syntax.ts';

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
