/** Options that every connection to a database server has. */
import { Type } from '@sinclair/typebox';

export const connectionOptions = {
  id: Type.String({
    pattern: '^[a-z][a-z0-9_-]{0,62}$',
    description: 'Lower-case letters, digits, "_" and "-", beginning with a letter',
  }),
  description: Type.Optional(Type.String({ description: 'What the database holds, for people and for the model' })),
  maxConnections: Type.Integer({
    minimum: 1,
    maximum: 200,
    default: 10,
    description: 'Statements that may run at the same time, each over a connection of its own',
  }),
  queueLimit: Type.Integer({
    minimum: 0,
    default: 10_000,
    description: 'Statements that may wait for a connection, however short the wait; the next is refused with 503',
  }),
  acquireTimeoutMs: Type.Integer({
    minimum: 1,
    default: 20_000,
    description:
      'Longest wait for a connection, in milliseconds; a statement that is expected to wait longer is refused at once',
  }),
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
