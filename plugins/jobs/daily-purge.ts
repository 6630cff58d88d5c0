/** Deletes what is too old, when the server is ready and then every day. */
import { messageOf, type PluginContext, scheduleCollect } from '../../kernel/index.ts';
import type { Jobs } from './api.ts';

const DAY_MS = 86_400_000;
/** When few people work in most places. */
const NIGHTLY = '17 3 * * *';

/**
 * At the start, and then every night by one of the servers; without `jobs` every day by each. `what` is purged, for
 * the log: `The audit log`. A failure is logged and tried again later. Call it in setup.
 */
export function purgeDaily(ctx: PluginContext, jobs: Jobs | undefined, what: string, purge: () => Promise<void>): void {
  let isStopping = false;
  ctx.onDrain(() => {
    isStopping = true;
  });
  const attempt = async () => {
    try {
      await purge();
    } catch (error) {
      // The next start purges.
      if (isStopping) return;
      ctx.log.error({ error: messageOf(error) }, `${what} could not be purged; the next try is tomorrow.`);
    }
  };
  if (jobs?.configured === true) {
    ctx.tap(scheduleCollect, () => [{ name: 'daily-purge', cron: NIGHTLY, run: purge }]);
    ctx.onReady(() => void attempt());
    return;
  }
  let daily: NodeJS.Timeout | undefined;
  ctx.onReady(() => {
    void attempt();
    daily = setInterval(() => void attempt(), DAY_MS).unref();
  });
  ctx.onClose(() => clearInterval(daily));
}
