/** The layer of a demo fits the database that was loaded, and its SQL runs, in every engine that demos load into. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import Database from 'better-sqlite3';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMOS, type DemoName, loadDemo } from '../../plugins/demo-data/index.ts';
import { loadSemanticLayer, type SemanticModel } from '../../plugins/semantic-layer/index.ts';
import { compileQuery, type QueryPlan } from '../../plugins/semantic-query/index.ts';
import { kitDialects } from '../../plugins/sql-kit/index.ts';
import { atlasHere as atlas } from '../harness/command-here.ts';
import { type PostgresServer, startPostgres } from '../harness/postgres.ts';

const dialects = await kitDialects();

// The layer of `simple` is written for SQLite, which the command `demo` uses.
const NAMES: readonly DemoName[] = ['cybersec', 'ecommerce'];

const folder = mkdtempSync(join(tmpdir(), 'atlas-demo-layers-'));
let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
  const admin = new pg.Client({ connectionString: server.url });
  await admin.connect();
  for (const name of NAMES) await admin.query(`CREATE DATABASE ${name}`);
  await admin.end();
});
afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

type Run = (sql: string) => unknown;
interface Engine {
  readonly dialect: 'sqlite' | 'duckdb' | 'postgres';
  url(name: string): string;
  open(name: string): Promise<{ run: Run; close(): unknown }>;
}
const path = (name: string, end: string) => join(folder, `${name}.${end}`);
const postgresUrl = (name: string) => server.url.replace(/postgres$/, name);
const ENGINES: readonly Engine[] = [
  {
    dialect: 'sqlite',
    url: (name) => `sqlite:${path(name, 'db')}`,
    open: async (name) => {
      const database = new Database(path(name, 'db'), { readonly: true });
      return { run: (sql) => database.prepare(sql).all(), close: () => database.close() };
    },
  },
  {
    dialect: 'duckdb',
    url: (name) => `duckdb:${path(name, 'duckdb')}`,
    open: async (name) => {
      const instance = await DuckDBInstance.create(path(name, 'duckdb'));
      const connection = await instance.connect();
      return {
        run: (sql) => connection.runAndReadAll(sql),
        close: () => {
          connection.closeSync();
          instance.closeSync();
        },
      };
    },
  },
  {
    dialect: 'postgres',
    url: postgresUrl,
    open: async (name) => {
      const client = new pg.Client({ connectionString: postgresUrl(name) });
      await client.connect();
      return { run: (sql) => client.query(sql), close: () => client.end() };
    },
  },
];

/** Each measure, metric, segment, term and pattern of the layer once, by its name. */
function statements(model: SemanticModel, dialect: Engine['dialect']): [string, string][] {
  const measured = (name: string): QueryPlan => ({ measures: [name] });
  const count = (entity: string, segments: string[]) => ({ measures: [`${entity}.count`], segments });
  const plans: (readonly [string, QueryPlan])[] = [
    ...model.entities.flatMap(({ name, measures, segments }) => [
      ...measures.map((one) => [`${name}.${one.name}`, measured(`${name}.${one.name}`)] as const),
      ...segments.map((one) => [`${name}.${one.name}`, count(name, [`${name}.${one.name}`])] as const),
    ]),
    ...model.metrics.map(({ id }) => [id, measured(id)] as const),
    ...model.glossary.flatMap(({ term, entity, sql }) =>
      entity !== undefined && sql !== undefined ? [[term, count(entity, [term])] as const] : [],
    ),
  ];
  const patterns = model.entities.flatMap(({ queryPatterns }) => queryPatterns);
  return [
    ...plans.map(([name, plan]): [string, string] => [
      name,
      compileQuery(model, plan, { dialect: dialects.get(dialect)! }).sql,
    ]),
    ...patterns.map(({ description, sql }): [string, string] => [description, sql]),
  ];
}

describe.each(NAMES)('the layer of %s', (name) => {
  it.each(ENGINES)(
    'fits $dialect',
    async ({ dialect, url, open }) => {
      const { rows } = await loadDemo(name, { url: url(name) });
      expect(rows).toBeGreaterThan(55_000);
      const model = await loadSemanticLayer(DEMOS[name].layer);
      const { run, close } = await open(name);
      try {
        const failed: string[] = [];
        for (const [title, sql] of statements(model, dialect)) {
          try {
            await run(sql);
          } catch (error) {
            failed.push(`${title}: ${(error as Error).message.split('\n', 1)[0]}`);
          }
        }
        expect(failed).toEqual([]);
      } finally {
        await close();
      }
      const env = { SVC_DATASOURCE_URL: url(name), SVC_SEMANTIC_DIR: DEMOS[name].layer };
      const { stdout } = await atlas(['validate', '--json'], { cwd: folder, env });
      const { checks } = JSON.parse(stdout) as { checks: { check: string; status: string }[] };
      expect(checks).toContainEqual({ check: 'semanticLayer', status: 'ok' });
      expect(checks.map(({ check }) => check)).toContain('datasource');
    },
    120_000,
  );
});
