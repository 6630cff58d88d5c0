/**
 * Asks ClickHouse itself what a statement would do: which functions its own parser sees, and which tables and table
 * functions it finds for the names. No text of the statement is matched, and nothing is run before the first check.
 */
import type { SqlStatement } from '../../../kernel/index.ts';
import { AtlasError } from '../../../kernel/index.ts';
import { isTable, ONE_ROW, tableIn } from './tree-tables.ts';

/** The lines of `EXPLAIN QUERY TREE` with these options. */
export type TreeOf = (options: string) => Promise<readonly string[]>;

type Allowed = Pick<SqlStatement, 'sql' | 'tables' | 'functions' | 'params'>;

/** What operators, words and types of the grammar stand for, so that no list of function names mentions them. */
const SYNTAX = new Set(
  `_cast and array arrayelement caseWithExpression caseWithExpr cast concat divide equals exists
  globalIn globalNotIn greater greaterOrEquals if ilike in isDistinctFrom isNotDistinctFrom isNotNull isNull lambda less lessOrEquals
  like map match minus modulo multiIf multiply negate not notEquals notILike notIn notLike nullIn notNullIn or
  plus position singleValueOrNull substring toDate toDateTime toDateTime64 toDayOfMonth toHour toMinute toMonth toQuarter toSecond
  toYear trimBoth trimLeft trimRight tuple tupleElement
  toIntervalDay toIntervalHour toIntervalMicrosecond toIntervalMillisecond toIntervalMinute toIntervalMonth toIntervalNanosecond
  toIntervalQuarter toIntervalSecond toIntervalWeek toIntervalYear`
    .toLowerCase()
    .split(/\s+/),
);
/** What DISTINCT and FILTER in a call add to the name of its function. */
const ADDED = /(?:distinct|if|distinctif)$/;
/** Table functions that read only their arguments. */
const TABLE_FUNCTIONS = new Set([
  'numbers',
  'numbers_mt',
  'generate_series',
  'generateseries',
  'values',
  'zeros',
  'null',
]);
/** The rows of a recursive common table. */
const RECURSION = /^_temporary_and_external_tables\._tmp_[0-9a-f-]{36}$/;

const MAX_CACHED = 500;

/** What is known of the statements of one connection. Which table a name means cannot change by itself. */
export class Verifier {
  readonly #database: string;
  readonly #passed = new Set<string>();

  constructor(database: string) {
    this.#database = database;
  }

  /** Throws `sql_refused`, or the engine's own error. */
  async check(statement: Allowed, treeOf: TreeOf): Promise<void> {
    const { sql, tables = [], functions, params } = statement;
    const key = JSON.stringify([sql, tables, functions ?? null, params.map((param) => param === null)]);
    if (this.#passed.has(key)) return;
    const callable = functions === undefined ? undefined : new Set(functions.map(fold));
    checkCalls(await treeOf('run_passes = 0'), callable);
    checkReads(await treeOf('run_passes = 1, passes = 1'), this.#fullNames(tables), callable);
    if (this.#passed.size >= MAX_CACHED) this.#passed.clear();
    this.#passed.add(key);
  }

  #fullNames(tables: readonly string[]): ReadonlySet<string> {
    // A name with a dot in it may be that of a table too.
    return new Set(tables.flatMap((table) => (table.includes('.') ? [table, this.#own(table)] : [this.#own(table)])));
  }

  #own = (table: string) => `${this.#database}.${table}`;
}

/** The tree as it was parsed, before any name in it means anything. */
function checkCalls(lines: readonly string[], callable: ReadonlySet<string> | undefined): void {
  assertTree(lines);
  for (const line of lines) {
    if (/^ *SETTINGS /.test(line)) throw refused('The statement changes settings, which is not allowed.');
    if (/^ *FUNCTION id: /.test(line)) {
      for (const name of namesIn(line, 'function_name')) {
        if (callable !== undefined && !isCallable(fold(name), callable)) {
          throw refused(`The statement calls the function "${name}", which is not allowed.`);
        }
      }
    }
    checkTableFunction(line, callable);
  }
}

/** The tree with what the names in it mean. */
function checkReads(
  lines: readonly string[],
  tables: ReadonlySet<string>,
  callable: ReadonlySet<string> | undefined,
): void {
  assertTree(lines);
  for (const line of lines) {
    checkTableFunction(line, callable);
    if (!isTable(line)) continue;
    const name = tableIn(line);
    if (name === undefined) throw unreadable();
    if (tables.has(name) || name === ONE_ROW || RECURSION.test(name)) continue;
    throw refused(`The statement reads the table "${name.slice(name.indexOf('.') + 1)}", which is not allowed.`);
  }
}

function checkTableFunction(line: string, callable: ReadonlySet<string> | undefined): void {
  if (!/^ *TABLE_FUNCTION id: /.test(line)) return;
  const names = namesIn(line, 'table_function_name');
  if (names.length === 0) throw unreadable();
  for (const name of names) {
    if ((callable ?? TABLE_FUNCTIONS).has(fold(name))) continue;
    throw refused(`The statement reads from "${name}", which is not allowed.`);
  }
}

/** Every name that the line may mean: an alias before it may look like one, and has to be allowed as well. */
const namesIn = (line: string, property: string) =>
  [...line.matchAll(new RegExp(`, ${property}: ([^,]*)`, 'g'))].map(([, name = '']) => name);

function isCallable(name: string, callable: ReadonlySet<string>): boolean {
  if (callable.has(name) || SYNTAX.has(name)) return true;
  return ADDED.test(name) && isCallable(name.replace(ADDED, ''), callable);
}

/** Each query of the tree begins with its own line, and nothing else has none. */
function assertTree([first = '']: readonly string[]): void {
  if (!/^(?:QUERY|UNION) id: 0\b/.test(first)) throw unreadable();
}

const fold = (name: string) => name.toLowerCase();

const unreadable = () => refused('What the statement reads cannot be told.');

function refused(message: string): AtlasError {
  return new AtlasError(message, {
    code: 'sql_refused',
    reason: 'E_CLICKHOUSE_REFUSED',
    hint: 'Read only tables of the semantic layer, with functions that are listed.',
  });
}
