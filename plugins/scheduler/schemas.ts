/** Declares what the endpoints of scheduled questions take and answer. */
import { type Static, type TProperties, Type } from '@sinclair/typebox';
import { oneOf, orNull, pageQuery, sortable } from '../admin-kit/index.ts';

export const MAX_RECIPIENTS = 50;
const MAX_HEADERS = 20;

export const TaskParams = Type.Object({ id: Type.String({ format: 'uuid' }) });
export type TaskParams = Static<typeof TaskParams>;

const PAGING = pageQuery({ limit: 20, max: 100 });

/** An owner has a few hundred at most, so one index finds them for all of these. */
export const TASK_ORDERS = sortable(
  {
    createdAt: [{ column: 'created_at' }, { column: 'id' }],
    name: [{ column: 'name', isText: true }, { column: 'id' }],
    nextRunAt: [{ column: 'next_run_at', nulls: 'last' }, { column: 'id' }],
    lastRunAt: [{ column: 'last_run_at', nulls: 'last' }, { column: 'id' }],
  },
  '-createdAt',
);

export const RUN_ORDERS = sortable({ startedAt: [{ column: 'started_at' }, { column: 'id' }] }, '-startedAt');

export const TaskQuery = Type.Object({
  ...PAGING,
  ...TASK_ORDERS.query,
  enabled: Type.Optional(Type.Boolean()),
});

export const RunQuery = Type.Object({ limit: PAGING.limit, ...RUN_ORDERS.query });

const Channel = oneOf(['email', 'slack', 'webhook']);
/** What every recipient shows; which of these fields a type has is checked by `recipients.ts`. */
const recipientFields = {
  type: Channel,
  address: Type.Optional(
    Type.String({
      maxLength: 254,
      pattern: '^[^\\s@,;:<>()"]+@[^\\s@,;:<>()"]+\\.[^\\s@,;:<>()"]+$',
      errorMessage: 'must be one e-mail address',
      description: 'Of `email`.',
    }),
  ),
  channel: Type.Optional(
    Type.String({
      maxLength: 100,
      pattern: '^[^\\s<>]+$',
      errorMessage: 'must be the id or #name of a channel',
      description: 'Of `slack`: the id or #name of the channel.',
    }),
  ),
  teamId: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'Of `slack`: the workspace.' })),
  url: Type.Optional(Type.String({ minLength: 1, maxLength: 2_000, description: 'Of `webhook`: http or https.' })),
  headers: Type.Optional(
    Type.Record(Type.String(), Type.String({ maxLength: 2_000 }), {
      maxProperties: MAX_HEADERS,
      errorMessage: `must be an object of at most ${MAX_HEADERS} texts`,
      description: 'Of `webhook`: further headers. Host, Cookie, Authorization and hop-by-hop headers are left out.',
    }),
  ),
};

export const Recipient = Type.Object(
  {
    ...recipientFields,
    secret: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 500,
        description:
          'Of `webhook`: signs the body. Stored encrypted and never returned; kept when the same URL is sent without it.',
      }),
    ),
  },
  { title: 'NewRecipient', additionalProperties: false, errorMessage: 'must be an object with type and its fields' },
);
export type Recipient = Static<typeof Recipient>;

const ShownRecipient = Type.Object(recipientFields, { title: 'Recipient' });

/** Which of these fields a mode has is checked by `delivery-condition.ts`. */
const DeliverWhen = Type.Object(
  {
    mode: oneOf(['always', 'changed', 'threshold', 'unusual'], {
      description:
        '`changed`: the rows differ from those of the run before; `threshold`: a number is beyond `value`; `unusual`: it is far from those of earlier runs at the same time of the season.',
    }),
    column: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          'Of `threshold`, any row of it, and `unusual`, the first. Default: the first number of the answer.',
      }),
    ),
    operator: Type.Optional(oneOf(['>', '>=', '<', '<='], { description: 'Of `threshold`.' })),
    value: Type.Optional(Type.Number({ description: 'Of `threshold`.' })),
  },
  {
    additionalProperties: false,
    default: { mode: 'always' },
    description: 'When an answer is delivered. The first run always is.',
    errorMessage: 'must be an object with mode and its fields',
  },
);
export type DeliverWhen = Static<typeof DeliverWhen>;

/** Node would load its language data for `toLocaleString`, 15 ms at a start. */
const grouped = (count: number) => String(count).replace(/\B(?=(\d{3})+$)/g, ',');

const text = (maxLength: number, description?: string) =>
  Type.String({
    minLength: 1,
    maxLength,
    pattern: '\\S',
    errorMessage: `must be a text of 1 to ${grouped(maxLength)} characters that is not blank`,
    ...(description !== undefined && { description }),
  });

const settings = {
  name: text(200),
  question: text(2_000),
  cronExpression: Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'Five fields: minute, hour, day of month, month, day of week.',
  }),
  timezone: Type.String({ minLength: 1, maxLength: 100, default: 'UTC', description: 'IANA name of a time zone.' }),
  deliveryChannel: Type.Union([...Channel.anyOf], { default: 'webhook' }),
  deliverWhen: DeliverWhen,
  connectionId: orNull(Type.String({ minLength: 1, maxLength: 200, description: 'Default: the main connection.' })),
  approvalMode: oneOf(['auto', 'manual', 'admin-only'], {
    default: 'auto',
    description: 'Can only make the approval of an action stricter than its type does.',
  }),
  missedRuns: oneOf(['run', 'skip'], {
    default: 'run',
    description: 'What becomes of times that passed while no server ran: one late run, or none.',
  }),
  timeoutSeconds: orNull(
    Type.Integer({ minimum: 1, maximum: 3_600, description: 'Time limit of a run. Default: that of the server.' }),
  ),
};

const { name, question, cronExpression, timezone, deliveryChannel, deliverWhen, ...others } = settings;
const required = { name, question, cronExpression };
const optional = {
  timezone,
  deliveryChannel,
  deliverWhen,
  recipients: Type.Array(Recipient, { maxItems: MAX_RECIPIENTS }),
  ...others,
  enabled: Type.Boolean({ default: true }),
};
const closed = { additionalProperties: false, errorMessage: 'must be a JSON object' };

export const TaskBody = Type.Object(
  { ...required, ...Type.Partial(Type.Object(optional)).properties },
  { title: 'NewScheduledTask', ...closed },
);
export type TaskBody = Static<typeof TaskBody>;

/** `PUT` changes only what it is given. */
function withoutDefaults<Properties extends TProperties>(properties: Properties): Properties {
  const plain = Object.entries(properties).map(([field, { default: _, ...schema }]) => [field, schema]);
  return Object.fromEntries(plain) as Properties;
}

export const TaskChanges = Type.Partial(Type.Object({ ...required, ...withoutDefaults(optional) }), {
  title: 'ScheduledTaskChanges',
  ...closed,
});
export type TaskChanges = Static<typeof TaskChanges>;

const time = Type.String({ format: 'date-time' });

const taskFields = {
  id: Type.String({ format: 'uuid' }),
  ownerId: orNull(Type.String()),
  orgId: orNull(Type.String()),
  ...settings,
  recipients: Type.Array(ShownRecipient),
  enabled: Type.Boolean(),
  disabledReason: orNull(Type.String({ description: 'Why the scheduler has disabled the task.' })),
  lastRunAt: orNull(time),
  nextRunAt: orNull(time),
  createdAt: time,
  updatedAt: time,
};

export const Run = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    taskId: Type.String({ format: 'uuid' }),
    scheduledFor: orNull(time),
    late: Type.Boolean({ description: 'It began well after the time that the schedule says.' }),
    status: oneOf(['running', 'success', 'failed', 'skipped']),
    startedAt: time,
    completedAt: orNull(time),
    conversationId: orNull(Type.String()),
    error: orNull(Type.String({ description: 'Why it failed or was skipped.' })),
    tokensUsed: orNull(Type.Integer()),
    deliveryStatus: orNull(
      oneOf(['pending', 'sent', 'failed', 'quiet'], { description: '`quiet`: not delivered, by `deliverWhen`.' }),
    ),
    deliveryReason: orNull(Type.String({ description: 'Why `deliverWhen` had the answer delivered, or not.' })),
    figure: orNull(Type.Number({ description: 'The number that `deliverWhen` looked at.' })),
    deliveryError: orNull(Type.String({ description: 'The recipients that were not reached, and why.' })),
  },
  { title: 'ScheduledRun' },
);
export type Run = Static<typeof Run>;

export const Task = Type.Object(taskFields, { title: 'ScheduledTask' });
export type Task = Static<typeof Task>;
export const TaskDetail = Type.Object({ ...taskFields, recentRuns: Type.Array(Run) }, { title: 'ScheduledTaskDetail' });
export const TaskPage = Type.Object({ tasks: Type.Array(Task), total: Type.Integer() });
export const RunPage = Type.Object({ runs: Type.Array(Run) });

export const Preview = Type.Object(
  {
    sample: Type.Boolean({ description: 'The task has no report yet: what is shown is a sample.' }),
    previews: Type.Array(
      Type.Object({
        channel: Channel,
        recipients: Type.Array(ShownRecipient),
        content: Type.Object(
          {},
          {
            additionalProperties: true,
            description: 'Of `email` subject, html and text; of `slack` text and blocks; of `webhook` the body.',
          },
        ),
      }),
      { description: 'One for each channel.' },
    ),
  },
  { title: 'DeliveryPreview' },
);
