/** Describes parameters and answers of the audit endpoints. */
import { type Static, Type } from '@sinclair/typebox';

const Time = Type.String({
  format: 'date-time',
  errorMessage: 'must be a time with a zone, such as 2026-01-31T00:00:00Z',
});

const filters = {
  user: Type.Optional(Type.String({ minLength: 1, description: 'User id.' })),
  success: Type.Optional(Type.Boolean({ description: 'Only statements that ran, or only those that did not.' })),
  connection: Type.Optional(Type.String({ minLength: 1, description: 'Connection id.' })),
  surface: Type.Optional(Type.String({ minLength: 1, description: 'Where the question came from, such as `api`.' })),
  from: Type.Optional(Time),
  to: Type.Optional(Time),
};

export const ExportQuery = Type.Object(filters);
export type ExportQuery = Static<typeof ExportQuery>;

export const ListQuery = Type.Object({
  limit: Type.Integer({ default: 50, minimum: 1, maximum: 200 }),
  offset: Type.Integer({ default: 0, minimum: 0 }),
  ...filters,
});
export type ListQuery = Static<typeof ListQuery>;

const orNull = <T extends ReturnType<typeof Type.String>>(schema: T) => Type.Union([schema, Type.Null()]);

export const AuditPage = Type.Object({
  entries: Type.Array(
    Type.Object(
      {
        id: Type.String(),
        timestamp: Type.String({ format: 'date-time' }),
        userId: orNull(Type.String()),
        userLabel: orNull(Type.String()),
        authMode: Type.String(),
        sql: Type.String({ description: 'As asked for: at most 2,000 characters, without credentials.' }),
        durationMs: Type.Number(),
        rowCount: Type.Integer(),
        success: Type.Boolean(),
        error: orNull(Type.String({ description: '`refused`, `failed` or `cancelled`, and why.' })),
        connectionId: orNull(Type.String()),
        dbType: orNull(Type.String()),
        tables: Type.Array(Type.String()),
        conversationId: orNull(Type.String()),
        requestId: Type.String(),
        surface: Type.String(),
        orgId: orNull(Type.String()),
      },
      { title: 'AuditEntry' },
    ),
  ),
  total: Type.Integer(),
  limit: Type.Integer(),
  offset: Type.Integer(),
});

export const AuditStatsBody = Type.Object({
  totalQueries: Type.Integer(),
  errorCount: Type.Integer(),
  errorRate: Type.Number({ minimum: 0, maximum: 1 }),
  queriesPerDay: Type.Array(Type.Object({ day: Type.String(), count: Type.Integer() }), {
    description: 'The last seven days in UTC, today last.',
  }),
});

export const PurgeResult = Type.Object({
  results: Type.Array(Type.Object({ orgId: orNull(Type.String()), softDeletedCount: Type.Integer() })),
});

export const Csv = Type.String({ contentMediaType: 'text/csv' });
