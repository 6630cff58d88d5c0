import { expect, it } from 'vitest';
import { shownStatement } from './statement-shown.ts';

const table = {
  columns: [],
  rows: [],
  rowCount: 2,
  truncated: false,
  sql: 'SELECT 1',
  executedSql: 'SELECT 1 LIMIT 5',
  connectionId: 'demo',
  durationMs: 3,
};
const facts = {
  toolCallId: 'x',
  requested: '',
  executed: '',
  changes: [{ plugin: 'p', reason: 'r' }],
  tables: ['t'],
  connectionId: 'other',
  durationMs: 4,
  rowCount: 9,
  truncated: true,
  notes: [],
  auditId: 'a',
};

it('takes the answer where the stream says nothing', () => {
  expect(shownStatement(table, undefined)).toMatchObject({
    asked: 'SELECT 1',
    executed: 'SELECT 1 LIMIT 5',
    changes: undefined,
    rowCount: 2,
  });
});

it('takes the stream first', () => {
  const statement = { ...facts, requested: 'SELECT 2', executed: 'SELECT 3' };
  expect(shownStatement(table, statement)).toMatchObject({
    asked: 'SELECT 2',
    executed: 'SELECT 3',
    tables: ['t'],
    rowCount: 9,
  });
});

it('has no SQL where the reader may not see it', () => {
  expect(shownStatement({ ...table, sql: '', executedSql: '' }, facts)).toMatchObject({
    asked: undefined,
    executed: undefined,
  });
});
