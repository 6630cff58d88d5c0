import Sqlite from 'better-sqlite3';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PostgresServer, startPostgres } from '../../test/harness/postgres.ts';
import { kitDialects } from '../sql-kit/index.ts';
import type { CompiledQuery } from './api.ts';
import { compileQuery } from './compile.ts';
import { PlanError } from './errors.ts';
import { expectedRows, loadSql, plans, schemaSql, shops } from './fixtures/random-plans.ts';
import type { Data, Value } from './fixtures/reference-evaluator.ts';
import { shop } from './fixtures/shop.ts';
import type { QueryPlan } from './plan.ts';

const dialects = await kitDialects();

type Rows = readonly Readonly<Record<string, unknown>>[];

const plain = (value: unknown): Value => {
  if (value === null || value === undefined) return null;
  return typeof value === 'boolean' ? Number(value) : (value as Value);
};

/** Rows by group, like those of `expectedRows`. A group must appear only once. */
function byGroup({ columns }: CompiledQuery, rows: Rows): Map<string, Value[]> {
  const found = new Map<string, Value[]>();
  for (const row of rows) {
    const group = JSON.stringify(
      columns.filter(({ kind }) => kind === 'dimension').map(({ name }) => plain(row[name])),
    );
    expect(found.has(group), `the group ${group} comes twice`).toBe(false);
    const values = columns.filter(({ kind }) => kind !== 'dimension').map(({ name }) => row[name]);
    found.set(
      group,
      values.map((value) => (value === null ? null : Number(value))),
    );
  }
  return found;
}

const rounded = (rows: ReadonlyMap<string, readonly Value[]>) =>
  new Map(
    [...rows]
      .map(([group, values]) => {
        const numbers = values.map((value) => (value === null ? null : Math.round(Number(value) * 1e3) / 1e3 + 0));
        return [group.replaceAll('true', '1').replaceAll('false', '0'), numbers] as const;
      })
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

function compiled(plan: QueryPlan, dialect: string): CompiledQuery | string {
  try {
    return compileQuery(shop, plan, { dialect: dialects.get(dialect)! });
  } catch (error) {
    if (error instanceof PlanError) return error.code;
    throw error;
  }
}

async function check(data: Data, plan: QueryPlan, dialect: string, run: (sql: string) => Rows | Promise<Rows>) {
  const expected = expectedRows(data, plan);
  const query = compiled(plan, dialect);
  if (typeof expected === 'string' || typeof query === 'string') {
    expect(query).toBe(expected);
    return;
  }
  const rows = await run(query.sql);
  expect(rounded(byGroup(query, rows)), query.sql).toEqual(rounded(expected));
}

const parse = (oid: number, text: string) => (oid === 16 ? text === 't' : oid === 23 ? Number(text) : text);

describe('random plans return the expected rows', () => {
  it('on SQLite', { timeout: 120_000 }, async () => {
    const database = new Sqlite(':memory:');
    database.exec(schemaSql);
    await fc.assert(
      fc.asyncProperty(shops, plans, async (data, plan) => {
        database.exec(loadSql(data));
        await check(data, plan, 'sqlite', (sql) => database.prepare(sql).all() as Rows);
      }),
      { numRuns: Number(process.env.PROPERTY_RUNS ?? 600) },
    );
    database.close();
  });

  describe('on Postgres', () => {
    let server: PostgresServer;
    let client: pg.Client;
    beforeAll(async () => {
      server = await startPostgres();
      // Dates stay text; integers become numbers.
      const types = { getTypeParser: (oid: number) => (text: unknown) => parse(oid, String(text)) };
      client = new pg.Client({ connectionString: server.url, types });
      await client.connect();
      await client.query(schemaSql);
    }, 60_000);
    afterAll(async () => {
      await client?.end();
      await server?.stop();
    });

    it('returns the same rows', { timeout: 120_000 }, async () => {
      await fc.assert(
        fc.asyncProperty(shops, plans, async (data, plan) => {
          await client.query(loadSql(data));
          await check(data, plan, 'postgres', async (sql) => (await client.query(sql)).rows);
        }),
        { numRuns: Number(process.env.PROPERTY_RUNS ?? 200) },
      );
    });
  });
});
