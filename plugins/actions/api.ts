/** Declares the service of the `actions` plugin. */
import type { PendingAction, Scope } from '../../kernel/index.ts';
import type { ApprovalMode } from './hooks.ts';
import type { ActionStatus } from './schemas.ts';

export interface ActionWish {
  /** A type that a plugin of the composition brings. */
  readonly type: string;
  /** Must match the type's schema. */
  readonly payload: unknown;
  /** Where it comes from, as with questions: `api`, `web`, `schedule`, … */
  readonly surface: string;
  readonly conversationId?: string | undefined;
  /** Makes the type's mode stricter for this action; never less strict. */
  readonly approval?: ApprovalMode;
  /** While an action of the type that the requester asked for with this key awaits approval, it is the one; no other is stored. */
  readonly key?: string;
  /** Most actions of the type that may await approval, by requester; besides the bound on those of all types. */
  readonly maxPending?: number;
}

/** An action as it stands after it was asked for. */
export interface AskedAction {
  readonly id: string;
  readonly type: string;
  readonly target: string;
  readonly summary: string;
  readonly status: ActionStatus;
  readonly approval: ApprovalMode;
  /** What the handler answered, without secrets. */
  readonly result?: unknown;
  /** Why it failed. */
  readonly error?: string;
  /** Why it was denied. */
  readonly reason?: string;
  /** Present while it awaits approval. */
  readonly pendingAction?: PendingAction;
}

export interface Actions {
  /** False while actions are not enabled, or there is no internal database: `request` then rejects with `not_available`. */
  readonly available: boolean;
  /**
   * Stores an action with its payload as it is now. It runs at once where its mode is `auto`; else it awaits approval.
   * Rejects with `invalid_request` for an unknown type and for a payload that does not match or is too large.
   */
  request(wish: ActionWish, scope: Scope): Promise<AskedAction>;
  /** Makes every type's mode at least this strict for what is asked within the scope and its parts. */
  restrict(scope: Scope, mode: ApprovalMode): void;
}
