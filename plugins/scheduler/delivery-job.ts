/** Delivers the report of a run to one recipient, and tries again where that may help. */
import {
  AtlasError,
  type Awaitable,
  type Delivery,
  deliver,
  deliverBefore,
  type PluginContext,
  type Scope,
} from '../../kernel/index.ts';
import { DeliveryError, deliveryErrorOf, type Report, reportSubject } from '../delivery-kit/index.ts';
import type { InternalDb } from '../internal-db/index.ts';
import { type Job, JobError, type JobKindOptions } from '../jobs/index.ts';
import type { SchedulerOptions } from './options.ts';
import { persisted } from './persisted.ts';
import { openedRecipient } from './recipients.ts';
import type { TaskRow } from './rows.ts';
import type { PendingDelivery, RunStore } from './run-store.ts';
import type { Recipient } from './schemas.ts';

/** The first one and three repetitions. */
const ATTEMPTS = 4;
const LONGEST_WAIT_MS = 3_600_000;
/** Longer than any channel takes for one attempt. */
const DEADLINE_MS = 150_000;

export const deliveryJobOptions = ({ deliveryBackoffMs }: SchedulerOptions): JobKindOptions => ({
  concurrency: 10,
  deadlineMs: DEADLINE_MS,
  attempts: ATTEMPTS,
  backoffMs: deliveryBackoffMs,
});

interface DeliveryJobInit {
  readonly ctx: Pick<PluginContext, 'call' | 'callKey' | 'scope'>;
  readonly runs: RunStore;
  readonly secrets: InternalDb['secrets'];
}

/** What a channel is given: the report, for one recipient. */
export function deliveryOf(recipient: Recipient, report: Report): Delivery {
  return {
    channel: recipient.type,
    recipient,
    subject: reportSubject(report.taskName),
    content: report,
  };
}

export function deliveryJob({ ctx, runs, secrets }: DeliveryJobInit) {
  async function send({ delivery, run }: PendingDelivery, scope: Scope): Promise<void> {
    const recipient = await openedRecipient(JSON.parse(delivery.recipient), secrets);
    const report = JSON.parse(run.report ?? '{}') as Report;
    const prepared = await ctx.call(deliverBefore, deliveryOf(recipient, report), scope);
    const receipt = await ofChannel(prepared.channel, () => ctx.callKey(deliver, prepared.channel, prepared, scope));
    if (receipt.status === 'failed') throw new DeliveryError(receipt.error ?? 'It was refused.', { final: true });
  }

  return async ({ payload, attempt, isLast, scope: job }: Job<{ readonly deliveryId: string }>): Promise<void> => {
    const found = await persisted(() => runs.delivery(payload.deliveryId));
    if (found === undefined) return;
    let failure: string | undefined;
    if (attempt > ATTEMPTS) failure = 'The server ended each time that it was sent.';
    else {
      const scope = ctx.scope({ requestId: found.run.id, ...ownerOf(found.task), signal: job.signal });
      try {
        await send(found, scope);
      } catch (error) {
        failure = lastFailure(error, isLast, job.signal);
      }
    }
    await persisted(() => runs.endDelivery(found.delivery, failure));
  };
}

/** Calls the owner of a channel. Rejects with a final error where no plugin of the composition is. */
export async function ofChannel<T>(channel: string, call: () => Awaitable<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof AtlasError) || error.reason !== 'E_KEY_UNKNOWN') throw error;
    throw new DeliveryError(`No plugin delivers by ${channel}.`, {
      final: true,
      code: 'not_available',
      hint: `Have the operator add deliver-${channel} to the plugins.`,
    });
  }
}

/** Why the delivery has failed. Throws while another attempt makes sense, for the queue to make it. */
function lastFailure(thrown: unknown, isLast: boolean, signal: AbortSignal): string {
  const error = deliveryErrorOf(thrown);
  const isFinal = error.final || (error.retryAfterMs ?? 0) > LONGEST_WAIT_MS;
  if (signal.aborted || !(isLast || isFinal)) {
    throw new JobError(error.message, { retryAfterMs: error.retryAfterMs, cause: thrown });
  }
  return error.hint === undefined ? error.message : `${error.message} ${error.hint}`;
}

/** For logs and for plugins that look at deliveries; a delivery needs no right. */
function ownerOf({ owner_id, org_id, auth_mode }: TaskRow) {
  const actor = { id: owner_id || null, label: null, role: 'viewer', mode: auth_mode, claims: {} } as const;
  return { actor, orgId: org_id || null };
}
