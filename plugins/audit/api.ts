/** Declares the service of the `audit` plugin. */
import type { Knex } from 'knex';
import type { Scope } from '../../kernel/index.ts';

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

/** What an administrator has changed. */
export interface AuditedChange {
  /** Noun and past verb: `user.role_changed`. */
  readonly action: string;
  readonly target: {
    /** The noun: `user`. */
    readonly type: string;
    readonly id: string;
    /** What people know it by: an e-mail address, a name. */
    readonly label?: string | null | undefined;
  };
  /**
   * The properties that may tell, before and after; without `before` it was created, without `after` deleted. Values under
   * names of secrets and URLs are kept as `***`, whatever they are.
   */
  readonly before?: object | null;
  readonly after?: object | null;
}

export interface Audit {
  /**
   * Adds an entry about a change by the actor of the scope, in the transaction of the change. Listed by
   * `GET /api/v1/admin/audit/changes` too, and not counted among the statements.
   */
  change(
    change: AuditedChange,
    scope: Pick<Scope, 'actor' | 'orgId' | 'requestId'>,
    transaction: Knex.Transaction,
  ): Promise<void>;
  /** Adds an entry in the transaction of what it tells of. Not counted among the statements. */
  record(event: AuditedEvent, transaction: Knex.Transaction): Promise<void>;
}
