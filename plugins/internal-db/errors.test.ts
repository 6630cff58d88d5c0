import { describe, expect, it } from 'vitest';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { startPostgres } from '../../test/harness/postgres.ts';
import { translated } from './errors.ts';
import { internalDb } from './index.ts';

/** As the driver of PostgreSQL throws them. */
const fault = (code: string, more: object = {}) =>
  Object.assign(new Error('hunter2'), { severity: 'ERROR', code, ...more });

describe('a failure of PostgreSQL', () => {
  it.each([
    ['40P01', 'another transaction was in the way'],
    ['40001', 'another transaction was in the way'],
    ['57014', 'the server has stopped a statement that took too long'],
  ])('%s may be tried again', (code, why) => {
    expect(translated(fault(code))).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining(why),
      retryAfterSeconds: 5,
    });
  });

  it.each(['0A000', '22012', '23505', '25P02', '26000', '42501', '42601', '42703', '42P01', 'P0001'])(
    '%s is one of the statement and stays what it is',
    (code) => expect(translated(fault(code))).toMatchObject({ code }),
  );

  it.each([
    ['08006', 'the connection was lost'],
    ['25006', 'the server takes no writes'],
    ['28000', 'the server refuses the credentials'],
    ['3D000', 'the server has no such database'],
    ['53100', 'the server is short of connections, memory or disk space'],
    ['55000', 'the server does not let it be used now'],
    ['57P03', 'the server is starting or stopping'],
    ['58030', 'the server has trouble with its storage'],
    ['HV000', 'it answers with the error HV000'],
    ['XX001', 'the server has an internal fault'],
  ])('%s, and every code that is not known, is one of the database', (code, why) =>
    expect(translated(fault(code))).toMatchObject({
      code: 'unavailable',
      message: `The internal database is not available: ${why}.`,
    }),
  );

  it('tells no value, wherever the server has put it', () => {
    const places = { detail: 'hunter2', where: 'hunter2', internalQuery: 'hunter2' };
    const broken = translated(fault('23505', places)) as Record<string, unknown>;
    expect([broken.detail, broken.where, broken.internalQuery]).toEqual([undefined, undefined, undefined]);
    const wrong = translated(fault('22P02', { ...places, hint: 'hunter2' })) as Error;
    expect(JSON.stringify([{ ...wrong }, wrong.message, wrong.stack])).not.toContain('hunter2');
    expect(wrong).toMatchObject({ code: '22P02', message: expect.stringContaining('(22P02)') });
  });

  it('tells no value that the server itself quotes', async () => {
    const server = await startPostgres();
    try {
      await using app = await createTestApp({ plugins: [internalDb({ url: server.url })] });
      const failing = app.get(internalDb).run((db) => db.raw('select ?::integer', ['hunter2']));
      const error = await failing.then(
        () => new Error('none'),
        (thrown: Error) => thrown,
      );
      expect(error).toMatchObject({ code: '22P02' });
      expect(JSON.stringify([{ ...error }, error.message, error.stack])).not.toContain('hunter2');
    } finally {
      await server.stop();
    }
  }, 60_000);
});

describe('a failure of SQLite', () => {
  const sqlite = (code: string) => translated(Object.assign(new Error('x'), { code }));

  it.each(['SQLITE_ERROR', 'SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_MISMATCH', 'SQLITE_RANGE', 'SQLITE_TOOBIG'])(
    '%s is one of the statement and stays what it is',
    (code) => expect(sqlite(code)).toMatchObject({ code }),
  );

  it.each([
    ...['SQLITE_FULL', 'SQLITE_IOERR_WRITE', 'SQLITE_CORRUPT', 'SQLITE_CANTOPEN', 'SQLITE_READONLY_DBMOVED'],
    ...['SQLITE_BUSY_SNAPSHOT', 'SQLITE_LOCKED', 'SQLITE_PROTOCOL', 'SQLITE_NOTADB', 'SQLITE_INTERNAL'],
  ])('%s, and every code that is not known, is one of the database', (code) =>
    expect(sqlite(code)).toMatchObject({ code: 'unavailable' }),
  );
});
