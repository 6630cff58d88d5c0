/** Types actions, deliveries, recurring work and stored tables. */
import type { Scope } from '../../scope.ts';
import type { Awaitable } from '../kinds.ts';

export interface ActionRequest {
  readonly id: string;
  readonly type: string;
  readonly target: string;
  readonly summary: string;
  readonly payload: unknown;
}

export interface ActionReview {
  readonly decision: 'run' | 'approval' | 'deny';
  readonly reason?: string;
}

export interface PendingAction extends Omit<ActionRequest, 'payload'> {
  readonly approveUrl: string;
  readonly denyUrl: string;
}

export interface ActionOutcome {
  readonly request: ActionRequest;
  readonly status: 'pending' | 'denied' | 'executed' | 'failed';
  readonly result?: unknown;
  readonly reason?: string;
  readonly error?: Error;
}

export interface Delivery {
  /** `email`, `slack`, `webhook`: the key of `deliver`. */
  readonly channel: string;
  readonly recipient: Readonly<Record<string, unknown>>;
  readonly subject: string;
  readonly content: Readonly<Record<string, unknown>>;
}

export interface DeliveryReceipt {
  readonly status: 'sent' | 'failed';
  readonly error?: string;
}

/** Recurring work, such as a daily purge. `cron` has five fields; `timezone` is an IANA name, by default UTC. */
export interface ScheduledJob {
  readonly name: string;
  readonly cron: string;
  readonly timezone?: string;
  run(scope: Scope): Awaitable<void>;
}

/** `connection` is the storage library's transaction; the storage plugin names its type. */
export interface Migration {
  /** Unique within the plugin, sorts in order of application: `0001-conversations`. */
  readonly name: string;
  up(connection: unknown): Awaitable<void>;
}
