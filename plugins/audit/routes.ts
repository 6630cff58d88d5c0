/** Serves the audit log to administrators: entries of the active organization, or those that belong to none. */
import { defineRoute, type Route, type Scope } from '../../kernel/index.ts';
import { csv } from './csv.ts';
import {
  AuditPage,
  AuditStatsBody,
  ChangesPage,
  ChangesQuery,
  Csv,
  ExportQuery,
  ListQuery,
  PurgeResult,
} from './schemas.ts';
import type { AuditStore, Purged } from './store.ts';

export interface AuditRoutesOptions {
  now(): number;
  /** Entries written before are too old. */
  cutoff(): number;
  /** Records what an administrator has purged. */
  purged(results: readonly Purged[], scope: Scope): Promise<void>;
}

export function auditRoutes(store: AuditStore, { now, cutoff, purged }: AuditRoutesOptions): Route[] {
  const common = {
    tag: 'Audit',
    right: 'admin:audit',
    errors: ['forbidden'],
    organizationData: 'The audit log',
  } as const;
  return [
    defineRoute({
      ...common,
      method: 'GET',
      path: '/api/v1/admin/audit',
      operationId: 'listAuditEntries',
      area: 'audit',
      summary: 'Statements of all users, by default newest first.',
      query: ListQuery,
      responses: { 200: AuditPage },
      async handle({ query }, scope) {
        const { orgId } = scope;
        const { limit, offset, sort, ...filter } = query;
        return { body: { ...(await store.list({ ...filter, orgId }, { limit, offset, sort })), limit, offset } };
      },
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path: '/api/v1/admin/audit/changes',
      operationId: 'listAdminChanges',
      summary: 'Changes by administrators, by default newest first.',
      query: ChangesQuery,
      responses: { 200: ChangesPage },
      async handle({ query }, scope) {
        const { orgId } = scope;
        const { limit, offset, sort, ...filter } = query;
        return { body: { ...(await store.changes({ ...filter, orgId }, { limit, offset, sort })), limit, offset } };
      },
    }),
    {
      ...common,
      method: 'GET',
      path: '/api/v1/admin/audit/stats',
      operationId: 'getAuditStats',
      summary: 'Statements and failures of the last seven days.',
      responses: { 200: AuditStatsBody },
      handle: async (_, scope) => ({ body: await store.stats(scope.orgId, now()) }),
    },
    defineRoute({
      ...common,
      method: 'GET',
      path: '/api/v1/admin/audit/export',
      operationId: 'exportAuditEntries',
      summary: 'Statements of all users as CSV, newest first.',
      query: ExportQuery,
      responses: { 200: Csv },
      handle: async ({ query }, scope) => ({
        headers: {
          'content-type': 'text/csv; charset=utf-8',
          'content-disposition': 'attachment; filename="audit.csv"',
        },
        stream: await csv(store.all({ ...query, orgId: scope.orgId })),
      }),
    }),
    {
      ...common,
      method: 'POST',
      path: '/api/v1/admin/audit/retention/purge',
      operationId: 'purgeAuditEntries',
      summary: 'Soft-deletes entries older than the retention window; runs daily by itself.',
      responses: { 200: PurgeResult },
      async handle(_, scope) {
        const results = await store.purge(scope.orgId, cutoff(), now());
        if (results.length > 0) await purged(results, scope);
        return { body: { results } };
      },
    },
  ];
}
