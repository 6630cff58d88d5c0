/** Describes parameters and answers of the audit endpoints. */
import { type Static, Type } from '@sinclair/typebox';
import { orNull, page, pageQuery } from '../admin-kit/index.ts';
import { AUDIT_ORDERS, CHANGE_ORDERS } from './orders.ts';

const Time = Type.Union([Type.String({ format: 'date-time' }), Type.String({ format: 'date' })], {
  description: 'ISO 8601: a time with a zone, or a day, which is all of that day in UTC.',
  errorMessage: 'must be a time with a zone, such as 2026-01-31T00:00:00Z, or a day, such as 2026-01-31',
});

const filters = {
  user: Type.Optional(Type.String({ minLength: 1, description: 'User id.' })),
  success: Type.Optional(Type.Boolean({ description: 'Only statements that ran, or only those that did not.' })),
  connection: Type.Optional(Type.String({ minLength: 1, description: 'Connection id.' })),
  surface: Type.Optional(Type.String({ minLength: 1, description: 'Where the question came from, such as `api`.' })),
  id: Type.Optional(Type.String({ format: 'uuid', description: 'Id of one entry.' })),
  text: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        'A part of the statement, in any case; looked for in the newest 50,000 entries that match otherwise.',
    }),
  ),
  from: Type.Optional(Time),
  to: Type.Optional(Time),
};

export const ExportQuery = Type.Object(filters);
export type ExportQuery = Static<typeof ExportQuery>;

const PAGING = pageQuery({ limit: 50, max: 200 });

export const ListQuery = Type.Object({ ...PAGING, ...AUDIT_ORDERS.query, ...filters });

export const ChangesQuery = Type.Object({
  ...PAGING,
  ...CHANGE_ORDERS.query,
  user: filters.user,
  action: Type.Optional(Type.String({ minLength: 1, description: 'Such as `user.role_changed`.' })),
  target: Type.Optional(Type.String({ minLength: 1, description: 'Id of what was changed.' })),
  targetType: Type.Optional(Type.String({ minLength: 1, description: 'Such as `user`.' })),
  from: filters.from,
  to: filters.to,
});
export type ChangesQuery = Static<typeof ChangesQuery>;

export const AuditEntry = Type.Object(
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
    cached: Type.Boolean({ description: 'The rows came from the result cache; the database was not asked.' }),
    orgId: orNull(Type.String()),
  },
  { title: 'AuditEntry' },
);
export type AuditEntry = Static<typeof AuditEntry>;

export const AuditPage = page('entries', AuditEntry);

const state = (description: string) =>
  Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()], { description });

export const AdminChange = Type.Object(
  {
    id: Type.String(),
    timestamp: Type.String({ format: 'date-time' }),
    userId: orNull(Type.String()),
    userLabel: orNull(Type.String()),
    orgId: orNull(Type.String()),
    action: Type.String({ description: 'Such as `user.role_changed`.' }),
    targetType: Type.String(),
    targetId: Type.String(),
    targetLabel: orNull(Type.String()),
    before: state('What it was, without secrets; `null`: it was created.'),
    after: state('What it is, without secrets; `null`: it was deleted.'),
    requestId: Type.String(),
  },
  { title: 'AdminChange' },
);
export type AdminChange = Static<typeof AdminChange>;

export const ChangesPage = page('changes', AdminChange);

export const AuditStatsBody = Type.Object({
  totalQueries: Type.Integer(),
  errorCount: Type.Integer(),
  errorRate: Type.Number({ minimum: 0, maximum: 1 }),
  queriesPerDay: Type.Array(Type.Object({ day: Type.String(), count: Type.Integer() }), {
    description: 'The last seven days in UTC, today last.',
  }),
});

export type AuditStats = Static<typeof AuditStatsBody>;

export const PurgeResult = Type.Object({
  results: Type.Array(Type.Object({ orgId: orNull(Type.String()), softDeletedCount: Type.Integer() })),
});

export const Csv = Type.String({ contentMediaType: 'text/csv' });
