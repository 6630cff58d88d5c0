/** Serves the IP allowlist to administrators. */
import { defineRoute, type Route } from '../../kernel/index.ts';
import { SUCCEEDED, Success } from '../admin-kit/index.ts';
import type { AllowlistGate } from './gate.ts';
import { DeleteQuery, EntryPage, EntryParams, EntryReply, NewEntry, PageQuery } from './schemas.ts';
import type { AllowlistStore } from './store.ts';

export interface AllowlistRoutesInit {
  readonly store: AllowlistStore;
  readonly gate: AllowlistGate;
}

const PATH = '/api/v1/admin/ip-allowlist';

export function allowlistRoutes({ store, gate }: AllowlistRoutesInit): Route[] {
  const all = { tag: 'IP allowlist', right: 'admin:settings', organizationData: 'The IP allowlist' } as const;
  return [
    defineRoute({
      ...all,
      method: 'GET',
      path: PATH,
      operationId: 'listIpAllowlist',
      area: 'ip-allowlist',
      summary:
        'Networks that the organization may be reached from, by default the oldest first; none: from everywhere.',
      errors: ['forbidden'],
      query: PageQuery,
      responses: { 200: EntryPage },
      async handle({ query }, scope) {
        const { limit, offset } = query;
        return { body: { ...(await store.list(scope.orgId, query)), limit, offset } };
      },
    }),
    defineRoute({
      ...all,
      method: 'POST',
      path: PATH,
      operationId: 'addIpAllowlistEntry',
      summary: 'Allows a network. With the first one, every other address is refused.',
      errors: ['forbidden', 'conflict'],
      body: NewEntry,
      responses: { 201: EntryReply },
      async handle({ body, ip }, scope) {
        const entry = await store.add(body, ip, scope);
        gate.forget(scope.orgId);
        return { status: 201, body: { entry } };
      },
    }),
    defineRoute({
      ...all,
      method: 'DELETE',
      path: `${PATH}/:id`,
      operationId: 'deleteIpAllowlistEntry',
      summary: 'Takes a network from the list. Without the last one, every address is allowed.',
      errors: ['forbidden', 'not_found', 'conflict'],
      params: EntryParams,
      query: DeleteQuery,
      responses: { 200: Success },
      async handle({ params: { id }, query: { force }, ip }, scope) {
        await store.remove(id, force, ip, scope);
        gate.forget(scope.orgId);
        return SUCCEEDED;
      },
    }),
  ];
}
