import { expect, it } from 'vitest';
import type { Logger } from '../../kernel/index.ts';
import { testScope } from '../../test/harness/create-test-app.ts';
import type { AuditRow } from './entry.ts';
import { recorder } from './recorder.ts';

const row = { id: '1', sql: 'SELECT 1', tables: '[]', success: true } as AuditRow;

/** What is logged, and what the caller gets, when the entry cannot be written. */
async function failed(required: boolean) {
  const lines: unknown[] = [];
  const at = (level: string) => (fields: object, message: string) => lines.push([level, fields, message]);
  const log: Logger = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  const cause = new Error('The disk is full.', { cause: new Error('ENOSPC') });
  const record = recorder({ write: () => Promise.reject(cause), required, logOf: () => log });
  const failure = await record(row, testScope()).catch((error: unknown) => error);
  return { lines, failure, cause };
}

const LINES = [
  ['info', { audit: expect.objectContaining({ id: '1', sql: 'SELECT 1' }) }, 'A statement was asked for.'],
  ['error', { error: 'The disk is full. Cause: ENOSPC' }, 'An audit entry could not be written.'],
];

it('reports why the rows are withheld, and what to do', async () => {
  const { lines, failure, cause } = await failed(true);
  expect(lines).toEqual(LINES);
  expect(failure).toMatchObject({
    message: 'The statement cannot be audited, so its rows are withheld.',
    hint: expect.stringContaining('check the internal database'),
    code: 'unavailable',
    retryAfterSeconds: 5,
    cause,
  });
});

it('only logs the failure where entries are not required', async () => {
  const { lines, failure } = await failed(false);
  expect(lines).toEqual(LINES);
  expect(failure).toBeUndefined();
});

it('gives the id of an entry that is stored, and none where there is only the log', async () => {
  const log: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const record = (write: ((written: AuditRow) => Promise<void>) | undefined) =>
    recorder({ write, required: true, logOf: () => log })(row, testScope());
  expect([await record(async () => {}), await record(undefined)]).toEqual(['1', undefined]);
});
