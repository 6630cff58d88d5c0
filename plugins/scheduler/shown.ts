/** Shows tasks and runs as the API answers them. */
import { Type } from '../../kernel/index.ts';
import { shownBy } from '../admin-kit/index.ts';
import { shownRecipient } from './recipients.ts';
import type { ShownRunRow, StoredRecipient, TaskRow } from './rows.ts';
import { type DeliverWhen, Run, Task } from './schemas.ts';

export const recipientsOf = (task: Pick<TaskRow, 'recipients'>) => JSON.parse(task.recipients) as StoredRecipient[];

/** `undefined`: always. */
export const deliverWhenOf = ({ deliver_when }: Pick<TaskRow, 'deliver_when'>): DeliverWhen | undefined =>
  deliver_when === null ? undefined : JSON.parse(deliver_when);

const shownColumns = shownBy(Type.Omit(Task, ['recipients', 'deliverWhen']));
export const shownTask = (task: TaskRow): Task => ({
  ...shownColumns(task),
  ownerId: task.owner_id || null,
  orgId: task.org_id || null,
  deliverWhen: deliverWhenOf(task) ?? { mode: 'always' },
  recipients: recipientsOf(task).map(shownRecipient),
});

const shownRunColumns = shownBy(Type.Omit(Run, ['late']));
export const shownRun = (run: ShownRunRow): Run => ({ ...shownRunColumns(run), late: Boolean(run.is_late) });
