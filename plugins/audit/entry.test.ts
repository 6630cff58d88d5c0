import { describe, expect, it } from 'vitest';
import { AtlasError, type SqlOutcome, type SqlReply, type SqlStatement } from '../../kernel/index.ts';
import { testScope } from '../../test/harness/create-test-app.ts';
import { entryOfOutcome, entryOfReply, SQL_STORED_LENGTH } from './entry.ts';

const AT = Date.UTC(2026, 0, 15, 12, 0, 0, 123);
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const asIs = (sql: string) => sql;

const actor = { id: 'ann', label: 'ann@example.com', role: 'admin', mode: 'test', claims: {} } as const;
const scope = testScope({ actor, orgId: 'acme', requestId: 'r1' });

const statement: SqlStatement = {
  id: '00000000-0000-4000-8000-000000000001',
  connection: { id: 'main', dbType: 'sqlite', maskedUrl: 'sqlite:x.db' },
  requested: 'SELECT id FROM orders',
  sql: 'SELECT id FROM orders LIMIT 1000',
  params: [],
  surface: 'api',
  conversationId: 'c1',
  tables: ['orders'],
};

const reply = (more: Partial<SqlStatement> = {}, durationMs = 1.23456): SqlReply => ({
  statement: { ...statement, ...more },
  result: { columns: ['id'], rows: [{ id: 1 }, { id: 2 }], truncated: false, notes: [] },
  durationMs,
});

const outcome = (more: Partial<SqlOutcome>): SqlOutcome => ({
  request: { sql: 'SELECT 1', surface: 'mcp', conversationId: 'c2', connectionId: 'lake' },
  statement: undefined,
  status: 'refused',
  error: new AtlasError('Only reading statements run.', { code: 'sql_refused' }),
  durationMs: 0.5,
  rowCount: 0,
  truncated: false,
  ...more,
});

describe('the entry of a reply', () => {
  it('has the requested statement and its outcome', () => {
    expect(entryOfReply(reply(), scope, AT, asIs)).toEqual({
      id: statement.id,
      timestamp: '2026-01-15T12:00:00.123Z',
      user_id: 'ann',
      user_label: 'ann@example.com',
      auth_mode: 'test',
      sql: 'SELECT id FROM orders',
      duration_ms: 1.235,
      row_count: 2,
      success: true,
      error: null,
      connection_id: 'main',
      db_type: 'sqlite',
      tables: '["orders"]',
      conversation_id: 'c1',
      request_id: 'r1',
      surface: 'api',
      cached: false,
      org_id: 'acme',
    });
  });

  it('leaves out names that are unknown', () => {
    const { conversationId: _, tables: __, ...bare } = statement;
    const anonymous = testScope({ actor: { ...actor, id: null, label: null }, requestId: 'r2' });
    expect(entryOfReply({ ...reply(), statement: bare }, anonymous, AT, asIs)).toMatchObject({
      user_id: null,
      user_label: null,
      conversation_id: null,
      org_id: null,
      tables: '[]',
    });
  });

  it('lists at most a hundred tables, whose names any database can store', () => {
    const tables = ['a\0b', 'half \ud83d', ...Array.from({ length: 200 }, (_, n) => `t${n}`)];
    const listed = JSON.parse(entryOfReply(reply({ tables }), scope, AT, asIs).tables);
    expect(listed).toHaveLength(100);
    expect(listed.slice(0, 3)).toEqual(['a\u{fffd}b', 'half \u{fffd}', 't0']);
  });

  it('holds the beginning of the text, redacted and without credentials', () => {
    const long = `SELECT 'x' -- ${'y'.repeat(10_000)}`;
    const { sql } = entryOfReply(reply({ requested: long }), scope, AT, (text) => `redacted: ${text}`);
    expect(sql).toHaveLength(SQL_STORED_LENGTH);
    expect(sql).toMatch(/^redacted: SELECT 'x' -- y/);
    const secret = `SELECT '${'x'.repeat(SQL_STORED_LENGTH - 30)}', password = 'hunter2hunter2'`;
    expect(entryOfReply(reply({ requested: secret }), scope, AT, asIs).sql).not.toContain('hunter');
  });
});

describe('the entry of a statement without rows', () => {
  it('says how it ended and why, with what is known of the request', () => {
    expect(entryOfOutcome(outcome({}), scope, AT, asIs)).toEqual({
      id: expect.stringMatching(UUID),
      timestamp: '2026-01-15T12:00:00.123Z',
      user_id: 'ann',
      user_label: 'ann@example.com',
      auth_mode: 'test',
      sql: 'SELECT 1',
      duration_ms: 0.5,
      row_count: 0,
      success: false,
      error: 'refused: Only reading statements run.',
      connection_id: 'lake',
      db_type: null,
      tables: '[]',
      conversation_id: 'c2',
      request_id: 'r1',
      surface: 'mcp',
      cached: false,
      org_id: 'acme',
    });
  });

  it('names the connection that was used, and none where none was asked for', () => {
    const used = entryOfOutcome(outcome({ statement, status: 'cancelled', error: new Error('gone') }), scope, AT, asIs);
    expect(used).toMatchObject({
      id: statement.id,
      connection_id: 'main',
      db_type: 'sqlite',
      error: 'cancelled: gone',
    });
    const request = { sql: 'SELECT 1', surface: 'mcp' };
    const none = entryOfOutcome(outcome({ request }), scope, AT, asIs);
    expect(none).toMatchObject({ connection_id: null, conversation_id: null });
  });

  it('bounds names and errors that come from outside', () => {
    const long = 'x'.repeat(5_000);
    const { user_label, connection_id, error } = entryOfOutcome(
      outcome({ request: { sql: '', surface: 'api', connectionId: long }, error: new Error(long) }),
      testScope({ actor: { ...actor, label: long } }),
      AT,
      asIs,
    );
    expect([user_label?.length, connection_id?.length, error?.length]).toEqual([320, 320, 1_000]);
  });
});
