/** Stores actions that the model asks for, has them approved, and performs them. */
import {
  type AgentTool,
  AtlasError,
  actionRequest,
  actionReview,
  contextCollect,
  definePlugin,
  httpRoutes,
  optional,
  storeMigrations,
  toolsCollect,
} from '../../kernel/index.ts';
import { agentWrap } from '../agent/index.ts';
import { audit } from '../audit/index.ts';
import { previewedBy } from '../auth-kit/index.ts';
import { organizationDelete, userDelete } from '../auth-managed/index.ts';
import { http, httpAdmit } from '../http/index.ts';
import { internalDb, storeTables } from '../internal-db/index.ts';
import { jobs, purgeDaily } from '../jobs/index.ts';
import type { Actions } from './api.ts';
import { createService } from './create-service.ts';
import { notEnabled } from './errors.ts';
import type { ActionType } from './hooks.ts';
import { migrationsFor, STORED_TABLES } from './migrations.ts';
import { ActionsOptions } from './options.ts';
import { actionRoutes } from './routes.ts';
import { ACTION_RULES, actionTool, maskedCalls, toolNameOf } from './tools.ts';
import { collectTypes } from './types.ts';

export type { Actions, ActionWish, AskedAction } from './api.ts';
export { type ActionDefinition, type ActionRun, defineAction } from './define-action.ts';
export { type ActionMoved, actionMoved } from './events.ts';
export { type ActionSubject, type ActionType, type ApprovalMode, actionTypes } from './hooks.ts';
export type { ActionForApproval } from './schemas.ts';

const DAY_MS = 86_400_000;

export const actions = definePlugin({
  name: 'actions',
  version: '1.0.0',
  type: 'core',
  description: 'Stores actions that the model asks for, has them approved, and performs them.',
  needs: {
    db: internalDb,
    queue: jobs,
    server: optional(http),
    log: optional(audit),
  },
  options: ActionsOptions,
  setup(ctx, options, { db, queue, server, log }): Actions {
    const types = new Map<string, ActionType>();
    const parts = { ctx, options, db, queue, server, log, types };
    const { store, execution, service, addresses } = createService(parts);
    const available = options.enabled && db.configured;
    const routes = actionRoutes({ store, service, types });
    const closed = () => {
      throw notEnabled();
    };
    ctx.tap(httpRoutes, () =>
      db.routes(options.enabled ? routes : routes.map((route) => ({ ...route, ready: closed }))),
    );
    // Whichever tool asks for one.
    ctx.tap(
      actionRequest,
      (_request, scope) => {
        if (previewedBy.nearest(scope) === undefined) return undefined;
        throw new AtlasError('Nothing was asked for: in a preview no action is.', {
          code: 'invalid_request',
          reason: 'E_PREVIEW_ACTION',
        });
      },
      { stage: 'pre' },
    );
    // What another plugin denies is denied; everything else is stored first, and runs only from there.
    ctx.tap(actionReview, () => ({ decision: 'approval' as const }), { stage: 'post' });
    ctx.tap(storeMigrations, () => (options.enabled ? migrationsFor(db.dialect) : []));
    ctx.tap(storeTables, () => STORED_TABLES);
    if (!available) return { available, request: async () => closed(), restrict: () => {} };

    const tools = new Map<string, AgentTool>();
    ctx.onReady(async () => {
      for (const [name, type] of await collectTypes(ctx, options)) {
        types.set(name, type);
        const tool = toolNameOf(type);
        if (tool !== undefined) tools.set(tool, actionTool(tool, type, service));
      }
    });
    ctx.tap(toolsCollect, () => [...tools.values()]);
    ctx.tap(contextCollect, () => (tools.size > 0 ? [ACTION_RULES] : []));
    // Innermost, so that recordings and surfaces get what may be shown.
    ctx.tap(agentWrap, () => [(ask) => maskedCalls(tools, ask)], { stage: 'post' });
    ctx.tap(httpAdmit, ({ ip }, scope) => void addresses.set(scope, ip));
    ctx.tap(userDelete, ({ userId }) =>
      service.leave({ requested_by: userId }, "The requester's account was deleted."),
    );
    ctx.tap(organizationDelete, ({ orgId }) => service.leave({ org_id: orgId }, 'The organization was deleted.'));
    purgeDaily(ctx, queue, 'Old actions', async () => {
      await service.expireAll();
      await store.purge(new Date(ctx.now() - options.retentionDays * DAY_MS).toISOString());
    });
    ctx.onDrain(() => execution.drain());
    ctx.onClose(() => execution.close());
    return service;
  },
});
