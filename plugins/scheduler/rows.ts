/** The rows of the tables of scheduled questions, as the database gives them. Times are ISO 8601. */
import type { Recipient } from './schemas.ts';

/** Whose tasks: an empty text stands for no user, or for no organization. */
export interface Owner {
  readonly owner_id: string;
  readonly org_id: string;
}

export interface TaskRow extends Owner {
  readonly id: string;
  /** Authentication mode of the owner. */
  readonly auth_mode: string;
  /** Where that mode cannot look anybody up: the encrypted identity that the owner last presented, and when. */
  readonly presented: string | null;
  readonly presented_at: string | null;
  readonly name: string;
  readonly question: string;
  readonly cron_expression: string;
  readonly timezone: string;
  readonly delivery_channel: Recipient['type'];
  /** JSON: a list of `StoredRecipient`. */
  readonly recipients: string;
  readonly connection_id: string | null;
  readonly approval_mode: 'auto' | 'manual' | 'admin-only';
  readonly missed_runs: 'run' | 'skip';
  readonly timeout_seconds: number | null;
  readonly enabled: boolean | number;
  readonly disabled_reason: string | null;
  readonly next_run_at: string | null;
  readonly last_run_at: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** A recipient whose secret is encrypted. */
export interface StoredRecipient extends Omit<Recipient, 'secret'> {
  readonly sealedSecret?: string;
}

export type RunStatus = 'running' | 'success' | 'failed' | 'skipped';
export type DeliveryStatus = 'pending' | 'sent' | 'failed';

export interface RunRow {
  readonly id: string;
  readonly task_id: string;
  /** The time that the schedule says; `null`: started by hand. One run for each time of a task. */
  readonly scheduled_for: string | null;
  readonly is_late: boolean | number;
  readonly status: RunStatus;
  /** How often it has been begun: a server that was cut off must not end what another one has begun since. */
  readonly attempt: number;
  /** A run that is still `running` then, by the clock of the database, is ended as failed. */
  readonly lease_until: string;
  readonly started_at: string;
  readonly completed_at: string | null;
  readonly conversation_id: string | null;
  readonly error: string | null;
  readonly tokens_used: number | null;
  readonly delivery_status: DeliveryStatus | null;
  readonly delivery_error: string | null;
  /** JSON: the report that is delivered. Of a task the newest is kept. */
  readonly report: string | null;
}

/** A run without what only the scheduler needs. */
export type ShownRunRow = Omit<RunRow, 'lease_until'>;

export interface DeliveryRow {
  readonly id: string;
  readonly run_id: string;
  readonly position: number;
  /** JSON: a `StoredRecipient`. */
  readonly recipient: string;
  readonly status: DeliveryStatus;
  readonly error: string | null;
}
