/** Describes parameters and answers of the plugin endpoints. */
import { Type } from '@sinclair/typebox';

const Status = Type.Union(
  [
    Type.Literal('registered'),
    Type.Literal('ready'),
    Type.Literal('degraded'),
    Type.Literal('failed'),
    Type.Literal('stopped'),
  ],
  { title: 'PluginStatus', description: '`degraded`: it runs, and its health check finds a fault.' },
);

const named = { id: Type.String(), name: Type.String(), type: Type.String() };

export const Overview = Type.Object({
  connections: Type.Integer(),
  entities: Type.Integer(),
  metrics: Type.Integer(),
  glossaryTerms: Type.Integer(),
  plugins: Type.Integer(),
  pluginHealth: Type.Array(Type.Object({ ...named, status: Status })),
});

export const PluginList = Type.Object({
  plugins: Type.Array(
    Type.Object(
      { ...named, version: Type.String(), status: Status, description: Type.String() },
      { title: 'InstalledPlugin' },
    ),
  ),
  total: Type.Integer(),
});

export const PluginParams = Type.Object({ id: Type.String({ minLength: 1, maxLength: 128 }) });

export const PluginHealth = Type.Object(
  {
    id: Type.String(),
    healthy: Type.Boolean(),
    status: Status,
    message: Type.Union([Type.String(), Type.Null()]),
    latencyMs: Type.Number(),
    checkedAt: Type.String({ format: 'date-time' }),
  },
  { title: 'PluginHealth' },
);
