import { type Static, Type } from '@sinclair/typebox';

export const TelemetryOptions = Type.Object(
  {
    endpoint: Type.Optional(
      Type.String({
        pattern: '^https?://[^\\s]+$',
        description: 'collector that takes OTLP over HTTP; /v1/traces and /v1/metrics are appended',
      }),
    ),
    headers: Type.Record(Type.String(), Type.String(), {
      default: {},
      description: 'sent with every export, such as a key',
    }),
    serviceName: Type.String({ default: 'atlas', minLength: 1, description: 'service.name of everything' }),
    attributes: Type.Record(Type.String(), Type.String(), {
      default: {},
      description: 'further attributes of the resource',
    }),
    traceRatio: Type.Number({
      default: 1,
      minimum: 0,
      maximum: 1,
      description: 'share of traces kept; a caller with a traceparent has decided already',
    }),
    intervalMs: Type.Integer({ default: 60_000, minimum: 1_000, description: 'time between two exports of metrics' }),
    content: Type.Boolean({
      default: false,
      description: 'put questions, answers, tool arguments, SQL and error texts into traces',
    }),
    metricsRoute: Type.Boolean({ default: false, description: 'serve GET /api/v1/metrics for Prometheus' }),
    metricsPublic: Type.Boolean({
      default: false,
      description: 'whether everybody may read the metrics, not only administrators',
    }),
    metricsToken: Type.Optional(
      Type.String({
        minLength: 16,
        description: 'a bearer token that the metrics are read with, besides by administrators; not with metricsPublic',
      }),
    ),
  },
  { additionalProperties: false },
);

export type TelemetryOptions = Static<typeof TelemetryOptions>;
