/** Starts traces and metrics. Nothing is registered globally, so two apps of one process stay apart. */
import { randomUUID } from 'node:crypto';
import { defaultResource, type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { authResolve, httpRoutes, type PluginContext, sqlSettled, withTimeout } from '../../kernel/index.ts';
import { findDialect } from '../sql-kit/index.ts';
import { Collector } from './collector.ts';
import { watchMetrics } from './metrics.ts';
import type { TelemetryOptions } from './options.ts';
import { metricsRoute, metricsTokenReader, PullReader } from './prometheus.ts';
import { watchRuntime } from './runtime.ts';
import { type SqlWatch, watchTraces } from './traces.ts';

/** How long a stop waits for the last export. */
const LAST_EXPORT_MS = 3_000;
/** What is kept when the collector is slow or down; more is dropped. */
const MAX_QUEUED_SPANS = 2_048;
/** Longest text of one attribute; only content comes near. */
const MAX_ATTRIBUTE_LENGTH = 8_192;

interface Part {
  readonly provider: { shutdown(): Promise<void> };
  readonly watchSql: SqlWatch;
}

export function startTelemetry(ctx: PluginContext, options: TelemetryOptions): void {
  const resource = defaultResource().merge(
    resourceFromAttributes({
      'service.instance.id': randomUUID(),
      ...options.attributes,
      'service.name': options.serviceName,
    }),
  );
  const collector = options.endpoint === undefined ? undefined : new Collector(options.endpoint, options, ctx.log);
  const parts = [
    startMetrics(ctx, options, resource, collector),
    ...(collector === undefined ? [] : [startTraces(ctx, options, resource, collector)]),
  ];
  ctx.tap(sqlSettled, async (outcome, scope) => {
    const name = outcome.statement?.connection.dbType;
    const dialect = name === undefined ? undefined : await findDialect(ctx, name, scope);
    for (const { watchSql } of parts) watchSql(outcome, scope, dialect?.telemetryName ?? name);
  });
  ctx.onClose(async () => {
    collector?.close();
    await withTimeout(Promise.allSettled(parts.map(({ provider }) => provider.shutdown())), LAST_EXPORT_MS, () => {});
  });
}

function startTraces(
  ctx: PluginContext,
  { traceRatio, content }: TelemetryOptions,
  resource: Resource,
  collector: Collector,
): Part {
  const provider = new TracerProvider({
    resource,
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(traceRatio) }),
    spanLimits: { attributeValueLengthLimit: MAX_ATTRIBUTE_LENGTH },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: collector.traceExporter(),
        maxQueueSize: MAX_QUEUED_SPANS,
        exportTimeoutMillis: collector.timeoutMs + 1_000,
      }),
    ],
  });
  return { provider, watchSql: watchTraces(ctx, provider.getTracer('atlas'), content) };
}

function startMetrics(
  ctx: PluginContext,
  options: TelemetryOptions,
  resource: Resource,
  collector: Collector | undefined,
): Part {
  const pull = options.metricsRoute ? new PullReader() : undefined;
  const readers = [pull, collector?.metricReader(options.intervalMs)].filter((reader) => reader !== undefined);
  const provider = new MeterProvider({ resource, readers });
  const meter = provider.getMeter('atlas');
  ctx.onClose(watchRuntime(meter));
  if (pull !== undefined) {
    ctx.tap(httpRoutes, () => [metricsRoute(pull, options)]);
    // First, so that no other authentication plugin rejects the token.
    if (options.metricsToken !== undefined) {
      ctx.tap(authResolve, metricsTokenReader(options.metricsToken), { stage: 'pre' });
    }
  }
  return { provider, watchSql: watchMetrics(ctx, meter) };
}
