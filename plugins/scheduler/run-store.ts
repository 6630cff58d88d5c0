/** Reads and writes runs and their deliveries in the internal database, and claims what is due. */
import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { type SortedPage, sorted } from '../admin-kit/index.ts';
import type { InternalDb } from '../internal-db/index.ts';
import type { EarlierRun } from './delivery-condition.ts';
import { DELIVERIES, RUNS, TASKS } from './migrations.ts';
import { labelOf } from './recipients.ts';
import type { DeliveryRow, Owner, RunRow, ShownRunRow, StoredRecipient, TaskRow } from './rows.ts';
import { RUN_ORDERS } from './schemas.ts';

/** Names of the jobs that ask the question of a run, and that make a delivery. */
export const QUESTION_JOB = 'scheduled-question';
export const DELIVERY_JOB = 'scheduled-delivery';

/** Adds work to the queue, as part of the transaction. */
export type Enqueue = (transaction: Knex.Transaction, id: string) => Promise<void>;

export interface NewRun {
  readonly now: number;
  /** The time that the schedule says; `null`: started by hand. */
  readonly scheduledFor: string | null;
  readonly isLate: boolean;
  /** Why the question is not asked. */
  readonly skippedBecause?: string | undefined;
  readonly enqueue: Enqueue;
}

export interface EndedRun
  extends Pick<RunRow, 'status'>,
    Partial<Pick<RunRow, 'conversation_id' | 'tokens_used' | 'digest' | 'figure' | 'delivery_reason'>> {
  readonly error?: string | null;
  /** It is not delivered, by the condition of its task. */
  readonly isQuiet?: boolean;
  readonly report?: string;
  readonly recipients?: readonly StoredRecipient[];
}

export interface PendingDelivery {
  readonly delivery: DeliveryRow;
  readonly run: RunRow;
  readonly task: TaskRow;
}

/** A run that waits for its turn longer than this is given up. */
const QUEUE_MS = 3_600_000;
const RESCHEDULED_AT_ONCE = 500;
/** Limit in characters for errors, in which each of many recipients may have failed. */
const MAX_ERROR_LENGTH = 10_000;

export const isoOf = (ms: number): string => new Date(ms).toISOString();

/** PostgreSQL stores neither NUL nor halves of characters. */
const storable = (text: string) => text.slice(0, MAX_ERROR_LENGTH).replaceAll('\0', '\u{fffd}').toWellFormed();

export class RunStore {
  readonly #db: InternalDb;

  constructor(db: InternalDb) {
    this.#db = db;
  }

  /** By default the newest first. */
  list(taskId: string, { limit, sort }: Pick<SortedPage<typeof RUN_ORDERS>, 'limit' | 'sort'>): Promise<RunRow[]> {
    return this.#db.run((db) => sorted(db(RUNS).where({ task_id: taskId }), RUN_ORDERS.order(sort)).limit(limit));
  }

  /** Tasks that are due, those that have waited longest first. */
  due(now: number, limit: number): Promise<TaskRow[]> {
    return this.#db.run((db) =>
      db(TASKS).where('next_run_at', '<=', isoOf(now)).orderBy('next_run_at').limit(limit).select(),
    );
  }

  /**
   * Moves a task that is due to its next time and starts a run, unless another server has done so. `next` is
   * `undefined` where the task never fires again.
   */
  async claim(task: TaskRow, next: number | undefined, run: NewRun): Promise<void> {
    await this.#db.transaction(async (trx) => {
      const moved = await trx(TASKS)
        .where({ id: task.id, enabled: true, next_run_at: task.next_run_at })
        .update(
          next === undefined
            ? { next_run_at: null, enabled: false, disabled_reason: 'The schedule has no further time.' }
            : { next_run_at: isoOf(next) },
        );
      if (moved > 0) await start(trx, task.id, run, this.#in(QUEUE_MS, trx));
    });
  }

  /** Computes all next times anew. A time that has had its run gets no second one. */
  async reschedule(now: number, nextOf: (task: TaskRow, now: number) => number | undefined): Promise<void> {
    for (let last = ''; ; ) {
      const rows: TaskRow[] = await this.#db.run((db) => {
        const query = db(TASKS).whereNotNull('next_run_at').orderBy('id').limit(RESCHEDULED_AT_ONCE);
        return last === '' ? query : query.where('id', '>', last);
      });
      for (const task of rows) {
        const { id, next_run_at } = task;
        const next = nextOf(task, now);
        if (next === undefined || next >= Date.parse(next_run_at ?? '')) continue;
        await this.#db.run((db) =>
          db(TASKS)
            .where({ id, next_run_at })
            .update({ next_run_at: isoOf(next) }),
        );
      }
      if (rows.length < RESCHEDULED_AT_ONCE) return;
      last = rows.at(-1)?.id ?? '';
    }
  }

  /** Starts a run by hand. Resolves to `undefined` when the task is disabled or not the owner's. */
  start(owner: Owner, id: string, run: NewRun): Promise<ShownRunRow | undefined> {
    return this.#db.transaction(async (trx) => {
      const query = trx(TASKS).where({ ...owner, id, enabled: true });
      return (await query.forUpdate().first('id')) && start(trx, id, run, this.#in(QUEUE_MS, trx));
    });
  }

  /** The run with its task, for as long as `leaseMs`; `undefined` when it has ended or its task is gone. */
  begin(id: string, leaseMs: number): Promise<{ run: RunRow; task: TaskRow } | undefined> {
    return this.#db.transaction(async (trx) => {
      const changes = { attempt: trx.raw('attempt + 1'), lease_until: this.#in(leaseMs, trx) };
      const [run]: RunRow[] = await trx(RUNS).where({ id, status: 'running' }).update(changes).returning('*');
      const task = run && (await trx(TASKS).where({ id: run.task_id }).first());
      return run && task && { run, task };
    });
  }

  /** Ends what `begin` has begun, and queues a delivery for each recipient. Does nothing if another server took over. */
  end(run: RunRow, now: number, ended: EndedRun, enqueue: Enqueue): Promise<void> {
    const {
      recipients = [],
      error = null,
      delivery_reason: reason = null,
      report = null,
      isQuiet = false,
      ...fields
    } = ended;
    return this.#db.transaction(async (trx) => {
      const changed = await trx(RUNS)
        .where({ id: run.id, status: 'running', attempt: run.attempt })
        .update({
          ...fields,
          report,
          error: error === null ? null : storable(error),
          delivery_reason: reason === null ? null : storable(reason),
          completed_at: isoOf(now),
          delivery_status: isQuiet ? 'quiet' : recipients.length > 0 ? 'pending' : null,
        });
      if (changed === 0) return;
      const rows = recipients.map((recipient, position) => ({
        id: randomUUID(),
        run_id: run.id,
        position,
        recipient: JSON.stringify(recipient),
        status: 'pending',
      }));
      if (rows.length > 0) await trx(DELIVERIES).insert(rows);
      for (const { id } of rows) await enqueue(trx, id);
      if (report !== null) await forgetOlderReports(trx, run);
    });
  }

  /** The newest runs that a new answer is compared with. */
  earlier(taskId: string, limit: number): Promise<EarlierRun[]> {
    return this.#db.run((db) =>
      db(RUNS)
        .where({ task_id: taskId, status: 'success' })
        .whereNotNull('digest')
        .orderBy('started_at', 'desc')
        .limit(limit)
        .select('digest', 'figure', 'delivery_status', 'scheduled_for', 'started_at'),
    );
  }

  /** Ends runs whose server is gone and whose job was given up. Resolves to their ids. */
  async endAbandoned(now: number): Promise<string[]> {
    const rows = await this.#db.run((db) =>
      db(RUNS)
        .where({ status: 'running' })
        .where('lease_until', '<', this.#in(0, db))
        .update({ status: 'failed', error: 'The run was not finished in time.', completed_at: isoOf(now) })
        .returning('id'),
    );
    return rows.map(({ id }) => id);
  }

  /** Disables a task that must not run any more. */
  async disable(id: string, reason: string, now: number): Promise<void> {
    const changes = { enabled: false, next_run_at: null, disabled_reason: storable(reason), updated_at: isoOf(now) };
    await this.#db.run((db) => db(TASKS).where({ id }).update(changes));
  }

  /** A delivery that is still to be made; `undefined` when it has ended or its task is gone. */
  async delivery(id: string): Promise<PendingDelivery | undefined> {
    const delivery = await this.#db.run((db) => db(DELIVERIES).where({ id, status: 'pending' }).first());
    const run = delivery && (await this.#db.run((db) => db(RUNS).where({ id: delivery.run_id }).first()));
    const task = run && (await this.#db.run((db) => db(TASKS).where({ id: run.task_id }).first()));
    return task && { delivery, run, task };
  }

  /** Ends a delivery, and with the last one the delivery of the run. */
  endDelivery({ id, run_id }: DeliveryRow, error: string | undefined): Promise<void> {
    const ended = error === undefined ? { status: 'sent' } : { status: 'failed', error: storable(error) };
    return this.#db.transaction(async (trx) => {
      // One after the other, so that the last one sees all others.
      await trx(RUNS).where({ id: run_id }).forUpdate().first('id');
      await trx(DELIVERIES).where({ id, status: 'pending' }).update(ended);
      const all: DeliveryRow[] = await trx(DELIVERIES).where({ run_id }).orderBy('position');
      const failed = all.filter(({ status }) => status === 'failed');
      const isPending = all.some(({ status }) => status === 'pending');
      await trx(RUNS)
        .where({ id: run_id })
        .update({
          delivery_status: isPending ? 'pending' : failed.length > 0 ? 'failed' : 'sent',
          delivery_error: failed.length > 0 ? storable(failed.map(failureOf).join(' ')) : null,
        });
    });
  }

  /** The newest report of the task. */
  async lastReport(taskId: string): Promise<string | undefined> {
    const row = await this.#db.run((db) =>
      db(RUNS).where({ task_id: taskId }).whereNotNull('report').orderBy('started_at', 'desc').first('report'),
    );
    return row?.report;
  }

  /** A time by the clock of the database: leases must not depend on which server's clock is right. */
  #in(ms: number, db: Knex): Knex.Raw {
    const seconds = ms / 1_000;
    return this.#db.dialect === 'postgres'
      ? db.raw('clock_timestamp() + make_interval(secs => ?)', [seconds])
      : db.raw("strftime('%Y-%m-%dT%H:%M:%fZ', 'now', ?)", [`+${seconds} seconds`]);
  }

  async purge(before: string): Promise<void> {
    await this.#db.run((db) => db(RUNS).whereNot({ status: 'running' }).where('started_at', '<', before).delete());
  }
}

const failureOf = ({ recipient, error }: DeliveryRow) =>
  `${labelOf(JSON.parse(recipient) as StoredRecipient)}: ${error}`;

/** Inserts a run unless the task has one of that time, skipped when another one of the task is still running. */
async function start(
  trx: Knex.Transaction,
  taskId: string,
  init: NewRun,
  leaseUntil: Knex.Raw,
): Promise<ShownRunRow | undefined> {
  const { now, scheduledFor, isLate, enqueue } = init;
  const running = await trx(RUNS).where({ task_id: taskId, status: 'running' }).first('id');
  const skippedBecause = init.skippedBecause ?? (running && 'The run before was still running.');
  const at = isoOf(now);
  const row: ShownRunRow = {
    id: randomUUID(),
    task_id: taskId,
    scheduled_for: scheduledFor,
    is_late: isLate,
    status: skippedBecause === undefined ? 'running' : 'skipped',
    attempt: 0,
    started_at: at,
    completed_at: skippedBecause === undefined ? null : at,
    conversation_id: null,
    error: skippedBecause ?? null,
    tokens_used: null,
    delivery_status: null,
    delivery_reason: null,
    delivery_error: null,
    digest: null,
    figure: null,
    report: null,
  };
  const inserted = await trx(RUNS)
    .insert({ ...row, lease_until: leaseUntil })
    .onConflict(['task_id', 'scheduled_for'])
    .ignore()
    .returning('id');
  if (inserted.length === 0 || skippedBecause !== undefined) return inserted.length === 0 ? undefined : row;
  await trx(TASKS).where({ id: taskId }).update({ last_run_at: at });
  await enqueue(trx, row.id);
  return row;
}

/** Reports that still have to be delivered are kept. */
async function forgetOlderReports(trx: Knex.Transaction, { id, task_id }: RunRow): Promise<void> {
  await trx(RUNS)
    .where({ task_id })
    .whereNot({ id })
    .whereNotNull('report')
    .where((delivered) => delivered.whereNull('delivery_status').orWhereNot({ delivery_status: 'pending' }))
    .update({ report: null });
}
