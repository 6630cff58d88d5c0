import { describe, expect, it } from 'vitest';
import type { AuditedChange } from './api.ts';
import { rowOfChange } from './change.ts';

const scope = {
  actor: { id: 'boss', label: 'boss@example.com', role: 'admin', mode: 'managed', claims: {} },
  orgId: 'acme',
  requestId: 'r1',
} as const;
const at = Date.UTC(2026, 0, 15, 12);
const target = { type: 'user', id: 'u1', label: 'ann@example.com' };
const rowOf = (change: Partial<AuditedChange>) => rowOfChange({ action: 'user.changed', target, ...change }, scope, at);

describe('the entry of a change', () => {
  it('says who changed what, from what to what', () => {
    const change = { action: 'user.role_changed', before: { role: 'analyst' }, after: { role: 'viewer' } };
    expect(rowOf(change)).toEqual({
      id: expect.any(String),
      timestamp: '2026-01-15T12:00:00.000Z',
      user_id: 'boss',
      user_label: 'boss@example.com',
      auth_mode: 'managed',
      sql: 'user role changed: ann@example.com (role: analyst -> viewer)',
      duration_ms: 0,
      row_count: 0,
      success: true,
      error: null,
      connection_id: null,
      db_type: 'event',
      tables: '[]',
      conversation_id: null,
      request_id: 'r1',
      surface: 'admin',
      cached: false,
      org_id: 'acme',
      action: 'user.role_changed',
      target_type: 'user',
      target_id: 'u1',
      target_label: 'ann@example.com',
      before: '{"role":"analyst"}',
      after: '{"role":"viewer"}',
    });
  });

  it.each<[Partial<AuditedChange>, string]>([
    [{ after: { name: 'A', open: true } }, ' (name: A, open: true)'],
    [{ before: { name: 'A' }, after: null }, ' (name: A)'],
    [{ before: { name: 'A', same: [1] }, after: { name: 'B', same: [1] } }, ' (name: A -> B)'],
    [{ before: { name: 'A' }, after: {} }, ' (name: A -> none)'],
    [{ before: { end: null }, after: { end: new Date(at) } }, ' (end: null -> 2026-01-15T12:00:00.000Z)'],
    [{ before: { text: 'x'.repeat(100) }, after: { text: '' } }, ` (text: ${'x'.repeat(60)}… -> )`],
    [{ before: {}, after: {} }, ''],
    [{}, ''],
    // That it was changed may be seen, but not from what to what.
    [{ before: { apiKey: 'a' }, after: { apiKey: 'b' } }, ' (apiKey: *** -> ***)'],
    [{ before: { apiKey: 'a' }, after: { apiKey: 'a' } }, ''],
  ])('of %j ends in %j', (change, end) => {
    expect(rowOf(change).sql).toBe(`user changed: ann@example.com${end}`);
  });

  it('names what has no label by its id', () => {
    expect(rowOf({ target: { type: 'user', id: 'u1' } })).toMatchObject({
      sql: 'user changed: u1',
      target_label: null,
    });
  });

  it.each([
    'password',
    'newPassword',
    'token',
    'botToken',
    'key',
    'apiKey',
    'publicKey',
    'encryption_keys',
    'secret',
    'clientSecret',
    'url',
    'baseUrl',
    'callback_url',
    'redirectUri',
    'certificate',
    'cookie',
  ])('never has the value under %s', (name) => {
    const state = { [name]: 'hunter2', deep: [{ [name]: { of: 'hunter2' } }] };
    const row = rowOf({ before: state, after: { ...state, [name]: 'hunter22' } });
    expect(JSON.stringify(row)).not.toContain('hunter2');
    expect(JSON.parse(row.before ?? '')).toEqual({ [name]: '***', deep: [{ [name]: '***' }] });
  });

  it('has no credentials of texts under other names', () => {
    const row = rowOf({ after: { description: 'see postgres://bob:hunter2@db/x' } });
    expect(JSON.stringify(row)).not.toContain('hunter2');
  });

  it('is bounded, and has no characters that PostgreSQL refuses', () => {
    const long = { text: 'é'.repeat(5_000), list: Array.from({ length: 500 }, (_, n) => n), nul: 'a\0b' };
    const { after } = rowOf({ after: long });
    const kept = JSON.parse(after ?? '');
    expect([kept.text.length, kept.list.length, kept.nul]).toEqual([1_001, 100, 'a\u{fffd}b']);
    const large = Object.fromEntries(Array.from({ length: 90 }, (_, n) => [`field ${n}`, 'x'.repeat(900)]));
    const row = rowOf({ after: large, target: { ...target, id: 'i'.repeat(999), label: 'l'.repeat(999) } });
    expect(JSON.parse(row.after ?? '')).toEqual({ truncated: true, keys: Object.keys(large) });
    expect([row.sql.length, row.target_id.length, row.target_label?.length]).toEqual([2_000, 320, 320]);
  });
});
