/** Describes parameters and answers of the plugin endpoints. */
import { type Static, Type } from '@sinclair/typebox';
import { oneOf } from '../admin-kit/index.ts';

const Status = oneOf(['registered', 'ready', 'degraded', 'failed', 'stopped'], {
  title: 'PluginStatus',
  description: '`degraded`: it runs, and its health check finds a fault.',
});

const named = { id: Type.String(), name: Type.String(), type: Type.String() };

export const Overview = Type.Object({
  connections: Type.Integer(),
  entities: Type.Integer(),
  metrics: Type.Integer(),
  glossaryTerms: Type.Integer(),
  plugins: Type.Integer(),
  pluginHealth: Type.Array(Type.Object({ ...named, status: Status })),
});
export type Overview = Static<typeof Overview>;

const Hook = Type.Object(
  {
    id: Type.String(),
    kind: Type.String({ description: 'What becomes of the values that the taps return.' }),
    gate: Type.Boolean({ description: 'It decides whether something may happen; without a tap nothing starts.' }),
    summary: Type.String(),
    taps: Type.Array(
      Type.Object({
        plugin: Type.String(),
        key: Type.Optional(Type.String({ description: 'Of a keyed hook: what this plugin answers for.' })),
      }),
    ),
  },
  { title: 'ComposedHook' },
);

export const PluginList = Type.Object({
  plugins: Type.Array(
    Type.Object(
      {
        ...named,
        version: Type.String(),
        status: Status,
        description: Type.String(),
        needs: Type.Array(Type.String(), { description: 'Plugins that it uses, also those that it may do without.' }),
      },
      { title: 'InstalledPlugin' },
    ),
  ),
  hooks: Type.Array(Hook, { description: 'Every hook with the plugins that tap it, in the order in which they run.' }),
  total: Type.Integer(),
});
export type PluginList = Static<typeof PluginList>;

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
export type PluginHealth = Static<typeof PluginHealth>;
