/** Answers questions that automation tools send over HTTP, at once or through a callback. */
import { definePlugin, httpRoutes, optional, storeMigrations } from '../../kernel/index.ts';
import { agent } from '../agent/index.ts';
import { authLookup, present, refused } from '../auth-kit/index.ts';
import { http, httpSecurity } from '../http/index.ts';
import { internalDb, storeTables } from '../internal-db/index.ts';
import { jobs, purgeDaily } from '../jobs/index.ts';
import { outbound } from '../outbound/index.ts';
import { localLimits, sharedLimits } from '../shared-limits/index.ts';
import { answersOf } from './answers.ts';
import { callbacksOf } from './callbacks.ts';
import { channelsOf, MODE } from './channels.ts';
import { MIGRATIONS, REQUESTS, SIGNATURES } from './migrations.ts';
import { WebhookOptions } from './options.ts';
import { memoryQueue, storedQueue } from './queue.ts';
import { memoryReplayGuard, storedReplayGuard } from './replay.ts';
import { webhookRoute } from './routes.ts';
import { SECURITY_SCHEMES } from './security-schemes.ts';
import { WebhookStore } from './store.ts';

export type { ExecuteQuery, WebhookAnswer, WebhookOptions } from './options.ts';

export const webhookInteraction = definePlugin({
  name: 'webhook-interaction',
  version: '1.0.0',
  type: 'interaction',
  description: 'Answers questions that automation tools send over HTTP, at once or through a callback.',
  needs: {
    http,
    outbound,
    agent: optional(agent),
    db: optional(internalDb),
    jobs: optional(jobs),
    limits: optional(sharedLimits),
  },
  options: WebhookOptions,
  setup(ctx, options, { http, outbound, agent, db, jobs, limits }) {
    const channels = channelsOf(options.channels, limits ?? localLimits(ctx.now));
    const answers = answersOf(ctx, options.executeQuery, agent, http);
    const callbacks = callbacksOf(ctx, channels, answers, outbound, options.callbackTimeoutMs);
    const { queueConcurrency: concurrency, callbackTimeoutMs, bodyLimitBytes } = options;
    const store = db?.configured === true ? new WebhookStore(db, ctx.now) : undefined;
    ctx.tap(storeMigrations, () => MIGRATIONS);
    ctx.tap(storeTables, () => [REQUESTS, SIGNATURES].map((table) => ({ table, isTransient: true })));
    if (store !== undefined) purgeDaily(ctx, jobs, 'Requests of webhooks', () => store.purge());
    const isStored = db !== undefined && store !== undefined && jobs?.configured === true;
    if (store !== undefined && !isStored) {
      ctx.log.warn({}, 'Questions of webhooks with a callback are lost by a restart: add jobs() to the plugins.');
    }
    const queue = isStored
      ? storedQueue({ jobs, db, store, callbacks, concurrency, timeoutMs: answers.timeoutMs + callbackTimeoutMs })
      : memoryQueue(ctx, callbacks, concurrency);
    const replays = store === undefined ? memoryReplayGuard(ctx.now) : storedReplayGuard(store);
    const retain = (scope: Parameters<NonNullable<typeof agent>['answer']>[1]) => agent?.retain?.(scope) ?? (() => {});
    ctx.tapKey(authLookup, MODE, ({ actorId }) => {
      const channel = [...channels.values()].find(({ actor }) => actor.id === actorId);
      return channel === undefined
        ? refused('the webhook channel does not exist any more.')
        : present({ actor: channel.actor, orgId: channel.orgId });
    });
    ctx.tap(httpSecurity, () => SECURITY_SCHEMES);
    ctx.tap(httpRoutes, () => [
      webhookRoute({ ctx, channels, answers, queue, replays, outbound, http, bodyLimitBytes, retain }),
    ]);
  },
});
