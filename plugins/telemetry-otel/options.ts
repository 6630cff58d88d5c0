import { type Static, Type } from '../../kernel/index.ts';

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
      description: 'headers of every export, such as a key',
    }),
    serviceName: Type.String({
      default: 'atlas',
      minLength: 1,
      description: 'name of this service in traces and metrics',
    }),
    attributes: Type.Record(Type.String(), Type.String(), {
      default: {},
      description: 'further attributes of this service',
    }),
    traceRatio: Type.Number({
      default: 1,
      minimum: 0,
      maximum: 1,
      description: 'share of traces kept; a caller with a traceparent has decided already',
    }),
    intervalMs: Type.Integer({
      default: 60_000,
      minimum: 1_000,
      maximum: 3_600_000,
      description: 'time between two exports of metrics, in milliseconds',
    }),
    content: Type.Boolean({
      default: false,
      description: 'whether traces hold questions, answers, tool arguments, SQL and error texts',
    }),
    metricsRoute: Type.Boolean({
      default: false,
      description: 'whether `GET /api/v1/metrics` answers in the format of Prometheus',
    }),
    metricsPublic: Type.Boolean({
      default: false,
      description: 'whether metrics are public; else administrators only read them',
    }),
    metricsToken: Type.Optional(
      Type.String({
        minLength: 16,
        description: 'bearer token of a scraper that reads the metrics; not together with `metricsPublic`',
      }),
    ),
  },
  { additionalProperties: false },
);

export type TelemetryOptions = Static<typeof TelemetryOptions>;
