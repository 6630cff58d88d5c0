/** Declares the options that every connection has, to a database server or to a database in a file. */
import { Type } from '../../kernel/index.ts';

const named = {
  id: Type.String({
    pattern: '^[a-z][a-z0-9_-]{0,62}$',
    description: 'Lower-case letters, digits, "_" and "-", beginning with a letter',
  }),
  description: Type.Optional(Type.String({ description: 'What the database holds, for people and for the model' })),
};

const queue = (place: 'connection' | 'process') => ({
  queueLimit: Type.Integer({
    minimum: 0,
    default: 10_000,
    description: `Statements that may wait for a ${place}, however short the wait; the next is refused with 503`,
  }),
  acquireTimeoutMs: Type.Integer({
    minimum: 1,
    default: 20_000,
    description: `Longest wait for a ${place}, in milliseconds; a statement that is expected to wait longer is refused at once`,
  }),
});

/** Options of a connection to a database server. */
export const connectionOptions = {
  ...named,
  maxConnections: Type.Integer({
    minimum: 1,
    maximum: 200,
    default: 10,
    description: 'Statements that may run at the same time, each over its own connection',
  }),
  ...queue('connection'),
  connectTimeoutMs: Type.Integer({
    minimum: 1,
    default: 5_000,
    description: 'Longest time to set a connection up, in milliseconds',
  }),
  idleTimeoutMs: Type.Integer({
    minimum: 100,
    default: 300_000,
    description: 'Time without work after which a connection is closed, in milliseconds',
  }),
};

/** Options of a connection to a file that is read in processes: how many at most, and by default. */
export const fileConnectionOptions = (maxProcesses: { readonly maximum: number; readonly default: number }) => ({
  ...named,
  maxProcesses: Type.Integer({
    minimum: 1,
    ...maxProcesses,
    description: 'Statements that may run at the same time; a process is started only when it is needed',
  }),
  ...queue('process'),
  idleTimeoutMs: Type.Integer({
    minimum: 100,
    default: 30_000,
    description: 'Time without work after which a process ends, in milliseconds; one always stays',
  }),
});
