/** Runs one attempt of a job within its deadline, and decides what becomes of the job. */
import { AtlasError, messageOf, type PluginContext } from '../../kernel/index.ts';
import type { Job, JobKindOptions } from './api.ts';
import { JobError } from './errors.ts';
import type { LeasedJob } from './queue.ts';

export interface JobKind {
  readonly options: Required<JobKindOptions>;
  readonly run: (job: Job<never>) => unknown;
}

/** Why a job is cut short other than by its deadline: neither counts as its failure. */
export const STOPPED = new AtlasError('The server stops; the job is run again.', { code: 'unavailable' });
export const LOST = new AtlasError('The job was given to another server.', { code: 'unavailable' });

/** `leave`: nothing is recorded, and the job is run again when its lease runs out. */
export type Outcome =
  | { readonly type: 'finish' | 'leave' }
  | { readonly type: 'putBack'; readonly delayMs: number; readonly isCounted: boolean };

/** How long a run may go on after its signal was aborted, before it is no longer waited for. */
const GRACE_MS = 5_000;
const MAX_BACKOFF_MS = 3_600_000;
/** A job whose server dies each time is given up after so many attempts too many. */
const MAX_DEATHS = 3;

const FINISH: Outcome = { type: 'finish' };
const PUT_BACK: Outcome = { type: 'putBack', delayMs: 0, isCounted: false };

/** Never rejects. `controller` belongs to this attempt. */
export async function attempt(
  ctx: PluginContext,
  { options, run }: JobKind,
  leased: LeasedJob,
  controller: AbortController,
): Promise<Outcome> {
  const { id, key, payload, attempt } = leased;
  const { attempts, deadlineMs } = options;
  const facts = { kind: leased.kind, job: id, key, attempt };
  if (attempt > attempts + MAX_DEATHS) {
    ctx.log.error(facts, 'A job was given up: each server that ran it has died.');
    return FINISH;
  }
  const { signal } = controller;
  // Taken while the stop began.
  if (signal.aborted) return PUT_BACK;
  const late = new AtlasError(`The job did not end within ${deadlineMs} ms.`, { code: 'timeout' });
  const deadline = setTimeout(() => controller.abort(late), deadlineMs);
  const { promise: abandoned, reject: abandon } = Promise.withResolvers<never>();
  let grace: NodeJS.Timeout | undefined;
  signal.addEventListener('abort', () => {
    grace = setTimeout(() => abandon(new Abandoned(signal.reason)), GRACE_MS);
  });
  const isLast = attempt >= attempts;
  try {
    const job = { id, key, payload: JSON.parse(payload) as never, attempt, isLast, scope: ctx.scope({ signal }) };
    await Promise.race([(async () => run(job))(), abandoned]);
    return FINISH;
  } catch (error) {
    if (error instanceof Abandoned) ctx.log.error(facts, 'A job goes on although it was told to stop.');
    if (signal.reason === STOPPED || signal.reason === LOST) {
      return error instanceof Abandoned ? { type: 'leave' } : PUT_BACK;
    }
    const reason = signal.aborted ? late : error;
    const { final = false, retryAfterMs } = reason instanceof JobError ? reason : {};
    if (final || isLast) {
      ctx.log.warn({ ...facts, error: messageOf(reason) }, 'A job failed and was given up.');
      return FINISH;
    }
    const delayMs = Math.min(retryAfterMs ?? backoff(options.backoffMs, attempt), MAX_BACKOFF_MS);
    ctx.log.info({ ...facts, error: messageOf(reason), delayMs }, 'A job failed and is tried again.');
    return { type: 'putBack', delayMs, isCounted: true };
  } finally {
    clearTimeout(deadline);
    clearTimeout(grace);
  }
}

/** Up to a quarter longer, so that jobs that failed together are not tried again together. */
function backoff(firstMs: number, attempt: number): number {
  return Math.round(firstMs * 2 ** (attempt - 1) * (1 + Math.random() / 4));
}

class Abandoned extends Error {
  constructor(cause: unknown) {
    super('The job goes on although it was told to stop.', { cause });
  }
}
