import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { definePlugin, healthCheck } from '../../kernel/index.ts';
import { pluginContract } from '../../test/contract/plugin.ts';
import { createTestApp, type TestApp } from '../../test/harness/create-test-app.ts';
import { connectTo } from '../../test/harness/internal-databases.ts';
import { createPostgresDatabase } from '../../test/harness/postgres-database.ts';
import { describeRedis, type RedisServer, startRedis } from '../../test/harness/redis.ts';
import { internalDb } from '../internal-db/index.ts';
import { type AttemptLimit, type Attempts, limitsNotShared, type SharedLimits, sharedLimits } from './index.ts';
import { PostgresStore } from './postgres-store.ts';

pluginContract('shared-limits', () => sharedLimits());

const WINDOW = { limit: 60, windowMs: 60_000, maxKeys: 1_000 };
/** Ends long after the test. */
const HOURLY: AttemptLimit = { free: 10, forgetMs: 3_600_000 };
const DOUBLING: AttemptLimit = { ...HOURLY, longestWaitMs: 900_000 };
const MANY: AttemptLimit = { ...DOUBLING, free: 1_000 };

interface Server {
  readonly app: TestApp;
  readonly limits: SharedLimits;
  readonly attempts: Attempts;
  /** Those that observers were told of. */
  readonly failures: readonly string[];
}

/** Takes requests, one after the other, until one is refused: how many have passed, and how long to wait. */
async function drain(take: () => number): Promise<{ passed: number; waitMs: number }> {
  let [passed, waitMs] = [0, 0];
  await expect
    .poll(
      () => {
        waitMs = take();
        if (waitMs === 0) passed += 1;
        return waitMs;
      },
      { interval: 100 },
    )
    .toBeGreaterThan(0);
  return { passed, waitMs };
}

/** What holds for every store. `cut` makes it fail, and its result mends it. */
function sharedBy(start: () => Promise<Server>, cut: () => Promise<() => Promise<void>>): void {
  let one: Server;
  let two: Server;
  beforeAll(async () => {
    [one, two] = [await start(), await start()];
  });
  afterAll(async () => {
    await one.app.close();
    await two.app.close();
  });

  const passes = async (server: Server, key: string, limit = HOURLY) =>
    (await server.attempts.count([{ key, limit }])).waitMs === 0;

  it('requests count for all servers, of each key apart, as soon as the next batch is exchanged', async () => {
    const [here, there] = [one.limits.window('requests', WINDOW), two.limits.window('requests', WINDOW)];
    const other = two.limits.window('others', WINDOW);
    for (let count = 0; count < WINDOW.limit; count += 1) expect(here.take('ann')).toBe(0);
    expect(here.take('ann')).toBeGreaterThan(0);
    const { passed, waitMs } = await drain(() => there.take('ann'));
    // The server had to ask first, and had not used up the limit by itself.
    expect(passed).toBeGreaterThan(0);
    expect(passed).toBeLessThan(WINDOW.limit);
    // Those of the other server leave the window up to two seconds late.
    expect(waitMs).toBeLessThanOrEqual(WINDOW.windowMs + 2_000);
    expect([there.take('bob'), other.take('ann')]).toEqual([0, 0]);
  });

  it('of attempts at once on all servers exactly as many are let through as may be', async () => {
    const tried = await Promise.all(
      Array.from({ length: 40 }, (_, index) => passes(index % 2 === 0 ? one : two, 'at once')),
    );
    expect(tried.filter(Boolean)).toHaveLength(HOURLY.free);
  });

  it('the wait doubles with each attempt, up to the longest', async () => {
    const wait = async (before: number) => {
      const key = `doubling ${before}`;
      for (let count = 0; count < before; count += 1) await passes(one, key, MANY);
      expect(await passes(two, key, DOUBLING)).toBe(true);
      return (await one.attempts.count([{ key, limit: DOUBLING }])).waitMs;
    };
    const sixth = await wait(15);
    expect([sixth > 32_000, sixth <= 64_000]).toEqual([true, true]);
    const longest = await wait(45);
    expect([longest > 600_000, longest <= 900_000]).toEqual([true, true]);
  });

  it('of several keys all are counted or none', async () => {
    const { attempts } = one;
    const limit = { ...HOURLY, free: 2 };
    const both = [
      { key: 'full', limit },
      { key: 'empty', limit },
    ];
    expect([await passes(one, 'full', limit), await passes(two, 'full', limit)]).toEqual([true, true]);
    const { waitMs } = await attempts.count(both);
    expect([waitMs > 3_000_000, waitMs <= 3_600_000]).toEqual([true, true]);
    expect([await passes(two, 'empty', limit), await passes(two, 'empty', limit)]).toEqual([true, true]);
    expect(await passes(two, 'empty', limit)).toBe(false);
  });

  it('attempts are taken back, forgotten, and waived for who is remembered', async () => {
    const limit = { ...HOURLY, free: 1 };
    expect(await passes(one, 'undone', limit)).toBe(true);
    expect((await one.attempts.count([{ key: 'undone', limit }])).waitMs).toBeGreaterThan(3_000_000);
    await two.attempts.undo(['undone', 'never counted']);
    expect([await passes(one, 'undone', limit), await passes(one, 'undone', limit)]).toEqual([true, false]);
    await two.attempts.forget('undone');
    expect(await passes(one, 'undone', limit)).toBe(true);
    const keys = [{ key: 'undone', limit, isWaived: true }];
    expect(await one.attempts.count(keys, 'ann')).toMatchObject({ isRemembered: false });
    await two.attempts.remember('ann', 60_000);
    expect(await one.attempts.count(keys, 'ann')).toEqual({ waitMs: 0, isRemembered: true });
    expect((await one.attempts.count(keys, 'bob')).waitMs).toBeGreaterThan(0);
  });

  it('while the store is away each server counts by itself, and says so once', async () => {
    const windows = [one, two].map(({ limits }) => limits.window('away', WINDOW));
    const mend = await cut();
    try {
      const tried = [];
      for (let count = 0; count < 12; count += 1) tried.push(await passes(one, 'away'));
      expect(tried.filter(Boolean)).toHaveLength(HOURLY.free);
      for (const window of windows) {
        for (let count = 0; count < WINDOW.limit; count += 1) expect(window.take('ann')).toBe(0);
        expect(window.take('ann')).toBeGreaterThan(0);
      }
      const health = await one.app.call(healthCheck, undefined, one.app.scope());
      expect(health.find(({ plugin }) => plugin === 'shared-limits')?.value).toMatchObject({ status: 'degraded' });
    } finally {
      await mend();
    }
    const said = () => one.app.lines.filter(({ plugin }) => plugin === 'shared-limits').map(({ message }) => message);
    await expect
      .poll(async () => {
        await passes(one, 'back', MANY);
        return said();
      })
      .toEqual([
        'Limits cannot be shared with other servers. Until they can be, this server counts by itself.',
        'Limits are shared with other servers again.',
      ]);
    expect(one.failures.length).toBeGreaterThan(0);
    // What came meanwhile is told now.
    const [here] = windows;
    await expect.poll(() => here?.take('ann')).toBeGreaterThan(0);
    await expect.poll(() => passes(two, 'again', MANY)).toBe(true);
    expect(await passes(one, 'again', { ...HOURLY, free: 1 })).toBe(true);
    await expect.poll(() => passes(two, 'again', HOURLY)).toBe(false);
  });
}

async function serverWith(plugins: Parameters<typeof createTestApp>[0]['plugins']): Promise<Server> {
  const failures: string[] = [];
  const observer = definePlugin({
    name: 'observer',
    version: '1.0.0',
    type: 'core',
    description: 'Observes.',
    setup: (ctx) => ctx.on(limitsNotShared, ({ store }) => failures.push(store)),
  });
  const app = await createTestApp({ plugins: [...plugins, observer()] });
  const limits = app.get(sharedLimits);
  return { app, limits, attempts: limits.attempts('tests'), failures };
}

describe('over PostgreSQL', () => {
  let url: string;
  beforeAll(async () => {
    url = await createPostgresDatabase();
  });
  const start = () => serverWith([internalDb({ url }), sharedLimits({ exchangeMs: 50 })]);
  const rename = async (from: string, to: string) => {
    const client = connectTo(url);
    for (const table of ['limit_counts', 'limit_attempts'])
      await client.schema.renameTable(`${from}${table}`, `${to}${table}`);
    await client.destroy();
  };

  sharedBy(start, async () => {
    await rename('', 'away_');
    return () => rename('away_', '');
  });

  it('keeps neither names nor rows that are over', async () => {
    const { app } = await start();
    await using _app = app;
    const client = connectTo(url);
    const store = new PostgresStore(app.get(internalDb));
    await store.exchange([{ key: 'over', windowMs: 0, counts: [1] }]);
    await store.count([{ key: 'over', limit: { free: 1, forgetMs: 0 } }]);
    // The first exchange of a server purges.
    await new PostgresStore(app.get(internalDb)).exchange([{ key: 'of now', windowMs: 60_000, counts: [1] }]);
    await expect.poll(() => client('limit_counts').where({ key: 'over' })).toEqual([]);
    await expect.poll(() => client('limit_attempts').where({ key: 'over' })).toEqual([]);
    expect(await client('limit_counts').where({ key: 'of now' })).toHaveLength(1);
    const keys = [...(await client('limit_counts').pluck('key')), ...(await client('limit_attempts').pluck('key'))];
    expect(keys.filter((key) => key !== 'of now' && !/^[\w-]{32}$/.test(key))).toEqual([]);
    await client.destroy();
    // Later ones have nothing to purge for a while.
    const statements = vi.spyOn(app.get(internalDb), 'run');
    await store.exchange([{ key: 'of now', windowMs: 60_000, counts: [1] }]);
    expect(statements).toHaveBeenCalledOnce();
  });
});

describeRedis()('over Redis', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis[Symbol.asyncDispose]());

  describe('servers', () => {
    sharedBy(
      () => serverWith([sharedLimits({ redisUrl: redis.url, exchangeMs: 50 })]),
      async () => {
        await redis.pause();
        return () => redis.resume();
      },
    );
  });

  it('every key ends by itself', async () => {
    const { app, limits, attempts } = await serverWith([sharedLimits({ redisUrl: redis.url, exchangeMs: 50 })]);
    await using _app = app;
    limits.window('ends', WINDOW).take('ann');
    await attempts.count([{ key: 'ends', limit: DOUBLING }]);
    await attempts.remember('ends', 60_000);
    await expect.poll(() => redis.run('--scan', '--pattern', '*counts*')).not.toBe('');
    const keys = redis.run('--scan').split('\n');
    expect(keys.filter((key) => Number(redis.run('pttl', key)) <= 0)).toEqual([]);
  });

  it('a server starts although Redis is not there, and refuses a URL that is none', async () => {
    const { app, attempts } = await serverWith([sharedLimits({ redisUrl: 'redis://127.0.0.1:1' })]);
    await using _app = app;
    expect(await attempts.count([{ key: 'ann', limit: HOURLY }])).toEqual({ waitMs: 0, isRemembered: false });
    await expect(serverWith([sharedLimits({ redisUrl: 'http://127.0.0.1' })])).rejects.toThrow(
      'The URL of Redis cannot be used',
    );
  });
});
