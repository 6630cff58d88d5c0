/** Declares bodies and answers of the routes for connections. */
import { type Static, Type } from '@sinclair/typebox';
import { oneOf } from '../admin-kit/index.ts';

const closed = { additionalProperties: false };
const orNull = Type.Union([Type.String(), Type.Null()]);

const Health = Type.Object(
  {
    status: oneOf(['ok', 'degraded', 'error', 'not_configured', 'disabled', 'unknown']),
    latencyMs: Type.Union([Type.Number(), Type.Null()]),
    checkedAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
    message: Type.Optional(Type.String()),
  },
  { title: 'ConnectionHealth' },
);

export type ConnectionHealth = Static<typeof Health>;

export const Connection = Type.Object(
  {
    id: Type.String(),
    dbType: Type.String(),
    description: orNull,
    maskedUrl: Type.String({ description: 'Without user, password and parameters.' }),
    schema: Type.Union([Type.String(), Type.Null()], {
      description: 'Where tables are that are named without one; null: the own default of the engine.',
    }),
    configured: Type.Boolean({ description: 'Whether it comes from the configuration and so cannot be changed.' }),
    createdAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
    updatedAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
    health: Health,
  },
  { title: 'Connection' },
);
export type Connection = Static<typeof Connection>;

export const Connections = Type.Object({ connections: Type.Array(Connection) });
export const TestResult = Health;

const URL_FIELD = Type.String({
  minLength: 1,
  maxLength: 4_096,
  description: '"postgres://user:password@host/database"',
});
const text = (minLength: number, maxLength: number, description: string) =>
  Type.Optional(
    Type.Union([Type.String({ minLength, maxLength }), Type.Null()], {
      description,
      errorMessage: `must be a string of ${minLength} to ${maxLength} characters, or null`,
    }),
  );
const changeable = {
  description: text(0, 1_000, 'What the database holds, for people and for the model.'),
  schema: text(1, 63, 'PostgreSQL: schema of tables that are named without one; default "public".'),
};

export const CreateBody = Type.Object(
  {
    id: Type.String({ pattern: '^[a-z][a-z0-9_-]{0,62}$' }),
    url: URL_FIELD,
    ...changeable,
  },
  closed,
);
export type CreateBody = Static<typeof CreateBody>;

export const UpdateBody = Type.Object({ url: Type.Optional(URL_FIELD), ...changeable }, closed);
export type UpdateBody = Static<typeof UpdateBody>;

export const ConnectionParams = Type.Object({ id: Type.String({ minLength: 1, maxLength: 128 }) });
