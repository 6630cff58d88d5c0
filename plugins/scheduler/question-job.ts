/** Asks the question of a task for a run, as the task's owner. */
import { AtlasError, authAuthorize, datasourceList, type PluginContext, type Scope } from '../../kernel/index.ts';
import type { Agent, Answer } from '../agent/index.ts';
import { freshResults } from '../datasource-kit/index.ts';
import type { Job, JobKindOptions } from '../jobs/index.ts';
import { findDialect } from '../sql-kit/index.ts';
import { comparedRuns, decisionOf, dueAt } from './delivery-condition.ts';
import type { SchedulerOptions } from './options.ts';
import type { Owners } from './owner.ts';
import { persisted } from './persisted.ts';
import { reportOf } from './report.ts';
import type { RunRow, TaskRow } from './rows.ts';
import type { EndedRun, Enqueue, RunStore } from './run-store.ts';
import { seasonOf } from './season.ts';
import { deliverWhenOf, recipientsOf } from './shown.ts';

const ATTEMPTS = 3;
/** For the answer to be stored, beyond the time limit of the question. */
const STORING_MS = 90_000;

export const questionJobOptions = ({ concurrency, runTimeoutMs }: SchedulerOptions): JobKindOptions => ({
  concurrency,
  deadlineMs: runTimeoutMs + STORING_MS,
  attempts: ATTEMPTS,
});

export interface QuestionJobInit {
  readonly ctx: Pick<PluginContext, 'call' | 'scope' | 'now'>;
  readonly runs: RunStore;
  readonly owners: Owners;
  readonly agent: Agent;
  readonly options: SchedulerOptions;
  /** Makes the approval of actions that the question asks for stricter. */
  readonly restrict: (scope: Scope, mode: TaskRow['approval_mode']) => void;
  /** What a client may see of an error; the rest of it is logged. */
  readonly messageFor: (error: unknown, scope: Scope) => string;
  readonly enqueueDelivery: Enqueue;
}

/** A run that was cut by the end of its server is asked again, by whichever server gets the job then. */
export function questionJob(init: QuestionJobInit) {
  const { ctx, runs, owners, agent, options, restrict, messageFor, enqueueDelivery } = init;

  async function ask(task: TaskRow, scope: Scope): Promise<Answer> {
    await ctx.call(authAuthorize, { right: 'query', operation: 'A scheduled question' }, scope);
    restrict(scope, task.approval_mode);
    freshResults.set(scope, true);
    const connection = task.connection_id !== null && { connectionId: task.connection_id };
    const question = { turns: [{ role: 'user', text: task.question }], surface: 'schedule', ...connection } as const;
    return agent.answer(question, scope);
  }

  /** What the task's condition says of the answer, for the run to store. */
  async function judged(run: RunRow, task: TaskRow, { data }: Answer, scope: Scope) {
    const condition = deliverWhenOf(task);
    if (condition === undefined) return {};
    const connections = (await ctx.call(datasourceList, undefined, scope)).map(({ value }) => value);
    const tables = data.map(async (table) => {
      const { dbType = '' } = connections.find(({ id }) => id === table.connectionId) ?? {};
      return { ...table, notation: (await findDialect(ctx, dbType, scope))?.notation };
    });
    const { reason, ...decision } = decisionOf(condition, {
      tables: await Promise.all(tables),
      earlier: await persisted(() => runs.earlier(task.id, comparedRuns(condition))),
      at: dueAt(run),
      position: seasonOf(task, ctx.now()),
    });
    return { ...decision, delivery_reason: reason };
  }

  return async ({ payload, attempt, isLast, scope: job }: Job<{ readonly runId: string }>): Promise<void> => {
    const begun = await persisted(() => runs.begin(payload.runId, options.runTimeoutMs + 2 * STORING_MS));
    if (begun === undefined) return;
    const { run, task } = begun;
    const end = (ended: EndedRun) => persisted(() => runs.end(run, ctx.now(), ended, enqueueDelivery));
    if (attempt > ATTEMPTS) return end({ status: 'failed', error: 'The server ended each time that it was asked.' });

    if (!task.enabled) return end({ status: 'skipped', error: task.disabled_reason ?? 'The task was disabled.' });
    const timeoutMs = Math.min(options.runTimeoutMs, (task.timeout_seconds ?? Infinity) * 1_000);
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = AbortSignal.any([job.signal, timeout]);
    try {
      const owner = await owners.identityOf(task);
      if (owner.state === 'refused') {
        await persisted(() => runs.disable(task.id, owner.reason, ctx.now()));
        return await end({ status: 'skipped', error: owner.reason });
      }
      const { actor, orgId } = owner.identity;
      const scope = ctx.scope({ requestId: run.id, actor, orgId, signal });
      const answer = await ask(task, scope);
      const decision = answer.outcome === 'answered' ? await judged(run, task, answer, scope) : {};
      await end(outcomeOf(task, answer, decision, ctx.now()));
    } catch (error) {
      // The server stops, or the job has gone to another one; or the internal database was away.
      const isUnavailable = error instanceof AtlasError && error.code === 'unavailable';
      if (job.signal.aborted || (isUnavailable && !isLast)) throw error;
      const tooLong = `The question was not answered within ${timeoutMs / 1_000} s.`;
      await end({ status: 'failed', error: timeout.aborted ? tooLong : messageFor(error, job) });
    }
  };
}

/** Nobody is there to clarify a question, so only an answer is a success. */
function outcomeOf(task: TaskRow, answer: Answer, decision: Partial<EndedRun>, now: number): EndedRun {
  const { outcome, text, conversationId, usage, pendingActions } = answer;
  const common = { conversation_id: conversationId ?? null, tokens_used: usage.totalTokens };
  if (outcome !== 'answered') {
    const why = outcome === 'failed' && pendingActions.length > 0 ? AWAITS_APPROVAL : UNANSWERED[outcome];
    return { ...common, status: 'failed', error: `${why} ${text}`.trim() };
  }
  const ended = { ...common, ...decision, status: 'success' } as const;
  if (decision.isQuiet === true) return ended;
  const report = JSON.stringify(reportOf(task, answer, decision.delivery_reason ?? undefined, now));
  return { ...ended, report, recipients: recipientsOf(task) };
}

const AWAITS_APPROVAL = 'What the question needs awaits approval.';
const UNANSWERED = {
  clarify: 'The question has more than one meaning; change it.',
  declined: 'The question cannot be answered from the data.',
  failed: 'No answer was reached.',
} as const;
