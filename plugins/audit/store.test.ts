/** What the audit log shows, counts and deletes, by direct calls over one database: each test has its own organization. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../../test/harness/create-test-app.ts';
import { chosenEngines, type TestEngine } from '../../test/harness/internal-databases.ts';
import { internalDb } from '../internal-db/index.ts';
import { csv } from './csv.ts';
import type { AuditRow } from './entry.ts';
import type { AuditFilter } from './filter.ts';
import { audit } from './index.ts';
import type { AuditEntry } from './schemas.ts';
import { AuditStore, shownEntry } from './store.ts';

const NOW = Date.UTC(2026, 0, 15, 12);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const time = (hoursAgo: number) => new Date(NOW - hoursAgo * HOUR_MS).toISOString();

const rowOf = (org_id: string | null, more: Partial<AuditRow> = {}): AuditRow => ({
  id: randomUUID(),
  timestamp: time(0),
  user_id: 'ann',
  user_label: 'Ann',
  auth_mode: 'byot',
  sql: 'SELECT 1',
  duration_ms: 5,
  row_count: 1,
  success: true,
  error: null,
  connection_id: 'main',
  db_type: 'sqlite',
  tables: '["orders","items"]',
  conversation_id: null,
  request_id: 'r-1',
  surface: 'api',
  cached: false,
  org_id,
  ...more,
});

describe.each(chosenEngines)('on %s', (_, openEngine) => {
  let engine: TestEngine;
  let app: TestApp;
  let store: AuditStore;
  beforeAll(async () => {
    engine = await openEngine();
    app = await createTestApp({ plugins: [internalDb({ url: await engine.fresh() }), audit()] });
  }, 60_000);
  afterAll(async () => {
    await app.close();
    await engine[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    store = new AuditStore(app.get(internalDb));
  });

  const write = (...rows: readonly AuditRow[]) =>
    app.get(internalDb).run((db) => db.batchInsert('audit_log', [...rows], 100));
  const sqlOf = async (orgId: string | null, filter: Partial<AuditFilter> = {}, limit = 10, offset = 0) => {
    const { entries, total } = await store.list({ ...filter, orgId }, { limit, offset });
    return [...entries.map(({ sql }) => sql), total];
  };

  it('shows the entries of one organization, the newest first, by pages', async () => {
    const org = randomUUID();
    const id = (digit: number) => `${randomUUID().slice(0, -1)}${digit}`.replace(/^.{8}/, `0000000${digit}`);
    await write(
      rowOf(org, { id: id(1), sql: 'old', timestamp: time(2) }),
      rowOf(org, { id: id(2), sql: 'a', timestamp: time(1) }),
      rowOf(org, { id: id(3), sql: 'b', timestamp: time(1) }),
      rowOf(randomUUID(), { sql: 'foreign' }),
    );
    expect(await sqlOf(org)).toEqual(['b', 'a', 'old', 3]);
    expect(await sqlOf(org, {}, 2)).toEqual(['b', 'a', 3]);
    expect(await sqlOf(org, {}, 2, 2)).toEqual(['old', 3]);
    expect(await sqlOf(randomUUID())).toEqual([0]);
    expect((await sqlOf(null)).slice(0, -1)).not.toContain('old');
  });

  it('filters, by each property alone and by several', async () => {
    const org = randomUUID();
    await write(
      rowOf(org, { sql: 'plain', timestamp: time(3) }),
      rowOf(org, { sql: 'bob', user_id: 'bob', timestamp: time(2) }),
      rowOf(org, { sql: 'failed', success: false, error: 'no', timestamp: time(1) }),
      rowOf(org, { sql: 'other', connection_id: 'other', surface: 'mcp', timestamp: time(0) }),
    );
    expect(await sqlOf(org, { user: 'bob' })).toEqual(['bob', 1]);
    expect(await sqlOf(org, { user: 'nobody' })).toEqual([0]);
    expect(await sqlOf(org, { success: false })).toEqual(['failed', 1]);
    expect(await sqlOf(org, { success: true })).toEqual(['other', 'bob', 'plain', 3]);
    expect(await sqlOf(org, { connection: 'other' })).toEqual(['other', 1]);
    expect(await sqlOf(org, { surface: 'mcp' })).toEqual(['other', 1]);
    expect(await sqlOf(org, { from: time(2), to: time(1) })).toEqual(['failed', 'bob', 2]);
    expect(await sqlOf(org, { from: '2026-01-15T12:00:00+01:00' })).toEqual(['other', 'failed', 2]);
    expect(await sqlOf(org, { to: '2026-01-15T10:00:00+01:00' })).toEqual(['plain', 1]);
    expect(await sqlOf(org, { user: 'ann', success: true, surface: 'api' })).toEqual(['plain', 1]);
  });

  it('finds an entry by its id and by a part of its statement, and no other organization’s', async () => {
    const [org, other] = [randomUUID(), randomUUID()];
    const id = randomUUID();
    await write(
      rowOf(org, { id, sql: "SELECT '50%_off!' FROM Orders" }),
      rowOf(org, { sql: 'SELECT 500 FROM items', timestamp: time(1) }),
    );
    expect(await sqlOf(org, { id })).toEqual(["SELECT '50%_off!' FROM Orders", 1]);
    expect(await sqlOf(other, { id })).toEqual([0]);
    expect(await sqlOf(org, { text: 'from orders' })).toEqual(["SELECT '50%_off!' FROM Orders", 1]);
    expect(await sqlOf(org, { text: '50%_OFF!' })).toEqual(["SELECT '50%_off!' FROM Orders", 1]);
    expect(await sqlOf(org, { text: '50_' })).toEqual([0]);
    expect(await sqlOf(other, { text: 'select' })).toEqual([0]);
    expect(await sqlOf(org, { text: 'select', from: time(0) })).toEqual(["SELECT '50%_off!' FROM Orders", 1]);
  });

  it('finds a part of a statement in any case of any letter, and every sign as itself', async () => {
    const org = randomUUID();
    await write(rowOf(org, { sql: "SELECT 'MÜNCHEN [a-z] ^x *'" }));
    for (const [text, count] of [
      ['münchen', 1],
      ['MÜNCHEN', 1],
      ['[A-Z]', 1],
      ['^X *', 1],
      ['m?nchen', 0],
      ['m.nchen', 0],
    ] as const)
      expect([text, (await sqlOf(org, { text })).at(-1)]).toEqual([text, count]);
  });

  it('looks for a text in the newest entries that match otherwise', async () => {
    const org = randomUUID();
    const few = new AuditStore(app.get(internalDb), 2);
    await write(
      rowOf(org, { sql: 'oldest', user_id: 'bob', timestamp: time(3) }),
      ...[2, 1, 0].map((at) => rowOf(org, { sql: `new ${at}`, timestamp: time(at) })),
    );
    const page = { limit: 10, offset: 0 };
    const found = async (filter: object) =>
      (await few.list({ orgId: org, ...filter }, page)).entries.map(({ sql }) => sql);
    expect(await found({ text: 'e' })).toEqual(['new 0', 'new 1']);
    expect(await found({ text: 'e', user: 'bob' })).toEqual(['oldest']);
    expect(await found({})).toHaveLength(4);
    const exported = await few.all({ orgId: org, text: 'e' }).next();
    expect(exported.value).toHaveLength(2);
  });

  it('gives every entry that matches in batches of a thousand', async () => {
    const org = randomUUID();
    const rows = (count: number, more: Partial<AuditRow> = {}) => Array.from({ length: count }, () => rowOf(org, more));
    await write(...rows(1_001), ...rows(2, { surface: 'mcp' }));
    const sizes: number[] = [];
    const ids = new Set<string>();
    for await (const batch of store.all({ orgId: org })) {
      sizes.push(batch.length);
      for (const { id } of batch) ids.add(id);
    }
    expect([sizes, ids.size]).toEqual([[1_000, 3], 1_003]);
    for await (const batch of store.all({ orgId: org, surface: 'mcp' })) expect(batch).toHaveLength(2);
    expect(await store.all({ orgId: randomUUID() }).next()).toEqual({ done: true, value: undefined });
  });

  it('counts the last seven days in UTC', async () => {
    const org = randomUUID();
    const failed = { success: false, error: 'no' };
    await write(
      rowOf(org),
      rowOf(org, { timestamp: '2026-01-15T00:00:00.000Z', ...failed }),
      rowOf(org, { timestamp: '2026-01-14T23:59:59.999Z' }),
      rowOf(org, { timestamp: '2026-01-09T00:00:00.000Z' }),
      rowOf(org, { timestamp: '2026-01-08T23:59:59.999Z', ...failed }),
      rowOf(org, { timestamp: '2026-01-16T00:00:00.000Z' }),
      rowOf(randomUUID()),
    );
    expect(await store.stats(org, NOW)).toEqual({
      totalQueries: 4,
      errorCount: 1,
      errorRate: 0.25,
      queriesPerDay: [
        { day: '2026-01-09', count: 1 },
        ...['10', '11', '12', '13'].map((day) => ({ day: `2026-01-${day}`, count: 0 })),
        { day: '2026-01-14', count: 1 },
        { day: '2026-01-15', count: 2 },
      ],
    });
    expect(await store.stats(randomUUID(), NOW)).toMatchObject({ totalQueries: 0, errorCount: 0, errorRate: 0 });
  });

  it('no longer shows what is purged, and deletes it later', async () => {
    const [org, other] = [randomUUID(), randomUUID()];
    const stored = async (orgId: string) => {
      const rows = await app.get(internalDb).run((db) => db('audit_log').where({ org_id: orgId }));
      return rows.length;
    };
    await write(
      rowOf(org, { sql: 'old', timestamp: time(49) }),
      rowOf(org, { sql: 'older', timestamp: time(50) }),
      rowOf(org, { sql: 'exact', timestamp: time(48) }),
      rowOf(other, { sql: 'foreign', timestamp: time(49) }),
    );
    const cutoff = NOW - 2 * DAY_MS;
    expect(await store.purge(org, cutoff, NOW)).toEqual([{ orgId: org, softDeletedCount: 2 }]);
    expect(await store.purge(org, cutoff, NOW)).toEqual([]);
    expect([await sqlOf(org), await sqlOf(other)]).toEqual([
      ['exact', 1],
      ['foreign', 1],
    ]);
    await store.erase(NOW);
    expect([await stored(org), await stored(other)]).toEqual([3, 1]);
    await store.erase(NOW + 1);
    expect([await stored(org), await stored(other)]).toEqual([1, 1]);
    const purged = await store.purgeAll(cutoff, NOW);
    expect(purged).toContainEqual({ orgId: other, softDeletedCount: 1 });
    expect(await sqlOf(other)).toEqual([0]);
  });

  it('purges and deletes more than one batch', async () => {
    const org = randomUUID();
    await write(...Array.from({ length: 1_001 }, () => rowOf(org, { timestamp: time(24) })));
    expect(await store.purge(org, NOW, NOW - DAY_MS)).toEqual([{ orgId: org, softDeletedCount: 1_001 }]);
    await store.erase(NOW);
    const left = app.get(internalDb).run((db) => db('audit_log').where({ org_id: org }).first('id'));
    expect(await left).toBeUndefined();
  });

  it('purges what belongs to no organization alone, and tells organizations in order', async () => {
    const orgs = [`b${randomUUID()}`, `a${randomUUID()}`];
    await store.purgeAll(NOW, NOW);
    const timestamp = time(24);
    await write(rowOf(null, { timestamp }), ...orgs.map((org) => rowOf(org, { timestamp })));
    expect(await store.purge(null, NOW, NOW)).toEqual([{ orgId: null, softDeletedCount: 1 }]);
    await write(rowOf(null, { timestamp }));
    expect((await store.purgeAll(NOW, NOW)).map(({ orgId }) => orgId)).toEqual([null, ...[...orgs].sort()]);
  });
});

it('an entry is shown with the names of the API', () => {
  const row = rowOf('acme', { success: 1 as unknown as boolean, conversation_id: 'c', error: 'no' });
  expect(shownEntry(row)).toEqual({
    id: row.id,
    timestamp: row.timestamp,
    userId: 'ann',
    userLabel: 'Ann',
    authMode: 'byot',
    sql: 'SELECT 1',
    durationMs: 5,
    rowCount: 1,
    success: true,
    error: 'no',
    connectionId: 'main',
    dbType: 'sqlite',
    tables: ['orders', 'items'],
    conversationId: 'c',
    requestId: 'r-1',
    surface: 'api',
    cached: false,
    orgId: 'acme',
  });
});

it('CSV has a line for each entry of each batch, and waits for the first', async () => {
  const entry = (sql: string): AuditEntry => shownEntry(rowOf('acme', { id: 'id', sql }));
  async function* batches() {
    yield [entry('SELECT 1'), entry('=1+1')];
    yield [entry('a "b", c')];
  }
  let text = '';
  for await (const part of await csv(batches())) text += part;
  expect(text.trimEnd().split(/\r?\n/)).toEqual([
    'timestamp,userId,userLabel,authMode,orgId,surface,connectionId,dbType,tables,sql,success,error,rowCount,durationMs,conversationId,requestId,id',
    `${time(0)},ann,Ann,byot,acme,api,main,sqlite,orders items,SELECT 1,true,,1,5,,r-1,id`,
    `${time(0)},ann,Ann,byot,acme,api,main,sqlite,orders items,'=1+1,true,,1,5,,r-1,id`,
    `${time(0)},ann,Ann,byot,acme,api,main,sqlite,orders items,"a ""b"", c",true,,1,5,,r-1,id`,
  ]);
  const away = { next: () => Promise.reject(new Error('away')) } as AsyncIterator<AuditEntry[]>;
  await expect(csv(away)).rejects.toThrow('away');
});
