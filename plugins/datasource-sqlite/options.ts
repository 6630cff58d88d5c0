import { type Static, Type } from '@sinclair/typebox';

const closed = { additionalProperties: false };

export const SqliteConnectionOptions = Type.Object(
  {
    id: Type.String({
      pattern: '^[a-z][a-z0-9_-]{0,62}$',
      description: 'Lower-case letters, digits, "_" and "-", beginning with a letter',
    }),
    url: Type.String({ minLength: 1, description: '"sqlite:PATH", relative to the working directory' }),
    description: Type.Optional(Type.String({ description: 'What the database holds, for people and for the model' })),
    maxProcesses: Type.Integer({
      minimum: 1,
      maximum: 32,
      default: 4,
      description: 'Statements that may run at the same time; a process is started only when it is needed',
    }),
    queueLimit: Type.Integer({
      minimum: 0,
      default: 10_000,
      description: 'Statements that may wait for a process, however short the wait; the next is refused with 503',
    }),
    acquireTimeoutMs: Type.Integer({
      minimum: 1,
      default: 20_000,
      description:
        'Longest wait for a process, in milliseconds; a statement that is expected to wait longer is refused at once',
    }),
    idleTimeoutMs: Type.Integer({
      minimum: 100,
      default: 30_000,
      description: 'Time without work after which a process ends, in milliseconds; one always stays',
    }),
  },
  closed,
);
export type SqliteConnectionOptions = Static<typeof SqliteConnectionOptions>;

export const DatasourceSqliteOptions = Type.Object({ connections: Type.Array(SqliteConnectionOptions) }, closed);
export type DatasourceSqliteOptions = Static<typeof DatasourceSqliteOptions>;
