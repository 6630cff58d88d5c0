/**
 * Upgrades a database that was written before its columns had PostgreSQL's types: they have them afterwards, every
 * reader answers what it answered before, and the documented statements lead back.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { expect, it } from 'vitest';
import { authResolve, definePlugin } from '../../kernel/index.ts';
import { audit } from '../../plugins/audit/index.ts';
import { conversations } from '../../plugins/conversations/index.ts';
import { http } from '../../plugins/http/index.ts';
import { internalDb } from '../../plugins/internal-db/index.ts';
import { createTestApp } from '../harness/create-test-app.ts';
import { startPostgres } from '../harness/postgres.ts';

const fixture = (name: string) => readFileSync(join(import.meta.dirname, '../fixtures/internal-db', name), 'utf8');

/** By path, what the version that wrote the database answered. */
const ANSWERS = JSON.parse(fixture('answers.json')) as Record<string, string>;

const TYPES = {
  'atlas_migrations.applied_at': 'timestamptz',
  'audit_counts.success': 'bool',
  'audit_log.cached': 'bool',
  'audit_log.deleted_at': 'timestamptz',
  'audit_log.id': 'uuid',
  'audit_log.success': 'bool',
  'audit_log.tables': 'jsonb',
  'audit_log.timestamp': 'timestamptz',
  'conversation_messages.conversation_id': 'uuid',
  'conversation_messages.created_at': 'timestamptz',
  'conversation_messages.id': 'uuid',
  'conversation_messages.parts': 'json',
  'conversation_messages.updated_at': 'timestamptz',
  'conversation_reuse.message_id': 'uuid',
  'conversations.created_at': 'timestamptz',
  'conversations.id': 'uuid',
  'conversations.starred': 'bool',
  'conversations.updated_at': 'timestamptz',
};

const ann = definePlugin({
  name: 'test-ann',
  version: '1.0.0',
  type: 'auth',
  description: 'Takes every caller for Ann.',
  setup(ctx) {
    const actor = { id: 'ann', label: 'ann@example.com', role: 'admin', mode: 'test', claims: {} } as const;
    ctx.tap(authResolve, () => ({ actor, orgId: null }));
  },
});

/** Every column with its type, index and reference, in one order. */
async function schemaOf(client: pg.Client): Promise<unknown[]> {
  const { rows } = await client.query(`
    SELECT relname || '.' || attname AS name, format_type(atttypid, atttypmod) AS is, attnotnull::text AS more
      FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
      WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND attnum > 0 AND NOT attisdropped
    UNION ALL SELECT conname, pg_get_constraintdef(oid), conrelid::regclass::text FROM pg_constraint
      WHERE connamespace = 'public'::regnamespace AND contype IN ('p', 'u', 'f')
    UNION ALL SELECT indexname, indexdef, tablename FROM pg_indexes WHERE schemaname = 'public'
    ORDER BY 1, 2, 3`);
  return rows;
}

/** Fields that answers have got since. */
const without = (body: string) => body.replaceAll(/"cached":false,?/g, '');

const start = (url: string) =>
  createTestApp({
    plugins: [http({ port: 0 }), internalDb({ url }), ann(), audit({ retentionDays: 36_500 }), conversations()],
    now: new Date('2026-01-15T12:00:00.000Z'),
  });

it('gives the columns their types, changes no answer, and can be undone', { timeout: 120_000 }, async () => {
  // A zone that is not UTC, as operators may have set.
  await using server = await startPostgres({ timezone: 'America/New_York' });
  const client = new pg.Client(server.url);
  // When the test fails, the server stops before its client does.
  client.on('error', () => {});
  await client.connect();
  await client.query(fixture('before-column-types.sql'));
  const before = await schemaOf(client);
  {
    await using app = await start(server.url);
    const { rows } = await client.query(
      `SELECT table_name || '.' || column_name AS name, udt_name FROM information_schema.columns
        WHERE table_schema = 'public' AND udt_name NOT IN ('text', 'int4', 'int8', 'float8')`,
    );
    expect(Object.fromEntries(rows.map(({ name, udt_name }) => [name, udt_name]))).toEqual(TYPES);
    for (const [path, body] of Object.entries(ANSWERS)) {
      const answer = await app.inject({ method: 'GET', url: path });
      expect([path, answer.statusCode, without(answer.body)]).toEqual([path, 200, body]);
    }
  }
  const readme = readFileSync(join(import.meta.dirname, '../../plugins/internal-db/README.md'), 'utf8');
  const [, undo = ''] = /```sql\n([\s\S]*?)```/.exec(readme) ?? [];
  await client.query(undo);
  expect(await schemaOf(client)).toEqual(before);
  await using app = await start(server.url);
  const path = '/api/v1/admin/audit?limit=200';
  expect(without((await app.inject({ method: 'GET', url: path })).body)).toBe(ANSWERS[path]);
  await client.end();
});
