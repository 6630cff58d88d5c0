/** Types the rows of the tables of actions, as the database gives them. */
import type { ApprovalMode } from './hooks.ts';
import type { ActionStatus } from './schemas.ts';

export interface ActionRow {
  readonly id: string;
  /** Empty: of no organization. */
  readonly org_id: string;
  readonly action_type: string;
  readonly target: string;
  readonly summary: string;
  readonly status: ActionStatus;
  readonly approval: ApprovalMode;
  /** Empty: anonymous. */
  readonly requested_by: string;
  /** JSON: the `Actor` for whom it is performed. */
  readonly requester: string;
  readonly surface: string;
  readonly conversation_id: string | null;
  /** JSON, as it was asked for. Encrypted where `is_sealed`. */
  readonly payload: string;
  readonly is_sealed: boolean | number;
  /** SHA-256 of what an approval is for: type, target, summary and payload. */
  readonly payload_hash: string;
  readonly created_at: string;
  readonly expires_at: string;
  readonly resolved_by: string | null;
  readonly resolved_at: string | null;
  readonly reason: string | null;
  readonly executed_at: string | null;
  /** JSON. */
  readonly result: string | null;
  readonly error: string | null;
  /** The run that holds the action while it is `approved`. */
  readonly lease: string | null;
  /** Milliseconds since the epoch, by the clock of the database. */
  readonly leased_until: number | string | null;
  /** How many runs have been begun. */
  readonly runs: number;
  /** Hash of the requester and the key that came with the request: of actions with the same one a single may be pending. */
  readonly wish_key?: string | null;
}

export type Move = 'requested' | 'approved' | 'denied' | 'expired' | 'resumed' | 'executed' | 'failed';

/** Who moved an action, and from where. */
export interface Mover {
  /** `null`: anonymous, or the server itself. */
  readonly actor_id: string | null;
  readonly actor_label: string | null;
  /** `system`: the server itself. */
  readonly auth_mode: string;
  readonly ip: string | null;
  readonly surface: string;
  readonly request_id: string;
}

export interface HistoryRow extends Mover {
  readonly action_id: string;
  readonly move: Move;
  /** ISO 8601. */
  readonly at: string;
  /** The hash that was approved, why it was denied, or how it failed. */
  readonly note: string | null;
}

/** Whether no other move follows. */
export const isEnd = (move: Move): boolean => move === 'executed' || move === 'failed';
