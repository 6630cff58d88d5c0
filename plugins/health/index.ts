/** Serves `GET /api/health`: what works and what does not, out of every plugin's checks. */
import { appReady, byPlugin, definePlugin, healthCheck, httpRoutes } from '../../kernel/index.ts';
import { httpRetiring } from '../http/index.ts';
import type { Health } from './api.ts';
import { type Checked, Monitor } from './monitor.ts';
import { HealthOptions } from './options.ts';
import { healthReport } from './report.ts';
import { healthRoutes, type Phase } from './routes.ts';

export type { Health } from './api.ts';
export type { HealthReport } from './schemas.ts';

const NOTHING: Checked = { items: [], checkedAt: undefined };

export const health = definePlugin({
  name: 'health',
  version: '1.0.0',
  type: 'core',
  description: 'Reports the health of the service and of everything it needs.',
  options: HealthOptions,
  setup(ctx, options): Health {
    const monitor = new Monitor(async () => ctx.call(healthCheck, undefined, ctx.scope()), ctx.now, options);
    let types: ReadonlyMap<string, string> | undefined;
    const typeOf = (plugin: string) => {
      types ??= new Map(ctx.describe().plugins.map(({ name, type }) => [name, type]));
      return types.get(plugin);
    };
    let phase: Phase = 'starting';
    const read = () => (phase === 'starting' ? NOTHING : monitor.read());
    const routes = healthRoutes(
      async () => healthReport(await read(), typeOf),
      () => phase,
    );
    ctx.tap(httpRoutes, () => routes);
    // Once all are ready: before its migrations a database looks broken. Not waited for, as one may hang.
    ctx.on(appReady, () => {
      phase = 'serving';
      void monitor.refresh();
    });
    const leave = () => {
      phase = 'stopping';
    };
    ctx.on(httpRetiring, leave);
    ctx.onDrain(leave);
    const checked = byPlugin(healthCheck);
    return {
      items: async () => (await read()).items,
      async check(plugin, scope) {
        const taps = ctx.describe().hooks.find(({ id }) => id === checked.id)?.taps ?? [];
        if (!taps.some((tap) => tap.plugin === plugin)) return undefined;
        return monitor.note(plugin, await ctx.callKey(checked, plugin, undefined, scope));
      },
    };
  },
});
