/** Deletes what is too old, when the server is ready and then every day. */
import { messageOf, type PluginContext } from '../../kernel/index.ts';

const DAY_MS = 86_400_000;

/** `what` is purged, for the log: `The audit log`. A failure is logged, and the next day tried again. */
export function purgeDaily(ctx: PluginContext, what: string, purge: () => Promise<void>): void {
  const attempt = async () => {
    try {
      await purge();
    } catch (error) {
      ctx.log.error({ error: messageOf(error) }, `${what} could not be purged; the next try is tomorrow.`);
    }
  };
  let daily: NodeJS.Timeout | undefined;
  ctx.onReady(() => {
    void attempt();
    daily = setInterval(() => void attempt(), DAY_MS).unref();
  });
  ctx.onClose(() => clearInterval(daily));
}
