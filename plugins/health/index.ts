/** `GET /api/health`: what works and what does not, out of every plugin's checks. */
import { definePlugin, healthCheck, httpRoutes, type Route } from '../../kernel/index.ts';
import { Monitor } from './monitor.ts';
import { HealthOptions } from './options.ts';
import { healthReport } from './report.ts';
import { HealthReport } from './schema.ts';

export const health = definePlugin({
  name: 'health',
  version: '1.0.0',
  type: 'core',
  description: 'Reports the health of the service and of everything it needs.',
  options: HealthOptions,
  setup(ctx, options) {
    const monitor = new Monitor(async () => ctx.call(healthCheck, undefined, ctx.scope()), ctx.now, options);
    const typeOf = (plugin: string) => ctx.describe().plugins.find(({ name }) => name === plugin)?.type;
    const route: Route = {
      method: 'GET',
      path: '/api/health',
      operationId: 'getHealth',
      summary: 'Health of the service and of everything it needs.',
      tag: 'Health',
      right: 'public',
      essential: true,
      responses: { 200: HealthReport, 503: HealthReport },
      async handle() {
        const report = healthReport(await monitor.read(), typeOf);
        return {
          status: report.status === 'error' ? 503 : 200,
          headers: { 'cache-control': 'no-store' },
          body: report,
        };
      },
    };
    ctx.tap(httpRoutes, () => [route]);
    // Begun early, not waited for: the start must not depend on a database that hangs.
    ctx.onReady(() => void monitor.refresh());
  },
});
