/** Declares what the endpoints of approval rules take and answer. */
import { type Static, Type } from '@sinclair/typebox';
import { oneOf, orNull, page, pageQuery, Success, sortable } from '../admin-kit/index.ts';

const RuleType = oneOf(['table', 'column', 'cost', 'datasource'], { title: 'ApprovalRuleType' });
export type RuleType = Static<typeof RuleType>;

export const RuleParams = Type.Object({ id: Type.String({ format: 'uuid' }) });

export const RULE_ORDERS = sortable(
  {
    createdAt: [{ column: 'created_at' }, { column: 'id' }],
    name: [{ column: 'name', isText: true }, { column: 'id' }],
  },
  'createdAt',
);

export const RuleQuery = Type.Object({ ...pageQuery({ limit: 50, max: 200 }), ...RULE_ORDERS.query });

const written = {
  name: Type.String({ minLength: 1, maxLength: 200 }),
  ruleType: RuleType,
  pattern: orNull(
    Type.String({
      maxLength: 256,
      // No control characters, blanks in between or quotes.
      pattern: '^[^\\u0000-\\u001f\\u007f"`\\[\\]]*$',
      description:
        '`table` or `schema.table`, `table.column`, or the id of a connection; `*` stands for any characters. Names without quotes, in any case.',
    }),
  ),
  threshold: orNull(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Of the type `cost`: estimated rows above which a statement needs approval.',
    }),
  ),
  enabled: Type.Boolean(),
};

export const RuleBody = Type.Object(
  {
    name: written.name,
    ruleType: written.ruleType,
    pattern: Type.Optional(written.pattern),
    threshold: Type.Optional(written.threshold),
    enabled: Type.Optional(Type.Boolean({ default: true })),
  },
  { additionalProperties: false, title: 'NewApprovalRule' },
);
export type RuleBody = Static<typeof RuleBody>;

/** What people write of a rule. */
const RuleFields = Type.Object(written);
export type RuleFields = Static<typeof RuleFields>;

export const RuleChanges = Type.Partial(RuleFields, {
  additionalProperties: false,
  title: 'ApprovalRuleChanges',
});
export type RuleChanges = Static<typeof RuleChanges>;

export const Rule = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    orgId: orNull(Type.String()),
    ...written,
    createdAt: Type.String({ format: 'date-time' }),
    updatedAt: Type.String({ format: 'date-time' }),
  },
  { title: 'ApprovalRule' },
);
export type Rule = Static<typeof Rule>;

export const RuleAnswer = Type.Object({ rule: Rule });
export const RulePage = page('rules', Rule);
export const Deleted = Type.Object(Success.properties);
