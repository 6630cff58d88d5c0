/** Puts the parts of the plugin together: the store, the runs of approved actions, and the service. */
import { type PluginContext, type ScopeValue, scopeValue } from '../../kernel/index.ts';
import type { Audit } from '../audit/index.ts';
import type { HttpServer } from '../http/index.ts';
import type { InternalDb } from '../internal-db/index.ts';
import type { Jobs } from '../jobs/index.ts';
import { auditedMove } from './audited-move.ts';
import { actionMoved } from './events.ts';
import { Execution } from './execution.ts';
import type { ActionType } from './hooks.ts';
import type { ActionsOptions } from './options.ts';
import { type ActionRow, isEnd } from './rows.ts';
import { ActionService } from './service.ts';
import { ActionStore, type Change } from './store.ts';

/** Kind of the jobs that take up actions which have not come to their end. */
const JOB = 'action';

export interface Parts {
  readonly ctx: PluginContext;
  readonly options: ActionsOptions;
  readonly db: InternalDb;
  readonly queue: Jobs;
  readonly server: HttpServer | undefined;
  readonly log: Audit | undefined;
  /** Filled before the first request. */
  readonly types: ReadonlyMap<string, ActionType>;
}

export interface CreatedService {
  readonly store: ActionStore;
  readonly execution: Execution;
  readonly service: ActionService;
  /** From which requests came. */
  readonly addresses: ScopeValue<string>;
}

export function createService({ ctx, options, db, queue, server, log, types }: Parts): CreatedService {
  const addresses = scopeValue<string>();
  const store = new ActionStore(db, async (row, change, trx) => {
    await log?.record(auditedMove(row, change), trx);
    // Should this server die: another run begins once the lease is over.
    if (change.lease == null || change.move === 'resumed') return;
    const startAt = new Date(Date.now() + change.lease.durationMs);
    await queue.add(JOB, { id: row.id }, { key: row.id, startAt, transaction: trx });
  });
  const moved = (row: ActionRow, { move, mover }: Change) => {
    const { id, action_type: type, org_id: orgId } = row;
    ctx.emit(actionMoved, { id, type, move, orgId, surface: mover.surface });
    if (isEnd(move)) queue.remove(JOB, id).catch(() => {});
  };
  const open = (row: ActionRow) => service.open(row);
  const requeue = async (id: string) => {
    await queue.remove(JOB, id);
    await queue.add(JOB, { id }, { key: id });
  };
  const execution = new Execution({ ctx, store, timeoutMs: options.timeoutMs, open, requeue, moved });
  const baseUrl = () => server?.link('') ?? (server?.address() === undefined ? 'http://localhost' : server.url());
  const init = { ctx, db, options, store, execution, addresses, types, baseUrl, moved };
  const service: ActionService = new ActionService(init);
  if (options.enabled && db.configured) {
    queue.define<{ id: string }>(
      JOB,
      // It waits for leases, so it is tried often; how often an action is performed is limited elsewhere.
      { deadlineMs: options.timeoutMs + 10_000, attempts: 1_000, backoffMs: 2_000 },
      ({ payload, scope }) => execution.resume(payload.id, scope.signal),
    );
  }
  return { store, execution, service, addresses };
}
