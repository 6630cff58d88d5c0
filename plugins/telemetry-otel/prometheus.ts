/** `GET /api/v1/metrics` in the text format of Prometheus, on the server that is there anyway. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { MetricReader } from '@opentelemetry/sdk-metrics';
import { Type } from '@sinclair/typebox';
import { AtlasError, type Route } from '../../kernel/index.ts';
import { bearerToken, rejectedCredentials } from '../http/bearer.ts';
import type { TelemetryOptions } from './options.ts';

/** Collects when it is asked. */
export class PullReader extends MetricReader {
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}

const digest = (text: string) => createHash('sha256').update(text).digest();

/** Throws `auth_error` unless the header carries the token. */
function checkToken(expected: Buffer, headers: Parameters<typeof bearerToken>[0]): void {
  const given = bearerToken(headers);
  const hint = 'Send it as Authorization: Bearer.';
  if (given === undefined) throw new AtlasError('The metrics need their token.', { code: 'auth_error', hint });
  if (!timingSafeEqual(digest(given), expected)) throw rejectedCredentials('The token of the metrics is wrong.', hint);
}

export function metricsRoute(reader: PullReader, { metricsPublic, metricsToken }: TelemetryOptions): Route {
  const serializer = new PrometheusSerializer(undefined, false, undefined, false, true);
  const expected = metricsToken === undefined ? undefined : digest(metricsToken);
  return {
    method: 'GET',
    path: '/api/v1/metrics',
    summary: 'Metrics in the text format of Prometheus.',
    tag: 'Health',
    // With a token of its own the route itself checks who asks.
    right: metricsPublic || expected !== undefined ? 'public' : 'admin',
    responses: { 200: Type.String({ contentMediaType: 'text/plain' }) },
    errors: expected === undefined ? [] : ['auth_error'],
    essential: true,
    async handle({ headers }) {
      if (expected !== undefined) checkToken(expected, headers);
      const { resourceMetrics } = await reader.collect();
      return {
        headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8', 'cache-control': 'no-store' },
        body: serializer.serialize(resourceMetrics),
      };
    },
  };
}
