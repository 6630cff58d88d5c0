import { describe, expect, test } from 'vitest';
import { check, entity, shopDatabase } from '../../test/fixtures/sql/sqlite-shop.ts';
import type { ModelEntity } from '../semantic-layer/index.ts';
import { kitDialect } from '../sql-kit/index.ts';
import { AllowedTables } from './allowed-tables.ts';
import { checkSql } from './check.ts';
import { allowedTables } from './layer-tables.ts';

const duckdb = await kitDialect('duckdb');
const sqlite = await kitDialect('sqlite');

const db = shopDatabase();
const rows = (sql: string) => db.prepare(check(sql).sql).all();

describe('a table with hidden and masked columns', () => {
  const seen = [
    { name: 'Ann', email: 'a***' },
    { name: 'Bob', email: 'b***' },
  ];

  test.each([
    'SELECT * FROM salaries',
    'SELECT s.* FROM salaries AS s',
    'SELECT * FROM main.salaries',
    'SELECT name, email FROM (SELECT * FROM salaries)',
    'WITH s AS (SELECT * FROM salaries) SELECT * FROM s',
    'SELECT salaries.name, salaries.email FROM salaries',
    'SELECT main.salaries.name, main.salaries.email FROM salaries',
    'SELECT a.* FROM salaries a JOIN salaries b USING (name)',
    'SELECT a.name, b.email FROM salaries a LEFT JOIN salaries b ON a.email = b.email',
    'SELECT name, email FROM (salaries)',
    'SELECT name, email FROM salaries UNION SELECT * FROM salaries',
    'SELECT name, max(email) AS email FROM salaries GROUP BY name',
  ])('%s', (sql) => {
    expect(rows(sql)).toEqual(seen);
  });

  test('compares with the mask, never with the value behind it', () => {
    expect(rows("SELECT name FROM salaries WHERE email = 'ann@example.com'")).toEqual([]);
    expect(rows("SELECT name FROM salaries WHERE email LIKE '%@%'")).toEqual([]);
    expect(
      rows("SELECT ('Ann', 'a***') IN salaries AS masked, ('Ann', 'ann@example.com') IN salaries AS real"),
    ).toEqual([{ masked: 1, real: 0 }]);
  });

  test('keeps its row id out of reach, which is the hidden key', () => {
    expect(() => rows('SELECT s.rowid, o.id FROM salaries s, orders o')).toThrow('cannot be read');
    expect(() => rows('SELECT _rowid_ FROM salaries s, (SELECT 1)')).toThrow('no such column');
  });

  test('lists the table and the functions of the mask for the check by the engine', () => {
    const { tables, functions, columns } = check('SELECT count(*) FROM salaries');
    expect({ tables, functions, columns }).toEqual({
      tables: ['salaries'],
      functions: ['substr', 'count'],
      columns: [],
    });
    expect(check('SELECT * FROM salaries').columns).toEqual(['salaries.name', 'salaries.email']);
  });

  test('is printed as a subquery of what may be seen', () => {
    expect(check('SELECT p.name FROM salaries p').sql).toBe(
      "SELECT p.name FROM (SELECT salaries.name, substr(salaries.email, 1, 1) || '***' AS email FROM salaries) AS p",
    );
  });

  test('finds an alias and a column of another table although it has neither', () => {
    expect(rows('SELECT name AS amount FROM salaries ORDER BY amount')).toHaveLength(2);
    expect(rows('SELECT count(o.total), count(total) FROM salaries s, orders o')).toHaveLength(1);
    expect(rows('SELECT (SELECT max(id) FROM orders WHERE status <> s.name) FROM salaries s')).toHaveLength(2);
    expect(
      rows('SELECT id FROM customers c WHERE EXISTS (SELECT 1 FROM salaries WHERE name = city OR id = 1)'),
    ).toHaveLength(1);
  });

  test('leaves a column that it does not show to a source further out of the same name', () => {
    expect(rows('SELECT (SELECT max(s.city) FROM salaries s) AS city FROM customers s WHERE s.id = 1')).toEqual([
      { city: 'Paris' },
    ]);
    expect(() => rows('SELECT (SELECT s.amount FROM salaries s) FROM salaries s')).toThrow('cannot be read');
  });
});

/** What may be seen of `t`, and the problems. */
function visible(...entities: ModelEntity[]) {
  const { tables, problems } = allowedTables(entities, sqlite);
  return { columns: tables.find('main', 't')?.visible?.map(({ name, mask }) => (mask ? `${name}*` : name)), problems };
}

describe('what the layer lets be seen', () => {
  test('is everything where nothing is hidden', () => {
    expect(visible(entity('t', [{ name: 'a' }]))).toEqual({ columns: undefined, problems: [] });
  });

  test('is what it declares, in dimensions, measures, segments and joins', () => {
    const t = entity('t', [{ name: 'a' }, { name: 'b', hidden: true }, { name: 'year', sql: "strftime('%Y', made)" }], {
      measures: [{ name: 'm', type: 'sum', sql: 'price * quantity' }],
      segments: [{ name: 's', sql: '{a} = 1 AND deleted_at IS NULL' }],
      joins: [{ name: 'u', target: 'u', relationship: 'many_to_one', on: [{ from: 'u_id', to: 'id' }] }],
    });
    const u = entity('u', [], {
      joins: [{ name: 't', target: 't', relationship: 'many_to_one', on: [{ from: 't_id', to: 'key' }] }],
    });
    expect(visible(t, u).columns).toEqual(['a', 'made', 'price', 'quantity', 'deleted_at', 'u_id', 'key']);
  });

  test('never holds a hidden column, whatever else reads it', () => {
    const t = entity(
      't',
      [
        { name: 'a' },
        { name: 'pay', sql: '"Salary"', hidden: true },
        { name: 'half', sql: '{pay} / 2' },
        { name: 'k', sql: 't.SALARY' },
      ],
      { measures: [{ name: 'm', type: 'avg', sql: 'salary' }] },
    );
    expect(visible(t).columns).toEqual(['a']);
  });

  test('hides what a hidden computed dimension reads, but for columns declared on their own', () => {
    const t = entity('t', [{ name: 'a' }, { name: 'x', sql: 'a || secret', hidden: true }], {
      measures: [{ name: 'm', type: 'max', sql: 'secret' }],
    });
    expect(visible(t).columns).toEqual(['a']);
  });

  test('adds up over the entities of one table, and hiding wins', () => {
    const one = entity('t', [{ name: 'a' }, { name: 'b' }, { name: 'c' }]);
    const two = entity('main.T', [{ name: 'b', hidden: true }, { name: 'c', mask: 'NULL' }, { name: 'd' }], {
      name: 'two',
    });
    expect(visible(one, two).columns).toEqual(['a', 'c*', 'd']);
  });

  test.each(['***', '(SELECT 1)', 'a IN (SELECT 1)', "load_extension('x')", 'a IN t', ''])(
    'hides a column whose mask is %s',
    (mask) => {
      const { columns, problems } = visible(entity('t', [{ name: 'a' }, { name: 'b', mask }]));
      expect(columns).toEqual(['a']);
      expect(problems).toEqual([expect.stringContaining('the mask of "t.b"')]);
    },
  );

  test('reports an entity with a schema that the engine does not have', () => {
    expect(visible(entity('t', [], { schema: 'shop' })).problems).toEqual([
      expect.stringContaining('no schema "shop"'),
    ]);
  });
});

test('a table of which nothing may be seen is refused', () => {
  const { tables } = allowedTables([entity('t', [{ name: 'a', hidden: true }])], sqlite);
  expect(() => checkSql('SELECT count(*) FROM t', { tables })).toThrow('None of the columns of "t" can be read');
});

test.each([
  ["place.city = 'Rome'", "events.place.city = 'Rome'"],
  ["events.place.city = 'Rome'", "events.place.city = 'Rome'"],
  ["city = 'Rome'", "events.city = 'Rome'"],
  ["main.events.city = 'Rome'", "events.city = 'Rome'"],
  ['upper(place.city) IS NULL', 'upper(events.place.city) IS NULL'],
])('a condition on a part of a column is no condition on a column of its name: %s', (condition, printed) => {
  const { tables } = allowedTables([entity('events', [])], duckdb);
  const filtered = tables.tables.map((table) => ({ ...table, rows: [{ condition, values: [] }] }));
  expect(checkSql('SELECT id FROM events', { tables: new AllowedTables(filtered, duckdb) }).sql).toContain(
    `WHERE ${printed})`,
  );
});

test('a mask over a part of a column shows that part', () => {
  const { tables } = allowedTables([entity('events', [{ name: 'place', mask: 'place.country' }])], duckdb);
  expect(checkSql('SELECT place FROM events', { tables }).sql).toContain('SELECT events.place.country AS place');
});

test('a dimension that is computed from a part of a column reads that column', () => {
  const dimensions = [{ name: 'id' }, { name: 'town', sql: 'upper(place.city)' }, { name: 'kind', hidden: true }];
  const { tables } = allowedTables([entity('events', dimensions)], duckdb);
  expect(tables.tables[0]?.visible?.map(({ name }) => name)).toEqual(['id', 'place']);
});
