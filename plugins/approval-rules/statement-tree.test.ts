import { beforeAll, expect, test } from 'vitest';
import { kitDialects, postgres } from '../sql-kit/index.ts';
import { namedThings, treeOf } from './statement-tree.ts';

const dialects = await kitDialects();

beforeAll(() => postgres.load?.());

const things = (engine: 'sqlite' | 'duckdb' | 'postgres' | 'mysql', sql: string) => {
  const dialect = dialects.get(engine)!;
  const tree = treeOf(sql, dialect);
  if (tree === undefined) throw new Error(`Not read: ${sql}`);
  const { tables, columns, isKnown } = namedThings(tree, dialect);
  return { tables: tables.map(({ name }) => name), columns: [...columns].sort(), isKnown };
};

test.each([
  ['sqlite', 'SELECT id, lower(name) AS n FROM t', ['id', 'name'], true],
  ['sqlite', 'SELECT rowid AS r FROM t', ['*', 'rowid'], true],
  ['sqlite', 'SELECT * FROM t', ['*'], true],
  ['sqlite', 'SELECT mine(id) AS x FROM t', ['id'], false],
  ['postgres', 'SELECT to_jsonb(t.*) AS x FROM t', ['*'], true],
  ['postgres', 'SELECT public.lower(t.name) AS x FROM t', ['name', 't'], false],
  ['postgres', 'SELECT count(t) AS x FROM t', ['*', 't'], true],
  ['mysql', 'SELECT `s`.`t`.`id` AS `id` FROM `s`.`t`', ['id', 's', 't'], true],
  ['duckdb', 'SELECT place.city FROM t', ['city', 'place'], true],
] as const)('in %s: %s', (engine, sql, columns, isKnown) => {
  expect(things(engine, sql)).toEqual({ tables: ['t'], columns, isKnown });
});
