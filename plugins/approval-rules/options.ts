/** Declares who approves statements that a rule holds back. */
import { type Static, Type } from '../../kernel/index.ts';

export const ApprovalRulesOptions = Type.Object(
  {
    approval: Type.Union([Type.Literal('admin-only'), Type.Literal('manual')], {
      default: 'admin-only',
      description:
        'who approves a statement that an approval rule holds back: `admin-only`, an administrator other than the requester; `manual`, whoever may approve actions. Without authentication always `manual`',
    }),
  },
  { additionalProperties: false },
);
export type ApprovalRulesOptions = Static<typeof ApprovalRulesOptions>;
