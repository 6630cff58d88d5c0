import { afterEach, expect, it, vi } from 'vitest';
import { AtlasError } from '../../kernel/index.ts';
import type { InternalDb, RowWrite } from '../internal-db/index.ts';
import type { AuditRow } from './entry.ts';
import { AuditWriter } from './writer.ts';

afterEach(() => vi.useRealTimers());

const away = () => new AtlasError('The internal database is not available.', { code: 'unavailable' });
const row = (id: string, success = true) => ({ id, success }) as AuditRow;

/** A database that stores what it is given, or fails as it is told; `attempts` counts what was tried. */
function database() {
  const stored = new Map<string, unknown>();
  const state = { fails: undefined as (() => unknown) | undefined, attempts: 0, stored };
  const write = async (writes: readonly RowWrite[]) => {
    state.attempts += 1;
    const failure = state.fails?.();
    if (failure !== undefined) throw await failure;
    for (const { row: given } of writes) stored.set(String(given.id), given.success);
  };
  return { state, writer: new AuditWriter({ dialect: 'sqlite', write } as unknown as InternalDb) };
}

it('writes what waited once the database is back, in its newest state', async () => {
  const { state, writer } = database();
  state.fails = away;
  await expect(writer.add(row('a'))).rejects.toMatchObject({ code: 'unavailable' });
  await expect(writer.add(row('a', false))).rejects.toMatchObject({ code: 'unavailable' });
  await expect(writer.add(row('b'))).rejects.toMatchObject({ code: 'unavailable' });
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

it('forgets what the database will never take', async () => {
  const { state, writer } = database();
  state.fails = () => new Error('a value is too long');
  await expect(writer.add(row('a'))).rejects.toThrow('a value is too long');
  state.fails = undefined;
  await writer.close();
  expect([state.attempts, state.stored.size]).toEqual([1, 0]);
});

it('tries once more when it is closed, at once', async () => {
  const { state, writer } = database();
  state.fails = away;
  await expect(writer.add(row('a'))).rejects.toThrow();
  state.fails = undefined;
  const startedAt = performance.now();
  await writer.close();
  expect([...state.stored]).toEqual([['a', true]]);
  expect(performance.now() - startedAt).toBeLessThan(900);
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

it('lets at most five thousand entries wait, and still hears how one of them ended', async () => {
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
