/** The sums that triggers keep say what counting would, whatever is written, by any number of transactions at once. */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../../test/harness/create-test-app.ts';
import { chosenEngines, type TestEngine } from '../../test/harness/internal-databases.ts';
import { internalDb } from '../internal-db/index.ts';
import type { AuditRow } from './entry.ts';
import type { AuditFilter } from './filter.ts';
import { audit } from './index.ts';
import { AuditStore } from './store.ts';

const NOON = Date.UTC(2026, 0, 15, 12);
const HOUR_MS = 3_600_000;

/** Close to the ends of hours, where periods begin and end. */
const time = fc
  .tuple(fc.integer({ min: -30, max: 3 }), fc.constantFrom(-1, 0, 1, 1_800_000))
  .map(([hours, ms]) => new Date(NOON + hours * HOUR_MS + ms).toISOString());
const row = fc.record({
  timestamp: time,
  success: fc.boolean(),
  user_id: fc.constantFrom('ann', 'bob'),
  connection_id: fc.constantFrom('sales', null),
  surface: fc.constantFrom('api', 'mcp'),
  deleted_at: fc.option(fc.constant(new Date(NOON).toISOString()), { freq: 4 }),
});
const orUndefined = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const filter = fc.record({
  from: orUndefined(time),
  to: orUndefined(time),
  success: orUndefined(fc.boolean()),
  user: fc.option(fc.constantFrom('ann', 'bob'), { nil: undefined, freq: 4 }),
  connection: orUndefined(fc.constantFrom('sales', 'other')),
  surface: orUndefined(fc.constantFrom('api', 'mcp')),
});
const change = fc.record({
  kind: fc.constantFrom('delete', 'hide', 'fail', 'move', 'reach'),
  at: fc.nat({ max: 19 }),
  to: time,
});

describe.each(chosenEngines)('on %s', (_, open) => {
  let engine: TestEngine;
  let app: TestApp;
  beforeAll(async () => {
    engine = await open();
    app = await createTestApp({
      plugins: [internalDb({ url: await engine.fresh() }), audit({ retentionDays: 36_500 })],
    });
  }, 60_000);
  afterAll(async () => {
    await app.close();
    await engine[Symbol.asyncDispose]();
  });

  it('totals are those of a count', { timeout: 120_000 }, async () => {
    const db = app.get(internalDb);
    const store = new AuditStore(db);
    const given = fc.tuple(
      fc.boolean(),
      fc.array(row, { minLength: 1, maxLength: 20 }),
      fc.array(change, { maxLength: 6 }),
      fc.array(filter, { minLength: 3, maxLength: 6 }),
    );
    await fc.assert(
      fc.asyncProperty(given, async ([isNull, rows, changes, filters]) => {
        const orgId = isNull ? null : randomUUID();
        if (isNull) await db.run((knex) => knex('audit_log').whereNull('org_id').delete());
        const common = { auth_mode: 'test', sql: 'SELECT 1', duration_ms: 1, row_count: 0, tables: '[]' };
        const written = rows.map((each) => ({
          ...{ id: randomUUID(), org_id: orgId, request_id: 'r' },
          ...{ ...common, ...each },
        }));
        const half = Math.floor(written.length / 2);
        await Promise.all(
          [written.slice(0, half), written.slice(half)].map(async (part) => {
            if (part.length > 0) await db.transaction((trx) => trx('audit_log').insert(part));
          }),
        );
        for (const { kind, at, to } of changes) {
          const one = (knex: Parameters<Parameters<typeof db.run>[0]>[0]) =>
            knex('audit_log').where({ id: written[at % written.length]?.id });
          if (kind === 'delete') await db.run((knex) => one(knex).delete());
          else {
            const set = {
              hide: { deleted_at: to },
              fail: { success: false },
              move: { timestamp: to },
              reach: { connection_id: 'sales' },
            }[kind];
            await db.run((knex) => one(knex).update(set));
          }
        }
        if (rows.length % 2 === 0) await store.joinSums();
        for (const each of filters) {
          const { total } = await store.list({ ...each, orgId } satisfies AuditFilter, { limit: 1, offset: 0 });
          const left = await db.run((knex) => knex('audit_log').where('org_id', orgId).whereNull('deleted_at'));
          const expected = left.filter(
            ({ timestamp, success, user_id, connection_id, surface }: AuditRow) =>
              (each.from === undefined || timestamp >= each.from) &&
              (each.to === undefined || timestamp <= each.to) &&
              (each.success === undefined || Boolean(success) === each.success) &&
              (each.user === undefined || user_id === each.user) &&
              (each.connection === undefined || connection_id === each.connection) &&
              (each.surface === undefined || surface === each.surface),
          ).length;
          expect([each, total]).toEqual([each, expected]);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('transactions that are open do not wait for each other', async () => {
    const db = app.get(internalDb);
    if (db.dialect === 'sqlite') return;
    const entry = (id: string) => ({
      ...{ id, org_id: 'busy', request_id: 'r', surface: 'api', auth_mode: 'test', sql: 'SELECT 1', duration_ms: 1 },
      ...{ row_count: 0, tables: '[]', success: true, timestamp: new Date(NOON).toISOString() },
    });
    const insert = (depth: number): Promise<unknown> =>
      db.transaction(async (trx) => {
        await trx('audit_log').insert(entry(randomUUID()));
        if (depth > 0) await Promise.all([new Promise((resolve) => setTimeout(resolve, 50)), inserted(depth)]);
      });
    // Outside the transaction that waits for it, as another request would be.
    const waiting: (() => void)[] = [];
    const inserted = (depth: number) =>
      new Promise<void>((resolve) => waiting.push(() => void insert(depth - 1).then(() => resolve())));
    const timer = setInterval(() => waiting.shift()?.(), 5);
    await insert(4).finally(() => clearInterval(timer));
    const { total } = await new AuditStore(db).list({ orgId: 'busy' }, { limit: 1, offset: 0 });
    expect(total).toBe(5);
  });
});
