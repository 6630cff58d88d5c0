/** Reads the sources of BigQuery's FROM: tables of any project, UNNEST, arrays of sources before; and refuses what reads elsewhere. */
import { fold, schemaIn } from '../../ast/names.ts';
import type { Call, Expr, From, RowsSource, Source, TableSource } from '../../ast/tree.ts';
import { parseArguments } from '../../parse/clauses.ts';
import type { Cursor } from '../../parse/cursor.ts';
import { printName } from './names.ts';
import { reference } from './primary.ts';

/** What a table was called, part by part, where it may be an array of a source before it, and its WITH OFFSET. */
interface Path {
  readonly parts: readonly string[];
  readonly suffix: string | undefined;
}

const paths = new WeakMap<Source, Path>();

/** Tables by name and UNNEST; `undefined`, with nothing consumed, for parentheses. */
export function source(cursor: Cursor): Source | undefined {
  const at = cursor.token.start;
  if (cursor.is('UNNEST')) {
    cursor.advance();
    const args = parseArguments(cursor);
    return rowsOf(at, args, cursor.alias(), offset(cursor));
  }
  if (cursor.is('LATERAL') || cursor.is('GRAPH_TABLE')) throw cursor.unexpected('a table');
  if (!cursor.isName()) return undefined;
  const isQuoted = cursor.token.kind === 'name' && cursor.token.value.includes('.') && !cursor.peekOperator('.');
  const parts = tablePath(cursor);
  const written = parts.join('.');
  if (cursor.isOperator('(')) {
    const hint = 'Allowed: UNNEST. Read tables of the semantic layer.';
    throw cursor.fail('function', `Table function "${written.slice(0, 100)}" is not allowed`, hint, at);
  }
  if (parts.length > 3 || parts.some((part) => part === '' || fold(part) === 'information_schema')) {
    const hint = 'Write dataset.table or project.dataset.table.';
    throw cursor.fail('table', `"${written.slice(0, 100)}" is no table that can be read`, hint, at);
  }
  if (cursor.is('FOR')) {
    const hint = 'Leave FOR SYSTEM_TIME AS OF out: a table is read as it is now.';
    throw cursor.fail('syntax', 'Earlier versions of a table cannot be read', hint);
  }
  const alias = cursor.alias();
  const suffix = offset(cursor);
  const sample = tableSample(cursor);
  const table: TableSource = {
    kind: 'table',
    at,
    schema: schemaIn(parts, cursor.dialect),
    name: parts.at(-1)!,
    index: undefined,
    alias,
    ...(sample !== undefined && { sample }),
  };
  if (!isQuoted) paths.set(table, { parts, suffix });
  else if (suffix !== undefined) throw cursor.fail('syntax', 'WITH OFFSET stands behind an array', undefined, at);
  return table;
}

/** The parts of a name, of which one in backticks may be several; the first may hold dashes, also without backticks. */
function tablePath(cursor: Cursor): string[] {
  const parts = namesIn(cursor, dashed(cursor));
  while (cursor.acceptOperator('.')) parts.push(...namesIn(cursor, cursor.anyName('a table')));
  return parts;
}

const namesIn = (cursor: Cursor, name: string): string[] =>
  cursor.peek(-1).kind === 'name' ? name.split('.') : [name];

/** `my-project-1`: no blanks stand around the dashes. */
function dashed(cursor: Cursor): string {
  const isWord = cursor.token.kind === 'word';
  let name = cursor.name('a table');
  for (;;) {
    const [dash, next] = [cursor.token, cursor.peek()];
    const isNext = next.kind === 'word' || (next.kind === 'number' && /^\d+$/.test(next.value));
    const isPart =
      isWord && isNext && cursor.isOperator('-') && dash.start === cursor.peek(-1).end && next.start === dash.end;
    if (!isPart) return name;
    cursor.advance();
    name += `-${cursor.advance().value}`;
  }
}

/** ` WITH OFFSET AS name`. */
function offset(cursor: Cursor): string | undefined {
  if (!cursor.acceptWords('WITH', 'OFFSET')) return undefined;
  const name = cursor.alias();
  return name === undefined ? ' WITH OFFSET' : ` WITH OFFSET AS ${printName(name)}`;
}

function rowsOf(at: number, args: readonly Expr[], alias: string | undefined, suffix: string | undefined): RowsSource {
  const plain = { star: false, distinct: false, orderBy: [], filter: undefined, over: undefined };
  const call: Call = { kind: 'call', at, name: 'UNNEST', args, ...plain };
  const none = { lateral: false, isList: false, ordinality: false, definition: undefined };
  return {
    kind: 'rows',
    at,
    calls: [{ call, definition: undefined }],
    ...none,
    alias,
    ...(suffix !== undefined && { suffix }),
  };
}

/** `TABLESAMPLE SYSTEM (10 PERCENT)`. */
function tableSample(cursor: Cursor): string | undefined {
  if (!cursor.accept('TABLESAMPLE')) return undefined;
  cursor.expect('SYSTEM');
  cursor.expectOperator('(');
  const { kind, value } = cursor.token;
  if (kind !== 'number' || !(Number(value) <= 100)) throw cursor.unexpected('a percentage');
  cursor.advance();
  cursor.expect('PERCENT');
  cursor.expectOperator(')');
  return `TABLESAMPLE SYSTEM (${value} PERCENT)`;
}

/** Refuses what makes other columns of a source. */
export function changed(cursor: Cursor, whole: Source): Source {
  if (cursor.is('PIVOT') || cursor.is('UNPIVOT') || cursor.is('MATCH_RECOGNIZE')) throw cursor.unexpected();
  return whole;
}

/** WHERE, before which arrays among the sources are told from tables. */
export function condition(cursor: Cursor, from: From | undefined): Expr | undefined {
  if (from !== undefined) correlate(cursor, from, new Set());
  return cursor.accept('WHERE') ? cursor.expression() : undefined;
}

/**
 * `FROM orders AS o, o.items`: a name whose first part is that of a source before it is an array of that, and never a
 * table. It prints as `UNNEST(o.items)`, which means nothing else.
 */
function correlate(cursor: Cursor, from: From, names: Set<string>): void {
  from.first = settled(cursor, from.first, names);
  for (const join of from.joins) join.source = settled(cursor, join.source, names);
}

function settled(cursor: Cursor, one: Source, names: Set<string>): Source {
  if (one.kind === 'join') correlate(cursor, one.from, names);
  const { parts, suffix } = paths.get(one) ?? { parts: [], suffix: undefined };
  const isArray = parts.length > 1 && names.has(fold(parts[0]!));
  if (suffix !== undefined && !isArray) {
    throw cursor.fail('syntax', 'WITH OFFSET stands behind an array', 'Write UNNEST(array) WITH OFFSET.', one.at);
  }
  const name = one.alias ?? (one.kind === 'table' ? (parts.at(-1) ?? one.name) : undefined);
  const whole = isArray ? rowsOf(one.at, [reference(one.at, parts)], name, suffix) : one;
  if (name !== undefined) names.add(fold(name));
  return whole;
}
