import type { Expr, From, Join, Source, TableSource } from './ast.ts';
import type { Cursor } from './cursor.ts';
import { parseExpr } from './parse-expression.ts';
import { parseNameList, parseParenthesizedSelect, parseSelect, startsSelect } from './parse-select.ts';

/** What follows FROM: sources joined from left to right. */
export function parseFrom(cursor: Cursor): From {
  const first = parseSource(cursor);
  const joins: Join[] = [];
  for (let join = joinOperator(cursor); join !== undefined; join = joinOperator(cursor)) {
    const source = parseSource(cursor);
    const on = cursor.accept('ON') ? parseExpr(cursor) : undefined;
    const using = on === undefined && cursor.accept('USING') ? parseNameList(cursor) : [];
    joins.push({ ...join, source, on, using });
  }
  return { first, joins };
}

/** `,`, `JOIN`, or up to three words and JOIN. */
function joinOperator(cursor: Cursor): Pick<Join, 'kind' | 'natural'> | undefined {
  if (cursor.acceptOperator(',')) return { kind: ',', natural: false };
  if (cursor.accept('JOIN')) return { kind: 'JOIN', natural: false };
  const at = cursor.token.start;
  const words = new Set<string>();
  while (cursor.dialect.keywords.get(cursor.token.keyword) === 'join' && !cursor.is('INDEXED')) {
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

/** One item of FROM: table, table function, subquery or joined tables in parentheses. */
function parseSource(cursor: Cursor): Source {
  const at = cursor.token.start;
  if (cursor.isOperator('(')) return parseParenthesized(cursor);
  const { schema, name } = parseTableName(cursor);
  if (cursor.isOperator('(')) {
    const args = parseArguments(cursor);
    return { kind: 'function', at, schema, name, args, alias: cursor.alias() };
  }
  const alias = cursor.alias();
  return { kind: 'table', at, schema, name, alias, index: parseIndexHint(cursor) };
}

/** `name` or `schema.name`. */
function parseTableName(cursor: Cursor): Pick<TableSource, 'schema' | 'name'> {
  const first = cursor.name('a table');
  if (!cursor.acceptOperator('.')) return { schema: undefined, name: first };
  return { schema: first, name: cursor.name('a table') };
}

/** `(a, b)`, possibly empty. */
export function parseArguments(cursor: Cursor): Expr[] {
  cursor.expectOperator('(');
  if (cursor.acceptOperator(')')) return [];
  const args = cursor.list(() => parseExpr(cursor));
  cursor.expectOperator(')');
  return args;
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
  if (startsSelect(cursor)) {
    const select = parseSelect(cursor);
    cursor.expectOperator(')');
    return { kind: 'subquery', at, select, alias: cursor.alias() };
  }
  const from = cursor.nested(() => parseFrom(cursor));
  cursor.expectOperator(')');
  return { kind: 'join', at, from, alias: cursor.alias() };
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
