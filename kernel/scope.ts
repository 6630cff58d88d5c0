/** Carries one request through every hook: its actor, its end, and where its log lines go. */
import { randomUUID } from 'node:crypto';
import { type Logger, logFrom } from './log.ts';

export type Role = 'viewer' | 'analyst' | 'admin';

/**
 * `public` needs no identity; the others are checked by `auth.authorize`. `self` is what every user may do with their own
 * account, once a password that has to be changed is. `admin:users` and its like are areas of administration.
 */
export type Right = 'public' | 'query' | 'approve' | 'admin' | 'self' | `admin:${string}`;

export interface Actor {
  /** `null`: anonymous (no authentication, or not yet authenticated). */
  readonly id: string | null;
  /** What a log or audit row shows: an e-mail address, a key's name. */
  readonly label: string | null;
  readonly role: Role;
  /** All that a custom role grants beside `self`, instead of what `role` grants. */
  readonly rights?: readonly Right[];
  /** The authentication mode that recognised the actor, such as `none` or `api-key`. */
  readonly mode: string;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** Before `identify`: no id and the lowest role. */
export const NOBODY: Actor = Object.freeze({ id: null, label: null, role: 'viewer', mode: 'unidentified', claims: {} });

export interface ScopeInit {
  readonly requestId?: string;
  readonly actor?: Actor;
  readonly orgId?: string | null;
  /** Aborts the scope when it aborts, such as at a client's disconnect. */
  readonly signal?: AbortSignal;
  /** The work that this is a part of, such as the question that a tool runs for. */
  readonly parent?: Scope;
  readonly log: Logger;
}

export class Scope {
  readonly requestId: string;
  readonly parent: Scope | undefined;
  readonly #init: ScopeInit;
  #log: Logger | undefined;
  #actor: Actor;
  #orgId: string | null;
  #controller: AbortController | undefined;
  #abortReason: unknown;

  constructor(init: ScopeInit) {
    this.requestId = init.requestId ?? randomUUID();
    this.parent = init.parent;
    this.#init = init;
    this.#actor = init.actor ?? NOBODY;
    this.#orgId = init.orgId ?? null;
  }

  /** A part of this request: the same request and actor, ended with it or by `signal`, which must follow it. */
  part(signal: AbortSignal = this.signal): Scope {
    const { requestId, actor, orgId } = this;
    return new Scope({ requestId, actor, orgId, signal, parent: this, log: this.#init.log });
  }

  /** Its lines carry the request's id and the actor's. A plugin that has its context writes to `ctx.logOf(scope)`. */
  get log(): Logger {
    this.#log ??= this.logTo(this.#init.log);
    return this.#log;
  }

  /** The same for lines that go to another logger. */
  logTo(log: Logger): Logger {
    return logFrom(log, () => ({ requestId: this.requestId, actorId: this.#actor.id }));
  }

  get actor(): Actor {
    return this.#actor;
  }

  get orgId(): string | null {
    return this.#orgId;
  }

  /** Sets the actor. Only authentication calls it, once, before anything is done for the request. */
  identify(actor: Actor, orgId: string | null = null): void {
    this.#actor = actor;
    this.#orgId = orgId;
  }

  /** Aborts at the deadline, at a client's disconnect and at shutdown. Drivers and model calls must act on it. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      // Made on first use: most requests end before anything listens.
      const controller = new AbortController();
      this.#controller = controller;
      const outer = this.#init.signal;
      if (this.#abortReason !== undefined) controller.abort(this.#abortReason);
      else if (outer?.aborted) controller.abort(outer.reason);
      else outer?.addEventListener('abort', () => controller.abort(outer.reason), { once: true });
    }
    return this.#controller.signal;
  }

  /** Ends the request's work; `reason` is what waiting code throws. */
  abort(reason: unknown): void {
    this.#abortReason ??= reason;
    this.#controller?.abort(reason);
  }
}

/** A value that a plugin keeps with scopes, such as the account that a question charges. It is freed with its scope. */
export interface ScopeValue<T> extends Pick<WeakMap<Scope, T>, 'get' | 'set' | 'delete'> {
  /** The value of the scope, or of the nearest scope that it is a part of. */
  nearest(scope: Scope | undefined): T | undefined;
}

export function scopeValue<T>(): ScopeValue<T> {
  const values = new WeakMap<Scope, T>();
  const nearest = (scope?: Scope): T | undefined => scope && (values.get(scope) ?? nearest(scope.parent));
  return Object.assign(values, { nearest });
}
