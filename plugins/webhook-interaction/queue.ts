/** Queues accepted questions: in the internal database, so that a restart does not lose them, or else in memory. */
import { AtlasError, type PluginContext } from '../../kernel/index.ts';
import type { InternalDb } from '../internal-db/index.ts';
import type { Jobs } from '../jobs/index.ts';
import type { AcceptedQuestion, Callbacks } from './callbacks.ts';
import type { WebhookStore } from './store.ts';

export interface Queue {
  /** Rejects with `overloaded` when as many of the channel wait as may. */
  add(question: AcceptedQuestion, maxQueued: number): Promise<void>;
}

const KIND = 'webhook-interaction.question';
/** After so many the question itself may be what ends the server. */
const MOST_ATTEMPTS = 3;
/** For the internal database, beyond the time of question and callback. */
const STORING_MS = 30_000;
const RETRY_AFTER_SECONDS = 10;

function refuseFull(waiting: number, maxQueued: number): void {
  if (waiting < maxQueued) return;
  throw new AtlasError(`${maxQueued} requests of this webhook channel still wait for their answers.`, {
    code: 'overloaded',
    reason: 'E_WEBHOOK_QUEUE_FULL',
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    hint: 'Try again later.',
  });
}

export interface StoredQueueInit {
  readonly jobs: Jobs;
  readonly db: InternalDb;
  readonly store: WebhookStore;
  readonly callbacks: Callbacks;
  readonly concurrency: number;
  /** Time limit of a question and its callback. */
  readonly timeoutMs: number;
}

/** Survives a restart: the question is asked again, and a callback that was tried is not. Call it during setup. */
export function storedQueue({ jobs, db, store, callbacks, concurrency, timeoutMs }: StoredQueueInit): Queue {
  const options = { concurrency, attempts: MOST_ATTEMPTS, deadlineMs: timeoutMs + STORING_MS };
  jobs.define<AcceptedQuestion>(KIND, options, async ({ payload: question, attempt, scope }) => {
    if (await store.isTried(question.requestId)) return;
    const outcome =
      attempt > MOST_ATTEMPTS
        ? { success: false as const, error: 'The question was given up: the server failed while it was answered.' }
        : await callbacks.answer(question, scope.signal);
    if (await store.claimCallback(question.requestId)) await callbacks.deliver(question, outcome);
  });
  return {
    add: (question, maxQueued) =>
      db.transaction(async (transaction) => {
        const { requestId: key, channelId } = question;
        refuseFull(await store.countWaiting(channelId, transaction), maxQueued);
        await store.accept(key, channelId, transaction);
        await jobs.add(KIND, question, { key, transaction });
      }),
  };
}

/** Lost with the process: what still waits at the end is only counted in the log. */
export function memoryQueue(ctx: PluginContext, callbacks: Callbacks, concurrency: number): Queue {
  const waiting: AcceptedQuestion[] = [];
  const unanswered = new Map<string, number>();
  const stopping = new AbortController();
  let running = 0;

  const count = (channelId: string, change: number) => {
    const left = (unanswered.get(channelId) ?? 0) + change;
    if (left === 0) unanswered.delete(channelId);
    else unanswered.set(channelId, left);
  };
  const work = async (question: AcceptedQuestion) => {
    try {
      await callbacks.deliver(question, await callbacks.answer(question, stopping.signal));
    } catch {
      ctx.log.warn({ requestId: question.requestId }, 'The answer to a webhook was cut off by the stop.');
    } finally {
      running -= 1;
      count(question.channelId, -1);
      start();
    }
  };
  const start = () => {
    while (running < concurrency && !stopping.signal.aborted) {
      const question = waiting.shift();
      if (question === undefined) return;
      running += 1;
      void work(question);
    }
  };
  ctx.onClose(() => {
    stopping.abort(new AtlasError('Atlas is stopping.', { code: 'unavailable' }));
    if (waiting.length > 0) ctx.log.warn({ lost: waiting.length }, 'Questions of webhooks were lost by the stop.');
  });
  return {
    async add(question, maxQueued) {
      refuseFull(unanswered.get(question.channelId) ?? 0, maxQueued);
      count(question.channelId, 1);
      waiting.push(question);
      start();
    },
  };
}
