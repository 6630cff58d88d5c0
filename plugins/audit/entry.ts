/** Makes the audit entry of a statement: what was asked, by which user, and how it ended. */
import { randomUUID } from 'node:crypto';
import {
  type Actor,
  messageOf,
  type Scope,
  type SqlOutcome,
  type SqlReply,
  type SqlStatement,
} from '../../kernel/index.ts';
import type { RowOf } from '../admin-kit/index.ts';
import { previewedBy } from '../auth-kit/index.ts';
import { cachedOf } from '../datasource-kit/index.ts';
import { jsonText } from '../internal-db/index.ts';
import { withoutCredentials } from '../redaction-kit/index.ts';
import type { AuditedEvent } from './api.ts';
import type { AuditEntry } from './schemas.ts';

/** Longest statement kept in the database, and in a log line. */
export const SQL_STORED_LENGTH = 2_000;
export const SQL_LOGGED_LENGTH = 500;
const ERROR_LENGTH = 1_000;
/** Names that clients choose: a user's label, and a connection that may not exist. */
export const NAME_LENGTH = 320;
const MAX_TABLES = 100;

/** A row of the table `audit_log`. The timestamp has 24 characters always, so that it sorts as text. */
export type AuditRow = RowOf<AuditEntry>;

/** Changes a statement's text before it is stored. */
export type Redact = (sql: string) => string;

interface Ended {
  readonly sql: string;
  readonly surface: string;
  readonly conversationId: string | undefined;
  readonly connectionId: string | undefined;
  readonly statement: SqlStatement | undefined;
  readonly durationMs: number;
  readonly rowCount: number;
  readonly cached?: boolean;
  readonly error: string | null;
}

/** A statement whose rows are about to be handed out. */
export function entryOfReply({ statement, result, durationMs }: SqlReply, scope: Scope, at: number, redact: Redact) {
  const { requested, surface, conversationId, connection } = statement;
  const ended = { sql: requested, surface, conversationId, connectionId: connection.id, statement, durationMs };
  const cached = cachedOf(result) !== undefined;
  return entryOf({ ...ended, rowCount: result.rows.length, cached, error: null }, scope, at, redact);
}

/** A statement that brought no rows: refused, failed or cancelled. */
export function entryOfOutcome(outcome: SqlOutcome, scope: Scope, at: number, redact: Redact) {
  const { request, statement, status, error, durationMs } = outcome;
  const { sql, surface, conversationId, connectionId } = request;
  const ended = { sql, surface, conversationId, connectionId, statement, durationMs, rowCount: 0 };
  return entryOf({ ...ended, error: `${status}: ${messageOf(error)}` }, scope, at, redact);
}

/** Who asks, and as whom where that is somebody else. */
function askerOf(scope: Scope): { readonly actor: Actor; readonly label: string | null } {
  const { actor } = scope;
  const administrator = previewedBy.nearest(scope);
  if (administrator === undefined || administrator === actor) return { actor, label: actor.label };
  const nameOf = ({ label, id }: Actor) => label ?? id ?? 'anonymous';
  return { actor: administrator, label: `${nameOf(administrator)} as ${nameOf(actor)}` };
}

function entryOf(ended: Ended, scope: Scope, at: number, redact: Redact): AuditRow {
  const { orgId, requestId } = scope;
  const { actor, label } = askerOf(scope);
  const { statement, error } = ended;
  return {
    id: statement?.id ?? randomUUID(),
    timestamp: new Date(at).toISOString(),
    user_id: actor.id,
    user_label: label?.slice(0, NAME_LENGTH) ?? null,
    auth_mode: actor.mode,
    sql: kept(redact(ended.sql), SQL_STORED_LENGTH),
    duration_ms: Math.round(ended.durationMs * 1000) / 1000,
    row_count: ended.rowCount,
    success: error === null,
    error: error === null ? null : kept(error, ERROR_LENGTH),
    connection_id: (statement?.connection.id ?? ended.connectionId)?.slice(0, NAME_LENGTH) ?? null,
    db_type: statement?.connection.dbType ?? null,
    tables: jsonText(statement?.tables?.slice(0, MAX_TABLES) ?? []),
    conversation_id: ended.conversationId ?? null,
    request_id: requestId,
    surface: ended.surface,
    cached: ended.cached === true,
    org_id: orgId,
  };
}

/** Stands in `db_type` of entries that are no statements. */
export const EVENT_TYPE = 'event';

/** Something that was no statement. */
export function entryOfEvent({ at, text, error, ...event }: AuditedEvent): AuditRow {
  return {
    id: randomUUID(),
    timestamp: at,
    user_id: event.userId,
    user_label: event.userLabel?.slice(0, NAME_LENGTH) ?? null,
    auth_mode: event.authMode,
    sql: kept(text, SQL_STORED_LENGTH),
    duration_ms: 0,
    row_count: 0,
    success: error === null,
    error: error === null ? null : kept(error, ERROR_LENGTH),
    connection_id: null,
    db_type: EVENT_TYPE,
    tables: '[]',
    conversation_id: event.conversationId,
    request_id: event.requestId,
    surface: event.surface,
    cached: false,
    org_id: event.orgId,
  };
}

/** The beginning of a text, without credentials. */
function kept(text: string, maxLength: number): string {
  // Beyond the length by a margin, so that what a rule needs to see is there, and no text takes long.
  return withoutCredentials(text.slice(0, 2 * maxLength)).slice(0, maxLength);
}
