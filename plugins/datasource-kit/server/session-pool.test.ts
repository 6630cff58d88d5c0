import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { AtlasError } from '../../../kernel/index.ts';
import type { Session } from './session.ts';
import { SessionPool } from './session-pool.ts';

/** A session without a server; `reset` answers what the test wants. */
class Idle implements Session {
  usable = true;
  destroyed = 0;
  clean = true;
  resetMs = 0;
  readonly end: () => void;
  constructor(onEnd: () => void) {
    this.end = () => {
      this.usable = false;
      onEnd();
    };
  }
  run = () => Promise.reject(new Error('not used'));
  describe = () => Promise.resolve([]);
  warnings = () => Promise.resolve([]);
  ping = () => Promise.resolve();
  async reset() {
    await sleep(this.resetMs);
    return this.clean;
  }
  destroy() {
    this.destroyed += 1;
  }
}

function pool(options: Partial<ConstructorParameters<typeof SessionPool>[0]> = {}, openMs = 1) {
  const opened: Idle[] = [];
  let down: AtlasError | undefined;
  const sessions = new SessionPool(
    { connection: 'x', maxConnections: 2, queueLimit: 2, acquireTimeoutMs: 1_000, idleTimeoutMs: 60_000, ...options },
    async (onEnd) => {
      await sleep(openMs);
      if (down !== undefined) throw down;
      const session = new Idle(onEnd);
      opened.push(session);
      return session;
    },
  );
  return { sessions, opened, fail: (error: AtlasError | undefined) => (down = error) };
}

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'served',
    (error: AtlasError) => error.code,
  );

describe('the pool', () => {
  it('opens as many sessions as are used at once, and reuses them', async () => {
    const { sessions, opened } = pool();
    const first = await sessions.acquire(1_000);
    sessions.release(first);
    await sleep(5);
    expect(await sessions.acquire(1_000)).toBe(first);
    const second = await sessions.acquire(1_000);
    expect(second).not.toBe(first);
    expect(opened).toHaveLength(2);
  });

  it('waits for a session that is about to be free rather than open another', async () => {
    const { sessions, opened } = pool();
    for (let round = 0; round < 20; round += 1) sessions.release(await sessions.acquire(1_000));
    expect(opened).toHaveLength(1);
  });

  it('opens another when a reset takes long', async () => {
    const { sessions, opened } = pool();
    const slow = (await sessions.acquire(1_000)) as Idle;
    slow.resetMs = 4_000;
    sessions.release(slow);
    expect(await sessions.acquire(1_000)).not.toBe(slow);
    expect(opened).toHaveLength(2);
  });

  it('respects its size, its queue limit and the order of waiting callers', async () => {
    const { sessions, opened } = pool();
    const used = await Promise.all([sessions.acquire(1_000), sessions.acquire(1_000)]);
    const served: number[] = [];
    const waiting = [1, 2].map((n) => sessions.acquire(1_000).then(() => served.push(n)));
    const error = await sessions.acquire(1_000).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'overloaded', retryAfterSeconds: 1 });
    for (const session of used) sessions.release(session);
    await Promise.all(waiting);
    expect(served).toEqual([1, 2]);
    expect(opened).toHaveLength(2);
  });

  it('ends a wait at its timeouts and at an abort, and forgets it', async () => {
    const { sessions } = pool({ maxConnections: 1, acquireTimeoutMs: 60 });
    const used = await sessions.acquire(1_000);
    expect(await codeOf(sessions.acquire(1_000))).toBe('overloaded');
    expect(await codeOf(sessions.acquire(20))).toBe('sql_timeout');
    const abort = new AbortController();
    const waiting = codeOf(sessions.acquire(1_000, abort.signal));
    abort.abort();
    expect(await waiting).toBe('sql_cancelled');
    expect(await codeOf(sessions.acquire(1_000, AbortSignal.abort()))).toBe('sql_cancelled');
    sessions.release(used);
    expect(await sessions.acquire(1_000)).toBe(used);
  });

  it('discards sessions that are not clean, have ended, or idle too long', async () => {
    const { sessions, opened } = pool({ idleTimeoutMs: 50 });
    const unclean = (await sessions.acquire(1_000)) as Idle;
    unclean.clean = false;
    sessions.release(unclean);
    const next = (await sessions.acquire(1_000)) as Idle;
    expect(next).not.toBe(unclean);
    expect(unclean.destroyed).toBeGreaterThan(0);
    sessions.release(next);
    await sleep(5);
    next.end();
    const third = (await sessions.acquire(1_000)) as Idle;
    expect(third).not.toBe(next);
    sessions.release(third);
    await sleep(200);
    expect(third.destroyed).toBeGreaterThan(0);
    expect(opened).toHaveLength(3);
  });

  it('tells waiting callers why no session can be opened, and goes on when one can', async () => {
    const { sessions, fail } = pool();
    fail(new AtlasError('Connection failed: it is down.', { code: 'datasource_unavailable' }));
    const outcomes = await Promise.all([1, 2, 3, 4].map(() => codeOf(sessions.acquire(1_000))));
    expect(outcomes).toEqual([
      'datasource_unavailable',
      'datasource_unavailable',
      'datasource_unavailable',
      'datasource_unavailable',
    ]);
    fail(undefined);
    expect(await codeOf(sessions.acquire(1_000))).toBe('served');
  });

  it('closes: refuses callers, waits for used sessions, and ends all, also those being opened', async () => {
    const { sessions, opened } = pool({ maxConnections: 2 }, 30);
    const used = await sessions.acquire(1_000);
    const opening = codeOf(sessions.acquire(1_000));
    const closed = sessions.close();
    expect(await opening).toBe('unavailable');
    expect(await codeOf(sessions.acquire(1_000))).toBe('unavailable');
    sessions.release(used);
    await closed;
    await sleep(60);
    expect(opened.every((session) => session.destroyed > 0)).toBe(true);
  });
});
