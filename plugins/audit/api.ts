/** Declares the service of the `audit` plugin. */
import type { Knex } from 'knex';

/** Something other than a statement that administrators must find in the audit log. */
export interface AuditedEvent {
  /** ISO 8601. */
  readonly at: string;
  /** What happened to what, in one line: `action approved: email to ann@example.com`. Stands where statements do. */
  readonly text: string;
  readonly userId: string | null;
  readonly userLabel: string | null;
  readonly authMode: string;
  readonly orgId: string | null;
  readonly surface: string;
  readonly requestId: string;
  readonly conversationId: string | null;
  /** Why it failed; `null`: it did not. */
  readonly error: string | null;
}

export interface Audit {
  /** Adds an entry in the transaction of what it tells of. Not counted among the statements. */
  record(event: AuditedEvent, transaction: Knex.Transaction): Promise<void>;
}
