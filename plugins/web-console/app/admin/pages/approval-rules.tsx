/** Shows the rules by which statements wait for approval. */
import type { ReactNode } from 'react';
import type { ApprovalRule } from '../../../../approval-rules/index.ts';
import { Text, yesNo } from '../parts.tsx';
import { cleared, filled, numbers } from '../request-body.ts';
import type { FormField, Resource, Values } from '../resource.ts';
import { ResourcePage } from '../resource-page.tsx';
import { ADMIN } from '../texts.ts';

const T = ADMIN.rules;
const PATH = '/api/v1/admin/approval/rules';

const fieldsOf = (rule?: ApprovalRule): readonly FormField[] => [
  { name: 'name', label: T.name, isRequired: true, maxLength: 200, value: rule?.name ?? '' },
  {
    name: 'ruleType',
    label: T.type,
    value: rule?.ruleType ?? 'table',
    options: Object.entries(T.types).map(([value, label]) => ({ value, label })),
  },
  { name: 'pattern', label: T.pattern, maxLength: 256, hint: T.patternHint, value: rule?.pattern ?? '' },
  {
    name: 'threshold',
    label: T.threshold,
    kind: 'number',
    hint: T.thresholdHint,
    value: rule?.threshold?.toString() ?? '',
  },
];

/** Estimated rows have a bound, everything else a pattern. */
const bodyOf = (values: Values) => ({
  ...filled(values, ['name', 'ruleType']),
  ...(values.ruleType === 'cost'
    ? { pattern: null, threshold: null, ...numbers(values, ['threshold']) }
    : { ...cleared(values, ['pattern']), threshold: null }),
});

const RULES: Resource<ApprovalRule> = {
  title: ADMIN.areas['approval-rules'],
  intro: T.intro,
  path: PATH,
  key: 'rules',
  hasPages: true,
  columns: [
    { label: T.name, cell: ({ name }) => <Text>{name}</Text> },
    { label: T.type, cell: ({ ruleType }) => T.types[ruleType] ?? ruleType },
    {
      label: T.pattern,
      cell: ({ pattern, threshold }) => <Text>{threshold === null ? pattern : `> ${threshold.toLocaleString()}`}</Text>,
    },
    { label: T.enabled, cell: ({ enabled }) => yesNo(enabled) },
  ],
  nameOf: ({ name }) => name,
  idOf: ({ id }) => id,
  create: {
    label: T.add,
    title: T.createTitle,
    fields: fieldsOf(),
    command: (values) => ({ path: PATH, method: 'POST', body: bodyOf(values) }),
  },
  actionsOf(rule) {
    const { id, name, enabled } = rule;
    const path = `${PATH}/${encodeURIComponent(id)}`;
    return [
      {
        label: ADMIN.save,
        menuLabel: ADMIN.edit,
        title: `${ADMIN.edit}: ${name}`,
        fields: fieldsOf(rule),
        command: (values) => ({ path, method: 'PUT', body: bodyOf(values) }),
      },
      {
        label: enabled ? T.disable : T.enable,
        isImmediate: true,
        command: () => ({ path, method: 'PUT', body: { enabled: !enabled } }),
      },
      { label: ADMIN.delete, text: T.deleteText(name), isDanger: true, command: () => ({ path, method: 'DELETE' }) },
    ];
  },
  empty: T.empty,
};

export function ApprovalRulesPage(): ReactNode {
  return <ResourcePage resource={RULES} />;
}
