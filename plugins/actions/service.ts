/** Takes requests for actions, and approves, denies and expires them. */
import { randomUUID } from 'node:crypto';
import { Value } from '@sinclair/typebox/value';
import {
  type ActionOutcome,
  AtlasError,
  authAuthorize,
  type PluginContext,
  type Scope,
  type ScopeValue,
} from '../../kernel/index.ts';
import type { InternalDb } from '../internal-db/index.ts';
import { masked } from '../redaction-kit/index.ts';
import type { Actions, ActionWish, AskedAction } from './api.ts';
import { OTHERS_ACTIONS, Restrictions, strictest } from './approval.ts';
import { alreadyResolved, EXPIRED, notFound, ownAdminAction, tooManyPending } from './errors.ts';
import type { Execution } from './execution.ts';
import type { ActionType } from './hooks.ts';
import { moverOf, systemMover } from './movers.ts';
import type { ActionsOptions } from './options.ts';
import { errorText, frozenPayload, hashOf, note, payloadText, shownSubject, wishKeyOf } from './payload.ts';
import type { ActionRow, Mover } from './rows.ts';
import type { ActionStore, Change } from './store.ts';

/** Most actions of one requester that may await approval. */
const MAX_PENDING = 1_000;
const SECRET_PURPOSE = 'action payload';

export interface ServiceInit {
  readonly ctx: PluginContext;
  readonly db: InternalDb;
  readonly options: ActionsOptions;
  readonly store: ActionStore;
  readonly execution: Execution;
  readonly addresses: ScopeValue<string>;
  readonly types: ReadonlyMap<string, ActionType>;
  /** Where the API can be reached: `https://api.example.com`. */
  baseUrl(): string;
  moved(row: ActionRow, change: Change): void;
}

/** Who asks to resolve an action. */
export interface Approver {
  readonly scope: Scope;
  readonly ip: string;
}

export class ActionService implements Actions {
  readonly available = true;
  readonly #init: ServiceInit;
  readonly #restrictions = new Restrictions();
  #lastIdAt = 0;
  #sequence = 0;

  constructor(init: ServiceInit) {
    this.#init = init;
  }

  restrict(scope: Scope, mode: Parameters<Actions['restrict']>[1]): void {
    this.#restrictions.set(scope, mode);
  }

  async request(wish: ActionWish, scope: Scope): Promise<AskedAction> {
    const { ctx, types } = this.#init;
    const type = types.get(wish.type);
    if (type === undefined) {
      throw new AtlasError(`There is no type of action "${wish.type}".`, {
        code: 'invalid_request',
        hint: `Types: ${[...types.keys()].join(', ') || 'none'}.`,
      });
    }
    const payload = frozenPayload(payloadText(wish.payload));
    const problem = Value.Errors(type.input, payload).First();
    if (problem !== undefined) {
      throw new AtlasError(
        `The payload of the action "${wish.type}" is not valid at "${problem.path}": ${problem.message}.`,
        { code: 'invalid_request', hint: 'Correct it.' },
      );
    }
    const same = await this.#pendingWish(wish, scope);
    if (same !== undefined) return this.#asked(same);
    const asked = { id: this.#id(), type: wish.type, ...type.describe(payload), payload };
    // Other plugins may complete or deny it. Never runs it: the handlers run only what is stored.
    const outcome = await ctx.runAction(asked, scope);
    return this.#store({ ...outcome, request: { ...outcome.request, id: asked.id } }, type, wish, scope);
  }

  /** Approves and performs the action. Rejects with `conflict` when it is not pending any more. */
  async approve(id: string, { scope, ip }: Approver): Promise<ActionRow> {
    const row = await this.#toResolve(id, scope, 'approve');
    if (row.status !== 'pending') throw alreadyResolved(row);
    const isOwn = row.requested_by === (scope.actor.id ?? '');
    if (row.approval === 'admin-only' && isOwn) throw ownAdminAction(scope.actor.id === null);
    const { store, execution, moved } = this.#init;
    const at = this.#now();
    if (row.expires_at <= at) throw alreadyResolved((await this.#expire(id)) ?? row);
    const mover = moverOf(scope, 'api', ip);
    const lease = execution.newLease();
    const change: Change = {
      move: 'approved',
      at,
      mover,
      note: `sha256 ${row.payload_hash}`,
      set: { status: 'approved', resolved_by: scope.actor.id, resolved_at: at, runs: 1 },
      lease,
    };
    const approved = await store.move(id, 'pending', change);
    if (approved === undefined) throw alreadyResolved((await store.find(id)) ?? row);
    moved(approved, change);
    return execution.perform(approved, lease, mover);
  }

  /** Rejects with `conflict` when it is not pending any more. */
  async deny(id: string, reason: string | undefined, { scope, ip }: Approver): Promise<ActionRow> {
    const row = await this.#toResolve(id, scope, 'deny');
    if (row.status !== 'pending') throw alreadyResolved(row);
    if (row.expires_at <= this.#now()) throw alreadyResolved((await this.#expire(id)) ?? row);
    const why = reason === undefined || reason.trim() === '' ? null : note(reason);
    const denied = await this.#deny(id, why, moverOf(scope, 'api', ip), scope.actor.id, 'denied');
    return denied ?? Promise.reject(alreadyResolved((await this.#init.store.find(id)) ?? row));
  }

  /** Denies what was not approved in time. */
  async expireAll(): Promise<void> {
    for (const id of await this.#init.store.expired(this.#now())) await this.#expire(id);
  }

  /** Denies what has been asked for by a user, or in an organization, about to be deleted. */
  async leave(of: Partial<Pick<ActionRow, 'requested_by' | 'org_id'>>, reason: string): Promise<void> {
    const mover = systemMover(randomUUID());
    let ids: readonly string[];
    do {
      ids = await this.#init.store.pendingOf(of);
      for (const id of ids) await this.#deny(id, reason, mover, null, 'denied');
    } while (ids.length > 0);
  }

  /** The payload as it was asked for. Rejects when it was encrypted with a key that is not configured. */
  async open({ payload, is_sealed }: ActionRow): Promise<string> {
    return is_sealed ? this.#init.db.secrets.open(payload, SECRET_PURPOSE) : payload;
  }

  /** The action, which the scope's actor may see; of another organization it is `not_found`. */
  async find(id: string, scope: Scope): Promise<ActionRow> {
    const row = await this.#init.store.find(id.toLowerCase());
    if (row === undefined || row.org_id !== (scope.orgId ?? '')) throw notFound();
    return row;
  }

  async #toResolve(id: string, scope: Scope, what: 'approve' | 'deny'): Promise<ActionRow> {
    const row = await this.find(id, scope);
    const isOwn = scope.actor.id !== null && row.requested_by === scope.actor.id;
    const operation = `POST /api/v1/actions/:id/${what}`;
    const { ctx } = this.#init;
    if (!isOwn) await ctx.call(authAuthorize, { right: 'approve', operation, organizationData: OTHERS_ACTIONS }, scope);
    if (row.approval === 'admin-only') {
      await ctx.call(
        authAuthorize,
        { right: 'admin', operation: `${operation} of an action for administrators` },
        scope,
      );
    }
    return row;
  }

  async #deny(
    id: string,
    reason: string | null,
    mover: Mover,
    by: string | null,
    move: 'denied' | 'expired',
  ): Promise<ActionRow | undefined> {
    const at = this.#now();
    const set = { status: 'denied', resolved_by: by, resolved_at: at, reason } as const;
    const change: Change = { move, at, mover, note: reason, set };
    const denied = await this.#init.store.move(id, 'pending', change);
    if (denied !== undefined) this.#init.moved(denied, change);
    return denied;
  }

  #expire(id: string): Promise<ActionRow | undefined> {
    return this.#deny(id, EXPIRED, systemMover(randomUUID()), null, 'expired');
  }

  async #store(
    { request, status, reason, error }: ActionOutcome,
    type: ActionType,
    wish: ActionWish,
    scope: Scope,
  ): Promise<AskedAction> {
    const { store, options, addresses, execution, moved } = this.#init;
    const { id } = request;
    const { target, summary } = shownSubject(request);
    const text = payloadText(request.payload);
    const approval = strictest(
      options.approval[type.type] ?? type.approval,
      wish.approval ?? 'auto',
      this.#restrictions.of(scope),
    );
    const requestedBy = scope.actor.id ?? '';
    const orgId = scope.orgId ?? '';
    const pending = { orgId, requestedBy, status: 'pending' } as const;
    if ((await store.count(pending)) >= MAX_PENDING) throw tooManyPending(MAX_PENDING);
    const { maxPending } = wish;
    if (maxPending !== undefined && (await store.count({ ...pending, type: type.type })) >= maxPending) {
      throw tooManyPending(maxPending);
    }
    const now = this.#init.ctx.now();
    const at = new Date(now).toISOString();
    const row: ActionRow = {
      id,
      org_id: orgId,
      action_type: type.type,
      target,
      summary,
      status: 'pending',
      approval,
      requested_by: requestedBy,
      requester: JSON.stringify(scope.actor),
      surface: wish.surface,
      conversation_id: wish.conversationId ?? null,
      ...(await this.#sealed(text)),
      payload_hash: hashOf(type.type, { target, summary }, text),
      created_at: at,
      expires_at: new Date(now + options.approvalExpiryMs).toISOString(),
      resolved_by: null,
      resolved_at: null,
      reason: null,
      executed_at: null,
      result: null,
      error: null,
      lease: null,
      leased_until: null,
      runs: 0,
      wish_key: wishKey(wish, scope) ?? null,
    };
    const mover = moverOf(scope, wish.surface, addresses.nearest(scope) ?? null);
    const changes: Change[] = [{ move: 'requested', at, mover, set: {} }];
    const system = systemMover(scope.requestId);
    const resolved = { resolved_at: at };
    const lease = execution.newLease();
    if (status === 'denied') {
      const why = reason === undefined ? null : note(reason);
      changes.push({ move: 'denied', at, mover: system, note: why, set: { ...resolved, status, reason: why } });
    } else if (status !== 'pending') {
      // Another plugin let it run without an approval, and the handler refused.
      const why = errorText(error);
      changes.push({
        move: 'failed',
        at,
        mover: system,
        note: why,
        set: { ...resolved, status: 'failed', error: why },
      });
    } else if (approval === 'auto') {
      changes.push({ move: 'approved', at, mover: system, set: { ...resolved, status: 'approved', runs: 1 }, lease });
    }
    const stored = await store.insert(row, changes).catch(async (error: unknown) => {
      // Another request with the same key was faster.
      const same = await this.#pendingWish(wish, scope);
      if (same === undefined) throw error;
      return same;
    });
    if (stored.id !== id) return this.#asked(stored);
    for (const change of changes) moved(stored, change);
    return this.#asked(stored.status === 'approved' ? await execution.perform(stored, lease, system) : stored);
  }

  async #pendingWish(wish: ActionWish, scope: Scope): Promise<ActionRow | undefined> {
    const key = wishKey(wish, scope);
    const same = key === undefined ? undefined : await this.#init.store.pendingWish(key);
    if (same === undefined || same.expires_at > this.#now()) return same;
    await this.#expire(same.id);
    return undefined;
  }

  /** Encrypted where it holds a secret and there is a key to encrypt with. */
  async #sealed(text: string): Promise<Pick<ActionRow, 'payload' | 'is_sealed'>> {
    if (JSON.stringify(masked(JSON.parse(text))) === text) return { payload: text, is_sealed: false };
    try {
      return { payload: await this.#init.db.secrets.seal(text, SECRET_PURPOSE), is_sealed: true };
    } catch (error) {
      if (error instanceof AtlasError && error.reason === 'E_SECRET_KEY_MISSING') {
        return { payload: text, is_sealed: false };
      }
      throw error;
    }
  }

  #asked(row: ActionRow): AskedAction {
    const { id, action_type: type, target, summary, status, approval, result, error, reason } = row;
    const url = `${this.#init.baseUrl()}/api/v1/actions/${id}`;
    const links = { approveUrl: `${url}/approve`, denyUrl: `${url}/deny` };
    return {
      id,
      type,
      target,
      summary,
      status,
      approval,
      ...(result !== null && { result: JSON.parse(result) as unknown }),
      ...(error !== null && { error }),
      ...(reason !== null && { reason }),
      ...(status === 'pending' && { pendingAction: { id, type, target, summary, ...links } }),
    };
  }

  /** A UUID of version 7, greater than the last one of this server: lists are in the order of requests. */
  #id(): string {
    const now = this.#init.ctx.now();
    this.#sequence = now === this.#lastIdAt ? (this.#sequence + 1) % 0x1000 : 0;
    this.#lastIdAt = now;
    const time = now.toString(16).padStart(12, '0');
    const sequence = this.#sequence.toString(16).padStart(3, '0');
    return `${time.slice(0, 8)}-${time.slice(8)}-7${sequence}${randomUUID().slice(18)}`;
  }

  #now(): string {
    return new Date(this.#init.ctx.now()).toISOString();
  }
}

function wishKey({ type, key }: ActionWish, { actor, orgId }: Scope): string | undefined {
  return key === undefined ? undefined : wishKeyOf(orgId ?? '', actor.id ?? '', type, key);
}
