/** Serves the approval rules of the active organization to its administrators. */
import { defineRoute, type Route, type Scope } from '../../kernel/index.ts';
import { SUCCEEDED } from '../admin-kit/index.ts';
import { consistent } from './rules.ts';
import {
  Deleted,
  type Rule,
  RuleAnswer,
  RuleBody,
  RuleChanges,
  type RuleFields,
  RulePage,
  RuleParams,
  RuleQuery,
} from './schemas.ts';
import type { Along, RuleStore } from './store.ts';

const PATH = '/api/v1/admin/approval/rules';

export interface RuleRoutesInit {
  readonly store: RuleStore;
  readonly now: () => number;
  /** Writes a change to the audit log. */
  audited(scope: Scope): Along;
  /** After a change of the organization's rules. */
  changed(orgId: string | null): void;
}

export function ruleRoutes({ store, now, audited, changed }: RuleRoutesInit): Route[] {
  const common = {
    tag: 'Approval rules',
    right: 'admin:settings',
    errors: ['forbidden'],
    organizationData: 'The list of approval rules',
  } as const;
  const one = { ...common, path: `${PATH}/:id`, params: RuleParams, errors: ['forbidden', 'not_found'] } as const;
  const at = () => new Date(now()).toISOString();
  return [
    defineRoute({
      ...common,
      method: 'GET',
      path: PATH,
      operationId: 'listApprovalRules',
      area: 'approval-rules',
      summary: 'The approval rules of the active organization, by default oldest first.',
      query: RuleQuery,
      responses: { 200: RulePage },
      async handle({ query }, scope) {
        const { limit, offset } = query;
        return { body: { ...(await store.page(scope.orgId, query)), limit, offset } };
      },
    }),
    defineRoute({
      ...common,
      method: 'POST',
      path: PATH,
      operationId: 'createApprovalRule',
      summary: 'Adds a rule, which holds from the next statement on.',
      body: RuleBody,
      responses: { 201: RuleAnswer },
      errors: ['forbidden', 'conflict'],
      async handle({ body: { name, ruleType, pattern = null, threshold = null, enabled = true } }, scope) {
        const { orgId } = scope;
        const fields = consistent({ name, ruleType, pattern, threshold, enabled });
        const rule = await store.add(orgId, fields, at(), audited(scope));
        changed(orgId);
        return { status: 201, body: { rule } };
      },
    }),
    defineRoute({
      ...one,
      method: 'GET',
      operationId: 'getApprovalRule',
      summary: 'One approval rule of the active organization.',
      responses: { 200: RuleAnswer },
      async handle({ params }, scope) {
        return { body: { rule: await store.find(scope.orgId, params.id.toLowerCase()) } };
      },
    }),
    defineRoute({
      ...one,
      method: 'PUT',
      operationId: 'changeApprovalRule',
      summary: 'Changes the fields of a rule that are given; it holds from the next statement on.',
      body: RuleChanges,
      responses: { 200: RuleAnswer },
      async handle({ params, body }, scope) {
        const { orgId } = scope;
        const id = params.id.toLowerCase();
        const rule = await store.change(orgId, id, (before) => changedFields(before, body), at(), audited(scope));
        changed(orgId);
        return { body: { rule } };
      },
    }),
    defineRoute({
      ...one,
      method: 'DELETE',
      operationId: 'deleteApprovalRule',
      summary: 'Deletes a rule.',
      responses: { 200: Deleted },
      async handle({ params }, scope) {
        const { orgId } = scope;
        await store.remove(orgId, params.id.toLowerCase(), audited(scope));
        changed(orgId);
        return SUCCEEDED;
      },
    }),
  ];
}

/** What the new type has no use for goes, unless it was given. */
function changedFields({ name, ruleType, pattern, threshold, enabled }: Rule, changes: RuleChanges): RuleFields {
  const fields = { name, ruleType, pattern, threshold, enabled, ...changes };
  const isOther = fields.ruleType !== ruleType;
  return consistent({
    ...fields,
    ...(isOther && changes.pattern === undefined && { pattern: null }),
    ...(isOther && changes.threshold === undefined && { threshold: null }),
  });
}
