/** Declares the health report as it is answered. */
import { type Static, Type } from '@sinclair/typebox';
import { oneOf } from '../admin-kit/index.ts';

const Check = Type.Object(
  {
    status: oneOf(['ok', 'degraded', 'error', 'not_configured', 'disabled']),
    latencyMs: Type.Optional(Type.Number()),
    message: Type.Optional(Type.String()),
  },
  { title: 'HealthCheck', additionalProperties: true },
);

const Component = Type.Object(
  {
    status: oneOf(['healthy', 'degraded', 'unhealthy', 'disabled']),
    lastCheckedAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
  },
  { title: 'HealthComponent', additionalProperties: true },
);

export const HealthReport = Type.Object(
  {
    status: oneOf(['ok', 'degraded', 'error']),
    checks: Type.Record(Type.String(), Check, {
      description: 'datasource, provider, semanticLayer, internalDb, explore, auth, slack and what else plugins check.',
    }),
    sources: Type.Record(Type.String(), Check, { description: 'Each connection by its id.' }),
    components: Type.Record(Type.String(), Component, {
      description: 'datasource, internalDb, provider, sandbox, scheduler and what else plugins check.',
    }),
  },
  { title: 'HealthReport' },
);
export type HealthReport = Static<typeof HealthReport>;

export const Probe = Type.Object(
  {
    status: oneOf(['ok', 'error']),
    failing: Type.Record(Type.String(), Type.String(), { description: 'What does not work, and why.' }),
  },
  { title: 'HealthProbe' },
);
