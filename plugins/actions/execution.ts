/** Performs approved actions, each by one run at a time, and records how they end. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Actor, AtlasError, messageOf, type PluginContext } from '../../kernel/index.ts';
import { JobError } from '../jobs/index.ts';
import { ApprovedRequest } from './approved-request.ts';
import { systemMover } from './movers.ts';
import { errorText, frozenPayload, hashOf, resultText } from './payload.ts';
import type { ActionRow, Mover } from './rows.ts';
import type { ActionStore, Change, Lease } from './store.ts';

/** Between the end of the handler's time and that of the lease: in it the end is recorded. */
const RECORDING_MS = 15_000;
const RETRY_MS = 500;
/** Runs have this time to end when the server stops: less than its requests have. */
const STOP_MS = 3_000;
/** An action whose server dies each time is given up. */
const MAX_RUNS = 10;

export interface ExecutionInit {
  readonly ctx: PluginContext;
  readonly store: ActionStore;
  readonly timeoutMs: number;
  /** The payload as it was stored. */
  open(row: ActionRow): Promise<string>;
  /** Has the action taken up by a job as soon as possible. */
  requeue(id: string): Promise<void>;
  /** After a move was stored. */
  moved(row: ActionRow, change: Change): void;
}

type End = Pick<ActionRow, 'status' | 'result' | 'error'>;

export class Execution {
  readonly #init: ExecutionInit;
  readonly #runs = new Map<AbortController, Promise<unknown>>();
  #isClosed = false;
  #closing: NodeJS.Timeout | undefined;

  constructor(init: ExecutionInit) {
    this.#init = init;
  }

  /** A hold that outlives the handler's time; until it ends no other run begins. */
  newLease(): Lease {
    return { id: randomUUID(), durationMs: this.#init.timeoutMs + RECORDING_MS };
  }

  /**
   * Performs an action that is held by the lease. Resolves to the action as it is then: `approved` when this server stops
   * before its end. Rejects with `unavailable` when the end could not be recorded.
   */
  async perform(row: ActionRow, lease: Lease, mover: Mover, outer?: AbortSignal): Promise<ActionRow> {
    const recordUntil = performance.now() + lease.durationMs;
    const stop = new AbortController();
    const onAbort = () => stop.abort(outer?.reason);
    outer?.addEventListener('abort', onAbort, { once: true });
    if (outer?.aborted === true) onAbort();
    const running = this.#ended(row, stop.signal).then(async (end) => {
      if (end !== undefined) return this.#record(row, lease, end, mover, recordUntil);
      await this.#release(row, lease, outer === undefined).catch(() => {});
      return row;
    });
    this.#runs.set(stop, running);
    try {
      return await running;
    } finally {
      this.#runs.delete(stop);
      outer?.removeEventListener('abort', onAbort);
    }
  }

  /** Takes up an action whose run has not come to its end: its server died, or could not record it. */
  async resume(id: string, signal: AbortSignal): Promise<void> {
    const { ctx, store, moved } = this.#init;
    const found = await store.find(id);
    if (found?.status !== 'approved') return;
    const mover = systemMover(randomUUID());
    const lease = this.newLease();
    const at = new Date(ctx.now()).toISOString();
    const change: Change = { move: 'resumed', at, mover, set: { runs: found.runs + 1 }, lease };
    const row = await store.move(id, 'approved', change, { free: true });
    if (row === undefined) {
      throw new JobError('Another run holds the action.', { retryAfterMs: await store.heldForMs(id) });
    }
    moved(row, change);
    const ended = await this.perform(row, lease, mover, signal);
    if (ended.status === 'approved') throw new JobError('The run of the action was cut short.', { retryAfterMs: 0 });
  }

  /** The server stops: runs have a moment to end. */
  drain(): void {
    this.#closing = setTimeout(() => void this.close(), STOP_MS);
  }

  /** Cuts all runs short. They are taken up again, by this server or another. */
  async close(): Promise<void> {
    clearTimeout(this.#closing);
    this.#isClosed = true;
    for (const stop of this.#runs.keys()) stop.abort(new AtlasError('The server stops.', { code: 'unavailable' }));
    await Promise.allSettled(this.#runs.values());
  }

  /** Lets another run begin at once: the job that runs now does, or else one that is added. */
  async #release({ id }: ActionRow, lease: Lease, isOutsideOfJob: boolean): Promise<void> {
    await this.#init.store.release(id, lease.id);
    if (isOutsideOfJob) await this.#init.requeue(id);
  }

  /** How the handler ended; `undefined` when it was cut short, which is no end of the action. */
  async #ended(row: ActionRow, stop: AbortSignal): Promise<End | undefined> {
    const { ctx, timeoutMs } = this.#init;
    const failed = (error: string): End => ({ status: 'failed', result: null, error });
    if (row.runs > MAX_RUNS) return failed(`Each of the ${MAX_RUNS} servers that performed it has died.`);
    let payload: string;
    try {
      payload = await this.#init.open(row);
    } catch (error) {
      return failed(errorText(error));
    }
    if (hashOf(row.action_type, row, payload) !== row.payload_hash) {
      return failed('It was changed after it was asked for, so it was not performed. Ask for it again.');
    }
    const { actor, orgId } = requesterOf(row);
    const deadline = new AbortController();
    const scope = ctx.scope({ actor, orgId, signal: AbortSignal.any([stop, deadline.signal]) });
    const request = new ApprovedRequest({
      id: row.id,
      type: row.action_type,
      target: row.target,
      summary: row.summary,
      payload: frozenPayload(payload),
    });
    const { promise: cutShort, resolve } = Promise.withResolvers<End | undefined>();
    const late = `It did not end within ${timeoutMs} ms; whether it was performed is not known.`;
    const timer = setTimeout(() => {
      deadline.abort(new AtlasError('The time for the action is over.', { code: 'unavailable' }));
      resolve(failed(late));
    }, timeoutMs);
    const onStop = () => resolve(undefined);
    stop.addEventListener('abort', onStop, { once: true });
    if (stop.aborted || this.#isClosed) onStop();
    try {
      const work = ctx.runAction(request, scope, { approved: true }).then(
        (outcome): End =>
          outcome.status === 'executed'
            ? { status: 'executed', result: resultText(outcome.result), error: null }
            : failed(errorText(outcome.error)),
        (error: unknown) => failed(errorText(error)),
      );
      return await Promise.race([cutShort, work]);
    } finally {
      clearTimeout(timer);
      stop.removeEventListener('abort', onStop);
    }
  }

  /** Again and again while the database is away, until the lease is over and another run may begin. */
  async #record(row: ActionRow, lease: Lease, end: End, mover: Mover, until: number): Promise<ActionRow> {
    const { ctx, store, moved } = this.#init;
    const move = end.status === 'executed' ? 'executed' : 'failed';
    const at = new Date(ctx.now()).toISOString();
    const change: Change = { move, at, mover, note: end.error, set: { ...end, executed_at: at }, lease: null };
    for (;;) {
      try {
        const ended = await store.move(row.id, 'approved', change, { lease: lease.id });
        if (ended !== undefined) {
          moved(ended, change);
          return ended;
        }
        return (await store.find(row.id)) ?? row;
      } catch (error) {
        const isAway = error instanceof AtlasError && error.code === 'unavailable';
        if (isAway && !this.#isClosed && performance.now() + RETRY_MS < until) {
          await sleep(RETRY_MS);
          continue;
        }
        ctx.log.error({ action: row.id, error: messageOf(error) }, 'The end of an action could not be recorded.');
        throw error;
      }
    }
  }
}

function requesterOf({ requester, org_id }: ActionRow): { actor: Actor; orgId: string | null } {
  return { actor: JSON.parse(requester) as Actor, orgId: org_id === '' ? null : org_id };
}
