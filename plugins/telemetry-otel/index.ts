/** Traces and metrics with OpenTelemetry. Without an endpoint and without the route nothing is even loaded. */
import { definePlugin } from '../../kernel/index.ts';
import { TelemetryOptions } from './options.ts';

export const telemetryOtel = definePlugin({
  name: 'telemetry-otel',
  version: '1.0.0',
  type: 'core',
  description: 'Exports traces and metrics with OpenTelemetry, and serves metrics for Prometheus.',
  options: TelemetryOptions,
  async setup(ctx, options) {
    if (options.endpoint === undefined && !options.metricsRoute) return;
    const { startTelemetry } = await import('./start.ts');
    startTelemetry(ctx, options);
  },
});
