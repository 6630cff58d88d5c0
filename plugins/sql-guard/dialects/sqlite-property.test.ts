import Database from 'better-sqlite3';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  DEFAULT_LIMITS,
  type Expr,
  kitDialect,
  Level,
  parseStatement,
  printSelect,
  type Select,
} from '../../sql-kit/index.ts';

const sqlite = await kitDialect('sqlite');

const db = new Database(':memory:');
db.exec(
  `CREATE TABLE t (a INTEGER, b REAL, "order" TEXT); INSERT INTO t VALUES (1, 2.5, 'x'), (NULL, -3, 'Y'), (7, NULL, NULL)`,
);

const at = 0;
const operators: Readonly<Record<number, readonly string[]>> = {
  [Level.or]: ['OR'],
  [Level.and]: ['AND'],
  [Level.equality]: ['=', '<>', 'IS', 'IS NOT', 'IS DISTINCT FROM', 'IS NOT DISTINCT FROM'],
  [Level.comparison]: ['<', '<=', '>', '>='],
  [Level.bits]: ['&', '|', '<<', '>>'],
  [Level.sum]: ['+', '-'],
  [Level.product]: ['*', '/', '%'],
  [Level.concatenation]: ['||'],
};

const leaf: fc.Arbitrary<Expr> = fc.oneof(
  fc.constantFrom('0', '1', '2.5', '1e2', '0x1F', '12').map((value): Expr => ({ kind: 'number', at, value })),
  fc.constantFrom('', 'x', "it's", '--', '/*', '"', ';').map((value): Expr => ({ kind: 'string', at, value })),
  fc.constantFrom('NULL', 'TRUE', 'FALSE').map((value): Expr => ({ kind: 'constant', at, value })),
  fc.constantFrom('a', 'b', 'order').map((name): Expr => ({ kind: 'name', at, schema: undefined, table: 't', name })),
  fc.constant<Expr>({ kind: 'name', at, schema: 'main', table: 't', name: 'a' }),
);

const { expr } = fc.letrec<{ expr: Expr }>((tie) => {
  const inner = tie('expr');
  const not = fc.boolean();
  const chain = fc.constantFrom(...Object.keys(operators).map(Number)).chain((level) =>
    fc
      .array(fc.tuple(fc.constantFrom(...(operators[level] ?? [])), inner), { minLength: 1, maxLength: 3 })
      .chain((rest) =>
        inner.map(
          (first): Expr => ({
            kind: 'chain',
            at,
            level,
            operands: [first, ...rest.map(([, operand]) => operand)],
            operators: rest.map(([operator]) => operator),
          }),
        ),
      ),
  );
  const composite: fc.Arbitrary<Expr>[] = [
    chain,
    fc
      .tuple(fc.constantFrom('NOT', '-', '+', '~'), inner)
      .map(([operator, operand]): Expr => ({ kind: 'prefix', at, operator, operand })),
    fc
      .tuple(not, inner, inner, inner)
      .map(([n, operand, low, high]): Expr => ({ kind: 'between', at, not: n, operand, low, high })),
    fc
      .tuple(
        not,
        inner,
        inner,
        fc.option(fc.constant<Expr>({ kind: 'string', at, value: '!' }), { nil: undefined }),
        fc.boolean(),
      )
      .map(
        ([n, operand, pattern, escaped, isGlob]): Expr => ({
          kind: 'like',
          at,
          operator: isGlob ? 'GLOB' : 'LIKE',
          not: n,
          operand,
          pattern,
          escape: isGlob ? undefined : escaped,
        }),
      ),
    fc
      .tuple(not, inner, fc.array(inner, { maxLength: 3 }))
      .map(([n, operand, items]): Expr => ({ kind: 'in', at, not: n, operand, set: { kind: 'list', items } })),
    inner.map((operand): Expr => ({ kind: 'collate', at, operand, collation: 'NOCASE' })),
    inner.map((operand): Expr => ({ kind: 'cast', at, operand, type: { words: ['DECIMAL'], sizes: ['10', '-2'] } })),
    fc.tuple(fc.option(inner, { nil: undefined }), inner, inner, fc.option(inner, { nil: undefined })).map(
      ([operand, condition, result, otherwise]): Expr => ({
        kind: 'case',
        at,
        operand,
        branches: [{ condition, result }],
        otherwise,
      }),
    ),
    fc.array(inner, { minLength: 2, maxLength: 3 }).map(
      (args): Expr => ({
        kind: 'call',
        at,
        name: 'coalesce',
        distinct: false,
        star: false,
        args,
        orderBy: [],
        filter: undefined,
        over: undefined,
      }),
    ),
    inner.map((of): Expr => ({ kind: 'scalar', at, select: select(of) })),
    inner.map((of): Expr => ({ kind: 'exists', at, select: select(of) })),
    fc.tuple(not, inner, inner).map(
      ([n, operand, of]): Expr => ({
        kind: 'in',
        at,
        not: n,
        operand,
        set: { kind: 'subquery', at, select: select(of), alias: undefined },
      }),
    ),
  ];
  return { expr: fc.oneof({ maxDepth: 5, depthIdentifier: 'expr' }, leaf, ...composite) };
});

function select(of: Expr): Select {
  const columns = [{ kind: 'column' as const, expr: of, alias: 'v', text: undefined }];
  const first = { kind: 'table' as const, at, schema: undefined, name: 't', alias: undefined, index: undefined };
  const nothing = { groupBy: [], having: undefined, windows: [], where: undefined, distinct: false };
  return {
    kind: 'select',
    at,
    with: undefined,
    first: { kind: 'core', at, columns, from: { first, joins: [] }, ...nothing },
    rest: [],
    orderBy: [],
    limit: undefined,
    offset: undefined,
  };
}

/** The tree without what a print cannot keep: offsets, and who named a column. */
const shape = (statement: Select) =>
  JSON.parse(JSON.stringify(statement, (key, value) => (key === 'at' || key === 'text' ? undefined : value)));

const OPERATORS = new Set(['chain', 'like', 'between', 'in', 'collate', 'prefix']);

/** Every operand in parentheses, so that the printer's precedence plays no part. */
const explicit = (statement: Select): Select =>
  JSON.parse(JSON.stringify(statement), (_, value) =>
    OPERATORS.has(value?.kind) ? { kind: 'row', at, items: [value] } : value,
  );

const parse = (sql: string) => parseStatement(sql, sqlite, DEFAULT_LIMITS);

test('what is printed reads as the same tree and prints the same again', () => {
  fc.assert(
    fc.property(expr, (of) => {
      const printed = printSelect(select(of), sqlite);
      const again = parse(printed);
      expect(shape(again)).toEqual(shape(select(of)));
      expect(printSelect(again, sqlite)).toBe(printed);
    }),
    { numRuns: 1500 },
  );
});

test('the engine reads the print as the tree was meant', () => {
  fc.assert(
    fc.property(expr, (of) => {
      const tree = select(of);
      expect(outcome(printSelect(tree, sqlite))).toEqual(outcome(printSelect(explicit(tree), sqlite)));
    }),
    { numRuns: 1500 },
  );
});

function outcome(sql: string): unknown {
  try {
    return db.prepare(sql).raw().all();
  } catch (error) {
    return (error as Error).message;
  }
}
