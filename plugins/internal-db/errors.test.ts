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
