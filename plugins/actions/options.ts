/** Declares how actions are approved and how long they may take. */
import { type Static, Type } from '../../kernel/index.ts';

const Mode = Type.Union([Type.Literal('auto'), Type.Literal('manual'), Type.Literal('admin-only')]);

export const ActionsOptions = Type.Object(
  {
    enabled: Type.Boolean({
      default: true,
      description: 'whether the model may ask for actions; false: the routes answer `not_available`',
    }),
    approval: Type.Record(Type.String({ minLength: 1 }), Mode, {
      default: {},
      description:
        'approval mode by type of action, instead of the one that the type brings: `{"email": "auto"}`; `auto`, `manual` or `admin-only`',
    }),
    approvalExpiryMs: Type.Integer({
      default: 604_800_000,
      minimum: 1_000,
      maximum: 31_536_000_000,
      description: 'time in which an action must be approved; after that it is denied',
    }),
    timeoutMs: Type.Integer({
      default: 30_000,
      minimum: 100,
      maximum: 45_000,
      description: 'longest time that performing an action may take',
    }),
    retentionDays: Type.Integer({
      default: 365,
      minimum: 1,
      maximum: 36_500,
      description: 'days for which actions that have ended are kept; purged daily',
    }),
  },
  { additionalProperties: false },
);
export type ActionsOptions = Static<typeof ActionsOptions>;
