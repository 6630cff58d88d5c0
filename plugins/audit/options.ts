import { type Static, Type } from '../../kernel/index.ts';

export const AuditOptions = Type.Object(
  {
    retentionDays: Type.Integer({
      default: 365,
      minimum: 1,
      maximum: 36_500,
      description: 'days after which an entry is no longer shown; purged daily',
    }),
    erasedAfterDays: Type.Integer({
      default: 30,
      minimum: 1,
      maximum: 36_500,
      description: 'days after which an entry that is no longer shown is deleted permanently',
    }),
    required: Type.Boolean({
      default: true,
      description: 'withhold the rows of a statement whose entry cannot be written; false only logs the failure',
    }),
    redactLiterals: Type.Boolean({
      default: false,
      description: 'keep statements without the values that stand in them',
    }),
  },
  { additionalProperties: false },
);
export type AuditOptions = Static<typeof AuditOptions>;
