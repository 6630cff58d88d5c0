import type { SqlDialect } from './dialect.ts';
import { sqliteFunctions, sqliteSubstitutes, sqliteTableFunctions } from './sqlite-functions.ts';
import { sqliteKeywords } from './sqlite-keywords.ts';

export const sqlite: SqlDialect = {
  name: 'sqlite',
  keywords: sqliteKeywords,
  defaultSchema: 'main',
  hasSchemas: false,
  functions: sqliteFunctions,
  tableFunctions: sqliteTableFunctions,
  substitutes: sqliteSubstitutes,
  isSystemName: (name) => name.startsWith('sqlite_') || name.startsWith('pragma_') || name === 'dbstat',
};
