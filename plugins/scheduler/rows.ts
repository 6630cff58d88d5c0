/** The rows of the tables of scheduled questions, as the database gives them. Times are ISO 8601. */
import type { RowOf } from '../admin-kit/index.ts';
import type { Recipient, Run, Task } from './schemas.ts';

/** Whose tasks: an empty text stands for no user, or for no organization. */
export interface Owner {
  readonly owner_id: string;
  readonly org_id: string;
}

export interface TaskRow extends Owner, RowOf<Omit<Task, 'ownerId' | 'orgId' | 'recipients' | 'deliverWhen'>> {
  /** Authentication mode of the owner. */
  readonly auth_mode: string;
  /** Where that mode cannot look anybody up: the encrypted identity that the owner last presented, and when. */
  readonly presented: string | null;
  readonly presented_at: string | null;
  /** JSON: a `DeliverWhen`; `null`: always. */
  readonly deliver_when: string | null;
  /** JSON: a list of `StoredRecipient`. */
  readonly recipients: string;
}

/** A recipient whose secret is encrypted. */
export interface StoredRecipient extends Omit<Recipient, 'secret'> {
  readonly sealedSecret?: string;
}

export interface RunRow extends RowOf<Omit<Run, 'late'>> {
  readonly is_late: boolean | number;
  /** How often it has been begun: a server that was cut off must not end what another one has begun since. */
  readonly attempt: number;
  /** A run that is still `running` then, by the clock of the database, is ended as failed. */
  readonly lease_until: string;
  /** Of the rows of an answer that later runs are compared with. */
  readonly digest: string | null;
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
  readonly status: Exclude<Run['deliveryStatus'], 'quiet' | null>;
  readonly error: string | null;
}
