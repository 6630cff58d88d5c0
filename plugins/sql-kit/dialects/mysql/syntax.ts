/** Describes how MySQL and MariaDB write SQL, for lexer and parser. */
import { form } from '../../ast/forms.ts';
import { Level } from '../../ast/precedence.ts';
import type { Expr, Form, Join, Source, TableSource } from '../../ast/tree.ts';
import { baseSyntax } from '../../parse/base-syntax.ts';
import type { Cursor, Syntax } from '../../parse/cursor.ts';
import { comparisons } from '../../parse/shared-syntax.ts';
import { parseJsonTable } from './json-table.ts';
import { mysqlToken } from './lexer.ts';
import { parseCharset, parseMysqlPrimary } from './primary.ts';

const infix: ReadonlyMap<string, number> = new Map([
  ['OR', Level.or],
  ['||', Level.or],
  ['XOR', Level.xor],
  ['AND', Level.and],
  ['&&', Level.and],
  ['IS', Level.equality],
  ...comparisons('<=>'),
  ['|', Level.bits],
  ['&', Level.bitAnd],
  ['<<', Level.shift],
  ['>>', Level.shift],
  ['+', Level.sum],
  ['-', Level.sum],
  ['*', Level.product],
  ['/', Level.product],
  ['%', Level.product],
  ['DIV', Level.product],
  ['MOD', Level.product],
  ['^', Level.power],
  ['->', Level.postfix],
  ['->>', Level.postfix],
]);

export const mysqlSyntax: Syntax = {
  ...baseSyntax,
  token: mysqlToken,
  infix,
  predicates: new Set(['BETWEEN', 'IN', 'LIKE', 'REGEXP', 'RLIKE', 'SOUNDS', 'MEMBER']),
  predicateLevel: Level.predicate,
  betweenLevels: [Level.bits, Level.predicate],
  // With another mode of the server `||` joins texts: OR says what is meant.
  spelling: new Map([
    ['||', 'OR'],
    ['&&', 'AND'],
    ['!=', '<>'],
    ['%', '%'],
    ['RLIKE', 'REGEXP'],
    ['SOUNDS', 'SOUNDS LIKE'],
  ]),
  prefixes: new Map([
    ['-', Level.prefix],
    ['+', Level.prefix],
    ['~', Level.prefix],
    ['!', Level.prefix],
  ]),
  // Another mode of the server gives NOT the strength of a sign.
  notLevel: Level.primary,
  openers: new Set(['SELECT', 'VALUES', 'WITH', 'TABLE']),
  isStandard: true,
  textIsName: false,
  textIsAlias: true,
  longestNamingText: 255,
  selectWords: new Set([
    'STRAIGHT_JOIN',
    'SQL_BIG_RESULT',
    'SQL_SMALL_RESULT',
    'SQL_BUFFER_RESULT',
    'SQL_NO_CACHE',
    'SQL_CACHE',
    'HIGH_PRIORITY',
  ]),
  primary: parseMysqlPrimary,
  grouping,
  tail,
  join,
  source,
  tableHints,
};

/** `SEPARATOR ', '` and `LIMIT n` of GROUP_CONCAT, `USING charset` of CHAR. */
function tail(cursor: Cursor): Form | undefined {
  const at = cursor.token.start;
  if (cursor.accept('USING')) return form(at, ` USING ${parseCharset(cursor)}`);
  const separator = cursor.accept('SEPARATOR') ? cursor.expression(Level.primary) : undefined;
  const limit = cursor.accept('LIMIT') ? cursor.expression(Level.primary) : undefined;
  if (separator === undefined && limit === undefined) return undefined;
  return form(at, ...(separator ? [' SEPARATOR ', separator] : []), ...(limit ? [' LIMIT ', limit] : []));
}

/** `GROUP BY a DESC`, which MariaDB still sorts by. */
function grouping(cursor: Cursor): Expr {
  const key = cursor.expression();
  const direction = ['ASC', 'DESC'].find((word) => cursor.accept(word));
  return direction === undefined ? key : form(key.at, key, ` ${direction}`);
}

function join(cursor: Cursor): Pick<Join, 'kind' | 'natural'> | undefined {
  if (cursor.is('FULL')) {
    // The servers read FULL as an alias there, and what they join is not what was meant.
    throw cursor.fail('syntax', 'There is no FULL JOIN here', 'Use a LEFT JOIN and a RIGHT JOIN with UNION.');
  }
  return cursor.accept('STRAIGHT_JOIN') ? { kind: 'STRAIGHT_JOIN', natural: false } : undefined;
}

/** `FROM DUAL` reads nothing. */
function source(cursor: Cursor): Source | undefined {
  const at = cursor.token.start;
  if (!cursor.accept('DUAL')) return parseJsonTable(cursor);
  const one = { kind: 'column', expr: { kind: 'number', at, value: '1' }, alias: undefined, text: undefined } as const;
  const nothing = { distinct: false, from: undefined, where: undefined, groupBy: [], having: undefined, windows: [] };
  const first = { kind: 'core', at, columns: [one], ...nothing } as const;
  const select = {
    kind: 'select',
    at,
    with: undefined,
    first,
    rest: [],
    orderBy: [],
    limit: undefined,
    offset: undefined,
  } as const;
  return { kind: 'subquery', at, select, alias: 'dual' };
}

/** `USE INDEX (a, b)`, `FORCE INDEX FOR JOIN (a)`, `IGNORE KEY (a)`, one after the other. */
function tableHints(cursor: Cursor): Partial<TableSource> | undefined {
  const indexHints: { words: string; names: string[] }[] = [];
  for (let action = hintAction(cursor); action !== undefined; action = hintAction(cursor)) {
    let words = `${action} INDEX`;
    if (cursor.accept('FOR')) {
      const use = cursor.accept('JOIN') ? 'JOIN' : cursor.accept('ORDER') ? 'ORDER BY' : 'GROUP BY';
      if (use === 'GROUP BY') cursor.expect('GROUP');
      if (use !== 'JOIN') cursor.expect('BY');
      words += ` FOR ${use}`;
    }
    cursor.expectOperator('(');
    const names = cursor.isOperator(')') ? [] : cursor.list(() => cursor.anyName('an index'));
    cursor.expectOperator(')');
    indexHints.push({ words, names });
  }
  return indexHints.length === 0 ? undefined : { indexHints };
}

function hintAction(cursor: Cursor): string | undefined {
  const next = cursor.peek().keyword;
  if (next !== 'INDEX' && next !== 'KEY') return undefined;
  const action = ['USE', 'FORCE', 'IGNORE'].find((word) => cursor.accept(word));
  if (action !== undefined) cursor.advance();
  return action;
}
