/** Describes ClickHouse's SQL. */
import { form } from '../../ast/forms.ts';
import { Level } from '../../ast/precedence.ts';
import type { Expr } from '../../ast/tree.ts';
import { forEachPart, someOperand } from '../../ast/walk.ts';
import { standardColumnType } from '../column-types.ts';
import { NULL_TEST, type ValueType, wordSet } from '../infallible.ts';
import type { Notation } from '../notation.ts';
import type { SqlDialect } from '../sql-dialect.ts';
import { argumentProblem } from './argument-bounds.ts';
import { clickhouseFunctions, clickhouseSubstitutes, clickhouseTableFunctions } from './functions.ts';
import { clickhouseKeywords } from './keywords.ts';
import { OWN_PREFIX, printName, printText } from './names.ts';
import { clickhouseRendering } from './rendering.ts';
import { settleNames } from './settle-names.ts';
import { clickhouseSyntax } from './syntax.ts';

const notation: Notation = {
  texts: "'",
  names: '`"',
  escapes: 'always',
  hasDollarQuotes: true,
  hasNestedComments: false,
  lineComment: /--[^\n]*|#[ !][^\n]*/y,
};

/** ClickHouse. A table without database is one of the connection's, whose name a copy of this has. */
export const clickhouse: SqlDialect = {
  name: 'clickhouse',
  label: 'ClickHouse',
  advice: `toStartOfMonth(t) gives the month, t - INTERVAL 1 MONTH moves; \`name\` quotes a name; names and most functions have exact case; 7 / 2 is 3.5, intDiv(7, 2) is 3; ILIKE ignores case; ORDER BY and LIMIT behind UNION ALL belong to the last SELECT.`,
  keywords: clickhouseKeywords,
  syntax: clickhouseSyntax,
  notation,
  rendering: clickhouseRendering,
  defaultSchema: 'default',
  hasSchemas: true,
  hasExactNames: true,
  isSystemName: () => false,
  // Parts of tables on disk, and which table of a Merge or Distributed one a row is of.
  systemColumns: wordSet(
    '_part _part_index _part_uuid _part_starting_offset _part_offset _part_granule_offset _partition_id _partition_value _disk_name _block_number _block_offset _part_data_version _table _database _shard_num _row_exists _distance',
  ),
  forConnection({ schema }) {
    return schema === undefined ? this : { ...this, defaultSchema: schema };
  },
  hasOrderedWith: true,
  recursion: 'right',
  hasFields: true,
  functions: clickhouseFunctions,
  tableFunctions: clickhouseTableFunctions,
  substitutes: clickhouseSubstitutes,
  argumentProblem,
  // A column of the result around it, such as a tuple with a part of the right name, would come before the table.
  partName: (table) => OWN_PREFIX + table,
  shownColumn,
  hidesValues: (mask) => isNull(mask) || !makesNull(mask),
  optimizationFence: ' LIMIT 9223372036854775807',
  infallible: {
    functions: new Set(),
    forms: new RegExp(`^${NULL_TEST}$`),
    aggregates: wordSet('count sum avg min max uniq uniqexact any grouparray'),
    valueTypes: { ofColumn: valueType, casts: new Map() },
  },
  secure: (statement) => settleNames(statement),
  columnType: (declared) => standardColumnType(unwrapped(declared)),
  printName,
  printText,
  printParam: (number) => `{p${number}:String}`,
};

/**
 * A function of a column with few values runs once for each of them, those of hidden rows included, and may fail there:
 * `LowCardinality` is taken away. A mask over such a column becomes a text.
 */
function shownColumn(shown: Expr, declared: string, isMask: boolean): Expr | undefined {
  const hasDictionary = declared.includes('LowCardinality(');
  // What a Dynamic holds may have one, and a Variant takes no other types.
  const isOpen = /\bDynamic\b/.test(declared) || (hasDictionary && declared.includes('Variant('));
  if (!hasDictionary && !isOpen) return undefined;
  return form(
    shown.at,
    'CAST(',
    shown,
    ` AS ${isMask || isOpen ? 'Nullable(String)' : withoutDictionaries(declared)})`,
  );
}

function withoutDictionaries(declared: string): string {
  const start = declared.indexOf('LowCardinality(');
  if (start < 0) return declared;
  const from = start + 'LowCardinality('.length;
  let depth = 1;
  let end = from;
  for (; depth > 0 && end < declared.length; end += 1) depth += { '(': 1, ')': -1 }[declared[end]!] ?? 0;
  return withoutDictionaries(declared.slice(0, start) + declared.slice(from, end - 1) + declared.slice(end));
}

const isNull = (expr: Expr) => expr.kind === 'constant' && expr.value === 'NULL';

/** Those that a value is worked out of: where one of them is NULL the others lie below it. */
function columnsIn(expr: Expr): Set<string> {
  const names = new Set<string>();
  const add = (part: Expr) => {
    if (part.kind === 'name') names.add(part.name);
  };
  if (expr.kind === 'call' || (expr.kind === 'chain' && expr.level > Level.equality)) forEachPart([expr], add);
  // These choose one of their values.
  return expr.kind === 'call' && /^(?:if|multiIf|coalesce|ifNull)$/i.test(expr.name) ? new Set() : names;
}

/** Below a NULL that an expression makes lies the value that it hides, and functions run over it. */
function makesNull(expr: Expr): boolean {
  if (isNull(expr)) return true;
  // Tests for NULL give true or false.
  if (expr.kind === 'chain' && expr.operators.every((operator) => /^IS(?: NOT)?$/.test(operator))) return false;
  if (expr.kind === 'case' && expr.otherwise === undefined) return true;
  const makes =
    (expr.kind === 'call' && /OrNull$|^(?:nullIf|toNullable|accurateCast)/i.test(expr.name)) ||
    columnsIn(expr).size > 1;
  return makes || someOperand(expr, makesNull);
}

/** `LowCardinality(Nullable(String))` is a String. */
function unwrapped(declared: string): string {
  const inner = /^(?:Nullable|LowCardinality)\((.+)\)$/.exec(declared)?.[1];
  return inner === undefined ? declared : unwrapped(inner);
}

/** Decimals and enumerations are left out: to compare them may fail. */
function valueType(declared: string): ValueType | undefined {
  const type = unwrapped(declared);
  if (/^U?Int\d+$/.test(type)) return 'integer';
  if (/^Float(?:32|64)$/.test(type)) return 'float';
  if (/^Date(?:32)?$/.test(type)) return 'date';
  if (/^DateTime(?:32)?(?:\(|$)/.test(type)) return 'timestamp';
  if (/^DateTime64/.test(type)) return 'scaled';
  return ({ String: 'text', Bool: 'boolean', UUID: 'uuid' } as const)[type];
}
