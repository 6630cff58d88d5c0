import { type Static, Type } from '@sinclair/typebox';

const closed = { additionalProperties: false };

export const DuckdbConnectionOptions = Type.Object(
  {
    id: Type.String({
      pattern: '^[a-z][a-z0-9_-]{0,62}$',
      description: 'Lower-case letters, digits, "_" and "-", beginning with a letter',
    }),
    url: Type.String({ minLength: 1, description: '"duckdb:PATH", relative to the working directory' }),
    description: Type.Optional(Type.String({ description: 'What the database holds, for people and for the model' })),
    maxProcesses: Type.Integer({
      minimum: 1,
      maximum: 16,
      default: 2,
      description: 'Statements that may run at the same time; a process is started only when it is needed',
    }),
    threads: Type.Integer({ minimum: 1, maximum: 64, default: 2, description: 'Threads that one statement may use' }),
    memoryLimitMb: Type.Integer({
      minimum: 64,
      default: 512,
      description: 'Memory for the data of one statement, in MiB; larger sorts and joins go to temporary files',
    }),
    tempLimitMb: Type.Integer({
      minimum: 0,
      default: 2048,
      description: 'Temporary files of one statement, in MiB',
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
export type DuckdbConnectionOptions = Static<typeof DuckdbConnectionOptions>;

export const DatasourceDuckdbOptions = Type.Object({ connections: Type.Array(DuckdbConnectionOptions) }, closed);
