/** Serves actions: to every user their own, to administrators those of the active organization. */
import { type Actor, AtlasError, defineRoute, type Route, type Scope } from '../../kernel/index.ts';
import { masked } from '../redaction-kit/index.ts';
import { OTHERS_ACTIONS } from './approval.ts';
import { notFound } from './errors.ts';
import type { ActionType } from './hooks.ts';
import type { ActionRow, HistoryRow } from './rows.ts';
import { Action, ActionDetail, ActionList, ActionParams, DenyBody, Inbox, InboxQuery, ListQuery } from './schemas.ts';
import type { ActionService } from './service.ts';
import type { ActionStore } from './store.ts';

export interface ActionRoutesInit {
  readonly store: ActionStore;
  readonly service: ActionService;
  readonly types: ReadonlyMap<string, ActionType>;
}

const PATH = '/api/v1/actions';
/** In place of what the type does not show to this actor. */
const NOT_SHOWN = 'It is not shown to you.';

export function actionRoutes({ store, service, types }: ActionRoutesInit): Route[] {
  const isOwn = (row: ActionRow, scope: Scope) => row.requested_by === ownerOf(scope).requestedBy;
  const resultFor = (row: ActionRow, scope: Scope): unknown => {
    const result: unknown = row.result === null ? null : JSON.parse(row.result);
    if (result === null || isOwn(row, scope)) return result;
    const type = types.get(row.action_type);
    return type?.shownToOthers === undefined ? result : type.shownToOthers(result);
  };
  const isWhole = (row: ActionRow, { actor }: Scope) => types.get(row.action_type)?.isShownTo?.(actor) ?? true;
  /** As the API answers it to the scope's actor. */
  const shown = async (row: ActionRow, scope: Scope) => {
    const action = await whole(row, scope);
    if (isWhole(row, scope)) return action;
    return { ...action, summary: NOT_SHOWN, payload: null, error: action.error && NOT_SHOWN };
  };
  const historyOf = (row: ActionRow, moves: readonly HistoryRow[] = [], scope: Scope): HistoryRow[] =>
    moves.map((move) => (move.move === 'failed' && !isWhole(row, scope) ? { ...move, note: NOT_SHOWN } : move));
  const whole = async (row: ActionRow, scope: Scope) => ({
    id: row.id,
    action_type: row.action_type,
    target: row.target,
    summary: row.summary,
    status: row.status,
    approval_mode: row.approval,
    requested_by: row.requested_by === '' ? null : row.requested_by,
    requested_by_label: (JSON.parse(row.requester) as Actor).label,
    created_at: row.created_at,
    expires_at: row.expires_at,
    resolved_by: row.resolved_by,
    resolved_at: row.resolved_at,
    executed_at: row.executed_at,
    payload: await payloadOf(row),
    payload_hash: row.payload_hash,
    result: resultFor(row, scope),
    error: row.error,
    reason: row.reason,
  });
  /** `null` when it was encrypted with a key that is not configured any more. */
  const payloadOf = async (row: ActionRow): Promise<unknown> => {
    try {
      return masked(JSON.parse(await service.open(row)));
    } catch (error) {
      if (error instanceof AtlasError) return null;
      throw error;
    }
  };
  const common = { tag: 'Actions', right: 'query' } as const;
  const one = { ...common, params: ActionParams };
  const resolve = { ...one, method: 'POST', right: 'approve', errors: ['not_found', 'forbidden', 'conflict'] } as const;
  return [
    defineRoute({
      ...common,
      method: 'GET',
      path: PATH,
      operationId: 'listActions',
      summary: 'The actions that you have asked for, by default newest first.',
      query: ListQuery,
      responses: { 200: ActionList },
      async handle({ query: { status = 'pending', ...page } }, scope) {
        await service.expireAll();
        const { rows } = await store.page({ ...ownerOf(scope), status }, { ...page, offset: 0 });
        return { body: { actions: await Promise.all(rows.map((row) => shown(row, scope))) } };
      },
    }),
    defineRoute({
      ...one,
      method: 'GET',
      path: `${PATH}/:id`,
      operationId: 'getAction',
      summary: 'An action that you have asked for, with its history.',
      responses: { 200: ActionDetail },
      errors: ['not_found'],
      async handle({ params }, scope) {
        await service.expireAll();
        const row = await service.find(params.id, scope);
        if (!isOwn(row, scope)) throw notFound();
        const history = historyOf(row, (await store.history([row.id])).get(row.id), scope);
        return { body: { ...(await shown(row, scope)), history: history.map(shownMove) } };
      },
    }),
    defineRoute({
      ...resolve,
      path: `${PATH}/:id/approve`,
      operationId: 'approveAction',
      summary: 'Approves an action and performs it; answers once it has ended.',
      responses: { 200: Action },
      async handle({ params, ip }, scope) {
        return { body: await shown(await service.approve(params.id.toLowerCase(), { scope, ip }), scope) };
      },
    }),
    defineRoute({
      ...resolve,
      path: `${PATH}/:id/deny`,
      operationId: 'denyAction',
      summary: 'Denies an action, which is then never performed.',
      body: DenyBody,
      responses: { 200: Action },
      async handle({ params, body, ip }, scope) {
        return { body: await shown(await service.deny(params.id.toLowerCase(), body.reason, { scope, ip }), scope) };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/v1/admin/actions',
      operationId: 'listAllActions',
      area: 'approvals',
      summary: 'The actions of all requesters of the active organization, by default newest first.',
      tag: 'Actions',
      right: 'admin',
      organizationData: OTHERS_ACTIONS,
      query: InboxQuery,
      responses: { 200: Inbox },
      errors: ['forbidden'],
      async handle({ query: { status = 'pending', ...page } }, scope) {
        await service.expireAll();
        const filter = { orgId: scope.orgId ?? '', requestedBy: undefined, status };
        const { rows, total } = await store.page(filter, page);
        const moves = await store.history(rows.map(({ id }) => id));
        const actions = rows.map(async (row) => ({
          ...(await shown(row, scope)),
          history: historyOf(row, moves.get(row.id), scope).map((move) => ({ ...shownMove(move), ip: move.ip })),
        }));
        return { body: { actions: await Promise.all(actions), total, limit: page.limit, offset: page.offset } };
      },
    }),
  ];
}

function ownerOf({ actor, orgId }: Scope) {
  return { requestedBy: actor.id ?? '', orgId: orgId ?? '' };
}

/** Without the address, which is for administrators. */
function shownMove({ move, at, actor_id, actor_label, auth_mode, surface, request_id, note }: HistoryRow) {
  return { move, at, actor_id, actor_label, auth_mode, surface, request_id, note };
}
