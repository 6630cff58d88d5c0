/** The audit log over HTTP, for administrators: of the active organization where there is one. */
import type { Route } from '../../kernel/index.ts';
import { csv } from './csv.ts';
import { AuditPage, AuditStatsBody, Csv, ExportQuery, ListQuery, PurgeResult } from './schemas.ts';
import type { AuditStore } from './store.ts';

export interface AuditRoutesOptions {
  now(): number;
  /** Entries written before are too old. */
  cutoff(): number;
}

export function auditRoutes(store: AuditStore, { now, cutoff }: AuditRoutesOptions): Route[] {
  const common = { tag: 'Audit', right: 'admin' } as const;
  return [
    {
      ...common,
      method: 'GET',
      path: '/api/v1/admin/audit',
      summary: 'Statements of everybody, newest first.',
      query: ListQuery,
      responses: { 200: AuditPage },
      async handle({ query }, { orgId }) {
        const { limit, offset, ...filter } = query as ListQuery;
        return { body: { ...(await store.list({ ...filter, orgId }, limit, offset)), limit, offset } };
      },
    },
    {
      ...common,
      method: 'GET',
      path: '/api/v1/admin/audit/stats',
      summary: 'Statements and failures of the last seven days.',
      responses: { 200: AuditStatsBody },
      handle: async (_, { orgId }) => ({ body: await store.stats(orgId, now()) }),
    },
    {
      ...common,
      method: 'GET',
      path: '/api/v1/admin/audit/export',
      summary: 'Statements of everybody as CSV, newest first.',
      query: ExportQuery,
      responses: { 200: Csv },
      handle: async ({ query }, { orgId }) => ({
        headers: {
          'content-type': 'text/csv; charset=utf-8',
          'content-disposition': 'attachment; filename="audit.csv"',
        },
        stream: await csv(store.all({ ...(query as ExportQuery), orgId })),
      }),
    },
    {
      ...common,
      method: 'POST',
      path: '/api/v1/admin/audit/retention/purge',
      summary: 'Soft-deletes entries older than the retention window; runs daily by itself.',
      responses: { 200: PurgeResult },
      handle: async (_, { orgId }) => ({ body: { results: await store.purge(orgId, cutoff(), now()) } }),
    },
  ];
}
