import { expect, test } from 'vitest';
import type { SqlStatement } from '../../kernel/index.ts';
import { notesOf } from './notes.ts';
import { noteTables, outcomeOf } from './outcome.ts';

const table = { sql: '', connectionId: 'shop', columns: ['n'], rows: [{ n: 1 }], truncated: false };

test('the notes of one question are bounded, and equal ones are one', () => {
  const memory = new Map<string, unknown>();
  for (let n = 0; n < 50; n += 1)
    notesOf(memory).add({ code: 'assumption', message: `${n % 30}: ${'x'.repeat(n * 30)}` });
  notesOf(memory).add({ code: 'assumption', message: '0: ' });
  const { list } = notesOf(memory);
  expect(list).toHaveLength(20);
  expect(new Set(list.map(({ message }) => message)).size).toBe(20);
  expect(Math.max(...list.map(({ message }) => message.length))).toBe(500);
  expect(notesOf(new Map()).list).toEqual([]);
});

test('incomplete results and policies are noted, each policy once', () => {
  const notes = notesOf(new Map());
  noteTables([table], notes);
  expect(notes.list).toEqual([]);
  const shown = { sql: 'SELECT … WHERE tenant = ?', policies: ['rows', 'values'] as const };
  const ran = { statement: { shown } as unknown as SqlStatement, durationMs: 1 };
  noteTables(
    [
      { ...table, ran },
      { ...table, ran, truncated: true },
    ],
    notes,
  );
  expect(notes.list.map(({ code, message }) => [code, message.split(' ', 2).join(' ')])).toEqual([
    ['truncated', 'Result 2'],
    ['policy_applied', 'Row security'],
    ['policy_applied', 'Some of'],
  ]);
});

test.each([
  ['answered', {}],
  ['failed', { hasText: false }],
  ['declined', { hasText: false, isWithheld: true }],
  ['declined', { declared: 'declined' as const }],
  ['failed', { lastCallFailed: true }],
  ['failed', { awaitsApproval: true, declared: 'answered' as const }],
  ['answered', { lastCallFailed: true, tables: [table] }],
])('%s: %o', (outcome, facts) => {
  const plain = {
    declared: undefined,
    hasText: true,
    isWithheld: false,
    tables: [],
    lastCallFailed: false,
    awaitsApproval: false,
  };
  expect(outcomeOf({ ...plain, ...facts })).toBe(outcome);
});
