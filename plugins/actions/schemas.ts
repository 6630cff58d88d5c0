/** Declares what the action endpoints take and answer. */
import { type Static, Type } from '@sinclair/typebox';
import { oneOf, page, pageQuery, sortable } from '../admin-kit/index.ts';

const Status = oneOf(['pending', 'approved', 'denied', 'executed', 'failed'], { title: 'ActionStatus' });
export type ActionStatus = Static<typeof Status>;

export const ActionParams = Type.Object({ id: Type.String({ format: 'uuid' }) });
export type ActionParams = Static<typeof ActionParams>;

export const ACTION_ORDERS = sortable({ created_at: [{ column: 'created_at' }, { column: 'id' }] }, '-created_at');

const PAGING = pageQuery({ limit: 50, max: 100 });
const common = {
  ...ACTION_ORDERS.query,
  status: Type.Optional(
    Type.Union([...Status.anyOf], { default: 'pending', description: 'Only actions in this state.' }),
  ),
};

export const ListQuery = Type.Object({ ...common, limit: PAGING.limit });
export const InboxQuery = Type.Object({ ...common, ...PAGING });

export const DenyBody = Type.Object(
  { reason: Type.Optional(Type.String({ maxLength: 1_000, description: 'Shown to the requester.' })) },
  { default: {}, title: 'DenyAction', errorMessage: 'must be a JSON object' },
);

const orNull = (description?: string) =>
  Type.Union([Type.String(), Type.Null()], description === undefined ? {} : { description });
const timeOrNull = Type.Union([Type.String({ format: 'date-time' }), Type.Null()]);

const moveFields = {
  move: Type.String({
    description: '`requested`, `approved`, `denied`, `expired`, `resumed`, `executed` or `failed`.',
  }),
  at: Type.String({ format: 'date-time' }),
  actor_id: orNull('Who made the move; null: anonymous, or the server itself.'),
  actor_label: orNull(),
  auth_mode: Type.String({ description: '`system`: the server itself.' }),
  surface: Type.String(),
  request_id: Type.String(),
  note: orNull(),
};
const Move = Type.Object(moveFields, { title: 'ActionMove' });
const MoveWithAddress = Type.Object({ ...moveFields, ip: orNull() }, { title: 'ActionMoveWithAddress' });

const fields = {
  id: Type.String({ format: 'uuid' }),
  action_type: Type.String(),
  target: Type.String(),
  summary: Type.String(),
  status: Status,
  approval_mode: oneOf(['auto', 'manual', 'admin-only']),
  requested_by: orNull('User id; null: anonymous.'),
  requested_by_label: orNull(),
  created_at: Type.String({ format: 'date-time' }),
  expires_at: Type.String({ format: 'date-time', description: 'Until then it can be approved.' }),
  resolved_by: orNull('Who approved or denied it; null: anonymous, its own mode, or its time was over.'),
  resolved_at: timeOrNull,
  executed_at: timeOrNull,
  payload: Type.Unknown({
    description: 'As it was asked for, with `***` in place of secrets; null where you may not see it.',
  }),
  payload_hash: Type.String({ description: 'SHA-256 of type, target, summary and payload: what an approval is for.' }),
  result: Type.Unknown({ description: 'What the handler answered; null until it is `executed`.' }),
  error: orNull('Why it is `failed`.'),
  reason: orNull('Why it is `denied`.'),
};

export const Action = Type.Object(fields, { title: 'Action' });
export const ActionDetail = Type.Object(
  { ...fields, history: Type.Array(Move, { description: 'Every move, in order.' }) },
  { title: 'ActionDetail' },
);
export const ActionList = Type.Object({ actions: Type.Array(Action) });
const ActionForApproval = Type.Object(
  { ...fields, history: Type.Array(MoveWithAddress) },
  { title: 'ActionForApproval' },
);
export type ActionForApproval = Static<typeof ActionForApproval>;
export const Inbox = page('actions', ActionForApproval);
