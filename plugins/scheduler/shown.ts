/** Shows tasks and runs as the API answers them. */
import { Type } from '../../kernel/index.ts';
import { shownBy } from '../admin-kit/index.ts';
import { shownRecipient } from './recipients.ts';
import type { ShownRunRow, StoredRecipient, TaskRow } from './rows.ts';
import { Run, Task } from './schemas.ts';

export const recipientsOf = (task: Pick<TaskRow, 'recipients'>) => JSON.parse(task.recipients) as StoredRecipient[];

const shownColumns = shownBy(Type.Omit(Task, ['recipients']));
export const shownTask = (task: TaskRow): Task => ({
  ...shownColumns(task),
  ownerId: task.owner_id || null,
  orgId: task.org_id || null,
  recipients: recipientsOf(task).map(shownRecipient),
});

const shownRunColumns = shownBy(Type.Omit(Run, ['late']));
export const shownRun = (run: ShownRunRow): Run => ({ ...shownRunColumns(run), late: Boolean(run.is_late) });
