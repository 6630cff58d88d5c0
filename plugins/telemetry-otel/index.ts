/** Exports traces and metrics with OpenTelemetry. Without an endpoint and without the route nothing is loaded. */
import { AtlasError, definePlugin } from '../../kernel/index.ts';
import { requirePackages } from '../package-kit/index.ts';
import { TelemetryOptions } from './options.ts';

export { METRICS, type Metric, type MetricName, prometheusName } from './metric-catalog.ts';

/** Optional, because they take 37 MB. */
const PACKAGES = [
  '@opentelemetry/api',
  '@opentelemetry/core',
  '@opentelemetry/exporter-metrics-otlp-proto',
  '@opentelemetry/exporter-prometheus',
  '@opentelemetry/exporter-trace-otlp-proto',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-metrics',
  '@opentelemetry/sdk-trace',
  '@opentelemetry/semantic-conventions',
];

export const telemetryOtel = definePlugin({
  name: 'telemetry-otel',
  version: '1.0.0',
  type: 'core',
  description: 'Exports traces and metrics with OpenTelemetry, and serves metrics for Prometheus.',
  options: TelemetryOptions,
  async setup(ctx, options) {
    if (options.metricsPublic && options.metricsToken !== undefined) {
      throw new AtlasError(
        'The metrics cannot be public and have a token: metricsPublic and metricsToken exclude each other.',
        {
          code: 'configuration_error',
          reason: 'E_METRICS_ACCESS',
          hint: 'Unset SVC_METRICS_PUBLIC or SVC_METRICS_TOKEN.',
        },
      );
    }
    if (options.endpoint === undefined && !options.metricsRoute) return;
    requirePackages(PACKAGES, import.meta.url);
    const { startTelemetry } = await import('./start.ts');
    startTelemetry(ctx, options);
  },
});
