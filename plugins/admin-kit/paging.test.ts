import type { Knex } from 'knex';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../../test/harness/create-test-app.ts';
import { chosenEngines, migration, storing, type TestEngine } from '../../test/harness/internal-databases.ts';
import { internalDb } from '../internal-db/index.ts';
import { type PageSource, page, pageQuery, readPage, type SortedPage, sortable } from './index.ts';

const ROWS = 23;
/** Which the locales of databases order in their own ways. */
const NAMES = ['b', 'A', 'a', 'ä', 'a b', 'ab', '_a', 'a-b', 'Z', '', 'é', '1', '10', '9'];
const ORDERS = sortable(
  {
    at: [{ column: 'at', nulls: 'last' }, { column: 'id' }],
    name: [{ column: 'name', isText: true }, { column: 'id' }],
  },
  '-at',
);
/** In pairs of the same time, and some without one. */
const at = (id: number) => (id % 7 === 0 ? null : Math.floor(id / 2));
const nameOf = (id: number) => NAMES[id % NAMES.length] ?? '';
const notes = migration('0001-notes', async (trx) => {
  await trx.schema.createTable('notes', (table) => {
    table.integer('id').primary();
    table.text('org_id');
    table.integer('at');
    table.text('name');
  });
  await trx('notes').insert(
    Array.from({ length: ROWS }, (_, id) => ({ id, org_id: null, at: at(id), name: nameOf(id) })),
  );
  await trx('notes').insert({ id: 100, org_id: 'other', at: 1 });
});

describe.each(chosenEngines)('on %s', (_, open) => {
  let engine: TestEngine;
  let app: TestApp;
  beforeAll(async () => {
    engine = await open();
    app = await createTestApp({ plugins: [internalDb({ url: await engine.fresh() }), storing('notes', [notes])] });
  }, 60_000);
  afterAll(async () => {
    await app.close();
    await engine[Symbol.asyncDispose]();
  });

  const source = (db: Knex, more: Partial<PageSource> = {}): PageSource => ({
    matching: () => db('notes').whereNull('org_id'),
    order: [{ column: 'org_id', order: 'desc' }, { column: 'at', order: 'desc' }, { column: 'id' }],
    ...more,
  });
  const ids = async (limit: number, offset: number, hasKey: boolean) => {
    const { rows, total } = await app.get(internalDb).run((db) => {
      const key = { column: 'id', all: () => db('notes') };
      return readPage<{ id: number }>(source(db, hasKey ? { key } : {}), { limit, offset });
    });
    expect(total).toBe(ROWS);
    return rows.map(({ id }) => id);
  };

  it.each([false, true])('every page has the rows that one large page has there, with a key: %s', async (hasKey) => {
    const all = await ids(ROWS, 0, hasKey);
    expect(new Set(all).size).toBe(ROWS);
    for (const limit of [1, 2, 5, 11, 12, 22, 23, 24, 200]) {
      for (let offset = 0; offset <= ROWS + 1; offset += 1) {
        expect([limit, offset, await ids(limit, offset, hasKey)]).toEqual([
          limit,
          offset,
          all.slice(offset, offset + limit),
        ]);
      }
    }
    expect(await ids(5, Number.MAX_SAFE_INTEGER, hasKey)).toEqual([]);
  });

  const compare = (a: number | string, b: number | string) => (a < b ? -1 : a > b ? 1 : 0);
  const byTime = (a: number, b: number) => {
    const [left, right] = [at(a), at(b)];
    return left === null || right === null ? Number(left === null) - Number(right === null) : left - right;
  };
  it.each([
    [undefined, (a: number, b: number) => byTime(a, b) * (at(a) === null || at(b) === null ? 1 : -1) || b - a],
    ['at', (a: number, b: number) => byTime(a, b) || a - b],
    ['name', (a: number, b: number) => compare(nameOf(a), nameOf(b)) || a - b],
    ['-name', (a: number, b: number) => compare(nameOf(b), nameOf(a)) || b - a],
  ] as const)('sorts alike on every database, the last pages too: %s', async (sort, order) => {
    const sorted = Array.from({ length: ROWS }, (_, id) => id).sort(order);
    const read = async (request: SortedPage<typeof ORDERS>) => {
      const { rows } = await app
        .get(internalDb)
        .run((db) => readPage<{ id: number }>(source(db, { order: ORDERS.order(request.sort) }), request));
      return rows.map(({ id }) => id);
    };
    expect(await read({ limit: ROWS, offset: 0, sort })).toEqual(sorted);
    for (let offset = 0; offset < ROWS; offset += 4) {
      expect(await read({ limit: 4, offset, sort })).toEqual(sorted.slice(offset, offset + 4));
    }
  });

  it('reads the last page from the other end', async () => {
    const sent: string[] = [];
    const seen = ({ sql, bindings }: { sql: string; bindings: unknown[] }) => void sent.push(`${sql} ${bindings}`);
    await app.get(internalDb).run(async (db) => {
      db.on('query', seen);
      await readPage(source(db), { limit: 3, offset: ROWS - 2 }).finally(() => db.off('query', seen));
    });
    expect(sent).toHaveLength(2);
    expect(sent[1]).toMatch(/order by "?`?org_id.? asc, .?at.? asc, .?id.? desc limit (\?|\$1) 2$/);
  });

  it('takes the columns that are asked for', async () => {
    const read = (offset: number) =>
      app.get(internalDb).run((db) => {
        const key = { column: 'id', all: () => db('notes') };
        return readPage(source(db, { columns: ['id'], key }), { limit: 1, offset });
      });
    expect((await read(0)).rows).toEqual([{ id: expect.any(Number) }]);
    expect((await read(1)).rows).toEqual([{ id: expect.any(Number) }]);
  });
});

it('declares the orders as an enumeration, whose default is the usual one', () => {
  const { sort } = ORDERS.query;
  expect(sort).toMatchObject({
    anyOf: ['at', '-at', 'name', '-name'].map((name) => ({ const: name })),
    default: '-at',
  });
  expect(ORDERS.order()).toEqual(ORDERS.order('-at'));
});

it('declares bounds and the shape of the answer', () => {
  expect(pageQuery({ limit: 50, max: 200 })).toMatchObject({
    limit: { default: 50, minimum: 1, maximum: 200 },
    offset: { default: 0, minimum: 0 },
  });
  const { properties, required } = page('notes', pageQuery({ limit: 1, max: 1 }).limit);
  expect([Object.keys(properties), required]).toEqual([
    ['notes', 'total', 'limit', 'offset'],
    ['notes', 'total', 'limit', 'offset'],
  ]);
});
