/** Shows tasks and runs as the API answers them. */
import { shownRecipient } from './recipients.ts';
import type { ShownRunRow, StoredRecipient, TaskRow } from './rows.ts';

export const recipientsOf = (task: Pick<TaskRow, 'recipients'>) => JSON.parse(task.recipients) as StoredRecipient[];

export function shownTask(task: TaskRow) {
  return {
    id: task.id,
    ownerId: task.owner_id === '' ? null : task.owner_id,
    orgId: task.org_id === '' ? null : task.org_id,
    name: task.name,
    question: task.question,
    cronExpression: task.cron_expression,
    timezone: task.timezone,
    deliveryChannel: task.delivery_channel,
    recipients: recipientsOf(task).map(shownRecipient),
    connectionId: task.connection_id,
    approvalMode: task.approval_mode,
    missedRuns: task.missed_runs,
    timeoutSeconds: task.timeout_seconds,
    enabled: Boolean(task.enabled),
    disabledReason: task.disabled_reason,
    lastRunAt: task.last_run_at,
    nextRunAt: task.next_run_at,
    createdAt: task.created_at,
    updatedAt: task.updated_at,
  };
}

export function shownRun(run: ShownRunRow) {
  return {
    id: run.id,
    taskId: run.task_id,
    scheduledFor: run.scheduled_for,
    late: Boolean(run.is_late),
    status: run.status,
    startedAt: run.started_at,
    completedAt: run.completed_at,
    conversationId: run.conversation_id,
    error: run.error,
    tokensUsed: run.tokens_used === null ? null : Number(run.tokens_used),
    deliveryStatus: run.delivery_status,
    deliveryError: run.delivery_error,
  };
}
