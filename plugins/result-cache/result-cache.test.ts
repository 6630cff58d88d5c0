import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Actor, Scope, SqlReply } from '../../kernel/index.ts';
import { Clinic } from '../../test/fixtures/clinic.ts';
import { Random } from '../../test/harness/random.ts';
import { cachedOf, freshResults, type RowSink, rowSinks } from '../datasource-kit/index.ts';
import type { rowSecurity } from '../row-security/index.ts';
import { sqlLimits } from '../sql-limits/index.ts';
import { ResultCache } from './cache.ts';
import { resultCache } from './index.ts';
import { withinMs } from './key.ts';

const POLICIES = {
  column: 'tenant_id',
  claim: 'tenant',
  exempt: ['wards', 'notes'],
  policies: [{ tables: ['notes'], condition: 'is_public = 1 OR author = {claim}', claim: 'sub' }],
  unmaskRoles: ['admin'],
} satisfies Parameters<typeof rowSecurity>[0];
const ANN: Actor = { id: 'ann', label: 'ann', role: 'analyst', mode: 'test', claims: { tenant: 1, sub: 'ann' } };
const VISITS = 'SELECT id, fee FROM visits ORDER BY id';

const clock = { now: Date.parse('2026-01-15T12:00:00Z') };
const open = (options: Partial<Parameters<typeof resultCache>[0]> = {}, maxRows = 1_000) =>
  Clinic.open(POLICIES, [sqlLimits({ maxRows }), resultCache({ ttlMs: 60_000, ...options })], () => clock.now);

interface Asked {
  readonly actor?: Actor;
  readonly orgId?: string | null;
  prepare?(scope: Scope): void;
}

function asker({ app }: Clinic) {
  return (sql: string, { actor = ANN, orgId = null, prepare }: Asked = {}): Promise<SqlReply> => {
    const scope = app.scope({ actor, orgId });
    prepare?.(scope);
    return app.runSql({ sql, surface: 'test' }, scope.part());
  };
}
const isCached = async (reply: Promise<SqlReply>) => cachedOf((await reply).result) !== undefined;

it('rows of a table are given for no longer than the layer declares of it', () => {
  const entity = (table: string, hours?: number) => ({
    table,
    ...(hours !== undefined && { freshness: { column: 'at', within: `${hours}h`, withinMs: hours * 3_600_000 } }),
  });
  const entities = [entity('visits', 2), entity('crm.Wards', 1), entity('notes')];
  const of = (...tables: string[]) => withinMs(entities, tables) / 3_600_000;
  expect([of('visits'), of('VISITS', 'main.wards'), of('notes'), of()]).toEqual([2, 1, Infinity, Infinity]);
  const cache = new ResultCache(
    { ttlMs: 60_000, maxEntries: 9, maxBytes: 2 ** 20, maxResultBytes: 2 ** 20 },
    () => clock.now,
  );
  cache.add({ key: 'k', withinMs: 10_000 }, { columns: ['n'], rows: [{ n: 1 }], truncated: false, notes: [] });
  clock.now += 9_999;
  expect(cache.find({ key: 'k', withinMs: 10_000 })).toMatchObject({ rows: [{ n: 1 }] });
  clock.now += 1;
  expect(cache.find({ key: 'k', withinMs: 10_000 })).toBeUndefined();
});

describe('a result', () => {
  let clinic: Clinic;
  beforeAll(async () => {
    clinic = await open();
  });
  afterAll(() => clinic[Symbol.asyncDispose]());
  const change = (sql: string) => {
    const database = new Database(join(clinic.databases.path, 'clinic.db'));
    database.exec(sql);
    database.close();
  };

  it('answers the same statement with its age until its time is over, or a fresh one is asked for', async () => {
    const ask = asker(clinic);
    const fees = async (asked?: Asked) => {
      const { result } = await ask(VISITS, asked);
      return { fees: result.rows.map(({ fee }) => fee), cached: cachedOf(result) };
    };
    expect(await fees()).toEqual({ fees: [50, 70, 30], cached: undefined });
    change('UPDATE visits SET fee = fee + 1');
    clock.now += 42_000;
    expect(await fees()).toEqual({ fees: [50, 70, 30], cached: { ageMs: 42_000 } });
    expect(await fees({ prepare: (scope) => freshResults.set(scope, true) })).toEqual({
      fees: [51, 71, 31],
      cached: undefined,
    });
    expect(await fees()).toEqual({ fees: [51, 71, 31], cached: { ageMs: 0 } });
    clock.now += 59_999;
    expect(await fees()).toMatchObject({ cached: { ageMs: 59_999 } });
    change('UPDATE visits SET fee = fee - 1');
    clock.now += 1;
    expect(await fees()).toEqual({ fees: [50, 70, 30], cached: undefined });
  });

  it('is the same however often it is read, and whatever a reader does to it', async () => {
    const ask = asker(clinic);
    const sql = 'SELECT name, phone FROM patients ORDER BY id';
    const { result: first } = await ask(sql);
    const copy = structuredClone(first);
    Object.assign(first.rows[0]!, { name: 'changed' });
    const { result: second } = await ask(sql);
    expect(second).toEqual({ ...copy, cached: { ageMs: 0 } });
    Object.assign(second.rows[0]!, { name: 'changed' });
    expect((await ask(sql)).result.rows).toEqual(copy.rows);
  });

  it.each([
    ['is an error', "SELECT abs('x', 'y') FROM visits"],
    ['depends on the time', "SELECT date('now') AS today, count(*) AS n FROM visits"],
    ['depends on chance', 'SELECT id FROM visits ORDER BY random()'],
  ])('that %s is not kept', async (_, sql) => {
    const ask = asker(clinic);
    for (let time = 0; time < 2; time += 1) {
      const reply = await ask(sql).catch((error: unknown) => error);
      expect(reply instanceof Error || cachedOf((reply as SqlReply).result) === undefined).toBe(true);
    }
  });

  it('whose rows are handed on is neither looked up nor kept', async () => {
    const ask = asker(clinic);
    const sql = 'SELECT id, ward FROM visits';
    expect(await isCached(ask(sql))).toBe(false);
    expect(await isCached(ask(sql))).toBe(true);
    const taken: unknown[] = [];
    const sink: RowSink = {
      limits: { maxRows: 100, maxBytes: 1_000_000, maxCellBytes: 1_000, timeoutMs: 10_000 },
      begin() {},
      write: (rows) => void taken.push(...rows),
    };
    const scope = clinic.app.scope({ actor: ANN });
    rowSinks.set(scope, sink);
    await clinic.app.runSql({ sql, surface: 'test' }, scope);
    expect(taken).toHaveLength(3);
  });
});

it('keeps no result that is incomplete, and none that is too large', async () => {
  await using clinic = await open({ maxResultBytes: 1_024 }, 2);
  const ask = asker(clinic);
  for (const [sql, expected] of [
    [VISITS, false],
    [`${VISITS} LIMIT 1`, true],
    [`SELECT '${'long'.repeat(500)}' AS text FROM visits LIMIT 1`, false],
  ] as const) {
    await ask(sql);
    expect([sql, await isCached(ask(sql))]).toEqual([sql, expected]);
  }
});

it('keeps as many results as it may, those that were used last', async () => {
  await using clinic = await open({ maxEntries: 2 });
  const ask = asker(clinic);
  const [a, b, c] = [1, 2, 3].map((n) => `SELECT id FROM visits WHERE fee > ${n}`) as [string, string, string];
  for (const sql of [a, b]) await ask(sql);
  expect(await isCached(ask(a))).toBe(true);
  await ask(c);
  expect([await isCached(ask(a)), await isCached(ask(c)), await isCached(ask(b))]).toEqual([true, true, false]);
});

/** Statements that mean something else for other readers, some of them equal but for their spelling. */
const STATEMENTS = [
  VISITS,
  'SELECT count(*) AS n, sum(fee) AS total FROM visits',
  'SELECT v.ward, p.name FROM visits v JOIN patients p ON p.id = v.patient_id ORDER BY v.id',
  'SELECT name, phone FROM patients ORDER BY id',
  'SELECT * FROM patients ORDER BY id',
  'SELECT diagnosis FROM patients',
  'SELECT * FROM doctors ORDER BY id',
  'SELECT body FROM notes ORDER BY id',
  'SELECT count(*) AS n FROM notes, wards',
  'SELECT name FROM wards ORDER BY name',
  'SELECT total FROM visit_totals',
  "SELECT name FROM patients WHERE phone LIKE '9%'",
  'WITH v AS (SELECT * FROM visits) SELECT max(fee) AS most FROM v',
] as const;
const TENANTS = [1, '1', 9, '9', 2, [1], [1, 9], [9, 1], '', null, undefined];

it('gives no reader a row that they would not get without a cache', async () => {
  await using cached = await open();
  await using plain = await Clinic.open(POLICIES, [sqlLimits({ maxRows: 1_000 })], () => clock.now);
  const [ask, askPlain] = [asker(cached), asker(plain)];
  const random = new Random(31);
  const outcomeOf = (reply: Promise<SqlReply>) =>
    reply.then(
      ({ result: { columns, rows }, statement: { shown } }) => ({ columns, rows, policies: shown?.policies }),
      ({ message }: Error) => ({ message }),
    );
  let [hits, answers] = [0, 0];
  const readers = new Map<string, Set<string>>();
  for (let time = 0; time < 3_000; time += 1) {
    const sql = random.pick(STATEMENTS);
    const tenant = random.pick(TENANTS);
    const sub = random.pick(['ann', 'zoe', undefined]);
    const claims = { ...(tenant !== undefined && { tenant }), ...(sub !== undefined && { sub }), at: time };
    const role = random.pick(['viewer', 'analyst', 'admin'] as const);
    const id = random.pick(['ann', 'bob', null]);
    const reader = {
      actor: { id, label: id, role, mode: 'test', claims },
      orgId: random.pick(['acme', 'other', null]),
      ...(random.chance(0.05) && { prepare: (scope: Scope) => void freshResults.set(scope, true) }),
    };
    const reply = ask(sql, reader);
    expect(await outcomeOf(reply), `${sql} as ${JSON.stringify(reader)}`).toEqual(
      await outcomeOf(askPlain(sql, reader)),
    );
    const result = await reply.then(
      (one) => one.result,
      () => undefined,
    );
    if (result === undefined) continue;
    answers += 1;
    if (cachedOf(result) === undefined) continue;
    hits += 1;
    const rows = JSON.stringify(result.rows);
    readers.set(sql, (readers.get(sql) ?? new Set()).add(rows));
  }
  // Most were answered from memory, and of most statements with several results, for different readers.
  expect(hits / answers).toBeGreaterThan(0.7);
  expect([...readers.values()].filter((results) => results.size > 1).length).toBeGreaterThan(6);
}, 60_000);

it('is not shared between organizations, even of one connection', async () => {
  await using clinic = await open();
  const ask = asker(clinic);
  await ask(VISITS, { orgId: 'acme' });
  expect(await isCached(ask(VISITS, { orgId: 'acme' }))).toBe(true);
  expect(await isCached(ask(VISITS, { orgId: 'other' }))).toBe(false);
  expect(await isCached(ask(VISITS))).toBe(false);
});
