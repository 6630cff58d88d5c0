/** What names mean, and which are refused, in every dialect and without a server. */
import { beforeAll, describe, expect, test } from 'vitest';
import { entity } from '../../test/fixtures/sql/sqlite-shop.ts';
import { refusalBy } from '../../test/harness/hostile-statements.ts';
import { kitDialects, postgres } from '../sql-kit/index.ts';
import { type AllowedTable, AllowedTables } from './allowed-tables.ts';
import { type CheckedSql, checkSql } from './check.ts';
import { allowedTables } from './layer-tables.ts';

const dialects = await kitDialects();

type Engine = 'postgres' | 'mysql' | 'sqlite' | 'duckdb';
const ENGINES = ['postgres', 'mysql', 'sqlite', 'duckdb'] as const;

beforeAll(() => postgres.load?.());

const ENTITIES = [
  entity('orders', [{ name: 'id' }, { name: 'total' }]),
  entity('items', [{ name: 'id' }]),
  entity('salaries', [{ name: 'id' }, { name: 'name', mask: "'x'" }, { name: 'amount', hidden: true }]),
  entity('hidden', [{ name: 'id', hidden: true }]),
  entity('broken', []),
  entity('odd', []),
  entity('refused', []),
  entity('filtered', []),
];
const PEOPLE = [entity('people', [], { schema: 'hr' }), entity('people', [], { schema: 'it', name: 'staff' })];

/** Made when a test asks for them: a parser has to be loaded first. */
function tablesOf(engine: Engine): AllowedTables {
  const dialect = dialects.get(engine)!;
  const { tables } = allowedTables(dialect.hasSchemas ? [...ENTITIES, ...PEOPLE] : ENTITIES, dialect);
  const change: Readonly<Record<string, Partial<AllowedTable>>> = {
    broken: { rows: [{ condition: 'id = 1.5 2.5', values: [] }] },
    odd: { rows: [{ condition: 'id IN (SELECT 1)', values: [] }] },
    refused: { refusal: { what: 'Table "refused" is for others', hint: 'Ask them.' } },
    filtered: { rows: [{ condition: 'abs(id) > 1', values: [] }] },
    hidden: { visible: [] },
  };
  return new AllowedTables(
    tables.tables.map((table) => ({ ...table, ...change[table.name] })),
    dialect,
  );
}

const check = (engine: Engine, sql: string, functions: readonly string[] = []): CheckedSql =>
  checkSql(sql, { tables: tablesOf(engine), functions });

/** What the statement reads and calls. */
function reads(engine: Engine, sql: string, functions?: readonly string[]) {
  const { tables, columns, functions: called } = check(engine, sql, functions);
  return { tables, columns, functions: called };
}

const tables = (engine: Engine, sql: string) => reads(engine, sql).tables;
const columns = (engine: Engine, sql: string) => reads(engine, sql).columns;

function refusal(engine: Engine, sql: string, functions?: readonly string[]) {
  const { rule, message, hint } = refusalBy((text) => check(engine, text, functions), sql);
  return { rule, message, hint };
}

const HIDDEN = { rule: 'column', message: expect.stringMatching(/^Column "amount" of "salaries" cannot be read \(/) };

describe.each(ENGINES)('a hidden column in %s is refused', (engine) => {
  test.each([
    'SELECT amount FROM salaries',
    'SELECT s.amount FROM salaries AS s',
    'SELECT salaries.amount FROM salaries',
    'SELECT id AS a, amount + 1 AS b FROM salaries',
    'SELECT id FROM salaries WHERE amount > 1',
    'SELECT count(*) FROM salaries GROUP BY amount',
    'SELECT count(*) FROM salaries HAVING max(amount) > 1',
    'SELECT id FROM salaries ORDER BY amount',
    'SELECT s.id AS amount FROM salaries AS s ORDER BY s.amount',
    'SELECT id FROM salaries UNION SELECT amount FROM salaries',
    'SELECT id FROM salaries UNION SELECT id FROM salaries EXCEPT SELECT amount FROM salaries',
    'SELECT 1 UNION SELECT 1 ORDER BY (SELECT salaries.amount FROM salaries)',
    'SELECT s.id FROM salaries AS s JOIN items AS i ON s.amount = i.id',
    'SELECT i.id FROM items AS i LEFT JOIN salaries AS s ON s.amount = 1',
    'SELECT id FROM items WHERE id IN (SELECT salaries.amount FROM salaries)',
    'SELECT id FROM salaries WHERE amount IN (1, 2)',
    'SELECT id FROM salaries WHERE id IN (1, amount)',
    'SELECT id FROM items WHERE EXISTS (SELECT 1 FROM salaries WHERE salaries.amount > 1)',
    'SELECT (SELECT amount FROM salaries) AS a',
    'SELECT (SELECT s.amount) AS a FROM salaries AS s',
    'SELECT a FROM (SELECT amount AS a FROM salaries) AS s',
    'WITH s AS (SELECT amount FROM salaries) SELECT 1',
    'WITH s AS (SELECT 1 AS a) SELECT id FROM salaries WHERE amount = 1',
    'SELECT sum(id) OVER (ORDER BY amount) FROM salaries',
    'SELECT sum(id) OVER w FROM salaries WINDOW w AS (PARTITION BY amount)',
    'SELECT CASE WHEN amount > 1 THEN 1 END FROM salaries',
    'SELECT sum(amount) FROM salaries',
    "SELECT id FROM salaries WHERE amount LIKE 'a'",
  ])('%s', (sql) => {
    expect(refusal(engine, sql)).toMatchObject({ ...HIDDEN, hint: 'Columns that can: id, name.' });
  });
});

describe('a hidden column in a clause of one dialect is refused', () => {
  test.each<[Engine, string]>([
    ['postgres', 'SELECT DISTINCT ON (amount) id FROM salaries'],
    ['duckdb', 'SELECT DISTINCT ON (amount) id FROM salaries'],
    ['duckdb', 'SELECT id FROM salaries QUALIFY row_number() OVER (ORDER BY amount) = 1'],
    ['duckdb', 'SELECT id FROM salaries QUALIFY amount = 1'],
    ['duckdb', 'SELECT * REPLACE (amount AS id) FROM salaries'],
    ['duckdb', 'SELECT list_transform([1], x -> x + amount) FROM salaries'],
    ['duckdb', 'SELECT list_transform([1], x -> x + salaries.amount) FROM salaries, items'],
    ['duckdb', 'SELECT n FROM salaries, range(salaries.amount) AS t(n)'],
    ['postgres', 'SELECT n FROM salaries, generate_series(1, amount) AS t(n)'],
    ['postgres', 'SELECT * FROM salaries, ROWS FROM (generate_series(1, amount)) AS t(n)'],
    ['postgres', 'SELECT * FROM salaries AS s, LATERAL (SELECT s.amount) AS t'],
    ['duckdb', 'SELECT * FROM salaries AS s, (SELECT s.amount) AS t'],
    ['sqlite', 'SELECT value FROM salaries, json_each(salaries.amount)'],
    ['sqlite', 'SELECT id FROM items LIMIT (SELECT salaries.amount FROM salaries)'],
    ['sqlite', 'SELECT id FROM items LIMIT 1 OFFSET (SELECT salaries.amount FROM salaries)'],
    ['postgres', 'SELECT id FROM items LIMIT (SELECT salaries.amount FROM salaries)'],
    ['postgres', 'SELECT id FROM items OFFSET (SELECT salaries.amount FROM salaries)'],
    ['sqlite', 'VALUES ((SELECT amount FROM salaries))'],
    ['postgres', '(SELECT amount FROM salaries) UNION SELECT 1'],
    ['postgres', 'SELECT 1 UNION (SELECT amount FROM salaries)'],
    ['duckdb', '(SELECT amount FROM salaries) UNION SELECT 1'],
    ['mysql', 'SELECT 1 UNION (SELECT amount FROM salaries)'],
    ['sqlite', 'SELECT id FROM (items JOIN salaries ON salaries.amount = 1)'],
  ])('%s: %s', (engine, sql) => {
    expect(refusal(engine, sql)).toMatchObject(HIDDEN);
  });
});

describe('a name that is no hidden column', () => {
  test.each<[Engine, string]>([
    ['sqlite', 'SELECT id AS amount FROM salaries ORDER BY amount'],
    ['postgres', 'SELECT id AS amount FROM salaries ORDER BY amount'],
    ['sqlite', 'SELECT id FROM salaries UNION SELECT id FROM salaries ORDER BY amount'],
    ['sqlite', 'SELECT id AS amount FROM salaries WHERE amount > 1'],
    ['sqlite', 'SELECT (SELECT amount FROM salaries) FROM orders'],
    ['sqlite', 'SELECT amount FROM salaries, (SELECT 1 AS amount)'],
    ['sqlite', 'SELECT salaries.amount FROM (SELECT 1 AS amount) AS salaries'],
    ['postgres', 'SELECT salaries.amount FROM generate_series(1, 2) AS salaries(amount)'],
    ['duckdb', 'SELECT list_transform([1], amount -> amount + 1) FROM salaries'],
    ['duckdb', 'SELECT list_transform([1], Amount -> AMOUNT + 1) FROM salaries'],
    ['duckdb', 'SELECT t.amount FROM (salaries AS a JOIN items AS b ON a.id = b.id) AS t'],
    ['duckdb', 'SELECT * RENAME (id AS amount) FROM salaries WHERE amount = 1'],
    // A subquery in FROM sees its neighbours only where the engine lets it.
    ['sqlite', 'SELECT 1 FROM salaries AS s, (SELECT s.amount) AS t'],
    // The fields of a column of a table, although another table has the column's name.
    ['duckdb', 'SELECT orders.items.x FROM orders, items'],
    ['duckdb', 'SELECT 1 FROM hr.people SEMI JOIN it.people USING (id)'],
    ['postgres', 'SELECT 1 AS ctid FROM orders ORDER BY ctid'],
    ['sqlite', 'SELECT CURRENT_DATE, CURRENT_TIMESTAMP FROM orders'],
    ['mysql', 'SELECT CURRENT_DATE, CURRENT_TIMESTAMP FROM orders'],
    ['mysql', "SELECT t.x FROM JSON_TABLE('[1]', '$[*]' COLUMNS (x INT PATH '$')) AS t"],
    ['postgres', 'SELECT CURRENT_DATE, CURRENT_TIMESTAMP FROM orders'],
    ['duckdb', 'SELECT CURRENT_DATE, CURRENT_TIMESTAMP FROM orders'],
  ])('is left to %s: %s', (engine, sql) => {
    expect(() => check(engine, sql)).not.toThrow();
  });

  test('may be that of a whole row of the table', () => {
    expect(() => check('postgres', 'SELECT salaries FROM salaries')).not.toThrow();
  });
});

describe('common tables', () => {
  test.each<[Engine, string, readonly string[]]>([
    // Those of one WITH see each other in SQLite, and the ones before them elsewhere.
    ['sqlite', 'WITH a AS (SELECT * FROM orders), orders AS (SELECT 1 AS x) SELECT * FROM a', []],
    ['postgres', 'WITH a AS (SELECT * FROM orders), orders AS (SELECT 1 AS x) SELECT * FROM a', ['orders']],
    ['mysql', 'WITH a AS (SELECT * FROM orders), orders AS (SELECT 1 AS x) SELECT * FROM a', ['orders']],
    ['duckdb', 'WITH a AS (SELECT * FROM orders), orders AS (SELECT 1 AS x) SELECT * FROM a', ['orders']],
    ['postgres', 'WITH RECURSIVE a AS (SELECT * FROM orders), orders AS (SELECT 1 AS x) SELECT * FROM a', []],
    ['duckdb', 'WITH RECURSIVE a AS (SELECT * FROM orders), orders AS (SELECT 1 AS x) SELECT * FROM a', ['orders']],
    ['postgres', 'WITH orders AS (SELECT 1 AS x), a AS (SELECT * FROM orders) SELECT * FROM a', []],
    ['mysql', 'WITH orders AS (SELECT * FROM orders) SELECT * FROM orders', ['orders']],
    ['sqlite', 'SELECT * FROM (WITH orders AS (SELECT 1) SELECT * FROM orders) AS a, orders', ['orders']],
    ['sqlite', 'WITH orders AS (SELECT 1) SELECT * FROM (SELECT * FROM orders) AS a, items', ['items']],
    ['postgres', 'WITH orders AS (SELECT 1 AS x) SELECT (SELECT x FROM orders), EXISTS (SELECT 1 FROM orders)', []],
    ['postgres', 'WITH orders AS (SELECT 1 AS x) SELECT 1 WHERE 1 IN (SELECT x FROM orders)', []],
    ['sqlite', 'WITH orders AS (SELECT 1 AS x) SELECT 1 IN orders', []],
    ['sqlite', 'WITH orders AS (SELECT 1 AS x) SELECT x FROM main.orders', ['orders']],
    ['sqlite', 'WITH a AS (WITH orders AS (SELECT 1 AS x) SELECT x FROM orders) SELECT x FROM a, orders', ['orders']],
    ['postgres', 'WITH orders AS (SELECT 1 AS x) (SELECT x FROM orders) UNION SELECT x FROM orders', []],
    // Their names are compared as those of tables are.
    ['sqlite', 'WITH Orders AS (SELECT 1 AS x) SELECT x FROM ORDERS', []],
    ['duckdb', 'WITH Orders AS (SELECT 1 AS x) SELECT x FROM ORDERS', []],
    ['postgres', 'WITH "Orders" AS (SELECT 1 AS x) SELECT id FROM orders', ['orders']],
    ['postgres', 'WITH Orders AS (SELECT 1 AS x) SELECT x FROM ORDERS', []],
    // In DuckDB a recursive one sees itself to the right of its last UNION only.
    ['duckdb', 'WITH RECURSIVE orders AS (SELECT 1 AS id UNION ALL SELECT id FROM orders) SELECT id FROM orders', []],
    [
      'duckdb',
      'WITH RECURSIVE orders AS (SELECT id FROM orders UNION ALL SELECT id FROM orders) SELECT id FROM orders',
      ['orders'],
    ],
    [
      'duckdb',
      'WITH RECURSIVE items AS (SELECT id FROM orders UNION SELECT id FROM items UNION ALL SELECT 1) SELECT id FROM items',
      ['orders', 'items'],
    ],
    [
      'duckdb',
      'WITH RECURSIVE items AS (SELECT id FROM orders UNION SELECT 2 UNION ALL SELECT id FROM items) SELECT id FROM items',
      ['orders'],
    ],
    [
      'duckdb',
      'WITH RECURSIVE items AS ((SELECT id FROM orders UNION ALL SELECT id FROM items)) SELECT id FROM items',
      ['orders'],
    ],
    [
      'duckdb',
      'WITH RECURSIVE items AS (SELECT 1 AS id UNION ALL SELECT (SELECT max(id) FROM items)) SELECT id FROM items',
      [],
    ],
    [
      'duckdb',
      'WITH RECURSIVE items AS (WITH orders AS (SELECT 1 AS id) SELECT 1 AS id UNION ALL SELECT o.id FROM items, orders AS o) SELECT id FROM items',
      [],
    ],
    ['duckdb', 'WITH RECURSIVE items AS (SELECT id FROM items) SELECT id FROM items', ['items']],
    [
      'duckdb',
      'WITH RECURSIVE a AS (SELECT 1 AS id), items AS (SELECT id FROM a UNION ALL SELECT id FROM items) SELECT id FROM items',
      [],
    ],
    [
      'mysql',
      'WITH RECURSIVE items AS (SELECT 1 AS id UNION ALL SELECT id FROM items WHERE id < 3) SELECT id FROM items',
      [],
    ],
  ])('in %s: %s', (engine, sql, read) => {
    expect(tables(engine, sql)).toEqual(read);
  });

  test.each([
    'WITH RECURSIVE a AS (SELECT * FROM orders), orders AS (SELECT 1 AS x) SELECT * FROM a',
    'WITH Orders AS (SELECT 1 AS x) SELECT * FROM orders',
  ])('whose meaning depends on the server are refused in mysql: %s', (sql) => {
    expect(refusal('mysql', sql)).toMatchObject({
      rule: 'table',
      message: expect.stringContaining(
        '"orders" is a common table that is defined further down, or in another case (line 1, column ',
      ),
      hint: 'Define it before the one that reads it, and write it the same.',
    });
  });

  test.each<[Engine, string]>([
    ['sqlite', 'sqlite_master'],
    ['postgres', 'pg_class'],
    ['sqlite', 'SQLite_Schema'],
  ])('cannot have a name of the engine in %s: %s', (engine, name) => {
    expect(refusal(engine, `WITH "${name}" AS (SELECT 1) SELECT 1`)).toEqual({
      rule: 'table',
      message: `"${name}" is a name of the engine itself (line 1, column 6).`,
      hint: 'Choose another name.',
    });
  });

  test('hide columns, which are not looked into', () => {
    expect(columns('sqlite', 'WITH o AS (SELECT 1 AS id) SELECT o.id, id FROM o')).toEqual([]);
  });

  test('of the same name have a table read with its schema', () => {
    expect(check('postgres', 'WITH orders AS (SELECT id FROM public.orders) SELECT id FROM orders').sql).toContain(
      'FROM public.orders)',
    );
    expect(check('postgres', 'WITH "Orders" AS (SELECT 1) SELECT id FROM orders').sql).toMatch(/FROM public\.orders$/);
    expect(check('postgres', 'SELECT id FROM public.orders').sql).toMatch(/FROM orders$/);
    expect(check('postgres', 'SELECT id FROM hr.people').sql).toMatch(/FROM hr\.people$/);
    expect(check('mysql', 'WITH orders AS (SELECT id FROM orders) SELECT id FROM orders').sql).toBe(
      'WITH orders AS (SELECT id FROM orders) SELECT id FROM orders',
    );
  });
});

describe('tables', () => {
  test.each<[Engine, string, ReturnType<typeof refusal>]>([
    [
      'sqlite',
      'SELECT * FROM order_s',
      {
        rule: 'table',
        message: 'Table "order_s" is not in the semantic layer; did you mean "orders"? (line 1, column 15).',
        hint: undefined,
      },
    ],
    [
      'postgres',
      'SELECT * FROM nowhere.orders',
      {
        rule: 'table',
        message: 'Table "nowhere.orders" is not in the semantic layer; did you mean "orders"? (line 1, column 15).',
        hint: undefined,
      },
    ],
    [
      'sqlite',
      'SELECT *\nFROM refused',
      { rule: 'table', message: 'Table "refused" is for others (line 2, column 6).', hint: 'Ask them.' },
    ],
    [
      'sqlite',
      'SELECT 1 FROM hidden',
      {
        rule: 'column',
        message: 'None of the columns of "hidden" can be read (line 1, column 15).',
        hint: undefined,
      },
    ],
    [
      'sqlite',
      'SELECT id FROM odd',
      {
        rule: 'table',
        message:
          'Table "odd" cannot be read: its row condition is not usable, it may use only columns of the table itself and allowed functions (line 1, column 16).',
        hint: 'An administrator has to correct the condition.',
      },
    ],
  ])('are refused in %s: %s', (engine, sql, expected) => {
    expect(refusal(engine, sql)).toEqual(expected);
  });

  test('are refused while their condition is no SQL', () => {
    expect(refusal('sqlite', 'SELECT id FROM broken')).toEqual({
      rule: 'table',
      message:
        'Table "broken" cannot be read: its row condition is not usable, Unexpected "2.5" (line 1, column 10) (line 1, column 16).',
      hint: 'An administrator has to correct the condition.',
    });
  });

  test('of the engine are none of the layer, whatever it names', () => {
    for (const [engine, name] of [
      ['sqlite', 'sqlite_master'],
      ['postgres', 'pg_class'],
    ] as const) {
      const own = allowedTables([entity(name, [])], dialects.get(engine)!).tables;
      expect(() => checkSql(`SELECT * FROM ${name}`, { tables: own })).toThrow('is not in the semantic layer');
    }
  });

  test('that are filtered need what their conditions call', () => {
    expect(reads('sqlite', 'SELECT id FROM filtered')).toEqual({
      tables: ['filtered'],
      columns: ['filtered.id'],
      functions: ['abs'],
    });
    expect(check('sqlite', 'SELECT id FROM filtered').sql).toBe(
      'SELECT id FROM (SELECT filtered.* FROM filtered WHERE abs(filtered.id) > 1) AS filtered',
    );
    expect(check('postgres', 'SELECT f.x FROM filtered AS f(x)').sql).toMatch(/\) AS f \(x\)$/);
    expect(columns('postgres', 'SELECT f.x, x FROM filtered AS f(x)')).toEqual(['filtered.*']);
    expect(check('sqlite', 'SELECT 1 IN filtered').sql).toBe(
      'SELECT 1 IN (SELECT filtered.* FROM filtered WHERE abs(filtered.id) > 1) AS "1 IN filtered"',
    );
    expect(check('sqlite', 'SELECT 1 IN orders').sql).toBe('SELECT 1 IN orders');
    expect(columns('postgres', 'SELECT o.x, x FROM orders AS o(x)')).toEqual(['orders.*']);
  });

  test('are counted, and so are common ones', () => {
    const from = (count: number) => `SELECT 1 FROM ${Array.from({ length: count }, (_, n) => `orders AS o${n}`)}`;
    const union = (...counts: number[]) => counts.map(from).join(' UNION ALL ');
    const many = { rule: 'size', hint: 'Read fewer tables, or one of them once in a WITH.' };
    const message = expect.stringMatching(/^The statement names more than 500 tables \(line 1, column \d+\)\.$/);
    expect(() => check('sqlite', union(125, 125, 125, 125))).not.toThrow();
    expect(refusal('sqlite', union(125, 125, 125, 126))).toEqual({ ...many, message });
    expect(refusal('sqlite', `WITH a AS (SELECT 1) ${union(125, 125, 125, 125)}`)).toEqual({ ...many, message });
    expect(() => check('sqlite', from(128))).not.toThrow();
    expect(refusal('sqlite', from(129))).toEqual({
      rule: 'size',
      message: expect.stringMatching(/^More than 128 tables in one FROM \(line 1, column \d+\)\.$/),
      hint: 'Join fewer tables.',
    });
  });
});

describe('both sides of a semi join', () => {
  test.each([
    ['orders', 'SELECT 1 FROM orders SEMI JOIN orders USING (id)'],
    ['o', 'SELECT 1 FROM orders AS o ANTI JOIN items AS O USING (id)'],
    ['i', 'SELECT 1 FROM orders AS i JOIN items AS x ON true SEMI JOIN items AS i USING (id)'],
  ])('must not go by the name %s: %s', (name, sql) => {
    const kind = sql.includes('ANTI') ? 'ANTI JOIN' : 'SEMI JOIN';
    expect(refusal('duckdb', sql)).toEqual({
      rule: 'table',
      message: expect.stringContaining(`Both sides of the ${kind} go by the name "${name}" (line 1, column `),
      hint: 'Give one of them another alias.',
    });
  });

  test('may both be without a name', () => {
    expect(() => check('duckdb', 'SELECT 1 FROM (SELECT 1 AS id) SEMI JOIN (SELECT 1 AS id) USING (id)')).not.toThrow();
  });
});

describe('functions', () => {
  test.each<[Engine, string, string, string | undefined]>([
    ['sqlite', 'SELECT lowr(1)', 'lowr', 'Did you mean "lower"?'],
    ['sqlite', 'SELECT now()', 'now', "Write datetime('now')."],
    ['postgres', 'SELECT pg_sleep(1)', 'pg_sleep', undefined],
    ['postgres', 'SELECT "LOWER"(status) FROM orders', 'LOWER', 'Did you mean "lower"?'],
    ['postgres', 'SELECT public.lower(status) FROM orders', 'lower', undefined],
    ['sqlite', 'SELECT id FROM orders WHERE lowr(1) = 1', 'lowr', 'Did you mean "lower"?'],
    ['sqlite', 'SELECT id FROM orders ORDER BY lowr(1)', 'lowr', 'Did you mean "lower"?'],
    ['sqlite', 'SELECT id FROM orders LIMIT lowr(1)', 'lowr', 'Did you mean "lower"?'],
  ])('are refused in %s: %s', (engine, sql, name, hint) => {
    const refused = refusal(engine, sql);
    expect(refused.message).toContain(`Function "${name}" is not allowed (line 1, column `);
    expect([refused.rule, refused.hint]).toEqual(['function', hint]);
  });

  test('are named in lower case where case does not matter, and with a schema that is not the engine own', () => {
    expect(reads('sqlite', 'SELECT LOWER(status), Count(*) FROM orders').functions).toEqual(['lower', 'count']);
    expect(reads('postgres', 'SELECT lower(status), pg_catalog.upper(status) FROM orders').functions).toEqual([
      'lower',
      'upper',
    ]);
    expect(reads('postgres', 'SELECT public.own(1), own(1)', ['public.own', 'own']).functions).toEqual([
      'public.own',
      'own',
    ]);
    for (const [sql, allowed] of [
      ['SELECT public.own(1)', 'own'],
      ['SELECT own(1)', 'public.own'],
    ] as const) {
      expect(refusal('postgres', sql, [allowed])).toMatchObject({
        rule: 'function',
        message: 'Function "own" is not allowed (line 1, column 8).',
      });
    }
  });

  test('are operators, too', () => {
    expect(reads('sqlite', "SELECT status LIKE 'a', status GLOB 'b' FROM orders").functions).toEqual(['like', 'glob']);
  });

  test('whose arguments make them allocate without bound are refused', () => {
    expect(refusal('postgres', "SELECT repeat('x', 1000000000)")).toMatchObject({
      rule: 'function',
      message: expect.stringContaining('repeat'),
      hint: expect.any(String),
    });
  });

  test('of FROM are those of the dialect', () => {
    expect(reads('sqlite', "SELECT e.value, value FROM JSON_Each('[1]') AS e")).toEqual({
      tables: [],
      columns: [],
      functions: ['json_each'],
    });
    expect(reads('sqlite', "SELECT json_each.value FROM json_each('[1]')").functions).toEqual(['json_each']);
    expect(refusal('sqlite', 'SELECT * FROM pragma_table_info(1)')).toEqual({
      rule: 'function',
      message: 'Table function "pragma_table_info" is not allowed (line 1, column 15).',
      hint: 'Allowed: json_each, json_tree, jsonb_each, jsonb_tree.',
    });
    expect(refusal('sqlite', "SELECT * FROM main.json_each('[1]')").rule).toBe('function');
    expect(refusal('duckdb', 'SELECT * FROM main.range(3)').message).toBe(
      'Table function "range" is not allowed (line 1, column 15).',
    );
    expect(columns('postgres', 'SELECT generate_series FROM ROWS FROM (generate_series(1, 2))')).toEqual([]);
    expect(columns('postgres', 'SELECT t.n FROM ROWS FROM (generate_series(1, 2)) AS t(n)')).toEqual([]);
  });
});

describe('columns', () => {
  test.each<[Engine, string, readonly string[]]>([
    ['sqlite', 'SELECT * FROM orders', ['orders.*']],
    ['sqlite', 'SELECT o.*, * FROM orders AS o, items', ['orders.*', 'items.*']],
    ['sqlite', 'SELECT i.* FROM orders AS o, items AS i', ['items.*']],
    ['sqlite', 'SELECT * FROM salaries', ['salaries.id', 'salaries.name']],
    ['sqlite', 'SELECT 1 IN salaries', ['salaries.id', 'salaries.name']],
    ['sqlite', 'SELECT 1 IN orders', ['orders.*']],
    ['sqlite', "SELECT 1 IN json_each('[1]')", []],
    ['sqlite', 'SELECT o.total, id FROM orders AS o', ['orders.total', 'orders.id']],
    // A name that the SELECT gives is its own in ORDER BY, and only there.
    ['sqlite', 'SELECT total AS id FROM orders ORDER BY id', ['orders.total']],
    ['sqlite', 'SELECT *, total AS id FROM orders ORDER BY id', ['orders.*', 'orders.total']],
    ['sqlite', 'SELECT total AS id FROM orders ORDER BY orders.id', ['orders.total', 'orders.id']],
    ['sqlite', 'SELECT total AS id FROM orders ORDER BY id + 1', ['orders.total', 'orders.id']],
    ['sqlite', 'SELECT total AS id FROM orders WHERE id > 1', ['orders.total', 'orders.id']],
    ['duckdb', '(SELECT total AS id FROM orders) UNION SELECT 1 ORDER BY id', ['orders.total']],
    // SQLite shows the tables inside a join that has an alias, the others do not.
    ['sqlite', 'SELECT o.id FROM (orders AS o JOIN items AS i ON true) AS k', ['orders.*', 'orders.id', 'items.*']],
    ['duckdb', 'SELECT o.id FROM (orders AS o JOIN items AS i ON true) AS k', ['orders.o', 'items.o']],
    ['duckdb', 'SELECT k.id FROM (orders AS o JOIN items AS i ON true) AS k', ['items.id']],
    // One name in a FROM, and further out: the nearest counts.
    ['sqlite', 'SELECT (SELECT o.id FROM items AS o) FROM orders AS o', ['items.id']],
    ['sqlite', 'SELECT (SELECT O.id FROM items AS i) FROM orders AS o', ['orders.id']],
    ['sqlite', 'SELECT unknown FROM orders', ['orders.unknown']],
    ['sqlite', 'SELECT unknown FROM orders, items', ['orders.unknown', 'items.unknown']],
    ['sqlite', 'SELECT unknown', []],
    ['sqlite', 'SELECT "*" FROM orders, salaries', ['orders.*']],
    ['sqlite', 'SELECT ID, o.TOTAL FROM orders AS o', ['orders.ID', 'orders.TOTAL']],
    ['sqlite', 'SELECT NAME, s.Id FROM salaries AS s', ['salaries.NAME', 'salaries.Id']],
    ['postgres', 'SELECT public.orders.id FROM orders', ['orders.id']],
    ['sqlite', 'SELECT MAIN.orders.id FROM orders', ['orders.id']],
    ['duckdb', 'SELECT MAIN.orders.id, main.o.total FROM orders, orders AS o', ['orders.id', 'orders.total']],
    ['postgres', 'SELECT public.o.id FROM items AS o', ['items.id']],
    ['postgres', 'SELECT hr.people.id FROM hr.people', ['hr.people.id']],
    // Which column has the field is not told by names alone.
    [
      'duckdb',
      'SELECT orders.place.city, place.geo.lat, o.place.city FROM orders, items AS o',
      ['orders.place', 'orders.orders', 'orders.o', 'items.orders', 'items.place', 'items.o'],
    ],
    // Where names do not tell, every column that may be meant: further out, too, and whatever it is called.
    ['postgres', 'SELECT (SELECT secret FROM items LIMIT 1) FROM orders', ['items.secret', 'orders.secret']],
    ['sqlite', 'SELECT (SELECT id FROM items LIMIT 1) FROM orders', ['items.id']],
    ['postgres', "SELECT id AS secret FROM orders WHERE secret = 'x'", ['orders.id', 'orders.secret']],
    ['postgres', 'SELECT o FROM orders AS o', ['orders.*', 'orders.o']],
    ['postgres', 'SELECT to_jsonb(o) FROM orders AS o', ['orders.*', 'orders.o']],
    ['postgres', 'SELECT count(o.*) FROM orders AS o', ['orders.*']],
    ['postgres', 'SELECT (SELECT to_jsonb("O".*) FROM items) FROM orders AS "O"', ['orders.*']],
    ['postgres', 'SELECT a FROM orders AS o (a, b)', ['orders.*']],
    ['sqlite', 'SELECT 1 FROM orders NATURAL JOIN items', ['orders.*', 'items.*']],
    ['sqlite', 'SELECT 1 FROM orders JOIN items USING (secret)', ['orders.secret', 'items.secret']],
    ['sqlite', 'SELECT rowid FROM orders', ['orders.*']],
    ['duckdb', "SELECT COLUMNS('secret') FROM orders", ['orders.*']],
    ['duckdb', 'SELECT o.secret.domain FROM orders AS o', ['orders.secret', 'orders.o']],
    ['duckdb', 'SELECT secret.domain FROM orders AS secret', ['orders.domain', 'orders.secret']],
    ['sqlite', 'SELECT count(*) FROM orders', []],
    ['sqlite', 'SELECT id FROM (SELECT id FROM orders)', ['orders.id']],
    ['sqlite', 'SELECT x FROM (SELECT * FROM orders)', ['orders.*']],
    ['postgres', 'WITH c (a) AS (SELECT secret FROM orders) SELECT a FROM c', ['orders.secret']],
    // What a name means changes with the relations in sight.
    [
      'duckdb',
      'SELECT 1 FROM orders SEMI JOIN items ON flag = 1 JOIN hr.people ON flag = 2',
      ['orders.flag', 'items.flag', 'hr.people.flag'],
    ],
    ['duckdb', 'SELECT k FROM (orders AS o SEMI JOIN items AS i ON k = 1) AS k', ['orders.k', 'orders.*', 'items.k']],
  ])('in %s: %s', (engine, sql, read) => {
    expect(columns(engine, sql)).toEqual(read);
  });

  test.each<[Engine, string, string]>([
    ['postgres', 'SELECT public.orders.id FROM orders', 'SELECT orders.id FROM orders'],
    ['sqlite', 'SELECT main.orders.id FROM orders', 'SELECT main.orders.id FROM orders'],
    [
      'sqlite',
      'SELECT main.salaries.id FROM salaries',
      "SELECT salaries.id FROM (SELECT salaries.id, 'x' AS name FROM salaries) AS salaries",
    ],
  ])('with a schema are printed in %s without one where it says nothing: %s', (engine, sql, printed) => {
    expect(check(engine, sql).sql).toBe(printed);
  });

  test.each<[Engine, string, string]>([
    ['postgres', 'SELECT hr.orders.id FROM orders', 'hr'],
    ['postgres', 'SELECT public.people.id FROM hr.people', 'public'],
    ['sqlite', 'SELECT temp.orders.id FROM orders', 'temp'],
    ['duckdb', 'SELECT hr.orders.id FROM orders', 'hr'],
    ['duckdb', 'SELECT main.people.id FROM hr.people', 'main'],
    ['postgres', 'SELECT "PUBLIC".orders.id FROM orders', 'PUBLIC'],
    ['postgres', 'SELECT public.x.id FROM orders', 'public'],
    ['postgres', 'SELECT public.items.id FROM orders AS items', 'public'],
    ['mysql', 'SELECT other.orders.id FROM orders', 'other'],
  ])('of another schema are refused in %s: %s', (engine, sql, schema) => {
    expect(refusal(engine, sql)).toEqual({
      rule: 'table',
      message: `Schema "${schema}" cannot be read (line 1, column 8).`,
      hint: 'Leave the schema out.',
    });
  });

  test.each([
    'SELECT ctid FROM orders',
    'SELECT o.ctid FROM orders AS o',
    'SELECT (SELECT ctid) FROM orders',
    'SELECT ctid FROM orders, salaries',
  ])('of the engine are refused: %s', (sql) => {
    expect(refusal('postgres', sql)).toEqual({
      rule: 'column',
      message: expect.stringMatching(/^Column "ctid" belongs to the engine itself \(line 1, column \d+\)\.$/),
      hint: 'Read the columns of the table.',
    });
  });

  test('beyond 2,000 stand for all of their table', () => {
    const names = Array.from({ length: 3000 }, (_, n) => `c${n}`);
    expect(columns('sqlite', `SELECT ${names.slice(0, 1000)} FROM orders, items`)).toHaveLength(2000);
    const read = columns('sqlite', `SELECT ${names} FROM orders, items`);
    expect(read).toHaveLength(2002);
    expect(read).toEqual(expect.arrayContaining(['orders.c0', 'items.c999', 'orders.*', 'items.*']));
  });

  test('of the engine may be names elsewhere', () => {
    expect(() => check('postgres', 'SELECT ctid FROM (SELECT 1 AS ctid) AS t')).not.toThrow();
    expect(() => check('sqlite', 'SELECT ctid FROM orders')).not.toThrow();
  });

  test.each<[Engine, string, boolean]>([
    ['sqlite', 'SELECT id FROM salaries WHERE name = "amount"', true],
    ['sqlite', 'SELECT id FROM salaries WHERE name = amount', false],
    ['sqlite', 'SELECT s.id FROM salaries AS s, salaries AS t WHERE s.name = t."amount"', false],
    ['sqlite', 'SELECT id FROM salaries WHERE name = "salaries".amount', false],
    ['sqlite', 'SELECT id FROM salaries WHERE name = `amount`', false],
    ['postgres', 'SELECT id FROM salaries WHERE name = "amount"', true],
    ['mysql', 'SELECT id FROM salaries WHERE name = `amount`', false],
  ])('in double quotes may be meant as texts, which the hint says in %s: %s', (engine, sql, says) => {
    const { hint } = refusal(engine, sql);
    expect(hint).toBe(
      says ? "Columns that can: id, name. A text stands in single quotes: 'amount'." : 'Columns that can: id, name.',
    );
  });
});
