/** Reads and writes tasks in the internal database. */
import type { Knex } from 'knex';
import { AtlasError } from '../../kernel/index.ts';
import { readPage, type SortedPage } from '../admin-kit/index.ts';
import { type InternalDb, lockName } from '../internal-db/index.ts';
import { RUNS, TASKS } from './migrations.ts';
import type { Owner, TaskRow } from './rows.ts';
import { TASK_ORDERS } from './schemas.ts';

/** Disabled tasks count here too, as a deleted task is a disabled one. */
const ALL_TASKS_PER_ENABLED = 10;

/** A change of these makes what later runs bring another thing. */
const ASKED = ['question', 'connection_id', 'deliver_when'] as const;

export type TaskChange = Partial<Omit<TaskRow, 'id' | 'owner_id' | 'org_id' | 'created_at'>>;

const notFound = () =>
  new AtlasError('There is no such scheduled task.', {
    code: 'not_found',
    hint: 'GET /api/v1/scheduled-tasks lists yours.',
  });

export class TaskStore {
  readonly #db: InternalDb;
  readonly #tasksPerOwner: number;

  constructor(db: InternalDb, tasksPerOwner: number) {
    this.#db = db;
    this.#tasksPerOwner = tasksPerOwner;
  }

  /** By default the newest first. */
  list(
    owner: Owner,
    { enabled, ...page }: SortedPage<typeof TASK_ORDERS> & { readonly enabled?: boolean | undefined },
  ): Promise<{ rows: TaskRow[]; total: number }> {
    const wanted = { ...owner, ...(enabled !== undefined && { enabled }) };
    return this.#db.run((db) =>
      readPage<TaskRow>({ matching: () => db(TASKS).where(wanted), order: TASK_ORDERS.order(page.sort) }, page),
    );
  }

  /** Rejects with `not_found` for one that does not exist or belongs to somebody else, alike. */
  async find(owner: Owner, id: string): Promise<TaskRow> {
    const row = await this.#db.run((db) =>
      db(TASKS)
        .where({ ...owner, id })
        .first(),
    );
    return row ?? Promise.reject(notFound());
  }

  /** Rejects with `conflict` when the owner has too many. */
  create(row: TaskRow): Promise<void> {
    return this.#db.transaction(async (trx) => {
      await this.#checkRoom(trx, row, true);
      await trx(TASKS).insert(row);
    });
  }

  /** Changes the task by what `change` makes of it as it is. Rejects with `not_found`, and as `create` does. */
  change(owner: Owner, id: string, change: (task: TaskRow) => Promise<TaskChange> | TaskChange): Promise<TaskRow> {
    return this.#db.transaction(async (trx) => {
      const query = trx(TASKS).where({ ...owner, id });
      const task: TaskRow | undefined = await query.clone().forUpdate().first();
      if (task === undefined) throw notFound();
      const changes = await change(task);
      if (changes.enabled === true && !task.enabled) await this.#checkRoom(trx, { ...task, enabled: true }, false);
      if (Object.keys(changes).length > 0) await query.update(changes);
      // Answers to another question are nothing to compare with.
      if (ASKED.some((column) => column in changes && changes[column] !== task[column])) {
        await trx(RUNS).where({ task_id: id }).update({ digest: null });
      }
      return { ...task, ...changes };
    });
  }

  /** Deletes disabled tasks that nobody has changed since, with their runs. */
  async purge(before: string): Promise<void> {
    await this.#db.run((db) => db(TASKS).where({ enabled: false }).where('updated_at', '<', before).delete());
  }

  async #checkRoom(trx: Knex.Transaction, task: Owner & { readonly enabled: unknown }, isNew: boolean): Promise<void> {
    const { owner_id, org_id, enabled } = task;
    const owner = { owner_id, org_id };
    // Two tasks that are made at once would each see room for themselves.
    await lockName(trx, `${TASKS} ${org_id} ${owner_id}`);
    const count = async (which: object) => {
      const counted = await trx(TASKS).where(which).count({ total: '*' }).first();
      return Number(counted?.total ?? 0);
    };
    const most = this.#tasksPerOwner;
    if (enabled && (await count({ ...owner, enabled: true })) >= most)
      throw full(`${most} enabled`, 'Disable one first.');
    const mostInAll = most * ALL_TASKS_PER_ENABLED;
    if (isNew && (await count(owner)) >= mostInAll) throw full(`${mostInAll}`, 'Change a disabled one instead.');
  }
}

const full = (how: string, hint: string) =>
  new AtlasError(`You have ${how} scheduled tasks, which is as many as one user may have.`, { code: 'conflict', hint });
