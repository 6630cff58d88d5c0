/** Implements the service of the plugin, with a database and without. */
import { AtlasError } from '../../kernel/index.ts';
import type { InternalDb } from '../internal-db/index.ts';
import type { Jobs } from './api.ts';
import type { JobKind } from './attempt.ts';
import type { Queue } from './queue.ts';
import type { Worker } from './worker.ts';

const MAX_PAYLOAD_BYTES = 1_000_000;
/** What the library on PostgreSQL takes as a name, too. */
const KIND = /^[A-Za-z][\w.-]{0,99}$/;
const DEFAULTS = { concurrency: 5, deadlineMs: 60_000, attempts: 3, backoffMs: 5_000 };

/** Adds to `kinds`. */
const definer =
  (kinds: Map<string, JobKind>): Jobs['define'] =>
  (kind, options, run) => {
    if (!KIND.test(kind)) {
      throw new AtlasError(`"${kind}" is no kind of jobs: expected letters, digits, ".", "_" and "-".`, {
        reason: 'E_JOB_KIND_NAME',
      });
    }
    if (kinds.has(kind)) {
      throw new AtlasError(`Two plugins define jobs of the kind "${kind}".`, { reason: 'E_JOB_KIND_DUPLICATE' });
    }
    kinds.set(kind, { options: { ...DEFAULTS, ...options }, run });
  };

function textOf(kind: string, payload: unknown): string {
  const text = JSON.stringify(payload ?? null);
  if (Buffer.byteLength(text) > MAX_PAYLOAD_BYTES) {
    throw new AtlasError(`The payload of a job of the kind "${kind}" has more than ${MAX_PAYLOAD_BYTES} bytes.`, {
      reason: 'E_JOB_TOO_LARGE',
      hint: 'Store the data in a table and put its id into the payload.',
    });
  }
  return text;
}

export function jobsWith(queue: Queue, worker: Worker, kinds: Map<string, JobKind>): Jobs {
  return {
    configured: true,
    define: definer(kinds),
    async add(kind, payload, { key, startAt, transaction } = {}) {
      if (!kinds.has(kind)) {
        throw new AtlasError(`No plugin defines jobs of the kind "${kind}".`, {
          reason: 'E_JOB_KIND_UNKNOWN',
          hint: 'Call define for it in setup.',
        });
      }
      if (worker.isFull) {
        throw new AtlasError('Too many jobs wait; no more are taken.', {
          code: 'unavailable',
          reason: 'E_JOBS_FULL',
          hint: 'Try again later; if it stays so, the operator should look at the log for jobs that fail.',
          retryAfterSeconds: 60,
        });
      }
      await queue.add({ kind, key, payload: textOf(kind, payload), startAt }, transaction);
      if (startAt !== undefined && startAt.getTime() > Date.now()) return;
      // Nobody sees the job before the transaction ends; how it ends is its owner's concern.
      if (transaction === undefined) worker.wake();
      else
        transaction.executionPromise.then(
          () => worker.wake(),
          () => {},
        );
    },
    remove: (kind, key) => queue.remove(kind, key),
    describe() {
      const { fault, running } = worker;
      const status = fault === undefined ? ({ status: 'ok' } as const) : ({ status: 'error', message: fault } as const);
      return { ...status, engine: queue.engine, running };
    },
  };
}

export function jobsWithoutDatabase(db: InternalDb): Jobs {
  const refuse = async () => {
    await db.run(async () => {});
  };
  return {
    configured: false,
    define: definer(new Map()),
    add: refuse,
    remove: refuse,
    describe: () => ({ status: 'off', engine: 'none', running: 0 }),
  };
}
