/** One request: who asks, until when, and where its log lines go. The same object goes through every hook. */
import { randomUUID } from 'node:crypto';

export type Role = 'viewer' | 'analyst' | 'admin';

export interface Actor {
  /** `null`: nobody in particular (no authentication, or not yet authenticated). */
  readonly id: string | null;
  /** What a log or audit row shows: an e-mail address, a key's name. */
  readonly label: string | null;
  readonly role: Role;
  /** The authentication mode that recognised the actor, such as `none` or `api-key`. */
  readonly mode: string;
  readonly claims: Readonly<Record<string, unknown>>;
}

export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Before `identify`: no id and the lowest role. */
export const NOBODY: Actor = Object.freeze({ id: null, label: null, role: 'viewer', mode: 'unidentified', claims: {} });

export interface ScopeInit {
  readonly requestId?: string;
  readonly actor?: Actor;
  readonly orgId?: string | null;
  /** Aborts the scope when it aborts, such as at a client's disconnect. */
  readonly signal?: AbortSignal;
  readonly log: Logger;
}

export class Scope {
  readonly requestId: string;
  readonly log: Logger;
  #actor: Actor;
  #orgId: string | null;
  #controller: AbortController | undefined;
  #parent: AbortSignal | undefined;
  #abortReason: unknown;

  constructor(init: ScopeInit) {
    this.requestId = init.requestId ?? randomUUID();
    this.log = init.log;
    this.#actor = init.actor ?? NOBODY;
    this.#orgId = init.orgId ?? null;
    this.#parent = init.signal;
  }

  get actor(): Actor {
    return this.#actor;
  }

  get orgId(): string | null {
    return this.#orgId;
  }

  /** Says who asks. Only authentication calls it, once, before anything is done for the request. */
  identify(actor: Actor, orgId: string | null = null): void {
    this.#actor = actor;
    this.#orgId = orgId;
  }

  /** Aborts at the deadline, at a client's disconnect and at shutdown. Drivers and model calls must act on it. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      // Made on first use: most requests end before anybody listens.
      const controller = new AbortController();
      this.#controller = controller;
      const parent = this.#parent;
      if (this.#abortReason !== undefined) controller.abort(this.#abortReason);
      else if (parent?.aborted) controller.abort(parent.reason);
      else parent?.addEventListener('abort', () => controller.abort(parent.reason), { once: true });
    }
    return this.#controller.signal;
  }

  /** Ends the request's work; `reason` is what waiting code throws. */
  abort(reason: unknown): void {
    this.#abortReason ??= reason;
    this.#controller?.abort(reason);
  }
}
