import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Knex } from 'knex';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  AtlasError,
  authResolve,
  type ConnectionInfo,
  datasourceExecute,
  datasourceList,
  definePlugin,
  sqlBefore,
  sqlCheck,
} from '../../kernel/index.ts';
import { createTestApp, testScope } from '../../test/harness/create-test-app.ts';
import { chosenEngines, engines, type TestEngine } from '../../test/harness/internal-databases.ts';
import { http } from '../http/index.ts';
import { type InternalDb, internalDb } from '../internal-db/index.ts';
import { csv } from './csv.ts';
import { audit } from './index.ts';
import type { AuditEntry } from './schemas.ts';

const NOW = new Date('2026-01-15T12:00:00Z');
const connection: ConnectionInfo = { id: 'main', dbType: 'sqlite', maskedUrl: 'sqlite:x.db' };
const actor = { id: 'ann', label: 'ann@example.com', role: 'admin', mode: 'test', claims: {} } as const;

/** A database that answers, refuses, fails or runs until it is cancelled, as the statement says. */
const database = definePlugin({
  name: 'test-database',
  version: '1.0.0',
  type: 'datasource',
  description: 'Answers as it is told.',
  setup(ctx) {
    ctx.tap(authResolve, ({ headers }) => ({ actor, orgId: (headers['x-org'] as string | undefined) ?? null }));
    ctx.tap(datasourceList, () => [connection]);
    ctx.tap(sqlBefore, (statement) => ({ ...statement, tables: ['orders'], columns: ['orders.id'] }));
    ctx.tap(sqlCheck, ({ sql }) => {
      if (sql.startsWith('DELETE')) throw new AtlasError('Only reading statements run.', { code: 'sql_refused' });
    });
    ctx.tapKey(datasourceExecute, 'main', ({ sql }, { signal }) => {
      if (sql.includes('slow'))
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      if (sql.includes('broken')) throw new AtlasError('postgres://bob:hunter2@db is gone.', { code: 'sql_failed' });
      return { columns: ['id'], rows: [{ id: 1 }, { id: 2 }], truncated: false, notes: [] };
    });
  },
});

/** A UUID that says when and which. */
const idOf = (timestamp: string, index: number) =>
  `${String(index).padStart(8, '0')}-0000-4000-8000-${timestamp.replace(/\D/g, '').slice(2, 14)}`;

/** Stops the writing at the database, as a disk that is full would. */
async function refuseWrites(db: InternalDb): Promise<void> {
  await db.run((knex: Knex) => knex.schema.renameTable('audit_log', 'audit_log_away'));
}

async function start(url: string | undefined, options: Parameters<typeof audit>[0] = {}) {
  const plugins = [http({ port: 0 }), internalDb({ url }), database(), audit(options)];
  const app = await createTestApp({ plugins, now: NOW });
  const run = (sql: string, orgId: string | null = null) =>
    app.runSql({ sql, surface: 'api', conversationId: 'c1' }, testScope({ actor, orgId, requestId: 'r1' }));
  const get = async (path: string, headers: Record<string, string> = {}) =>
    app.inject({ method: 'GET', url: `/api/v1/admin/audit${path}`, headers });
  const entries = async (query = '', headers = {}) =>
    (await get(query, headers)).json<{ entries: Record<string, unknown>[]; total: number }>();
  const insert = (rows: { timestamp: string; org_id?: string | null; success?: boolean }[]) =>
    app.get(internalDb).run((knex) =>
      knex('audit_log').insert(
        rows.map((row, index) => ({
          id: idOf(row.timestamp, index),
          auth_mode: 'test',
          sql: '=1+1',
          duration_ms: 1,
          row_count: 0,
          success: true,
          tables: '[]',
          request_id: 'r',
          surface: 'api',
          ...row,
        })),
      ),
    );
  return { app, run, get, entries, insert, [Symbol.asyncDispose]: () => app.close() };
}

describe.each(chosenEngines)('on %s', (_, open) => {
  let engine: TestEngine;
  beforeAll(async () => {
    engine = await open();
  }, 60_000);
  afterAll(async () => engine[Symbol.asyncDispose]());

  it('records a statement before its rows are handed out', async () => {
    await using server = await start(await engine.fresh());
    const reply = await server.run("SELECT id FROM orders WHERE password = 'hunter2'");
    expect(reply.result.rows).toHaveLength(2);
    expect(await server.entries()).toEqual({
      entries: [
        {
          id: expect.any(String),
          timestamp: NOW.toISOString(),
          userId: 'ann',
          userLabel: 'ann@example.com',
          authMode: 'test',
          sql: "SELECT id FROM orders WHERE password = '***'",
          durationMs: expect.any(Number),
          rowCount: 2,
          success: true,
          error: null,
          connectionId: 'main',
          dbType: 'sqlite',
          tables: ['orders'],
          conversationId: 'c1',
          requestId: 'r1',
          surface: 'api',
          cached: false,
          orgId: null,
        },
      ],
      total: 1,
      limit: 50,
      offset: 0,
    });
  });

  it('records refused and failed statements', async () => {
    await using server = await start(await engine.fresh());
    await expect(server.run('DELETE FROM orders\0')).rejects.toThrow('Only reading statements run.');
    await expect(server.run('SELECT broken')).rejects.toThrow();
    await expect(
      server.app.runSql({ sql: 'SELECT 1', connectionId: 'none', surface: 'api' }, testScope({ actor })),
    ).rejects.toThrow();
    await expect.poll(async () => (await server.entries()).total).toBe(3);
    const { entries } = await server.entries('?success=false');
    const ended = new Map(entries.map(({ sql, error, connectionId }) => [sql, [error, connectionId]]));
    expect(ended.get('DELETE FROM orders\u{fffd}')).toEqual(['refused: Only reading statements run.', 'main']);
    expect(ended.get('SELECT broken')).toEqual(['failed: postgres://***@db is gone.', 'main']);
    expect(ended.get('SELECT 1')?.[1]).toBe('none');
  });

  it('records a statement that was cancelled while it ran', async () => {
    await using server = await start(await engine.fresh());
    const leaving = new AbortController();
    const scope = testScope({ actor, requestId: 'r1', signal: leaving.signal });
    const run = server.app.runSql({ sql: 'SELECT slow', surface: 'api' }, scope);
    leaving.abort(new Error('the client left'));
    await expect(run).rejects.toThrow();
    await expect.poll(async () => (await server.entries()).total).toBe(1);
    const { entries } = await server.entries('?success=false');
    expect(entries).toMatchObject([
      { sql: 'SELECT slow', error: expect.stringMatching(/^cancelled: /), success: false, userId: 'ann', rowCount: 0 },
    ]);
  });

  it('writes one entry for each of many concurrent statements', async () => {
    await using server = await start(await engine.fresh());
    await Promise.all(Array.from({ length: 700 }, (__, n) => server.run(`SELECT ${n}`)));
    const { entries, total } = await server.entries('?limit=200&offset=600');
    expect([entries.length, total]).toEqual([100, 700]);
  });

  it('withholds the rows when the entry cannot be written, unless that is not required', async () => {
    await using strict = await start(await engine.fresh());
    await refuseWrites(strict.app.get(internalDb));
    await expect(strict.run('SELECT 1')).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 5 });
    await using relaxed = await start(await engine.fresh(), { required: false });
    await refuseWrites(relaxed.app.get(internalDb));
    expect((await relaxed.run('SELECT 1')).result.rows).toHaveLength(2);
    const failed = 'An audit entry could not be written.';
    expect(relaxed.app.lines.filter(({ message }) => message === failed)).toHaveLength(1);
  });

  it('reports once that the entry of a refused statement could not be written, without mentioning rows', async () => {
    await using server = await start(await engine.fresh());
    await refuseWrites(server.app.get(internalDb));
    const run = server.app.runSql({ sql: 'DELETE FROM orders', surface: 'api' }, server.app.scope());
    await expect(run).rejects.toMatchObject({ code: 'sql_refused' });
    // The purge at the start may still be at the table that is taken away.
    const isOfEntry = ({ level, message = '' }: { level: string; message?: string }) =>
      level === 'error' && !message.includes('purged');
    const errors = () => server.app.lines.filter(isOfEntry).map(({ message }) => message);
    await expect.poll(errors).not.toEqual([]);
    await nextTurn();
    expect(errors()).toEqual(['An audit entry could not be written.']);
  });

  it('stores no values of statements when configured to', async () => {
    await using server = await start(await engine.fresh(), { redactLiterals: true });
    await server.run("SELECT id FROM orders WHERE name = 'Bob' AND age = 41");
    await expect(server.run("DELETE FROM orders WHERE name = 'Bob'")).rejects.toThrow();
    await expect.poll(async () => (await server.entries()).total).toBe(2);
    const { entries } = await server.entries();
    for (const { sql } of entries) expect(sql).not.toMatch(/Bob|41/);
    expect(entries[0]?.sql).toMatch(/orders/);
  });

  it('records changes in the transaction that makes them, and lists them', async () => {
    await using server = await start(await engine.fresh());
    const { app } = server;
    const log = app.get(audit);
    const change = (action: string, id: string, orgId: string | null = null, actorId: string | null = 'ann') =>
      app.get(internalDb).transaction(async (trx) => {
        const scope = testScope({ actor: { ...actor, id: actorId }, orgId, requestId: 'r1' });
        const target = { type: action.split('.')[0] ?? '', id, label: `the ${id}` };
        await log.change({ action, target, before: { role: 'a' }, after: { role: 'b', token: 'hunter2' } }, scope, trx);
        if (id === 'undone') throw new Error('no');
      });
    await change('user.role_changed', 'u1');
    await expect(change('user.banned', 'undone')).rejects.toThrow('no');
    await change('role.created', 'r1', null, null);
    await change('role.created', 'r1', 'acme');
    await server.run('SELECT 1');

    const list = async (query = '', headers = {}) =>
      (await server.get(`/changes${query}`, headers)).json<{ changes: unknown[]; total: number }>();
    expect(await list('?action=user.role_changed')).toEqual({
      changes: [
        {
          id: expect.any(String),
          timestamp: NOW.toISOString(),
          userId: 'ann',
          userLabel: 'ann@example.com',
          orgId: null,
          action: 'user.role_changed',
          targetType: 'user',
          targetId: 'u1',
          targetLabel: 'the u1',
          before: { role: 'a' },
          after: { role: 'b', token: '***' },
          requestId: 'r1',
        },
      ],
      total: 1,
      limit: 50,
      offset: 0,
    });
    for (const [query, total] of [
      ['', 2],
      ['?limit=1&offset=1', 2],
      ['?user=ann', 1],
      ['?target=r1', 1],
      ['?targetType=role', 1],
      ['?targetType=role&target=u1', 0],
      ['?from=2026-01-15T12:00:00Z&to=2026-01-15T12:00:00Z', 2],
      ['?from=2026-01-15T12:00:01Z', 0],
      ['?to=2026-01-15T11:59:59Z', 0],
      ['?from=2026-01-15&to=2026-01-15', 2],
      ['?to=2026-01-14', 0],
    ] as const) {
      expect([query, (await list(query)).total]).toEqual([query, total]);
    }
    expect(await list('', { 'x-org': 'acme' })).toMatchObject({ total: 1, changes: [{ orgId: 'acme' }] });
    for (const query of ['limit=0', 'limit=201', 'offset=-1', 'from=yesterday', 'action=']) {
      expect([query, (await server.get(`/changes?${query}`)).statusCode]).toEqual([query, 400]);
    }
    expect(await server.entries('?surface=admin')).toMatchObject({
      total: 2,
      entries: expect.arrayContaining([
        expect.objectContaining({
          sql: 'user role changed: the u1 (role: a -> b, token: none -> ***)',
          dbType: 'event',
          success: true,
        }),
      ]),
    });
    expect((await server.get('/stats')).json()).toMatchObject({ totalQueries: 1, errorCount: 0 });
  });

  it('filters, counts and exports', async () => {
    await using server = await start(await engine.fresh());
    await server.insert([
      { timestamp: '2026-01-15T11:00:00.000Z' },
      { timestamp: '2026-01-14T23:59:59.999Z', success: false },
      { timestamp: '2026-01-09T00:00:00.000Z', org_id: 'acme' },
      { timestamp: '2026-01-08T23:59:59.999Z' },
    ]);
    const total = async (query: string, headers = {}) => (await server.entries(query, headers)).total;
    expect(await total('')).toBe(3);
    expect(await total('', { 'x-org': 'acme' })).toBe(1);
    expect(await total('', { 'x-org': 'null' })).toBe(0);
    expect(await total('?success=false')).toBe(1);
    expect(await total('?success=false', { 'x-org': 'acme' })).toBe(0);
    expect(await total('?from=2026-01-15T01:00:00%2B02:00')).toBe(2);
    expect(await total('?to=2026-01-09T00:00:00Z')).toBe(1);
    expect(await total('?from=2026-01-14&to=2026-01-14')).toBe(1);
    expect(await total('?from=2026-01-15')).toBe(1);
    expect(await total('?user=nobody')).toBe(0);
    const stats = async (headers = {}) => (await server.get('/stats', headers)).json();
    const on = (...days: string[]) =>
      ['09', '10', '11', '12', '13', '14', '15'].map((day) => ({
        day: `2026-01-${day}`,
        count: days.includes(day) ? 1 : 0,
      }));
    expect(await stats()).toEqual({
      totalQueries: 2,
      errorCount: 1,
      errorRate: 1 / 2,
      queriesPerDay: on('14', '15'),
    });
    expect(await stats({ 'x-org': 'acme' })).toMatchObject({ totalQueries: 1, queriesPerDay: on('09') });
    const { headers, body } = await server.get('/export?success=true');
    expect(headers['content-type']).toBe('text/csv; charset=utf-8');
    const lines = body.split('\r\n');
    expect([lines.length, lines[0]?.split(',')[0], lines[1]?.includes(",'=1+1,")]).toEqual([4, 'timestamp', true]);
    expect(body).not.toContain('acme');
    expect((await server.get('/export', { 'x-org': 'acme' })).body.match(/acme/g)).toHaveLength(1);
  });

  it('refuses invalid filters', async () => {
    await using server = await start(await engine.fresh());
    for (const query of [
      '?limit=0',
      '?limit=201',
      '?offset=-1',
      '?offset=99999999999999999999',
      '?from=yesterday',
      '?from=2026-13-01T00:00:00Z',
      '?from=2026-02-30',
      '?to=2026-01-15T00:00:00',
      '?to=2026-12-31T23:59:60Z',
      '?success=maybe',
      '?user=',
      '?user=%00',
    ]) {
      expect([query, (await server.get(query)).statusCode]).toEqual([query, 400]);
    }
  });

  it('answers with a status when the log cannot be read', async () => {
    await using server = await start(await engine.fresh());
    await server.app.get(internalDb).run((knex) => knex.schema.dropTable('audit_log'));
    for (const path of ['', '/stats', '/export'])
      expect([path, (await server.get(path)).statusCode]).toEqual([path, 500]);
  });

  it('exports more than one batch', async () => {
    await using server = await start(await engine.fresh());
    for (let batch = 0; batch < 5; batch += 1) {
      await server.insert(Array.from({ length: 500 }, () => ({ timestamp: `2026-01-0${batch + 1}T00:00:00.000Z` })));
    }
    const { body } = await server.get('/export');
    const ids = body
      .trim()
      .split('\r\n')
      .slice(1)
      .map((line) => line.split(',').at(-1));
    expect([ids.length, new Set(ids).size]).toEqual([2_500, 2_500]);
  });

  it('deletes old entries, at the start and on request', async () => {
    const url = await engine.fresh();
    const old = { timestamp: '2025-01-01T00:00:00.000Z' };
    {
      // Its own purge, which may run beside the insert, finds nothing that is too old.
      await using patient = await start(url, { retentionDays: 36_500 });
      await patient.insert([old, { ...old, org_id: 'acme' }, { timestamp: '2026-01-01T00:00:00.000Z' }]);
      expect((await patient.entries()).total).toBe(2);
    }
    await using server = await start(url);
    const totals = async () => [(await server.entries()).total, (await server.entries('', { 'x-org': 'acme' })).total];
    await expect.poll(totals).toEqual([1, 0]);

    const restore = () => server.app.get(internalDb).run((knex) => knex('audit_log').update({ deleted_at: null }));
    // The purge of the start may still be looking whether there is more.
    await expect.poll(() => restore().then(totals)).toEqual([2, 1]);
    const purge = async (org?: string) =>
      (
        await server.app.inject({
          method: 'POST',
          url: '/api/v1/admin/audit/retention/purge',
          headers: org === undefined ? {} : { 'x-org': org },
        })
      ).json<{ results: object[] }>().results;
    const restored = (org?: string) => expect.poll(() => restore().then(() => purge(org)));
    await restored('acme').toEqual([{ orgId: 'acme', softDeletedCount: 1 }]);
    await restored().toEqual([{ orgId: null, softDeletedCount: 1 }]);
    expect(await purge()).toEqual([]);
    // The one that is new enough, and that of the purge.
    const { entries } = await server.entries();
    expect(entries).toMatchObject([{ sql: expect.stringContaining('audit log purged'), surface: 'admin' }, {}]);
  });
});

it('permanently deletes entries that have been soft-deleted for long enough', async () => {
  const [, openSqlite] = engines[0];
  await using engine = await openSqlite();
  const url = await engine.fresh();
  {
    await using server = await start(url, { retentionDays: 36_500 });
    await server.insert([{ timestamp: '2026-01-01T00:00:00.000Z' }, { timestamp: '2026-01-02T00:00:00.000Z' }]);
    const deletedAt = (timestamp: string, deleted_at: string) =>
      server.app.get(internalDb).run((knex) => knex('audit_log').where({ timestamp }).update({ deleted_at }));
    await deletedAt('2026-01-01T00:00:00.000Z', '2025-12-01T00:00:00.000Z');
    await deletedAt('2026-01-02T00:00:00.000Z', '2026-01-10T00:00:00.000Z');
  }
  await using server = await start(url, { retentionDays: 36_500 });
  const times = () => server.app.get(internalDb).run((knex) => knex('audit_log').pluck('timestamp'));
  await expect.poll(times).toEqual(['2026-01-02T00:00:00.000Z']);
});

it.each([
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  [' =1', "' =1"],
  ['\n=1', '"\'\n=1"'],
  ['\t=1', '"\'\t=1"'],
  ['\uff1d1+1', "'\uff1d1+1"],
  ['a;=1', '"a;=1"'],
  ['say "x", y', '"say ""x"", y"'],
  ['SELECT 1', 'SELECT 1'],
])('exports %j so that no spreadsheet runs it', async (sql, cell) => {
  async function* batches() {
    yield [{ sql } as AuditEntry];
  }
  const lines: string[] = [];
  for await (const line of await csv(batches())) lines.push(line);
  expect(lines[1]).toContain(`,${cell},`);
});

it('limits what a caller can put into an entry', async () => {
  const [, openSqlite] = engines[0];
  await using engine = await openSqlite();
  await using server = await start(await engine.fresh());
  const long = 'x'.repeat(100_000);
  const scope = testScope({ actor: { ...actor, label: long }, requestId: 'r1' });
  await expect(server.app.runSql({ sql: long, connectionId: long, surface: 'api' }, scope)).rejects.toThrow();
  await expect.poll(async () => (await server.entries()).total).toBe(1);
  const { entries } = await server.entries();
  expect(JSON.stringify(entries).length).toBeLessThan(5_000);
});

it('logs every statement and answers not_available without an internal database', async () => {
  await using server = await start(undefined);
  await server.run(`SELECT '${'x'.repeat(1_000)}'`);
  const [line] = server.app.lines.filter(({ fields }) => 'audit' in fields);
  expect(line?.fields.audit).toMatchObject({
    userId: 'ann',
    success: true,
    tables: ['orders'],
    sql: expect.stringMatching(/^.{500}$/),
  });
  for (const path of ['', '/stats', '/export']) {
    const answer = await server.get(path);
    expect([answer.statusCode, answer.json<{ error: string }>().error]).toEqual([404, 'not_available']);
  }
});
