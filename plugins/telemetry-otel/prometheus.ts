/** Serves `GET /api/v1/metrics` in the text format of Prometheus, on the server of the API. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { MetricReader, type ResourceMetrics } from '@opentelemetry/sdk-metrics';
import { Type } from '@sinclair/typebox';
import type { Credentials, Identity, Route } from '../../kernel/index.ts';
import { bearerToken } from '../auth-kit/index.ts';
import { UNIT_SUFFIXES } from './metric-catalog.ts';
import type { TelemetryOptions } from './options.ts';

const PATH = '/api/v1/metrics';

/** Collects when it is asked. */
export class PullReader extends MetricReader {
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}

/** The library leaves units out: the metrics under the names that Prometheus and its dashboards expect: `…_seconds`, `…_bytes`, `…_ratio`. */
function withUnitSuffixes(collected: ResourceMetrics): ResourceMetrics {
  const scopeMetrics = collected.scopeMetrics.map(({ scope, metrics }) => ({
    scope,
    metrics: metrics.map((metric) => {
      const { name, unit } = metric.descriptor;
      const suffix = UNIT_SUFFIXES[unit];
      const named = suffix === undefined ? { unit: '' } : { unit: suffix, name: `${name}_${suffix}` };
      return { ...metric, descriptor: { ...metric.descriptor, ...named } };
    }),
  }));
  return { ...collected, scopeMetrics };
}

const digest = (text: string) => createHash('sha256').update(text).digest();

/** Makes the bearer of the token an administrator of this one route. On other routes the token is not recognized. */
export function metricsTokenReader(token: string): (credentials: Credentials) => Identity | undefined {
  const expected = digest(token);
  const identity: Identity = {
    actor: { id: 'metrics', label: 'metrics token', role: 'admin', mode: 'metrics-token', claims: {} },
    orgId: null,
  };
  return ({ route, headers }) => {
    if (route !== PATH) return undefined;
    const given = bearerToken(headers);
    return given !== undefined && timingSafeEqual(digest(given), expected) ? identity : undefined;
  };
}

export function metricsRoute(reader: PullReader, { metricsPublic }: TelemetryOptions): Route {
  const serializer = new PrometheusSerializer(undefined, false, undefined, false, true);
  return {
    method: 'GET',
    path: PATH,
    operationId: 'getMetrics',
    summary: 'Metrics in the text format of Prometheus.',
    tag: 'Health',
    right: metricsPublic ? 'public' : 'admin',
    responses: { 200: Type.String({ contentMediaType: 'text/plain' }) },
    essential: true,
    async handle() {
      const { resourceMetrics } = await reader.collect();
      return {
        headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8', 'cache-control': 'no-store' },
        body: serializer.serialize(withUnitSuffixes(resourceMetrics)),
      };
    },
  };
}
