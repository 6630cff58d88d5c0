/** Whatever becomes of a statement, the audit hears of it exactly once, with all that it needs and no credentials. */
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type AtlasError,
  definePlugin,
  type Scope,
  type SqlOutcome,
  sqlBefore,
  sqlSettled,
} from '../../kernel/index.ts';
import { datasourceSqlite } from '../../plugins/datasource-sqlite/index.ts';
import { semanticLayer } from '../../plugins/semantic-layer/index.ts';
import { sqlGuard } from '../../plugins/sql-guard/index.ts';
import { sqlLimits } from '../../plugins/sql-limits/index.ts';
import { createTestApp, type TestApp } from '../harness/create-test-app.ts';
import { layerFolder } from '../harness/layer-folder.ts';
import { SqliteFolder } from '../harness/sqlite.ts';

const ENDLESS =
  'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000000000) SELECT COUNT(*) FROM n, boats';
const actor = { id: 'ann', label: 'Ann', role: 'analyst', mode: 'test', claims: {} } as const;

const open = new DisposableStack();
const settled: { readonly outcome: SqlOutcome; readonly scope: Scope }[] = [];
let app: TestApp;

/** Listens, and fails where a statement asks for it. */
const listener = definePlugin({
  name: 'test-listener',
  version: '1.0.0',
  type: 'policy',
  description: 'Keeps what was settled.',
  setup(ctx) {
    ctx.tap(sqlBefore, (statement) => {
      if (!statement.sql.includes('driver')) return statement;
      throw new Error('connect to postgres://atlas:hunter2@db/main failed', {
        cause: new Error('host=db password=hunter2'),
      });
    });
    ctx.tap(sqlSettled, (outcome, scope) => {
      settled.push({ outcome, scope });
    });
  },
});

beforeAll(async () => {
  const databases = open.use(new SqliteFolder());
  const path = databases.create(
    'fleet.db',
    `CREATE TABLE boats (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO boats (name) VALUES ('Ada'), ('Bob'), ('Cyd')`,
  );
  const layer = open.use(layerFolder({ 'entities/boats.yml': 'table: boats\n' }));
  app = await createTestApp({
    plugins: [
      semanticLayer({ dir: layer.dir }),
      sqlLimits({ maxRows: 2, timeoutMs: 2_000 }),
      sqlGuard(),
      datasourceSqlite({ connections: [{ id: 'default', url: `sqlite:${path}` }] }),
      listener(),
    ],
  });
});
afterAll(async () => {
  await app?.close();
  open.dispose();
});

/** What was settled until now: at least so many, for which it waits, as observers run on their own. */
async function heardOf(count: number) {
  await expect.poll(() => settled.length).toBeGreaterThanOrEqual(count);
  // Time for one too many.
  await setImmediate();
  return settled.splice(0);
}

async function run(sql: string, more: { connectionId?: string; leaveAfterMs?: number } = {}) {
  const { leaveAfterMs, ...request } = more;
  const leaving = new AbortController();
  const scope = app.scope({ actor, signal: leaving.signal });
  if (leaveAfterMs !== undefined) setTimeout(() => leaving.abort(), leaveAfterMs);
  const error = await app.runSql({ sql, surface: 'api', ...request }, scope).then(
    () => undefined,
    (reason: AtlasError) => reason,
  );
  const heard = await heardOf(1);
  expect(heard).toHaveLength(1);
  expect(heard[0]?.scope.actor).toEqual(actor);
  expect(heard[0]?.outcome.durationMs).toBeGreaterThan(0);
  expect(heard[0]?.outcome.request.surface).toBe('api');
  return { error, outcome: heard[0]!.outcome };
}

test('run', async () => {
  const { outcome } = await run('SELECT name FROM boats');
  expect(outcome).toMatchObject({
    status: 'succeeded',
    error: undefined,
    rowCount: 2,
    truncated: true,
    statement: {
      connection: { id: 'default' },
      tables: ['boats'],
      columns: ['boats.name'],
      requested: 'SELECT name FROM boats',
    },
  });
});

test('refused', async () => {
  const { outcome, error } = await run('DELETE FROM boats');
  expect(outcome).toMatchObject({ status: 'refused', rowCount: 0, error: { code: 'sql_refused' } });
  expect(outcome.error).toBe(error);
  expect(outcome.statement?.requested).toBe('DELETE FROM boats');
});

test('failed', async () => {
  const { outcome } = await run('SELECT json(name) FROM boats');
  expect(outcome).toMatchObject({ status: 'failed', error: { code: 'sql_failed' }, statement: { tables: ['boats'] } });
});

test('timed out', async () => {
  const { outcome } = await run(ENDLESS);
  expect(outcome).toMatchObject({ status: 'failed', error: { code: 'sql_timeout' } });
});

test('cancelled, while it runs and before', async () => {
  expect((await run(ENDLESS, { leaveAfterMs: 100 })).outcome.status).toBe('cancelled');
  expect((await run('SELECT name FROM boats', { leaveAfterMs: 0 })).outcome.status).toMatch(/cancelled|succeeded/);
});

test('of an unknown connection', async () => {
  const { outcome } = await run('SELECT 1', { connectionId: 'other' });
  expect(outcome).toMatchObject({ status: 'refused', statement: undefined, request: { connectionId: 'other' } });
});

test('a hundred at once, each once', async () => {
  const all = Array.from({ length: 100 }, (_, n) => {
    const sql = n % 2 === 0 ? `SELECT ${n} AS n FROM boats` : `SELECT ${n} FROM secrets`;
    return app.runSql({ sql, surface: 'api' }, app.scope({ actor })).catch(() => {});
  });
  await Promise.all(all);
  const heard = (await heardOf(100)).map(({ outcome }) => outcome.request.sql);
  expect([heard.length, new Set(heard).size]).toEqual([100, 100]);
});

test.each([
  "SELECT name FROM boats WHERE name = 'postgres://atlas:hunter2@db/main'",
  "SELECT name FROM boats WHERE name = 'x' -- mysql://root:hunter2@db/x",
  "SELECT name FROM secrets WHERE name = 'host=db password=hunter2'",
  "SELECT 'https://a:hun/hunter2@b' AS link",
  'SELECT driver FROM boats',
])('no credentials: %s', async (sql) => {
  const { outcome } = await run(sql);
  const { request, statement, error } = outcome;
  const cause = String((error?.cause as Error | undefined)?.message);
  expect(JSON.stringify([request, statement, error?.message, error?.stack, cause])).not.toContain('hunter2');
});

test('a statement that holds none is passed on as it is', async () => {
  const { outcome } = await run("SELECT name FROM boats WHERE name = 'a=b://c' AND id=1");
  expect(outcome.request.sql).toBe("SELECT name FROM boats WHERE name = 'a=b://c' AND id=1");
});
