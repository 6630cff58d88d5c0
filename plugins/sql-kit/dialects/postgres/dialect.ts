/** Describes PostgreSQL's SQL. */
import { Level } from '../../ast/precedence.ts';
import type { Expr } from '../../ast/tree.ts';
import { baseSyntax } from '../../parse/base-syntax.ts';
import { baseToken } from '../../parse/lexer.ts';
import { standardColumnType } from '../column-types.ts';
import { TRUTH_TEST, wordSet } from '../infallible.ts';
import { standardNotation } from '../notation.ts';
import type { SqlDialect } from '../sql-dialect.ts';
import { argumentProblem } from './argument-bounds.ts';
import { proveColumns } from './column-proof.ts';
import { postgresFunctions, postgresSubstitutes } from './functions.ts';
import { quoteName, quoteText } from './names.ts';
import { PostgresReader } from './reader.ts';
import { postgresRendering } from './rendering.ts';
import { postgresValueTypes } from './value-types.ts';

const reader = new PostgresReader();

export const postgres: SqlDialect = {
  name: 'postgres',
  label: 'PostgreSQL',
  advice: `date_trunc('month', t) gives the month, t - INTERVAL '1 month' moves; "Name" keeps capitals, other names are lower case; 7 / 2 is 3, 7.0 / 2 is 3.5; ILIKE ignores case.`,
  telemetryName: 'postgresql',
  load: () => reader.load(),
  reader,
  // Statements are read by the server's own parser; of the syntax only the printer has a use.
  keywords: new Map(),
  syntax: { ...baseSyntax, token: baseToken, notLevel: Level.is },
  notation: standardNotation,
  rendering: postgresRendering,
  defaultSchema: 'public',
  hasSchemas: true,
  hasExactNames: true,
  isSystemName: (name) => name.startsWith('pg_'),
  systemColumns: new Set(['ctid', 'xmin', 'xmax', 'cmin', 'cmax', 'tableoid']),
  forConnection({ schema }) {
    return schema === undefined ? this : { ...this, defaultSchema: schema };
  },
  readsDateWords: true,
  hasOrderedWith: true,
  functions: postgresFunctions,
  functionSchema: 'pg_catalog',
  tableFunctions: postgresFunctions,
  substitutes: postgresSubstitutes,
  argumentProblem,
  exactText: (operand) => ({ kind: 'collate', at: operand.at, operand: asText(operand), collation: 'C' }),
  optimizationFence: ' OFFSET 0',
  infallible: {
    functions: wordSet('lower upper now'),
    forms: new RegExp(`^${TRUTH_TEST}$`),
    aggregates: wordSet('count sum avg min max string_agg array_agg'),
    valueTypes: postgresValueTypes,
  },
  secure: proveColumns,
  timeZone: 'UTC',
  columnType: standardColumnType,
  printName: quoteName,
  printText: quoteText,
  printParam: (number) => `$${number}`,
};

function asText(operand: Expr): Expr {
  return { kind: 'cast', at: operand.at, operand, type: { words: ['text'], sizes: [] } };
}
