/** Stores jobs with the library pg-boss, on the connections of the internal database, in a schema of their own. */
import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import type { CommandResponse, fromKnex, Job, PgBoss } from 'pg-boss';
import { AtlasError, messageOf, type PluginContext, withTimeout } from '../../kernel/index.ts';
import type { InternalDb } from '../internal-db/index.ts';
import type { LeasedJob, NewJob, Queue } from './queue.ts';

/** How often servers look for jobs whose lease has run out; one of them does. */
const SWEEP_SECONDS = 5;
/** What is not used is looked after as rarely as the library allows. */
const SELDOM_SECONDS = 86_400;
/** Attempts are counted here: the library must not give a job up by itself. */
const MANY = 1_000;

/** A server must stop although its database hangs. */
const CLOSE_MS = 1_000;

/** What the library stores for a job. It has a new id whenever the job is put back; the job keeps its own. */
interface Stored {
  readonly id: string;
  readonly key: string | null;
  /** JSON as text: in a column of JSON, NUL and halves of characters are refused. */
  readonly payload: string;
  /** Attempts before the job was put back last. */
  readonly attempts: number;
}

/** Answer to the library's commands, with the ids that it found. */
type Found = CommandResponse & { readonly settled?: readonly string[] };

/** A job that can be looked up and changed only while this attempt holds it. */
function claimOf({ lease }: LeasedJob): { id: string; retryCount: number } {
  const [id = '', retryCount] = lease.split('/');
  return { id, retryCount: Number(retryCount) };
}

function leasedJob(kind: string, { id, retryCount, data }: Job<unknown>): LeasedJob {
  // The connections of the internal database answer JSON as text.
  const stored = (typeof data === 'string' ? JSON.parse(data) : data) as Stored;
  const { key, payload, attempts } = stored;
  const attempt = attempts + retryCount + 1;
  return { id: stored.id, kind, key: key ?? undefined, payload, attempt, lease: `${id}/${retryCount}` };
}

/** The schema beside that of the other tables, so that two installations may share a database. */
async function schemaOf(db: InternalDb): Promise<{ schema: string; createSchema: boolean }> {
  return db.run(async (knex) => {
    const { rows } = await knex.raw(
      "select current_schema() as own, has_database_privilege(current_database(), 'CREATE') as may_create",
    );
    const { own, may_create: mayCreate } = rows[0];
    const schema = own === 'public' ? 'atlas_jobs' : `${String(own).replace(/\W/g, '_').slice(0, 40)}_jobs`;
    const found = await knex('pg_namespace').where('nspname', schema).first(knex.raw('1'));
    if (found === undefined && mayCreate !== true) {
      throw new AtlasError(`The user in DATABASE_URL may not create the schema "${schema}" for jobs.`, {
        code: 'configuration_error',
        reason: 'E_JOBS_SCHEMA',
        hint: `Run CREATE SCHEMA "${schema}" AUTHORIZATION with that user's name, or grant it CREATE on the database.`,
      });
    }
    return { schema: `"${schema}"`, createSchema: found === undefined };
  });
}

/**
 * Some of the library's texts begin a transaction and end it. After a failure in between, the connection must not go
 * back to the others inside of it.
 */
async function execute(knex: Knex, queryBy: typeof fromKnex, text: string, values: unknown[]) {
  const connection: unknown = await knex.client.acquireConnection();
  const raw = (sql: string, bindings: readonly Knex.RawBinding[] = []) =>
    knex.raw(sql, bindings).connection(connection);
  try {
    return await queryBy({ raw }).executeSql(text, values);
  } catch (error) {
    // A connection that is lost needs none.
    await raw('ROLLBACK').catch(() => {});
    // knex puts the statement in front, of which the library has some that are pages long.
    if (error instanceof Error) error.message = error.message.split(' - ').at(-1) ?? '';
    throw error;
  } finally {
    await knex.client.releaseConnection(connection);
  }
}

export function postgresQueue(ctx: PluginContext, db: InternalDb, leaseMs: number): Queue {
  let library: typeof import('pg-boss') | undefined;
  let boss: PgBoss | undefined;
  const opened = () => {
    if (library !== undefined && boss !== undefined) return { ...library, boss };
    throw new AtlasError('Jobs cannot be used before the server is ready.', { reason: 'E_JOBS_NOT_READY' });
  };
  const send = async (
    kind: string,
    stored: Stored,
    startAfter: Date | number | undefined,
    on: ReturnType<typeof fromKnex> | undefined,
  ) => {
    await opened().boss.send(kind, stored, {
      singletonKey: stored.key ?? stored.id,
      ...(startAfter !== undefined && { startAfter }),
      ...(on !== undefined && { db: on }),
    });
  };

  return {
    engine: 'pg-boss',

    async open(kinds) {
      library = await import('pg-boss');
      const { PgBoss: Library, fromKnex: queryBy } = library;
      boss = new Library({
        db: { executeSql: (text, values = []) => db.run((knex) => execute(knex, queryBy, text, values)) },
        ...(await schemaOf(db)),
        schedule: false,
        superviseIntervalSeconds: SWEEP_SECONDS,
        monitorIntervalSeconds: SWEEP_SECONDS,
        flowIntervalSeconds: SELDOM_SECONDS,
        bamIntervalSeconds: SELDOM_SECONDS,
        registerInstance: false,
        monitorVacuum: false,
        reindex: false,
      });
      const quiet = (event: unknown) => ctx.log.debug({ detail: messageOf(event) }, 'The queue library reports.');
      boss.on('error', quiet);
      boss.on('warning', ({ message }) => quiet(message));
      // Servers that start together on an empty database get in each other's way.
      await boss.start({ attempts: 5 });
      for (const kind of kinds) {
        const options = {
          heartbeatSeconds: Math.ceil(leaseMs / 1_000),
          expireInSeconds: SELDOM_SECONDS - 1,
          retryLimit: MANY,
          retryDelay: 0,
        };
        await boss.createQueue(kind, { policy: 'exclusive', ...options });
        await boss.updateQueue(kind, options);
        // The library looks a queue up when it is used first, which must not happen inside a transaction.
        await boss.findJobs(kind, { id: randomUUID() });
      }
    },

    async add({ kind, key, payload, startAt }: NewJob, transaction) {
      const stored = { id: randomUUID(), key: key ?? null, payload, attempts: 0 };
      await send(kind, stored, startAt, transaction && opened().fromKnex(transaction));
    },

    async remove(kind, key) {
      const waiting = await opened().boss.findJobs(kind, { key, queued: true });
      if (waiting.length > 0)
        await opened().boss.deleteJob(
          kind,
          waiting.map(({ id }) => id),
        );
    },

    async take(free) {
      const taken: LeasedJob[] = [];
      for (const [kind, batchSize] of free) {
        const jobs = await opened().boss.fetch(kind, { batchSize });
        taken.push(...jobs.map((job) => leasedJob(kind, job)));
      }
      return taken;
    },

    async renew(jobs) {
      const kept = new Set<string>();
      for (const [kind, ofKind] of Map.groupBy(jobs, (job) => job.kind)) {
        const { settled = [] }: Found = await opened().boss.touch(kind, ofKind.map(claimOf));
        for (const { lease } of ofKind) if (settled.includes(lease.split('/')[0] ?? '')) kept.add(lease);
      }
      return kept;
    },

    async finish(job) {
      await opened().boss.deleteJob(job.kind, claimOf(job));
    },

    async putBack(job, delayMs, isCounted) {
      const { id, key = null, payload, attempt } = job;
      await db.transaction(async (transaction) => {
        const on = opened().fromKnex(transaction);
        const { settled = [] }: Found = await opened().boss.deleteJob(job.kind, claimOf(job), { db: on });
        // Another server has it by now.
        if (settled.length === 0) return;
        const stored = { id, key, payload, attempts: attempt - (isCounted ? 0 : 1) };
        await send(job.kind, stored, delayMs / 1_000, on);
      });
    },

    async size() {
      const queues = await opened().boss.getQueues();
      return queues.reduce((sum, { totalCount }) => sum + Number(totalCount), 0);
    },

    async close() {
      if (boss !== undefined) await withTimeout(boss.stop({ graceful: false }), CLOSE_MS, () => {});
    },
  };
}
