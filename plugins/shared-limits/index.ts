/** Shares the counts of limits among servers: over Redis, over the internal database on PostgreSQL, or not at all. */
import {
  AtlasError,
  definePlugin,
  type HealthItem,
  healthCheck,
  messageOf,
  optional,
  storeMigrations,
} from '../../kernel/index.ts';
import { internalDb, storeTables } from '../internal-db/index.ts';
import { requirePackages } from '../package-kit/index.ts';
import type { SharedLimits } from './api.ts';
import type { CountStore } from './count-store.ts';
import { limitsNotShared } from './events.ts';
import { localLimits } from './local-limits.ts';
import { ATTEMPTS_TABLE, COUNTS_TABLE, createLimits } from './migrations.ts';
import { SharedLimitsOptions } from './options.ts';

export type { AttemptCount, AttemptLimit, Attempts, CountedKey, RequestWindow, SharedLimits } from './api.ts';
export { limitsNotShared } from './events.ts';
export { localLimits } from './local-limits.ts';
export type { WindowOptions } from './sliding-window.ts';

async function openRedis(url: string): Promise<CountStore> {
  requirePackages(['@redis/client'], import.meta.url);
  const { RedisStore } = await import('./redis-store.ts');
  try {
    return await RedisStore.open(url);
  } catch (cause) {
    throw new AtlasError(`The URL of Redis cannot be used: ${messageOf(cause)}`, {
      code: 'configuration_error',
      reason: 'E_REDIS_URL',
      hint: 'Use redis://user:password@host:6379/0, or rediss:// for TLS.',
    });
  }
}

/** A server whose limits are its own alone still serves. */
function healthOf(isAway: boolean, store: string): HealthItem {
  const item = { component: 'limits', details: { store } };
  return isAway
    ? { ...item, status: 'degraded', message: `Limits are not shared: ${store} does not answer.` }
    : { ...item, status: 'ok' };
}

export const sharedLimits = definePlugin({
  name: 'shared-limits',
  version: '1.0.0',
  type: 'policy',
  description: 'Shares the counts of limits among servers, over PostgreSQL or Redis.',
  needs: { db: optional(internalDb) },
  options: SharedLimitsOptions,
  async setup(ctx, { redisUrl, exchangeMs }, { db }): Promise<SharedLimits> {
    const local = localLimits(ctx.now);
    const isOnPostgres = db?.configured === true && db.dialect === 'postgres';
    if (isOnPostgres) {
      ctx.tap(storeMigrations, () => [createLimits]);
      ctx.tap(storeTables, () => [COUNTS_TABLE, ATTEMPTS_TABLE].map((table) => ({ table, isTransient: true })));
    }
    if (redisUrl === undefined && !isOnPostgres) return local;
    const name = redisUrl === undefined ? 'postgres' : 'redis';
    const [{ Availability }, { Exchange }, { SharedAttempts }] = await Promise.all([
      import('./availability.ts'),
      import('./exchange.ts'),
      import('./shared-attempts.ts'),
    ]);
    const store =
      redisUrl !== undefined
        ? await openRedis(redisUrl)
        : new (await import('./postgres-store.ts')).PostgresStore(db as NonNullable<typeof db>);
    const availability = new Availability(ctx.log, () => ctx.emit(limitsNotShared, { store: name }));
    const exchange = new Exchange(store, availability, exchangeMs);
    ctx.tap(healthCheck, () => [healthOf(availability.isAway, name)]);
    ctx.onClose(async () => {
      exchange.close();
      await store.close();
    });
    return {
      window: (window, options) => exchange.window(window, options),
      attempts: (kind) => new SharedAttempts(kind, store, local.attempts(kind), availability),
    };
  },
});
