/** Reads FROM: sources and joins. */
import { isOwnCatalog } from '../ast/names.ts';
import type { Call, Expr, From, Join, Select, Source, TableSource } from '../ast/tree.ts';
import {
  continuesSelect,
  parseArguments,
  parseNameList,
  parseParenthesizedSelect,
  parseValues,
  startsSelect,
} from './clauses.ts';
import type { Cursor } from './cursor.ts';

/** What follows FROM: sources joined from left to right. */
export function parseFrom(cursor: Cursor): From {
  const first = parseSource(cursor);
  const joins: Join[] = [];
  for (let join = joinOperator(cursor); join !== undefined; join = joinOperator(cursor)) {
    joins.push({ ...join, source: parseSource(cursor), on: undefined, using: [] });
    const nestsJoins = cursor.dialect.syntax.isStandard;
    let known = parseCondition(cursor);
    for (let place = joins.length - 1; known !== undefined; known = nestsJoins ? parseCondition(cursor) : undefined) {
      // A further condition belongs to the nearest join that has none; those after it are its right side.
      while (place >= 0 && isComplete(joins[place]!)) place -= 1;
      const open = joins[place];
      if (open === undefined || (open.kind === ',' && place < joins.length - 1)) throw cursor.unexpected();
      const inner = joins.splice(place + 1);
      const nested: From = { first: open.source, joins: inner };
      const whole: Source = { kind: 'join', at: open.source.at, from: nested, alias: undefined };
      joins[place] = { ...open, source: inner.length === 0 ? open.source : whole, ...known };
      if (inner.length > 0) cursor.stack();
    }
  }
  return { first, joins };
}

const isComplete = ({ on, using }: Join) => on !== undefined || using.length > 0;

/** `ON condition` or `USING (names)`. */
function parseCondition(cursor: Cursor): Pick<Join, 'on' | 'using'> | undefined {
  if (cursor.accept('ON')) return { on: cursor.expression(), using: [] };
  if (!cursor.is('USING') || cursor.peek().keyword === 'SAMPLE') return undefined;
  cursor.advance();
  return { on: undefined, using: parseNameList(cursor) };
}

const JOIN_WORDS = new Set(['CROSS', 'FULL', 'INNER', 'LEFT', 'NATURAL', 'OUTER', 'RIGHT']);

/** `,`, `JOIN`, or up to three words and JOIN. */
function joinOperator(cursor: Cursor): Pick<Join, 'kind' | 'natural' | 'asof' | 'words'> | undefined {
  const special = cursor.dialect.syntax.join?.(cursor);
  if (special !== undefined) return special;
  if (cursor.acceptOperator(',')) return { kind: ',', natural: false };
  if (cursor.accept('JOIN')) return { kind: 'JOIN', natural: false };
  const at = cursor.token.start;
  const words = new Set<string>();
  while (JOIN_WORDS.has(cursor.token.keyword)) {
    words.add(cursor.advance().keyword);
  }
  if (words.size === 0) return undefined;
  cursor.expect('JOIN');
  const kind = joinKind(words);
  if (kind === undefined) {
    throw cursor.fail(
      'syntax',
      `There is no ${[...words].join(' ')} JOIN`,
      'Use INNER, LEFT, RIGHT, FULL or CROSS.',
      at,
    );
  }
  return { kind, natural: words.has('NATURAL') };
}

/** The words of a join may come in any order; LEFT and RIGHT together are FULL. */
function joinKind(words: ReadonlySet<string>): Join['kind'] | undefined {
  const left = words.has('LEFT') || words.has('FULL');
  const right = words.has('RIGHT') || words.has('FULL');
  const inner = words.has('INNER') || words.has('CROSS');
  const outer = left || right;
  if ((inner && outer) || (words.has('OUTER') && !outer)) return undefined;
  if (left && right) return 'FULL JOIN';
  if (left) return 'LEFT JOIN';
  if (right) return 'RIGHT JOIN';
  return words.has('CROSS') ? 'CROSS JOIN' : 'JOIN';
}

/** One item of FROM, with what an engine lets follow it. */
export function parseSource(cursor: Cursor): Source {
  const source = parsePlainSource(cursor);
  return cursor.dialect.syntax.changed?.(cursor, source) ?? source;
}

/** Table, table function, subquery or joined tables in parentheses. */
function parsePlainSource(cursor: Cursor): Source {
  const { isStandard, isFriendly, source, tableHints } = cursor.dialect.syntax;
  const special = source?.(cursor);
  if (special !== undefined) return special;
  const at = cursor.token.start;
  if (isFriendly && cursor.isName() && cursor.peekOperator(':')) return parseNamedFirst(cursor);
  if (isFriendly && cursor.is('VALUES') && cursor.peekOperator('(')) return parseRows(cursor, at);
  if (isStandard && cursor.is('LATERAL') && (!cursor.isName() || cursor.peekOperator('('))) return parseLateral(cursor);
  if (cursor.isOperator('(')) return parseParenthesized(cursor);
  const { schema, name } = parseTableName(cursor);
  if (cursor.isOperator('(')) {
    const args = parseArguments(cursor);
    if (cursor.dialect.syntax.isFriendly && cursor.acceptWords('WITH', 'ORDINALITY')) {
      return numberedRows(at, schema, name, args, parseAlias(cursor));
    }
    return { kind: 'function', at, schema, name, args, ...parseAlias(cursor) };
  }
  const alias = parseAlias(cursor);
  if (isStandard) return { kind: 'table', at, schema, name, index: undefined, ...alias, ...tableHints?.(cursor) };
  return { kind: 'table', at, schema, name, ...alias, index: parseIndexHint(cursor) };
}

/** `alias: source`. */
function parseNamedFirst(cursor: Cursor): Source {
  const alias = cursor.advance().value;
  cursor.expectOperator(':');
  const source = cursor.nested(() => parsePlainSource(cursor));
  if (source.alias === undefined) return { ...source, alias };
  throw cursor.fail('syntax', 'A source has two names', 'Write `name: source` or `source AS name`.', source.at);
}

/** `VALUES (a, b), (c, d) AS name`. */
function parseRows(cursor: Cursor, at: number): Source {
  const rows = cursor.nested(() => parseValues(cursor));
  const nothing = { with: undefined, rest: [], orderBy: [], limit: undefined, offset: undefined };
  const select: Select = { kind: 'select', at, first: rows, ...nothing };
  const alias = parseAlias(cursor);
  if (alias.alias !== undefined) return { kind: 'subquery', at, select, ...alias };
  throw cursor.unexpected('a name for the rows');
}

/** A function's rows `WITH ORDINALITY`. */
function numberedRows(
  at: number,
  schema: string | undefined,
  name: string,
  args: readonly Expr[],
  alias: ReturnType<typeof parseAlias>,
): Source {
  const plain = { star: false, distinct: false, orderBy: [], filter: undefined, over: undefined };
  const call: Call = { kind: 'call', at, name, args, ...plain, ...(schema !== undefined && { schema }) };
  const calls = [{ call, definition: undefined }];
  return { kind: 'rows', at, calls, lateral: false, isList: false, ordinality: true, definition: undefined, ...alias };
}

/** `AS name`, `name`, or `AS name (columns)`. */
export function parseAlias(cursor: Cursor): { alias: string | undefined; columns?: string[] } {
  const alias = cursor.alias();
  if (alias === undefined || !cursor.dialect.syntax.isStandard || !cursor.isOperator('(')) return { alias };
  return { alias, columns: parseNameList(cursor) };
}

/** `LATERAL (SELECT …)`. */
function parseLateral(cursor: Cursor): Source {
  cursor.expect('LATERAL');
  const source = parseSource(cursor);
  if (source.kind === 'subquery') return { ...source, lateral: true };
  if (source.kind === 'function') return source;
  throw cursor.fail('syntax', 'LATERAL stands before a subquery or a function', undefined, source.at);
}

/** `name`, `schema.name`, or with the database's own name before it. */
function parseTableName(cursor: Cursor): Pick<TableSource, 'schema' | 'name'> {
  const at = cursor.token.start;
  const first = cursor.name('a table');
  if (!cursor.acceptOperator('.')) return { schema: undefined, name: first };
  const second = cursor.anyName('a table');
  if (!cursor.dialect.syntax.isFriendly || !cursor.acceptOperator('.')) return { schema: first, name: second };
  if (!isOwnCatalog(first, cursor.dialect)) {
    throw cursor.fail('table', `Database "${first}" cannot be read`, 'Write schema.table, of this database.', at);
  }
  return { schema: second, name: cursor.anyName('a table') };
}

/** `INDEXED BY name`, or `NOT INDEXED`, which is `null`. */
function parseIndexHint(cursor: Cursor): string | null | undefined {
  if (cursor.accept('INDEXED')) {
    cursor.expect('BY');
    return cursor.name('an index');
  }
  if (cursor.is('NOT') && cursor.peek().keyword === 'INDEXED') {
    cursor.advance();
    cursor.advance();
    return null;
  }
  return undefined;
}

/** `(SELECT …)`, or `(a JOIN b)`. */
function parseParenthesized(cursor: Cursor): Source {
  const at = cursor.advance().start;
  const select = startsSelect(cursor) ? cursor.select() : undefined;
  const from = select === undefined ? cursor.nested(() => parseFrom(cursor)) : undefined;
  const inner = select ?? (from && selectOf(cursor, from));
  cursor.expectOperator(')');
  if (inner !== undefined) return { kind: 'subquery', at, select: inner, ...parseAlias(cursor) };
  return { kind: 'join', at, from: from!, alias: cursor.alias() };
}

/** A SELECT in further parentheses, with what makes it a part of a larger one. */
function selectOf(cursor: Cursor, { first, joins }: From): Select | undefined {
  if (!cursor.dialect.syntax.isStandard || first.kind !== 'subquery' || joins.length > 0) return undefined;
  if (first.alias !== undefined || first.lateral) return undefined;
  if (!continuesSelect(cursor)) return first.select;
  return cursor.select({ kind: 'nested', at: first.at, select: first.select });
}

/** What follows IN, where it is not a list: a subquery, a table or a table function. */
export function parseInSource(cursor: Cursor): Source {
  const at = cursor.token.start;
  if (cursor.isOperator('(')) {
    return { kind: 'subquery', at, select: parseParenthesizedSelect(cursor), alias: undefined };
  }
  const { schema, name } = parseTableName(cursor);
  if (cursor.isOperator('(')) {
    return { kind: 'function', at, schema, name, args: parseArguments(cursor), alias: undefined };
  }
  return { kind: 'table', at, schema, name, alias: undefined, index: undefined };
}
