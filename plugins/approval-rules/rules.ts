/** Types approval rules and checks that what they hold goes together. */
import { AtlasError } from '../../kernel/index.ts';
import type { AuditedChange } from '../audit/index.ts';
import type { Rule, RuleFields, RuleType } from './schemas.ts';

/** More would make matching slow, which tries each place for what follows a star. */
const MAX_STARS = 8;
const EXAMPLES: Readonly<Record<RuleType, string>> = {
  table: 'orders, sales.orders or sales.*',
  column: 'customers.email, sales.customers.email or *.email',
  datasource: 'the id of a connection, or * for all',
  cost: 'the id of a connection, or nothing for all',
};

/** The fields as they are stored. Throws `validation_error` with every field that does not go with the rule's type. */
export function consistent(fields: RuleFields): RuleFields {
  const name = fields.name.trim();
  const pattern = fields.pattern?.trim() || null;
  const problems: { path: string; message: string }[] = [];
  const refuse = (path: string, message: string) => problems.push({ path, message });
  if (name === '') refuse('name', 'must not be blank');
  const { ruleType, threshold } = fields;
  const expected = `expected ${EXAMPLES[ruleType]}`;
  if (pattern === null && ruleType !== 'cost') refuse('pattern', `is required for the type ${ruleType}: ${expected}`);
  if (pattern !== null && pattern.split('*').length > MAX_STARS + 1) {
    refuse('pattern', `must not hold more than ${MAX_STARS} stars`);
  }
  if (pattern !== null && ruleType === 'column' && !/[^.]\.[^.]+$/.test(pattern)) {
    refuse('pattern', `must name a table and a column: ${expected}`);
  }
  if (pattern !== null && /(?:^|\.)(?:\.|$)/.test(pattern)) refuse('pattern', `has an empty part: ${expected}`);
  if (ruleType === 'cost' && threshold === null) refuse('threshold', 'is required for the type cost: estimated rows');
  if (ruleType !== 'cost' && threshold !== null) refuse('threshold', 'belongs to rules of the type cost');
  if (problems.length > 0) {
    const [first] = problems;
    throw new AtlasError(`The approval rule is not valid: ${first?.path} ${first?.message}.`, {
      code: 'validation_error',
      details: problems,
    });
  }
  return { name, ruleType, pattern, threshold, enabled: fields.enabled };
}

/** Describes for the audit log that a rule was made, changed or deleted. */
export function changeOf(before: Rule | null, after: Rule | null): AuditedChange {
  const { id = '', name } = after ?? before ?? {};
  const move = before === null ? 'created' : after === null ? 'deleted' : 'changed';
  return { action: `approval_rule.${move}`, target: { type: 'approval_rule', id, label: name }, before, after };
}
