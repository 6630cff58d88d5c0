import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import { AtlasError } from '../../kernel/index.ts';
import type { InternalDb, RowWrite } from '../internal-db/index.ts';
import type { AuditRow } from './entry.ts';
import { auditWriter } from './writer.ts';

afterEach(() => vi.useRealTimers());

const away = () => new AtlasError('The internal database is not available.', { code: 'unavailable' });
const row = (id: string, success = true) => ({ id, success }) as AuditRow;

/** A database that stores what it is given, or fails as it is told; `attempts` counts what was tried. */
function database() {
  const stored = new Map<string, unknown>();
  const state = { fails: undefined as ((id: unknown) => unknown) | undefined, attempts: 0, stored };
  const write = async (writes: readonly RowWrite[]) => {
    state.attempts += 1;
    const failure = await state.fails?.(writes[0]?.row.id);
    if (failure !== undefined) throw failure;
    // Rows of one entry share a commit only as its newest state.
    for (const { row: given, statement } of writes) if (statement.isById) stored.set(String(given.id), given.success);
  };
  return { state, writer: auditWriter({ dialect: 'sqlite', write } as unknown as InternalDb) };
}

it('writes waiting entries once the database is back, in their newest state', async () => {
  const { state, writer } = database();
  state.fails = away;
  await expect(writer.add(row('a'))).rejects.toMatchObject({ code: 'unavailable' });
  await expect(writer.add(row('a', false))).rejects.toMatchObject({ code: 'unavailable' });
  await expect(writer.add(row('b'))).rejects.toMatchObject({ code: 'unavailable' });
  // The first further attempt of both fails as well.
  await expect.poll(() => state.attempts).toBeGreaterThanOrEqual(5);
  state.fails = undefined;
  await expect
    .poll(() => [...state.stored])
    .toEqual([
      ['a', false],
      ['b', true],
    ]);
  const { attempts } = state;
  await writer.close();
  expect(state.attempts).toBe(attempts);
  await writer.add(row('c'));
  expect(state.stored.get('c')).toBe(true);
});

it.each([new Error('a value is too long'), new AtlasError('a value is too long', { code: 'internal_error' })])(
  'forgets what the database will never take: %s',
  async (refusal) => {
    const { state, writer } = database();
    state.fails = () => refusal;
    await expect(writer.add(row('a'))).rejects.toThrow('a value is too long');
    state.fails = away;
    await expect(writer.add(row('b'))).rejects.toMatchObject({ code: 'unavailable' });
    state.fails = undefined;
    await writer.close();
    expect([state.attempts, [...state.stored.keys()]]).toEqual([3, ['b']]);
  },
);

it('keeps the newer state of an entry while the older one is being written', async () => {
  const { state, writer } = database();
  const [older, newer] = [Promise.withResolvers<undefined>(), Promise.withResolvers<unknown>()];
  state.fails = () => (state.attempts === 1 ? older.promise : newer.promise);
  const written = writer.add(row('a'));
  const waits = writer.add(row('a', false));
  older.resolve(undefined);
  await written;
  newer.resolve(away());
  await expect(waits).rejects.toMatchObject({ code: 'unavailable' });
  state.fails = undefined;
  await writer.close();
  expect([...state.stored]).toEqual([['a', false]]);
});

it('ends its last attempt although only a part of it was written', async () => {
  const { state, writer } = database();
  state.fails = away;
  await expect(writer.add(row('a'))).rejects.toThrow();
  await expect(writer.add(row('b'))).rejects.toThrow();
  state.fails = (id) => (id === 'a' ? away() : undefined);
  await writer.close();
  const { attempts } = state;
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect([state.attempts, [...state.stored.keys()]]).toEqual([attempts, ['b']]);
});

it('tries once more when it is closed, at once', async () => {
  const { state, writer } = database();
  state.fails = away;
  await expect(writer.add(row('a'))).rejects.toThrow();
  state.fails = undefined;
  let isClosed = false;
  const closing = writer.close().then(() => {
    isClosed = true;
  });
  // The next attempt would be a second later.
  for (let turn = 0; turn < 10; turn += 1) await nextTurn();
  expect([isClosed, state.attempts, [...state.stored]]).toEqual([true, 2, [['a', true]]]);
  await closing;
});

it('does not hold up a stop when the database stays away', async () => {
  const { state, writer } = database();
  state.fails = away;
  await expect(writer.add(row('a'))).rejects.toThrow();
  await writer.close();
  const { attempts } = state;
  expect(attempts).toBeLessThanOrEqual(3);
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  expect(state.attempts).toBe(attempts);
});

it('does not hold up a stop for more than a second when the database hangs', async () => {
  const { state, writer } = database();
  state.fails = away;
  await expect(writer.add(row('a'))).rejects.toThrow();
  state.fails = () => new Promise(() => {});
  vi.useFakeTimers();
  let isClosed = false;
  const closing = writer.close().then(() => {
    isClosed = true;
  });
  await vi.advanceTimersByTimeAsync(900);
  expect(isClosed).toBe(false);
  await vi.advanceTimersByTimeAsync(200);
  await closing;
});

it('says after five seconds that the database does not answer', async () => {
  const { state, writer } = database();
  state.fails = () => new Promise(() => {});
  vi.useFakeTimers();
  let failure: unknown;
  writer.add(row('a')).catch((error: unknown) => {
    failure = error;
  });
  await vi.advanceTimersByTimeAsync(4_900);
  expect(failure).toBeUndefined();
  await vi.advanceTimersByTimeAsync(200);
  expect(failure).toMatchObject({ code: 'unavailable', message: 'The internal database does not answer.' });
});

it('lets at most five thousand entries wait, and still records how one of them ended', async () => {
  const { state, writer } = database();
  state.fails = away;
  const full = Array.from({ length: 5_000 }, (_, n) => writer.add(row(`${n}`)).catch(() => {}));
  await expect(writer.add(row('more'))).rejects.toThrow('The internal database does not keep up.');
  await expect(writer.add(row('7', false))).rejects.toThrow('not available');
  await Promise.all(full);
  state.fails = undefined;
  await writer.close();
  expect([state.stored.size, state.stored.get('7'), state.stored.has('more')]).toEqual([5_000, false, false]);
});
